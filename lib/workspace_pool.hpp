// The workspace blocks that a context's calls gave back.
#pragma once

#include <cstddef>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include <clwave/event.hpp>

#include "opencl.hpp"

namespace clwave {

// Device memory, and page-locked memory of the host where a call wanted some.
class workspace_block {
 public:
  // What a command enqueued now may do with the block.
  enum class state {
    free,     // nothing uses it
    in_use,   // a command still uses or clears it, or may: only the order of its queue keeps others apart
    spoiled,  // a command did not end well, and nobody knows what it left
  };

  workspace_block(cl_context context, cl_device_id device, std::size_t n_bytes);
  ~workspace_block();
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
  void* host(cl_command_queue queue);
  void used_until(cl_command_queue queue, bool in_order, const event& last);
  void not_in_use() {
    last_ = {};
    in_use_ = false;
  }

  cl_mem buffer() const { return buffer_(); }
  std::size_t n_bytes() const { return n_bytes_; }
  cl_device_id device() const { return device_; }
  std::size_t n_buffers() const { return host_ != nullptr ? 2 : 1; }

 private:
  cl_context context_;
  cl_device_id device_;
  std::size_t n_bytes_;
  cl::Buffer buffer_, host_buffer_;
  void* host_ = nullptr;
  event cleared_;
  cl_command_queue queue_ = nullptr;  // the last user, not retained
  bool in_order_ = true;
  bool in_use_ = false;  // until last_; where that is empty, until what queue_ held then has ended
  event last_;
};

class workspace_pool {
 public:
  explicit workspace_pool(cl_context context) : context_(context) {}
  ~workspace_pool();

  // Takes a block of at least `n_bytes` that a command enqueued now to this queue may use: one whose commands
  // have all ended well, or that an in-order queue used last itself. Null where there is none.
  std::unique_ptr<workspace_block> take(cl_command_queue queue, cl_device_id device, bool in_order,
                                        std::size_t n_bytes);
  // Keeps a block for later calls, and drops the least recently used ones beyond the bounds.
  void give_back(std::unique_ptr<workspace_block> block) noexcept;

  // Lets go of the events of commands that have ended. How many buffers the pool has then; nothing where some
  // of its commands still run.
  std::optional<std::size_t> settle();
  void clear();

 private:
  cl_context context_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<workspace_block>> blocks_;  // the most recently used last
  std::size_t bytes_ = 0;                                 // of all of them
};

}  // namespace clwave
