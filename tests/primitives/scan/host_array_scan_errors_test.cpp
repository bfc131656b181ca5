// Scans of arrays of the host: what is refused, what fails, and what stays.
#include <clwave/host_array_scan.hpp>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <vector>

#include <doctest/doctest.h>

#include <clwave/cache.hpp>
#include <clwave/error.hpp>

#include "distributed/host_arrays.hpp"
#include "families/scans.hpp"
#include "harness/refusals.hpp"
#include "streamed_scans.hpp"

namespace testing::host_array_scan_errors_test {

using clwave::failure;

TEST_CASE_FIXTURE(on_places, "wrong streamed scans are refused before anything is read or written") {
  std::vector<float> values(20'000, 1.0f), sums(20'000);
  const auto untouchable = [](u64, auto) { throw std::logic_error("asked all the same"); };
  const host_array<float> in(20'000, untouchable);
  const host_output<float> out(20'000, untouchable);
  refuses("there are no queues", [&] { clwave::inclusive_scan(queues{}, in, out); });
  refuses("queue 2 of 2: the queue is null", [&] {
    clwave::inclusive_scan({on.queue, cl_command_queue{nullptr}}, in, out);
  });
  refuses("the array is null", [&] {
    clwave::inclusive_scan(on.queue,
                           host_array(std::span<const float>(static_cast<const float*>(nullptr), 3)),
                           host_output<float>(3, untouchable));
  });
  refuses("the output is null", [&] {
    clwave::inclusive_scan(on.queue, host_array<float>(3, untouchable),
                           host_output(std::span<float>(static_cast<float*>(nullptr), 3)));
  });
  refuses("the input has 20000 elements, the output 19999",
          [&] { clwave::inclusive_scan(on.queue, in, host_output<float>(19'999, untouchable)); });
  refuses("bit operators take integers", [&] { clwave::inclusive_scan(on.queue, in, out, clwave::bit_or); });
  refuses("argmin and argmax", [&] {
    const clwave::host_output<float> one(20'000, untouchable);
    clwave::inclusive_scan(on.queue, in, one, clwave::detail::argmin_op);
  });
  refuses("no identity", [&] {
    clwave::exclusive_scan({on.queue, far.queue}, in, out, clwave::op{.name = "mine", .source = "a"});
  });
  refuses("more than", [&] {
    const u64 n = u64{1} << 45;
    clwave::inclusive_scan(on.queue, host_array<float>(n, untouchable), host_output<float>(n, untouchable));
  });
  // Memory that overlaps: by one element at either end, and in one place with elements of another size.
  const std::span all(values);
  refuses("the input and the output overlap", [&] {
    clwave::inclusive_scan(on.queue, host_array(all.first(10'000)), host_output(all.subspan(9'999, 10'000)));
  });
  refuses("the input and the output overlap", [&] {
    clwave::inclusive_scan(on.queue, host_array(all.subspan(9'999, 10'000)), host_output(all.first(10'000)));
  });
  refuses("the input and the output overlap", [&] {
    const std::span bytes(reinterpret_cast<std::uint8_t*>(values.data()), 10'000);
    clwave::inclusive_scan(on.queue, host_array(all.first(10'000)), host_output(bytes), clwave::max);
  });
  clwave::inclusive_scan(on.queue, host_array(all.first(10'000)), host_output(all.subspan(10'000, 10'000)));
  CHECK(values[19'999] == 10'000.0f);
  // Of nothing, nothing is written.
  const host_array<float> none(0, untouchable);
  clwave::inclusive_scan({on.queue, far.queue}, none, host_output<float>(0, untouchable));
  clwave::exclusive_scan(on.queue, none, host_output(std::span(sums).first(0)), clwave::plus,
                         {.start = 1.0f});
}

TEST_CASE_FIXTURE(
    on_places, "a text of a streamed scan that does not build names the queue, and nothing is read before") {
  bool read = false;
  const host_array<float> array(20'000, [&](u64, std::span<float>) { read = true; });
  std::vector<float> sums(20'000);
  const auto thrown = error_of([&] {
    clwave::inclusive_scan({on.queue, places()[1]->queue}, array, host_output(sums),
                           clwave::op{.name = "broken", .source = "a +* b"});
  });
  CHECK(thrown.kind() == failure::build);
  CHECK(contains(thrown.what(), "queue 1 of 2: "));
  CHECK(thrown.details().device == *on.facts.name);
  CHECK_FALSE(read);
}

TEST_CASE_FIXTURE(on_places,
                  "what a function that reads or writes throws is thrown, and the next call is right") {
  const u64 n = 60 * 128;
  for (const bool of_writes : {false, true}) {
    CAPTURE(of_writes);
    for (const u64 failing : {0u, 1u, 17u, 59u}) {
      CAPTURE(failing);
      std::atomic<bool> fails{true};
      std::atomic<int> wrong{0};
      const host_array<u32> in(n, [&](u64 first, std::span<u32> into) {
        if (fails && !of_writes && first == failing * 128) throw std::runtime_error("of a piece");
        std::ranges::fill(into, 1u);
      });
      const host_output<u32> out(n, [&](u64 first, std::span<const u32> from) {
        if (fails && of_writes && first == failing * 128) throw std::runtime_error("of a piece");
        for (std::size_t i = 0; i < from.size(); ++i) wrong += from[i] != first + i ? 1 : 0;
      });
      const auto call = [&] {
        scan_streamed<u32, u32>({on.queue, far.queue}, in, out, clwave::plus, clwave::identity, true, nullptr,
                                small, {.piece = 128, .at_once = 3});
      };
      CHECK_THROWS_WITH_AS(call(), "of a piece", std::runtime_error);
      // Nothing is left to wait for.
      on.queue.finish();
      far.queue.finish();
      fails = false;
      call();
      CHECK(wrong == 0);
    }
  }
}

TEST_CASE_FIXTURE(on_places, "streamed scans leave no references to queues") {
  std::vector<u32> values(5000, 1);
  const auto references = [&] { return on.queue.getInfo<CL_QUEUE_REFERENCE_COUNT>(); };
  const auto call = [&] {
    std::vector<u32> got(values.size());
    scan_streamed<u32, u32>(on.queue, host_array(values), host_output(got), clwave::plus, clwave::identity,
                            false, nullptr, small, {.piece = 256, .at_once = 3, .always_copies = true});
    CHECK(got.back() == 5000);
  };
  call();
  clwave::trim();
  const cl_uint before = references();
  for (int k = 0; k < 3; ++k) call();
  clwave::trim();
  CHECK(comes_true([&] { return references() == before; }));
}

}  // namespace testing::host_array_scan_errors_test
