// Streams of an array of the host whose driver fails: every entry point of OpenCL once at each of its first
// calls, in whichever thread makes it. The error names a queue and has the code, no command of the call is
// left in any queue, every reference is given back, and the next call is right.
#include <algorithm>
#include <array>
#include <cstdio>
#include <functional>
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
using clwave::host_array;
using testing::fixture;

constexpr unsigned most_calls = 24;

using two_queues = std::array<cl::CommandQueue, 2>;

// Two contexts, and an array for both.
class two_devices {
 public:
  two_devices() : values_(50'001) {
    for (std::size_t i = 0; i < values_.size(); ++i) {
      values_[i] = static_cast<std::uint32_t>(i * 7) % 1000;
      sum_ += values_[i];
    }
    sum_ += 77'777 - values_[12'345];
    values_[12'345] = 77'777;
  }
  two_queues queues() const { return {places[0].new_queue(), places[1].new_queue()}; }

  bool sum_is_right(const two_queues& on) const { return fold<std::uint32_t>(on, clwave::plus) == sum_; }
  bool most_is_right(const two_queues& on) const {
    const auto got = fold<clwave::indexed<std::uint32_t>>(on, clwave::detail::argmax_op);
    return got.value == 77'777 && got.index == 12'345;
  }

  std::array<fixture, 2> places;

 private:
  // Seven pieces, by four threads.
  template <class Acc>
  Acc fold(const two_queues& on, const clwave::op& by) const {
    const clwave::queues over{on[0], on[1]};
    const host_array array(values_);
    Acc result;
    clwave::detail::reduce_host_array(
        {.queues = over.handles(),
         .x = &array.erased(),
         .y = nullptr,
         .accumulator = &clwave::element_of<Acc>(),
         .folded = &clwave::detail::folded_of<Acc>(),
         .fold = &by,
         .apply = &clwave::identity,
         .streaming = {.piece = clwave::fold_tile, .at_once = 2, .always_copies = true}},
        &result);
    return result;
  }

  std::vector<std::uint32_t> values_;
  std::uint32_t sum_ = 0;
};

struct tally {
  std::size_t faults = 0, thrown = 0, survived = 0, not_met = 0;
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
                                         "clRetainEvent",
                                         "clEnqueueUnmapMemObject"};
  return all.contains(entry);
}

// Lets each call of each entry point fail that `call` makes on fresh queues, after `before`.
void sweep(const two_devices& on, const std::string& name, const std::function<void()>& before,
           const std::function<bool(const two_queues&)>& is_right, tally& total) {
  two_queues queues = on.queues();
  REQUIRE(is_right(queues));
  before();
  queues = on.queues();
  faults::take_counts();
  REQUIRE(is_right(queues));
  const auto counts = faults::take_counts();
  for (const auto& each : counts) {
    const std::string& entry = each.first;
    for (unsigned kth = 1; kth <= std::min(each.second, most_calls); ++kth) {
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
        // How often an event is asked depends on how far the device has come, and what is made for a thread
        // on whether it found a piece left.
        if (!faults::disarm()) {
          ++total.not_met;
          CHECK(right);
          continue;
        }
        ++total.faults;
        total.entries.insert(entry);
        CHECK(other.empty());
        CHECK(right);
        if (thrown) {
          ++total.thrown;
          CAPTURE(std::string(thrown->what()));
          CHECK(thrown->code() == code);
          CHECK(std::string(thrown->what()).find("queue ") == 0);
          CHECK(std::string(thrown->what()).find(" of 2: ") == 7);
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

void let_go(const two_devices& on) {
  for (const fixture& each : on.places) clwave::release(each.context);
}

// The references of all objects before and after f, once the library has let go of what it keeps.
template <class F>
void check_references(const two_devices& on, const F& f) {
  let_go(on);
  for (const fixture& each : on.places) each.queue.finish();
  const faults::references before = faults::held();
  f();
  let_go(on);
  for (const fixture& each : on.places) each.queue.finish();
  INFO("before ", faults::to_string(before), "; after ", faults::to_string(faults::held()));
  CHECK(faults::held() == before);
}

TEST_CASE("a device that fails in a stream is named") {
  const two_devices on;
  tally total;
  check_references(on, [&] {
    const auto sum = [&](const two_queues& queues) { return on.sum_is_right(queues); };
    const auto most = [&](const two_queues& queues) { return on.most_is_right(queues); };
    CHECK(sum(on.queues()));
    CHECK(most(on.queues()));
    sweep(
        on, "sum", [] {}, sum, total);
    sweep(
        on, "argmax", [] {}, most, total);
    // With nothing kept: programs come from the cache on disk, and all memory is new.
    sweep(
        on, "first sum", [&] { let_go(on); }, sum, total);
  });
  std::printf(
      "streams: %zu failures of %zu entry points: %zu thrown with the code and the queue, %zu done without, "
      "%zu not met\n",
      total.faults, total.entries.size(), total.thrown, total.survived, total.not_met);
  CHECK(total.thrown > 200);
}

}  // namespace
