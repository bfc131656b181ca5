// count_if, minmax and mean_and_variance of shards, of arrays of the host and over ranks: against plain
// loops, and with the bits of one call on one device.
#include <clwave/sharded_statistics.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <clwave/statistics.hpp>

#include "distributed/cut_arrays.hpp"
#include "distributed/host_arrays.hpp"
#include "distributed/rank_cases.hpp"
#include "distributed/thread_ranks.hpp"
#include "harness/quick.hpp"
#include "harness/refusals.hpp"

namespace testing::sharded_statistics_test {
namespace {

const clwave::map odd{.name = "fits", .source = "x > bar && i % 3u != 1u", .values = {{"bar", 1.0f}}};

// The values of a call without padding, so that calls are compared alike.
template <class T>
std::vector<std::byte> bytes_of(const clwave::min_and_max<T>& ends) {
  std::vector<std::byte> bytes(2 * sizeof(T));
  std::memcpy(bytes.data(), &ends.min, sizeof(T));
  std::memcpy(bytes.data() + sizeof(T), &ends.max, sizeof(T));
  return bytes;
}
template <class T>
std::vector<std::byte> bytes_of(const clwave::moments<T>& all) {
  std::vector<std::byte> bytes(8 + 2 * sizeof(T));
  std::memcpy(bytes.data(), &all.n, 8);
  std::memcpy(bytes.data() + 8, &all.mean, sizeof(T));
  std::memcpy(bytes.data() + 8 + sizeof(T), &all.squares, sizeof(T));
  return bytes;
}

// All that is asked of an array.
struct answers {
  u64 count;
  std::vector<std::byte> ends, measured;
  bool operator==(const answers&) const = default;
};

// `from` are the arguments in front of each call's own. Integers of 64 bits are measured in float.
template <class T, class... From>
answers ask(From&&... from) {
  using A = std::conditional_t<(sizeof(T) > 4), float, void>;
  return {clwave::count_if(from..., odd), bytes_of(clwave::minmax(from...)),
          bytes_of(clwave::mean_and_variance<A>(from...))};
}

// A plain loop, where it is exact.
template <class T>
void check_with_loop(const std::vector<T>& values, const answers& got) {
  u64 count = 0;
  for (std::size_t i = 0; i < values.size(); ++i)
    if (static_cast<float>(values[i]) > 1.0f && i % 3 != 1) ++count;
  CHECK(got.count == count);
  if constexpr (std::is_integral_v<T>) {
    if (values.empty()) return;
    const auto [least, greatest] = std::ranges::minmax_element(values);
    CHECK(got.ends == bytes_of(clwave::min_and_max<T>{*least, *greatest}));
  }
}

template <class T>
void check_all(random_engine& random, const std::vector<T>& values) {
  CAPTURE(values.size());
  const fixture& on = *places()[0];
  const cl::Buffer whole = on.buffer_of(values);
  const auto expected = ask<T>(on.queue, view<T>{whole, values.size()});
  check_with_loop(values, expected);
  for (int turn = 0; turn < (quick() ? 2 : 6); ++turn) {
    const lengths cut = random_cut(random, values.size());
    CAPTURE(text_of(cut));
    const cut_array<T> x(random, values, cut, T(77));
    CHECK(ask<T>(x.array()) == expected);
    CHECK(x.intact());
    CHECK(ask<T>(some_queues(random), host_array<T>(values)) == expected);
    const u32 ranks = 2 + static_cast<u32>(random.below(4));
    const rank_cut over = random_rank_cut(random, values.size(), ranks, tile);
    CAPTURE(text_of(over));
    mailbox box(ranks);
    std::vector<answers> got(ranks);
    const auto thrown = on_ranks(box, [&](clwave::ranks& all) {
      const rank_shards<T> own(values, over, all.rank(), two_places(all.rank()));
      got[all.rank()] = ask<T>(all, own.array());
    });
    for (u32 r = 0; r < ranks; ++r) {
      CHECK(thrown[r] == "");
      CHECK(got[r] == expected);
    }
  }
}

template <class T>
void check_type(random_engine& random) {
  for (const std::size_t n : {std::size_t{1}, std::size_t{33}, tile + 1, 5 * tile + 77})
    check_all(random, random_values<T>(random, n));
}

}  // namespace

TEST_CASE_FIXTURE(on_places, "wherever an array lies: the bits of one call") {
  check_type<float>(random);
  check_type<std::uint8_t>(random);
  check_type<std::int16_t>(random);
  check_type<std::int64_t>(random);
}

TEST_CASE_FIXTURE(on_places, "zeros of both signs and NaNs") {
  for (int turn = 0; turn < (quick() ? 3 : 12); ++turn)
    check_all(random, values_with_ties(random, 3 * tile + random.below(tile), turn));
}

TEST_CASE_FIXTURE(on_places, "of no elements") {
  const cl::Buffer buffer = on.buffer_of(std::vector<float>(1));
  const view<float> none{buffer, 0};
  const answers expected = ask<float>(on.queue, none);
  const std::vector<float> nothing;
  CHECK(ask<float>(sharded<float>{{on.queue, none}, {on.queue, none}}) == expected);
  CHECK(ask<float>(queues{on.queue}, host_array<float>(nothing)) == expected);
  mailbox box(3);
  std::vector<answers> got(3);
  const auto thrown = on_ranks(box, [&](clwave::ranks& all) {
    got[all.rank()] = ask<float>(all, sharded<float>{{on.queue, none}});
  });
  for (u32 r = 0; r < 3; ++r) {
    CHECK(thrown[r] == "");
    CHECK(got[r] == expected);
  }
}

TEST_CASE_FIXTURE(on_places, "what is refused") {
  const std::vector<float> values(100);
  const cl::Buffer buffer = on.buffer_of(values);
  const sharded<float> x{{on.queue, view<float>{buffer, 100}}}, nothing;
  refuses("predicate", [&] { clwave::count_if(x, clwave::identity); });
  refuses("predicate",
          [&] { clwave::count_if(queues{on.queue}, host_array<float>(values), clwave::square); });
  refuses("there are no shards", [&] { clwave::minmax(nothing); });
  refuses("there are no queues", [&] { clwave::minmax(queues{}, host_array<float>(values)); });
  mailbox box(2);
  const auto thrown = on_ranks(box, [&](clwave::ranks& all) {
    if (all.rank() == 0)
      clwave::count_if(all, x, odd);
    else
      clwave::transform_reduce<u64>(all, x, clwave::plus, odd);
  });
  for (const std::string& each : thrown) CHECK(each.find("another call") != std::string::npos);
}

}  // namespace testing::sharded_statistics_test
