// What the tests of all primitives need of searches that stop early: their calls, their plans, their keys.
#include "harness/given.hpp"
#include "harness/parts.hpp"

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include <clwave.hpp>

#include "families/sorted_keys.hpp"
#include "primitives/search.hpp"

namespace testing::parts_of_search {
namespace {

using clwave::search_kind;

// The seed decides where the first of these stands.
const clwave::map& is_seven =
    *clwave::detail::never_destroyed(clwave::map{.name = "seven", .source = "x == 7"});

event_list events() {
  event_list all;
  all.add("find_if", {{5000, in}, {2, out}}, [](auto& q, auto& b, bool empty, auto& options) {
    return clwave::find_if(q, part<u32>(b[0], 5000, empty), view<u64>{b[1], 1}, is_seven, options);
  });
  all.add("any_of", {{50, in}, {1, out}}, [](auto& q, auto& b, bool empty, auto& options) {
    return clwave::any_of(q, part<u32>(b[0], 50, empty), view<bool>{b[1], 1}, is_seven, options);
  });
  all.add("mismatch", {{5000, in}, {5000, in}, {2, out}}, [](auto& q, auto& b, bool empty, auto& options) {
    return clwave::mismatch(q, part<u32>(b[0], 5000, empty), part<u32>(b[1], 5000, empty), view<u64>{b[2], 1},
                            options);
  });
  all.add("is_sorted", {{5000, in}, {1, out}}, [](auto& q, auto& b, bool empty, auto& options) {
    return clwave::is_sorted(q, part<u32>(b[0], 5000, empty), view<bool>{b[1], 1}, given(options));
  });
  return all;
}

value_list values() {
  value_list all;
  all.add(
      "find_if", {{5000, in}}, true,
      [](auto& q, auto& b, bool empty, auto& options) {
        return clwave::find_if(q, part<u32>(b[0], 5000, empty), is_seven, options);
      },
      [](auto& q, auto& b, bool empty, auto& options) {
        return clwave::find_if_async(q, part<u32>(b[0], 5000, empty), is_seven, options);
      });
  all.add(
      "mismatch", {{5000, in}}, true,
      [](auto& q, auto& b, bool empty, auto& options) {
        const view<u32> x = part<u32>(b[0], 5000, empty);
        return clwave::mismatch(q, x, x, {.name = "not seven", .source = "a != 7"}, options);
      },
      [](auto& q, auto& b, bool empty, auto& options) {
        const view<u32> x = part<u32>(b[0], 5000, empty);
        return clwave::mismatch_async(q, x, x, {.name = "not seven", .source = "a != 7"}, options);
      });
  return all;
}

void plan_one_search(planner& p, const clwave::plan_target& on) {
  static const clwave::map predicate{.name = "any", .source = "1"};
  static const clwave::op text{.name = "text", .source = "0"};
  static const search_kind kinds[] = {search_kind::find_if,  search_kind::any_of, search_kind::all_of,
                                      search_kind::none_of,  search_kind::equal,  search_kind::mismatch,
                                      search_kind::is_sorted};
  const search_kind kind = p.one_of(kinds);
  const element& type = p.any_element();
  const bool two = kind == search_kind::equal || kind == search_kind::mismatch;
  const bool index = kind == search_kind::find_if || kind == search_kind::mismatch;
  const u64 n = p.size(), at = p.offset(), y_at = p.offset();
  clwave::search_problem problem{
      .kind = kind, .in = {type, n, at}, .predicate = &predicate, .same = &text, .less = &text};
  if (two) problem.in2 = {type, n, y_at};
  if (p.coin()) problem.out = {index ? element_of<u64>() : element_of<bool>(), 1};
  p.plan(
      "a search of " + std::to_string(n) + " " + type.name, on,
      {times(wide{n} + at, type.size), two ? times(wide{n} + y_at, type.size) : 0},
      [&] { return plan(problem, on); },
      [&](const call_plan& plan) -> std::string {
        const std::string wrong = count_kernels(plan, n);
        if (n == 0 || !wrong.empty()) return wrong;
        const planned_kernel& main = plan.kernels.front();
        if (plan.kernels.size() > 2 || (plan.kernels.size() == 2 && plan.kernels[1].groups != 1))
          return "other launches than the search and its result";
        const wide tile = wide{main.group_size} * word(plan, "ITEMS") * word(plan, "VECTOR");
        if (main.groups == 0 || wide{main.groups} > blocks_of(wide{n} + argument(main, "head"), tile))
          return "more groups than tiles, or none";
        return compare(main, {{"n", n}, {"x_offset", at}});
      });
}

template <class T>
void compare_search(call_comparer& r) {
  clwave::map predicate{.name = "large", .source = "x > 3e38f"};
  predicate.values = r.some_values();
  const std::size_t n = std::max<std::size_t>(r.size(), 1), at = r.offset(), y_at = r.offset();
  const bool two = r.coin(), sorted = !two && r.coin();
  const search_kind kind = two ? search_kind::equal : sorted ? search_kind::is_sorted : search_kind::find_if;
  clwave::search_problem problem{.kind = kind, .in = {element_of<T>(), n, at}, .predicate = &predicate};
  if (two) problem.in2 = {element_of<T>(), n, y_at};
  problem.out = {kind == search_kind::find_if ? element_of<u64>() : element_of<bool>(), 1};
  r.compare_call(
      "a search of " + std::to_string(n), [&] { return plan(problem, r.target()); },
      [&] {
        const auto x = r.in<T>(0, n, at), y = r.in<T>(1, n, y_at);
        if (two)
          clwave::equal(r.queue(), x, y, r.in<bool>(2, 1));
        else if (sorted)
          clwave::is_sorted(r.queue(), x, r.in<bool>(2, 1));
        else
          clwave::find_if(r.queue(), x, r.in<u64>(2, 1), predicate);
      });
}

keyed random_search(dice& d) {
  using namespace clwave::detail;
  const random_comparison keys(d);
  const element value = random_element(d);
  clwave::map predicate = random_map(d);
  predicate.kind = clwave::map_kind::user;
  clwave::op same = random_op(d);
  same.kind = clwave::op_kind::user;
  search_variant v{.kind = static_cast<search_kind>(d.below(7)),
                   .value = &value,
                   .group_size = d.flip() ? 1u : 256u,
                   .items = one_or_two(d),
                   .count_bytes = 4 * d.below(3)};
  v.keys.key = &value;
  if (v.kind == search_kind::is_sorted) {
    v.keys = keys.made();
    v.value = v.keys.key;
  } else if (v.kind == search_kind::mismatch || v.kind == search_kind::equal) {
    v.same = &same;
  } else {
    v.predicate = &predicate;
  }
  return keyed_by(v);
}

std::vector<float> found(const fixture& on, const view<float>& in) {
  const u64 index = clwave::find_if(on.queue, in, {.name = "late", .source = "i > 700 && x > 0"});
  return {static_cast<float>(index)};
}

std::vector<float> find_by(const fixture& on, const cl::Buffer& in, const own_text& own) {
  const bool any =
      clwave::any_of(on.queue, view<float>{in, 100},
                     clwave::map{.name = own.name, .source = own.source, .declarations = own.declarations});
  return {any ? 1.0f : 0.0f};
}

const registered_parts listed("search", {{.events = events,
                                          .values = values,
                                          .plans = {{"search", plan_one_search}},
                                          .compared = {{8, compare_search<float>, rows_without_lanes},
                                                       {2, compare_search<float>}},
                                          .keys = {{"search", random_search}},
                                          .results = {{"search", found}},
                                          .texts = {{"search", "x + 1", false, find_by}}}});

}  // namespace
}  // namespace testing::parts_of_search
