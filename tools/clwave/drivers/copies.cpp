// Objects in a context, and samples by the host's clock: what a user who waits for a copy sees.
#include "drivers/copies.hpp"

#include <algorithm>

namespace clwave::tool::copies {
namespace {

// Of packets of four words. A work-item takes `each` of them, `step` from one to the next: neighbours on a
// GPU, stretches on a CPU.
constexpr const char* words_source = R"(
uint4 packet(uint i, uint seed) { return (i * 4 + (uint4)(0, 1, 2, 3)) * 2654435761u + seed; }

kernel void set(global uint4* x, uint packets, uint seed, uint each, uint item_step, uint step) {
  uint i = get_global_id(0) * item_step;
  for (uint k = 0; k < each; ++k, i += step)
    if (i < packets) x[i] = packet(i, seed);
}

kernel void count_others(const global uint4* x, uint packets, uint seed, uint each, uint item_step, uint step,
                         volatile global uint* others) {
  int4 found = 0;
  uint i = get_global_id(0) * item_step;
  for (uint k = 0; k < each; ++k, i += step)
    if (i < packets) found -= x[i] != packet(i, seed);
  const int sum = found.x + found.y + found.z + found.w;
  if (sum != 0) atomic_add(others, (uint)sum);
}
)";

void launch(const cl::CommandQueue& queue, const copying_device& on, cl::Kernel& kernel, const cl::Buffer& x,
            std::uint64_t bytes, cl_uint seed) {
  const auto packets = static_cast<cl_uint>(bytes / 16);
  const cl_uint items = on.is_cpu ? 16 : 1 << 17;
  const cl_uint each = (packets + items - 1) / items;
  kernel.setArg(0, x);
  kernel.setArg(1, packets);
  kernel.setArg(2, seed);
  kernel.setArg(3, each);
  kernel.setArg(4, on.is_cpu ? each : cl_uint{1});
  kernel.setArg(5, on.is_cpu ? cl_uint{1} : items);
  detail::check(queue.enqueueNDRangeKernel(kernel, cl::NullRange, cl::NDRange(items), cl::NullRange),
                "enqueue a small kernel");
}

}  // namespace

double seconds_since(clock::time_point start) {
  return std::chrono::duration<double>(clock::now() - start).count();
}

std::uint64_t copying_device::bytes(std::uint64_t wanted) const {
  const std::uint64_t most = is_cpu ? std::min(most_bytes, transfer_bytes) : most_bytes;
  return std::max<std::uint64_t>(std::min(wanted, most) / 4096 * 4096, 4096);
}

cl::Context context_of(const std::vector<copying_device>& on) {
  const cl_context_properties where[] = {CL_CONTEXT_PLATFORM,
                                         reinterpret_cast<cl_context_properties>(on[0].platform), 0};
  std::vector<cl_device_id> ids;
  ids.reserve(on.size());
  for (const copying_device& each : on) ids.push_back(each.id);
  cl_int code = CL_SUCCESS;
  cl::Context made(
      clCreateContext(where, static_cast<cl_uint>(ids.size()), ids.data(), nullptr, nullptr, &code));
  detail::check(code, "make a context");
  return made;
}

cl::CommandQueue queue_on(const cl::Context& context, const copying_device& device) {
  cl_int code = CL_SUCCESS;
  cl::CommandQueue made(clCreateCommandQueue(context(), device.id, 0, &code));
  detail::check(code, "make a queue");
  return made;
}

cl::Buffer buffer_in(const cl::Context& context, std::uint64_t bytes, cl_mem_flags flags) {
  cl_int code = CL_SUCCESS;
  cl::Buffer made(context, CL_MEM_READ_WRITE | flags, bytes, nullptr, &code);
  detail::check(code, "make a buffer of " + std::to_string(bytes) + " bytes");
  return made;
}

void finish(const cl::CommandQueue& queue) {
  detail::check(queue.finish(), "finish a queue", detail::doing::outcome);
}

locked_memory::locked_memory(const cl::Context& context, const cl::CommandQueue& queue, std::uint64_t bytes)
    : queue_(queue), buffer_(buffer_in(context, bytes, CL_MEM_ALLOC_HOST_PTR)) {
  cl_int code = CL_SUCCESS;
  at_ = static_cast<unsigned char*>(queue.enqueueMapBuffer(buffer_, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, 0,
                                                           bytes, nullptr, nullptr, &code));
  detail::check(code, "map page-locked memory");
  std::fill_n(at_, bytes, static_cast<unsigned char>(1));
}

locked_memory::~locked_memory() {
  if (queue_.enqueueUnmapMemObject(buffer_, at_) == CL_SUCCESS) queue_.finish();
}

words_in::words_in(const cl::Context& context) {
  cl_int code = CL_SUCCESS;
  program_ = cl::Program(context, std::string(words_source), false, &code);
  detail::check(code, "make a program");
  code = clBuildProgram(program_(), 0, nullptr, "", nullptr, nullptr);
  detail::check(code, "build a small kernel", detail::doing::build);
  set_ = cl::Kernel(program_, "set", &code);
  detail::check(code, "make a kernel");
  count_ = cl::Kernel(program_, "count_others", &code);
  detail::check(code, "make a kernel");
}

void words_in::set(const cl::CommandQueue& queue, const copying_device& on, const cl::Buffer& x,
                   std::uint64_t bytes, cl_uint seed) {
  launch(queue, on, set_, x, bytes, seed);
}

void words_in::count_others(const cl::CommandQueue& queue, const copying_device& on, const cl::Buffer& x,
                            std::uint64_t bytes, cl_uint seed, const cl::Buffer& others) {
  count_.setArg(6, others);
  launch(queue, on, count_, x, bytes, seed);
}

std::string said_by(const std::exception& failed) {
  const std::string said = failed.what();
  return said.substr(0, said.find('\n'));
}

json no_speed(const std::string& why) {
  return {{"gb_per_s", nullptr}, {"best_gb_per_s", nullptr}, {"samples", 0}, {"why", why}};
}

json stopwatch::speed(const std::string& what, std::uint64_t bytes, const sampled& one) const {
  answer_("timing", what);
  if (seconds_since(start_) > budget_s_) return no_speed("not timed: the driver's time was up");
  std::vector<double> times;
  try {
    const auto begin = clock::now();
    for (cl_uint sample = 0; sample < 8 && (sample < 2 || seconds_since(begin) < 0.15); ++sample) {
      if (one.before) one.before(sample);
      const auto from = clock::now();
      one.copy(sample);
      times.push_back(seconds_since(from));
      if (one.after) one.after(sample);
      if (times.back() > 1) break;
    }
  } catch (const wrong_data&) {
    return no_speed("the data that came were wrong");
  } catch (const std::exception& failed) {
    return no_speed(said_by(failed));
  }
  // In the first one drivers make memory; it counts only where there was no time for others.
  if (times.size() > 1) times.erase(times.begin());
  std::ranges::sort(times);
  const auto speed_of = [bytes](double seconds) {
    return static_cast<double>(bytes) / std::max(seconds, 1e-9) * 1e-9;
  };
  return {{"gb_per_s", speed_of(times[times.size() / 2])},
          {"best_gb_per_s", speed_of(times.front())},
          {"samples", times.size()},
          {"why", nullptr}};
}

}  // namespace clwave::tool::copies
