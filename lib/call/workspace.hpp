// Workspace: device memory a call needs while it runs, taken from its context's pool.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include <clwave/event.hpp>

#include "call/call.hpp"
#include "call/workspace_pool.hpp"

namespace clwave {

// A block, held by one call while it enqueues. What it begins with:
//   bytes 0 to 127    a result on its way to the host
//   bytes 128 to 255  counters; 0 before a call and after it
//   bytes 256 on      the call's own. In a block for messages: messages of earlier calls, or 0
class workspace {
 public:
  static constexpr std::size_t counter_at = 128;
  static constexpr std::size_t own_at = 256;
  static constexpr std::size_t counters = (own_at - counter_at) / sizeof(cl_uint);
  // A block's size is a multiple of this.
  static constexpr std::size_t granule = 4096;

  // What blocks are kept for: messages could be read out of what other calls leave, so they have blocks of
  // their own.
  using kept_for = workspace_block::kept_for;

  // A block with at least `own_bytes` behind own_at. It may still be in use by earlier commands of the
  // same in-order queue, which the queue's order keeps apart; never by another queue's. Does not block.
  workspace(const call_site& site, std::size_t own_bytes, kept_for what = kept_for::any);

  // Gives the block back. Without a word of its use it is dropped: an error may have left its counters wrong.
  ~workspace();
  workspace(const workspace&) = delete;
  workspace& operator=(const workspace&) = delete;

  cl_mem buffer() const { return block_->buffer(); }
  // Of a block for messages: a number that no message in it had when the call took it.
  std::uint32_t call() const { return block_->call(); }
  void set_call(std::uint32_t number) { block_->set_call(number); }
  // What every command that uses the block must be told to wait for, on an in-order queue too: where the
  // clearing of a new block fails, a command that waits for it does not run. Empty once the clearing is known
  // to have ended well.
  const event& cleared() const { return block_->cleared(); }
  // Page-locked host memory of 128 bytes to read a result into: faster than pageable memory.
  void* host() { return block_->host(); }
  // The block is in use until `last`. An empty event: until the end of what its in-order queue holds by now.
  void used_until(const event& last);
  // The block is free: all commands that used it have ended well.
  void not_in_use();

 private:
  std::unique_ptr<workspace_block> block_;
  bool returned_ = false;
  const call_site& site_;
};

}  // namespace clwave
