// The pool of workspace blocks.
#include "workspace.hpp"

#include <algorithm>
#include <bit>
#include <mutex>
#include <vector>

#include "opencl.hpp"

namespace clwave {

struct workspace::block {
  cl::Context context;
  cl_device_id device = nullptr;
  std::size_t bytes = 0;
  cl::Buffer buffer;
  cl::Buffer host_buffer;
  void* host = nullptr;
  // The last user. Kept alive, so that the handle cannot become another queue's.
  cl::CommandQueue queue;
  bool in_order = true;
  event last;
  bool in_use = false;  // until `last`; while that is empty, until all that `queue` holds has ended

  // True once nothing uses it. A user that made no event is asked for one now, for the next time.
  bool is_free() {
    if (!in_use) return true;
    if (last.get() == nullptr) {
      cl_event end = nullptr;
      check(clEnqueueMarkerWithWaitList(queue(), 0, nullptr, &end), "enqueue a marker");
      last = event(end);
      check(clFlush(queue()), "flush a queue");
    }
    in_use = !last.done();
    return !in_use;
  }
};

struct workspace_pool {
  std::mutex mutex;
  std::vector<std::unique_ptr<workspace::block>> idle;  // the most recently used last
};

namespace {

// Never destroyed: at process exit the driver may be gone before us.
workspace_pool& pool() {
  static workspace_pool& instance = *new workspace_pool;
  return instance;
}

// Idle blocks that a context keeps for later calls. Blocks in use do not count: nobody waits for one.
constexpr std::size_t most_idle = 32;

}  // namespace

workspace::workspace(const call_site& site, std::size_t own_bytes) : site_(site) {
  const std::size_t bytes = std::max<std::size_t>(std::bit_ceil(own_at + own_bytes), 4096);
  std::vector<std::unique_ptr<block>> dropped;  // freed outside the lock
  {
    const std::lock_guard lock(pool().mutex);
    auto& idle = pool().idle;
    std::size_t kept = 0;
    for (std::size_t at = idle.size(); at-- > 0;) {  // the most recently used first
      block& b = *idle[at];
      if (b.context() != site.context || b.device != site.device) continue;
      const bool ordered = b.queue() == site.queue && b.in_order;
      if (b.bytes >= bytes && (ordered || b.is_free())) {
        block_ = std::move(idle[at]);
        idle.erase(idle.begin() + static_cast<std::ptrdiff_t>(at));
        break;
      }
      if (++kept > most_idle && b.is_free()) {
        dropped.push_back(std::move(idle[at]));
        idle.erase(idle.begin() + static_cast<std::ptrdiff_t>(at));
      }
    }
  }
  if (block_ != nullptr) return;

  auto fresh = std::make_unique<block>();
  fresh->context = retained<cl::Context>(site.context);
  fresh->device = site.device;
  fresh->bytes = bytes;
  cl_int code = CL_SUCCESS;
  fresh->buffer = cl::Buffer(clCreateBuffer(site.context, CL_MEM_READ_WRITE, bytes, nullptr, &code));
  check(code, "allocate " + std::to_string(bytes) + " bytes of workspace");
  // The counters are cleared by the queue itself: a blocking write would wait for all that is in it, and
  // memory that comes with its contents (CL_MEM_COPY_HOST_PTR) NVIDIA leaves on the host's side of the bus.
  const cl_uint zero = 0;
  cl_event cleared = nullptr;
  check(clEnqueueFillBuffer(site.queue, fresh->buffer(), &zero, sizeof zero, 0, own_at, 0, nullptr, &cleared),
        "clear the workspace");
  cleared_ = event(cleared);
  block_ = std::move(fresh);
}

workspace::~workspace() {
  if (!returned_ || block_ == nullptr) return;
  try {
    const std::lock_guard lock(pool().mutex);
    pool().idle.push_back(std::move(block_));
  } catch (...) {  // no memory to keep it in the pool: it is freed instead
  }
}

cl_mem workspace::buffer() const { return block_->buffer(); }

void* workspace::host() {
  if (block_->host != nullptr) return block_->host;
  cl_int code = CL_SUCCESS;
  block_->host_buffer = cl::Buffer(
      clCreateBuffer(site_.context, CL_MEM_READ_WRITE | CL_MEM_ALLOC_HOST_PTR, 128, nullptr, &code));
  check(code, "allocate host memory");
  // Not a blocking one: PoCL's waits for all that an out-of-order queue holds.
  cl_event mapped = nullptr;
  void* const host = clEnqueueMapBuffer(site_.queue, block_->host_buffer(), CL_FALSE,
                                        CL_MAP_READ | CL_MAP_WRITE, 0, 128, 0, nullptr, &mapped, &code);
  check(code, "map host memory");
  const event ended(mapped);
  check(clWaitForEvents(1, &mapped), "map host memory", doing::outcome);
  block_->host = host;
  return block_->host;
}

void workspace::used_until(const event& last) {
  try {
    if (block_->queue() != site_.queue) block_->queue = retained<cl::CommandQueue>(site_.queue);
    block_->last = last;
  } catch (const error&) {
    return;  // without its references the block is dropped, not the call: its commands are on their way
  }
  block_->in_order = site_.in_order;
  block_->in_use = true;
  returned_ = true;
}

void workspace::not_in_use() {
  used_until(event());
  block_->in_use = false;
}

void forget_workspaces(cl_context context) {
  std::vector<std::unique_ptr<workspace::block>> dropped;  // freed outside the lock
  const std::lock_guard lock(pool().mutex);
  auto& idle = pool().idle;
  for (auto& b : idle) {
    if (b->context() == context) dropped.push_back(std::move(b));
  }
  std::erase(idle, nullptr);
}

}  // namespace clwave
