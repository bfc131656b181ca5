// The workspace blocks that a context's calls gave back.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include <clwave/event.hpp>

#include "base/opencl.hpp"

namespace clwave::detail {

// A queue of the library's own.
cl::CommandQueue make_queue(cl_context context, cl_device_id device);

// Enqueues the clearing of some bytes, after `after`. Returns its event.
event clear(cl_command_queue queue, cl_mem buffer, std::size_t first, std::size_t n_bytes,
            std::span<const cl_event> after = {});

// Page-locked memory of the host: a buffer that stays mapped. It is mapped and unmapped on a queue of its
// own, since some drivers (PoCL) hold the queue as long as it is mapped, and never free a buffer that still
// is.
class host_memory {
 public:
  // What a block of workspace has.
  static constexpr std::size_t n_bytes = 128;

  host_memory(cl_context context, cl_device_id device, std::size_t size = n_bytes);
  ~host_memory();
  host_memory(const host_memory&) = delete;
  host_memory& operator=(const host_memory&) = delete;

  void* get() const { return address_; }
  // In bytes.
  std::size_t size() const { return size_; }

 private:
  std::size_t size_;
  cl::CommandQueue queue_;
  cl::Buffer buffer_;
  void* address_ = nullptr;
};

// Device memory, and memory of the host where a call wanted some.
class workspace_block {
 public:
  // What a command enqueued now may do with the block.
  enum class state {
    free,     // nothing uses it
    in_use,   // a command still uses or clears it, or may: only the order of its queue keeps others apart
    spoiled,  // a command did not end well, and nobody knows what it left
  };

  // Calls that leave anything, and calls that leave messages between their groups.
  enum class kept_for { any, messages };

  workspace_block(cl_context context, cl_device_id device, std::size_t n_bytes,
                  kept_for what = kept_for::any);
  workspace_block(const workspace_block&) = delete;
  workspace_block& operator=(const workspace_block&) = delete;

  // Asks the driver for the block's events only, and lets go of those whose commands ended well.
  state look();
  // Whether a command of this queue comes after all that uses the block, by the queue's order. The handle is
  // compared only: where it stands for a new queue, OpenCL ended the old one after all of its commands.
  bool comes_after(cl_command_queue queue, bool in_order) const {
    return in_order && in_order_ && queue_ == queue;
  }
  // Whether look() can find out that the block is free.
  bool can_tell() const { return !in_use_ || last_.get() != nullptr; }

  // Clears the first bytes. The clearing's event is the block's until it has ended well.
  void clear(cl_command_queue queue, std::size_t n_bytes);
  const event& cleared() const { return cleared_; }
  // The number of the call that leaves messages in the block; and on to the next, a number that no message
  // there has. Clears the block on `queue` once all numbers have been used.
  std::uint32_t call() const { return call_; }
  void next_call(cl_command_queue queue);
  // The last number used; tests come to the end of all numbers by it.
  void set_call(std::uint32_t number) { call_ = number; }
  void* host();
  void used_until(cl_command_queue queue, bool in_order, const event& last);
  void not_in_use() {
    last_ = {};
    in_use_ = false;
  }

  cl_mem buffer() const { return buffer_(); }
  std::size_t n_bytes() const { return n_bytes_; }
  kept_for what() const { return what_; }
  cl_device_id device() const { return device_; }
  // Lives as long as the block.
  cl_context context() const { return context_; }

 private:
  cl_context context_;
  cl_device_id device_;
  std::size_t n_bytes_;
  kept_for what_;
  std::uint32_t call_ = 0;  // the last one's number
  cl::Buffer buffer_;
  std::unique_ptr<host_memory> host_;
  event cleared_;
  cl_command_queue queue_ = nullptr;  // the last user, not retained
  bool in_order_ = true;
  bool in_use_ = false;  // until last_; where that is empty, until what queue_ held then has ended
  event last_;
};

class workspace_pool {
 public:
  workspace_pool() = default;
  ~workspace_pool();

  // Takes a block of at least `n_bytes` that a command enqueued now to this queue may use: one whose commands
  // have all ended well, or that an in-order queue used last itself. Null where there is none.
  std::unique_ptr<workspace_block> take(cl_command_queue queue, cl_device_id device, bool in_order,
                                        std::size_t n_bytes,
                                        workspace_block::kept_for what = workspace_block::kept_for::any);
  // Keeps a block for later calls, and drops the least recently used ones beyond the bounds, of which one is
  // `most_bytes`.
  void give_back(std::unique_ptr<workspace_block> block, std::size_t most_bytes) noexcept;

  // Whether a command that made an event still uses a block.
  bool in_use();
  void clear();

 private:
  std::mutex mutex_;
  std::vector<std::unique_ptr<workspace_block>> blocks_;  // the most recently used last
  std::size_t bytes_ = 0;                                 // of all of them
};

}  // namespace clwave::detail
