// Futures: values that the device is still to write, and how they are fetched.
#include "call/future.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include <clwave/error.hpp>

#include "base/forked.hpp"
#include "call/context_entry.hpp"

namespace clwave::detail {

future_state::future_state(const call_site& site, std::size_t n_bytes)
    : kept_(site.kept), block_(kept_->results().take(site)), n_bytes_(n_bytes) {
  if (n_bytes > value_.size()) throw error(failure::internal, "a result of more than 128 bytes");
}

future_state::~future_state() {
  if (block_ != nullptr && enqueued_) give_back();
}

void future_state::give_back() {
  kept_->results().give_back(std::move(block_));
  kept_.reset();
}

void future_state::comes_with(const call_site& site, event last) {
  last_ = std::move(last);
  block_->used_until(site.queue, site.in_order, last_);
  enqueued_ = true;
}

void future_state::is(std::span<const unsigned char> value) {
  std::ranges::copy(value, value_.begin());
  give_back();
}

void future_state::get(void* value) {
  if (block_ != nullptr) {
    refuse_forked_child("future");  // nobody would end the wait
    wait_for(last_.get(), doing::outcome);
    kept_->results().read(*block_, value_.data(), n_bytes_);
    block_->not_in_use();
    give_back();
    last_ = {};
  }
  std::memcpy(value, value_.data(), n_bytes_);
}

bool future_state::done() const {
  if (block_ != nullptr) refuse_forked_child("future");
  return last_.done();
}

namespace {

template <class State>
State& valid(State* state) {
  if (state == nullptr)
    throw error(failure::bad_call, "this future belongs to no call", CL_SUCCESS,
                {.advice = "it was default-constructed or moved from: see valid()"});
  return *state;
}

}  // namespace

void drop_future(future_state* state) noexcept {
  // What it holds is the parent's.
  if (!is_forked_child()) delete state;
}

void get_future(future_state* state, void* value) { valid(state).get(value); }

bool is_future_done(const future_state* state) { return valid(state).done(); }

event event_of_future(const future_state* state) { return valid(state).last(); }

}  // namespace clwave::detail
