// Workspace: device memory a call needs while it runs, taken from its context's pool, or given by the caller.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

#include <clwave/event.hpp>
#include <clwave/options.hpp>

#include "call/call.hpp"
#include "call/description.hpp"
#include "call/operands.hpp"
#include "call/planning.hpp"
#include "call/workspace_pool.hpp"

namespace clwave::detail {

// What the caller gave for a call to work in, and what that may not overlap. Refers to both; none was given
// where there is no view, or an empty one.
struct given_workspace {
  std::string_view primitive = {};
  const workspace_view* memory = nullptr;
  const checked_operands* operands = nullptr;
};

// How many bytes of workspace are kept for later calls on a device (cache.hpp).
std::size_t most_kept_workspace(const call_site& site);

// Memory held by one call while it enqueues. What it begins with:
//   bytes 0 to 127    a result on its way to the host
//   bytes 128 to 255  counters; 0 before a call and after it
//   bytes 256 on      the call's own. In a block for messages: messages of earlier calls, or 0
class workspace {
 public:
  static constexpr std::size_t counter_at = 128;
  static constexpr std::size_t own_at = 256;
  // What lies behind one another there begins at a multiple of this, as the largest types must.
  static constexpr std::size_t part_alignment = 128;
  static constexpr std::size_t counters = (own_at - counter_at) / sizeof(cl_uint);
  // A block's size is a multiple of this.
  static constexpr std::size_t granule = 4096;

  // What blocks are kept for: messages could be read out of what other calls leave, so they have blocks of
  // their own.
  using kept_for = workspace_block::kept_for;

  // A block with at least `own_bytes` behind own_at. It may still be in use by earlier commands of the
  // same in-order queue, which the queue's order keeps apart; never by another queue's. Does not block.
  workspace(const call_site& site, std::size_t own_bytes, kept_for what = kept_for::any);
  // For a call: what the caller gave, of which what the call needs to be 0 is cleared after `after`; or a
  // block. Throws bad_call where what was given will not do. Does not block.
  workspace(const call_site& site, const described_work& call, std::span<const cl_event> after,
            const given_workspace& given);

  // Gives the block back. Without a word of its use it is dropped: an error may have left its counters wrong.
  ~workspace();
  workspace(const workspace&) = delete;
  workspace& operator=(const workspace&) = delete;

  cl_mem buffer() const { return block_ != nullptr ? block_->buffer() : given_(); }
  // For messages: a number that none in the memory had when the call took it.
  std::uint32_t call() const { return block_ != nullptr ? block_->call() : 1; }
  void set_call(std::uint32_t number) { block_->set_call(number); }
  // What every command that uses the memory must be told to wait for, on an in-order queue too: where the
  // clearing of a new block fails, a command that waits for it does not run. Empty once the clearing is known
  // to have ended well.
  const event& cleared() const { return block_ != nullptr ? block_->cleared() : cleared_; }
  // Host memory of 128 bytes to read a result into. That of a block is page-locked, which is faster.
  void* host() { return block_ != nullptr ? block_->host() : pageable_.data(); }
  bool is_host_page_locked() const { return block_ != nullptr; }
  // The block is in use until `last`. An empty event: until the end of what its in-order queue holds by now.
  void used_until(const event& last);
  // The block is free: all commands that used it have ended well.
  void not_in_use();

 private:
  void take(std::size_t own_bytes, kept_for what);

  std::unique_ptr<workspace_block> block_;  // null where the caller gave memory
  bool returned_ = false;
  cl::Buffer given_;
  event cleared_;
  alignas(16) std::array<unsigned char, host_memory::n_bytes> pageable_;
  const call_site& site_;
};

// The parts of a call's own workspace, one behind the other.
class workspace_parts {
 public:
  explicit workspace_parts(std::string_view primitive) : room_{primitive, "the workspace"} {}

  // Where the next part begins, in bytes of the workspace: that of `count` elements of `each` bytes. Throws
  // bad_call where there are too many.
  std::uint64_t take(std::uint64_t count, std::uint64_t each);
  std::uint64_t bytes() const { return end_ - workspace::own_at; }

 private:
  counting room_;
  std::uint64_t end_ = workspace::own_at;
};

}  // namespace clwave::detail
