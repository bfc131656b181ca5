// merge and merge_by_key as calls: ranges that are not sorted, what is refused, the caller's own workspace,
// queues and events, and many merges at a time.
#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <clwave/error.hpp>
#include <clwave/merge.hpp>
#include <clwave/plan.hpp>

#include "harness/captures.hpp"
#include "harness/devices.hpp"
#include "harness/refusals.hpp"
#include "merges.hpp"

namespace testing::merge_calls_test {
namespace {

using words = std::vector<std::uint32_t>;

const doctest::test_suite lanes("lanes");

u64 descents_of(const words& x) {
  u64 count = 0;
  for (std::size_t i = 1; i < x.size(); ++i) count += x[i] < x[i - 1] ? 1 : 0;
  return count;
}

words any_words(random_engine& random, std::size_t n) {
  words all(n);
  for (auto& each : all) each = static_cast<u32>(random());
  return all;
}

}  // namespace

// Each element of the result is one of the input, and nothing outside is written or read: the buffers' ends
// are the ranges'.
TEST_CASE_FIXTURE(on_device, "ranges that are not sorted do no harm, and are counted" * lanes) {
  for (const std::string name : forced_rows(some_of({"cpu", "sm_90"}))) {
    for (int round = 0; round < 8; ++round) {
      words a = any_words(random, 1 + random.below(20000)), b = any_words(random, random.below(20000));
      if (round % 4 == 1) std::sort(a.begin(), a.end());
      if (round % 4 == 2) std::sort(b.rbegin(), b.rend());
      if (round % 4 == 3) {
        std::sort(a.begin(), a.end());
        std::sort(b.begin(), b.end());
      }
      CAPTURES(a.size(), b.size());
      const std::size_t n = a.size() + b.size();
      const cl::Buffer x = on.buffer_of(a), y = on.buffer_of(b);
      const guarded_buffer<u32> out(on, n);
      const guarded_buffer<u64> descents(on, 1);
      const view<u32> first{x, a.size()}, second{y, b.size()};
      clwave::merge(on.queue, first, second, out.view(), descents.view()).wait();
      CHECK(descents.first() == descents_of(a) + descents_of(b));
      CHECK(out.guards_intact());
      words all(a);
      all.insert(all.end(), b.begin(), b.end());
      std::sort(all.begin(), all.end());
      words result = out.read();
      if (descents.first() == 0) CHECK(result == all);
      CHECK(std::all_of(result.begin(), result.end(),
                        [&](u32 each) { return std::binary_search(all.begin(), all.end(), each); }));
    }
  }
}

TEST_CASE_FIXTURE(on_device, "checked merges") {
  words a = any_words(random, 3000), b = any_words(random, 2000);
  std::sort(a.begin(), a.end());
  std::sort(b.begin(), b.end());
  const cl::Buffer x = on.buffer_of(a), y = on.buffer_of(b), out = on.buffer_of(words(5000));
  const view<u32> first{x, 3000}, second{y, 2000}, to{out, 5000};
  clwave::checked_merge(on.queue, first, second, to);
  words right(5000);
  std::merge(a.begin(), a.end(), b.begin(), b.end(), right.begin());
  CHECK(on.read<u32>(out, 5000) == right);
  const clwave::op fallen{.name = "fallen", .source = "a > b", .identity = {}};
  const std::string by_text =
      refusal([&] { clwave::checked_merge(on.queue, first, second, to, {.less = fallen}); });
  CHECK(contains(by_text,
                 std::to_string(2999 + 1999 - (std::adjacent_find(a.begin(), a.end()) != a.end() ? 1 : 0) -
                                (std::adjacent_find(b.begin(), b.end()) != b.end() ? 1 : 0))));
  std::swap(b[3], b[100]);
  on.queue.enqueueWriteBuffer(y, CL_TRUE, 0, 8000, b.data());
  refuses("2 times", [&] { clwave::checked_merge(on.queue, first, second, to); });
  refuses("2 times", [&] {
    const cl::Buffer values = on.buffer_of(words(5000)), values_out = on.buffer_of(words(5000));
    clwave::checked_merge_by_key(on.queue, first, view<u32>{values, 3000}, second,
                                 view<u32>{values, 2000, 3000}, to, view<u32>{values_out, 5000});
  });
}

TEST_CASE_FIXTURE(on_device, "what a merge refuses, before anything is enqueued") {
  const cl::Buffer a = on.buffer_of(std::vector<float>(256)), b = on.buffer_of(std::vector<float>(256)),
                   c = on.buffer_of(std::vector<float>(512)), d = on.buffer_of(std::vector<float>(512));
  const view<float> x{a, 100}, y{b, 90}, out{c, 200};
  const auto& q = on.queue;
  refuses("overlap", [&] { clwave::merge(q, x, y, view<float>{a, 190, 50}); });
  refuses("overlap", [&] { clwave::merge(q, x, view<float>{c, 90, 189}, out); });
  refuses("which has 189", [&] { clwave::merge(q, x, y, view<float>{c, 189}); });
  refuses("ends past its buffer", [&] { clwave::merge(q, view<float>{a, 300}, y, view<float>{c, 400}); });
  refuses("of a key of 32 bits", [&] { clwave::merge(q, x, y, out, {.last_bit = 33}); });
  refuses("structures are no keys",
          [&] { clwave::merge(q, view<person>(a, 9), view<person>(b, 9), view<person>(c, 18)); });
  refuses("vectors are no keys",
          [&] { clwave::merge(q, view<cl_float4>(a, 9), view<cl_float4>(b, 9), view<cl_float4>(c, 18)); });
  refuses("with a name and a source", [&] { clwave::merge(q, x, y, out, {.less = clwave::min}); });
  refuses("with a name and a source",
          [&] { clwave::merge(q, x, y, out, {.less = clwave::op{.name = "x", .source = {}}}); });
  refuses("100 and 90 keys, and 100 and 80 values",
          [&] { clwave::merge_by_key(q, x, x, y, view<float>(b, 80), out, view<float>(d, 200)); });
  refuses("overlap", [&] { clwave::merge_by_key(q, x, x, y, y, out, view<float>{c, 200, 150}); });
  refuses("overlap", [&] { clwave::merge_by_key(q, x, x, y, y, out, view<float>{b, 190, 20}); });
  refuses("no element", [&] { clwave::merge(q, x, y, out, view<u64>{d, 0}); });
  refuses("overlap", [&] { clwave::merge(q, x, y, out, view<u64>{c, 1, 10}); });
  const clwave::plan_target target = on.target();
  const element &f32 = element_of<float>(), &i32 = element_of<std::int32_t>();
  refuses("the second range is of i32", [&] {
    plan(clwave::merge_problem{.a = {f32, 9}, .b = i32, .out = f32}, target);
  });
  refuses("the output is of i32", [&] {
    plan(clwave::merge_problem{.a = {f32, 9}, .b = f32, .out = i32}, target);
  });
  refuses("both ranges have values", [&] {
    plan(clwave::merge_problem{.a = {f32, 9}, .b = f32, .out = f32, .a_values = f32}, target);
  });
  refuses("63 bits", [&] {
    const u64 most = ~u64{0} >> 1;
    plan(clwave::merge_problem{.a = {f32, most}, .b = {f32, most}, .out = f32}, target);
  });
}

TEST_CASE_FIXTURE(
    on_device,
    "merges with a workspace of the caller's, in queues of both kinds, behind an event; and of nothing") {
  const std::size_t n = 50000;
  const words a = sorted(any_words(random, n), std::less<>()),
              b = sorted(any_words(random, n), std::less<>());
  words right(2 * n);
  std::merge(a.begin(), a.end(), b.begin(), b.end(), right.begin());
  for (const cl_command_queue_properties kind : orders_of_queue(on)) {
    const cl::CommandQueue queue = on.new_queue(kind);
    const cl::Buffer x = on.buffer_of(words(n)), y = on.buffer_of(b);
    const guarded_buffer<u32> out(on, 2 * n), room(on, 100000);
    const guarded_buffer<u64> descents(on, 1);
    gate held(on);
    const cl::Event written = on.write_after(queue, x, a.data(), n * 4, {held.event()});
    const clwave::event end = clwave::merge(queue, view<u32>{x, n}, view<u32>{y, n}, out.view(),
                                            descents.view(), {.after = {written}, .workspace = room.view()});
    held.open();
    end.wait();
    CHECK(out.read_guarded() == right);
    CHECK(descents.first() == 0);
    CHECK(room.guards_intact());
  }
  const view<float> none{cl::Buffer(), 0};
  const clwave::event nothing = clwave::merge(on.queue, none, none, none);
  nothing.wait();
  CHECK(nothing.done());
  const guarded_buffer<u64> descents(on, 1);
  clwave::merge(on.queue, none, none, none, descents.view()).wait();
  CHECK(descents.first() == 0);
}

// Thrust's merges gave wrong results where several ran at a time, each of which read what another's launches
// had left (CCCL issue 1906).
TEST_CASE_FIXTURE(on_device, "merges that are under way together, on several queues") {
  constexpr std::size_t rounds = 12, n = 30000;
  const std::array<cl::CommandQueue, 3> queues{on.new_queue(), on.new_queue(),
                                               on.new_queue(CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE)};
  std::vector<words> right;
  std::vector<cl::Buffer> in, out;
  std::vector<clwave::event> ends;
  for (std::size_t k = 0; k < rounds; ++k) {
    const words a = sorted(any_words(random, n + k), std::less<>()),
                b = sorted(any_words(random, n), std::less<>());
    words all(2 * n + k);
    std::merge(a.begin(), a.end(), b.begin(), b.end(), all.begin());
    in.push_back(on.buffer_of(a));
    in.push_back(on.buffer_of(b));
    out.push_back(on.buffer_of(words(2 * n + k)));
    right.push_back(std::move(all));
  }
  for (std::size_t k = 0; k < rounds; ++k) {
    using view = clwave::view<std::uint32_t>;
    const cl::CommandQueue& queue = queues[k % queues.size()];
    ends.push_back(
        clwave::merge(queue, view{in[2 * k], n + k}, view{in[2 * k + 1], n}, view{out[k], 2 * n + k}));
    queue.flush();
  }
  for (const clwave::event& end : ends) end.wait();
  for (std::size_t k = 0; k < rounds; ++k) CHECK(on.read<u32>(out[k], 2 * n + k) == right[k]);
}

TEST_CASE_FIXTURE(on_device, "merges of types that are said at run time") {
  const cl::Buffer a = on.buffer_of(std::vector<float>{9, 1, 4}), b = on.buffer_of(std::vector<float>{2, 3});
  const cl::Buffer out = on.buffer_of(std::vector<float>(5)), descents = on.buffer_of(std::vector<u64>(1, 9));
  const element& f32 = element_of<float>();
  clwave::merge_problem problem{.a = {a(), 2, 1, &f32}, .b = {b(), 2, 0, &f32}, .out = {out(), 4, 1, &f32}};
  clwave::checked_merge(on.queue(), problem);
  CHECK(on.read<float>(out, 5) == std::vector<float>{0, 1, 2, 3, 4});
  problem.a = {a(), 3, 0, &f32};
  problem.out = {out(), 5, 0, &f32};
  const auto refuses = [&](const char* words, const auto& call) {
    CHECK_THROWS_WITH_AS(call(), doctest::Contains(words), clwave::error);
  };
  refuses("1 time", [&] { clwave::checked_merge(on.queue(), problem); });
  problem.descents = {descents(), 1, 0, &element_of<u64>()};
  clwave::merge(on.queue(), problem).wait();
  CHECK(on.read<u64>(descents, 1) == std::vector<u64>{1});
  const auto merge = [&] { clwave::merge(on.queue(), problem); };
  problem.descents->type = &f32;
  refuses("the number of descents is of f32", merge);
  problem.descents.reset();
  problem.a_values = problem.a;
  refuses("both ranges have values", merge);
}

}  // namespace testing::merge_calls_test
