// Workspace blocks and the pool of those that wait for a call.
#include "call/workspace_pool.hpp"

#include <algorithm>
#include <iterator>
#include <optional>
#include <string>
#include <utility>

namespace clwave::detail {
namespace {

// Beyond this, to look for a free block takes longer than to make one.
constexpr std::size_t most_blocks = 256;

// An event's status, or where the driver does not tell, its error code, which is negative as well.
cl_int status_of(const event& of) {
  cl_int status = CL_COMPLETE;
  const cl_int code =
      clGetEventInfo(of.get(), CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, nullptr);
  return code == CL_SUCCESS ? status : code;
}

}  // namespace

cl::CommandQueue make_queue(cl_context context, cl_device_id device) {
  cl_int code = CL_SUCCESS;
  // Not through cl::Device: CLHPP asks each for its platform, and uses what a driver that failed to say so
  // left.
  cl::CommandQueue queue(clCreateCommandQueue(context, device, 0, &code));
  check(code, "make a queue of the library's own");
  return queue;
}

event clear(cl_command_queue queue, cl_mem buffer, std::size_t first, std::size_t n_bytes,
            std::span<const cl_event> after) {
  // By the queue itself: a blocking write would wait for all that is in it, and memory that comes with its
  // contents (CL_MEM_COPY_HOST_PTR) NVIDIA leaves on the host's side of the bus.
  const cl_uint zero = 0;
  cl_event cleared = nullptr;
  check(clEnqueueFillBuffer(queue, buffer, &zero, sizeof zero, first, n_bytes,
                            static_cast<cl_uint>(after.size()), after.empty() ? nullptr : after.data(),
                            &cleared),
        "clear the workspace");
  return event(cleared);
}

host_memory::host_memory(cl_context context, cl_device_id device, std::size_t size)
    : size_(size), queue_(make_queue(context, device)) {
  cl_int code = CL_SUCCESS;
  buffer_ =
      cl::Buffer(clCreateBuffer(context, CL_MEM_READ_WRITE | CL_MEM_ALLOC_HOST_PTR, size, nullptr, &code));
  check(code, "allocate host memory");
  address_ = clEnqueueMapBuffer(queue_(), buffer_(), CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, 0, size, 0, nullptr,
                                nullptr, &code);
  check(code, "map host memory");
}

host_memory::~host_memory() {
  if (clEnqueueUnmapMemObject(queue_(), buffer_(), address_, 0, nullptr, nullptr) == CL_SUCCESS)
    clFinish(queue_());
}

workspace_block::workspace_block(cl_context context, cl_device_id device, std::size_t n_bytes, kept_for what)
    : context_(context), device_(device), n_bytes_(n_bytes), what_(what) {
  cl_int code = CL_SUCCESS;
  buffer_ = cl::Buffer(clCreateBuffer(context, CL_MEM_READ_WRITE, n_bytes, nullptr, &code));
  check(code, "allocate " + std::to_string(n_bytes) + " bytes of workspace");
}

workspace_block::state workspace_block::look() {
  bool clearing = cleared_.get() != nullptr;
  if (clearing) {
    const cl_int status = status_of(cleared_);
    if (status < 0) return state::spoiled;
    if (status == CL_COMPLETE) {
      cleared_ = {};
      clearing = false;
    }
  }
  if (last_.get() != nullptr) {
    const cl_int status = status_of(last_);
    if (status < 0) return state::spoiled;
    if (status == CL_COMPLETE) not_in_use();
  }
  return in_use_ || clearing ? state::in_use : state::free;
}

void workspace_block::clear(cl_command_queue queue, std::size_t n_bytes) {
  cleared_ = detail::clear(queue, buffer_(), 0, n_bytes);
}

void workspace_block::next_call(cl_command_queue queue) {
  if (++call_ != 0) return;
  clear(queue, n_bytes_);
  ++call_;
}

void* workspace_block::host() {
  if (host_ == nullptr) host_ = std::make_unique<host_memory>(context_, device_);
  return host_->get();
}

void workspace_block::used_until(cl_command_queue queue, bool in_order, const event& last) {
  queue_ = queue;
  in_order_ = in_order;
  last_ = last;
  in_use_ = true;
}

workspace_pool::~workspace_pool() = default;

std::unique_ptr<workspace_block> workspace_pool::take(cl_command_queue queue, cl_device_id device,
                                                      bool in_order, std::size_t n_bytes,
                                                      workspace_block::kept_for what) {
  std::vector<std::unique_ptr<workspace_block>> dropped;  // freed after the lock
  const std::lock_guard lock(mutex_);
  const auto take_out = [this](std::size_t at) {
    auto block = std::move(blocks_[at]);
    blocks_.erase(blocks_.begin() + static_cast<std::ptrdiff_t>(at));
    bytes_ -= block->n_bytes();
    return block;
  };
  std::optional<std::size_t> smallest;                // of the free ones that fit
  for (std::size_t at = blocks_.size(); at-- > 0;) {  // the most recently used first
    workspace_block& block = *blocks_[at];
    if (block.device() != device || block.what() != what) continue;
    const bool follows = block.comes_after(queue, in_order);
    if (!follows && (block.n_bytes() < n_bytes || !block.can_tell())) continue;
    const auto state = block.look();
    if (state != workspace_block::state::spoiled) {
      if (follows && block.n_bytes() >= n_bytes) return take_out(at);
      if (!follows) {
        if (state == workspace_block::state::free &&
            (!smallest || block.n_bytes() < blocks_[*smallest]->n_bytes()))
          smallest = at;
        continue;
      }
      // The queue's calls have outgrown this one, and a larger one takes its place.
    }
    dropped.push_back(take_out(at));
    if (smallest) --*smallest;
  }
  return smallest ? take_out(*smallest) : nullptr;
}

void workspace_pool::give_back(std::unique_ptr<workspace_block> block, std::size_t most_bytes) noexcept try {
  std::vector<std::unique_ptr<workspace_block>> dropped;  // freed after the lock
  const std::lock_guard lock(mutex_);
  bytes_ += block->n_bytes();
  blocks_.push_back(std::move(block));
  if (bytes_ <= most_bytes && blocks_.size() <= most_blocks) return;
  std::size_t n_dropped = 0;
  while (bytes_ > most_bytes || blocks_.size() - n_dropped > most_blocks)
    bytes_ -= blocks_[n_dropped++]->n_bytes();
  const auto end = blocks_.begin() + static_cast<std::ptrdiff_t>(n_dropped);
  std::move(blocks_.begin(), end, std::back_inserter(dropped));
  blocks_.erase(blocks_.begin(), end);
} catch (...) {  // no memory to keep it in the pool: it is freed instead
}

bool workspace_pool::in_use() {
  const std::lock_guard lock(mutex_);
  return std::ranges::any_of(blocks_, [](const auto& block) {
    return block->look() == workspace_block::state::in_use && block->can_tell();
  });
}

void workspace_pool::clear() {
  std::vector<std::unique_ptr<workspace_block>> dropped;  // freed after the lock
  const std::lock_guard lock(mutex_);
  dropped.swap(blocks_);
  bytes_ = 0;
}

}  // namespace clwave::detail
