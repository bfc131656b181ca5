// Workspace: device memory a call needs while it runs, pooled and reused.
#pragma once

#include <cstddef>
#include <memory>

#include <clwave/event.hpp>

#include "call.hpp"

namespace clwave {

// A block of the pool, held by one call while it enqueues. What it begins with:
//   bytes 0 to 127    a result on its way to the host
//   bytes 128 to 255  counters; 0 before a call and after it
//   bytes 256 on      the call's own
class workspace {
 public:
  static constexpr std::size_t counter_at = 128;
  static constexpr std::size_t own_at = 256;
  static constexpr std::size_t counters = (own_at - counter_at) / sizeof(cl_uint);

  struct block;  // what the pool keeps

  // A block with at least `own_bytes` behind own_at. It may still be in use by earlier commands of the
  // same in-order queue, which the queue's order keeps apart; never by another queue's. Does not block.
  workspace(const call_site& site, std::size_t own_bytes);

  // Gives the block back. Without a word of its use it is dropped: an error may have left its counters wrong.
  ~workspace();
  workspace(const workspace&) = delete;
  workspace& operator=(const workspace&) = delete;

  cl_mem buffer() const;
  // What must have happened before the block is used; empty for a block that was in use before. An in-order
  // queue sees to it by itself.
  const event& cleared() const { return cleared_; }
  // Page-locked host memory of 128 bytes to read a result into: faster than pageable memory. The first use of
  // a block waits for its queue.
  void* host();
  // The block is in use until `last`. An empty event: until the end of what its in-order queue holds by now.
  void used_until(const event& last);
  // The block is free.
  void not_in_use();

 private:
  std::unique_ptr<block> block_;
  event cleared_;
  bool returned_ = false;
  const call_site& site_;
};

// Frees the idle blocks kept for a context.
void forget_workspaces(cl_context context);

}  // namespace clwave
