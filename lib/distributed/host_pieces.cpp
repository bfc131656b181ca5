// Cuts arrays of the host into pieces, and has threads take them through the queues, whichever is free.
#include "distributed/host_pieces.hpp"

#include <algorithm>
#include <functional>
#include <string>
#include <thread>

#include "call/planning.hpp"

namespace clwave::detail {
namespace {

// How large pieces are: small ones of a small array, so that all devices have some, and none so large that
// much is copied before work on the first begins, or kept page-locked. Nobody has measured these, nor the
// numbers below.
constexpr std::uint64_t least_piece_bytes = std::uint64_t{1} << 20;
constexpr std::uint64_t most_piece_bytes = std::uint64_t{8} << 20;
constexpr std::uint64_t least_pieces = 32;

// How many pieces are in flight on a device: one is copied to it, and the others are on their way through the
// host's memory, each by a thread of its own, because one thread copies at a fraction of a bus's
// speed. Where nothing is copied on the host, one is worked on, and the next waits.
constexpr unsigned most_staged = 12;
constexpr unsigned unstaged = 3;
// No more where pieces are large, with all that lies on the device for each: 12 of elements and results.
constexpr std::uint64_t most_bytes_at_once = most_staged * 2 * most_piece_bytes;

}  // namespace

bool overlap(const void* a, std::uint64_t a_bytes, const void* b, std::uint64_t b_bytes) {
  if (a_bytes == 0 || b_bytes == 0) return false;
  const auto* const first = static_cast<const unsigned char*>(a);
  const auto* const second = static_cast<const unsigned char*>(b);
  const std::less<> before;
  return before(first, second + b_bytes) && before(second, first + a_bytes);
}

host_pieces::host_pieces(const streamed_arrays& arrays, std::span<const cl_command_queue> queues,
                         const std::function<void(const call_site& site)>& check)
    : arrays_(arrays) {
  if (queues.empty()) refuse(arrays.primitive, "there are no queues", "give one at least");
  check_array(*arrays.x, "the array");
  if (arrays.y != nullptr) {
    check_array(*arrays.y, "the second array");
    if (arrays.x->n != arrays.y->n) refuse(arrays.primitive, "the two arrays differ in length");
  }
  streams_.resize(queues.size());
  for (std::size_t k = 0; k < streams_.size(); ++k)
    at_queue(k, [&] {
      streams_[k] = std::make_unique<host_stream>(arrays_, queues[k]);
      check(streams_[k]->site());
    });
}

error host_pieces::of_queue(const error& trouble, std::size_t k) const {
  const error named = with_device(trouble, streams_[k] != nullptr ? streams_[k]->site() : call_site());
  const std::string_view all = named.what();
  return {named.kind(),
          "queue " + std::to_string(k + 1) + " of " + std::to_string(streams_.size()) + ": " +
              std::string(all.substr(0, all.find('\n'))),
          named.code(), named.details()};
}

void host_pieces::check_array(const host_elements& array, std::string_view name) const {
  if (array.n > 0 && array.memory == nullptr && !array.read)
    refuse(arrays_.primitive, std::string(name) + " is null");
}

void host_pieces::cut(std::uint64_t unit, std::uint64_t unit_bytes,
                      const std::function<void(std::size_t k)>& open) {
  const std::uint64_t all = blocks_of(arrays_.n(), unit);
  std::uint64_t units = arrays_.sizes.piece / unit;
  if (units == 0)
    units = std::clamp(all / least_pieces, blocks_of(least_piece_bytes, unit_bytes),
                       blocks_of(most_piece_bytes, unit_bytes));
  units = std::min(units, all);
  pieces_ = blocks_of(all, units);
  piece_n_ = units * unit;
  used_ = static_cast<std::size_t>(std::min<std::uint64_t>(streams_.size(), pieces_));
  for (std::size_t k = 0; k < used_; ++k)
    at_queue(k, [&] {
      streams_[k]->open(first().n);
      open(k);
    });
}

unsigned host_pieces::at_once(const host_stream& on) const {
  std::uint64_t wanted = arrays_.sizes.at_once;
  if (wanted == 0) {
    const std::uint64_t threads = std::thread::hardware_concurrency() / used_;
    const std::uint64_t room = most_bytes_at_once / on.slot_bytes();
    wanted =
        on.is_staged() ? std::clamp<std::uint64_t>(std::min(threads, room), unstaged, most_staged) : unstaged;
  }
  return static_cast<unsigned>(std::min(wanted, blocks_of(pieces_, used_)));
}

host_piece host_pieces::piece(std::uint64_t number) const {
  const std::uint64_t first = number * piece_n_;
  return {number, first, std::min(piece_n_, arrays_.n() - first)};
}

std::optional<host_piece> host_pieces::next_piece() {
  if (failed_) return std::nullopt;
  const std::uint64_t number = next_.fetch_add(1);
  if (number >= pieces_) return std::nullopt;
  return piece(number);
}

bool host_pieces::wait_for_turn(const host_piece& piece) {
  std::unique_lock lock(mutex_);
  turned_.wait(lock, [&] { return failed_ || turn_ == piece.number; });
  return !failed_;
}

void host_pieces::pass_turn() {
  const std::lock_guard lock(mutex_);
  ++turn_;
  turned_.notify_all();
}

// One thread of queue k: takes pieces until there are no more, or something went wrong.
void host_pieces::work(std::size_t k, const piece_work& each, const slot_work& last) noexcept try {
  std::optional<host_stream::slot> slot;
  while (const auto next = next_piece()) {
    if (!slot) at_queue(k, [&] { slot.emplace(*streams_[k]); });
    slot->fetch(*next);
    each(k, *slot, *next);
  }
  if (!slot || failed_) return;
  if (last) last(k, *slot);
  slot->give_back();
} catch (...) {
  const std::lock_guard lock(mutex_);
  failed_ = true;
  if (!trouble_) trouble_ = std::current_exception();
  turned_.notify_all();
}

// The caller's thread is one of the first queue's.
void host_pieces::run(const piece_work& each, const slot_work& last) {
  std::vector<std::thread> threads;
  try {
    unsigned most = 0;
    for (std::size_t k = 0; k < used_; ++k) most = std::max(most, at_once(*streams_[k]));
    threads.reserve(used_ * most);
    for (unsigned number = 0; number < most; ++number)
      for (std::size_t k = 0; k < used_; ++k)
        if (number < at_once(*streams_[k]) && (number != 0 || k != 0))
          threads.emplace_back([&, k] { work(k, each, last); });
  } catch (const std::exception&) {
    // No further thread, or no memory for one: those that there are do all of it.
  }
  work(0, each, last);
  for (std::thread& thread : threads) thread.join();
  if (trouble_) std::rethrow_exception(trouble_);
}

void host_pieces::give_back() {
  for (std::size_t k = 0; k < used_; ++k) streams_[k]->give_back();
}

}  // namespace clwave::detail
