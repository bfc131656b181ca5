// What the tests of all primitives need of transform: its calls, its plans, its keys.
#include "harness/parts.hpp"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <clwave.hpp>

#include "primitives/transform.hpp"

namespace testing {
namespace {

using clwave::call_plan;
using clwave::element;
using clwave::element_of;
using clwave::launch_options;
using clwave::planned_kernel;
using clwave::view;
using queue = cl::CommandQueue;
using u32 = std::uint32_t;
using namespace uses;

event_list events() {
  event_list all;
  all.add("transform", {{5000, in}, {5000, in}, {5000, out}},
          [](const queue& q, const buffers& b, bool empty, const launch_options& options) {
            return clwave::transform(q, part<u32>(b[0], 5000, empty), part<u32>(b[1], 5000, empty),
                                     part<u32>(b[2], 5000, empty), {.name = "mix", .source = "3 * x + y"},
                                     options);
          });
  all.add("transform in place", {{5000, both}},
          [](const queue& q, const buffers& b, bool empty, const launch_options& options) {
            return clwave::transform(q, part<u32>(b[0], 5000, empty), part<u32>(b[0], 5000, empty),
                                     {.name = "more", .source = "3 * x + 1"}, options);
          });
  all.add("broadcast", {{3000, in}, {50, in}, {3000, out}},
          [](const queue& q, const buffers& b, bool empty, const launch_options& options) {
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
  const std::uint64_t n = p.size();
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
  return keyed_by(v);
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
    "transform", {{.events = events,
                   .plans = {{"transform", plan_one_transform}, {"broadcast", plan_one_broadcast}},
                   .compared = {{8, compare_transform<float, float>},
                                {5, compare_transform<std::uint8_t, float>},
                                {10, compare_broadcast<float>}},
                   .keys = {{"transform", random_transform}, {"broadcast", random_broadcast}},
                   .results = {{"transform", transformed}, {"broadcast", spread}},
                   .texts = {{"transform", "x + 1", false, transform_by}}}});

}  // namespace
}  // namespace testing
