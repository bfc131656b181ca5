// What the tests of all primitives need of reduce: its calls, its plans, its keys.
#include "harness/parts.hpp"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <clwave.hpp>

#include "primitives/reduce.hpp"

namespace testing::parts_of_reduce {
namespace {

// An operator with an identity that only the device can tell.
const clwave::op& own_plus =
    *clwave::detail::never_destroyed(clwave::op{.name = "own_plus",
                                                .source = "a + b",
                                                .identity = "nothing()",
                                                .declarations = "uint nothing(void) { return 0u; }"});

event_list events() {
  event_list all;
  const std::pair<const char*, std::size_t> reductions[] = {{"reduce, one tile", 1000},
                                                            {"reduce, many tiles", 40000}};
  for (const auto& [name, n] : reductions) {
    all.add(name, {{n, in}, {1, out}}, [n = n](auto& q, auto& b, bool empty, auto& options) {
      return clwave::reduce(q, part<u32>(b[0], n, empty), view<u32>{b[1], 1}, clwave::plus, options);
    });
  }
  all.add("reduce, an operator of one's own", {{20000, in}, {1, out}},
          [](auto& q, auto& b, bool empty, auto& options) {
            return clwave::reduce(q, part<u32>(b[0], 20000, empty), view<u32>{b[1], 1}, own_plus, options);
          });
  all.add("transform_reduce of two inputs", {{20000, in}, {20000, in}, {1, out}},
          [](auto& q, auto& b, bool empty, auto& options) {
            return clwave::transform_reduce(
                q, clwave::zip(part<u32>(b[0], 20000, empty), part<u32>(b[1], 20000, empty)),
                view<u32>{b[2], 1}, clwave::plus, clwave::product, options);
          });
  all.add("reduce from a start value", {{20000, in}, {1, out}},
          [](auto& q, auto& b, bool empty, auto& options) {
            clwave::reduce_options<u32> started = options;
            started.start = 5u;
            return clwave::reduce(q, part<u32>(b[0], 20000, empty), view<u32>{b[1], 1}, started);
          });
  all.add("count_if", {{20000, in}, {2, out}}, [](auto& q, auto& b, bool empty, auto& options) {
    return clwave::count_if(q, part<u32>(b[0], 20000, empty), view<u64>{b[1], 1},
                            clwave::map{.name = "large", .source = "x > 50"}, options);
  });
  all.add("minmax", {{40, in}, {2, out}}, [](auto& q, auto& b, bool empty, auto& options) {
    return clwave::minmax(q, part<u32>(b[0], 40, empty), view<clwave::min_and_max<u32>>{b[1], 1}, options);
  });
  return all;
}

// A call, and the one of the same arguments whose value comes later.
#define NOW_AND_LATER(call, ...)                                                                      \
  [=](auto& q, auto& b, bool empty, auto& options) { return clwave::call(q, __VA_ARGS__, options); }, \
      [=](auto& q, auto& b, bool empty, auto& options) {                                              \
        return clwave::call##_async(q, __VA_ARGS__, options);                                         \
      }

value_list values() {
  value_list all;
  for (const std::size_t n : {1000u, 40000u})
    all.add(n == 1000 ? "reduce, one tile" : "reduce, many tiles", {{n, in}}, true,
            NOW_AND_LATER(reduce, part<u32>(b[0], n, empty), clwave::plus));
  all.add("reduce, an operator of one's own", {{20000, in}}, true,
          NOW_AND_LATER(reduce, part<u32>(b[0], 20000, empty), own_plus));
  all.add("transform_reduce", {{20000, in}}, true,
          NOW_AND_LATER(transform_reduce, part<u32>(b[0], 20000, empty), clwave::plus, clwave::square));
  all.add("dot", {{20000, in}, {20000, in}}, true,
          NOW_AND_LATER(dot, part<u32>(b[0], 20000, empty), part<u32>(b[1], 20000, empty)));
  const clwave::map large{.name = "large", .source = "x > 50"};
  all.add("count_if", {{5000, in}}, true, NOW_AND_LATER(count_if, part<u32>(b[0], 5000, empty), large));
  all.add(
      "mean_and_variance", {{40, in}}, true,
      [](auto& q, auto& b, bool empty, auto& options) {
        return clwave::mean_and_variance<float>(q, part<u32>(b[0], 40, empty), options);
      },
      [](auto& q, auto& b, bool empty, auto& options) {
        return clwave::mean_and_variance_async<float>(q, part<u32>(b[0], 40, empty), options);
      });
  // The first of the least or the largest: also the seed decides where it stands.
  all.add("argmin", {{40, in}}, false, NOW_AND_LATER(argmin, part<u32>(b[0], 40, empty)));
  all.add("argmax", {{40, in}}, false, NOW_AND_LATER(argmax, part<u32>(b[0], 40, empty)));
  return all;
}
#undef NOW_AND_LATER

void plan_one_reduce(planner& p, const clwave::plan_target& on) {
  static const clwave::op mine{.name = "mine", .source = "a * 3 + b", .identity = "", .commutative = false};
  static const clwave::op folds[] = {clwave::plus, clwave::max,    clwave::detail::argmin_op,
                                     mine,         clwave::bit_or, clwave::logical_and};
  const element& type = p.any_element();
  const clwave::op& fold = p.one_of(folds);
  static const element acc_float = element_of<indexed<float>>();
  const element& acc = fold.kind == clwave::op_kind::argmin              ? acc_float
                       : type.kind == clwave::element_kind::half_storage ? element_of<float>()
                                                                         : type;
  const bool two = p.coin();
  const u64 n = p.size();
  const clwave::map& apply = two ? clwave::product : clwave::identity;
  clwave::reduce_problem problem{{type, n, p.coin() ? 1u : 0u}, &acc, &fold, &apply};
  if (two) problem.in2 = problem.in;
  problem.out = acc;
  const bool piece = p.coin() && p.coin();
  if (piece) problem.piece_at = 3 * clwave::fold_tile;
  // Plans do not read it.
  static constexpr unsigned char start[32] = {};
  const bool takes_start =
      &fold == &folds[0] || &fold == &folds[1] || &fold == &folds[3] || &fold == &folds[4];
  if (!piece && takes_start && p.coin()) problem.start = start;
  p.plan(
      "reduce of " + std::to_string(n) + " " + type.name + (piece ? ", a piece" : ""), on,
      {wide{n} * type.size}, [&] { return plan(problem, on); },
      [&](const call_plan& plan) -> std::string {
        if (n == 0) return plan.kernels.empty() ? "" : "a kernel for nothing";
        std::string wrong = compare(plan.kernels.at(0), {{"n", n}});
        wide least = clwave::detail::workspace::own_at, most = least + 16 * acc.size;
        wide count = n;
        do {
          count = blocks_of(count, clwave::fold_tile);
          if (blocks_of(n, clwave::fold_tile) > 1) least += count * std::min<std::size_t>(acc.size, 4);
          most += (count + 256) * acc.size;
        } while (count > 1);
        // The kernel for one tile takes none where the result goes to a buffer.
        if (plan.kernels[0].name == "reduce_tile" || piece) least = most = 0;
        if ((plan.kernels[0].name == "reduce_piece") != piece) wrong += " the kernel of another problem";
        if (plan.workspace_bytes < least || plan.workspace_bytes > most)
          wrong += " a workspace of " + std::to_string(plan.workspace_bytes) + " bytes";
        if (plan.kernels[0].name != "reduce_tile" && argument(plan.kernels[0], "share") == 0)
          wrong += " no share";
        return wrong;
      });
}

template <class T, class Acc>
void compare_reduce(call_comparer& r) {
  static const clwave::op mine{.name = "mine", .source = "a + b", .identity = "3 - 3", .commutative = false};
  clwave::op fold = r.random.below(3) == 0 ? mine : clwave::plus;
  if (fold.kind == clwave::op_kind::user) fold.values = r.some_values();
  const std::size_t n = r.size();
  const bool misaligned = r.coin(), two = r.coin(), to_host = n == 0 || r.coin(), later = r.coin();
  const std::size_t offset = misaligned ? 1 : 0;
  const clwave::map& apply = two ? clwave::product : clwave::identity;
  const auto x = r.in<T>(0, n, offset), y = r.in<T>(1, n, offset);
  r.compare_call(
      "reduce of " + std::to_string(n) + " " + element_of<T>().name,
      [&] {
        const any_view in(element_of<T>(), n, offset);
        clwave::reduce_problem problem{in, &element_of<Acc>(), &fold, &apply};
        if (two) problem.in2 = in;
        if (!to_host) problem.out = element_of<Acc>();
        return plan(problem, r.target());
      },
      [&] {
        const auto out = r.in<Acc>(2, 1);
        if (two && later && !to_host)
          static_cast<void>(clwave::transform_reduce_async<Acc>(r.queue(), clwave::zip(x, y), fold, apply));
        else if (later && !to_host)
          static_cast<void>(clwave::reduce_async<Acc>(r.queue(), x, fold));
        else if (two && to_host)
          clwave::transform_reduce<Acc>(r.queue(), clwave::zip(x, y), fold, apply);
        else if (two)
          clwave::transform_reduce(r.queue(), clwave::zip(x, y), out, fold, apply);
        else if (to_host)
          clwave::reduce<Acc>(r.queue(), x, fold);
        else
          clwave::reduce(r.queue(), x, out, fold);
      });
}

std::vector<float> sums(const fixture& on, const view<float>& in) {
  const clwave::moments<float> all = clwave::mean_and_variance(on.queue, in);
  const clwave::min_and_max<float> ends = clwave::minmax(on.queue, in);
  return {clwave::reduce(on.queue, in),
          clwave::reduce(on.queue, in.subview(4, in.size() - 4)),
          clwave::reduce(on.queue, in, {.start = 0.375f}),
          all.mean,
          all.squares,
          ends.min,
          ends.max,
          static_cast<float>(clwave::count_if(on.queue, in, {.name = "positive", .source = "x > 0"}))};
}

std::vector<float> fold_by(const fixture& on, const cl::Buffer& in, const own_text& own) {
  const clwave::op fold{
      .name = own.name, .source = own.source, .identity = own.identity, .declarations = own.declarations};
  return {clwave::reduce(on.queue, view<float>{in, 100}, fold)};
}

keyed random_reduce(dice& d) {
  using namespace clwave;
  using namespace clwave::detail;
  // A few elements, operators and maps, each often.
  const random_fold f(d);
  return keyed_by(reduce_variant{.fold = {.value = &f.value,
                                          .accumulator = &f.acc,
                                          .fold = &f.fold,
                                          .apply = &f.apply,
                                          .two_inputs = d.flip(),
                                          .group_size = d.flip() ? 128u : 256u,
                                          .vector = one_or_two(d),
                                          .items = one_or_two(d),
                                          .registers = d.flip() ? 0u : 64u,
                                          .wide = d.flip(),
                                          .by_element = d.flip(),
                                          .contiguous = d.flip(),
                                          .to_host = d.flip(),
                                          .counts = f.apply.kind == map_kind::user && d.flip()},
                                 .one_tile = d.flip(),
                                 .piece = d.flip(),
                                 .has_start = d.flip()});
}

const registered_parts listed("reduce",
                              {{.events = events,
                                .values = values,
                                .plans = {{"reduce", plan_one_reduce}},
                                .compared = {{12, compare_reduce<float, float>, rows_without_lanes},
                                             {4, compare_reduce<std::uint8_t, u32>, rows_without_lanes},
                                             {2, compare_reduce<float, float>, row_with_lanes}},
                                .keys = {{"reduce", random_reduce}},
                                .results = {{"reduce", sums}},
                                .texts = {{"reduce", "a + b", true, fold_by}}}});

}  // namespace
}  // namespace testing::parts_of_reduce
