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

event_list events() {
  event_list all;
  all.add("copy", {{5000, in}, {5000, out}}, [](auto& q, auto& b, bool empty, auto& options) {
    return clwave::copy(q, part<u32>(b[0], 5000, empty), part<u32>(b[1], 5000, empty), given(options));
  });
  all.add(
      "copy that converts", {{5000, in}, {5000, out, true}}, [](auto& q, auto& b, bool empty, auto& options) {
        return clwave::copy(q, part<u32>(b[0], 5000, empty), part<float>(b[1], 5000, empty), given(options));
      });
  const std::pair<const char*, clwave::box> boxes[] = {
      {"copy of two dimensions", {.width = 37, .height = 20}},
      {"copy of three dimensions", {.width = 37, .height = 5, .depth = 4}}};
  for (const auto& [name, size] : boxes) {
    all.add(name, {{5000, in}, {5000, out}}, [size = size](auto& q, auto& b, bool empty, auto& options) {
      return clwave::copy(q, view<u32>{b[0], 5000}, view<u32>{b[1], 5000}, empty ? clwave::box{} : size,
                          launched(clwave::pitch_options{.in = {.row = 100}, .out = {.row = 90}}, options));
    });
  }
  // Starts are starts in the output, too: wherever ranges overlap, they bring one value, whatever the
  // operands hold. 200 of them are copied by one launch.
  struct {
    const char* name;
    std::size_t ranges;
    bool counts;
  } const of_ranges[] = {{"copy_ranges", 200, false}, {"copy_ranges, counted", 300, true}};
  for (const auto& each : of_ranges) {
    std::vector<call_operand> operands{{5000, in}, {each.ranges, in}, {each.ranges, in}, {5000, out}};
    if (each.counts) operands.push_back({2, out});
    all.add(each.name, operands, [each](auto& q, auto& b, bool empty, auto& options) {
      const view<u32> x{b[0], 5000}, copied{b[3], 5000};
      const view<u32> starts = part<u32>(b[1], each.ranges, empty),
                      lengths = part<u32>(b[2], each.ranges, empty);
      if (each.counts)
        return clwave::copy_ranges(q, x, starts, lengths, copied, starts, view<u64>{b[4], 1}, options);
      return clwave::copy_ranges(q, x, starts, lengths, copied, starts, options);
    });
  }
  all.add("fill", {{5000, out}}, [](auto& q, auto& b, bool empty, auto& options) {
    return clwave::fill(q, part<u32>(b[0], 5000, empty), 42u, options);
  });
  return all;
}

std::vector<count_call> counts() {
  return {{"checked_copy_ranges",
           {{200, in}, {300, in}, {300, in}, {200, out}, {300, in}},
           [](auto& q, auto& b, bool empty, auto& options) {
             clwave::checked_copy_ranges(q, view<u32>{b[0], 200}, part<u32>(b[1], 300, empty),
                                         part<u32>(b[2], 300, empty), view<u32>{b[3], 200},
                                         part<u32>(b[4], 300, empty), options);
             return 0;
           }}};
}

void plan_one_copy(planner& p, const clwave::plan_target& on) {
  const element& from = p.any_element();
  const element& to = p.coin() ? from : p.any_element();
  constexpr clwave::rounding rounds[] = {clwave::rounding::natural, clwave::rounding::nearest_even,
                                         clwave::rounding::toward_zero, clwave::rounding::upward};
  const bool saturate = p.coin();
  const clwave::rounding round = p.one_of(rounds);
  const u64 n = p.size(), in_offset = p.offset(), out_offset = p.offset();
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
  const u64 in_offset = p.offset(), out_offset = p.offset();
  const bool empty = size.width == 0 || size.height == 0 || size.depth == 0;
  const auto bytes_of = [&](const clwave::pitches& steps, u64 offset) -> wide {
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
  const u64 n = p.size(), offset = p.offset();
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

void plan_ranges(planner& p, const clwave::plan_target& on) {
  const element& type = p.any_element();
  const element& number = p.coin() ? element_of<u32>() : element_of<u64>();
  const u64 ranges = p.size(), n = p.size(), reached = p.size(), at = p.offset(), out_at = p.offset(),
            starts_at = p.offset();
  clwave::copy_ranges_problem problem{.in = {type, n, at},
                                      .starts = {number, ranges, starts_at},
                                      .lengths = {number, ranges},
                                      .out = {type, reached, out_at},
                                      .out_starts = {number, ranges}};
  if (p.coin()) problem.bad = any_view(element_of<u64>(), 1);
  p.plan(
      "copy of " + std::to_string(ranges) + " ranges of " + type.name, on,
      {reach(n, at, type.size), reach(reached, out_at, type.size), reach(ranges, starts_at, number.size)},
      [&] { return plan(problem, on); },
      [&](const call_plan& plan) -> std::string {
        if (ranges == 0) return count_kernels(plan, 0);
        const wide window = word(plan, "RANGE_WINDOW");
        const bool is_one = wide{ranges} <= window;
        if (plan.kernels.size() != (is_one ? 1u : 3u)) return "another number of launches";
        const planned_kernel& copies = plan.kernels.back();
        if (copies.name != "copy_ranges") return "the last kernel is " + copies.name;
        if (!is_one) {
          if (plan.workspace_bytes < times(blocks_of(ranges, window) + 1, problem.bad ? 12 : 8) - 4)
            return "too small a workspace";
          if (blocks_of(ranges, window) != argument(copies, "windows")) return "other windows";
        } else if (plan.workspace_bytes != 0) {
          return "a workspace for one launch";
        }
        return compare(copies, {{"ranges", ranges},
                                {"n", n},
                                {"reach", reached},
                                {"element_bytes", type.size},
                                {"starts_offset", starts_at},
                                {"x_offset", wide{at} * type.size},
                                {"out_offset", wide{out_at} * type.size}});
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

template <class T>
void compare_ranges(call_comparer& r) {
  const std::size_t ranges = r.size() % 300000, n = r.size(), reached = r.size() % 300000, at = r.offset(),
                    out_at = r.offset(), starts_at = r.offset(), lengths_at = starts_at + ranges + r.offset(),
                    out_starts_at = lengths_at + ranges + r.offset();
  const bool counts = r.coin() && ranges != 0;
  clwave::copy_ranges_problem problem{.in = {element_of<T>(), n, at},
                                      .starts = {element_of<u32>(), ranges, starts_at},
                                      .lengths = {element_of<u32>(), ranges, lengths_at},
                                      .out = {element_of<T>(), reached, out_at},
                                      .out_starts = {element_of<u32>(), ranges, out_starts_at}};
  if (counts) problem.bad = any_view(element_of<u64>(), 1);
  r.compare_call(
      "copy of " + std::to_string(ranges) + " ranges of " + element_of<T>().name,
      [&] { return plan(problem, r.target()); },
      [&] {
        const auto x = r.in<T>(0, n, at), out = r.in<T>(2, reached, out_at);
        const auto starts = r.in<u32>(1, ranges, starts_at), lengths = r.in<u32>(1, ranges, lengths_at),
                   out_starts = r.in<u32>(1, ranges, out_starts_at);
        if (counts)
          clwave::copy_ranges(r.queue(), x, starts, lengths, out, out_starts, r.in<u64>(3, 1));
        else
          clwave::copy_ranges(r.queue(), x, starts, lengths, out, out_starts);
      });
}

clwave::detail::copy_numbers random_numbers(dice& d) {
  return {.group_size = d.flip() ? 1u : 256u, .items = one_or_two(d), .vector_bytes = 16 * one_or_two(d)};
}

keyed random_copy(dice& d) {
  using namespace clwave;
  using namespace clwave::detail;
  static const std::array<const element*, 7> types{
      &element_of<float>(), &element_of<double>(), &element_of<std::int32_t>(), &element_of<std::int8_t>(),
      &element_of<u32>(),   &element_of<half>(),   &element_of<u64>()};
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

keyed random_ranges(dice& d) {
  using namespace clwave::detail;
  const copy_numbers numbers = random_numbers(d);
  return keyed_by(ranges_variant{.numbers = numbers,
                                 .window = numbers.group_size == 1 ? 128 * one_or_two(d) : 256,
                                 .part_bytes = 1u << d.below(5),
                                 .wide_indices = d.flip(),
                                 .one_window = d.flip(),
                                 .counts_bad = d.flip()});
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

// Segments of all lengths from the last to the first; the first ones are more than one window has.
std::vector<float> copied_ranges(const fixture& on, const view<float>& in) {
  const std::vector<u32> offsets = some_offsets(in.size());
  std::vector<u32> lengths, out_starts;
  for (std::size_t s = 0; s + 1 < offsets.size(); ++s) {
    lengths.push_back(offsets[s + 1] - offsets[s]);
    out_starts.push_back(static_cast<u32>(in.size()) - offsets[s + 1]);
  }
  const std::size_t ranges = lengths.size();
  const cl::Buffer from = on.buffer_of(offsets), sizes = on.buffer_of(lengths), to = on.buffer_of(out_starts);
  const guarded_buffer<float> out(on, in.size());
  clwave::copy_ranges(on.queue, in, view<u32>{from, ranges}, view<u32>{sizes, ranges}, out.view(),
                      view<u32>{to, ranges})
      .wait();
  return out.read_guarded();
}

const registered_parts listed(
    "copy", {{.events = events,
              .counts = counts,
              .plans = {{"copy", plan_one_copy},
                        {"copy of a box", plan_one_box},
                        {"copy_ranges", plan_ranges},
                        {"fill", plan_one_fill}},
              .compared = {{15, compare_copy<float, float>},
                           {15, compare_copy<std::uint8_t, std::uint8_t>},
                           {6, compare_copy<float, std::int16_t>},
                           {4, compare_copy<cl_float4, cl_int4>},
                           {4, compare_ranges<float>, rows_without_lanes},
                           {4, compare_ranges<std::uint8_t>, rows_without_lanes},
                           {15, compare_box<float>},
                           {15, compare_box<std::uint8_t>},
                           {5, compare_fill<u16>},
                           {5, compare_fill<cl_double4>}},
              .keys = {{"copy", random_copy}, {"copy_ranges", random_ranges}, {"fill", random_fill}},
              .results = {{"copy", copied}, {"copy_ranges", copied_ranges}, {"fill", filled}}}});

}  // namespace
}  // namespace testing::parts_of_copy
