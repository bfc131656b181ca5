// host_array: queues of every kind, sub-devices and threads; what is refused, what fails, and what stays.
#include <clwave/host_array.hpp>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <numeric>
#include <span>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <doctest/doctest.h>

#include <clwave/cache.hpp>
#include <clwave/error.hpp>
#include <clwave/reduce.hpp>

#include "distributed/gated_shards.hpp"
#include "distributed/host_arrays.hpp"
#include "harness/emulated_rows.hpp"
#include "harness/refusals.hpp"

namespace testing::host_array_devices_test {

using clwave::failure;

namespace {

const doctest::test_suite lanes("lanes");

}  // namespace

TEST_CASE_FIXTURE(on_places, "queues of every kind fold a streamed array, whatever they hold before") {
  const std::vector<float> values = random_values<float>(random, 60'000);
  const auto sum = reference::host_fold<float>(values, 0, values.size(), wrapping_plus<float>);
  for (const auto first_kind : kinds_of_queue(on)) {
    for (const auto second_kind : kinds_of_queue(on)) {
      const cl::CommandQueue a = on.new_queue(first_kind), b = far.new_queue(second_kind);
      gate here(on);
      const std::vector<cl::Event> until{here.event()};
      marker_of(a, &until);
      const std::jthread opener = open_later({{&here}});
      CHECK(same_bits(fold_streamed<float>({a, b, a}, host_array(values), nullptr, clwave::plus,
                                           clwave::identity, {.piece = tile}),
                      sum));
    }
  }
}

TEST_CASE_FIXTURE(on_places, "an out-of-order queue that is held up holds no streamed array up") {
  if (!on.facts.out_of_order_queue.value_or(false) || !commands_pass(on)) return;
  const std::vector<u32> values(50'000, 1);
  const cl::CommandQueue queue = on.new_queue(CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
  const cl::Buffer buffer = on.buffer_of(std::vector<u32>(16));
  gate held(on);
  const std::vector<cl::Event> shut{held.event()};
  cl::Event filled;
  clwave::detail::check(queue.enqueueFillBuffer(buffer, u32{1}, 0, 64, &shut, &filled), "fill");
  queue.flush();
  CHECK(fold_streamed<u32>(queue, host_array(values), nullptr, clwave::plus, clwave::identity,
                           {.piece = tile}) == 50'000);
  CHECK(clwave::argmax(queue, host_array(values)).index == 0);
  CHECK(filled.getInfo<CL_EVENT_COMMAND_EXECUTION_STATUS>() > CL_COMPLETE);
}

TEST_CASE_FIXTURE(on_places, "sub-devices fold a streamed array together") {
  const cl_device_id whole = clwave::select_device();
  const cl_device_partition_property by_one[] = {CL_DEVICE_PARTITION_EQUALLY, 1, 0};
  std::vector<cl_device_id> parts(256);
  cl_uint n_parts = 0;
  if (clCreateSubDevices(whole, by_one, 256, parts.data(), &n_parts) != CL_SUCCESS || n_parts < 2) {
    MESSAGE("not with this device, which cannot be partitioned");
    return;
  }
  parts.resize(n_parts);
  {
    const fixture a(parts[0]), b(parts[1]);
    const std::vector<float> values = random_values<float>(random, 100'003);
    const auto sum = reference::host_fold<float>(values, 0, values.size(), wrapping_plus<float>);
    for (const stream_sizes& streaming : some_streams()) {
      CAPTURE(text_of(streaming));
      CHECK(same_bits(fold_streamed<float>({a.queue, b.queue}, host_array(values), nullptr, clwave::plus,
                                           clwave::identity, streaming),
                      sum));
    }
  }
  for (const cl_device_id each : parts) clReleaseDevice(each);
}

TEST_CASE_FIXTURE(on_places, "every row folds a stream" * lanes) {
  const std::vector<float> values = random_values<float>(random, 30'000);
  const auto sum = reference::host_fold<float>(values, 0, values.size(), wrapping_plus<float>);
  for_each_profile([&](const clwave::profile& row) {
    CAPTURE(std::string(row.name));
    if (!takes_row(default_fixture(), random, std::string(row.name))) return;
    CHECK(same_bits(fold_streamed<float>(default_fixture().queue, host_array(values), nullptr, clwave::plus,
                                         clwave::identity, {.piece = tile, .at_once = 2}),
                    sum));
  });
}

TEST_CASE_FIXTURE(on_places, "threads stream at the same time") {
  const std::vector<float> values = random_values<float>(random, 40'000);
  const auto sum = reference::host_fold<float>(values, 0, values.size(), wrapping_plus<float>);
  const queues over{places()[0]->queue, places()[1]->queue};
  std::vector<int> right(3);
  {
    std::vector<std::jthread> threads;
    threads.reserve(right.size());
    for (int& count : right)
      threads.emplace_back([&] {
        for (int k = 0; k < 8; ++k)
          count += same_bits(fold_streamed<float>(over, host_array(values), nullptr, clwave::plus,
                                                  clwave::identity, {.piece = tile, .always_copies = true}),
                             sum)
                       ? 1
                       : 0;
      });
  }
  for (const int count : right) CHECK(count == 8);
}

TEST_CASE_FIXTURE(on_places, "page-locked memory is sent as it is") {
  const std::size_t n = 50'000;
  const std::vector<float> values = random_values<float>(random, n);
  const auto sum = reference::host_fold<float>(values, 0, n, wrapping_plus<float>);
  const clwave::detail::host_memory memory(on.context(), on.device(), n * sizeof(float));
  auto* const floats = static_cast<float*>(memory.get());
  std::ranges::copy(values, floats);
  const host_array<float> array(std::span<const float>(floats, n), clwave::host_pages::page_locked);
  CHECK(same_bits(clwave::reduce(on.queue, array), sum));
  CHECK(same_bits(clwave::reduce({on.queue, places()[1]->queue}, array), sum));
}

TEST_CASE("a device that is slow to be given pieces leaves them to the others") {
  // The first piece is not read before the other device has folded all others.
  const u64 n = 40 * tile;
  std::atomic<u64> read{0};
  std::atomic<bool> first_waited{false};
  const host_array<u32> array(n, [&](u64 first, std::span<u32> into) {
    std::ranges::fill(into, 1u);
    if (first == 0) first_waited = comes_true([&] { return read == n - tile; });
    read += into.size();
  });
  CHECK(fold_streamed<u32>({places()[0]->queue, places()[1]->queue}, array, nullptr, clwave::plus,
                           clwave::identity, {.piece = tile, .at_once = 1}) == n);
  CHECK(first_waited);
}

// ----------------------------------------------------------------------------------------------- errors

TEST_CASE_FIXTURE(on_places, "wrong streams are refused, by the queue's number") {
  const std::vector<float> values(20'000, 1.0f);
  const host_array array(values);
  refuses("there are no queues", [&] { clwave::reduce(queues{}, array); });
  refuses("queue 2 of 3: the queue is null", [&] {
    clwave::reduce({on.queue, cl_command_queue{nullptr}, far.queue}, array);
  });
  refuses("the array is null", [&] {
    clwave::reduce(on.queue, host_array(std::span<const float>(static_cast<const float*>(nullptr), 3)));
  });
  refuses("the two arrays differ in length",
          [&] { clwave::dot(on.queue, array, host_array(std::span(values).first(19'999))); });
  refuses("argmin of no elements", [&] {
    clwave::argmin({on.queue, far.queue}, host_array(std::span(values).first(0)));
  });
  refuses("no identity", [&] {
    clwave::reduce(on.queue, host_array(std::span<const affine>()),
                   clwave::op{.name = "mine", .source = "a"});
  });
  refuses("bit operators take integers", [&] { clwave::reduce(on.queue, array, clwave::bit_or); });
  refuses("elements", [&] {
    clwave::reduce(on.queue, host_array<float>((u64{1} << 44) + 1, [](u64, std::span<float>) {
                     throw std::logic_error("asked all the same");
                   }));
  });
  const host_array none{std::span(values).first(0)};
  CHECK(clwave::reduce({on.queue, far.queue}, none) == 0.0f);
  CHECK(clwave::reduce(on.queue, none, clwave::multiplies) == 1.0f);
  CHECK(clwave::dot(on.queue, none, none) == 0.0f);
  CHECK(queues(on.queue).handles().size() == 1);
}

TEST_CASE_FIXTURE(on_places, "a text that does not build names the queue, and nothing is read before") {
  bool read = false;
  const host_array<float> array(20'000, [&](u64, std::span<float>) { read = true; });
  const auto thrown = error_of([&] {
    clwave::reduce({on.queue, places()[1]->queue}, array, clwave::op{.name = "broken", .source = "a +* b"});
  });
  CHECK(thrown.kind() == failure::build);
  CHECK(contains(thrown.what(), "queue 1 of 2: "));
  CHECK(thrown.details().device == *on.facts.name);
  CHECK_FALSE(thrown.details().log.empty());
  CHECK_FALSE(read);
}

namespace {

struct no_such_piece : std::runtime_error {
  using std::runtime_error::runtime_error;
};

}  // namespace

TEST_CASE_FIXTURE(
    on_places, "what a function throws is thrown, no piece is begun after it, and the next call is right") {
  const u64 n = 400 * tile;
  for (const u64 failing : {0u, 1u, 17u, 399u}) {
    CAPTURE(failing);
    std::atomic<bool> fails{true};
    std::atomic<u64> asked{0}, after{0};
    std::atomic<bool> failed{false};
    const host_array<u32> array(n, [&](u64 first, std::span<u32> into) {
      ++asked;
      if (failed) {
        // The call has time to see it.
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
        ++after;
      }
      std::ranges::fill(into, 1u);
      if (fails && first == failing * tile) {
        failed = true;
        throw no_such_piece("piece " + std::to_string(failing));
      }
    });
    const auto call = [&] {
      return fold_streamed<u32>({on.queue, far.queue}, array, nullptr, clwave::plus, clwave::identity,
                                {.piece = tile, .at_once = 2});
    };
    std::string said;
    try {
      call();
    } catch (const no_such_piece& trouble) {
      said = trouble.what();
    }
    CHECK(said == "piece " + std::to_string(failing));
    // Each of the other threads was at a piece, or took one more; on a busy machine some.
    CHECK(after <= 60);
    CHECK(asked <= n / tile);
    // Nothing is left to wait for.
    on.queue.finish();
    far.queue.finish();
    fails = false;
    CHECK(call() == n);
  }
  // A tile that argmax is to have again.
  std::atomic<int> times{0};
  const host_array<u32> array(tile, [&](u64, std::span<u32> into) {
    std::ranges::fill(into, 1u);
    if (++times == 2) throw no_such_piece("again");
  });
  CHECK_THROWS_AS(clwave::argmax(on.queue, array), no_such_piece);
  CHECK(clwave::argmax(on.queue, array).index == 0);
}

TEST_CASE_FIXTURE(on_places, "calls leave no references to queues, nor to a context that is released") {
  const std::vector<u32> values(100'000, 1);
  const auto references = [&] { return on.queue.getInfo<CL_QUEUE_REFERENCE_COUNT>(); };
  const stream_sizes streaming{.piece = tile, .at_once = 3, .always_copies = true};
  const auto call = [&](const queues& over) {
    return fold_streamed<u32>(over, host_array(values), nullptr, clwave::plus, clwave::identity, streaming);
  };
  CHECK(call(on.queue) == 100'000);
  clwave::trim();
  const cl_uint before = references();
  for (int k = 0; k < 3; ++k) CHECK(call(on.queue) == 100'000);
  CHECK_THROWS(clwave::reduce(on.queue, host_array<u32>(100'000, [](u64 first, auto) {
                                if (first == 0) throw std::runtime_error("no");
                              })));
  clwave::trim();
  CHECK(comes_true([&] { return references() == before; }));
  const cl::Device device(clwave::select_device(), true);
  cl::Context context(device);
  const cl_uint of_context = references_to(context());
  {
    const cl::CommandQueue queue(context, device);
    CHECK(call(queue) == 100'000);
    clwave::release(context);
  }
  CHECK(comes_true([&] { return references_to(context()) == of_context; }));
}

}  // namespace testing::host_array_devices_test
