// Calls of scan: who waits for whom, the ways and what each takes, what is refused, and the numbers of
// messages.
#include <clwave/scan.hpp>

#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <clwave/copy.hpp>
#include <clwave/error.hpp>
#include <clwave/plan.hpp>

#include "call/call.hpp"
#include "call/workspace.hpp"
#include "families/scans.hpp"
#include "harness/changed_kernels.hpp"
#include "harness/devices.hpp"
#include "harness/large.hpp"
#include "harness/reference.hpp"
#include "harness/refusals.hpp"
#include "harness/spoilt_memory.hpp"
#include "primitives/scan.hpp"

namespace testing::scan_calls_test {

// OpenCL promises no progress between groups. Here some never say what they have found, or the last group
// is the first to start: the others must do without. (In place a group that stores has told first what it
// found.)
TEST_CASE("a scan ends with the right bits whoever keeps silent") {
  fixture on;
  random_engine random;
  const auto values = reference::random_values<float>(random, 1500, spice::finite);
  const std::string post = "if (tiles > 1) post_message(message_of_tile(messages, tile)";
  for (const std::string silent : {"tile % 2 == 0", "tile + 1 < tiles", "true"}) {
    CAPTURE(silent);
    with_changed_kernels("primitives/scan_one_pass.cl", post,
                         "if (tiles > 1 && !(" + silent + ")) post_message(message_of_tile(messages, tile)",
                         [&] {
                           const fixture fresh;
                           for (const std::string name : forced_rows(some_of({"sm_90", "cpu"}))) {
                             check_scans<float>(fresh, values, clwave::plus, plus<float>, 0.0f, 0.1f, small,
                                                0, ways::two_apart);
                           }
                         });
  }
  // Of few stretches what stands before them may stay away altogether: their own folds do. A zero that is in
  // no input shows in a maximum of negative numbers.
  with_changed_kernels(
      "blocks/look_back.cl", "if (all_before) post_behind(posted, at, fold, memory, given);", "", [&] {
        const fixture fresh;
        const forced_profile forced("sm_90");
        std::vector<float> few(values.begin(), values.begin() + 3 * 128);
        for (float& value : few) value = -1 - std::fabs(value);
        check_scans<float>(fresh, few, clwave::max, reference::maximum<float>,
                           -std::numeric_limits<float>::infinity(), -3e38f, small, 0, ways::two_apart);
      });
  for (const char* name : some_of({"sm_90", "cpu"})) {
    CAPTURE(std::string(name));
    const std::string number = std::string(name) == "cpu" ? "tile = number;" : "uint tile = get_group_id(0);";
    const std::string reversed = std::string(name) == "cpu" ? "tile = tiles - 1 - number;"
                                                            : "uint tile = tiles - 1 - get_group_id(0);";
    with_changed_kernels("primitives/scan_one_pass.cl", number, reversed, [&] {
      const fixture fresh;
      const forced_profile forced(name);
      check_scans<float>(fresh, values, clwave::plus, plus<float>, 0.0f, 0.1f, small, 0, ways::two);
    });
  }
}

// In place the elements of a tile are gone once its group has stored. Here groups give up at once, and are
// slow then.
TEST_CASE("in place, whoever folds another's tile too late does not believe what he finds") {
  fixture on;
  random_engine random;
  const auto values = reference::random_values<float>(random, 12000, spice::finite);
  with_changed_kernels("primitives/scan_one_pass.cl",
                       "folded_others ? 1 : LOOKS, look, given);\n      if (missing == NO_TILE) break;",
                       "1, look, given);\n      if (missing == NO_TILE) break;\n"
                       "    for (volatile uint spin = 0; spin < 100000; ++spin) {}",
                       [&] {
                         const fixture fresh;
                         for (const std::string name : forced_rows(some_of({"sm_90", "cpu"}))) {
                           check_scans<float>(fresh, values, clwave::plus, plus<float>, 0.0f, 0.1f, small, 0,
                                              ways::two);
                         }
                       });
}

TEST_CASE_FIXTURE(on_device, "the ways: one pass where groups can send messages, three launches elsewhere") {
  const element& f32 = element_of<float>();
  const clwave::plan_target target = on.target(/*with_source=*/true);
  clwave::scan_problem problem{.in = {f32, 1 << 20}, .out = {f32, 1 << 20}};
  if (target.choice.order != clwave::group_order::two_launches) {
    CHECK(clwave::plan(problem, target).kernels.size() == 1);
    CHECK(clwave::plan(problem, target).rejected.empty());
  }
  // A text of the call's sees elements, not results that have taken their place.
  const clwave::map text{.name = "twice", .source = "2 * x"};
  problem.in_place = true;
  if (target.choice.order != clwave::group_order::two_launches)
    CHECK(clwave::plan(problem, target).kernels.size() == 1);
  problem.apply = &text;
  const call_plan in_place = clwave::plan(problem, target);
  CHECK(in_place.kernels.size() == 3);
  CHECK(in_place.rejected.front().name == "one pass");
  // What the workspace may take: 64 bytes a tile and 4 KiB.
  for (const char* name : some_of({"sm_90", "gfx90a", "cpu"})) {
    for (const u64 n : {u64{1}, u64{1} << 20, u64{1} << 34}) {
      problem = {.in = {f32, n}, .out = {element_of<u64>(), n}};
      const auto plan = clwave::plan(
          problem, {.choice = clwave::choose_profile_for(name), .compute_units = 100, .with_source = false});
      CHECK(plan.workspace_bytes <= 64 * ((n + 16383) / 16384) + 4096);
    }
  }
}

TEST_CASE_FIXTURE(on_device, "no elements, events, and what is refused") {
  const std::vector<float> values(100, 1.0f);
  const cl::Buffer in = on.buffer_of(values);
  const cl::Buffer out = on.buffer_of(values);
  clwave::inclusive_scan(on.queue, view<float>{in, 0}, view<float>{out, 0}).wait();
  gate gate(on);
  const clwave::event done = clwave::exclusive_scan(on.queue, view<float>{in, 100}, view<float>{out, 100},
                                                    clwave::plus, {.start = 2.0f, .after = {gate.event()}});
  on.queue.flush();
  CHECK(!done.done());
  gate.open();
  done.wait();
  CHECK(on.read<float>(out, 100).back() == 101.0f);

  refuses("the output 99",
          [&] { clwave::inclusive_scan(on.queue, view<float>(in, 100), view<float>(out, 99)); });
  refuses("overlap", [&] { clwave::inclusive_scan(on.queue, view<float>{in, 99, 1}, view<float>{in, 99}); });
  refuses("integers", [&] {
    clwave::inclusive_scan(on.queue, view<float>(in, 100), view<float>(out, 100), clwave::bit_and);
  });
  refuses("accumulate in float",
          [&] { clwave::inclusive_scan(on.queue, view<float>(in, 10), view<half>(out, 10)); });
  clwave::op valued = clwave::plus;
  valued.values = {{"least", 0.5f}};
  refuses("is for a text",
          [&] { clwave::inclusive_scan(on.queue, view<float>(in, 10), view<float>(out, 10), valued); });
  const clwave::op no_identity{.name = "first", .source = "a", .identity = "", .commutative = false};
  refuses("no identity",
          [&] { clwave::exclusive_scan(on.queue, view<float>(in, 10), view<float>(out, 10), no_identity); });
  // With a start none is needed.
  clwave::exclusive_scan(on.queue, view<float>{in, 10}, view<float>{out, 10}, no_identity, {.start = 3.0f})
      .wait();
  CHECK(on.read<float>(out, 10) == std::vector<float>(10, 3.0f));
}

TEST_CASE("numbers of calls begin anew when all have been used") {
  fixture on;
  random_engine random;
  const auto values = reference::random_values<float>(random, 1000, spice::finite);
  // A block whose messages have the highest numbers, as after 2^32 calls.
  clwave::detail::call_site site = clwave::detail::site_of(on.queue(), "scan");
  check_scans<float>(on, values, clwave::plus, plus<float>, 0.0f, 0.1f, small);
  {
    clwave::detail::workspace work(site, 1 << 10, clwave::detail::workspace::kept_for::messages);
    work.set_call(0xffffffffu - 6);
    work.not_in_use();
  }
  for (int call = 0; call < 3; ++call)
    check_scans<float>(on, values, clwave::plus, plus<float>, 0.0f, 0.1f, small);
}

// Its messages are those of earlier calls, or bytes that nobody wrote as messages.
TEST_CASE_FIXTURE(on_device, "scans in the caller's workspace, of exactly the bytes that the plan says") {
  const std::vector<std::uint32_t> ones(n_summed, 1);
  const cl::Buffer in = on.buffer_of(ones);
  const view<std::uint32_t> x{in, n_summed};
  for (const std::string row : forced_rows(rows_with_workspace)) {
    for (const bool in_place : {false, true}) {
      CAPTURE(in_place);
      const element& u32 = element_of<std::uint32_t>();
      const std::size_t n_bytes =
          plan(clwave::scan_problem{.in = {u32, n_summed}, .out = {u32, n_summed}, .in_place = in_place},
               target_of(on))
              .workspace_bytes;
      REQUIRE(n_bytes > 0);
      const spoilt_memory memory(on, n_bytes);
      for (const std::size_t first : {std::size_t{0}, spoilt_memory::part_at}) {
        CAPTURE(first);
        const view<unsigned char> given = first == 0 ? memory.head() : memory.part();
        memory.spoil();
        for (const int again : {1, 2, 3}) {
          CAPTURE(again);
          const guarded_buffer<std::uint32_t> out(on, n_summed);
          const cl::Buffer both = on.buffer_of(ones);
          const view<std::uint32_t> there{both, n_summed};
          clwave::inclusive_scan(on.queue, in_place ? there : x, in_place ? there : out.view(), clwave::plus,
                                 {.workspace = given})
              .wait();
          const auto got = in_place ? on.read<std::uint32_t>(both, n_summed) : out.read();
          std::size_t wrong = 0;
          for (std::size_t i = 0; i < n_summed; ++i) wrong += got[i] != i + 1;
          CHECK(wrong == 0);
          CHECK(out.guards_intact());
          CHECK(memory.guards_intact(first));
        }
        CHECK(memory.used(first));
      }
    }
  }
}

TEST_CASE("scan: past 2^32 elements") {
  using namespace testing;
  const fixture on;
  const large_buffers large(on);
  // Sums of ones count places.
  clwave::fill(on.queue, large.x(), u8{1});
  clwave::inclusive_scan(on.queue, large.x(), large.y()).wait();
  check_bytes(on, large.out, large.n, [](u64 i) { return static_cast<u8>(i + 1); });
  clwave::exclusive_scan(on.queue, large.x(), large.x()).wait();
  check_bytes(on, large.in, large.n, [](u64 i) { return static_cast<u8>(i); });
}

}  // namespace testing::scan_calls_test
