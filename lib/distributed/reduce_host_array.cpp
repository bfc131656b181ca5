// Reductions of arrays of the host: pieces stream to the devices, whichever is free, which fold their tiles;
// the results of all tiles are folded on one.
#include <algorithm>
#include <cstring>
#include <mutex>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include <clwave/host_array.hpp>

#include "call/planning.hpp"
#include "distributed/chain.hpp"
#include "distributed/fold_steps.hpp"
#include "distributed/host_pieces.hpp"
#include "distributed/shard.hpp"
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
  // The results of all tiles, in that memory on the first device.
  any_view results_of_tiles(cl_mem memory) const {
    return array_at(memory, results_at_, results_.size() / steps_.result().size, steps_.result());
  }
  ready_call<reduce_variant> fit_piece(std::size_t k, const host_piece& piece) const;
  void fold_piece(std::size_t k, host_stream::slot& with, const host_piece& piece);
  void reduce_on_first(workspace& memory, std::uint64_t place, std::span<const std::byte> bytes,
                       const reduce_problem& call, void* result);
  void find_place(void* result);

  const host_reduce_problem& call_;
  const streamed_arrays arrays_;
  const fold_steps steps_;
  host_pieces pieces_;
  std::vector<places> places_;       // on each queue
  std::vector<std::byte> results_;   // of all tiles
  std::optional<workspace> memory_;  // for them, on the first device
  std::uint64_t results_at_ = 0;     // where in it, in bytes
};

host_reduction::host_reduction(const host_reduce_problem& call)
    : call_(call),
      arrays_{reduce_variant::primitive, call.x, call.y, call.streaming},
      steps_(call, arrays_.value(), arrays_.inputs()),
      pieces_(arrays_, call.queues, [this](const call_site& site) {
        const any_view none{nullptr, 0, 0, &value()};
        static_cast<void>(problem_of(site, steps_.on_elements(none, none)));
      }) {
  steps_.check(n());
  if (n() == 0) return;
  const std::uint64_t tile = steps_.tile();
  places_.resize(call.queues.size());
  pieces_.cut(tile, tile * value().size * arrays_.inputs(), [&](std::size_t k) {
    host_stream& on = pieces_.stream(k);
    const std::uint64_t tiles = blocks_of(pieces_.first().n, tile);
    places_[k] = {on.add(tiles, steps_.result()), on.add_staged(tiles * steps_.result().size)};
    static_cast<void>(fit_piece(k, pieces_.first()));
  });
  // Now, so that no array is read whose results have no place, or no program to fold them.
  at_queue(0, [&] {
    const std::uint64_t tiles = blocks_of(n(), tile);
    results_.resize(static_cast<std::size_t>(tiles * steps_.result().size));
    layout_of_arrays layout;
    results_at_ = layout.add(tiles, steps_.result().size);
    steps_.prepare_upper(pieces_.stream(0).site(), results_of_tiles(nullptr));
    if (steps_.is_indexed()) steps_.prepare_search(pieces_.stream(0).site(), std::min(tile, n()));
    memory_.emplace(pieces_.stream(0).site(), static_cast<std::size_t>(layout.own_bytes()));
  });
}

ready_call<reduce_variant> host_reduction::fit_piece(std::size_t k, const host_piece& piece) const {
  const host_stream& on = pieces_.stream(k);
  reduce_problem problem = steps_.on_elements(on.elements(0), on.elements(arrays_.inputs() - 1));
  problem.in.n = piece.n;
  return steps_.fit_tiles(on.site(), problem, piece.first / steps_.tile(), places_[k].results);
}

// Folds the tiles of a piece, and keeps their results.
void host_reduction::fold_piece(std::size_t k, host_stream::slot& with, const host_piece& piece) {
  const std::uint64_t first_tile = piece.first / steps_.tile();
  const std::uint64_t n_bytes = blocks_of(piece.n, steps_.tile()) * steps_.result().size;
  unsigned char* const staged = with.staged(places_[k].staged);
  const auto ready = fit_piece(k, piece);
  with.work_on(piece, [&](chain& folding) {
    const cl_mem memory = with.buffer();
    folding.run(ready, {memory, arrays_.inputs() == 2 ? memory : nullptr, memory});
    folding.read(memory, places_[k].results, n_bytes, staged, "read the results of a piece");
  });
  std::memcpy(results_.data() + first_tile * steps_.result().size, staged, static_cast<std::size_t>(n_bytes));
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

// The result's index is that of a tile: it becomes that of the first such element in the tile.
void host_reduction::find_place(void* result) {
  steps_.find_place(result, [&](std::uint64_t tile, std::uint64_t first) {
    if (tile >= blocks_of(n(), steps_.tile())) steps_.refuse_index();
    const std::uint64_t count = std::min<std::uint64_t>(steps_.tile(), n() - first);
    std::vector<std::byte> elements(static_cast<std::size_t>(count) * value().size);
    fetch(*call_.x, first, count, elements.data());
    at_queue(0, [&] {
      layout_of_arrays layout;
      const std::uint64_t at = layout.add(count, value().size);
      workspace memory(pieces_.stream(0).site(), static_cast<std::size_t>(layout.own_bytes()));
      const any_view x = array_at(memory.buffer(), at, count, value());
      reduce_on_first(memory, at, elements, steps_.on_elements(x, x), result);
    });
  });
}

void host_reduction::run(void* result) {
  if (n() == 0) {
    at_queue(0, [&] {
      const any_view none{nullptr, 0, 0, &value()};
      reduce(pieces_.stream(0).site().queue, steps_.on_elements(none, none), result);
    });
    return;
  }
  pieces_.run([this](std::size_t k, host_stream::slot& with, const host_piece& piece) {
    at_queue(k, [&] { fold_piece(k, with, piece); });
  });
  at_queue(0, [&] {
    reduce_on_first(*memory_, results_at_, results_, steps_.on_results(results_of_tiles(memory_->buffer())),
                    result);
  });
  if (steps_.is_indexed()) find_place(result);
  pieces_.give_back();
}

}  // namespace

void reduce_host_array(const host_reduce_problem& call, void* result) { host_reduction(call).run(result); }

}  // namespace clwave::detail
