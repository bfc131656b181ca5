// ranks: an array that lies with several ranks has the bits of one call on one device, in as many messages as
// were planned; and an error of one rank is thrown on all.
#include <clwave/ranks.hpp>

#include <array>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <clwave/reduce.hpp>

#include "distributed/cut_arrays.hpp"
#include "distributed/rank_cases.hpp"
#include "distributed/rank_messages.hpp"
#include "distributed/thread_ranks.hpp"
#include "harness/captures.hpp"
#include "harness/quick.hpp"
#include "harness/refusals.hpp"

namespace testing::ranks_test {
namespace {

// How many bytes an element and a result of a case have.
clwave::detail::node_bytes widths_of(rank_case::kind what) {
  switch (what) {
    case rank_case::product:
      return {4, 2, 4};
    case rank_case::chain:
      return {8, 1, 8};
    case rank_case::bytes:
      return {1, 1, 8};
    default:
      return {4, 1, 4};
  }
}

}  // namespace

TEST_CASE_FIXTURE(on_places,
                  "any number of ranks, cut anywhere: the bits of one, and the messages that were planned") {
  for (const u32 ranks : {1u, 2u, 3u, 7u, 16u}) {
    CAPTURE(ranks);
    for (int turn = 0; turn < (quick() ? 25 : 200); ++turn) {
      const rank_case one = random_rank_case(random, ranks);
      CAPTURES(static_cast<int>(one.what), text_of(one.cut));
      const auto expected = rank_runner(nullptr, {})(one);
      mailbox box(ranks);
      std::vector<std::vector<std::byte>> got(ranks);
      const auto thrown = on_ranks(
          box, [&](clwave::ranks& all) { got[all.rank()] = rank_runner(&all, two_places(all.rank()))(one); });
      for (u32 r = 0; r < ranks; ++r) {
        CAPTURE(r);
        CHECK(thrown[r] == "");
        CHECK(got[r] == expected);
      }
      if (one.what >= rank_case::least || ranks == 1) continue;
      const auto begins = begins_of(one.cut);
      const auto widths = widths_of(one.what);
      const clwave::detail::fold_levels levels(one.n, rank_sizes.tile);
      CHECK(box.sent_in_order() ==
            planned_messages(ranks, clwave::detail::rounds_of_reduction(levels, widths,
                                                                        [&](u32 k) { return begins[k]; })));
    }
  }
}

TEST_CASE_FIXTURE(on_places, "the public calls, with the tiles that they have") {
  const std::size_t n = 100'003;
  const auto xs = random_values<float>(random, n), ys = random_values<float>(random, n);
  const fixture& on = *places()[0];
  const cl::Buffer x = on.buffer_of(xs), y = on.buffer_of(ys);
  const view<float> whole_x{x, n}, whole_y{y, n};
  const float sum = clwave::reduce(on.queue, whole_x);
  const float product = clwave::dot(on.queue, whole_x, whole_y);
  const clwave::map gap{.name = "gap", .source = "fabs(x - y) + (float)i"};
  const float worst = clwave::transform_reduce(on.queue, clwave::zip(whole_x, whole_y), clwave::max, gap);
  const auto least = clwave::argmin(on.queue, whole_x), most = clwave::argmax(on.queue, whole_x);
  for (const u32 ranks : {2u, 5u}) {
    const rank_cut cut = random_rank_cut(random, n, ranks, tile);
    CAPTURE(text_of(cut));
    mailbox box(ranks);
    std::vector<std::string> wrong(ranks);
    const auto thrown = on_ranks(box, [&](clwave::ranks& all) {
      const rank_shards<float> a(xs, cut, all.rank(), two_places(all.rank()));
      const rank_shards<float> b(ys, cut, all.rank(), two_places(all.rank()));
      std::string& said = wrong[all.rank()];
      if (!same_bits(clwave::reduce(all, a.array()), sum)) said += "sum ";
      if (!same_bits(clwave::dot(all, a.array(), b.array()), product)) said += "dot ";
      if (!same_bits(clwave::transform_reduce(all, clwave::zip(a.array(), b.array()), clwave::max, gap),
                     worst))
        said += "zip ";
      if (!same_bits(clwave::argmin(all, a.array()), least)) said += "argmin ";
      if (!same_bits(clwave::argmax(all, a.array()), most)) said += "argmax ";
    });
    for (u32 r = 0; r < ranks; ++r) {
      CHECK(thrown[r] == "");
      CHECK(wrong[r] == "");
    }
  }
}

namespace {

// A sum of ones over so many ranks, where `failing` does something else; what each rank threw, and that the
// next call is right.
template <class Failing>
std::vector<std::string> sum_where(u32 ranks, u32 failing, const Failing& other) {
  const fixture& on = *places()[0];
  const std::size_t n = 10'000;
  const cl::Buffer ones = on.buffer_of(std::vector<float>(n, 1.0f));
  mailbox box(ranks);
  std::vector<std::string> thrown(ranks);
  const auto after = on_ranks(box, [&](clwave::ranks& all) {
    const cl::CommandQueue queue = on.new_queue();
    const sharded<float> x{{queue, view<float>{ones, n}}};
    try {
      if (all.rank() == failing)
        other(all, x);
      else
        clwave::reduce(all, x);
    } catch (const clwave::error& failed) {
      thrown[all.rank()] = failed.what();
    }
    if (clwave::reduce(all, x) != static_cast<float>(n * ranks)) throw std::runtime_error("another sum");
  });
  for (const std::string& each : after) CHECK(each == "");
  return thrown;
}

}  // namespace

TEST_CASE("what is wrong on one rank is thrown on all, and the next call is right") {
  for (const u32 ranks : {2u, 7u}) {
    for (const u32 failing : {0u, ranks / 2, ranks - 1}) {
      CAPTURES(ranks, failing);
      const std::string name = "rank " + std::to_string(failing) + " of " + std::to_string(ranks);
      const auto all_say = [&](const std::vector<std::string>& thrown, const std::string& words) {
        for (const std::string& each : thrown) {
          CAPTURE(each);
          CHECK(contains(each, words));
          // Which rank of two differs from the other, only they know; both are named.
          CHECK((contains(each, name) || contains(each, "than rank " + std::to_string(failing))));
        }
      };
      all_say(sum_where(ranks, failing,
                        [](clwave::ranks& all, const auto& /*x*/) { clwave::reduce(all, sharded<float>{}); }),
              "there are no shards");
      all_say(sum_where(ranks, failing,
                        [](clwave::ranks& all, const auto& x) { clwave::reduce(all, x, clwave::max); }),
              "another operator");
      all_say(sum_where(ranks, failing,
                        [](clwave::ranks& all, const auto& x) {
                          clwave::transform_reduce(all, x, clwave::plus, clwave::square);
                        }),
              "another map");
      all_say(sum_where(ranks, failing,
                        [](clwave::ranks& all, const auto& x) { clwave::reduce<std::int32_t>(all, x); }),
              "another type to accumulate in");
      all_say(sum_where(ranks, failing, [](clwave::ranks& all, const auto& x) { clwave::dot(all, x, x); }),
              "another map");
    }
  }
}

// A carrier that is not ours need not throw errors of ours; the others do not wait for this rank in vain.
TEST_CASE("whatever a carrier throws is thrown on all ranks") {
  class failing_ranks : public testing::thread_ranks {
   public:
    using thread_ranks::thread_ranks;
    std::size_t receive(u32 from, std::span<std::byte> into, u32 patience) override {
      thread_ranks::receive(from, into, patience);
      throw std::runtime_error("the cable is out");
    }
  };
  const fixture& on = *places()[0];
  const cl::Buffer ones = on.buffer_of(std::vector<float>(1000, 1.0f));
  mailbox box(3);
  const auto thrown = on_ranks(box, [&](clwave::ranks& all) {
    const cl::CommandQueue queue = on.new_queue();
    const sharded<float> x{{queue, view<float>{ones, 1000}}};
    if (all.rank() != 0) {
      clwave::reduce(all, x);
      return;
    }
    failing_ranks failing(box, 0);
    clwave::reduce(failing, x);
  });
  for (const std::string& each : thrown) {
    CAPTURE(each);
    CHECK(contains(each, "rank 0's carrier failed to receive: the cable is out"));
  }
}

TEST_CASE_FIXTURE(on_places, "the least and the greatest of all kinds of numbers") {
  const auto check = [&]<class T>(const std::vector<T>& values) {
    const std::size_t n = values.size();
    const cl::Buffer buffer = on.buffer_of(values);
    const auto least = clwave::argmin(on.queue, view<T>{buffer, n}),
               most = clwave::argmax(on.queue, view<T>{buffer, n});
    const rank_cut cut = random_rank_cut(random, n, 5, tile);
    CAPTURE(text_of(cut));
    mailbox box(5);
    const auto thrown = on_ranks(box, [&](clwave::ranks& all) {
      const rank_shards<T> own(values, cut, all.rank(), two_places(all.rank()));
      const auto got_least = clwave::argmin(all, own.array()), got_most = clwave::argmax(all, own.array());
      if (got_least.index != least.index || got_least.value != least.value)
        throw std::runtime_error("argmin");
      if (got_most.index != most.index || got_most.value != most.value) throw std::runtime_error("argmax");
    });
    for (const std::string& each : thrown) CHECK(each == "");
  };
  for (int turn = 0; turn < 3; ++turn) {
    check(random_values<std::int8_t>(random, 5000));
    check(random_values<std::uint8_t>(random, 5000));
    check(random_values<std::int16_t>(random, 5000));
    check(random_values<u16>(random, 5000));
    check(random_values<std::int32_t>(random, 5000));
    check(random_values<u32>(random, 5000));
    check(random_values<std::int64_t>(random, 5000));
    check(random_values<u64>(random, 5000));
    check(random_values<half>(random, 5000));
    if (on.has_doubles()) check(random_values<double>(random, 5000));
  }
}

TEST_CASE_FIXTURE(on_places, "operators and maps that differ in one thing differ; names alone do not") {
  const cl::Buffer ones = on.buffer_of(std::vector<float>(100, 1.0f));
  const clwave::op sum{.name = "sum", .source = "a + b * c", .identity = "0", .values = {{"c", 1.0f}}};
  const clwave::map same{.name = "same", .source = "x * c", .values = {{"c", 1.0f}}};
  struct other {
    const char* says;
    clwave::op fold;
    clwave::map apply;
  };
  std::vector<other> others(9, {"another operator", sum, same});
  others[0].fold.source = "a + b*c";
  others[1].fold.identity = "0.0f";
  others[2].fold.commutative = false;
  others[3].fold.declarations = "constant float unused = 1.0f;";
  others[4].fold.values = {{"c", 2.0f}};
  others[5].fold.values = {{"c", 1.0}};
  others[6] = {"another map", sum, same};
  others[6].apply.values = {{"c", 2.0f}};
  others[7] = {"another map", sum, same};
  others[7].apply.declarations = "constant float unused = 1.0f;";
  others[8] = {"", sum, same};
  others[8].fold.name = others[8].apply.name = "of another name";
  for (const other& each : others) {
    CAPTURE(std::string(each.says));
    mailbox box(3);
    const auto thrown = on_ranks(box, [&](clwave::ranks& all) {
      const cl::CommandQueue queue = on.new_queue();
      const sharded<float> x{{queue, view<float>{ones, 100}}};
      const bool here = all.rank() == 2;
      const float result = clwave::transform_reduce(all, x, here ? each.fold : sum, here ? each.apply : same);
      if (result != 300.0f) throw std::runtime_error("another sum");
    });
    for (const std::string& said : thrown) {
      CAPTURE(said);
      if (std::string(each.says).empty())
        CHECK(said == "");
      else
        CHECK(contains(said, "rank 2 of 3 calls with " + std::string(each.says) + " than rank 0"));
    }
  }
}

TEST_CASE("texts that a compiler refuses are refused on all ranks, in the middle of the call") {
  const clwave::op broken{.name = "broken", .source = "a +", .identity = "0"};
  const fixture& on = *places()[0];
  const cl::Buffer ones = on.buffer_of(std::vector<float>(100, 1.0f));
  mailbox box(3);
  // Rank 1 alone has elements to fold.
  const auto thrown = on_ranks(box, [&](clwave::ranks& all) {
    const cl::CommandQueue queue = on.new_queue();
    const sharded<float> x{{queue, view<float>{ones, all.rank() == 1 ? std::size_t{100} : 0}}};
    clwave::reduce(all, x, broken);
  });
  for (const std::string& each : thrown) CHECK(contains(each, "rank 1 of 3: shard 1 of 1: "));
}

TEST_CASE_FIXTURE(on_places, "an empty array gives the identity, and has no least element") {
  const cl::Buffer none = on.buffer_of(std::vector<float>());
  mailbox box(3);
  const auto thrown = on_ranks(box, [&](clwave::ranks& all) {
    const cl::CommandQueue queue = on.new_queue();
    const sharded<float> x{{queue, view<float>{none, 0}}};
    if (clwave::reduce(all, x, clwave::multiplies) != 1.0f) throw std::runtime_error("another product");
    clwave::argmin(all, x);
  });
  for (const std::string& each : thrown) CHECK(contains(each, "rank 0 of 3: "));
}

TEST_CASE_FIXTURE(on_places, "a rank that sends nothing is named, and the ranks take no further call") {
  const cl::Buffer ones = on.buffer_of(std::vector<float>(100, 1.0f));
  for (const u32 silent : {0u, 3u, 6u}) {
    mailbox box(7);
    box.silence(silent);
    const auto thrown = on_ranks(box, [&](clwave::ranks& all) {
      const cl::CommandQueue queue = on.new_queue();
      const sharded<float> x{{queue, view<float>{ones, 100}}};
      std::string first;
      try {
        clwave::reduce(all, x);
      } catch (const clwave::error& failed) {
        first = failed.what();
      }
      if (all.rank() != silent) {
        CHECK(contains(first, "rank " + std::to_string(silent) + " sent nothing"));
        clwave::reduce(all, x);
      }
    });
    for (u32 r = 0; r < 7; ++r)
      if (r != silent) CHECK(contains(thrown[r], "a message of an earlier call on these ranks did not come"));
  }
}

}  // namespace testing::ranks_test
