// What the tests of all primitives need of select: its calls, its plans, its keys.
#include "harness/parts.hpp"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <clwave.hpp>

#include "primitives/select.hpp"

namespace testing::parts_of_select {
namespace {

event_list events() {
  event_list all;
  const clwave::map odd{.name = "odd", .source = "x & 1"};
  for (const std::size_t n : {5000, 40000}) {
    all.add(n == 5000 ? "copy_if" : "copy_if, many tiles", {{n, in}, {n, out}, {2, out}},
            [n, odd](auto& q, auto& b, bool empty, auto& options) {
              return clwave::copy_if(q, part<u32>(b[0], n, empty), view<u32>{b[1], n}, view<u64>{b[2], 1},
                                     odd, options);
            });
  }
  all.add("copy_flagged", {{9000, in}, {9000, in}, {9000, out}, {2, out}},
          [](auto& q, auto& b, bool empty, auto& options) {
            return clwave::copy_flagged(q, part<u32>(b[0], 9000, empty), part<u32>(b[1], 9000, empty),
                                        view<u32>{b[2], 9000}, view<u64>{b[3], 1}, options);
          });
  all.add("partition", {{9000, in}, {9000, out}, {2, out}},
          [odd](auto& q, auto& b, bool empty, auto& options) {
            return clwave::partition(q, part<u32>(b[0], 9000, empty), view<u32>{b[1], 9000},
                                     view<u64>{b[2], 1}, odd, options);
          });
  all.add("partition_copy", {{9000, in}, {9000, out}, {9000, out}, {2, out}},
          [odd](auto& q, auto& b, bool empty, auto& options) {
            return clwave::partition_copy(q, part<u32>(b[0], 9000, empty), view<u32>{b[1], 9000},
                                          view<u32>{b[2], 9000}, view<u64>{b[3], 1}, odd, options);
          });
  all.add("partition_copy of three", {{9000, in}, {9000, out}, {9000, out}, {9000, out}, {4, out}},
          [odd](auto& q, auto& b, bool empty, auto& options) {
            return clwave::partition_copy(q, part<u32>(b[0], 9000, empty), view<u32>{b[1], 9000},
                                          view<u32>{b[2], 9000}, view<u32>{b[3], 9000}, view<u64>{b[4], 2},
                                          odd, {.name = "two of four", .source = "x & 2"}, options);
          });
  all.add("unique", {{9000, in}, {9000, out}, {2, out}}, [](auto& q, auto& b, bool empty, auto& options) {
    return clwave::unique(q, part<u32>(b[0], 9000, empty), view<u32>{b[1], 9000}, view<u64>{b[2], 1},
                          options);
  });
  all.add("unique_by_key", {{9000, in}, {9000, in}, {9000, out}, {9000, out}, {2, out}},
          [](auto& q, auto& b, bool empty, auto& options) {
            return clwave::unique_by_key(q, part<u32>(b[0], 9000, empty), part<u32>(b[1], 9000, empty),
                                         view<u32>{b[2], 9000}, view<u32>{b[3], 9000}, view<u64>{b[4], 1},
                                         options);
          });
  all.add("run_lengths", {{9000, in}, {9000, out}, {9000, out}, {2, out}},
          [](auto& q, auto& b, bool empty, auto& options) {
            return clwave::run_lengths(q, part<u32>(b[0], 9000, empty), view<u32>{b[1], 9000},
                                       view<u32>{b[2], 9000}, view<u64>{b[3], 1}, options);
          });
  return all;
}

std::vector<count_call> counts() {
  constexpr std::size_t n = 9000;
  return {{"copy_if", {{n, in}, {n, out}}, [](auto& q, auto& b, bool empty, auto& options) {
             return clwave::copy_if(q, part<u32>(b[0], n, empty), view<u32>{b[1], n},
                                    {.name = "odd", .source = "x & 1"}, options);
           }}};
}

void plan_one_select(planner& p, const clwave::plan_target& on) {
  static const clwave::map all{.name = "all", .source = "1"};
  static const clwave::op same{.name = "same", .source = "1", .identity = {}};
  constexpr clwave::select_kind kinds[] = {
      clwave::select_kind::copy_if,     clwave::select_kind::copy_flagged,
      clwave::select_kind::partition,   clwave::select_kind::partition_copy,
      clwave::select_kind::unique,      clwave::select_kind::unique_by_key,
      clwave::select_kind::run_lengths, clwave::select_kind::partition_three};
  const element& in = p.any_element();
  const u64 n = p.size(), at = p.offset(), out_at = p.offset();
  const bool split = p.coin();
  clwave::select_problem problem{.kind = split ? clwave::select_kind::partition : p.one_of(kinds),
                                 .in = {in, n, at},
                                 .out = {in, n, out_at},
                                 .predicate = &all,
                                 .same = &same};
  if (problem.kind == clwave::select_kind::copy_flagged) problem.flags = {element_of<std::uint8_t>(), n};
  wide second_bytes = 0;
  if (problem.kind == clwave::select_kind::unique_by_key) {
    const u64 second_at = p.offset();
    problem.values = problem.second_out = any_view{element_of<std::int16_t>(), n, second_at};
    second_bytes = times(wide{n} + second_at, 2);
  }
  if (problem.kind == clwave::select_kind::run_lengths) {
    problem.second_out = {element_of<u64>(), n};
    second_bytes = times(n, 8);
  }
  if (problem.kind == clwave::select_kind::partition_copy) {
    const u64 second_at = p.offset();
    problem.second_out = any_view{in, n, second_at};
    second_bytes = times(wide{n} + second_at, in.size);
  }
  wide third_bytes = 0;
  if (problem.kind == clwave::select_kind::partition_three) {
    const u64 second_at = p.offset(), third_at = p.offset();
    problem.second_out = any_view{in, n, second_at};
    problem.third_out = any_view{in, n, third_at};
    problem.second_predicate = &all;
    second_bytes = times(wide{n} + second_at, in.size);
    third_bytes = times(wide{n} + third_at, in.size);
  }
  p.plan(
      "select from " + std::to_string(n) + " " + in.name, on,
      {times(wide{n} + at, in.size), times(wide{n} + out_at, in.size), second_bytes, third_bytes},
      [&] { return plan(problem, on); },
      [&](const call_plan& plan) -> std::string {
        if (n == 0) return count_kernels(plan, n);
        const planned_kernel& last = plan.kernels.back();
        const u64 head = argument(last, "head");
        if (head >= word(plan, "VECTOR")) return "a head of a packet or more";
        const wide tile = wide{word(plan, "KEPT_ITEMS")} * word(plan, "VECTOR") * last.group_size;
        if (last.groups != blocks_of(wide{n} + head, tile)) return "other groups than tiles";
        // One launch with messages; without, a partition's that counts comes first, or counts and their sums.
        const bool messages = plan.kernels.size() == 1;
        if (!messages && plan.kernels.size() != (problem.kind == clwave::select_kind::partition ? 2u : 3u))
          return "another number of launches";
        const wide slot = messages ? word(plan, "COUNT_WORDS") * 8 : 8;
        const wide shares = plan.kernels.size() == 2 ? plan.kernels[0].groups : 0;
        if (plan.kernels.size() == 2 && argument(last, "shares") != shares)
          return "other shares than are counted";
        if (plan.workspace_bytes < last.groups * slot + shares * 8) return "too small a workspace";
        return compare(last, {{"n", n}, {"x_offset", at}, {"out_offset", out_at}, {"capacity", n}});
      });
}

template <class T>
void compare_select(call_comparer& r) {
  constexpr clwave::select_kind kinds[] = {
      clwave::select_kind::copy_if,     clwave::select_kind::copy_flagged,
      clwave::select_kind::partition,   clwave::select_kind::partition_copy,
      clwave::select_kind::unique,      clwave::select_kind::unique_by_key,
      clwave::select_kind::run_lengths, clwave::select_kind::run_offsets};
  const std::size_t n = std::max<std::size_t>(r.size(), 1), in = r.offset(), out = r.offset(),
                    flags = r.offset();
  const clwave::select_kind kind = kinds[r.random.below(std::size(kinds))];
  const bool shorter = kind != clwave::select_kind::partition && r.coin();
  const std::size_t capacity = shorter ? 1 + r.random.below(n) : n;
  clwave::map some{.name = "some", .source = "x > 3"};
  clwave::op same{.name = "same", .source = "b == a", .identity = {}};
  some.values = same.values = r.some_values();
  clwave::select_problem problem{.kind = kind,
                                 .in = {element_of<T>(), n, in},
                                 .out = {element_of<T>(), capacity, out},
                                 .predicate = &some,
                                 .same = &same};
  if (kind == clwave::select_kind::copy_flagged) problem.flags = {element_of<std::uint8_t>(), n, flags};
  const std::size_t value = r.offset(), value_out = 64 + r.offset();  // behind the count
  if (kind == clwave::select_kind::unique_by_key) {
    problem.values = {element_of<std::int16_t>(), n, value};
    problem.second_out = {element_of<std::int16_t>(), capacity, value_out};
  }
  if (kind == clwave::select_kind::run_lengths) problem.second_out = {element_of<u64>(), capacity, value_out};
  const std::size_t others = 1 + r.random.below(n);
  if (kind == clwave::select_kind::partition_copy) problem.second_out = {element_of<T>(), others, value_out};
  if (kind == clwave::select_kind::run_offsets) problem.out = {element_of<u64>(), capacity, out};
  r.compare_call(
      "select from " + std::to_string(n) + " " + element_of<T>().name,
      [&] { return plan(problem, r.target()); },
      [&] {
        const auto x = r.in<T>(0, n, in), y = r.in<T>(2, capacity, out);
        const auto count = r.in<u64>(3, 1);
        if (kind == clwave::select_kind::copy_if)
          clwave::copy_if(r.queue(), x, y, count, some);
        else if (kind == clwave::select_kind::copy_flagged)
          clwave::copy_flagged(r.queue(), x, r.in<std::uint8_t>(1, n, flags), y, count);
        else if (kind == clwave::select_kind::partition)
          clwave::partition(r.queue(), x, y, count, some);
        else if (kind == clwave::select_kind::partition_copy)
          clwave::partition_copy(r.queue(), x, y, r.in<T>(3, others, value_out), count, some);
        else if (kind == clwave::select_kind::run_lengths)
          clwave::run_lengths(r.queue(), x, y, r.in<u64>(3, capacity, value_out), count, same);
        else if (kind == clwave::select_kind::run_offsets)
          clwave::run_offsets(r.queue(), x, r.in<u64>(2, capacity, out), count, same);
        else if (kind == clwave::select_kind::unique_by_key)
          clwave::unique_by_key(r.queue(), x, r.in<std::int16_t>(1, n, value), y,
                                r.in<std::int16_t>(3, capacity, value_out), count, same);
        else
          clwave::unique(r.queue(), x, y, count, same);
      });
}

keyed random_select(dice& d) {
  using namespace clwave;
  using namespace clwave::detail;
  const bool unique = d.flip(), carries = unique && d.flip();
  const select_kind of_runs[] = {select_kind::unique, select_kind::run_lengths, select_kind::run_offsets};
  const element value = random_element(d), beside = carries && d.flip() ? value : element_of<std::uint8_t>();
  const map predicate = unique || d.flip() ? identity : random_map(d);
  op same = unique && d.flip() ? random_op(d) : plus;
  same.kind = op_kind::user;
  const select_kind kinds[] = {select_kind::copy_if, select_kind::copy_flagged, select_kind::partition,
                               select_kind::partition_copy, select_kind::partition_three};
  const select_kind kind = carries  ? select_kind::unique_by_key
                           : unique ? of_runs[d.below(3)]
                                    : kinds[d.below(5)];
  map second = kind == select_kind::partition_three ? random_map(d) : identity;
  if (kind == select_kind::partition_three) second.kind = map_kind::user;
  return keyed_by(select_variant{.kind = kind,
                                 .value = &value,
                                 .beside = &beside,
                                 .predicate = &predicate,
                                 .second = &second,
                                 .same = &same,
                                 .messages = {.one_pass = d.flip(),
                                              .in_order_of_start = d.flip(),
                                              .count_words = d.flip() ? 1u : 2u,
                                              .looks = d.flip() ? 1u : 9u},
                                 .group_size = d.flip() ? 128u : 256u,
                                 .items = d.flip() ? 4u : 8u,
                                 .vector = d.flip() ? 1u : 4u,
                                 .by_element = d.flip(),
                                 .flag_packets = d.flip()});
}

std::vector<float> select_by(const fixture& on, const cl::Buffer& in, const own_text& own) {
  const cl::Buffer out = on.buffer_of(std::vector<float>(100));
  const auto count =
      clwave::copy_if(on.queue, view<float>{in, 100}, view<float>{out, 100},
                      {.name = own.name, .source = own.source, .declarations = own.declarations});
  std::vector<float> all = on.read<float>(out, 100);
  all.push_back(static_cast<float>(count));
  return all;
}

std::vector<float> positive_ones(const fixture& on, const view<float>& in) {
  const guarded_buffer<float> out(on, in.size());
  const u64 count =
      clwave::copy_if(on.queue, in, out.view(), clwave::map{.name = "positive", .source = "x > 0"});
  std::vector<float> kept = out.read_guarded();
  kept.resize(count);
  return kept;
}

const registered_parts listed("select", {{.events = events,
                                          .counts = counts,
                                          .plans = {{"select", plan_one_select}},
                                          .compared = {{4, compare_select<float>, rows_without_lanes},
                                                       {1, compare_select<std::uint8_t>, rows_without_lanes}},
                                          .keys = {{"select", random_select}},
                                          .results = {{"select", positive_ones}},
                                          .texts = {{"copy_if", "x > 1", false, select_by}}}});

}  // namespace
}  // namespace testing::parts_of_select
