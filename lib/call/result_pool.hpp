// The device memory of a context that results which come later are written to, and how it is read.
#pragma once

#include <cstddef>
#include <limits>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "base/opencl.hpp"
#include "call/call.hpp"
#include "call/workspace_pool.hpp"

namespace clwave::detail {

class result_pool {
 public:
  // The largest result.
  static constexpr std::size_t n_bytes = 128;

  // Memory that a command enqueued now may write to. What it holds is anything. Does not block.
  std::unique_ptr<workspace_block> take(const call_site& site);
  // As many as the pool has blocks.
  void give_back(std::unique_ptr<workspace_block> block) noexcept {
    blocks_.give_back(std::move(block), std::numeric_limits<std::size_t>::max());
  }

  // Reads the first bytes, which no command writes any more, by a queue of the library's own: the caller's
  // might hold much that was enqueued since. Blocks.
  void read(const workspace_block& from, void* to, std::size_t n);

  bool in_use() { return blocks_.in_use(); }
  void clear();

 private:
  // Shared, and not a reference more of the driver's, which it may refuse.
  using shared_queue = std::shared_ptr<cl::CommandQueue>;
  shared_queue queue_for(const workspace_block& block);

  workspace_pool blocks_;
  std::mutex mutex_;
  std::vector<std::pair<cl_device_id, shared_queue>> queues_;
};

}  // namespace clwave::detail
