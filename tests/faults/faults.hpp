// A layer between the library and the OpenCL loader: makes a chosen call fail, come late or not come back,
// and commands not end; counts calls, and who holds how many references. interpose.cpp defines OpenCL's entry
// points in the test program, where they stand before the loader's own.
#pragma once

#include <chrono>
#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <CL/cl.h>

#include "harness/quick.hpp"
#include "harness/reference.hpp"

namespace faults {

// From now on, the `kth` call of `entry` (the first is 1) fails with `code` and does not reach the driver.
// Once.
void arm(std::string_view entry, unsigned kth, cl_int code);
// It takes so long before it reaches the driver. Once.
void arm_late(std::string_view entry, unsigned kth, std::chrono::milliseconds delay);
// Nothing fails or is late any more. True if the armed call has come.
bool disarm();

// From now on, the `kth` call of `entry` does not come back, nor reach the driver, before let_on(). Once.
void arm_held(std::string_view entry, unsigned kth);
// Waits until that call has come; false where none comes within a minute.
bool is_held();
void let_on();

// From now on, each command of a queue waits for an event, too; with null for neither as before.
void hold(cl_command_queue queue, cl_event until);

// How often each entry point was called since the last call of this.
std::map<std::string, unsigned> take_counts();

// The primitives whose programs were built, by the words that stand for them in the options: PRIMITIVE_SCAN.
std::set<std::string> built();

// The entry points that the layer knows.
std::vector<std::string> entries();

// References that were made and not given back: what was created and retained, less what was released, by the
// whole program. Each kind of object for itself.
struct references {
  long contexts = 0, queues = 0, buffers = 0, events = 0, programs = 0, kernels = 0;
  bool operator==(const references&) const = default;
};
references held();
std::string to_string(const references& r);

// What codes each call of a sweep fails with: all of them, or where the run is quick one after another.
class codes_by_turns {
 public:
  explicit codes_by_turns(std::vector<cl_int> all)
      : all_(std::move(all)), next_(reference::random_engine().below(all_.size())) {}
  std::vector<cl_int> next() {
    if (!testing::quick()) return all_;
    return {all_[next_++ % all_.size()]};
  }

 private:
  std::vector<cl_int> all_;
  std::size_t next_;
};

}  // namespace faults
