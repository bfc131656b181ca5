// Inputs whose number of elements lies on the device, against the same calls with that number on the host:
// all bytes of the outputs, poison behind the elements too, on rows of the table; chains that the host never
// reads from; what is refused.
#include <clwave/any_view.hpp>

// All of these, or none: a chain takes one after the other.
#if __has_include(<clwave/gather.hpp>) && __has_include(<clwave/scan.hpp>) && __has_include(<clwave/select.hpp>) && \
    __has_include(<clwave/sort.hpp>) && __has_include(<clwave/transform.hpp>)

#include <algorithm>
#include <cstdint>
#include <functional>
#include <limits>
#include <numeric>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <clwave/copy.hpp>
#include <clwave/error.hpp>
#include <clwave/gather.hpp>
#include <clwave/plan.hpp>
#include <clwave/reduce.hpp>
#include <clwave/scan.hpp>
#include <clwave/select.hpp>
#include <clwave/sort.hpp>
#include <clwave/transform.hpp>

#include "call/counted_calls.hpp"
#include "harness/recorder.hpp"
#include "harness/refusals.hpp"

namespace testing::counted_test {
namespace {

const doctest::test_suite lanes("lanes");

const clwave::map halved{.name = "halved", .source = "x / 2 + i"};
const clwave::map summed{.name = "summed", .source = "x + y"};
const clwave::map positive{.name = "positive", .source = "x > 0"};
const clwave::op subtract{
    .name = "subtract", .source = "a * 0.5f - b", .identity = "0", .commutative = false};

counted_call transform_of(std::string name, bool two, bool in_place) {
  return {std::move(name),
          [two, in_place](cl_command_queue queue, const arrays& a, const length& l, const any_view&) {
            const any_view x = a.of(in_place ? a.out : a.x, element_of<float>());
            clwave::transform_problem problem{.in = {l.first(x)},
                                              .out = l.beside(a.of(a.out, element_of<float>())),
                                              .apply = two ? &summed : &halved};
            if (two) problem.in.push_back(l.beside(a.of(a.keyed, element_of<int>())));
            clwave::transform(queue, problem);
          }};
}

counted_call gather_of(std::string name, const element& type, bool scatter, bool counts) {
  return {std::move(name), [&type, scatter, counts](cl_command_queue queue, const arrays& a, const length& l,
                                                    const any_view& kept) {
            const any_view in = a.of(a.wide, type), out = a.of(a.out, type);
            clwave::gather_problem problem{.in = scatter ? l.beside(in) : in,
                                           .indices = l.first(a.of(a.indices, element_of<u32>())),
                                           .out = scatter ? out : l.beside(out),
                                           .scatter = scatter};
            problem.in.n = scatter ? problem.in.n : a.n / 2;  // some indices are outside
            if (scatter) problem.out.n = a.n - a.n / 3;
            if (counts) problem.bad = kept;
            clwave::gather(queue, problem);
          }};
}

template <class In, class Out>
counted_call scan_of(std::string name, const clwave::op& fold, bool exclusive, bool in_place = false) {
  return {std::move(name), [&fold, exclusive, in_place](cl_command_queue queue, const arrays& a,
                                                        const length& l, const any_view&) {
            const cl::Buffer& from = in_place ? a.out : std::is_same_v<In, float> ? a.x : a.keyed;
            clwave::scan(queue, clwave::scan_problem{.in = l.first(a.of(from, element_of<In>())),
                                                     .out = l.beside(a.of(a.out, element_of<Out>())),
                                                     .fold = &fold,
                                                     .exclusive = exclusive});
          }};
}

counted_call select_of(std::string name, clwave::select_kind kind, std::size_t room = 0) {
  return {std::move(name),
          [kind, room](cl_command_queue queue, const arrays& a, const length& l, const any_view& kept) {
            using enum clwave::select_kind;
            clwave::select_problem problem{.kind = kind,
                                           .in = l.first(a.of(a.keyed, element_of<int>())),
                                           .out = a.of(a.out, element_of<int>()),
                                           .predicate = &positive,
                                           .count = kept};
            if (room != 0) problem.out.n = std::min<u64>(room, a.n);
            if (kind == copy_flagged) problem.flags = l.beside(a.of(a.flags, element_of<unsigned char>()));
            if (kind == unique_by_key) {
              problem.values = l.beside(a.of(a.x, element_of<float>()));
              problem.second_out = a.of(a.second, element_of<float>());
            }
            if (kind == run_lengths) problem.second_out = a.of(a.second, element_of<u32>());
            if (kind == partition_copy) problem.second_out = a.of(a.second, element_of<int>());
            if (kind == run_offsets) problem.out = any_view(a.out(), a.n + 1, 1, &element_of<u64>());
            clwave::select(queue, problem);
          }};
}

counted_call sort_of(std::string name, const element& key, bool indices, bool values, bool in_place) {
  return {std::move(name), [&key, indices, values, in_place](cl_command_queue queue, const arrays& a,
                                                             const length& l, const any_view&) {
            clwave::sort_problem problem{.keys = l.first(a.of(in_place ? a.out : a.wide, key))};
            if (!indices) problem.keys_out = a.of(a.out, key);
            if (values) problem.values = l.beside(a.of(a.x, element_of<float>()));
            if (values) problem.values_out = a.of(a.second, element_of<float>());
            if (indices) problem.values_out = a.of(a.second, element_of<u64>());
            clwave::sort(queue, problem);
          }};
}

template <class In, class Acc>
counted_call reduce_of(std::string name, const clwave::op& fold, bool two, bool to_host) {
  return {std::move(name),
          [&fold, two, to_host](cl_command_queue queue, const arrays& a, const length& l, const any_view&) {
            const any_view x = a.of(std::is_same_v<In, float> ? a.x : a.keyed, element_of<In>());
            clwave::reduce_problem problem{
                .in = l.first(x), .accumulator = &element_of<Acc>(), .fold = &fold};
            if (two) problem.in2 = l.beside(a.of(a.wide, element_of<In>()));
            if (two) problem.apply = &clwave::product;
            if (!to_host) {
              problem.out = any_view(a.out(), 1, 1, &element_of<Acc>());
              clwave::reduce(queue, problem);
              return;
            }
            Acc value{};
            clwave::reduce(queue, problem, static_cast<void*>(&value));
            clEnqueueWriteBuffer(queue, a.out(), CL_TRUE, 0, sizeof value, &value, 0, nullptr, nullptr);
          }};
}

std::vector<counted_call> counted_calls() {
  using enum clwave::select_kind;
  static const element three_words =
      clwave::detail::make_element("moved", "", 12, clwave::element_kind::opaque, 1);
  return {transform_of("transform", false, false),
          transform_of("transform of two", true, false),
          transform_of("transform in place", false, true),
          gather_of("gather", element_of<float>(), false, false),
          gather_of("gather that counts", element_of<u64>(), false, true),
          gather_of("gather of 12 bytes", three_words, false, true),
          gather_of("scatter", element_of<u32>(), true, true),
          gather_of("scatter of 12 bytes", three_words, true, false),
          scan_of<float, float>("inclusive_scan", clwave::plus, false),
          scan_of<int, u32>("exclusive_scan", clwave::plus, true),
          scan_of<float, float>("inclusive_scan in place", clwave::plus, false, true),
          scan_of<float, float>("inclusive_scan of a user's operator", subtract, false),
          sort_of("sort", element_of<u32>(), false, false, false),
          sort_of("sort in place", element_of<std::uint8_t>(), false, false, true),
          sort_of("sort_by_key", element_of<std::int64_t>(), false, true, false),
          sort_of("argsort", element_of<std::int16_t>(), true, false, false),
          reduce_of<float, float>("reduce", clwave::plus, false, false),
          reduce_of<int, int>("reduce to the host", clwave::min, false, true),
          reduce_of<int, std::int64_t>("dot", clwave::plus, true, true),
          {"reduce of bytes",
           [](cl_command_queue queue, const arrays& a, const length& l, const any_view&) {
             const element& byte = element_of<unsigned char>();
             clwave::reduce_problem problem{.in = l.first(a.of(a.flags, byte)),
                                            .accumulator = &element_of<u32>(),
                                            .fold = &clwave::min,
                                            .nothing = &byte};
             u32 least = 0;
             clwave::reduce(queue, problem, static_cast<void*>(&least));
             clEnqueueWriteBuffer(queue, a.out(), CL_TRUE, 0, sizeof least, &least, 0, nullptr, nullptr);
           }},
          reduce_of<float, float>("reduce by a user's operator", subtract, false, false),
          select_of("copy_if", copy_if),
          select_of("copy_if without room for all", copy_if, 700),
          select_of("copy_flagged", copy_flagged),
          select_of("partition", partition),
          select_of("partition_copy", partition_copy),
          select_of("unique", unique),
          select_of("unique_by_key", unique_by_key),
          select_of("run_lengths", run_lengths),
          select_of("run_offsets", run_offsets)};
}

}  // namespace

TEST_CASE("calls with their count on the device give the bytes of the same calls with it on the host") {
  check_counts_of(counted_calls());
}

TEST_CASE("calls with their count on the device give the host's bytes on all rows of the table") {
  check_counts_on_rows(counted_calls(), [](const counted_call& call) {
    return call.name.starts_with("transform") || call.name.starts_with("gather") ||
           call.name.starts_with("scatter") || call.name.starts_with("sort");
  });
}

TEST_CASE_FIXTURE(
    on_device,
    "a chain with counts on the device reads, waits for and flushes nothing, on either kind of queue") {
  constexpr std::size_t n = 50'000;
  std::vector<float> values(n);
  for (float& each : values) each = static_cast<float>(random.below(2001)) - 1000;
  std::vector<float> expected;
  std::copy_if(values.begin(), values.end(), std::back_inserter(expected), [](float v) { return v > 0; });
  for (float& each : expected) each = each * 2;
  expected.erase(std::unique(expected.begin(), expected.end()), expected.end());
  std::vector<float> sums(expected.size());
  std::partial_sum(expected.begin(), expected.end(), sums.begin());

  for (const bool out_of_order : {false, true}) {
    CAPTURE(out_of_order);
    const cl::CommandQueue queue = on.new_queue(out_of_order ? CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE : 0);
    const cl::Buffer late = on.buffer_of(values), x = on.buffer_of(std::vector<float>(n, -1));
    const guarded_buffer<float> kept(on, n), once(on, n), results(on, n);
    const cl::Buffer counts = on.buffer_of(std::vector<u64>{1, 2});
    const view<u64> first{counts, 1, 0}, second{counts, 1, 1};
    std::map<cl_command_queue, std::multiset<std::string>> used;
    // The first time programs are built, and workspace is made for calls that all wait.
    for (const bool first_time : {true, false}) {
      // What is filtered comes late: until then nothing of the chain may have run.
      gate gate(on);
      cl::Event there;
      const std::vector<cl::Event> before{gate.event()};
      queue.enqueueCopyBuffer(late, x, 0, 0, n * sizeof(float), &before, &there);
      const recorder::queue_watch watch;
      clwave::event e =
          clwave::copy_if(queue, view<float>{x, n}, kept.view(), first, positive, {.after = {there()}});
      const clwave::map twice{.name = "twice", .source = "2 * x"};
      e = clwave::transform(queue, kept.view().first(first), kept.view(), twice, {.after = {e}});
      e = clwave::unique(queue, kept.view().first(first), once.view(), second, {.after = {e}});
      e = clwave::inclusive_scan(queue, once.view().first(second), results.view(), {.after = {e}});
      if (!first_time) used = watch.used();
      gate.open();
      e.wait();
      queue.finish();
    }
    CHECK_FALSE(used.empty());
    for (const auto& [which, entries] : used) {
      CHECK(which == queue());
      for (const std::string& entry : entries) CHECK(entry == "clEnqueueNDRangeKernel");
    }
    auto got = results.read_guarded();
    CHECK(on.read<u64>(counts, 2) ==
          std::vector<u64>{static_cast<u64>(std::ranges::count_if(values, [](float v) { return v > 0; })),
                           expected.size()});
    got.resize(expected.size());
    CHECK(got == sums);  // whole numbers: no order rounds
  }
}

TEST_CASE_FIXTURE(on_device, "the place of the least of so many elements") {
  MESSAGE("seed " << random.seed());
  std::vector<float> elements(40000);
  for (float& each : elements) each = static_cast<float>(random.below(20000)) - 10000;
  const cl::Buffer x = on.buffer_of(elements);
  const view<float> all{x, elements.size()};
  for_each_profile([&](const clwave::profile& row) {
    if (!takes_row(on, random, std::string(row.name))) return;
    for (const u64 n : std::vector<u64>{1, 5000, 8193, u64{1} + random.below(40000), 99999}) {
      CAPTURE(n);
      const cl::Buffer number = on.buffer_of(std::vector<u64>{n});
      const auto host = clwave::argmin(on.queue, all.subview(0, std::min<std::size_t>(n, elements.size())));
      const auto value = clwave::argmin(on.queue, all.first(view<u64>{number, 1}));
      CHECK(value.index == host.index);
      CHECK(value.value == host.value);
      CHECK(clwave::argmax_async(on.queue, all.first(view<u64>{number, 1})).get().index ==
            clwave::argmax(on.queue, all.subview(0, std::min<std::size_t>(n, elements.size()))).index);
    }
    const cl::Buffer none = on.buffer_of(std::vector<u32>{0});
    const guarded_buffer<indexed<float>> out(on, 1);
    clwave::reduce(on.queue, all.first(view<u32>{none, 1}), out.view(), clwave::detail::argmin_op).wait();
    CHECK(out.read_guarded().at(0).index == ~u64{0});
    refuses("argmin of no elements has no value",
            [&] { clwave::argmin(on.queue, all.first(view<u32>(none, 1))); });
  });
}

TEST_CASE_FIXTURE(on_device, "copies and fills of so many elements") {
  const std::vector<float> elements(1000, 2.5f);
  const cl::Buffer x = on.buffer_of(elements);
  const view<float> all{x, 1000};
  for (const u32 n : {u32{0}, u32{1}, u32{999}, u32{5000}}) {
    CAPTURE(n);
    const cl::Buffer number = on.buffer_of(std::vector<u32>{n});
    const std::size_t many = std::min<std::size_t>(n, 1000);
    const cl::Buffer copied = on.buffer_of(std::vector<float>(1000, 7)),
                     filled = on.buffer_of(std::vector<int>(1000, 7));
    clwave::copy(on.queue, all.first(view<u32>{number, 1}), view<float>{copied, 1000});
    clwave::fill(on.queue, view<int>{filled, 1000}.first(view<u32>{number, 1}), -3);
    std::vector<float> expected(1000, 7);
    std::vector<int> expected_fill(1000, 7);
    std::fill_n(expected.begin(), many, 2.5f);
    std::fill_n(expected_fill.begin(), many, -3);
    CHECK(on.read<float>(copied, 1000) == expected);
    CHECK(on.read<int>(filled, 1000) == expected_fill);
  }
}

TEST_CASE_FIXTURE(on_device, "what cannot be a count is refused, and so is a count where none is taken") {
  const fixture other(on.device());
  const guarded_buffer<float> x(on, 100), out(on, 100);
  const cl::Buffer numbers = on.buffer_of(std::vector<u64>{10, 20}),
                   foreign = other.buffer_of(std::vector<u64>{10});
  const auto scan = [&](const auto& in) { clwave::inclusive_scan(on.queue, in, out.view()); };
  refuses("the count of the elements is a view of 2 numbers",
          [&] { scan(x.view().first(view<u64>(numbers, 2))); });
  refuses("another context", [&] { scan(x.view().first(view<u64>{foreign, 1})); });
  refuses("past its buffer", [&] { scan(x.view().first(view<u64>{numbers, 1, 2})); });
  refuses("overlap", [&] { scan(x.view().first(view<u64>{out.buffer(), 1, 70})); });
  any_view signed_count = view<u64>{numbers, 1};
  signed_count.type = &element_of<std::int64_t>();
  any_view in = x.view();
  in.count = &signed_count;
  CHECK(
      contains(refusal([&] { clwave::scan(on.queue(), clwave::scan_problem{.in = in, .out = out.view()}); }),
               "a count of elements of i64"));
  refuses("this call takes no count on the device for the input",
          [&] { clwave::reverse(on.queue, x.view().first(view<u64>(numbers, 1)), out.view()); });
  CHECK(out.intact());
}

}  // namespace testing::counted_test

#endif
