// Calls of scans by key: groups that never say what they have found, what the workspace takes and holds, what
// is refused.
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include <clwave/plan.hpp>
#include <clwave/scan.hpp>
#include <clwave/scan_by_key.hpp>

#include "families/reductions.hpp"
#include "families/runs.hpp"
#include "families/scans.hpp"
#include "families/selections.hpp"
#include "harness/captures.hpp"
#include "harness/changed_kernels.hpp"
#include "harness/devices.hpp"
#include "harness/own_site.hpp"
#include "harness/refusals.hpp"
#include "harness/spoilt_memory.hpp"
#include "primitives/scan_by_key.hpp"
#include "scans_by_key.hpp"

namespace testing::scan_by_key_calls_test {
namespace {

// Running sums of whole numbers.
std::vector<std::uint32_t> sums_by_key(const keyed_values<std::uint32_t, std::uint32_t>& in) {
  std::vector<std::uint32_t> sums;
  for (std::size_t i = 0; i < in.n(); ++i)
    sums.push_back(*in.value(i) + (i > 0 && in.keys[i] == in.keys[i - 1] ? sums.back() : 0));
  return sums;
}

}  // namespace

TEST_CASE("scans by key end with the right results whoever keeps silent") {
  random_engine random;
  whoever_keeps_silent(
      [&](const fixture& fresh) {
        for (const std::size_t most : {4, 6000})
          check_runs<float>(
              fresh,
              with_lengths<std::uint32_t, float>(random, random_run_lengths(random, 9 * 4096 + 17, most)),
              clwave::plus, plus<float>, zero_and_more, of_held_blocks, ways_by_key::inclusive);
      },
      "cpu");
}

TEST_CASE("scans by key in one launch, of whose runs no group or few tell" * doctest::test_suite("lanes")) {
  random_engine random;
  const std::string posts = "if (id == 0) message_write(told_of_part(workspace, own)";
  for (const std::string who : {"id == 0 && own % 2 == 0", "id == 0 && own > 7", "false"}) {
    CAPTURE(who);
    with_changed_kernels("primitives/scan_by_key_one_launch.cl", posts,
                         "if (" + who + ") message_write(told_of_part(workspace, own)", [&] {
                           const forced_profile forced("sm_90");
                           const fixture fresh;
                           // Runs of a part, of several parts, and of more than a group looks at a time.
                           for (const std::size_t most : {100u, 3000u})
                             check_runs<float>(
                                 fresh,
                                 with_lengths<std::uint32_t, float>(
                                     random, random_run_lengths(random, 20 * 256 + 17, most), 1, 3),
                                 clwave::plus, plus<float>, zero_and_more, of_held_blocks,
                                 ways_by_key::inclusive);
                         });
  }
}

TEST_CASE("scans by key in one launch: what looks like messages in the workspace is none" *
          doctest::test_suite("lanes")) {
  random_engine random;
  const forced_profile forced("sm_90");
  const fixture fresh;
  // Messages of the first calls' numbers: a run that begins with each part, and folds of blocks.
  const std::size_t n = 9000, n_bytes = std::size_t{1} << 16;
  std::vector<u64> words(n_bytes / 8);
  for (std::size_t k = 0; k < words.size(); ++k) words[k] = u64{1 + k % 3} << 32 | 0x10001u;
  const cl::Buffer memory = fresh.buffer_of(words);
  for (const std::size_t most : {600u, 9000u}) {
    const auto in = with_lengths<std::uint32_t, std::uint32_t>(random, random_run_lengths(random, n, most));
    const cl::Buffer keys = fresh.buffer_of(in.keys), values = fresh.buffer_of(in.values);
    const guarded_buffer<std::uint32_t> out(fresh, n);
    clwave::inclusive_scan_by_key(fresh.queue, view<std::uint32_t>{keys, n}, view<std::uint32_t>{values, n},
                                  out.view(), clwave::plus,
                                  {.workspace = view<unsigned char>{memory, n_bytes}})
        .wait();
    CHECK(out.read_guarded() == sums_by_key(in));
  }
}

TEST_CASE("scans by key: what looks like messages in the workspace is none") {
  random_engine random;
  // Nobody posts anything: whoever finds a message has found what was there before.
  const std::string posts = "if (own_id_anew() == 0 && tile + 1 < tiles)";
  const std::string first = " post_count(messages, tile, call, own",
                    second = " post_count(messages, tile, call, kept_together";
  const std::vector<std::pair<std::string, std::string>> changes = {{posts + first, "if (false)" + first},
                                                                    {posts + second, "if (false)" + second}};
  with_changed_kernels("primitives/select_one_pass.cl", changes, [&] {
    for (const std::string name : forced_rows(some_of({"sm_90", "cpu"}))) {
      const fixture fresh;
      const auto in =
          with_lengths<std::uint32_t, std::uint32_t>(random, random_run_lengths(random, 9 * 4096 + 17, 600));
      const cl::Buffer keys = fresh.buffer_of(in.keys), values = fresh.buffer_of(in.values);
      const std::size_t n_bytes = std::size_t{1} << 20;
      // Messages of the call's number: five runs up to each tile.
      const cl::Buffer memory = fresh.buffer_of(std::vector<u64>(n_bytes / 8, u64{1} << 32 | 0x80000005u));
      const guarded_buffer<std::uint32_t> out(fresh, in.n());
      clwave::inclusive_scan_by_key(fresh.queue, view<std::uint32_t>{keys, in.n()},
                                    view<std::uint32_t>{values, in.n()}, out.view(), clwave::plus,
                                    {.workspace = view<unsigned char>{memory, n_bytes}})
          .wait();
      CHECK(out.read_guarded() == sums_by_key(in));
    }
  });
}

TEST_CASE("scans by key where groups cannot send messages") {
  random_engine random;
  const element& u32 = element_of<std::uint32_t>();
  for (const std::string name : forced_rows(some_of({"sm_90", "cpu"}))) {
    const fixture fresh;
    own_site site(fresh.queue(), "scan_by_key");
    site.on.choice.order = clwave::group_order::two_launches;
    const auto in =
        with_lengths<std::uint32_t, std::uint32_t>(random, random_run_lengths(random, 70 * 4096 + 5, 30000));
    const cl::Buffer keys = fresh.buffer_of(in.keys), values = fresh.buffer_of(in.values);
    const guarded_buffer<std::uint32_t> out(fresh, in.n());
    const clwave::scan_by_key_problem problem{
        .keys = {u32, in.n()}, .values = {u32, in.n()}, .out = {u32, in.n(), out.view().offset()}};
    site.run(problem, {keys(), values(), out.buffer()()});
    CHECK(out.read_guarded() == sums_by_key(in));
  }
}

TEST_CASE("scans by key: what calls leave in the workspace means nothing to the next") {
  random_engine random;
  const fixture fresh;
  const forced_profile forced("cpu");
  // Offsets of many runs, and then messages of fewer or more tiles where those lay.
  for (const std::size_t n : {900000u, 90000u, 2000000u, 12000u}) {
    check_runs<std::uint32_t>(fresh,
                              with_lengths<std::uint32_t, std::uint32_t>(
                                  random, random_run_lengths(random, n, n % 7 == 0 ? 3 : 900)),
                              clwave::plus, plus<std::uint32_t>, start_values<std::uint32_t>{0, 1}, {},
                              ways_by_key::inclusive);
    const std::vector<std::uint32_t> ones(n, 1);
    const cl::Buffer in = fresh.buffer_of(ones);
    const guarded_buffer<std::uint32_t> out(fresh, n);
    clwave::inclusive_scan(fresh.queue, view<std::uint32_t>{in, n}, out.view()).wait();
    CHECK(out.read()[n - 1] == n);
  }
}

TEST_CASE_FIXTURE(on_device,
                  "scans by key in the caller's workspace, of exactly the bytes that the plan says") {
  for (const std::string name : forced_rows(rows_with_workspace)) {
    const auto in =
        with_lengths<std::uint32_t, std::uint32_t>(random, random_run_lengths(random, n_summed, 40000));
    const cl::Buffer keys = on.buffer_of(in.keys), values = on.buffer_of(in.values);
    const element& u32 = element_of<std::uint32_t>();
    const std::size_t n_bytes =
        plan(
            clwave::scan_by_key_problem{.keys = {u32, in.n()}, .values = {u32, in.n()}, .out = {u32, in.n()}},
            target_of(on))
            .workspace_bytes;
    const spoilt_memory memory(on, n_bytes);
    const std::vector<std::uint32_t> expected = sums_by_key(in);
    for (const int again : {1, 2}) {
      CAPTURE(again);
      if (again == 1) memory.spoil();
      const guarded_buffer<std::uint32_t> out(on, in.n());
      clwave::inclusive_scan_by_key(on.queue, view<std::uint32_t>{keys, in.n()},
                                    view<std::uint32_t>{values, in.n()}, out.view(), clwave::plus,
                                    {.workspace = memory.head()})
          .wait();
      CHECK(out.read_guarded() == expected);
      CHECK(memory.guards_intact(0));
    }
  }
}

TEST_CASE("scans by key: what the workspace takes") {
  const element* const types[] = {&element_of<std::uint8_t>(), &element_of<u64>(),
                                  &element_of<cl_double16>()};
  for (const char* name : some_of({"sm_90", "gfx90a", "cpu"})) {
    const clwave::plan_target target{
        .choice = clwave::choose_profile_for(name), .compute_units = 100, .with_source = false};
    for (const element* type : types) {
      const auto bytes = [&](u64 n) {
        return clwave::plan(
                   clwave::scan_by_key_problem{.keys = {*type, n}, .values = {*type, n}, .out = {*type, n}},
                   target)
            .workspace_bytes;
      };
      for (const u64 n : {u64{1}, u64{1} << 20, (u64{1} << 31) - 1, u64{1} << 31}) {
        CAPTURES(std::string(name), type->name, n);
        CHECK(bytes(n) <= n * 43 / 10 + 4096);
      }
      refuses("more than 2147483648 elements", [&] { bytes((u64{1} << 31) + 1); });
      refuses("more than 2147483648 elements", [&] { bytes(~u64{0} >> 1); });
    }
  }
}

TEST_CASE_FIXTURE(on_device, "scans by key of nothing, and of values that are their own keys") {
  const std::vector<std::uint32_t> numbers = {4, 4, 4, 5, 4, 4, 0, 0, 7};
  const cl::Buffer in = on.buffer_of(numbers);
  const guarded_buffer<std::uint32_t> out(on, numbers.size());
  const view<std::uint32_t> all{in, numbers.size()};
  clwave::inclusive_scan_by_key(on.queue, all.subview(0, 0), all.subview(0, 0), out.view().subview(0, 0))
      .wait();
  clwave::exclusive_scan_by_key(on.queue, all.subview(0, 0), all.subview(0, 0), out.view().subview(0, 0))
      .wait();
  CHECK(out.intact());
  clwave::inclusive_scan_by_key(on.queue, all, all, out.view()).wait();
  CHECK(out.read() == std::vector<std::uint32_t>{4, 8, 12, 5, 4, 8, 0, 0, 7});
  // Some of the keys are values, too.
  clwave::exclusive_scan_by_key(on.queue, all.subview(0, 6), all.subview(3, 6), out.view().subview(0, 6),
                                clwave::plus, {.start = 1u})
      .wait();
  CHECK(out.read_guarded() == std::vector<std::uint32_t>{1, 6, 10, 1, 1, 1, 0, 0, 7});
}

TEST_CASE_FIXTURE(on_device, "what scans by key refuse") {
  const cl::Buffer buffer = on.buffer_of(std::vector<std::uint32_t>(100, 3));
  const auto part = [&](std::size_t first, std::size_t n) { return view<std::uint32_t>{buffer, n, first}; };
  const auto scan = [&](const view<std::uint32_t>& keys, const view<std::uint32_t>& values,
                        const view<std::uint32_t>& out, const clwave::op& fold = clwave::plus) {
    return [this, keys, values, out, &fold] {
      clwave::exclusive_scan_by_key(on.queue, keys, values, out, fold);
    };
  };
  refuses("10 keys and 9 values", scan(part(0, 10), part(10, 9), part(20, 9)));
  refuses("9 values, and the output has 10 elements", scan(part(0, 9), part(10, 9), part(20, 10)));
  refuses("overlap", scan(part(0, 10), part(10, 10), part(9, 10)));
  refuses("overlap", scan(part(0, 10), part(10, 10), part(0, 10)));
  refuses("overlap", scan(part(0, 10), part(10, 10), part(11, 10)));
  refuses("overlap", scan(part(0, 10), part(0, 10), part(0, 10)));
  refuses("past", scan(part(0, 10), part(10, 10), part(91, 10)));
  refuses("past", scan(part(91, 10), part(10, 10), part(20, 10)));
  CHECK(refused(scan(part(0, 10), part(10, 10), part(20, 10), clwave::detail::argmin_op)));
  const clwave::op none{.name = "none", .source = "a + b", .identity = {}};
  CHECK(refused(scan(part(0, 10), part(10, 10), part(20, 10), none)));
  refuses("equality", [&] {
    clwave::inclusive_scan_by_key(on.queue, part(0, 10), part(10, 10), part(20, 10), clwave::plus,
                                  clwave::plus);
  });
  refuses("==", [&] {
    clwave::inclusive_scan_by_key(on.queue, view<person>(buffer, 2), part(40, 2), part(30, 2));
  });
  CHECK(on.read<std::uint32_t>(buffer, 100) == std::vector<std::uint32_t>(100, 3));
}

}  // namespace testing::scan_by_key_calls_test
