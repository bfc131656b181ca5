// What the tests of all primitives need of gather and scatter: their calls, their plans, their keys.
#include "harness/given.hpp"
#include "harness/parts.hpp"

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include <clwave.hpp>

#include "primitives/gather.hpp"
#include "program/element_words.hpp"

namespace testing::parts_of_gather {
namespace {

event_list events() {
  event_list all;
  all.add("gather", {{200, in}, {5000, in}, {5000, out}}, [](auto& q, auto& b, bool empty, auto& options) {
    return clwave::gather(q, view<u32>{b[0], 200}, part<u32>(b[1], 5000, empty), part<u32>(b[2], 5000, empty),
                          given(options));
  });
  // The first 49 words of an input are all different.
  all.add("scatter", {{49, in}, {49, in}, {101, out}}, [](auto& q, auto& b, bool empty, auto& options) {
    return clwave::scatter(q, part<u32>(b[0], 49, empty), part<u32>(b[1], 49, empty), view<u32>{b[2], 101},
                           launched(clwave::scatter_options{}, options));
  });
  all.add("gather_if", {{200, in}, {5000, in}, {5000, in}, {5000, out}},
          [](auto& q, auto& b, bool empty, auto& options) {
            return clwave::gather_if(q, view<u32>{b[0], 200}, part<u32>(b[1], 5000, empty),
                                     part<u32>(b[2], 5000, empty), part<u32>(b[3], 5000, empty),
                                     {.name = "odd", .source = "x % 2"},
                                     launched(clwave::gather_options<u32>{}, options));
          });
  all.add("scatter_if", {{49, in}, {49, in}, {49, in}, {101, out}},
          [](auto& q, auto& b, bool empty, auto& options) {
            return clwave::scatter_if(q, part<u32>(b[0], 49, empty), part<u32>(b[1], 49, empty),
                                      part<u32>(b[2], 49, empty), view<u32>{b[3], 101},
                                      launched(clwave::scatter_options{}, options));
          });
  all.add("reverse", {{5000, in}, {5000, out}}, [](auto& q, auto& b, bool empty, auto& options) {
    return clwave::reverse(q, part<u32>(b[0], 5000, empty), part<u32>(b[1], 5000, empty), options);
  });
  all.add("rotate", {{5000, in}, {5000, out}}, [](auto& q, auto& b, bool empty, auto& options) {
    return clwave::rotate(q, part<u32>(b[0], 5000, empty), part<u32>(b[1], 5000, empty), empty ? 0 : 77,
                          options);
  });
  return all;
}

// Indices are less than 101.
std::vector<count_call> counts() {
  return {
      {"checked_gather",
       {{200, in}, {5000, in}, {5000, out}},
       [](auto& q, auto& b, bool empty, auto& options) {
         clwave::checked_gather(q, view<u32>{b[0], 200}, part<u32>(b[1], 5000, empty),
                                part<u32>(b[2], 5000, empty), given(options));
         return 0;
       }},
      {"checked_scatter", {{49, in}, {49, in}, {101, out}}, [](auto& q, auto& b, bool empty, auto& options) {
         clwave::checked_scatter(q, part<u32>(b[0], 49, empty), part<u32>(b[1], 49, empty),
                                 view<u32>{b[2], 101}, given(options));
         return 0;
       }}};
}

void plan_one_move(planner& p, const clwave::plan_target& on) {
  static const clwave::map twice{.name = "twice", .source = "x + x"};
  static const clwave::map by_index{.name = "by index", .source = "i % 2"};
  const element& type = p.any_element();
  const element& index = p.coin() ? element_of<u32>() : element_of<u64>();
  const u64 n = p.size(), reached = p.size(), at = p.offset(), indices_at = p.offset(), out_at = p.offset();
  const bool scatters = p.coin(), counts = p.coin();
  clwave::gather_problem problem{.in = {type, scatters ? n : reached, at},
                                 .indices = {index, n, indices_at},
                                 .out = {type, scatters ? reached : n, out_at},
                                 .scatter = scatters,
                                 .apply = p.coin() ? &twice : nullptr,
                                 .distinct = p.coin()};
  if (counts) problem.bad = {element_of<u64>(), 1};
  std::vector<wide> bytes = {times(wide{problem.in.n} + at, type.size),
                             times(wide{n} + indices_at, index.size),
                             times(wide{problem.out.n} + out_at, type.size)};
  if (p.coin()) {
    const element& flag = p.any_element();
    problem.flags = any_view(flag, n, at);
    if (!clwave::detail::is_integer(flag) || flag.components > 1 || p.coin()) problem.predicate = &by_index;
    bytes.push_back(times(wide{n} + at, flag.size));
  }
  p.plan((scatters ? "scatter of " : "gather of ") + std::to_string(n) + " " + type.name + " of " +
             std::to_string(reached),
         on, bytes, [&] { return plan(problem, on); },
         [&](const call_plan& plan) -> std::string {
           if (!counts) {
             const std::string wrong = count_kernels(plan, n);
             if (n == 0 || !wrong.empty()) return wrong;
           } else if (plan.kernels.back().name != "clwave_gather_bad" &&
                      plan.kernels.back().name != "gather_bad") {
             return "the last kernel is " + plan.kernels.back().name;
           }
           if (n == 0) return plan.kernels.size() == 1 ? "" : "more than one launch for no indices";
           const planned_kernel& moves = plan.kernels[plan.kernels.size() - (counts ? 2 : 1)];
           if (plan.kernels.size() > (counts ? 3u : 2u)) return "too many launches";
           return compare(moves, {{"n", n},
                                  {"reach", reached},
                                  {"x_offset", at},
                                  {"indices_offset", indices_at},
                                  {"out_offset", out_at}});
         });
}

void plan_one_reorder(planner& p, const clwave::plan_target& on) {
  const element& type = p.any_element();
  const u64 n = p.size(), at = p.offset(), out_at = p.offset();
  const bool rotates = p.coin();
  const clwave::reorder_problem problem{.in = {type, n, at},
                                        .out = {type, n, out_at},
                                        .rotate = rotates,
                                        .first = rotates && n > 0 ? p.random() % n : 0};
  p.plan((rotates ? "rotate of " : "reverse of ") + std::to_string(n) + " " + type.name, on,
         {times(wide{n} + at, type.size), times(wide{n} + out_at, type.size)},
         [&] { return plan(problem, on); },
         [&](const call_plan& plan) -> std::string {
           const std::string wrong = count_kernels(plan, n);
           if (n == 0 || !wrong.empty()) return wrong;
           if (plan.kernels.size() != 1) return "not one launch";
           return compare(plan.kernels[0],
                          {{"n", n}, {"by", problem.first}, {"x_offset", at}, {"out_offset", out_at}});
         });
}

template <class T>
void compare_reorder(call_comparer& r) {
  const std::size_t n = r.size(), at = r.offset(), out_at = r.offset();
  const bool rotates = n > 0 && r.coin();
  const clwave::reorder_problem problem{.in = {element_of<T>(), n, at},
                                        .out = {element_of<T>(), n, out_at},
                                        .rotate = rotates,
                                        .first = rotates ? r.random.below(n) : 0};
  r.compare_call(
      "reorder of " + std::to_string(n), [&] { return plan(problem, r.target()); },
      [&] {
        const auto x = r.in<T>(0, n, at), out = r.in<T>(1, n, out_at);
        if (rotates)
          clwave::rotate(r.queue(), x, out, problem.first);
        else
          clwave::reverse(r.queue(), x, out);
      });
}

template <class T>
void compare_move(call_comparer& r) {
  const std::size_t n = r.size(), reached = r.size() % 300000, at = r.offset(), indices_at = r.offset(),
                    out_at = r.offset();
  const bool scatters = r.coin(), counts = r.coin(), distinct = r.coin();
  const T outside = {};
  const std::size_t x_n = scatters ? n : reached, out_n = scatters ? reached : n;
  clwave::gather_problem problem{.in = {element_of<T>(), x_n, at},
                                 .indices = {element_of<u32>(), n, indices_at},
                                 .out = {element_of<T>(), out_n, out_at},
                                 .scatter = scatters,
                                 .outside = scatters ? nullptr : &outside,
                                 .distinct = scatters && distinct};
  if (counts) problem.bad = {element_of<u64>(), 1};
  r.compare_call(
      (scatters ? "scatter of " : "gather of ") + std::to_string(n) + " of " + std::to_string(reached),
      [&] { return plan(problem, r.target()); },
      [&] {
        const auto x = r.in<T>(0, x_n, at), out = r.in<T>(2, out_n, out_at);
        const auto indices = r.in<u32>(1, n, indices_at);
        const auto bad = r.in<u64>(3, 1);
        if (scatters && counts)
          clwave::scatter(r.queue(), x, indices, out, bad, {.distinct = distinct});
        else if (scatters)
          clwave::scatter(r.queue(), x, indices, out, {.distinct = distinct});
        else if (counts)
          clwave::gather(r.queue(), x, indices, out, bad, {.outside = outside});
        else
          clwave::gather(r.queue(), x, indices, out, {.outside = outside});
      });
}

keyed random_move(dice& d) {
  using namespace clwave::detail;
  const element in = random_element(d), out = d.flip() ? in : element_of<float>();
  clwave::map apply = random_map(d);
  apply.kind = clwave::map_kind::user;
  gather_variant v{.scatters = d.flip(),
                   .wide_indices = d.flip(),
                   .counts_bad = d.flip(),
                   .claim_bytes = 4 * d.below(3),
                   .group_size = d.flip() ? 1u : 256u,
                   .items = d.flip() ? 1u : 2u};
  static const element flags = element_of<float>(), bytes = element_of<std::uint8_t>();
  static const clwave::map above{.name = "above", .source = "x > 0"};
  if (d.flip()) {
    v.flag = d.flip() ? &flags : &bytes;
    if (v.flag == &flags || d.flip()) v.predicate = &above;
  }
  if (d.flip()) {
    v.element_bytes = d.flip() ? 4 : 24;
    v.has_outside = v.element_bytes == 24 && d.flip();
    if (!v.scatters && v.claim_bytes == 0) v.which = static_cast<gather_variant::indices>(d.below(3));
    v.vector = v.element_bytes == 4 && d.flip() ? 4 : 1;
  } else {
    v.in = &in;
    v.out = &out;
    v.apply = &apply;
  }
  return keyed_by(v);
}

// In the order of a permutation.
std::vector<float> gathered(const fixture& on, const view<float>& in) {
  std::vector<u32> order(in.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = static_cast<u32>(order.size() - 1 - i);
  const cl::Buffer indices = on.buffer_of(order);
  const guarded_buffer<float> out(on, in.size());
  clwave::gather(on.queue, in, view<u32>{indices, order.size()}, out.view()).wait();
  std::vector<float> all = out.read_guarded();
  const guarded_buffer<float> reversed(on, in.size()), rotated(on, in.size());
  clwave::reverse(on.queue, in, reversed.view());
  clwave::rotate(on.queue, in, rotated.view(), in.size() / 3).wait();
  for (const auto* more : {&reversed, &rotated}) {
    const std::vector<float> results = more->read_guarded();
    all.insert(all.end(), results.begin(), results.end());
  }
  return all;
}

std::vector<float> gather_by(const fixture& on, const cl::Buffer& in, const own_text& own) {
  const cl::Buffer out = on.buffer_of(std::vector<float>(100)), indices = on.buffer_of(std::vector<u32>(100));
  clwave::transform_gather(on.queue, view<float>{in, 100}, view<u32>{indices, 100}, view<float>{out, 100},
                           {.name = own.name, .source = own.source, .declarations = own.declarations})
      .wait();
  return on.read<float>(out, 100);
}

const registered_parts listed("gather", {{.events = events,
                                          .counts = counts,
                                          .plans = {{"gather", plan_one_move}, {"reorder", plan_one_reorder}},
                                          .compared = {{8, compare_move<float>},
                                                       {4, compare_reorder<float>},
                                                       {3, compare_reorder<std::uint8_t>, rows_without_lanes},
                                                       {4, compare_move<cl_float8>, rows_without_lanes}},
                                          .keys = {{"gather", random_move}},
                                          .results = {{"gather", gathered}},
                                          .texts = {{"gather", "x + 1", false, gather_by}}}});

}  // namespace
}  // namespace testing::parts_of_gather
