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
  // The last user: the event keeps its queue alive, so the handle cannot be another queue's.
  cl_command_queue queue = nullptr;
  bool in_order = true;
  event last;
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

// Blocks that a context keeps beyond this wait for their commands instead of becoming more.
constexpr std::size_t most_blocks = 32;

}  // namespace

workspace::workspace(const call_site& site, std::size_t own_bytes) : site_(site) {
  const std::size_t bytes = std::max<std::size_t>(std::bit_ceil(own_at + own_bytes), 4096);
  event to_wait_for;
  {
    const std::lock_guard lock(pool().mutex);
    auto& idle = pool().idle;
    std::size_t kept = 0;
    for (auto at = idle.rbegin(); at != idle.rend(); ++at) {
      block& b = **at;
      if (b.context() != site.context || b.device != site.device) continue;
      ++kept;
      if (b.bytes < bytes) continue;
      const bool ordered = b.queue == site.queue && b.in_order;
      if (ordered || b.last.done()) {
        block_ = std::move(*at);
        idle.erase(std::next(at).base());
        break;
      }
    }
    if (block_ == nullptr && kept >= most_blocks) {
      // All are in use: take the one used longest ago, whatever its size, and wait for it below.
      const auto oldest = std::find_if(idle.begin(), idle.end(), [&](const auto& b) {
        return b->context() == site.context && b->device == site.device;
      });
      to_wait_for = (*oldest)->last;
      if ((*oldest)->bytes >= bytes) block_ = std::move(*oldest);
      idle.erase(oldest);
    }
  }
  to_wait_for.wait();
  if (block_ != nullptr) return;

  auto fresh = std::make_unique<block>();
  fresh->context = cl::Context(site.context, true);
  fresh->device = site.device;
  fresh->bytes = bytes;
  cl_int code = CL_SUCCESS;
  fresh->buffer = cl::Buffer(clCreateBuffer(site.context, CL_MEM_READ_WRITE, bytes, nullptr, &code));
  check(code, "allocate " + std::to_string(bytes) + " bytes of workspace");
  fresh->host_buffer =
      cl::Buffer(clCreateBuffer(site.context, CL_MEM_READ_WRITE | CL_MEM_ALLOC_HOST_PTR, 128, nullptr, &code));
  check(code, "allocate host memory");
  fresh->host = clEnqueueMapBuffer(site.queue, fresh->host_buffer(), CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, 0, 128, 0,
                                   nullptr, nullptr, &code);
  check(code, "map host memory");
  const unsigned char zeros[own_at] = {};
  check(clEnqueueWriteBuffer(site.queue, fresh->buffer(), CL_TRUE, 0, sizeof zeros, zeros, 0, nullptr, nullptr),
        "clear the workspace");
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

void* workspace::host() const { return block_->host; }

void workspace::used_until(const event& last) {
  block_->queue = site_.queue;
  block_->in_order = site_.in_order;
  block_->last = last;
  returned_ = true;
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
