// A device made ready to compute on, data brought there, and a reduction run and timed.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "base/opencl.hpp"

#include <clwave/event.hpp>

#include "drivers/visit.hpp"
#include "shared/records.hpp"
#include "shared/reductions.hpp"

namespace clwave::tool {

// A context and an in-order queue on a device.
struct ready_device {
  explicit ready_device(const device_place& place);
  cl::Context context;
  cl::CommandQueue queue;
};

// Where a device of devices() stands there.
const device_place& place_of(cl_device_id device);

// The drivers have been visited and the device selected by the time it exists.
struct session {
  explicit session(const std::string& selector);

  safe_drivers drivers;  // first: outlives every OpenCL object
  const device_facts* facts = nullptr;
  profile_choice choice;
  cl::Context context;
  cl::CommandQueue queue;

  // "0:1 NVIDIA H200"
  std::string device_name() const;
};

// A device beside a session's own.
struct further_device {
  const device_facts* facts;
  profile_choice choice;
  ready_device made;

  std::string device_name() const;
};

// The devices that a list of selectors means ("0:0,0:1,cpu"): that of the first is the session's, and these
// are the others. Of "all", all that can build programs but the session's. Throws clwave::error (bad_call)
// for a list that means a device twice, (device_absent) for a selector that means none.
std::vector<further_device> further_devices(const session& on, const std::string& list);
// The selector of the session's own device in such a list; empty for "all".
std::string first_selector(const std::string& list);

// Whether elements of so many bytes lie in one buffer of the device.
bool fits(const session& on, std::uint64_t bytes);

// Throws clwave::error (out_of_memory) if the device takes no buffer of so many bytes. PoCL ends the
// process where an allocation fails, so the problem comes first.
void check_fits(const session& on, std::uint64_t bytes, const std::string& what);

// A buffer of `bytes` bytes, filled piece by piece by `next(into, bytes)`. Shows its progress on a
// terminal if it takes long.
cl::Buffer upload(const session& on, std::uint64_t bytes, const std::string& what,
                  const std::function<void(void*, std::size_t)>& next);

// A buffer of `bytes` bytes that hold nothing yet, of an input or of results named by `what`.
cl::Buffer make_buffer(const session& on, std::uint64_t bytes, const std::string& what);

// What upload does, the other way: gives the buffer's first `bytes` bytes, piece by piece, to `take`.
void download(const session& on, const cl::Buffer& from, std::uint64_t bytes, const std::string& what,
              const std::function<void(const void*, std::size_t)>& take);

// The median time of 3 to 21 calls, which end before about a second is over.
struct timed_calls {
  double seconds = 0;
  unsigned calls = 0;
};
timed_calls time_calls(const std::function<void()>& call);

// The results of a call that writes `bytes` bytes of them, and the time it takes: as time_calls has it, after
// one to warm up, which builds the program.
class timed_results {
 public:
  timed_results(const session& on, std::uint64_t bytes,
                const std::function<event(const cl::Buffer& out)>& call);

  double seconds() const { return timed_.seconds; }
  unsigned calls() const { return timed_.calls; }
  // Piece by piece; `what` is what is being done with them.
  void read(const std::string& what, const std::function<void(const void*, std::size_t)>& take) const {
    download(on_, out_, bytes_, what, take);
  }

 private:
  const session& on_;
  std::uint64_t bytes_;
  cl::Buffer out_;
  timed_calls timed_;
};

// Whether elements and results of so many bytes go on the device together.
bool fits_in_memory(const session& on, std::uint64_t bytes);
// Throws clwave::error (out_of_memory) where they do not.
void check_memory(const session& on, std::uint64_t bytes);

// A result with the time it took: the median of several blocking calls after one to warm up.
struct timed_value {
  std::vector<unsigned char> bytes = {};  // an accumulator
  double seconds = 0;
  unsigned calls = 0;
  bool same_bits = true;  // in every call

  // The bits of the value alone, most significant first, as 0x...
  std::string hex(const element& value) const;
  // As a JSON number; "nan", "inf" and "-inf" as strings. Integers exact.
  json number(const element& value) const;
  std::string text(const element& value) const;
  std::uint64_t index() const;  // of argmin and argmax
};
timed_value run_reduce(const session& on, const cl::Buffer& data, std::uint64_t n,
                       const reduce_meaning& meaning);

double median(std::vector<double> values);

}  // namespace clwave::tool
