// What the tests of all primitives need of sorts by keys: their calls, their plans, their keys.
#include "parts.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include <clwave.hpp>

#include "primitives/key_sort.hpp"

namespace testing {
namespace {

using clwave::by;
using clwave::call_plan;
using clwave::element;
using clwave::element_of;
using clwave::launch_options;
using clwave::planned_kernel;
using clwave::sort_key;
using clwave::view;
using queue = cl::CommandQueue;
using u32 = std::uint32_t;
using namespace uses;

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
    all.add(most == 9000 ? "sort by keys" : "sort of many by keys", {{most, in}, {most, both}},
            [most](const queue& q, const buffers& b, bool empty, const launch_options& options) {
              const std::size_t n = empty ? 0 : most;
              return clwave::sort(q, view<u32>{b[0], n}, view<u32>{b[1], most}, two_keys()[0], options);
            });
  }
  all.add("sort_by_key by keys", {{9000, in}, {9000, in}, {9000, both}, {9000, both}},
          [](const queue& q, const buffers& b, bool empty, const launch_options& options) {
            const std::size_t n = empty ? 0 : 9000;
            return clwave::sort_by_key(q, view<u32>{b[0], n}, view<u32>{b[1], n}, view<u32>{b[2], 9000},
                                       view<u32>{b[3], 9000}, {two_keys()[0], two_keys()[1]}, options);
          });
  all.add("argsort by keys", {{9000, in}, {9000, both}},
          [](const queue& q, const buffers& b, bool empty, const launch_options& options) {
            const std::size_t n = empty ? 0 : 9000;
            return clwave::argsort(q, view<u32>{b[0], n}, view<u32>{b[1], 9000},
                                   {two_keys()[0], two_keys()[1]}, options);
          });
  return all;
}

void plan_one_sort(planner& p, const clwave::plan_target& on) {
  static const std::array<sort_key, 2> keys{by<std::uint8_t>({.name = "one", .source = "1"}),
                                            by<float>({.name = "two", .source = "2"})};
  const element& type = p.any_element();
  const element& value = p.any_element();
  const std::uint64_t n = p.size(), at = p.offset(), out_at = p.offset();
  const std::size_t texts = p.coin() ? 1 : 2;
  clwave::key_sort_question question{
      .keys = {type, at}, .n = n, .by = std::span(keys).subspan(2 - texts, texts)};
  const bool carries = p.coin();
  question.keys_out = {type, out_at};
  if (carries) question.values = question.values_out = value;
  question.keys_in_place = p.coin();
  p.plan(
      "sort by keys of " + std::to_string(n) + " " + type.name, on,
      {times(wide{n} + at, type.size), times(wide{n} + out_at, type.size),
       carries ? times(n, value.size) : 0},
      [&] { return plan(question, on); },
      [&](const call_plan& plan) -> std::string {
        if (n == 0) return count_kernels(plan, n);
        const auto count = [&](const std::string& name) {
          return std::ranges::count(plan.kernels, name, &planned_kernel::name);
        };
        if (plan.kernels[0].name != "key_sort_keys" || count("key_sort_keys") != std::ptrdiff_t(texts))
          return "another number of launches that make keys";
        if (count("key_sort_gather") != (question.keys_in_place ? 2 : 1)) return "elements are not gathered";
        if (count("key_sort_gather_values") != (carries ? 1 : 0)) return "values are not gathered";
        const wide keys_and_indices = wide{n} * (4 + (n >> 32 != 0 ? 8 : 4));
        const wide aside = question.keys_in_place ? wide{n} * type.size : wide{0};
        const bool spare = count("sort_move_keys") > 0;
        if (plan.workspace_bytes < keys_and_indices * (spare ? 2 : 1) + aside) return "too small a workspace";
        const planned_kernel& gather = *std::ranges::find(plan.kernels.rbegin(), plan.kernels.rend(),
                                                          "key_sort_gather", &planned_kernel::name);
        return compare(gather, {{"to_at", wide{out_at} * type.size}, {"ordered", 1}});
      });
}

template <class T>
void compare_sort(call_comparer& r) {
  const std::size_t n = r.size(), keys = r.offset(), values = r.offset(), out = r.offset(),
                    values_out = r.offset();
  const bool argsort = r.coin(), in_place = r.coin(), carries = r.coin();
  std::vector<sort_key> list{by<std::int16_t>({.name = "small", .source = "x * 9"}, {.descending = r.coin()}),
                             by<float>({.name = "self", .source = "x"})};
  list[0].of.values = r.some_values();
  if (r.coin()) list[1].of.values = r.some_values();
  if (r.coin()) list.pop_back();
  r.compare_call(
      "sort by keys of " + std::to_string(n) + " " + element_of<T>().name,
      [&] {
        const clwave::asked_operand from{element_of<T>(), keys};
        clwave::key_sort_question question{.keys = from, .n = n, .by = list};
        if (argsort) {
          question.values_out = {element_of<u32>(), values_out};
          return plan(question, r.target());
        }
        question.keys_in_place = in_place;
        question.keys_out = in_place ? from : clwave::asked_operand{element_of<T>(), out};
        if (carries) {
          question.values = {element_of<float>(), values};
          question.values_out = {element_of<float>(), values_out};
        }
        return plan(question, r.target());
      },
      [&] {
        const auto k = r.in<T>(0, n, keys);
        const auto to = in_place ? k : r.in<T>(2, n, out);
        const clwave::key_list order(list);
        if (argsort)
          clwave::argsort(r.queue(), k, r.in<u32>(3, n, values_out), order);
        else if (carries)
          clwave::sort_by_key(r.queue(), k, r.in<float>(1, n, values), to, r.in<float>(3, n, values_out),
                              order);
        else
          clwave::sort(r.queue(), k, to, order);
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
  const sort_variant numbers{.key = &element_of<u32>(),
                             .value_bytes = several ? index_bytes : 0,
                             .index_bytes = several ? 0 : index_bytes,
                             .group_size = d.flip() ? 1u : 256u};
  return keyed_by(key_sort_variant{.in = &in,
                                   .keys = keys,
                                   .gathered_bytes = argsort ? 0 : in.size,
                                   .gathered_value_bytes = argsort ? 0 : 6 * d.below(2),
                                   .index_bytes = index_bytes,
                                   .sort = numbers});
}

std::vector<float> in_order_by_keys(const fixture& on, const view<float>& in) {
  const guarded_buffer<float> out(on, in.size());
  clwave::sort(on.queue, in, out.view(),
               {by<std::int8_t>({.name = "whole", .source = "x"}),
                by<float>({.name = "self", .source = "x"}, {.descending = true})})
      .wait();
  return out.read_guarded();
}

std::vector<float> sort_by_text(const fixture& on, const cl::Buffer& in, const own_text& own) {
  const guarded_buffer<float> out(on, 100);
  clwave::sort(on.queue, view<float>{in, 100}, out.view(),
               by<float>({.name = own.name, .source = own.source, .declarations = own.declarations}))
      .wait();
  return out.read();
}

const registered_parts listed("key_sort", {{.events = events,
                                            .plans = {{"key_sort", plan_one_sort}},
                                            .compared = {{4, compare_sort<float>, rows_without_lanes}},
                                            .keys = {{"key_sort", random_sort}},
                                            .results = {{"key_sort", in_order_by_keys}},
                                            .texts = {{"key of a sort", "-x", false, sort_by_text}}}});

}  // namespace
}  // namespace testing
