// Reductions of arrays of the host: pieces stream to the devices, whichever is free, and the results of their
// tiles are folded on one.
#include <algorithm>
#include <atomic>
#include <cstring>
#include <exception>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include <clwave/host_array.hpp>

#include "blocks/fold.hpp"
#include "call/execute.hpp"
#include "call/planning.hpp"
#include "parts/chain.hpp"
#include "parts/host_stream.hpp"
#include "parts/piece.hpp"
#include "parts/tile_results.hpp"
#include "primitives/reduce.hpp"

namespace clwave::detail {
namespace {

constexpr std::string_view primitive = "reduce";

// How large pieces are: small ones of a small array, so that all devices have some, and none so large that
// much is copied before the first is folded, or kept page-locked. Nobody has measured these, nor the numbers
// below.
constexpr std::uint64_t least_piece_bytes = std::uint64_t{1} << 20;
constexpr std::uint64_t most_piece_bytes = std::uint64_t{8} << 20;
constexpr std::uint64_t least_pieces = 32;

// How many pieces are under way on a device: one is copied to it, and the others are on their way through the
// host's memory, each by a thread of its own, for one thread copies at a fraction of a bus's speed. Where
// nothing is copied on the host, the one is folded, and the next waits.
constexpr unsigned most_staged = 12;
constexpr unsigned unstaged = 3;

class host_reduction {
 public:
  // Checks all, and builds the programs. Nothing is enqueued.
  explicit host_reduction(const host_call& call);
  void run(void* result);

 private:
  template <class Do>
  auto at_queue(std::size_t k, const Do& what) {
    try {
      return what();
    } catch (const error& trouble) {
      throw of_queue(trouble, k);
    }
  }

  // What went wrong, told with the queue's number and device.
  error of_queue(const error& trouble, std::size_t k) const;
  const element& value() const { return *call_.x->type; }
  std::size_t inputs() const { return call_.y == nullptr ? 1 : 2; }
  std::uint64_t n() const { return call_.x->n; }
  void check_array(const host_elements& array, std::string_view name) const;
  void choose_pieces();
  unsigned at_once(const host_stream& on) const;
  void stream();
  void work(std::size_t k) noexcept;
  std::optional<host_piece> next_piece();
  // Writes elements of an array to memory. What the user's function throws goes on as it is.
  static void fetch(const host_elements& from, const host_piece& piece, void* into);
  template <class MakeCall>
  void reduce_on_first(workspace& memory, std::uint64_t place, std::span<const std::byte> bytes,
                       const MakeCall& make_call, void* result);
  void fold_results(void* result);
  void find_place(void* result);

  const host_call& call_;
  std::vector<std::unique_ptr<host_stream>> streams_;
  std::uint64_t piece_n_ = 0, pieces_ = 0;
  std::size_t used_ = 0;  // how many of the streams have a piece
  std::atomic<std::uint64_t> next_{0};
  std::vector<std::byte> results_;   // of all tiles
  std::optional<workspace> memory_;  // for them, on the first device
  std::uint64_t results_at_ = 0;     // where in it, in bytes
  std::optional<upper_types> upper_types_;
  std::atomic<bool> failed_{false};
  std::mutex mutex_;
  std::exception_ptr trouble_;  // the first
};

host_reduction::host_reduction(const host_call& call) : call_(call) {
  if (call.queues.empty()) refuse(primitive, "there are no queues", "give one at least");
  check_array(*call.x, "the array");
  if (call.y != nullptr) {
    check_array(*call.y, "the second array");
    if (call.x->n != call.y->n) refuse(primitive, "the two arrays differ in length");
  }
  streams_.resize(call.queues.size());
  for (std::size_t k = 0; k < streams_.size(); ++k)
    at_queue(k, [&] { streams_[k] = std::make_unique<host_stream>(call_, call_.queues[k]); });
  reduce_question question{.in = value(),
                           .accumulator = call_.accumulator,
                           .n = n(),
                           .fold = call_.fold,
                           .apply = call_.apply,
                           .sizes = call_.sizes};
  if (inputs() == 2) question.in2 = question.in;
  check_reduce(question);
  if (n() == 0) return;
  choose_pieces();
  for (std::size_t k = 0; k < used_; ++k) at_queue(k, [&] { streams_[k]->open(piece_n_); });
  // Now, so that no array is read whose results have no place.
  at_queue(0, [&] {
    const std::uint64_t tiles = blocks_of(n(), call_.sizes.tile);
    results_.resize(static_cast<std::size_t>(tiles * call_.folded->size));
    layout_of_arrays layout;
    results_at_ = layout.add(tiles, call_.folded->size);
    memory_.emplace(streams_[0]->site(), static_cast<std::size_t>(layout.own_bytes()));
  });
}

error host_reduction::of_queue(const error& trouble, std::size_t k) const {
  const error named = with_device(trouble, streams_[k] != nullptr ? streams_[k]->site() : call_site());
  const std::string_view all = named.what();
  return {named.kind(),
          "queue " + std::to_string(k + 1) + " of " + std::to_string(call_.queues.size()) + ": " +
              std::string(all.substr(0, all.find('\n'))),
          named.code(), named.details()};
}

void host_reduction::check_array(const host_elements& array, std::string_view name) const {
  if (array.n > 0 && array.memory == nullptr && !array.read)
    refuse(primitive, std::string(name) + " is null");
}

void host_reduction::choose_pieces() {
  const std::uint64_t tile = call_.sizes.tile;
  const std::uint64_t tile_bytes = tile * value().size * inputs();
  const std::uint64_t all = blocks_of(n(), tile);
  std::uint64_t tiles = call_.streaming.piece / tile;
  if (tiles == 0)
    tiles = std::clamp(all / least_pieces, blocks_of(least_piece_bytes, tile_bytes),
                       blocks_of(most_piece_bytes, tile_bytes));
  tiles = std::min(tiles, all);
  pieces_ = blocks_of(all, tiles);
  piece_n_ = tiles * tile;
  used_ = static_cast<std::size_t>(std::min<std::uint64_t>(streams_.size(), pieces_));
}

unsigned host_reduction::at_once(const host_stream& on) const {
  unsigned wanted = call_.streaming.at_once;
  if (wanted == 0) {
    const auto threads = static_cast<unsigned>(std::thread::hardware_concurrency() / used_);
    wanted = on.is_staged() ? std::clamp(threads, unstaged, most_staged) : unstaged;
  }
  return static_cast<unsigned>(std::min<std::uint64_t>(wanted, blocks_of(pieces_, used_)));
}

std::optional<host_piece> host_reduction::next_piece() {
  if (failed_) return std::nullopt;
  const std::uint64_t number = next_.fetch_add(1);
  if (number >= pieces_) return std::nullopt;
  const std::uint64_t first = number * piece_n_;
  return host_piece{first, std::min(piece_n_, n() - first)};
}

void host_reduction::fetch(const host_elements& from, const host_piece& piece, void* into) {
  const auto count = static_cast<std::size_t>(piece.n);
  if (from.memory == nullptr)
    from.read(piece.first, count, into);
  else
    std::memcpy(into, static_cast<const unsigned char*>(from.memory) + piece.first * from.type->size,
                count * from.type->size);
}

// One thread of queue k: takes pieces until there are no more, or something went wrong.
void host_reduction::work(std::size_t k) noexcept try {
  host_stream& on = *streams_[k];
  std::optional<host_stream::slot> slot;
  while (const auto piece = next_piece()) {
    if (!slot) at_queue(k, [&] { slot.emplace(on); });
    if (on.is_staged(0)) fetch(*call_.x, *piece, slot->staged(0));
    if (inputs() == 2 && on.is_staged(1)) fetch(*call_.y, *piece, slot->staged(1));
    std::byte* const results = results_.data() + piece->first / call_.sizes.tile * call_.folded->size;
    at_queue(k, [&] { slot->fold(*piece, results); });
  }
  if (slot) slot->give_back();
} catch (...) {
  failed_ = true;
  const std::lock_guard lock(mutex_);
  if (!trouble_) trouble_ = std::current_exception();
}

// The caller's thread is one of the first queue's.
void host_reduction::stream() {
  std::vector<std::thread> threads;
  try {
    unsigned most = 0;
    for (std::size_t k = 0; k < used_; ++k) most = std::max(most, at_once(*streams_[k]));
    threads.reserve(used_ * most);
    for (unsigned number = 0; number < most; ++number)
      for (std::size_t k = 0; k < used_; ++k)
        if (number < at_once(*streams_[k]) && (number != 0 || k != 0))
          threads.emplace_back([this, k] { work(k); });
  } catch (const std::exception&) {
    // No further thread, or no memory for one: those that there are do all of it.
  }
  work(0);
  for (std::thread& each : threads) each.join();
  if (trouble_) std::rethrow_exception(trouble_);
}

// Writes elements of the host to workspace, and reduces them there. The call is made of the operand that they
// become.
template <class MakeCall>
void host_reduction::reduce_on_first(workspace& memory, std::uint64_t place, std::span<const std::byte> bytes,
                                     const MakeCall& make_call, void* result) {
  const call_site& site = streams_[0]->site();
  chain commands(site);
  // Not behind what an out-of-order queue holds: nothing there is waited for.
  commands.starts_also_after(memory.cleared());
  commands.write(bytes.data(), memory.buffer(), place, bytes.size(), "write what is to be folded");
  wait_list after;
  after.add(commands.last());
  reduce_to_host(site.queue, make_call(), result, {.after = after});
  commands.finish();
  memory.not_in_use();
}

// The levels above the first are a reduction of the tiles' results.
void host_reduction::fold_results(void* result) {
  const folded_types types{&value(), call_.accumulator, call_.folded, call_.fold, call_.apply};
  const std::uint64_t tiles = results_.size() / call_.folded->size;
  reduce_on_first(
      *memory_, results_at_, results_,
      [&] {
        return call_on_results(types, call_.sizes,
                               array_at(memory_->buffer(), results_at_, tiles, *call_.folded), upper_types_);
      },
      result);
}

// The result's index is that of a tile: it becomes that of the first such element in the tile.
void host_reduction::find_place(void* result) {
  // Every indexed value is an element of at most 8 bytes, and behind it the index.
  unsigned char* const index_at = static_cast<unsigned char*>(result) + 8;
  std::uint64_t tile = 0;
  std::memcpy(&tile, index_at, sizeof tile);
  const std::uint64_t first = tile * call_.sizes.tile;
  if (tile >= blocks_of(n(), call_.sizes.tile))
    throw error(failure::device_lost, "a device gave the index of a tile that there is not");
  const host_piece piece{first, std::min<std::uint64_t>(call_.sizes.tile, n() - first)};
  std::vector<std::byte> elements(static_cast<std::size_t>(piece.n) * value().size);
  fetch(*call_.x, piece, elements.data());
  at_queue(0, [&] {
    layout_of_arrays layout;
    const std::uint64_t at = layout.add(piece.n, value().size);
    workspace memory(streams_[0]->site(), static_cast<std::size_t>(layout.own_bytes()));
    reduce_on_first(
        memory, at, elements,
        [&] {
          const operand x = array_at(memory.buffer(), at, piece.n, value());
          return streams_[0]->call_on(x, x);
        },
        result);
  });
  std::uint64_t place = 0;
  std::memcpy(&place, index_at, sizeof place);
  place += first;
  std::memcpy(index_at, &place, sizeof place);
}

void host_reduction::run(void* result) {
  if (n() == 0) {
    at_queue(0, [&] {
      const operand none{nullptr, 0, 0, &value()};
      reduce_to_host(streams_[0]->site().queue, streams_[0]->call_on(none, none), result);
    });
    return;
  }
  stream();
  at_queue(0, [&] { fold_results(result); });
  if (is_indexed(*call_.fold)) find_place(result);
  for (std::size_t k = 0; k < used_; ++k) streams_[k]->give_back();
}

}  // namespace

void reduce_host_array(const host_call& call, void* result) { host_reduction(call).run(result); }

}  // namespace clwave::detail
