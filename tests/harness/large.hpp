// What the tests of inputs past 2^32 elements share. A device that has no room for as many gets fewer, so
// that what is expected is known to be right.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <doctest/doctest.h>

#include "base/opencl.hpp"
#include "harness/devices.hpp"

namespace testing {

using u8 = std::uint8_t;
using u64 = std::uint64_t;

inline constexpr u64 past = (u64{1} << 32) + (u64{1} << 31) + 12345;

// As many elements of one byte as two buffers of the device can hold, and no more than `past`.
inline u64 elements_on(const fixture& on) {
  const u64 largest = on.device.getInfo<CL_DEVICE_MAX_MEM_ALLOC_SIZE>();
  const u64 all = on.device.getInfo<CL_DEVICE_GLOBAL_MEM_SIZE>();
  const bool is_gpu = on.device.getInfo<CL_DEVICE_TYPE>() == CL_DEVICE_TYPE_GPU;
  const u64 n = is_gpu && largest > past && all > 4 * past ? past : (u64{1} << 22) + 12345;
  MESSAGE("elements: ", n);
  return n;
}

// Looks at the ends, at every power of two from 2^20 on, and behind 2^32.
inline std::vector<u64> places(u64 n) {
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

// Bytes that tell where they lie, also past 2^32.
inline u8 byte_at(u64 i) { return static_cast<u8>(i * 3 + (i >> 32) * 101 + (i >> 20)); }

// Two buffers of so many, the first full of them.
struct large_buffers {
  explicit large_buffers(const fixture& on)
      : n(elements_on(on)), in(on.context, CL_MEM_READ_WRITE, n), out(on.context, CL_MEM_READ_WRITE, n) {
    cl::Program program(on.context,
                        "kernel void write(global uchar *to) {\n"
                        "  const ulong i = get_global_id(0);\n"
                        "  to[i] = (uchar)(i * 3 + (i >> 32) * 101 + (i >> 20));\n"
                        "}\n");
    clwave::detail::check(program.build(), "build the kernel that writes a test's bytes");
    cl::Kernel write(program, "write");
    write.setArg(0, in);
    clwave::detail::check(on.queue.enqueueNDRangeKernel(write, 0, n), "write a test's bytes");
  }
  clwave::view<u8> x() const { return {in, n}; }
  clwave::view<u8> y() const { return {out, n}; }

  u64 n;
  cl::Buffer in, out;
};

}  // namespace testing
