// Memory for results that come later, and the queues that read it.
#include "call/result_pool.hpp"

#include <algorithm>

namespace clwave::detail {

std::unique_ptr<workspace_block> result_pool::take(const call_site& site) {
  auto block = blocks_.take(site.queue, site.device, site.in_order, n_bytes);
  return block != nullptr ? std::move(block)
                          : std::make_unique<workspace_block>(site.context, site.device, n_bytes);
}

result_pool::shared_queue result_pool::queue_for(const workspace_block& block) {
  const std::lock_guard lock(mutex_);
  const auto found =
      std::ranges::find_if(queues_, [&](const auto& each) { return each.first == block.device(); });
  if (found != queues_.end()) return found->second;
  auto fresh = std::make_shared<cl::CommandQueue>(make_queue(block.context(), block.device()));
  return queues_.emplace_back(block.device(), std::move(fresh)).second;
}

void result_pool::read(const workspace_block& from, void* to, std::size_t n) {
  const shared_queue queue = queue_for(from);
  check(clEnqueueReadBuffer((*queue)(), from.buffer(), CL_TRUE, 0, n, to, 0, nullptr, nullptr),
        "read a result that has come", doing::outcome);
}

void result_pool::clear() {
  blocks_.clear();
  std::vector<std::pair<cl_device_id, shared_queue>> dropped;  // end after the lock
  const std::lock_guard lock(mutex_);
  dropped.swap(queues_);
}

}  // namespace clwave::detail
