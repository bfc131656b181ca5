// What the proofs without a device need of a primitive: the parts of oclgrind_run, and the programs of
// offline_plans, which are those that `clwave emulate` has no words for. A primitive has them in
// tests/primitives/NAME/offline.cpp, which registers them under its name.
#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include <clwave/device.hpp>
#include <clwave/plan.hpp>

#include "base/opencl.hpp"
#include "base/registered.hpp"

namespace races {

struct machine {
  cl::Device device{clwave::select_device(), true};
  cl::Context context{device};
  cl::CommandQueue queue{context, device};

  template <class T>
  cl::Buffer buffer(std::vector<T>& from) {
    return cl::Buffer(context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, from.size() * sizeof(T),
                      from.data());
  }
};

// Prints that a call ran, and remembers a wrong result.
void check(bool right, const char* what, std::size_t n);
bool any_wrong();

// One lane set, one group's row, one tile, a few tiles; most of them less one or plus one.
inline const std::vector<std::size_t> sizes = {1, 2, 31, 33, 64, 1023, 1025, 8191, 8193, 3 * 8192 + 5};
// The sizes for lanes that are emulated step by step, which takes a second for each.
inline const std::vector<std::size_t> few_sizes = {1, 33, 1025, 8192 + 5};

// Small whole numbers: every order of adding them is exact.
template <class T>
std::vector<T> numbers(std::size_t n) {
  std::vector<T> all(n);
  for (std::size_t i = 0; i < n; ++i) all[i] = T(static_cast<float>((i * 7 + 3) % 5));
  return all;
}

// A run of calls, by its name.
struct part {
  std::string name;
  void (*run)();
};

// A program that is compiled, by the name of its case, whose first word is the primitive's.
struct program {
  std::string name;
  clwave::call_plan (*plan)(const clwave::plan_target& on);
};

struct offline_parts {
  std::vector<part> parts;
  std::vector<program> programs = {};
};

using registered = clwave::detail::registered<offline_parts>;
// Those of all primitives. (offline_parts.cpp)
std::vector<offline_parts> all();

}  // namespace races
