// What the tests of all primitives need of copy: its calls, its plans, its keys.
#include "harness/given.hpp"
#include "harness/parts.hpp"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <clwave.hpp>

#include "primitives/copy.hpp"

namespace testing::parts_of_copy {
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
  all.add("copy", {{5000, in}, {5000, out}},
          [](const queue& q, const buffers& b, bool empty, const launch_options& options) {
            return clwave::copy(q, part<u32>(b[0], 5000, empty), part<u32>(b[1], 5000, empty),
                                given(options));
          });
  all.add("copy that converts", {{5000, in}, {5000, out, true}},
          [](const queue& q, const buffers& b, bool empty, const launch_options& options) {
            return clwave::copy(q, part<u32>(b[0], 5000, empty), part<float>(b[1], 5000, empty),
                                given(options));
          });
  const std::pair<const char*, clwave::box> boxes[] = {
      {"copy of two dimensions", {.width = 37, .height = 20}},
      {"copy of three dimensions", {.width = 37, .height = 5, .depth = 4}}};
  for (const auto& [name, size] : boxes) {
    all.add(name, {{5000, in}, {5000, out}},
            [size = size](const queue& q, const buffers& b, bool empty, const launch_options& options) {
              return clwave::copy(
                  q, view<u32>{b[0], 5000}, view<u32>{b[1], 5000}, empty ? clwave::box{} : size,
                  launched(clwave::pitch_options{.in = {.row = 100}, .out = {.row = 90}}, options));
            });
  }
  all.add("fill", {{5000, out}},
          [](const queue& q, const buffers& b, bool empty, const launch_options& options) {
            return clwave::fill(q, part<u32>(b[0], 5000, empty), 42u, options);
          });
  return all;
}

void plan_one_copy(planner& p, const clwave::plan_target& on) {
  const element& from = p.any_element();
  const element& to = p.coin() ? from : p.any_element();
  constexpr clwave::rounding rounds[] = {clwave::rounding::natural, clwave::rounding::nearest_even,
                                         clwave::rounding::toward_zero, clwave::rounding::upward};
  const bool saturate = p.coin();
  const clwave::rounding round = p.one_of(rounds);
  const std::uint64_t n = p.size(), in_offset = p.offset(), out_offset = p.offset();
  p.plan(
      "copy of " + std::to_string(n) + " " + from.name + " to " + to.name, on,
      {(wide{in_offset} + n) * from.size, (wide{out_offset} + n) * to.size},
      [&] {
        return plan(clwave::copy_problem{{from, n, in_offset}, {to, n, out_offset}, saturate, round}, on);
      },
      [&](const call_plan& plan) -> std::string {
        if (n == 0) return count_kernels(plan, n);
        const bool moves = plan.words.end() == std::ranges::find(plan.words, "CONVERT",
                                                                 &std::pair<std::string, std::string>::first);
        const wide unit = moves ? from.size : from.components;
        return compare(plan.kernels.at(0), {{moves ? "bytes" : "n", n * unit},
                                            {"in_offset", in_offset * unit},
                                            {"out_offset", out_offset * unit},
                                            {"in", (wide{in_offset} + n) * from.size},
                                            {"out", (wide{out_offset} + n) * to.size}});
      });
}

void plan_one_box(planner& p, const clwave::plan_target& on) {
  const element& type = p.any_element();
  const clwave::box size{.width = p.size(), .height = p.size(), .depth = p.coin() ? 1 : p.size()};
  const auto pitches_for = [&] {
    clwave::pitches steps;
    if (p.random.below(3) == 0) steps.row = p.coin() ? size.width + p.random.below(9) : p.size();
    if (p.random.below(4) == 0) steps.slice = p.size();
    return steps;
  };
  const clwave::pitches in = pitches_for(), out = pitches_for();
  const std::uint64_t in_offset = p.offset(), out_offset = p.offset();
  const bool empty = size.width == 0 || size.height == 0 || size.depth == 0;
  const auto bytes_of = [&](const clwave::pitches& steps, std::uint64_t offset) -> wide {
    if (empty) return 0;
    const wide row = steps.row != 0 ? steps.row : size.width;
    const wide slice = steps.slice != 0 ? wide{steps.slice} : times(row, size.height);
    const wide extent = times(size.depth - 1, slice) + times(size.height - 1, row) + size.width;
    return times(extent + offset, type.size);
  };
  const wide in_bytes = bytes_of(in, in_offset), out_bytes = bytes_of(out, out_offset);
  p.plan(
      "copy of a box of " + std::to_string(size.depth) + " times " + std::to_string(size.height) + " times " +
          std::to_string(size.width) + " " + type.name,
      on, {in_bytes, out_bytes},
      [&] {
        return plan(clwave::box_problem{{type, 0, in_offset}, {type, 0, out_offset}, size, in, out}, on);
      },
      [&](const call_plan& plan) -> std::string {
        if (empty) return count_kernels(plan, 0);
        if (plan.n != wide{size.width} * size.height * size.depth) return "another number of elements";
        const planned_kernel& kernel = plan.kernels.at(0);
        std::string wrong = compare(kernel, {{"in_offset", wide{in_offset} * type.size},
                                             {"out_offset", wide{out_offset} * type.size},
                                             {"in", in_bytes},
                                             {"out", out_bytes}});
        if (!kernel.name.starts_with("copy_box"))
          return wrong + compare(kernel, {{"bytes", wide{plan.n} * type.size}});
        // All that is moved, in accesses of a power of two.
        const wide moved = times(argument(kernel, "width"), argument(kernel, "rows"));
        if (wide{plan.n} * type.size % moved != 0) wrong += " does not move all of it";
        return wrong;
      });
}

void plan_one_fill(planner& p, const clwave::plan_target& on) {
  const element& type = p.any_element();
  const std::uint64_t n = p.size(), offset = p.offset();
  const unsigned char value[128] = {1, 2, 3};
  p.plan(
      "fill of " + std::to_string(n) + " " + type.name, on, {(wide{offset} + n) * type.size},
      [&] {
        return plan(clwave::fill_problem{{type, n, offset}, value}, on);
      },
      [&](const call_plan& plan) -> std::string {
        if (n == 0) return count_kernels(plan, n);
        return compare(plan.kernels.at(0), {{"bytes", wide{n} * type.size},
                                            {"out_offset", wide{offset} * type.size},
                                            {"out", (wide{offset} + n) * type.size}});
      });
}

template <class From, class To>
void compare_copy(call_comparer& r) {
  const std::size_t n = r.size(), in = r.offset(), out = r.offset();
  const clwave::copy_options options{.saturate = r.coin()};
  r.compare_call(
      "copy of " + std::to_string(n) + " " + element_of<From>().name + " from " + std::to_string(in) +
          " to " + std::to_string(out),
      [&] {
        return plan(
            clwave::copy_problem{{element_of<From>(), n, in}, {element_of<To>(), n, out}, options.saturate},
            r.target());
      },
      [&] { clwave::copy(r.queue(), r.in<From>(0, n, in), r.in<To>(2, n, out), options); });
}

template <class T>
void compare_fill(call_comparer& r) {
  const std::size_t n = r.size(), out = r.offset();
  T value{};
  std::memset(static_cast<void*>(&value), 0x5a, sizeof value);
  r.compare_call(
      "fill of " + std::to_string(n) + " to " + std::to_string(out),
      [&] {
        return plan(clwave::fill_problem{{element_of<T>(), n, out}, &value}, r.target());
      },
      [&] { clwave::fill(r.queue(), r.in<T>(2, n, out), value); });
}

template <class T>
void compare_box(call_comparer& r) {
  const auto side = [&](std::size_t most) { return r.random.below(8) == 0 ? 0 : 1 + r.random.below(most); };
  const clwave::box size{.width = side(r.coin() ? 3000 : 20),
                         .height = side(r.coin() ? 200 : 2),
                         .depth = side(r.coin() ? 6 : 2)};
  const auto steps = [&]() -> clwave::pitches {
    clwave::pitches p;
    if (r.coin()) p.row = size.width + r.random.below(2) * 4 * r.random.below(9);
    if (r.coin()) p.slice = std::max(p.row, size.width) * size.height + 4 * r.random.below(9);
    if (r.random.below(6) == 0 && p.slice != 0) p.slice -= std::min<std::size_t>(p.slice - 1, 1);
    return p;
  };
  const clwave::pitches in = steps(), out = steps();
  const std::size_t in_offset = r.offset(), out_offset = r.offset();
  constexpr std::size_t n = buffer_bytes / sizeof(T) - 100;
  r.compare_call(
      "copy of a box of " + std::to_string(size.depth) + " times " + std::to_string(size.height) + " times " +
          std::to_string(size.width),
      [&] {
        return plan(
            clwave::box_problem{
                {element_of<T>(), 0, in_offset}, {element_of<T>(), 0, out_offset}, size, in, out},
            r.target());
      },
      [&] {
        clwave::copy(r.queue(), r.in<T>(0, n, in_offset), r.in<T>(2, n, out_offset), size,
                     {.in = in, .out = out});
      });
}

clwave::detail::copy_numbers random_numbers(dice& d) {
  return {.group_size = d.flip() ? 1u : 256u, .items = one_or_two(d), .vector_bytes = 16 * one_or_two(d)};
}

keyed random_copy(dice& d) {
  using namespace clwave;
  using namespace clwave::detail;
  static const std::array<const element*, 7> types{&element_of<float>(),         &element_of<double>(),
                                                   &element_of<std::int32_t>(),  &element_of<std::int8_t>(),
                                                   &element_of<std::uint32_t>(), &element_of<half>(),
                                                   &element_of<std::uint64_t>()};
  static const std::array rounds{rounding::natural, rounding::nearest_even, rounding::toward_zero,
                                 rounding::upward, rounding::downward};
  if (d.below(3) == 0) return keyed_by(move_variant{random_numbers(d)});
  return keyed_by(convert_variant{d.one_of(types), d.one_of(types), d.flip(), d.one_of(rounds),
                                  2 * one_or_two(d), random_numbers(d)});
}

keyed random_fill(dice& d) {
  using namespace clwave;
  using namespace clwave::detail;
  return keyed_by(fill_variant{random_numbers(d)});
}

std::vector<float> copied(const fixture& on, const view<float>& in) {
  const guarded_buffer<float> out(on, in.size());
  clwave::copy(on.queue, in, out.view()).wait();
  return out.read_guarded();
}
std::vector<float> filled(const fixture& on, const view<float>& in) {
  const guarded_buffer<float> out(on, in.size());
  clwave::fill(on.queue, out.view(), 3.5f).wait();
  return out.read_guarded();
}

const registered_parts listed(
    "copy", {{.events = events,
              .plans = {{"copy", plan_one_copy}, {"copy of a box", plan_one_box}, {"fill", plan_one_fill}},
              .compared = {{15, compare_copy<float, float>},
                           {15, compare_copy<std::uint8_t, std::uint8_t>},
                           {6, compare_copy<float, std::int16_t>},
                           {4, compare_copy<cl_float4, cl_int4>},
                           {15, compare_box<float>},
                           {15, compare_box<std::uint8_t>},
                           {5, compare_fill<clwave::u16>},
                           {5, compare_fill<cl_double4>}},
              .keys = {{"copy", random_copy}, {"fill", random_fill}},
              .results = {{"copy", copied}, {"fill", filled}}}});

}  // namespace
}  // namespace testing::parts_of_copy
