// What the timing of copies is made of: devices, objects in a context, and samples. (bandwidth.hpp is for
// others.)
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <memory>
#include <string>
#include <vector>

#include "base/opencl.hpp"
#include "drivers/bandwidth.hpp"
#include "shared/common.hpp"

namespace clwave::tool::copies {

using clock = std::chrono::steady_clock;
using answering = std::function<void(const char* key, json value)>;

double seconds_since(clock::time_point start);

struct copying_device {
  cl_platform_id platform = nullptr;
  cl_device_id id = nullptr;
  unsigned platform_index = 0, device_index = 0;
  bool is_cpu = false;
  std::uint64_t most_bytes = 0;  // of a buffer, so that several fit

  std::string place() const { return std::to_string(platform_index) + ":" + std::to_string(device_index); }
  // So many as are wanted, where they fit; on a CPU at most those of a transfer.
  std::uint64_t bytes(std::uint64_t wanted) const;
};

inline constexpr std::uint64_t transfer_bytes = std::uint64_t{64} << 20;
inline constexpr std::uint64_t within_bytes = std::uint64_t{256} << 20;  // past the caches

// --- Objects in one context ---------------------------------------------------------------------------

cl::Context context_of(const std::vector<copying_device>& on);
cl::CommandQueue queue_on(const cl::Context& context, const copying_device& device);
cl::Buffer buffer_in(const cl::Context& context, std::uint64_t bytes, cl_mem_flags flags = 0);
void finish(const cl::CommandQueue& queue);

// Page-locked where the driver has such memory: that is what CL_MEM_ALLOC_HOST_PTR is for.
class locked_memory {
 public:
  locked_memory(const cl::Context& context, const cl::CommandQueue& queue, std::uint64_t bytes);
  ~locked_memory();
  locked_memory(const locked_memory&) = delete;
  locked_memory& operator=(const locked_memory&) = delete;
  unsigned char* at() const { return at_; }

 private:
  cl::CommandQueue queue_;
  cl::Buffer buffer_;
  unsigned char* at_ = nullptr;
};

// Words that a device writes, and looks at, in a context of one or more devices. They depend on a seed, so
// that what an earlier copy left is not taken for a later one.
class words_in {
 public:
  explicit words_in(const cl::Context& context);
  void set(const cl::CommandQueue& queue, const copying_device& on, const cl::Buffer& x, std::uint64_t bytes,
           cl_uint seed);
  // Reads all of x on the device, and adds to `others` how many of its words are of another seed.
  void count_others(const cl::CommandQueue& queue, const copying_device& on, const cl::Buffer& x,
                    std::uint64_t bytes, cl_uint seed, const cl::Buffer& others);

 private:
  cl::Program program_;
  cl::Kernel set_, count_;
};

// --- Samples ------------------------------------------------------------------------------------------

// Thrown where a sample cannot stand: what came is not what was sent.
struct wrong_data {};

// One sample. What is done before and after the copy is outside its time; each gets the sample's number.
struct sampled {
  std::function<void(cl_uint sample)> copy;  // returns when all bytes are there
  std::function<void(cl_uint sample)> before = {};
  std::function<void(cl_uint sample)> after = {};
};

class stopwatch {
 public:
  stopwatch(double budget_s, const answering& answer) : budget_s_(budget_s), answer_(answer) {}

  // The speed at which `bytes` bytes are copied: {"gb_per_s", "best_gb_per_s", "samples", "why"}.
  json speed(const std::string& what, std::uint64_t bytes, const sampled& one) const;
  const answering& answer() const { return answer_; }

 private:
  clock::time_point start_ = clock::now();
  double budget_s_;
  const answering& answer_;
};

// A speed that is not known.
json no_speed(const std::string& why);
// The first line of what was thrown.
std::string said_by(const std::exception& failed);

// Gives `use` what `make` makes. Where either fails, those of the speeds that are not in the record yet say
// why.
template <class Make, class Use>
void with_made(json& record, std::initializer_list<const char*> speeds, const Make& make, const Use& use) {
  try {
    const auto made = make();
    use(*made);
  } catch (const std::exception& failed) {
    for (const char* each : speeds)
      if (!record.contains(each)) record[each] = no_speed(said_by(failed));
  }
}

// From each device of a platform to each other one. (bandwidth_pairs.cpp)
void time_pairs(const stopwatch& watch, const std::vector<copying_device>& on);

}  // namespace clwave::tool::copies
