// What is enqueued, for tests that compare it with a plan. The program that links recorder.cpp has these
// OpenCL calls of its own, which write down what they are given; what is recorded is not run.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include <CL/cl.h>

namespace recorder {

struct recorded_launch {
  std::string kernel;
  std::size_t dimensions = 0, global = 0, local = 0;
  bool has_offset = false;
  cl_uint parameters = 0;                                // that the kernel has
  std::map<cl_uint, std::vector<unsigned char>> values;  // that were set, by place
  std::vector<std::string> types, names;                 // of the parameters, where the driver says
  std::string source, options;                           // of its program; no source for a stored binary
};

// As long as it lives, kernels are not run but written down, and their events are complete.
class recording {
 public:
  recording();
  ~recording();
  recording(const recording&) = delete;
  recording& operator=(const recording&) = delete;

  const std::vector<recorded_launch>& launches() const;
};

// While it lives, every kernel is said to have that sub-group size and that preferred multiple of group
// sizes; 0: what the driver says.
class other_lanes {
 public:
  explicit other_lanes(std::size_t lanes);
  ~other_lanes();
  other_lanes(const other_lanes&) = delete;
  other_lanes& operator=(const other_lanes&) = delete;
};

// How often kernels were asked for either.
std::size_t questions_about_lanes();

}  // namespace recorder
