// reduce: where the input lies and how long it is: sub-buffers, memory of the host, more than 2^24 elements.
#include <clwave/reduce.hpp>

#include <sys/wait.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <numeric>
#include <optional>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <clwave/error.hpp>

#include "families/reductions.hpp"
#include "harness/devices.hpp"
#include "harness/refusals.hpp"

namespace testing::reduce_memory_test {

struct four_floats {  // 16 bytes, aligned to 4
  float x, y, z, w;
};

}  // namespace testing::reduce_memory_test

CLWAVE_STRUCTURE(testing::reduce_memory_test::four_floats, "four_floats",
                 "typedef struct { float x, y, z, w; } four_floats;")

namespace testing::reduce_memory_test {
namespace {

// Those that lanes and groups decide, and that run once more where sub-groups are real.
const doctest::test_suite lanes("lanes");

TEST_CASE_FIXTURE(on_device, "sub-buffers are read where they begin") {
  const std::size_t unit = std::max<std::size_t>(on.facts.base_address_align.value_or(128), 128);
  const std::vector<float> values = random_values<float>(random, 40000);
  const cl::Buffer whole = on.buffer_of(values);
  cl_buffer_region region{3 * unit, 30000 * sizeof(float)};
  cl_int code = CL_SUCCESS;
  const cl::Buffer part(
      clCreateSubBuffer(whole(), CL_MEM_READ_ONLY, CL_BUFFER_CREATE_TYPE_REGION, &region, &code));
  REQUIRE(code == CL_SUCCESS);
  for (const std::size_t offset : {0, 1}) {
    const auto expected =
        host_fold<float>(values, 3 * unit / sizeof(float) + offset, 29000, wrapping_plus<float>);
    CHECK(same_bits(clwave::reduce(on.queue, view<float>{part, 29000, offset}), expected));
  }
  refuses("past its buffer", [&] { clwave::reduce(on.queue, view<float>{part, 30001}); });

  guarded_buffer<float> out(on, 1024);
  region = {unit * ((guarded_buffer<float>::guard * sizeof(float) + unit - 1) / unit), 64};
  const cl::Buffer small(
      clCreateSubBuffer(out.buffer()(), CL_MEM_READ_WRITE, CL_BUFFER_CREATE_TYPE_REGION, &region, &code));
  REQUIRE(code == CL_SUCCESS);
  clwave::reduce(on.queue, view<float>{part, 100}, view<float>{small, 1, 2}).wait();
  const std::size_t place = region.origin / sizeof(float) + 2 - guarded_buffer<float>::guard;
  CHECK(same_bits(out.read_guarded().at(place),
                  host_fold<float>(values, 3 * unit / sizeof(float), 100, wrapping_plus<float>)));
}

// Khronos's loader cuts this variable up where it stands at its first call.
const std::string driver_files = [] {
  const char* value = std::getenv("OCL_ICD_FILENAMES");
  return std::string(value != nullptr ? value : "");
}();

// Runs a test case in a child process, for what may crash a driver; true if it passed. The child opens its
// own device: a forked driver is not to be trusted.
bool survives(const char* test_case) {
  const pid_t child = fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    const environment mark("CLWAVE_TEST_CHILD", "1");
    if (!driver_files.empty()) setenv("OCL_ICD_FILENAMES", driver_files.c_str(), 1);
    execl("/proc/self/exe", "clwave_tests", "--no-skip", test_case, static_cast<char*>(nullptr));
    _exit(127);
  }
  int status = 0;
  REQUIRE(waitpid(child, &status, 0) == child);
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

// Memory of the host, whose elements begin `shift` bytes after a multiple of 128.
template <class T>
struct host_memory {
  host_memory(const fixture& on, const std::vector<T>& values, std::size_t shift)
      : bytes(values.size() * sizeof(T) + 256) {
    const auto start = reinterpret_cast<std::uintptr_t>(bytes.data());
    unsigned char* place = bytes.data() + (128 - start % 128) % 128 + shift;
    std::memcpy(place, values.data(), values.size() * sizeof(T));
    cl_int code = CL_SUCCESS;
    buffer = cl::Buffer(clCreateBuffer(on.context(), CL_MEM_READ_ONLY | CL_MEM_USE_HOST_PTR,
                                       values.size() * sizeof(T), place, &code));
    REQUIRE(code == CL_SUCCESS);
  }
  std::vector<unsigned char> bytes;
  cl::Buffer buffer;
};

TEST_CASE_FIXTURE(on_device, "memory of the host at any alignment of its type") {
  const std::vector<std::uint8_t> bytes = random_values<std::uint8_t>(random, 20003);
  const std::vector<float> floats = random_values<float>(random, 20003);
  for (const std::string name : forced_rows(some_of({"", "gpu", "cpu"}))) {
    for (const std::size_t shift : {0, 1, 2, 8, 17}) {
      const host_memory<std::uint8_t> memory(on, bytes, shift);
      for (const std::size_t offset : {0, 1}) {
        CAPTURE(shift);
        CHECK(clwave::reduce<u64>(on.queue, view<std::uint8_t>{memory.buffer, 20000, offset}) ==
              host_fold<u64>(bytes, offset, 20000, wrapping_plus<u64>));
      }
    }
    for (const std::size_t shift : {0, 4, 8, 12}) {
      const host_memory<float> memory(on, floats, shift);
      for (const std::size_t offset : {0, 1, 3}) {
        CAPTURE(shift);
        CHECK(same_bits(clwave::reduce(on.queue, view<float>{memory.buffer, 20000, offset}),
                        host_fold<float>(floats, offset, 20000, wrapping_plus<float>)));
      }
    }
  }
}

// A structure of four floats needs no more than their alignment, though it has the size of a wide load.
TEST_CASE_FIXTURE(on_device, "child: structures of host memory at their own alignment" * doctest::skip()) {
  const clwave::op add{.name = "add4", .source = "(four_floats){a.x + b.x, a.y, a.z, b.w}", .identity = ""};
  const std::vector<four_floats> values(9001, four_floats{1, 2, 3, 4});
  for (const std::string name : forced_rows(some_of({"", "cpu", "gpu"}))) {
    for (const std::size_t shift : {4, 8, 12}) {
      const host_memory<four_floats> memory(on, values, shift);
      const four_floats sum = clwave::reduce(on.queue, view<four_floats>{memory.buffer, values.size()}, add);
      CHECK(sum.x == 9001);
      CHECK(sum.w == 4);
    }
  }
}

TEST_CASE("structures of host memory at their own alignment") {
  CHECK(survives("--test-case=child: structures of host memory at their own alignment"));
}

// Vectors below their alignment crash CPU drivers: right results or a refusal, nothing else.
TEST_CASE_FIXTURE(on_device, "child: misaligned elements of host memory" * doctest::skip()) {
  const auto right_or_refused = [&](const auto& call) {
    bool right = false;
    try {
      right = call();
    } catch (const clwave::error& thrown) {
      CHECK(thrown.kind() == failure::bad_call);
      return;
    }
    CHECK(right);
  };
  for (const std::string name : forced_rows(some_of({"", "cpu", "gpu"}))) {
    for (const std::size_t shift : {4, 8}) {
      const host_memory<cl_float4> memory(on, std::vector<cl_float4>(9001, cl_float4{{1, 2, 3, 4}}), shift);
      right_or_refused(
          [&] { return clwave::reduce(on.queue, view<cl_float4>(memory.buffer, 9001)).s[1] == 18002.0f; });
    }
    for (const std::size_t shift : {1, 2, 3}) {
      const host_memory<float> memory(on, std::vector<float>(9001, 1.0f), shift);
      right_or_refused([&] { return clwave::reduce(on.queue, view<float>{memory.buffer, 9001}) == 9001.0f; });
    }
  }
}

TEST_CASE("misaligned elements of host memory do not crash") {
  CHECK(survives("--test-case=child: misaligned elements of host memory"));
}

TEST_CASE_FIXTURE(on_device, "more results than a tile has columns, and not whole packets of them" * lanes) {
  const std::size_t n = 1026 * 8192 + 77;
  const std::vector<std::uint8_t> values = random_values<std::uint8_t>(random, n + 2 * 8192);
  const cl::Buffer buffer = on.buffer_of(values);
  for (const std::string name : some_of({"", "sm_90", "gfx90a"})) {  // "": as it is
    std::optional<forced_profile> forced;
    if (!name.empty()) forced.emplace(name);
    CAPTURE(name);
    // The longer one leaves results where the shorter has none.
    for (const std::size_t count : {values.size(), n}) {
      const u64 total = std::accumulate(values.begin(), values.begin() + count, u64{0});
      CHECK(clwave::reduce<u64>(on.queue, view<std::uint8_t>{buffer, count}) == total);
    }
  }
}

TEST_CASE_FIXTURE(on_device, "more than 2^24 elements") {
  const std::size_t n = (std::size_t{1} << 24) + 12345;
  std::vector<std::uint8_t> bytes(n);
  u64 total = 0;
  for (std::size_t i = 0; i < n; ++i) total += bytes[i] = static_cast<std::uint8_t>(random() >> 7);
  const cl::Buffer buffer = on.buffer_of(bytes);
  CHECK(clwave::reduce<u64>(on.queue, view<std::uint8_t>{buffer, n}) == total);
  // Beyond 2^24 a float cannot count by ones: only the right tree gets there.
  const float sum = clwave::reduce<float>(on.queue, view<std::uint8_t>{buffer, n});
  CHECK(same_bits(sum, host_fold<float>(bytes, 0, n, wrapping_plus<float>)));
  bytes[n - 2] = 0;
  const clwave::map mark{.name = "mark", .source = "i == 16789559 ? 7u : 0u"};  // n - 2
  CHECK(clwave::transform_reduce<u32>(on.queue, view<std::uint8_t>{buffer, n}, clwave::plus, mark) == 7);
}

}  // namespace
}  // namespace testing::reduce_memory_test
