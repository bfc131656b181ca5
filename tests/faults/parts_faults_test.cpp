// Reductions of parts whose driver fails: every entry point of OpenCL once at each of its first calls. The
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

// Three contexts, each with a piece, of which two begin inside a tile. The second folds the results.
class three_pieces {
 public:
  three_pieces() {
    for (std::size_t k = 0; k < sizes.size(); ++k) {
      std::vector<std::uint32_t> values(sizes[k]);
      for (std::size_t i = 0; i < values.size(); ++i) {
        values[i] = static_cast<std::uint32_t>(i * 7 + k) % 1000;
        sum_ += values[i];
      }
      if (k == 2) values[12'345] = 77'777, sum_ += 77'777 - (12'345 * 7 + 2) % 1000;
      buffers_[k] = places[k].buffer_of(values);
    }
  }

  clwave::parts<std::uint32_t> array(const std::array<cl::CommandQueue, 3>& queues) const {
    clwave::parts<std::uint32_t> all;
    for (std::size_t k = 0; k < sizes.size(); ++k)
      all.add({queues[k], view<std::uint32_t>{buffers_[k], sizes[k]}});
    return all;
  }
  std::array<cl::CommandQueue, 3> queues() const {
    return {places[0].new_queue(), places[1].new_queue(), places[2].new_queue()};
  }
  std::uint32_t sum() const { return sum_; }
  clwave::indexed<std::uint32_t> most() const { return {77'777, sizes[0] + sizes[1] + 12'345}; }

  static constexpr std::array<std::size_t, 3> sizes{20'000, 50'001, 30'000};
  std::array<fixture, 3> places;

 private:
  std::array<cl::Buffer, 3> buffers_;
  std::uint32_t sum_ = 0;
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

// Lets each call of each entry point fail that `call` makes on fresh queues, after `before`.
template <class Before, class Call>
void sweep(const three_pieces& on, const std::string& name, const Before& before, const Call& is_right,
           tally& total) {
  auto queues = on.queues();
  REQUIRE(is_right(queues));
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
          CHECK(std::string(thrown->what()).find("part ") == 0);
          CHECK(std::string(thrown->what()).find(" of 3: ") == 6);
          // Of a queue that says nothing of itself no device is known.
          if (entry != "clGetCommandQueueInfo" && entry != "clRetainContext")
            CHECK(!thrown->details().device.empty());
          if (code == -5) CHECK(thrown->kind() == failure::out_of_memory);
        } else {
          ++total.survived;
          CHECK(is_dispensable(entry));
        }
        // Nothing waits for anything any more.
        for (const cl::CommandQueue& queue : queues) queue.finish();
        CHECK(is_right(queues));
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

}  // namespace
