// What the tests of all primitives need of random and shuffle: their calls, their plans, their keys.
#include "harness/given.hpp"
#include "harness/parts.hpp"

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include <clwave.hpp>

#include "primitives/random.hpp"

namespace testing::parts_of_random {
namespace {

using clwave::random_kind;

event_list events() {
  event_list all;
  all.add("random", {{5000, out}}, [](auto& q, auto& b, bool empty, auto& options) {
    return clwave::random(q, part<u32>(b[0], 5000, empty), 7,
                          launched(clwave::random_options{.stream = 3}, options));
  });
  all.add("normal numbers", {{5000, out}}, [](auto& q, auto& b, bool empty, auto& options) {
    return clwave::random(q, part<float>(b[0], 5000, empty), 7,
                          launched(clwave::random_options{.kind = random_kind::normal, .first = 2}, options));
  });
  all.add("random_permutation", {{5000, out}}, [](auto& q, auto& b, bool empty, auto& options) {
    return clwave::random_permutation(q, part<u32>(b[0], 5000, empty), 7, options);
  });
  all.add("shuffle", {{5000, in}, {5000, out}}, [](auto& q, auto& b, bool empty, auto& options) {
    return clwave::shuffle(q, part<u32>(b[0], 5000, empty), part<u32>(b[1], 5000, empty), 7, options);
  });
  return all;
}

void plan_one_random(planner& p, const clwave::plan_target& on) {
  static const element* const types[] = {
      &element_of<u32>(),   &element_of<u64>(),    &element_of<std::uint8_t>(), &element_of<std::int16_t>(),
      &element_of<float>(), &element_of<double>(), &element_of<half>()};
  const element& type = *p.one_of(types);
  const bool floats = &type == types[4] || &type == types[5] || &type == types[6];
  const u64 n = p.size(), at = p.offset(), first = p.offset();
  clwave::random_problem problem{.out = {type, n, at}, .seed = p.random(), .first = first};
  if (p.coin() && floats) problem.kind = random_kind::normal;
  if (p.coin() && !floats) problem.below = 1 + p.random.below(100);
  p.plan(
      "random, " + std::to_string(n) + " " + type.name, on, {times(wide{n} + at, type.size)},
      [&] { return plan(problem, on); },
      [&](const call_plan& plan) -> std::string {
        const std::string wrong = count_kernels(plan, n);
        if (n == 0 || !wrong.empty()) return wrong;
        const planned_kernel& main = plan.kernels.front();
        if (plan.kernels.size() != 1) return "more than one launch";
        const u64 head = argument(main, "head");
        if (head > n || head >= word(plan, "VECTOR")) return "a head of " + std::to_string(head);
        const wide block = wide{main.group_size} * word(plan, "ITEMS");
        if (main.group_size > 1 && wide{main.groups} * block < (wide{n} - head) / word(plan, "VECTOR"))
          return "fewer groups than blocks";
        return compare(main, {{"n", n}, {"out_offset", at}, {"first", first}});
      });
}

void plan_one_shuffle(planner& p, const clwave::plan_target& on) {
  const element& type = p.any_element();
  const u64 n = p.size(), at = p.offset(), out_at = p.offset();
  const clwave::reorder_problem problem{
      .in = {type, n, at}, .out = {type, n, out_at}, .shuffle = true, .seed = p.random()};
  p.plan(
      "shuffle of " + std::to_string(n) + " " + type.name, on,
      {times(wide{n} + at, type.size), times(wide{n} + out_at, type.size)}, [&] { return plan(problem, on); },
      [&](const call_plan& plan) -> std::string {
        const std::string wrong = count_kernels(plan, n);
        if (n == 0 || !wrong.empty()) return wrong;
        const planned_kernel& main = plan.kernels.front();
        if (wide{argument(main, "permuted_rows")} * argument(main, "permuted_columns") < n)
          return "a rectangle of fewer indices";
        return compare(main, {{"n", n}, {"x_offset", at}, {"out_offset", out_at}});
      });
}

template <class T>
void compare_random(call_comparer& r) {
  const std::size_t n = r.size(), at = r.offset();
  clwave::random_options options{.stream = static_cast<u32>(r.random()), .first = r.random()};
  if constexpr (std::is_floating_point_v<T>) {
    if (r.coin()) options.kind = random_kind::normal;
  } else {
    if (r.coin()) options.below = 1 + r.random.below(100);
  }
  const u64 seed = r.random();
  const clwave::random_problem problem{.out = {element_of<T>(), n, at},
                                       .seed = seed,
                                       .kind = options.kind,
                                       .below = options.below,
                                       .stream = options.stream,
                                       .first = options.first};
  r.compare_call(
      "random, " + std::to_string(n), [&] { return plan(problem, r.target()); },
      [&] { clwave::random(r.queue(), r.in<T>(0, n, at), seed, options); });
}

template <class T>
void compare_order(call_comparer& r) {
  const std::size_t n = r.size(), at = r.offset(), out_at = r.offset();
  const u64 seed = r.random();
  if (r.coin()) {
    const clwave::reorder_problem problem{
        .in = {element_of<T>(), n, at}, .out = {element_of<T>(), n, out_at}, .shuffle = true, .seed = seed};
    r.compare_call(
        "shuffle of " + std::to_string(n), [&] { return plan(problem, r.target()); },
        [&] { clwave::shuffle(r.queue(), r.in<T>(0, n, at), r.in<T>(1, n, out_at), seed); });
  } else {
    const clwave::random_problem problem{
        .out = {element_of<T>(), n, at}, .seed = seed, .kind = random_kind::permutation};
    r.compare_call(
        "random_permutation of " + std::to_string(n), [&] { return plan(problem, r.target()); },
        [&] { clwave::random_permutation(r.queue(), r.in<T>(0, n, at), seed); });
  }
}

keyed random_numbers(dice& d) {
  using namespace clwave::detail;
  static const std::array<const element*, 6> types = {&element_of<u32>(),          &element_of<u64>(),
                                                      &element_of<std::uint8_t>(), &element_of<float>(),
                                                      &element_of<double>(),       &element_of<half>()};
  random_variant v{.out = d.one_of(types),
                   .packets = d.flip(),
                   .group_size = d.flip() ? 1u : 256u,
                   .items = one_or_two(d),
                   .vector = 2 * one_or_two(d),
                   .skipped = d.below(2)};
  const bool integers = v.out == types[0] || v.out == types[1] || v.out == types[2];
  if (!integers && d.flip()) v.kind = random_kind::normal;
  if (integers) v.bounded = d.flip();
  if ((v.out == types[0] || v.out == types[1]) && d.flip()) {
    v.kind = random_kind::permutation;
    v.bounded = false;
    v.skipped = 0;
    v.wide_indices = d.flip();
  }
  return keyed_by(v);
}

// The input says how many there are, and is shuffled.
std::vector<float> numbers(const fixture& on, const view<float>& in) {
  std::vector<float> all;
  const auto add = [&](const guarded_buffer<float>& from) {
    const std::vector<float> results = from.read_guarded();
    all.insert(all.end(), results.begin(), results.end());
  };
  const guarded_buffer<float> uniform(on, in.size()), normal(on, in.size()), shuffled(on, in.size());
  clwave::random(on.queue, uniform.view(), 11, {.first = 5});
  clwave::random(on.queue, normal.view(), 11, {.kind = random_kind::normal});
  clwave::shuffle(on.queue, in, shuffled.view(), 11).wait();
  add(uniform);
  add(normal);
  add(shuffled);
  const guarded_buffer<u32> below(on, in.size()), order(on, in.size());
  clwave::random(on.queue, below.view(), 11, {.below = 3000000001});
  clwave::random_permutation(on.queue, order.view(), 11).wait();
  for (const auto* more : {&below, &order}) {
    for (const u32 result : more->read_guarded()) all.push_back(static_cast<float>(result));
  }
  return all;
}

const registered_parts listed("random",
                              {{.events = events,
                                .plans = {{"random", plan_one_random}, {"shuffle", plan_one_shuffle}},
                                .compared = {{6, compare_random<float>, rows_without_lanes},
                                             {6, compare_random<u32>, rows_without_lanes},
                                             {3, compare_random<u64>},
                                             {6, compare_order<u32>, rows_without_lanes}},
                                .keys = {{"random", random_numbers}},
                                .results = {{"random", numbers}}}});

}  // namespace
}  // namespace testing::parts_of_random
