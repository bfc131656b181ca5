// A layer between the library and the OpenCL loader: makes a chosen call fail, counts calls, and counts who
// holds how many references. interpose.cpp defines OpenCL's entry points in the test program, where they
// stand before the loader's own.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <CL/cl.h>

namespace faults {

// From now on, the `kth` call of `entry` (the first is 1) fails with `code` and does not reach the driver.
// Once.
void arm(std::string_view entry, unsigned kth, cl_int code);
// Nothing fails any more. True if the armed call has come and failed.
bool disarm();

// How often each entry point was called since the last call of this.
std::map<std::string, unsigned> take_counts();

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

}  // namespace faults
