// What the tests of all primitives need of transpose: its calls, its plans, its keys.
#include "harness/given.hpp"
#include "harness/parts.hpp"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <clwave.hpp>

#include "primitives/transpose.hpp"

namespace testing::parts_of_transpose {
namespace {

event_list events() {
  event_list all;
  const std::pair<const char*, clwave::matrices> transposes[] = {
      {"transpose", {.rows = 60, .columns = 50}}, {"transpose of one row", {.rows = 1, .columns = 3000}}};
  for (const auto& [name, size] : transposes) {
    all.add(name, {{3000, in}, {3000, out}}, [size = size](auto& q, auto& b, bool empty, auto& options) {
      return clwave::transpose(q, view<u32>{b[0], 3000}, view<u32>{b[1], 3000},
                               empty ? clwave::matrices{} : size, given(options));
    });
  }
  all.add("transpose_in_place", {{3600, both}}, [](auto& q, auto& b, bool empty, auto& options) {
    return clwave::transpose_in_place(
        q, view<u32>{b[0], 3600}, empty ? clwave::matrices{} : clwave::matrices{.rows = 60, .columns = 60},
        given(options));
  });
  return all;
}

void plan_one_transpose(planner& p, const clwave::plan_target& on) {
  const element& type = p.any_element();
  const bool in_place = p.random.below(4) == 0;
  clwave::matrices size{.rows = p.size(), .columns = p.size(), .batch = p.coin() ? 1 : p.size()};
  if (in_place && p.random.below(10) != 0) size.columns = size.rows;
  const auto pitches_for = [&](u64 width) {
    clwave::pitches steps;
    if (p.random.below(3) == 0) steps.row = p.coin() ? width + p.random.below(9) : p.size();
    if (p.random.below(4) == 0) steps.slice = p.size();
    return steps;
  };
  const clwave::pitches in = pitches_for(size.columns), out = pitches_for(size.rows);
  const u64 in_offset = p.offset(), out_offset = p.offset();
  const wide n = size.rows == 0 || size.columns == 0 || size.batch == 0 ? 0 : 1;
  const auto bytes_of = [&](u64 rows, u64 columns, const clwave::pitches& steps, u64 offset) -> wide {
    if (n == 0) return 0;
    const wide row = steps.row != 0 ? steps.row : columns;
    const wide matrix = steps.slice != 0 ? wide{steps.slice} : size.batch > 1 ? times(row, rows) : 0;
    return times(times(rows - 1, row) + columns + times(size.batch - 1, matrix) + offset, type.size);
  };
  std::vector<wide> bytes{bytes_of(size.rows, size.columns, in, in_offset)};
  if (!in_place) bytes.push_back(bytes_of(size.columns, size.rows, out, out_offset));
  p.plan(
      "transpose of " + std::to_string(size.batch) + " times " + std::to_string(size.rows) + " by " +
          std::to_string(size.columns) + " " + type.name,
      on, bytes,
      [&] {
        const any_view from(type, 0, in_offset), to(type, 0, out_offset);
        if (in_place) return plan(clwave::transpose_in_place_problem{from, size, in}, on);
        return plan(clwave::transpose_problem{from, to, size, in, out}, on);
      },
      [&](const call_plan& plan) -> std::string {
        if (n == 0 || (in_place && size.rows == 1)) return count_kernels(plan, 0);
        if (plan.kernels.empty()) return "no kernels";
        const planned_kernel& kernel = plan.kernels[0];
        if (!kernel.name.starts_with("transpose")) return {};  // a copy
        wide tiles = 0, first = 0;
        for (const planned_kernel& each : plan.kernels) {
          if (argument(each, "first") != tiles) return "a launch that begins elsewhere";
          tiles += argument(each, in_place ? "pairs" : "tiles");
        }
        if (in_place)
          return compare(kernel, {{"n", size.rows}, {"square_offset", wide{in_offset} * type.size}});
        const wide expected = blocks_of(size.rows, word(plan, "TILE_ROWS")) *
                              blocks_of(size.columns, word(plan, "TILE_COLUMNS")) * size.batch;
        if (tiles != expected) return "other tiles than there are";
        return compare(kernel, {{"first", first},
                                {"rows", size.rows},
                                {"columns", size.columns},
                                {"in_offset", wide{in_offset} * type.size},
                                {"out_offset", wide{out_offset} * type.size}});
      });
}

template <class T>
void compare_transpose(call_comparer& r) {
  const auto side = [&]() -> std::size_t {
    return r.random.below(3) == 0 ? r.random.below(3) : r.random.below(700);
  };
  const bool in_place = r.random.below(4) == 0;
  clwave::matrices size{.rows = side(), .columns = side(), .batch = r.coin() ? 1 : r.random.below(5)};
  if (in_place) size.columns = size.rows;
  clwave::pitches in, out;
  if (r.random.below(3) == 0) in.row = size.columns + r.random.below(4);
  if (r.random.below(3) == 0) out.row = size.rows + r.random.below(4);
  if (r.random.below(3) == 0) in.slice = std::max(in.row, size.columns) * size.rows + r.random.below(4);
  const std::size_t in_offset = r.offset(), out_offset = r.offset();
  constexpr std::size_t n = buffer_bytes / sizeof(T) - 100;
  r.compare_call(
      "transpose of " + std::to_string(size.batch) + " times " + std::to_string(size.rows) + " by " +
          std::to_string(size.columns) + " with pitches " + std::to_string(in.row) + ", " +
          std::to_string(in.slice) + " and " + std::to_string(out.row),
      [&] {
        const any_view from(element_of<T>(), 0, in_offset), to(element_of<T>(), 0, out_offset);
        if (in_place) return plan(clwave::transpose_in_place_problem{from, size, in}, r.target());
        return plan(clwave::transpose_problem{from, to, size, in, out}, r.target());
      },
      [&] {
        if (in_place)
          clwave::transpose_in_place(r.queue(), r.in<T>(2, n, in_offset), size,
                                     {.row = in.row, .slice = in.slice});
        else
          clwave::transpose(r.queue(), r.in<T>(0, n, in_offset), r.in<T>(2, n, out_offset), size,
                            {.in = in, .out = out});
      });
}

// Rows of one matrix each are a copy.
void compare_rows_of_a_batch(call_comparer& r) {
  const clwave::matrices size{.rows = 1, .columns = 1000, .batch = 5};
  const clwave::pitches wide{.row = 1000, .slice = 1024};
  r.compare_call(
      "rows",
      [&] {
        return plan(clwave::transpose_problem{element_of<float>(), element_of<float>(), size, wide, {}},
                    r.target());
      },
      [&] { clwave::transpose(r.queue(), r.in<float>(0, 5200), r.in<float>(2, 5000), size, {.in = wide}); });
}

keyed random_transpose(dice& d) {
  using namespace clwave;
  using namespace clwave::detail;
  return keyed_by(transpose_variant{.element_bytes = 4u * one_or_two(d),
                                    .group_size = one_or_two(d),
                                    .unit_bytes = one_or_two(d),
                                    .packet_bytes = d.flip() ? 0u : 16u,
                                    .block_rows = one_or_two(d),
                                    .tile_rows = 16 * one_or_two(d),
                                    .tile_columns = 16 * one_or_two(d),
                                    .in_place = d.flip(),
                                    .streaming = d.flip()});
}

std::vector<float> transposed(const fixture& on, const view<float>& in) {
  const std::size_t columns = in.size() / 100;
  const guarded_buffer<float> out(on, 100 * columns);
  clwave::transpose(on.queue, in.subview(0, 100 * columns), out.view(), {.rows = 100, .columns = columns})
      .wait();
  return out.read_guarded();
}

const registered_parts listed("transpose", {{.events = events,
                                             .plans = {{"transpose", plan_one_transpose}},
                                             .compared = {{10, compare_transpose<float>},
                                                          {3, compare_transpose<std::uint8_t>},
                                                          {1, compare_rows_of_a_batch}},
                                             .keys = {{"transpose", random_transpose}},
                                             .results = {{"transpose", transposed}}}});

}  // namespace
}  // namespace testing::parts_of_transpose
