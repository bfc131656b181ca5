// Scans over ranks: an array that lies with several ranks has the results of one call on one device, in as
// many messages as were planned; and an error of one rank is thrown on all.
#include <clwave/ranks_scan.hpp>

#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <clwave/error.hpp>

#include "distributed/cut_arrays.hpp"
#include "distributed/rank_messages.hpp"
#include "distributed/rank_scan_cases.hpp"
#include "distributed/thread_ranks.hpp"
#include "families/scans.hpp"
#include "harness/captures.hpp"
#include "harness/quick.hpp"
#include "harness/refusals.hpp"

namespace testing::ranks_scan_test {
namespace {

// How many bytes an element and a result of a case have.
clwave::detail::node_bytes widths_of(rank_scan_case::kind what) {
  switch (what) {
    case rank_scan_case::chain:
    case rank_scan_case::chain_before:
      return {8, 1, 8};
    case rank_scan_case::bytes:
      return {1, 1, 8};
    default:
      return {4, 1, 4};
  }
}

}  // namespace

TEST_CASE_FIXTURE(
    on_places,
    "a scan over any number of ranks, cut anywhere: the results of one call, and the messages planned") {
  for (const u32 ranks : {1u, 2u, 3u, 7u, 16u}) {
    CAPTURE(ranks);
    for (int turn = 0; turn < (quick() ? 30 : 300); ++turn) {
      const rank_scan_case one = random_rank_scan_case(random, ranks);
      CAPTURES(static_cast<int>(one.what), one.in_place, text_of(one.cut));
      const auto expected = rank_scan_runner(nullptr, {})(one);
      mailbox box(ranks);
      std::vector<std::vector<std::byte>> got(ranks);
      const auto thrown = on_ranks(box, [&](clwave::ranks& all) {
        got[all.rank()] = rank_scan_runner(&all, two_places(all.rank()))(one);
      });
      std::vector<std::byte> all_got;
      for (u32 r = 0; r < ranks; ++r) {
        CAPTURE(r);
        CHECK(thrown[r] == "");
        all_got.insert(all_got.end(), got[r].begin(), got[r].end());
      }
      CHECK(all_got == expected);
      if (ranks == 1) continue;
      const auto begins = begins_of(one.cut);
      const clwave::detail::fold_levels levels(one.n, {one.sizes().tile(), one.sizes().tiles});
      CHECK(box.sent_in_order() ==
            planned_messages(ranks, clwave::detail::rounds_of_scan(levels, widths_of(one.what),
                                                                   [&](u32 k) { return begins[k]; })));
    }
  }
}

namespace {

// A scan of the numbers by all ranks, cut like that, against one of all on one device.
template <class Scan>
void check_public(const std::vector<float>& values, const rank_cut& cut, const Scan& scan) {
  const fixture& on = *places()[0];
  const cl::Buffer x = on.buffer_of(values), y = on.buffer_of(values);
  scan(on.queue, view<float>{x, values.size()}, view<float>{y, values.size()}).wait();
  const std::vector<float> expected = on.read<float>(y, values.size());
  const auto ranks = static_cast<u32>(cut.size());
  mailbox box(ranks);
  std::vector<std::vector<float>> got(ranks);
  const auto thrown = on_ranks(box, [&](clwave::ranks& all) {
    const rank_shards<float> in(values, cut, all.rank(), two_places(all.rank()));
    const rank_shards<float> out(values, cut, all.rank(), two_places(all.rank()));
    scan(all, in.array(), out.array());
    got[all.rank()] = out.read();
  });
  std::vector<float> all_got;
  for (u32 r = 0; r < ranks; ++r) {
    CHECK(thrown[r] == "");
    all_got.insert(all_got.end(), got[r].begin(), got[r].end());
  }
  check_same(all_got, expected);
}

}  // namespace

TEST_CASE_FIXTURE(on_places, "the public scans over ranks, with the tiles and stretches that they have") {
  const std::size_t n = 2'300'003;
  const auto values = random_values<float>(random, n);
  const clwave::map gap{.name = "gap", .source = "fabs(x) + (float)(i % 7)"};
  const rank_cut cut = random_rank_cut(random, n, 5, 16384);
  CAPTURE(text_of(cut));
  check_public(values, cut,
               [](auto& over, const auto& x, const auto& y) { return clwave::inclusive_scan(over, x, y); });
  check_public(values, cut, [](auto& over, const auto& x, const auto& y) {
    return clwave::exclusive_scan(over, x, y, clwave::plus, {.start = 0.25f});
  });
  const rank_cut two = random_rank_cut(random, n, 2, 16384);
  CAPTURE(text_of(two));
  check_public(values, two, [&](auto& over, const auto& x, const auto& y) {
    return clwave::transform_inclusive_scan(over, x, y, clwave::plus, gap, {.start = 0.1f});
  });
  check_public(values, two, [&](auto& over, const auto& x, const auto& y) {
    return clwave::transform_exclusive_scan(over, x, y, clwave::max, gap);
  });
}

// ----------------------------------------------------------------------------------------------- errors

namespace {

// A running sum of ones over so many ranks, where `failing` does something else; what each rank threw, and
// that the next call is right.
template <class Failing>
std::vector<std::string> scan_where(u32 ranks, u32 failing, const Failing& other) {
  const fixture& on = *places()[0];
  const std::size_t n = 10'000;
  const std::vector<float> ones(n, 1.0f);
  mailbox box(ranks);
  std::vector<std::string> thrown(ranks);
  const auto after = on_ranks(box, [&](clwave::ranks& all) {
    const cl::CommandQueue queue = on.new_queue();
    const cl::Buffer in = on.buffer_of(ones), out = on.buffer_of(ones);
    const sharded<float> x{{queue, view<float>{in, n}}}, y{{queue, view<float>{out, n}}};
    try {
      if (all.rank() == failing)
        other(all, x, y);
      else
        clwave::inclusive_scan(all, x, y);
    } catch (const clwave::error& failed) {
      thrown[all.rank()] = failed.what();
    }
    clwave::inclusive_scan(all, x, y);
    const auto got = on.read<float>(out, n);
    for (std::size_t i = 0; i < n; ++i)
      if (got[i] != static_cast<float>(all.rank() * n + i + 1)) throw std::runtime_error("another sum");
  });
  for (const std::string& each : after) CHECK(each == "");
  return thrown;
}

}  // namespace

TEST_CASE("what is wrong with a scan on one rank is thrown on all, and the next call is right") {
  for (const u32 ranks : {2u, 7u}) {
    for (const u32 failing : {0u, ranks / 2, ranks - 1}) {
      CAPTURES(ranks, failing);
      const std::string name = "rank " + std::to_string(failing) + " of " + std::to_string(ranks);
      const auto all_say = [&](const std::string& words, const auto& other) {
        for (const std::string& each : scan_where(ranks, failing, other)) {
          CAPTURE(each);
          CHECK(contains(each, words));
          // Which rank of two differs from the other, only they know; both are named.
          CHECK((contains(each, name) || contains(each, "than rank " + std::to_string(failing))));
        }
      };
      all_say("there are no shards", [](clwave::ranks& all, const auto& /*x*/, const auto& /*y*/) {
        clwave::inclusive_scan(all, sharded<float>{}, sharded<float>{});
      });
      all_say("the input is cut into 1 shards, the output into 0",
              [](clwave::ranks& all, const auto& x, const auto& /*y*/) {
                clwave::inclusive_scan(all, x, sharded<float>{});
              });
      all_say("another operator", [](clwave::ranks& all, const auto& x, const auto& y) {
        clwave::inclusive_scan(all, x, y, clwave::max);
      });
      all_say("another map", [](clwave::ranks& all, const auto& x, const auto& y) {
        clwave::transform_inclusive_scan(all, x, y, clwave::plus, clwave::square);
      });
      all_say("another start value", [](clwave::ranks& all, const auto& x, const auto& y) {
        clwave::inclusive_scan(all, x, y, clwave::plus, {.start = 0.0f});
      });
      all_say("another call",
              [](clwave::ranks& all, const auto& x, const auto& y) { clwave::exclusive_scan(all, x, y); });
      all_say("another call",
              [](clwave::ranks& all, const auto& x, const auto& /*y*/) { clwave::reduce(all, x); });
    }
  }
}

TEST_CASE_FIXTURE(
    on_places,
    "start values that differ between ranks are refused, and equal ones stand before the first alone") {
  for (const bool differ : {false, true}) {
    mailbox box(3);
    const auto thrown = on_ranks(box, [&](clwave::ranks& all) {
      const cl::CommandQueue queue = on.new_queue();
      const cl::Buffer ones = on.buffer_of(std::vector<float>(2, 1.0f));
      const sharded<float> x{{queue, view<float>{ones, 2}}};
      const float start = differ && all.rank() == 1 ? 101.0f : 100.0f;
      clwave::exclusive_scan(all, x, x, clwave::plus, {.start = start});
      const float first = 100.0f + 2.0f * static_cast<float>(all.rank());
      if (on.read<float>(ones, 2) != std::vector<float>{first, first + 1}) throw std::runtime_error("other");
    });
    for (const std::string& each : thrown) {
      if (differ)
        CHECK(contains(each, "rank 1 of 3 calls with another start value than rank 0"));
      else
        CHECK(each == "");
    }
  }
}

TEST_CASE("texts of a scan that a compiler refuses are refused on all ranks, in the middle of the call") {
  const clwave::op broken{.name = "broken", .source = "a +", .identity = "0"};
  const fixture& on = *places()[0];
  for (const u32 with : {0u, 1u, 2u}) {
    mailbox box(3);
    // One rank alone has elements.
    const auto thrown = on_ranks(box, [&](clwave::ranks& all) {
      const cl::CommandQueue queue = on.new_queue();
      const cl::Buffer ones = on.buffer_of(std::vector<float>(100, 1.0f));
      const sharded<float> x{{queue, view<float>{ones, all.rank() == with ? std::size_t{100} : 0}}};
      clwave::inclusive_scan(all, x, x, broken);
    });
    for (const std::string& each : thrown)
      CHECK(contains(each, "rank " + std::to_string(with) + " of 3: shard 1 of 1: "));
  }
}

TEST_CASE_FIXTURE(
    on_places,
    "ranks without any elements scan nothing, and an exclusive scan needs an identity or a start") {
  const clwave::op mine{.name = "mine", .source = "a + b"};
  mailbox box(3);
  const auto thrown = on_ranks(box, [&](clwave::ranks& all) {
    const cl::CommandQueue queue = on.new_queue();
    const cl::Buffer ones = on.buffer_of(std::vector<float>(3, 1.0f));
    const sharded<float> none{{queue, view<float>{ones, 0}}}, x{{queue, view<float>{ones, 3}}};
    clwave::inclusive_scan(all, none, none);
    clwave::exclusive_scan(all, none, none);
    clwave::exclusive_scan(all, x, x, mine, {.start = 1.0f});
    const float first = 1.0f + 3.0f * static_cast<float>(all.rank());
    if (on.read<float>(ones, 3) != std::vector<float>{first, first + 1, first + 2})
      throw std::runtime_error("another sum");
    clwave::exclusive_scan(all, x, x, mine);
  });
  for (const std::string& each : thrown) CHECK(contains(each, "no identity"));
}

TEST_CASE_FIXTURE(on_places,
                  "a rank that sends nothing to a scan is named, and the ranks take no further call") {
  for (const u32 silent : {0u, 3u, 6u}) {
    mailbox box(7);
    box.silence(silent);
    const auto thrown = on_ranks(box, [&](clwave::ranks& all) {
      const cl::CommandQueue queue = on.new_queue();
      const cl::Buffer ones = on.buffer_of(std::vector<float>(100, 1.0f));
      const sharded<float> x{{queue, view<float>{ones, 100}}};
      std::string first;
      try {
        clwave::inclusive_scan(all, x, x);
      } catch (const clwave::error& failed) {
        first = failed.what();
      }
      if (all.rank() != silent) {
        CHECK(contains(first, "rank " + std::to_string(silent) + " sent nothing"));
        clwave::inclusive_scan(all, x, x);
      }
    });
    for (u32 r = 0; r < 7; ++r)
      if (r != silent) CHECK(contains(thrown[r], "a message of an earlier call on these ranks did not come"));
  }
}

}  // namespace testing::ranks_scan_test
