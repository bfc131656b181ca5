// Reductions of arrays of the host: pieces stream to the devices, whichever is free, which fold their tiles;
// the results of all tiles are folded on one.
#include <algorithm>
#include <array>
#include <cstring>
#include <mutex>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include <clwave/host_array.hpp>

#include "blocks/fold.hpp"
#include "call/execute.hpp"
#include "call/planning.hpp"
#include "distributed/chain.hpp"
#include "distributed/host_pieces.hpp"
#include "distributed/shard.hpp"
#include "distributed/tile_results.hpp"
#include "primitives/reduce.hpp"

namespace clwave::detail {
namespace {

class host_reduction {
 public:
  // Checks all, and builds the programs. Nothing is enqueued.
  explicit host_reduction(const host_reduce_problem& call);
  void run(void* result);

 private:
  // Where a piece's results are: in the device's memory, and in page-locked memory.
  struct places {
    std::uint64_t results = 0, staged = 0;
  };

  template <class Do>
  auto at_queue(std::size_t k, const Do& what) {
    return pieces_.at_queue(k, what);
  }

  const element& value() const { return arrays_.value(); }
  std::uint64_t n() const { return arrays_.n(); }
  // A reduction on one device of elements in its memory, or of none.
  reduce_problem call_on(const any_view& x, const any_view& y) const;
  // A reduction of the results of all tiles, in that memory on the first device. Refers to this.
  reduce_problem upper_call(cl_mem memory);
  reduce_problem problem_of(std::size_t k, const host_piece& piece) const;
  void fold_piece(std::size_t k, host_stream::slot& with, const host_piece& piece);
  void reduce_on_first(workspace& memory, std::uint64_t place, std::span<const std::byte> bytes,
                       const reduce_problem& call, void* result);
  void fold_results(void* result);
  void find_place(void* result);

  const host_reduce_problem& call_;
  const streamed_arrays arrays_;
  host_pieces pieces_;
  std::vector<places> places_;       // on each queue
  std::vector<std::byte> results_;   // of all tiles
  std::optional<workspace> memory_;  // for them, on the first device
  std::uint64_t results_at_ = 0;     // where in it, in bytes
  std::optional<upper_types> upper_types_;
};

host_reduction::host_reduction(const host_reduce_problem& call)
    : call_(call),
      arrays_{reduce_variant::primitive, call.x, call.y, call.streaming},
      pieces_(arrays_, call.queues, [this](const call_site& site) {
        const any_view none{nullptr, 0, 0, &value()};
        static_cast<void>(detail::problem_of(site, call_on(none, none)));
      }) {
  reduce_problem problem{.in = {value(), n()},
                         .accumulator = call_.accumulator,
                         .fold = call_.fold,
                         .apply = call_.apply,
                         .sizes = call_.sizes};
  if (arrays_.inputs() == 2) problem.in2 = problem.in;
  check_reduce(problem);
  if (n() == 0) return;
  const std::uint64_t tile = call_.sizes.tile;
  places_.resize(call.queues.size());
  pieces_.cut(tile, tile * value().size * arrays_.inputs(), [&](std::size_t k) {
    host_stream& on = pieces_.stream(k);
    const std::uint64_t tiles = blocks_of(pieces_.first().n, tile);
    places_[k] = {on.add(tiles, *call_.folded), on.add_staged(tiles * call_.folded->size)};
    static_cast<void>(fit(on.site(), problem_of(k, pieces_.first())));
  });
  // Now, so that no array is read whose results have no place, or no program to fold them.
  at_queue(0, [&] {
    const std::uint64_t tiles = blocks_of(n(), tile);
    results_.resize(static_cast<std::size_t>(tiles * call_.folded->size));
    layout_of_arrays layout;
    results_at_ = layout.add(tiles, call_.folded->size);
    static_cast<void>(fit(pieces_.stream(0).site(), problem_of_own(upper_call(nullptr))));
    if (is_indexed(*call_.fold)) {
      const any_view one_tile = array_at(nullptr, 0, std::min(tile, n()), value());
      static_cast<void>(fit(pieces_.stream(0).site(), problem_of_own(call_on(one_tile, one_tile))));
    }
    memory_.emplace(pieces_.stream(0).site(), static_cast<std::size_t>(layout.own_bytes()));
  });
}

reduce_problem host_reduction::call_on(const any_view& x, const any_view& y) const {
  reduce_problem all{.in = x,
                     .accumulator = call_.accumulator,
                     .fold = call_.fold,
                     .apply = call_.apply,
                     .sizes = call_.sizes,
                     .nothing = call_.nothing};
  if (arrays_.inputs() == 2) all.in2 = y;
  return all;
}

reduce_problem host_reduction::upper_call(cl_mem memory) {
  const std::uint64_t tiles = results_.size() / call_.folded->size;
  return call_on_results({&value(), call_.accumulator, call_.folded, call_.fold, call_.apply}, call_.sizes,
                         array_at(memory, results_at_, tiles, *call_.folded), upper_types_);
}

reduce_problem host_reduction::problem_of(std::size_t k, const host_piece& piece) const {
  const host_stream& on = pieces_.stream(k);
  reduce_problem problem{.in = on.elements(0),
                         .accumulator = call_.accumulator,
                         .fold = call_.fold,
                         .apply = call_.apply,
                         .sizes = call_.sizes};
  if (arrays_.inputs() == 2) problem.in2 = on.elements(1);
  problem.in.n = piece.n;
  problem.out = any_view(*call_.folded, 0, places_[k].results / call_.folded->size);
  problem.piece_at = piece.first;
  return problem;
}

// Folds the tiles of a piece, and keeps their results.
void host_reduction::fold_piece(std::size_t k, host_stream::slot& with, const host_piece& piece) {
  host_stream& on = pieces_.stream(k);
  const std::uint64_t first_tile = piece.first / call_.sizes.tile;
  const std::uint64_t n_bytes = blocks_of(piece.n, call_.sizes.tile) * call_.folded->size;
  unsigned char* const staged = with.staged(places_[k].staged);
  const auto ready = fit(on.site(), problem_of(k, piece));
  // Whichever fails, both have ended before the memory goes.
  chain copying(on.copying_site()), folding(on.site());
  {
    const std::lock_guard lock(on.enqueueing());
    with.send(piece, copying);
    folding.starts_also_after(copying.last());
    const std::array<cl_mem, 3> buffers{with.buffer(), with.buffer(), with.buffer()};
    folding.goes_on_with(enqueue(on.site(), ready,
                                 std::span<const cl_mem>(buffers).first(arrays_.inputs() + 1),
                                 folding.next_after(), true));
    folding.read(with.buffer(), places_[k].results, n_bytes, staged, "read the results of a piece");
    folding.flush();
  }
  copying.finish();
  folding.finish();
  std::memcpy(results_.data() + first_tile * call_.folded->size, staged, static_cast<std::size_t>(n_bytes));
}

// Writes elements of the host to workspace, and reduces them there.
void host_reduction::reduce_on_first(workspace& memory, std::uint64_t place, std::span<const std::byte> bytes,
                                     const reduce_problem& call, void* result) {
  const call_site& site = pieces_.stream(0).site();
  chain commands(site);
  commands.starts_also_after(memory.cleared().get());
  commands.write(bytes.data(), memory.buffer(), place, bytes.size(), "write what is to be folded");
  wait_list after;
  after.add(commands.last());
  reduce(site.queue, call, result, {.after = after});
  commands.finish();
  memory.not_in_use();
}

// The levels above the first are a reduction of the tiles' results.
void host_reduction::fold_results(void* result) {
  reduce_on_first(*memory_, results_at_, results_, upper_call(memory_->buffer()), result);
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
  const std::uint64_t count = std::min<std::uint64_t>(call_.sizes.tile, n() - first);
  std::vector<std::byte> elements(static_cast<std::size_t>(count) * value().size);
  fetch(*call_.x, first, count, elements.data());
  at_queue(0, [&] {
    layout_of_arrays layout;
    const std::uint64_t at = layout.add(count, value().size);
    workspace memory(pieces_.stream(0).site(), static_cast<std::size_t>(layout.own_bytes()));
    const any_view x = array_at(memory.buffer(), at, count, value());
    reduce_on_first(memory, at, elements, call_on(x, x), result);
  });
  std::uint64_t place = 0;
  std::memcpy(&place, index_at, sizeof place);
  place += first;
  std::memcpy(index_at, &place, sizeof place);
}

void host_reduction::run(void* result) {
  if (n() == 0) {
    at_queue(0, [&] {
      const any_view none{nullptr, 0, 0, &value()};
      reduce(pieces_.stream(0).site().queue, call_on(none, none), result);
    });
    return;
  }
  pieces_.run([this](std::size_t k, host_stream::slot& with, const host_piece& piece) {
    at_queue(k, [&] { fold_piece(k, with, piece); });
  });
  at_queue(0, [&] { fold_results(result); });
  if (is_indexed(*call_.fold)) find_place(result);
  pieces_.give_back();
}

}  // namespace

void reduce_host_array(const host_reduce_problem& call, void* result) { host_reduction(call).run(result); }

}  // namespace clwave::detail
