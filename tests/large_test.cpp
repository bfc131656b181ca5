// Inputs of more than 2^32 elements and results past 4 GiB, where the device's memory holds them. Elsewhere
// the same calls run with fewer elements, so that what is expected is known to be right. And very many calls.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <clwave/copy.hpp>
#include <clwave/reduce.hpp>
#include <clwave/reduce_rows.hpp>
#include <clwave/scan.hpp>
#include <clwave/select.hpp>
#include <clwave/transform.hpp>

#include "devices.hpp"

using clwave::view;
using testing::fixture;
using u8 = std::uint8_t;
using u64 = std::uint64_t;

namespace {

constexpr u64 past = (u64{1} << 32) + (u64{1} << 31) + 12345;

// As many elements of one byte as two buffers of the device can hold, and no more than `past`.
u64 elements_on(const fixture& on) {
  const u64 largest = on.device.getInfo<CL_DEVICE_MAX_MEM_ALLOC_SIZE>();
  const u64 all = on.device.getInfo<CL_DEVICE_GLOBAL_MEM_SIZE>();
  const bool is_gpu = on.device.getInfo<CL_DEVICE_TYPE>() == CL_DEVICE_TYPE_GPU;
  const u64 n = is_gpu && largest > past && all > 4 * past ? past : (u64{1} << 22) + 12345;
  MESSAGE("elements: ", n);
  return n;
}

// Looks at the ends, at every power of two from 2^20 on, and behind 2^32.
std::vector<u64> places(u64 n) {
  std::vector<u64> all = {0, n - 4096};
  for (u64 at = u64{1} << 20; at + 4096 < n; at *= 2) all.push_back(at - 2048);
  if (n > past - 1) all.push_back((u64{1} << 32) + (u64{1} << 30) + 77);
  return all;
}

template <class F>
void check_bytes(const fixture& on, const cl::Buffer& buffer, u64 n, F expected) {
  for (const u64 at : places(n)) {
    CAPTURE(at);
    const std::vector<u8> got = on.read<u8>(buffer, 4096, at);
    u64 wrong = 0;
    for (u64 i = 0; i < got.size(); ++i) wrong += got[i] != expected(at + i) ? 1 : 0;
    CHECK(wrong == 0);
  }
}

// The bytes that this process has in memory, where the system tells.
u64 resident_bytes() {
  std::ifstream status("/proc/self/statm");
  u64 pages = 0, resident = 0;
  status >> pages >> resident;
  return resident * 4096;
}

}  // namespace

TEST_CASE("inputs and results past 2^32 elements") {
  const fixture on;
  const u64 n = elements_on(on);
  const cl::Buffer in(on.context, CL_MEM_READ_WRITE, n), out(on.context, CL_MEM_READ_WRITE, n);
  const view<u8> x{in, n}, y{out, n};
  const auto value = [](u64 i) { return static_cast<u8>(i * 3 + (i >> 32) * 101 + (i >> 20)); };
  const clwave::map by_place{.name = "by place", .source = "(uchar)(i * 3 + (i >> 32) * 101 + (i >> 20))"};
  clwave::fill(on.queue, x, u8{1});
  clwave::transform(on.queue, x, x, by_place).wait();
  check_bytes(on, in, n, value);

  clwave::copy(on.queue, x, y).wait();
  check_bytes(on, out, n, value);

  // The sum of all, by the host's own loop.
  u64 sum = 0;
  for (u64 i = 0; i < n; ++i) sum += value(i);
  CHECK(clwave::reduce<u64>(on.queue, x) == sum);

  const clwave::map is_64th{.name = "is one of 64", .source = "i % 64 == 63"};
  CHECK(clwave::copy_if(on.queue, x, y, is_64th) == n / 64);
  check_bytes(on, out, n / 64, [&](u64 k) { return value(64 * k + 63); });
  clwave::partition(on.queue, x, y, is_64th);
  check_bytes(on, out, n / 64, [&](u64 k) { return value(64 * k + 63); });
  const u64 kept = n / 64;
  for (const u64 at : {kept, n - 4096}) {
    CAPTURE(at);
    const std::vector<u8> got = on.read<u8>(out, 4096, at);
    for (u64 k = 0; k < got.size(); k += 97) {
      const u64 other = at + k - kept;
      CHECK(got[k] == value(other / 63 * 64 + other % 63));
    }
  }

  // Sums of ones count places; of two rows the second begins past 2^31.
  clwave::fill(on.queue, x, u8{1});
  clwave::inclusive_scan(on.queue, x, y).wait();
  check_bytes(on, out, n, [](u64 i) { return static_cast<u8>(i + 1); });
  clwave::exclusive_scan(on.queue, x, x).wait();
  check_bytes(on, in, n, [](u64 i) { return static_cast<u8>(i); });
  const cl::Buffer sums(on.context, CL_MEM_READ_WRITE, 2 * sizeof(u64));
  clwave::fill(on.queue, x, u8{1});
  clwave::reduce_rows(on.queue, view<u8>{in, n / 2 * 2}, view<u64>{sums, 2}, {.rows = 2, .columns = n / 2})
      .wait();
  CHECK(on.read<u64>(sums, 2) == std::vector<u64>(2, n / 2));
}

// A call leaves nothing behind: not in the process, nor in what the library keeps.
TEST_CASE("very many calls leave no memory") {
  const fixture on;
  const bool is_gpu = on.device.getInfo<CL_DEVICE_TYPE>() == CL_DEVICE_TYPE_GPU;
  const std::size_t calls = is_gpu ? 1'000'000 : 12'000;
  const std::vector<std::uint32_t> values(3000, 1);
  const cl::Buffer in = on.buffer_of(values), out = on.buffer_of(values),
                   count = on.buffer_of(std::vector<u64>(1));
  const view<std::uint32_t> x{in, values.size()}, y{out, values.size()};
  const clwave::launch_options unseen{.with_event = false};
  const auto round = [&](std::size_t n) {
    for (std::size_t k = 0; k < n; ++k) {
      if (k % 3 == 0) clwave::inclusive_scan(on.queue, x, y, clwave::plus, {}, unseen);
      if (k % 3 == 1) clwave::copy_if(on.queue, x, y, view<u64>{count, 1}, clwave::identity, unseen);
      if (k % 3 == 2) clwave::exclusive_scan(on.queue, x, y, clwave::plus, {}, unseen);
      if (k % 1000 == 999) on.queue.finish();
    }
    on.queue.finish();
  };
  round(3000);
  const u64 before = resident_bytes();
  round(calls);
  const u64 after = resident_bytes();
  CAPTURE(before);
  CAPTURE(after);
  // A byte a call is what no leak of an object stays below.
  CHECK(after < before + (u64{4} << 20) + calls);
  CHECK(on.read<u64>(count, 1)[0] == values.size());
}
