// What a future holds: its value, or what the device is to write it to.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <span>

#include <clwave/event.hpp>
#include <clwave/future.hpp>

#include "call/call.hpp"
#include "call/result_pool.hpp"

namespace clwave::detail {

class future_state {
 public:
  // Takes memory for a result of `n_bytes`.
  future_state(const call_site& site, std::size_t n_bytes);
  ~future_state();
  future_state(const future_state&) = delete;
  future_state& operator=(const future_state&) = delete;

  // Where the device is to write the result.
  cl_mem buffer() const { return block_->buffer(); }
  // The result is there when `last` ends. Without a word of this, a command may have been enqueued that
  // nobody knows of, and the memory is dropped.
  void comes_with(const call_site& site, event last);
  // The result is known, and no command is to write it.
  void is(std::span<const unsigned char> value);

  void get(void* value);
  bool done() const;
  const event& last() const { return last_; }

 private:
  void give_back();

  std::shared_ptr<context_entry> kept_;
  std::unique_ptr<workspace_block> block_;  // null once the value is known
  std::size_t n_bytes_;
  bool enqueued_ = false;
  event last_;
  alignas(16) std::array<unsigned char, result_pool::n_bytes> value_;
};

}  // namespace clwave::detail
