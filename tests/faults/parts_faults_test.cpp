// Calls on parts whose driver fails: every entry point of OpenCL once at each of its first calls. The
// error names a part and has the code, no command of the call is left in any queue, every reference is given
// back, and the next call is right.
#include <algorithm>
#include <array>
#include <cstdio>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <clwave.hpp>

#include "devices.hpp"
#include "faults.hpp"

namespace {

using clwave::failure;
using clwave::view;
using testing::fixture;

constexpr unsigned most_calls = 24;

// Three contexts, each with a piece, of which two begin inside a tile, and one in a pixel of two channels.
// The second folds the results.
class three_pieces {
 public:
  three_pieces() {
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

  clwave::parts<std::uint32_t> array(const std::array<cl::CommandQueue, 3>& queues) const {
    return of(buffers_, queues);
  }
  // Of what scans write, and whether that is right.
  clwave::parts<std::uint32_t> outputs(const std::array<cl::CommandQueue, 3>& queues) const {
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
  clwave::indexed<std::uint32_t> most() const { return {77'777, sizes[0] + sizes[1] + 12'345}; }

  static constexpr std::array<std::size_t, 3> sizes{20'000, 50'001, 29'999};
  std::array<fixture, 3> places;

 private:
  static clwave::parts<std::uint32_t> of(const std::array<cl::Buffer, 3>& buffers,
                                         const std::array<cl::CommandQueue, 3>& queues) {
    clwave::parts<std::uint32_t> all;
    for (std::size_t k = 0; k < sizes.size(); ++k)
      all.add({queues[k], view<std::uint32_t>{buffers[k], sizes[k]}});
    return all;
  }

  std::array<cl::Buffer, 3> buffers_, outputs_;
  std::uint32_t sum_ = 0;
  std::vector<std::uint32_t> counts_ = std::vector<std::uint32_t>(4);
};

struct tally {
  std::size_t faults = 0, thrown = 0, survived = 0;
  std::set<std::string> entries;
};

// What fails without harm: what it tells is not needed, or there is another way.
bool is_dispensable(const std::string& entry) {
  static const std::set<std::string> all{"clGetProgramBuildInfo",
                                         "clGetProgramInfo",
                                         "clCreateProgramWithBinary",
                                         "clBuildProgram",
                                         "clGetKernelWorkGroupInfo",
                                         "clGetKernelSubGroupInfo",
                                         "clGetDeviceInfo",
                                         "clGetContextInfo",
                                         "clRetainCommandQueue",
                                         "clGetEventInfo",
                                         "clRetainEvent"};
  return all.contains(entry);
}

// What calls that write leave is looked at when nothing fails any more.
const auto returns_all = [] { return true; };

// Lets each call of each entry point fail that `call` makes on fresh queues, after `before`. `names_a_part`:
// each error does.
template <class Before, class Call, class Verify = decltype(returns_all)>
void sweep(const three_pieces& on, const std::string& name, const Before& before, const Call& is_right,
           tally& total, const Verify& wrote_right = returns_all, bool names_a_part = true) {
  auto queues = on.queues();
  REQUIRE(is_right(queues));
  REQUIRE(wrote_right());
  before();
  queues = on.queues();
  faults::take_counts();
  REQUIRE(is_right(queues));
  const auto counts = faults::take_counts();
  for (const auto& each : counts) {
    const std::string& entry = each.first;
    const unsigned count = each.second;
    for (unsigned kth = 1; kth <= std::min(count, most_calls); ++kth) {
      for (const cl_int code : {-5, -36}) {
        INFO(name, ": call ", kth, " of ", entry, " fails with ", clwave::name_of_code(code));
        before();
        queues = on.queues();
        std::optional<clwave::error> thrown;
        std::string other;
        bool right = true;
        faults::arm(entry, kth, code);
        try {
          right = is_right(queues);
        } catch (const clwave::error& trouble) {
          thrown = trouble;
        } catch (const std::exception& trouble) {
          other = trouble.what();
        }
        const bool failed = faults::disarm();
        // How often an event is asked depends on how far the device has come.
        if (!failed && entry == "clGetEventInfo") continue;
        ++total.faults;
        total.entries.insert(entry);
        CHECK(failed);
        CHECK(other.empty());
        CHECK(right);
        if (thrown) {
          ++total.thrown;
          CAPTURE(std::string(thrown->what()));
          CHECK(thrown->code() == code);
          if (names_a_part) {
            CHECK(std::string(thrown->what()).find("part ") == 0);
            CHECK(std::string(thrown->what()).find(" of 3: ") == 6);
          }
          // Of a queue that says nothing of itself no device is known.
          if (entry != "clGetCommandQueueInfo" && entry != "clRetainContext")
            CHECK(!thrown->details().device.empty());
          if (code == -5) CHECK(thrown->kind() == failure::out_of_memory);
        } else {
          ++total.survived;
          CHECK(is_dispensable(entry));
          CHECK(wrote_right());
        }
        // Nothing waits for anything any more.
        for (const cl::CommandQueue& queue : queues) queue.finish();
        CHECK(is_right(queues));
        CHECK(wrote_right());
      }
    }
  }
}

void let_go(const three_pieces& on) {
  for (const fixture& each : on.places) clwave::release(each.context);
}

// The references of all objects before and after f, once the library has let go of what it keeps.
template <class F>
void check_references(const three_pieces& on, const F& f) {
  let_go(on);
  for (const fixture& each : on.places) each.queue.finish();
  const faults::references before = faults::held();
  f();
  let_go(on);
  for (const fixture& each : on.places) each.queue.finish();
  INFO("before ", faults::to_string(before), "; after ", faults::to_string(faults::held()));
  CHECK(faults::held() == before);
}

void print(const char* what, const tally& total) {
  std::printf(
      "%s: %zu failures of %zu entry points: %zu thrown with the code and the part, %zu done without\n", what,
      total.faults, total.entries.size(), total.thrown, total.survived);
}

TEST_CASE("a device that fails in a reduction of parts is named") {
  const three_pieces on;
  tally total;
  check_references(on, [&] {
    const auto sum_is_right = [&](const std::array<cl::CommandQueue, 3>& queues) {
      return clwave::reduce(on.array(queues)) == on.sum();
    };
    const auto most_is_right = [&](const std::array<cl::CommandQueue, 3>& queues) {
      const auto got = clwave::argmax(on.array(queues));
      return got.value == on.most().value && got.index == on.most().index;
    };
    CHECK(sum_is_right(on.queues()));
    CHECK(most_is_right(on.queues()));
    sweep(
        on, "sum", [] {}, sum_is_right, total);
    sweep(
        on, "argmax", [] {}, most_is_right, total);
    // With nothing kept: programs come from the cache on disk, and all memory is new.
    sweep(
        on, "first sum", [&] { let_go(on); }, sum_is_right, total);
  });
  print("parts", total);
  CHECK(total.thrown > 200);
}

TEST_CASE("a device that fails in a scan or a histogram of parts is named") {
  const three_pieces on;
  tally total;
  check_references(on, [&] {
    const auto scan = [&](const std::array<cl::CommandQueue, 3>& queues) {
      clwave::inclusive_scan(on.array(queues), on.outputs(queues));
      return true;
    };
    const auto sums_are_right = [&] { return on.outputs_are_right(); };
    sweep(
        on, "scan", [] {}, scan, total, sums_are_right);
    sweep(
        on, "first scan", [&] { let_go(on); }, scan, total, sums_are_right);
    const cl::Buffer counts = on.places[1].buffer_of(std::vector<std::uint32_t>(4));
    const auto count = [&](const std::array<cl::CommandQueue, 3>& queues) {
      clwave::histogram(queues[1], on.array(queues), view<std::uint32_t>{counts, 4},
                        std::vector{0u, 500u, 80'000u}, {.channels = 2});
      return true;
    };
    const auto counts_are_right = [&] { return on.places[1].read<std::uint32_t>(counts, 4) == on.counts(); };
    // What fails where the counts are added up is no part's.
    sweep(
        on, "histogram", [] {}, count, total, counts_are_right, false);
  });
  print("scans and histograms of parts", total);
  CHECK(total.thrown > 200);
}

}  // namespace
