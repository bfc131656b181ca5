// What the tests of all primitives need of sorts by keys: their calls, their plans, their keys.
#include "harness/given.hpp"
#include "harness/parts.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include <clwave.hpp>

#include "families/compared_sorts.hpp"
#include "primitives/key_sort.hpp"

namespace testing::parts_of_key_sort {
namespace {

using clwave::by;
using clwave::sort_key;

// Never destroyed: calls come as the process exits.
const std::array<sort_key, 2>& two_keys() {
  static const auto& keys =
      *new std::array<sort_key, 2>{by<std::uint8_t>({.name = "low", .source = "x & 15"}),
                                   by<float>({.name = "high", .source = "-(float)(x >> 20)"})};
  return keys;
}

event_list events() {
  event_list all;
  // By one core of a CPU, and by all.
  for (const std::size_t most : {9000, 40000}) {
    all.add(
        most == 9000 ? "sort by keys" : "sort of many by keys", {{most, in}, {most, both}},
        [most](auto& q, auto& b, bool empty, auto& options) {
          const std::size_t n = empty ? 0 : most;
          return clwave::sort(q, view<u32>{b[0], n}, view<u32>{b[1], most}, given(two_keys()[0], options));
        });
  }
  all.add("sort_by_key by keys", {{9000, in}, {9000, in}, {9000, both}, {9000, both}},
          [](auto& q, auto& b, bool empty, auto& options) {
            const std::size_t n = empty ? 0 : 9000;
            return clwave::sort_by_key(q, view<u32>{b[0], n}, view<u32>{b[1], n}, view<u32>{b[2], 9000},
                                       view<u32>{b[3], 9000},
                                       given(clwave::key_list{two_keys()[0], two_keys()[1]}, options));
          });
  all.add("argsort by keys", {{9000, in}, {9000, both}}, [](auto& q, auto& b, bool empty, auto& options) {
    const std::size_t n = empty ? 0 : 9000;
    return clwave::argsort(q, view<u32>{b[0], n}, view<u32>{b[1], 9000},
                           given(clwave::key_list{two_keys()[0], two_keys()[1]}, options));
  });
  // Whatever the offsets are, of which most are bad: then nothing is written, or what is in order.
  all.add("segmented_sort by keys", {{9000, in}, {2, in}, {9000, both}},
          [](auto& q, auto& b, bool empty, auto& options) {
            return clwave::segmented_sort(q, view<u32>{b[0], 9000}, view<u32>{b[1], empty ? 1u : 2u},
                                          view<u32>{b[2], 9000},
                                          given(clwave::key_list{two_keys()[0], two_keys()[1]}, options));
          });
  return all;
}

std::vector<count_call> counts() {
  return checked_segmented_sorts(
      " by keys", [](const launch_options& options) { return given(two_keys()[1], options); },
      [](const launch_options& options) {
        return given(clwave::key_list{two_keys()[0], two_keys()[1]}, options);
      });
}

// What random plans are sorted by: one key or two.
std::span<const sort_key> planned_keys(planner& p) {
  static const std::array<sort_key, 2> keys{by<std::uint8_t>({.name = "one", .source = "1"}),
                                            by<float>({.name = "two", .source = "2"})};
  return p.coin() ? std::span(keys).last(1) : std::span(keys);
}

void plan_one_sort(planner& p, const clwave::plan_target& on) {
  const element& type = p.any_element();
  const element& value = p.any_element();
  const u64 n = p.size(), at = p.offset(), out_at = p.offset();
  const std::span<const sort_key> keys = planned_keys(p);
  clwave::sort_problem problem{.keys = {type, n, at}, .by = keys};
  const bool carries = p.coin();
  problem.keys_out = {type, 0, out_at};
  if (carries) problem.values = problem.values_out = value;
  problem.keys_in_place = p.coin();
  p.plan(
      "sort by keys of " + std::to_string(n) + " " + type.name, on,
      {times(wide{n} + at, type.size), times(wide{n} + out_at, type.size),
       carries ? times(n, value.size) : 0},
      [&] { return plan(problem, on); },
      [&](const call_plan& plan) -> std::string {
        if (n == 0) return count_kernels(plan, n);
        const auto count = [&](const std::string& name) {
          return std::ranges::count(plan.kernels, name, &planned_kernel::name);
        };
        if (plan.kernels[0].name != "key_sort_keys" || count("key_sort_keys") != std::ssize(keys))
          return "another number of launches that make keys";
        if (count("key_sort_gather") != (problem.keys_in_place ? 2 : 1)) return "elements are not gathered";
        if (count("key_sort_gather_values") != (carries ? 1 : 0)) return "values are not gathered";
        const wide keys_and_indices = wide{n} * (4 + (n >> 32 != 0 ? 8 : 4));
        const wide aside = problem.keys_in_place ? wide{n} * type.size : wide{0};
        const bool spare = count("sort_move_keys") > 0;
        if (plan.workspace_bytes < keys_and_indices * (spare ? 2 : 1) + aside) return "too small a workspace";
        const planned_kernel& gather = *std::ranges::find(plan.kernels.rbegin(), plan.kernels.rend(),
                                                          "key_sort_gather", &planned_kernel::name);
        return compare(gather, {{"to_at", wide{out_at} * type.size}, {"ordered", 1}});
      });
}

// The largest key has 4 bytes.
void plan_segments(planner& p, const clwave::plan_target& on) {
  const element& type = p.any_element();
  const element& value = p.any_element();
  const u64 n = p.size(), segments = p.size(), at = p.offset(), out_at = p.offset();
  const std::span<const sort_key> keys = planned_keys(p);
  const bool carries = p.coin();
  clwave::sort_problem problem{.keys = {type, n, at},
                               .keys_out = any_view{type, 0, out_at},
                               .by = keys,
                               .offsets = any_view(element_of<u64>(), segments + 1),
                               .bad = p.coin() ? std::optional(any_view(element_of<u64>(), 1)) : std::nullopt,
                               .keys_in_place = p.coin()};
  if (carries) problem.values = problem.values_out = value;
  p.plan(
      "sort of " + std::to_string(segments) + " segments of " + std::to_string(n) + " " + type.name +
          " by keys",
      on,
      {times(wide{n} + at, type.size), times(wide{n} + out_at, type.size), times(wide{segments} + 1, 8),
       carries ? times(n, value.size) : 0},
      [&] { return plan(problem, on); },
      [&](const call_plan& plan) -> std::string {
        if (segments == 0) return count_kernels(plan, segments);
        const auto count = [&](const std::string& name) {
          return std::ranges::count(plan.kernels, name, &planned_kernel::name);
        };
        for (const char* name : {"key_sort_keys", "segmented_sort_check", "segmented_sort_tiles"})
          if (count(name) != std::ssize(keys)) return "not one launch for each key: " + std::string(name);
        std::ptrdiff_t passes = 0;
        for (wide runs = blocks_of(n, word(plan, "SEGMENT_TILE")); runs > 1; runs = blocks_of(runs, 2))
          ++passes;
        if (count("segmented_sort_pass") != passes * std::ssize(keys)) return "another number of passes";
        // Where there are no elements, none lies in another's place.
        const bool moved_aside = problem.keys_in_place && n > 0;
        if (count("key_sort_gather") != (moved_aside ? 2 : 1)) return "elements are not gathered";
        if (count("key_sort_gather_values") != (carries ? 1 : 0)) return "values are not gathered";
        const wide index_bytes = n >> 32 != 0 ? 8 : 4,
                   key_bytes = wide{keys.size() == 1 ? keys[0].type->size : 4} * (passes > 0 ? 2 : 1);
        const wide aside = problem.keys_in_place ? wide{n} * type.size : wide{0};
        if (plan.workspace_bytes < wide{n} * (key_bytes + index_bytes * 2) + aside)
          return "too small a workspace";
        const planned_kernel& make = plan.kernels[0];
        return compare(make, {{"n", n}, {"x_offset", at}, {"first", 1}});
      });
}

template <class T>
void compare_sort(call_comparer& r) {
  std::vector<sort_key> list{by<std::int16_t>({.name = "small", .source = "x * 9"}, {.descending = r.coin()}),
                             by<float>({.name = "self", .source = "x"})};
  list[0].of.values = r.some_values();
  if (r.coin()) list[1].of.values = r.some_values();
  if (r.coin()) list.pop_back();
  compare_any_sort<T>(r, "sort by keys", r.size(), {.keys = {}, .by = list}, given(clwave::key_list(list)));
}

template <class T>
void compare_segments(call_comparer& r) {
  const std::size_t n = r.size(), segments = r.random.below(60), keys = r.offset(), values = 64 + r.offset(),
                    offsets = r.offset(), out = r.offset();
  const bool carries = r.coin(), counts_bad = r.coin() && segments != 0, in_place = r.coin();
  std::vector<sort_key> list{by<std::int16_t>({.name = "small", .source = "x * 9"},
                                              {.descending = r.coin(), .first_bit = r.coin() ? 0u : 3u}),
                             by<float>({.name = "self", .source = "x"})};
  list[0].of.values = r.some_values();
  if (r.coin()) list[1].of.values = r.some_values();
  if (r.coin()) list.pop_back();
  clwave::sort_problem problem{
      .keys = {element_of<T>(), n, keys},
      .keys_out = any_view{element_of<T>(), 0, in_place ? keys : out},
      .by = list,
      .offsets = any_view{element_of<u32>(), segments + 1, offsets},
      .bad = counts_bad ? std::optional(any_view(element_of<u64>(), 1)) : std::nullopt,
      .keys_in_place = in_place};
  if (carries) {
    problem.values = problem.values_out = any_view{element_of<float>(), 0, values};
    problem.values_in_place = true;
  }
  r.compare_call(
      "sort by keys of " + std::to_string(segments) + " segments of " + std::to_string(n) + " " +
          element_of<T>().name,
      [&] { return plan(problem, r.target()); },
      [&] {
        const auto k = r.in<T>(0, n, keys), to = in_place ? k : r.in<T>(2, n, out);
        const auto at = r.in<u32>(1, segments + 1, offsets);
        const auto x = r.in<float>(3, n, values);
        const auto bad = r.in<u64>(3, 1);
        const clwave::key_list order(list);
        if (carries && counts_bad)
          clwave::segmented_sort_by_key(r.queue(), k, x, at, to, x, bad, given(order));
        else if (carries)
          clwave::segmented_sort_by_key(r.queue(), k, x, at, to, x, given(order));
        else if (counts_bad)
          clwave::segmented_sort(r.queue(), k, at, to, bad, given(order));
        else
          clwave::segmented_sort(r.queue(), k, at, to, given(order));
      });
}

// Mostly one key, so that some come twice.
keyed random_sort(dice& d) {
  using namespace clwave;
  using namespace clwave::detail;
  static const std::array<const element*, 3> types{&element_of<std::int32_t>(), &element_of<half>(),
                                                   &element_of<bool>()};
  const element in = random_element(d);
  map first = random_map(d);
  first.kind = map_kind::user;
  const map second = d.flip() ? first : map{.name = "second", .source = "a"};
  std::vector<key_of_text> keys{{&first, d.one_of(types), d.flip()}};
  if (d.below(4) == 0) keys.push_back({&second, d.one_of(types), d.flip()});
  const unsigned index_bytes = d.flip() ? 4 : 8;
  const bool argsort = d.flip(), several = keys.size() > 1;
  const unsigned group_size = d.flip() ? 1u : 256u;
  key_sort_variant sort{.in = &in,
                        .keys = keys,
                        .gathered_bytes = argsort ? 0 : in.size,
                        .gathered_value_bytes = argsort ? 0 : 6 * d.below(2),
                        .index_bytes = index_bytes};
  if (d.flip())
    sort.sort = {.key = &element_of<u32>(),
                 .value_bytes = several ? index_bytes : 0,
                 .index_bytes = several ? 0 : index_bytes,
                 .group_size = group_size};
  else
    sort.segments = {.keys = {.key = &element_of<u32>(), .bits = 32},
                     .value_bytes = index_bytes,
                     .wide_offsets = d.flip(),
                     .counts_bad = d.flip(),
                     .group_size = group_size,
                     .items = one_or_two(d),
                     .tile = 512};
  return keyed_by(sort);
}

std::vector<float> in_order_by_keys(const fixture& on, const view<float>& in) {
  const guarded_buffer<float> out(on, in.size());
  clwave::sort(on.queue, in, out.view(),
               {.keys = {by<std::int8_t>({.name = "whole", .source = "x"}),
                         by<float>({.name = "self", .source = "x"}, {.descending = true})}})
      .wait();
  return out.read_guarded();
}

// Segments of every kind: short and empty ones, and one of more than a tile.
std::vector<float> each_in_order_by_keys(const fixture& on, const view<float>& in) {
  const std::vector<u32> offsets = some_offsets(in.size());
  const cl::Buffer places = on.buffer_of(offsets);
  const guarded_buffer<float> out(on, in.size());
  clwave::segmented_sort(on.queue, in, view<u32>{places, offsets.size()}, out.view(),
                         {.keys = {by<std::int8_t>({.name = "whole", .source = "x"}),
                                   by<float>({.name = "self", .source = "x"}, {.descending = true})}})
      .wait();
  return out.read_guarded();
}

std::vector<float> sort_by_text(const fixture& on, const cl::Buffer& in, const own_text& own) {
  const guarded_buffer<float> out(on, 100);
  clwave::sort(
      on.queue, view<float>{in, 100}, out.view(),
      {.keys = by<float>({.name = own.name, .source = own.source, .declarations = own.declarations})})
      .wait();
  return out.read();
}

const registered_parts listed(
    "key_sort",
    {{.events = events,
      .counts = counts,
      .plans = {{"key_sort", plan_one_sort}, {"key_sort of segments", plan_segments}},
      .compared = {{4, compare_sort<float>, rows_without_lanes},
                   {4, compare_segments<float>, rows_without_lanes}},
      .keys = {{"key_sort", random_sort}},
      .results = {{"key_sort", in_order_by_keys}, {"key_sort of segments", each_in_order_by_keys}},
      .texts = {{"key of a sort", "-x", false, sort_by_text}}}});

}  // namespace
}  // namespace testing::parts_of_key_sort
