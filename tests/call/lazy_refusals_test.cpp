// Inputs that are no arrays: which of them are refused.
#if __has_include(<clwave/gather.hpp>) && __has_include(<clwave/histogram.hpp>) && \
    __has_include(<clwave/reduce_columns.hpp>) && __has_include(<clwave/reduce_rows.hpp>) && \
    __has_include(<clwave/scan.hpp>) && __has_include(<clwave/select.hpp>) && \
    __has_include(<clwave/sort.hpp>) && __has_include(<clwave/transform.hpp>)
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <clwave.hpp>

#include "harness/devices.hpp"
#include "harness/refusals.hpp"

namespace testing::lazy_refusals_test {

using clwave::lazy_view;

TEST_CASE_FIXTURE(on_device, "what cannot be is refused before anything is enqueued") {
  const cl::Buffer a = on.buffer_of(std::vector<float>(100, 1)), b = on.buffer_of(std::vector<float>(100, 1));
  const view<float> x{a, 100}, out{b, 100};
  const view<u32> indices{b, 100};
  const map twice{.name = "twice", .source = "x * 2"};
  refuses("a step of 0", [&] { clwave::strided(x, 0); });
  refuses("100 and 99", [&] { clwave::zip(x, view<int>{b, 99}); });
  refuses("no input of another", [&] { clwave::zip(x, clwave::generate<float>(100, twice), x); });
  refuses("ends past its buffer",
          [&] { clwave::reduce(on.queue, clwave::gather_of(view<float>(a, 101), indices)); });
  refuses("overlap", [&] { clwave::inclusive_scan(on.queue, clwave::reversed(x), view<float>{a, 100}); });
  refuses("overlap", [&] { clwave::inclusive_scan(on.queue, clwave::gather_of(x, indices), out); });
  refuses("34 elements, the output 100",
          [&] { clwave::transform(on.queue, clwave::strided(x, 3), out, twice); });
  refuses("lie nowhere", [&] { clwave::sort(on.queue, clwave::reversed(x), out); });
  refuses("lie nowhere",
          [&] { clwave::gather(on.queue, clwave::reversed(x), indices, view<float>(a, 100)); });
  refuses("110 elements of the input, which has 100", [&] {
    clwave::reduce_rows(on.queue, clwave::reversed(x), out, {.rows = 11, .columns = 10}, clwave::plus);
  });
  const map taken{.name = "taken", .source = "x * w", .values = {{"w", 2.0f}}};
  refuses("has the name of an element",
          [&] { clwave::reduce(on.queue, clwave::transformed<float>(clwave::zip(x, x, out, out), taken)); });
  // A place beside it would be taken for an index.
  const lazy_view<float> backwards = clwave::reversed(x);
  any_view placed = backwards;
  clwave::reduce_problem problem{.in = placed, .accumulator = &element_of<float>(), .out = out};
  problem.in.buffer = a();
  refuses("has a place", [&] { clwave::reduce(on.queue(), problem); });
  problem.in = placed;
  problem.in.offset = 3;
  refuses("has a place", [&] { clwave::reduce(on.queue(), problem); });
  problem.in = placed;
  problem.in.known = true;
  refuses("has a place", [&] { clwave::reduce(on.queue(), problem); });
  // Two structures of one name on the device.
  const element one{.name = "one",
                    .opencl_name = "thing",
                    .size = 4,
                    .kind = clwave::element_kind::structure,
                    .components = 1,
                    .declaration = "typedef struct { float a; } thing;"};
  element other = one;
  other.size = 8;
  other.declaration = "typedef struct { float a, b; } thing;";
  const any_view ones(a(), 50, 0, &one);
  const clwave::any_lazy of_others{.sources = {{.of = any_view(a(), 50, 0, &other), .n = 50}},
                                   .apply = map{.name = "other", .source = "x"}};
  any_view mixed;
  clwave::detail::make_lazy(mixed, 50, one, of_others);
  const map first{.name = "first", .source = "x.a"};
  refuses("thing", [&] {
    clwave::transform(on.queue(),
                      clwave::transform_problem{.in = {mixed}, .out = view<float>(b, 50), .apply = &first});
  });
  refuses("thing", [&] {
    clwave::select_problem kept{
        .kind = clwave::select_kind::copy_flagged_if, .in = ones, .out = any_view(b(), 50, 0, &one)};
    kept.flags = any_view(a(), 50, 0, &other);
    const map chosen{.name = "chosen", .source = "y.a > 0"};
    kept.predicate = &chosen;
    clwave::select_to_host(on.queue(), kept);
  });
  // What an interface of types said at run time could make.
  struct row {
    clwave::any_source source;
    u64 n;
    const char* words;  // of the refusal; "" where the call is done
  };
  const row rows[] = {{{.of = x, .n = 50, .first = 1, .step = 2}, 51, "51 elements"},
                      {{.of = x, .n = 51, .first = 0, .step = 2}, 51, "leave the view"},
                      {{.of = x, .n = 50, .first = 1, .step = 2}, 50, ""},
                      {{.of = x, .n = 50, .first = 97, .step = -2}, 50, "leave the view"},
                      {{.of = x, .n = 50, .first = 98, .step = -2}, 50, ""},
                      {{.of = x, .n = 2, .first = 100, .step = 0}, 2, "leave the view"},
                      {{.of = view<int>{a, 100}, .n = 100}, 100, "what it is made of is not"},
                      {{.of = x, .n = 100, .outside = {1, 2}}, 100, "no element of"},
                      {{.of = x, .n = 100, .indices = any_view(view<int>{b, 100})}, 100, "indices of"}};
  for (const row& each : rows) {
    const clwave::any_lazy made{.sources = {each.source}};
    const lazy_view<float> lazy(each.n, made);
    const std::string said = refusal([&] { clwave::reduce(on.queue, lazy); });
    CAPTURE(said);
    CHECK(contains(said, each.words));
    CHECK(said.empty() == (*each.words == '\0'));
  }
  const lazy_view<float> many(
      100, {.sources = std::vector<clwave::any_source>(9, {.of = x, .n = 100}), .apply = twice});
  refuses("8 are the most", [&] { clwave::reduce(on.queue, many); });
}

}  // namespace testing::lazy_refusals_test

#endif
