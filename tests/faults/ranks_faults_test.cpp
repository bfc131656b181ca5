// Reductions and scans over ranks where the driver of one fails: every entry point of OpenCL once at each of
// its first calls, among three ranks that are threads. All ranks throw the same error, which names the one,
// or all have the right results; nobody waits for ever, and the next call is right.
#include <algorithm>
#include <array>
#include <cstdio>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <clwave.hpp>

#include "distributed/thread_ranks.hpp"
#include "families/scan_reference.hpp"
#include "faults.hpp"
#include "harness/captures.hpp"
#include "harness/devices.hpp"
#include "harness/quick.hpp"

namespace {

using clwave::view;
using testing::fixture;

// Three ranks, each on a place of its own, and what each throws of a call that all make: "" where nothing,
// else the first line.
class three_ranks {
 public:
  using queue_list = std::array<cl::CommandQueue, 3>;
  virtual ~three_ranks() = default;
  queue_list queues() const {
    return {places_[0].new_queue(), places_[1].new_queue(), places_[2].new_queue()};
  }
  std::vector<std::string> call(const queue_list& queues) {
    testing::mailbox box(3);
    auto said =
        testing::on_ranks(box, [&](clwave::ranks& all) { call_on(all, all.rank(), queues[all.rank()]); });
    for (std::string& each : said) each = each.substr(0, each.find('\n'));
    return said;
  }
  // Whether all ranks have what a call gives, since it was last forgotten.
  virtual bool is_right() const = 0;
  virtual void forget() = 0;
  void let_go() {
    for (const fixture& each : places_) clwave::release(each.context);
  }

 protected:
  virtual void call_on(clwave::ranks& all, std::size_t rank, const cl::CommandQueue& queue) = 0;

  std::array<fixture, 3> places_;
};

class sum_of_ones : public three_ranks {
 public:
  sum_of_ones() {
    for (std::size_t r = 0; r < 3; ++r)
      buffers_[r] = places_[r].buffer_of(std::vector<float>(sizes[r], 1.0f));
  }
  bool is_right() const override { return sums_ == std::array{100'001.0f, 100'001.0f, 100'001.0f}; }
  void forget() override { sums_ = {}; }

 private:
  void call_on(clwave::ranks& all, std::size_t rank, const cl::CommandQueue& queue) override {
    sums_[rank] =
        clwave::reduce(all, clwave::sharded<float>{{queue, view<float>{buffers_[rank], sizes[rank]}}});
  }

  // Each begins or ends inside a tile.
  static constexpr std::array<std::size_t, 3> sizes{20'000, 50'001, 30'000};
  std::array<cl::Buffer, 3> buffers_;
  std::array<float, 3> sums_{};
};

// With many stretches of small tiles.
class scan_of_ones : public three_ranks {
 public:
  scan_of_ones() {
    for (std::size_t r = 0; r < 3; ++r) in_[r] = places_[r].buffer_of(std::vector<float>(sizes[r], 1.0f));
    forget();
  }
  bool is_right() const override {
    float sum = 0.0f;
    for (std::size_t r = 0; r < 3; ++r)
      for (const float result : places_[r].read<float>(out_[r], sizes[r]))
        if (result != (sum += 1.0f)) return false;
    return true;
  }
  void forget() override {
    for (std::size_t r = 0; r < 3; ++r) out_[r] = places_[r].buffer_of(std::vector<float>(sizes[r]));
  }

 private:
  void call_on(clwave::ranks& all, std::size_t rank, const cl::CommandQueue& queue) override {
    const clwave::sharded<float> in{{queue, view<float>{in_[rank], sizes[rank]}}};
    const clwave::sharded<float> out{{queue, view<float>{out_[rank], sizes[rank]}}};
    clwave::detail::scan_ranks(all, {.in = in.erased(),
                                     .out = out.erased(),
                                     .fold = &clwave::plus,
                                     .apply = &clwave::identity,
                                     .exclusive = false,
                                     .start = nullptr,
                                     .sizes = testing::small});
  }

  // Each begins or ends inside a tile, and the second inside a stretch.
  static constexpr std::array<std::size_t, 3> sizes{200, 501, 300};
  std::array<cl::Buffer, 3> in_, out_;
};

const std::vector<std::string> all_right(3);

// Of each entry point the first so many calls, or every other one of them where the run is quick.
void check_failures(const char* what, three_ranks& on, unsigned most) {
  std::size_t faults = 0, thrown = 0;
  testing::sample some(2);
  std::set<std::string> ranks_named;
  for (const bool first_call : {false, true}) {
    auto queues = on.queues();
    REQUIRE(on.call(queues) == all_right);
    if (first_call) on.let_go();
    faults::take_counts();
    REQUIRE(on.call(queues) == all_right);
    const auto counts = faults::take_counts();
    REQUIRE(on.is_right());
    for (const auto& counted : counts) {
      const auto& entry = counted.first;  // messages below cannot name a structured binding
      const auto count = counted.second;
      for (unsigned kth = 1; kth <= std::min(count, most); ++kth) {
        if (!some.takes_next()) continue;
        INFO("call ", kth, " of ", entry);
        if (first_call) on.let_go();
        queues = on.queues();
        on.forget();
        faults::arm(entry, kth, -5);
        const auto said = on.call(queues);
        if (!faults::disarm()) continue;  // how often an event is asked depends on how far devices have come
        ++faults;
        CAPTURES(said[0], said[1], said[2]);
        CHECK(said[0] == said[1]);
        CHECK(said[1] == said[2]);
        if (said[0].empty()) {
          CHECK(on.is_right());
        } else {
          ++thrown;
          CHECK(said[0].find("rank ") == 0);
          CHECK(said[0].find(" of 3: shard 1 of 1: ") == 6);
          ranks_named.insert(said[0].substr(0, 6));
        }
        for (const cl::CommandQueue& queue : queues) queue.finish();
        on.forget();
        CHECK(on.call(queues) == all_right);
        CHECK(on.is_right());
      }
    }
  }
  std::printf("%s over ranks: %zu failures, %zu thrown on all\n", what, faults, thrown);
  CHECK(thrown > (testing::quick() ? 30 : 60));
  CHECK(ranks_named.size() == 3);
}

TEST_CASE("a driver that fails on one rank is an error of all") {
  sum_of_ones on;
  check_failures("sums", on, 12);
}

TEST_CASE("a driver that fails on one rank of a scan is an error of all") {
  scan_of_ones on;
  // Up to those that write results.
  check_failures("scans", on, 40);
}

}  // namespace
