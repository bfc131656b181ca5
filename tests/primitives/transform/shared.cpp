// What the tests of all primitives need of transform: its calls, its plans, its keys.
#include "harness/parts.hpp"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <clwave.hpp>

#include "primitives/transform.hpp"

namespace testing::parts_of_transform {
namespace {

event_list events() {
  event_list all;
  all.add("transform", {{5000, in}, {5000, in}, {5000, out}},
          [](auto& q, auto& b, bool empty, auto& options) {
            return clwave::transform(q, part<u32>(b[0], 5000, empty), part<u32>(b[1], 5000, empty),
                                     part<u32>(b[2], 5000, empty), {.name = "mix", .source = "3 * x + y"},
                                     options);
          });
  all.add("transform in place", {{5000, both}}, [](auto& q, auto& b, bool empty, auto& options) {
    return clwave::transform(q, part<u32>(b[0], 5000, empty), part<u32>(b[0], 5000, empty),
                             {.name = "more", .source = "3 * x + 1"}, options);
  });
  all.add("transform_if", {{5000, in}, {5000, both}}, [](auto& q, auto& b, bool empty, auto& options) {
    return clwave::transform_if(q, part<u32>(b[0], 5000, empty), part<u32>(b[1], 5000, empty),
                                clwave::map{.name = "more", .source = "3 * x"},
                                clwave::map{.name = "large", .source = "x > 50"}, options);
  });
  all.add("replace_if", {{5000, both}}, [](auto& q, auto& b, bool empty, auto& options) {
    return clwave::replace_if(q, part<u32>(b[0], 5000, empty),
                              clwave::map{.name = "large", .source = "x > 50"}, 7u, options);
  });
  all.add("adjacent_difference", {{5000, in}, {5000, out}}, [](auto& q, auto& b, bool empty, auto& options) {
    return clwave::adjacent_difference(q, part<u32>(b[0], 5000, empty), part<u32>(b[1], 5000, empty),
                                       options);
  });
  all.add("adjacent_difference in place", {{5000, both}}, [](auto& q, auto& b, bool empty, auto& options) {
    return clwave::adjacent_difference(q, part<u32>(b[0], 5000, empty), part<u32>(b[0], 5000, empty),
                                       options);
  });
  all.add("broadcast", {{3000, in}, {50, in}, {3000, out}}, [](auto& q, auto& b, bool empty, auto& options) {
    return clwave::broadcast(
        q, part<u32>(b[0], 3000, empty), part<u32>(b[1], 50, empty), part<u32>(b[2], 3000, empty),
        empty ? clwave::broadcast_shape{} : clwave::broadcast_shape{.rows = 60, .columns = 50},
        clwave::per::column, {.name = "bias", .source = "x + b"}, options);
  });
  return all;
}

void plan_one_transform(planner& p, const clwave::plan_target& on) {
  static const clwave::map mine{.name = "mine", .source = "x"};
  const element& out = p.any_element();
  const u64 n = p.size();
  clwave::transform_problem problem{{}, {out, n}, &mine};
  std::vector<wide> bytes{wide{n} * out.size};
  for (std::size_t k = 0; k <= p.random.below(3); ++k) {
    problem.in.emplace_back(p.coin() ? out : p.any_element(), n);
    bytes.push_back(wide{n} * problem.in.back().type->size);
  }
  p.plan(
      "transform of " + std::to_string(n) + " to " + out.name, on, bytes, [&] { return plan(problem, on); },
      [&](const call_plan& plan) -> std::string {
        if (n == 0) return count_kernels(plan, n);
        return compare(plan.kernels.at(0), {{"n", n}, {"out", wide{n} * out.size}});
      });
}

void plan_one_difference(planner& p, const clwave::plan_target& on) {
  static const clwave::map mine{.name = "mine", .source = "x"};
  const element& type = p.any_element();
  const u64 n = p.size(), at = p.offset();
  const bool in_place = p.coin();
  const clwave::adjacent_difference_problem problem{.in = {type, n, at},
                                                    .out = {type, n, in_place ? at : 0},
                                                    .apply = p.coin() ? &mine : nullptr,
                                                    .in_place = in_place};
  p.plan(
      "differences of " + std::to_string(n) + " " + type.name, on, {times(wide{n} + at, type.size)},
      [&] { return plan(problem, on); },
      [&](const call_plan& plan) -> std::string {
        const std::string wrong = count_kernels(plan, n);
        if (n == 0 || !wrong.empty()) return wrong;
        if (plan.kernels.size() != (in_place ? 2u : 1u)) return "other launches";
        if (plan.kernels[0].groups != plan.kernels.back().groups) return "other groups than their edges";
        const wide edges = wide{plan.kernels[0].groups} * type.size;
        if (in_place && wide{plan.workspace_bytes} < edges) return "no room for the edges";
        return compare(plan.kernels.back(), {{"n", n}, {"x_offset", at}});
      });
}

void plan_one_broadcast(planner& p, const clwave::plan_target& on) {
  static const clwave::map mine{.name = "mine", .source = "x + b"};
  const element& in = p.any_element();
  const element& vector = p.any_element();
  const element& out = p.any_element();
  const clwave::per which = p.coin() ? clwave::per::row : clwave::per::column;
  clwave::broadcast_shape size{.rows = p.size(), .columns = p.size()};
  if (p.random.below(3) == 0) size.in_row = p.size();
  if (p.random.below(3) == 0) size.out_row = size.columns + p.random.below(10);
  const wide n = wide{size.rows} * size.columns;
  const auto bytes_of = [&](const element& type, std::size_t given) -> wide {
    if (n == 0) return 0;
    return times(times(size.rows - 1, given != 0 ? given : size.columns) + size.columns, type.size);
  };
  const wide values = which == clwave::per::row ? size.rows : size.columns;
  p.plan(
      "broadcast of " + std::to_string(size.rows) + " by " + std::to_string(size.columns), on,
      {bytes_of(in, size.in_row), bytes_of(out, size.out_row), n == 0 ? 0 : values * vector.size},
      [&] {
        return plan(clwave::broadcast_problem{in, vector, out, size, which, &mine}, on);
      },
      [&](const call_plan& plan) -> std::string {
        if (n == 0) return count_kernels(plan, n);
        return compare(plan.kernels.at(0), {{"rows", size.rows},
                                            {"columns", size.columns},
                                            {"b", values * vector.size},
                                            {"x_row", size.in_row != 0 ? size.in_row : size.columns}});
      });
}

template <class In, class Out>
void compare_transform(call_comparer& r) {
  clwave::map one{.name = "one", .source = "x"}, two{.name = "two", .source = "x + y"};
  one.values = two.values = r.some_values();
  const std::size_t n = r.size();
  const bool both = r.coin();
  clwave::transform_problem problem{{{element_of<In>(), n}}, {element_of<Out>(), n}, both ? &two : &one};
  if (both) problem.in.emplace_back(element_of<In>(), n);
  r.compare_call(
      "transform of " + std::to_string(n), [&] { return plan(problem, r.target()); },
      [&] {
        if (both)
          clwave::transform(r.queue(), r.in<In>(0, n), r.in<In>(1, n), r.in<Out>(2, n), two);
        else
          clwave::transform(r.queue(), r.in<In>(0, n), r.in<Out>(2, n), one);
      });
}

template <class T>
void compare_difference(call_comparer& r) {
  clwave::map ratio{.name = "ratio", .source = "x / y"};
  ratio.values = r.some_values();
  const std::size_t n = r.size(), at = r.offset();
  const bool in_place = r.coin(), own = r.coin();
  const std::size_t out_at = in_place ? at : r.offset();
  clwave::adjacent_difference_problem problem{
      {element_of<T>(), n, at}, {element_of<T>(), n, out_at}, own ? &ratio : nullptr, in_place && n > 0};
  r.compare_call(
      "differences of " + std::to_string(n), [&] { return plan(problem, r.target()); },
      [&] {
        const auto x = r.in<T>(0, n, at), out = r.in<T>(in_place ? 0 : 1, n, out_at);
        if (own)
          clwave::adjacent_difference(r.queue(), x, out, ratio);
        else
          clwave::adjacent_difference(r.queue(), x, out);
      });
}

template <class In, class Out>
void compare_transform_if(call_comparer& r) {
  clwave::map one{.name = "one", .source = "x + 1"}, large{.name = "large", .source = "x > 2"};
  one.values = r.some_values();
  if (r.coin()) large.values = {{"least", 3}};
  const std::size_t n = r.size();
  const bool in_place = std::is_same_v<In, Out> && n > 0 && r.coin(), generates = r.coin() && r.coin();
  clwave::transform_problem problem{
      {{element_of<In>(), n}}, {element_of<Out>(), n}, &one, in_place, generates ? nullptr : &large};
  const clwave::map index{.name = "index", .source = "i", .values = one.values};
  if (generates) problem = {{}, {element_of<Out>(), n}, &index};
  r.compare_call(
      "transform_if of " + std::to_string(n), [&] { return plan(problem, r.target()); },
      [&] {
        const auto out = r.in<Out>(in_place ? 0 : 2, n);
        if (generates)
          clwave::generate(r.queue(), r.in<Out>(2, n), index);
        else
          clwave::transform_if(r.queue(), r.in<In>(0, n), out, one, large);
      });
}

template <class T>
void compare_broadcast(call_comparer& r) {
  const clwave::map add{.name = "add", .source = "x + b", .values = r.some_values()};
  clwave::broadcast_shape size{.rows = r.random.below(700), .columns = r.random.below(700)};
  if (r.coin()) size.in_row = size.columns + r.random.below(9);
  const clwave::per which = r.coin() ? clwave::per::row : clwave::per::column;
  const std::size_t values = which == clwave::per::row ? size.rows : size.columns;
  const std::size_t n = buffer_bytes / sizeof(T);
  r.compare_call(
      "broadcast of " + std::to_string(size.rows) + " by " + std::to_string(size.columns),
      [&] {
        const auto& type = element_of<T>();
        return plan(clwave::broadcast_problem{type, type, type, size, which, &add}, r.target());
      },
      [&] {
        clwave::broadcast(r.queue(), r.in<T>(0, n), r.in<T>(1, values), r.in<T>(2, n), size, which, add);
      });
}

clwave::detail::transform_numbers random_numbers(dice& d) {
  return {.group_size = d.flip() ? 128u : 256u, .items = one_or_two(d), .vector = d.flip() ? 1u : 2u};
}

keyed random_transform(dice& d) {
  using namespace clwave;
  using namespace clwave::detail;
  const element x = random_element(d), y = d.flip() ? x : element_of<float>(), out = d.flip() ? x : y;
  const map apply = d.flip() ? identity : random_map(d);
  transform_variant v{{&x}, &out, &apply, random_numbers(d), d.flip()};
  if (d.flip()) v.in.push_back(&y);
  if (d.below(4) == 0) v.in.push_back(&x);
  map only_if = random_map(d);
  only_if.kind = map_kind::user;
  v.seen = v.in.size();
  map makes = random_map(d);
  makes.kind = map_kind::user;
  if (d.below(4) == 0) {
    v.in.clear();
    v.seen = 0;
    v.lazy_type = &x;
    v.lazy = {true, {{&y, d.flip(), 0}, {&x, false, d.flip() ? 0u : 4u}}, true, &makes};
    if (d.flip()) v.lazy.sources.pop_back();
    return keyed_by(v);
  }
  // What is kept is the last input, which no text sees.
  if (v.seen < 3 && d.flip()) {
    v.in.push_back(&out);
    v.only_if = &only_if;
    v.kept = v.seen;
  }
  return keyed_by(v);
}

keyed random_difference(dice& d) {
  using namespace clwave;
  using namespace clwave::detail;
  const element x = random_element(d), out = d.flip() ? x : element_of<float>();
  map apply = random_map(d);
  apply.kind = map_kind::user;
  return keyed_by(
      adjacent_difference_variant{&x, &out, d.flip() ? &apply : &identity, random_numbers(d), d.flip()});
}

keyed random_broadcast(dice& d) {
  using namespace clwave;
  using namespace clwave::detail;
  const element x = random_element(d), y = d.flip() ? x : element_of<float>(), out = d.flip() ? x : y;
  map apply = random_map(d);
  apply.kind = map_kind::user;
  return keyed_by(broadcast_variant{&x, &y, &out, &apply, d.flip() ? per::row : per::column, d.flip(),
                                    random_numbers(d)});
}

std::vector<float> transformed(const fixture& on, const view<float>& in) {
  const guarded_buffer<float> out(on, in.size());
  clwave::transform(on.queue, in, out.view(), {.name = "t", .source = "x * 3 + 1"}).wait();
  clwave::replace_if(on.queue, out.view(), clwave::map{.name = "r", .source = "x > 2"}, 5.0f).wait();
  return out.read_guarded();
}
std::vector<float> differences(const fixture& on, const view<float>& in) {
  const guarded_buffer<float> out(on, in.size());
  clwave::adjacent_difference(on.queue, in, out.view()).wait();
  clwave::adjacent_difference(on.queue, out.view(), out.view()).wait();
  return out.read_guarded();
}
std::vector<float> spread(const fixture& on, const view<float>& in) {
  const guarded_buffer<float> out(on, in.size());
  clwave::broadcast(on.queue, in, in.subview(0, 1), out.view(), {.rows = 1, .columns = in.size()},
                    clwave::per::row, {.name = "b", .source = "x - b"})
      .wait();
  return out.read_guarded();
}

std::vector<float> transform_by(const fixture& on, const cl::Buffer& in, const own_text& own) {
  const cl::Buffer out = on.buffer_of(std::vector<float>(100));
  clwave::transform(on.queue, view<float>{in, 100}, view<float>{out, 100},
                    {.name = own.name, .source = own.source, .declarations = own.declarations})
      .wait();
  return on.read<float>(out, 100);
}

const registered_parts listed(
    "transform",
    {{.events = events,
      .plans = {{"transform", plan_one_transform},
                {"broadcast", plan_one_broadcast},
                {"adjacent_difference", plan_one_difference}},
      .compared = {{8, compare_transform<float, float>},
                   {5, compare_transform<std::uint8_t, float>},
                   {10, compare_broadcast<float>},
                   {6, compare_difference<float>},
                   {3, compare_difference<u32>, rows_without_lanes},
                   {6, compare_transform_if<float, float>},
                   {4, compare_transform_if<std::uint8_t, float>}},
      .keys = {{"transform", random_transform},
               {"broadcast", random_broadcast},
               {"adjacent_difference", random_difference}},
      .results = {{"transform", transformed}, {"broadcast", spread}, {"adjacent_difference", differences}},
      .texts = {{"transform", "x + 1", false, transform_by}}}});

}  // namespace
}  // namespace testing::parts_of_transform
