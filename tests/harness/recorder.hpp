// What is enqueued, and on which queues. The program that links recorder.cpp has OpenCL calls of its own,
// which write down what they are given.
#pragma once

#include <cstddef>
#include <map>
#include <set>
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

// A program of a context is built, or else one of its queues is given a command.
struct step {
  cl_context context;
  bool builds;
};

// While it lives, notes which queues are given commands, flushed or finished, and by which entry points; and
// when programs are built. The calls go on to the driver.
class queue_watch {
 public:
  queue_watch();
  ~queue_watch();
  queue_watch(const queue_watch&) = delete;
  queue_watch& operator=(const queue_watch&) = delete;

  // The entry points that were given a queue, as often as they were.
  std::map<cl_command_queue, std::multiset<std::string>> used() const;
  // All steps, in their order.
  std::vector<step> steps() const;
};

// The entry points that a queue_watch sees.
std::vector<std::string> watched_entries();

// While it lives, every kernel is said to have that sub-group size and that preferred multiple of group
// sizes; 0: what the driver says.
class other_lanes {
 public:
  explicit other_lanes(std::size_t lanes);
  ~other_lanes();
  other_lanes(const other_lanes&) = delete;
  other_lanes& operator=(const other_lanes&) = delete;
};

// While it lives, drivers are said to be of a platform that nobody knows, and the first `cut` programs that
// are asked by the probe of loops whether these run to their end answer as a driver does that ends them
// early.
class unknown_platform {
 public:
  explicit unknown_platform(int cut);
  ~unknown_platform();
  unknown_platform(const unknown_platform&) = delete;
  unknown_platform& operator=(const unknown_platform&) = delete;

  static constexpr const char* name = "a platform that nobody knows";
};

// How often kernels were asked for either.
std::size_t questions_about_lanes();

// The least that a driver has said of how large a compiled kernel's groups may be.
std::size_t smallest_group_limit();

}  // namespace recorder
