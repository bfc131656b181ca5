// Histograms over ranks: shards with any number of ranks have the counts of one call on one device, on all of
// them, and an error of one rank is thrown on all.
#include <clwave/ranks_histogram.hpp>

#include <array>
#include <cstdint>
#include <numeric>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "distributed/cut_arrays.hpp"
#include "distributed/rank_cases.hpp"
#include "distributed/thread_ranks.hpp"
#include "harness/quick.hpp"
#include "harness/refusals.hpp"

namespace testing::ranks_histogram_test {
namespace {

// Ranks' cuts of pixels as cuts of elements: within a rank shards may end in the middle of a pixel.
rank_cut pixel_cut(random_engine& random, u64 pixels, std::size_t ranks, unsigned channels) {
  rank_cut cut = random_rank_cut(random, pixels, ranks, 50);
  for (std::vector<u64>& shards : cut) {
    for (u64& n : shards) n *= channels;
    for (std::size_t k = 0; k + 1 < shards.size(); ++k) {
      const u64 moved = random.below(std::min<u64>(shards[k], channels) + 1);
      shards[k] -= moved;
      shards[k + 1] += moved;
    }
  }
  return cut;
}

// `count(over, in, counts)` on all ranks gives what is expected; what lies around the counts stays.
template <class Count, class T, class Call>
void check_counts(random_engine& random, const std::vector<T>& values, unsigned channels,
                  const std::vector<Count>& expected, const Call& count) {
  for (const u32 ranks : {1u, 2u, 5u, 16u}) {
    for (int turn = 0; turn < (quick() ? 2 : 10); ++turn) {
      const rank_cut cut = pixel_cut(random, values.size() / channels, ranks, channels);
      CAPTURE(text_of(cut));
      mailbox box(ranks);
      std::vector<std::vector<Count>> got(ranks, std::vector<Count>(expected.size() + 2, Count(99)));
      const auto thrown = on_ranks(box, [&](clwave::ranks& all) {
        const rank_shards<T> in(values, cut, all.rank(), two_places(all.rank()));
        count(all, in.array(), std::span<Count>(got[all.rank()]).subspan(1, expected.size()));
      });
      std::vector<Count> wanted = expected;
      wanted.insert(wanted.begin(), Count(99));
      wanted.push_back(Count(99));
      for (u32 r = 0; r < ranks; ++r) {
        CHECK(thrown[r] == "");
        CHECK(got[r] == wanted);
      }
    }
  }
}

}  // namespace

TEST_CASE_FIXTURE(on_places, "bytes in one to four channels, over any number of ranks") {
  for (const unsigned channels : {1u, 3u, 4u}) {
    CAPTURE(channels);
    for (const std::size_t pixels : {std::size_t{1}, std::size_t{10'007}}) {
      const auto values = random_values<std::uint8_t>(random, pixels * channels);
      std::vector<u32> expected(256 * channels);
      for (std::size_t i = 0; i < values.size(); ++i) ++expected[i % channels * 256 + values[i]];
      check_counts(random, values, channels, expected, [channels](auto& over, const auto& in, auto counts) {
        clwave::histogram(over, in, counts, clwave::even{0, 256}, {.channels = channels});
      });
    }
  }
}

TEST_CASE_FIXTURE(on_places, "between edges, into counts of 64 bits") {
  const auto values = random_values<std::int16_t>(random, 2 * 5'001);
  const std::array edges{-20'000, -5, 7, 30'000};
  std::vector<u64> expected(2 * 3);
  for (std::size_t i = 0; i < values.size(); ++i)
    for (std::size_t bin = 0; bin < 3; ++bin)
      if (values[i] >= edges[bin] && values[i] < edges[bin + 1]) ++expected[i % 2 * 3 + bin];
  check_counts(random, values, 2, expected, [&](auto& over, const auto& in, auto counts) {
    clwave::histogram(over, in, counts, edges, {.channels = 2});
  });
}

TEST_CASE("of no elements all counts are 0") {
  random_engine random;
  check_counts(random, std::vector<float>(), 1, std::vector<u32>(5),
               [](auto& over, const auto& in, auto counts) {
                 clwave::histogram(over, in, counts, clwave::even{0, 1});
               });
}

namespace {

// What each of three ranks throws where the second calls otherwise; all counts stay, and the next call is
// right.
template <class Other>
std::vector<std::string> count_where(const Other& other) {
  const fixture& on = *places()[0];
  const cl::Buffer ones = on.buffer_of(std::vector<float>(1000, 1.0f));
  mailbox box(3);
  std::vector<std::string> thrown(3);
  std::vector<std::vector<u32>> counts(3, std::vector<u32>(4, 7)), later = counts;
  const auto after = on_ranks(box, [&](clwave::ranks& all) {
    const sharded<float> x{{on.queue, view<float>{ones, 1000}}};
    std::vector<u32>& own = counts[all.rank()];
    try {
      if (all.rank() == 1)
        other(all, x, own);
      else
        clwave::histogram(all, x, own, clwave::even{0, 4}, {.channels = 1});
    } catch (const clwave::error& failed) {
      thrown[all.rank()] = failed.what();
    }
    clwave::histogram(all, x, later[all.rank()], clwave::even{0, 4});
  });
  for (u32 r = 0; r < 3; ++r) {
    CHECK(after[r] == "");
    CHECK(counts[r] == std::vector<u32>(4, 7));
    CHECK(later[r] == std::vector<u32>{0, 3000, 0, 0});
  }
  return thrown;
}

void all_say(std::string_view words, const std::vector<std::string>& thrown) {
  for (const std::string& each : thrown) {
    CAPTURE(each);
    CHECK(contains(each, words));
  }
}

}  // namespace

TEST_CASE("what is wrong on one rank is thrown on all, before anything is counted") {
  all_say("other bins or channels", count_where([](auto& all, const auto& x, auto& counts) {
            clwave::histogram(all, x, counts, clwave::even{0, 5});
          }));
  all_say("other bins or channels", count_where([](auto& all, const auto& x, auto& counts) {
            clwave::histogram(all, x, counts, clwave::even{0, 4}, {.channels = 2});
          }));
  all_say("other bins or channels", count_where([](auto& all, const auto& x, auto& counts) {
            clwave::histogram(all, x, counts, std::array{0, 1, 2, 3, 4});
          }));
  all_say("another type to accumulate in", count_where([](auto& all, const auto& x, auto&) {
            std::vector<u64> wide(4);
            clwave::histogram(all, x, wide, clwave::even{0, 4});
          }));
  all_say("another call", count_where([](auto& all, const auto& x, auto&) { clwave::reduce(all, x); }));
  all_say("rank 1 of 3", count_where([](auto& all, const auto& x, auto& counts) {
            clwave::histogram(all, x, counts, clwave::even{4, 0});
          }));
  all_say("there are no shards", count_where([](auto& all, const auto&, auto& counts) {
            clwave::histogram(all, sharded<float>(), counts, clwave::even{0, 4});
          }));
  all_say("not as many for each of 2 channels", count_where([](auto& all, const auto& x, auto& counts) {
            const cl_mem buffer = x.erased()[0].elements.buffer;
            const sharded<float> part{{x.erased()[0].queue, view<float>{buffer, 999}}};
            clwave::histogram(all, part, counts, clwave::even{0, 4}, {.channels = 2});
          }));
  all_say("there is room for 3 counts", count_where([](auto& all, const auto& x, auto& counts) {
            clwave::histogram(all, x, std::span(counts).first(3), std::array{0, 1, 2, 3, 4});
          }));
}

}  // namespace testing::ranks_histogram_test
