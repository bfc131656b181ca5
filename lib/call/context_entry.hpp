// What the library keeps for a context: programs, workspace, and what it knows of the context's devices.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "base/opencl.hpp"
#include "call/known_device.hpp"
#include "call/result_pool.hpp"
#include "call/workspace_pool.hpp"
#include "program/program.hpp"

namespace clwave::detail {

// Made at the first call in a context, and the only holder of what that call and later ones leave behind. It
// has one reference to the context. A call holds the entry while it runs.
class context_entry {
 public:
  explicit context_entry(cl_context context);
  context_entry(const context_entry&) = delete;
  context_entry& operator=(const context_entry&) = delete;

  cl_context context() const { return context_(); }
  program_cache& programs() { return programs_; }
  workspace_pool& workspaces() { return workspaces_; }
  result_pool& results() { return results_; }
  // Page-locked memory of `n_bytes` or more, by which data goes to a device, or from device to device. What
  // is given back, by a call whose commands have all ended, is kept for later calls, within a bound the last.
  std::unique_ptr<host_memory> take_staging(cl_device_id device, std::size_t n_bytes);
  void give_back_staging(std::unique_ptr<host_memory> memory) noexcept;
  // An in-order queue of the library's own, which a call gives back when its commands there have ended well.
  // To make one for each call takes longer, and Intel's runtime may not get over the end of a queue whose
  // last command has just ended.
  cl::CommandQueue take_queue(cl_device_id device);
  void give_back_queue(cl_device_id device, cl::CommandQueue queue) noexcept;
  // Drops the device memory that no call and no future holds.
  void trim();
  // Stays good as long as the entry.
  known_device& device(cl_device_id device);

  // Whether release() was called for the context. A call that holds the entry ends as it would have; what has
  // not begun need not.
  bool is_released() const { return released_; }
  void mark_released() { released_ = true; }

  // True where the library's own references are all that is left of the context. Some drivers count what is
  // made in a context as references to it, others do not; only where the count is understood is this true.
  // Not while a call runs in the context.
  bool is_last_holder();

 private:
  cl::Context context_;  // first, so that it goes last
  std::atomic<known_device*> first_{
      nullptr};  // of devices_: nearly always the only one, and found without a lock
  std::atomic<bool> released_{false};
  std::mutex mutex_;
  std::vector<std::shared_ptr<known_device>> devices_;
  program_cache programs_;
  workspace_pool workspaces_;
  result_pool results_;
  std::vector<std::unique_ptr<host_memory>> staging_;  // what was given back last comes last
  std::vector<std::pair<cl_device_id, cl::CommandQueue>> queues_;
};

// The context's entry, made where there is none yet. Then entries of contexts that only the library still
// holds are dropped.
std::shared_ptr<context_entry> entry_of(cl_context context);

}  // namespace clwave::detail
