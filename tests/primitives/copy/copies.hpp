// What the tests of copies and fills share: elements of any size, and whole buffers as bytes.
#pragma once

#include <cstddef>
#include <cstring>
#include <string>
#include <vector>

#include <clwave/element.hpp>

#include "harness/devices.hpp"

namespace testing {

// What the tests name without saying where it is from.
using reference::random_bytes;

using bytes = std::vector<unsigned char>;

// An element of N bytes that no OpenCL type has.
template <std::size_t N>
struct blob {
  unsigned char bytes[N];
};

}  // namespace testing

template <std::size_t N>
struct clwave::element_traits<testing::blob<N>> {
  static const element& describe() {
    static const element e = detail::make_element("blob" + std::to_string(N), "blob" + std::to_string(N), N,
                                                  element_kind::opaque, 1);
    return e;
  }
};

namespace testing {

// The device's own profile, and those whose code differs: wide groups, groups of 64 lanes, and a CPU's.
inline std::vector<const char*> tried_profiles() { return some_of({"", "sm_90", "gfx90a", "gpu", "cpu"}); }

constexpr std::size_t guard = 64;  // bytes after every output

inline fixture& here() { return default_fixture(); }

// All that a buffer holds. Waits for the default fixture's queue.
inline bytes whole(const cl::Buffer& buffer) {
  return here().read<unsigned char>(buffer, buffer.getInfo<CL_MEM_SIZE>());
}

template <class T>
T load(const unsigned char* from) {
  T value;
  std::memcpy(&value, from, sizeof value);
  return value;
}

}  // namespace testing
