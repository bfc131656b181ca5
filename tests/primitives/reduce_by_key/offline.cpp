// reduce_by_key: runs of a lane, of a set of lanes, of tiles over several groups, and the levels above them.
#include <cstddef>
#include <cstdint>
#include <vector>

#include <clwave/reduce_by_key.hpp>

#include "harness/own_site.hpp"
#include "offline_parts.hpp"
#include "own_types.hpp"
#include "primitives/reduce_by_key.hpp"

namespace races::runs_of_reduce_by_key {
namespace {

// Tiles of 512 values.
constexpr clwave::detail::fold_sizes sizes = {.tile = 512, .accumulators = 64};

// A sum that must be taken in order, so that a column is a contiguous run of values.
const clwave::op in_order{.name = "in_order", .source = "a + b", .identity = "", .commutative = false};

// `order`: AMD's, whose fences races.py leaves out, where groups are to send messages.
void fold_runs(const std::vector<std::size_t>& lengths, const clwave::op& fold = clwave::plus,
               clwave::group_order order = clwave::group_order::two_launches) {
  machine on;
  std::vector<std::uint32_t> keys;
  for (std::size_t r = 0; r < lengths.size(); ++r)
    keys.insert(keys.end(), lengths[r], static_cast<std::uint32_t>(r));
  const std::size_t n = keys.size();
  std::vector<float> in = numbers<float>(n), out(lengths.size());
  std::vector<std::uint32_t> keys_out(lengths.size());
  std::vector<std::uint64_t> total(1);
  const cl::Buffer key = on.buffer(keys), from = on.buffer(in), key_to = on.buffer(keys_out),
                   to = on.buffer(out), count = on.buffer(total);
  testing::own_site site(on.queue(), "reduce_by_key");
  site.on.compute_units = 1;
  site.on.choice.order = order;
  const clwave::element &u32 = clwave::element_of<std::uint32_t>(), &f32 = clwave::element_of<float>();
  const clwave::reduce_by_key_problem problem{.keys = {u32, n},
                                              .values = {f32, n},
                                              .keys_out = {u32, lengths.size()},
                                              .values_out = {f32, lengths.size()},
                                              .fold = &fold,
                                              .sizes = sizes};
  site.run(problem, {key(), from(), key_to(), to(), count()});
  on.queue.enqueueReadBuffer(key_to, CL_TRUE, 0, keys_out.size() * 4, keys_out.data());
  on.queue.enqueueReadBuffer(to, CL_TRUE, 0, out.size() * sizeof(float), out.data());
  on.queue.enqueueReadBuffer(count, CL_TRUE, 0, sizeof(std::uint64_t), total.data());
  bool right = total[0] == lengths.size();
  for (std::size_t r = 0, i = 0; r < lengths.size(); ++r) {
    float sum = 0;
    for (const std::size_t end = i + lengths[r]; i < end; ++i) sum += in[i];
    right &= out[r] == sum && keys_out[r] == r;
  }
  check(right, "sums by key", n);
}

// Of a lane, of a set of lanes, of several tiles, also one after the other.
const std::vector<std::size_t> all_lengths = {3,   17,   1,  1, 300, 90,   600,  5,
                                              512, 2000, 40, 4, 16,  9000, 1500, 1};
constexpr clwave::group_order in_one_pass = clwave::group_order::amd_fence;

// ------------------------------------------------------------------------- programs that are compiled

// Runs of equal 32-bit keys, by an operator of the user's.
clwave::call_plan by_key(const clwave::plan_target& on, const clwave::element& type, const clwave::op& fold) {
  const clwave::element& key = clwave::element_of<std::uint32_t>();
  return clwave::plan(clwave::reduce_by_key_problem{.keys = {key, many_elements},
                                                    .values = {type, many_elements},
                                                    .keys_out = {key, many_elements},
                                                    .values_out = {type, many_elements},
                                                    .fold = &fold},
                      on);
}

const registered listed(
    "reduce_by_key",
    {{.parts =
          {
              {"by-key", [] { fold_runs(all_lengths); }},
              {"by-key-one-pass", [] { fold_runs(all_lengths, clwave::plus, in_one_pass); }},
              {"by-key-backwards", [] { fold_runs(all_lengths, clwave::plus, in_one_pass); }},
              {"by-key-short", [] { fold_runs(std::vector<std::size_t>(700, 2)); }},
              {"by-key-in-order",
               [] {
                 std::vector<std::size_t> lengths(500, 3);
                 lengths.insert(lengths.end(), {20, 300, 9, 600});
                 fold_runs(lengths, in_order);
               }},
          },
      .programs = programs_of_folds<by_key>("reduce_by_key")}});

}  // namespace
}  // namespace races::runs_of_reduce_by_key
