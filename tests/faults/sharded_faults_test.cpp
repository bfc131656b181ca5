// Calls on shards whose driver fails: every entry point of OpenCL once at each of its first calls. The
// error names a shard and has the code, no command of the call is left in any queue, every reference is given
// back, and the next call is right.
#include <array>
#include <vector>

#include <doctest/doctest.h>

#include <clwave.hpp>

#include "harness/devices.hpp"
#include "harness/quick.hpp"
#include "sweep.hpp"

namespace {

using clwave::view;
using testing::fixture;

// Three contexts, each with a shard, of which two begin inside a tile, and one in a pixel of two channels.
// The second folds the results.
class three_shards {
 public:
  three_shards() {
    std::size_t n = 0;
    for (std::size_t k = 0; k < sizes.size(); ++k) {
      std::vector<std::uint32_t> values(sizes[k]);
      for (std::size_t i = 0; i < values.size(); ++i) {
        values[i] = static_cast<std::uint32_t>(i * 7 + k) % 1000;
        sum_ += values[i];
      }
      if (k == 2) values[12'345] = 77'777, sum_ += 77'777 - (12'345 * 7 + 2) % 1000;
      for (const std::uint32_t value : values) ++counts_[(n++ % 2) * 2 + (value < 500 ? 0 : 1)];
      buffers_[k] = places[k].buffer_of(values);
      outputs_[k] = places[k].buffer_of(std::vector<std::uint32_t>(sizes[k]));
    }
  }

  clwave::sharded<std::uint32_t> array(const std::array<cl::CommandQueue, 3>& queues) const {
    return of(buffers_, queues);
  }
  // Of what scans write, and whether that is right.
  clwave::sharded<std::uint32_t> outputs(const std::array<cl::CommandQueue, 3>& queues) const {
    return of(outputs_, queues);
  }
  bool outputs_are_right() const {
    std::uint32_t sum = 0;
    for (std::size_t k = 0; k < sizes.size(); ++k) {
      const auto in = places[k].read<std::uint32_t>(buffers_[k], sizes[k]);
      const auto out = places[k].read<std::uint32_t>(outputs_[k], sizes[k]);
      for (std::size_t i = 0; i < in.size(); ++i)
        if (out[i] != (sum += in[i])) return false;
    }
    return true;
  }
  // Those of two channels, below 500 and from there on.
  const std::vector<std::uint32_t>& counts() const { return counts_; }
  std::array<cl::CommandQueue, 3> queues() const {
    return {places[0].new_queue(), places[1].new_queue(), places[2].new_queue()};
  }
  std::uint32_t sum() const { return sum_; }
  // Of the first so many elements.
  std::uint32_t sum_of(std::size_t n) const {
    std::uint32_t sum = 0;
    for (std::size_t k = 0; k < sizes.size(); ++k)
      for (const std::uint32_t value : places[k].read<std::uint32_t>(buffers_[k], sizes[k]))
        if (n > 0) sum += value, --n;
    return sum;
  }
  clwave::indexed<std::uint32_t> most() const { return {77'777, sizes[0] + sizes[1] + 12'345}; }

  static constexpr std::array<std::size_t, 3> sizes{20'000, 50'001, 29'999};
  std::array<fixture, 3> places;

 private:
  static clwave::sharded<std::uint32_t> of(const std::array<cl::Buffer, 3>& buffers,
                                           const std::array<cl::CommandQueue, 3>& queues) {
    clwave::sharded<std::uint32_t> all;
    for (std::size_t k = 0; k < sizes.size(); ++k)
      all.add({queues[k], view<std::uint32_t>{buffers[k], sizes[k]}});
    return all;
  }

  std::array<cl::Buffer, 3> buffers_, outputs_;
  std::uint32_t sum_ = 0;
  std::vector<std::uint32_t> counts_ = std::vector<std::uint32_t>(4);
};

// How often an event is asked depends on how far the device has come.
const faults::expectations of_shards{.member = "shard", .members = 3, .chance = {"clGetEventInfo"}},
    // What fails where counts are added up is no shard's.
    of_no_part{.member = "", .chance = {"clGetEventInfo"}};

TEST_CASE("a device that fails in a reduction of shards is named") {
  const three_shards on;
  faults::tally total;
  faults::check_references(on, [&] {
    const auto sum_is_right = [&](const std::array<cl::CommandQueue, 3>& queues) {
      return clwave::reduce(on.array(queues)) == on.sum();
    };
    const auto most_is_right = [&](const std::array<cl::CommandQueue, 3>& queues) {
      const auto got = clwave::argmax(on.array(queues));
      return got.value == on.most().value && got.index == on.most().index;
    };
    CHECK(sum_is_right(on.queues()));
    CHECK(most_is_right(on.queues()));
    faults::sweep(
        on, "sum", [] {}, sum_is_right, total, of_shards);
    faults::sweep(
        on, "argmax", [] {}, most_is_right, total, of_shards);
    // With nothing kept: programs come from the cache on disk, and all memory is new.
    faults::sweep(
        on, "first sum", [&] { faults::let_go(on); }, sum_is_right, total, of_shards);
  });
  faults::print("shards", "shard", total);
  CHECK(total.thrown > (testing::quick() ? 100 : 200));
}

TEST_CASE("a device that fails in a scan, a histogram or rows of shards is named") {
  const three_shards on;
  faults::tally total;
  faults::check_references(on, [&] {
    const auto scan = [&](const std::array<cl::CommandQueue, 3>& queues) {
      clwave::inclusive_scan(on.array(queues), on.outputs(queues));
      return true;
    };
    const auto sums_are_right = [&] { return on.outputs_are_right(); };
    faults::sweep(
        on, "scan", [] {}, scan, total, of_shards, sums_are_right);
    faults::sweep(
        on, "first scan", [&] { faults::let_go(on); }, scan, total, of_shards, sums_are_right);
    const cl::Buffer counts = on.places[1].buffer_of(std::vector<std::uint32_t>(4));
    const auto count = [&](const std::array<cl::CommandQueue, 3>& queues) {
      clwave::histogram(queues[1], on.array(queues), view<std::uint32_t>{counts, 4},
                        std::vector{0u, 500u, 80'000u}, {.channels = 2});
      return true;
    };
    const auto counts_are_right = [&] { return on.places[1].read<std::uint32_t>(counts, 4) == on.counts(); };
    faults::sweep(
        on, "histogram", [] {}, count, total, of_no_part, counts_are_right);
    // Two rows, of which the first ends in the second shard.
    const clwave::matrices size{.rows = 2, .columns = 50'000};
    const cl::Buffer sums = on.places[1].buffer_of(std::vector<std::uint32_t>(2));
    const auto fold = [&](const std::array<cl::CommandQueue, 3>& queues) {
      clwave::reduce_rows(queues[1], on.array(queues), view<std::uint32_t>{sums, 2}, size);
      return true;
    };
    const auto rows_are_right = [&] {
      const auto got = on.places[1].read<std::uint32_t>(sums, 2);
      return got[0] + got[1] == on.sum() && got[0] == on.sum_of(size.columns);
    };
    // The first one takes staging for a row that is cut and for the others, where what is kept may have one
    // alone.
    CHECK(fold(on.queues()));
    faults::sweep(
        on, "rows", [] {}, fold, total, of_no_part, rows_are_right);
  });
  faults::print("scans, histograms and rows of shards", "shard", total);
  CHECK(total.thrown > (testing::quick() ? 100 : 200));
}

}  // namespace
