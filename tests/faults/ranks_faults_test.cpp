// Reductions over ranks where the driver of one fails: every entry point of OpenCL once at each of its first
// calls, among three ranks that are threads. All ranks throw the same error, which names the one, or all have
// the sum; nobody waits for ever, and the next call is right.
#include <algorithm>
#include <array>
#include <cstdio>
#include <memory>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <clwave.hpp>

#include "devices.hpp"
#include "faults.hpp"
#include "thread_ranks.hpp"

namespace {

using clwave::view;
using testing::fixture;

// What each rank says of one sum: "" where it is right, else the first line of the error.
class three_ranks {
 public:
  three_ranks() {
    for (std::size_t r = 0; r < 3; ++r) {
      const std::vector<float> ones(sizes[r], 1.0f);
      buffers_[r] = places_[r].buffer_of(ones);
    }
  }
  using queue_list = std::array<cl::CommandQueue, 3>;
  queue_list queues() const {
    return {places_[0].new_queue(), places_[1].new_queue(), places_[2].new_queue()};
  }
  std::vector<std::string> sum(const queue_list& queues) {
    testing::mailbox box(3);
    auto said = testing::on_ranks(box, [&](clwave::ranks& all) {
      const std::size_t r = all.rank();
      const clwave::parts<float> own{{queues[r], view<float>{buffers_[r], sizes[r]}}};
      const float result = clwave::reduce(all, own);
      if (result != 100'001.0f) throw std::runtime_error("another sum");
    });
    for (std::string& each : said) each = each.substr(0, each.find('\n'));
    return said;
  }
  void let_go() {
    for (const fixture& each : places_) clwave::release(each.context);
  }

 private:
  // Each begins or ends inside a tile.
  static constexpr std::array<std::size_t, 3> sizes{20'000, 50'001, 30'000};
  std::array<fixture, 3> places_;
  std::array<cl::Buffer, 3> buffers_;
};

const std::vector<std::string> all_right(3);

TEST_CASE("a driver that fails on one rank is an error of all") {
  three_ranks on;
  std::size_t faults = 0, thrown = 0;
  std::set<std::string> ranks_named;
  for (const bool first_call : {false, true}) {
    auto queues = on.queues();
    REQUIRE(on.sum(queues) == all_right);
    if (first_call) on.let_go();
    faults::take_counts();
    REQUIRE(on.sum(queues) == all_right);
    for (const auto& counted : faults::take_counts()) {
      const auto& entry = counted.first;  // messages below cannot name a structured binding
      const auto count = counted.second;
      for (unsigned kth = 1; kth <= std::min(count, 12u); ++kth) {
        INFO("call ", kth, " of ", entry);
        if (first_call) on.let_go();
        queues = on.queues();
        faults::arm(entry, kth, -5);
        const auto said = on.sum(queues);
        if (!faults::disarm()) continue;  // how often an event is asked depends on how far devices have come
        ++faults;
        CAPTURE(said[0]);
        CAPTURE(said[1]);
        CAPTURE(said[2]);
        CHECK(said[0] == said[1]);
        CHECK(said[1] == said[2]);
        if (!said[0].empty()) {
          ++thrown;
          CHECK(said[0].find("rank ") == 0);
          CHECK(said[0].find(" of 3: part 1 of 1: ") == 6);
          ranks_named.insert(said[0].substr(0, 6));
        }
        for (const cl::CommandQueue& queue : queues) queue.finish();
        CHECK(on.sum(queues) == all_right);
      }
    }
  }
  std::printf("ranks: %zu failures, %zu thrown on all\n", faults, thrown);
  CHECK(thrown > 60);
  CHECK(ranks_named.size() == 3);
}

}  // namespace
