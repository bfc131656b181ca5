// What the tests of all primitives need of layout: its calls, its plans, its keys.
#include "harness/parts.hpp"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <clwave.hpp>

#include "primitives/layout.hpp"

namespace testing::parts_of_layout {
namespace {

struct pair_of_words {
  u32 first = 0;
  u32 second = 0;
};

struct mixed {
  float a;
  std::uint8_t b;
  double c;
};

}  // namespace
}  // namespace testing::parts_of_layout

CLWAVE_STRUCTURE(testing::parts_of_layout::pair_of_words, "pair_of_words",
                 "typedef struct { uint first, second; } pair_of_words;")

namespace testing::parts_of_layout {
namespace {

event_list events() {
  event_list all;
  const clwave::layout fields = clwave::layout_of(&pair_of_words::first, &pair_of_words::second);
  all.add("aos_to_soa", {{4000, in}, {2000, out}, {2000, out}},
          [fields](auto& q, auto& b, bool empty, auto& options) {
            return clwave::aos_to_soa(q, part<pair_of_words>(b[0], 2000, empty), fields,
                                      {view<u32>{b[1], 2000}, view<u32>{b[2], 2000}}, options);
          });
  all.add("soa_to_aos", {{2000, in}, {2000, in}, {4000, out}},
          [fields](auto& q, auto& b, bool empty, auto& options) {
            return clwave::soa_to_aos(q, {view<u32>{b[0], 2000}, view<u32>{b[1], 2000}},
                                      part<pair_of_words>(b[2], 2000, empty), fields, options);
          });
  all.add("aos_to_aosoa", {{4000, in}, {4000, out}}, [fields](auto& q, auto& b, bool empty, auto& options) {
    return clwave::aos_to_aosoa(q, part<pair_of_words>(b[0], 2000, empty), fields,
                                view<std::uint8_t>{b[1], 16000}, 16, options);
  });
  all.add("aosoa_to_aos", {{4000, in}, {4000, out}}, [fields](auto& q, auto& b, bool empty, auto& options) {
    return clwave::aosoa_to_aos(q, view<std::uint8_t>{b[0], 16000}, 16,
                                part<pair_of_words>(b[1], 2000, empty), fields, options);
  });
  return all;
}

void plan_one_layout(planner& p, const clwave::plan_target& on) {
  clwave::layout fields;
  std::size_t packed = 0;
  const std::size_t count = 1 + p.random.below(16);
  for (std::size_t f = 0; f < count; ++f) {
    const std::size_t size = 1 + p.random.below(16);
    fields.fields.push_back({size, fields.size});
    fields.size += size + (p.random.below(3) == 0 ? p.random.below(8) : 0);
    packed += size;
  }
  const u64 n = p.size();
  const u64 block = p.coin() ? 0 : p.size();
  const bool to_soa = p.coin();
  std::vector<wide> bytes{wide{n} * fields.size};
  if (block != 0) bytes.push_back(times(times(blocks_of(n, block), block), packed));
  p.plan(
      "layout of " + std::to_string(n) + " in blocks of " + std::to_string(block), on, bytes,
      [&] {
        const element& byte = element_of<std::uint8_t>();
        const element structure =
            clwave::detail::make_element("moved", "", fields.size, clwave::element_kind::opaque, 1);
        const any_view structures(structure, n);
        if (block == 0)
          return plan(clwave::layout_problem{.fields = &fields, .to_soa = to_soa, .structures = structures},
                      on);
        const any_view blocks(byte, clwave::aosoa_bytes(fields, n, block));
        return plan(clwave::layout_blocks_problem{.fields = &fields,
                                                  .to_soa = to_soa,
                                                  .structures = structures,
                                                  .blocks = blocks,
                                                  .block = block},
                    on);
      },
      [&](const call_plan& plan) -> std::string {
        if (n == 0) return count_kernels(plan, n);
        return compare(plan.kernels.at(0), {{"n", n}, {"aos", wide{n} * fields.size}});
      });
}

void compare_layout(call_comparer& r) {
  static const clwave::layout fields = clwave::layout_of(&mixed::a, &mixed::b, &mixed::c);
  const std::size_t n = r.size() % 200000;
  const bool to_soa = r.coin();
  // One block for all, or several.
  const std::size_t block = r.random.below(3) == 0 ? 0 : r.coin() ? 1 + n / 3 : n + 1 + r.random.below(9);
  // Arrays one after the other in one buffer, as a plan has them that is not told where they lie, or in two.
  const auto after = [](std::size_t bytes) { return (bytes + 127) / 128 * 128; };
  const bool two_buffers = r.coin();
  const std::size_t b = two_buffers ? r.offset() : after(4 * n);
  const std::size_t c = two_buffers ? after(4 * n) + 8 * r.offset() : b + after(n);
  const std::size_t from = r.offset();
  const auto structures = r.in<mixed>(0, n, from);
  const any_view asked(element_of<std::uint8_t>(), n * sizeof(mixed), from * sizeof(mixed));
  r.compare_call(
      "layout of " + std::to_string(n) + " in blocks of " + std::to_string(block),
      [&] {
        if (block != 0)
          return plan(clwave::layout_blocks_problem{.fields = &fields,
                                                    .to_soa = to_soa,
                                                    .structures = asked,
                                                    .blocks = {element_of<std::uint8_t>(),
                                                               clwave::aosoa_bytes(fields, n, block)},
                                                    .block = block},
                      r.target());
        clwave::layout_problem problem{.fields = &fields, .to_soa = to_soa, .structures = asked};
        if (two_buffers)
          problem.arrays = {r.in<float>(2, n), r.in<std::uint8_t>(3, n, b), r.in<double>(2, n, c / 8)};
        return plan(problem, r.target());
      },
      [&] {
        if (block != 0) {
          const auto bytes = r.in<std::uint8_t>(2, clwave::aosoa_bytes(fields, n, block));
          if (to_soa)
            clwave::aos_to_aosoa(r.queue(), structures, fields, bytes, block);
          else
            clwave::aosoa_to_aos(r.queue(), bytes, block, structures, fields);
          return;
        }
        const std::vector<clwave::soa_field> arrays{
            r.in<float>(2, n), r.in<std::uint8_t>(two_buffers ? 3 : 2, n, b), r.in<double>(2, n, c / 8)};
        if (to_soa)
          clwave::aos_to_soa(r.queue(), structures, fields, arrays);
        else
          clwave::soa_to_aos(r.queue(), arrays, structures, fields);
      });
}

// A block that holds all structures.
void compare_one_block(call_comparer& r) {
  static const clwave::layout fields = clwave::layout_of(&mixed::a, &mixed::b, &mixed::c);
  r.compare_call(
      "one block",
      [&] {
        return plan(
            clwave::layout_blocks_problem{.fields = &fields,
                                          .structures = {element_of<std::uint8_t>(), 100 * sizeof(mixed)},
                                          .blocks = {element_of<std::uint8_t>(), 4000},
                                          .block = 128},
            r.target());
      },
      [&] {
        clwave::aos_to_aosoa(r.queue(), r.in<mixed>(0, 100), fields, r.in<std::uint8_t>(2, 4000), 128);
      });
}

keyed random_layout(dice& d) {
  using namespace clwave;
  using namespace clwave::detail;
  clwave::layout fields{.size = 8u * one_or_two(d), .fields = {{4, 0}}};
  if (d.flip()) fields.fields.push_back({d.flip() ? 4u : 2u, 4});
  layout_variant v{.fields = &fields,
                   .arrays = 1 + d.below(2),
                   .block = d.flip() ? 0u : 32u,
                   .to_soa = d.flip(),
                   .group_size = 32 * one_or_two(d),
                   .tile = 64 * one_or_two(d),
                   .packet_bytes = 8 * one_or_two(d)};
  for (std::size_t f = 0; f < fields.fields.size(); ++f)
    v.accesses[f] = {d.below(v.arrays), one_or_two(d), one_or_two(d)};
  return keyed_by(v);
}

std::vector<float> taken_apart(const fixture& on, const view<float>& in) {
  struct pair {
    float x, y;
  };
  const std::size_t n = in.size() / 2;
  const guarded_buffer<float> out(on, 2 * n);
  clwave::aos_to_soa(on.queue, view<pair>{in.buffer(), n}, clwave::layout_of(&pair::x, &pair::y),
                     {out.view().subview(0, n), out.view().subview(n, n)})
      .wait();
  return out.read_guarded();
}

const registered_parts listed("layout", {{.events = events,
                                          .plans = {{"layout", plan_one_layout}},
                                          .compared = {{15, compare_layout}, {1, compare_one_block}},
                                          .keys = {{"layout", random_layout}},
                                          .results = {{"layout", taken_apart}}}});

}  // namespace
}  // namespace testing::parts_of_layout
