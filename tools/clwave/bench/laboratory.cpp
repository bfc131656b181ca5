// The laboratory: the device made ready to be measured.
#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <thread>

#include "bench/bench.hpp"
#include "bench/peers/cuda.hpp"

namespace clwave::tool::bench {
namespace {

using clock = std::chrono::steady_clock;

// Peak memory bandwidth by the vendors' data sheets, by a part of the device's name; more special ones
// first.
struct peak {
  const char* name;
  double gb_per_s;
};
constexpr peak peaks[] = {
    {"B200", 8000},   {"H200", 4800},         {"H100 PCIe", 2000},      {"H100 NVL", 3900},
    {"H100", 3350},   {"A100-SXM4-80", 2039}, {"A100 80GB PCIe", 1935}, {"A100", 1555},
    {"V100", 900},    {"L40S", 864},          {"RTX 4090", 1008},       {"MI300X", 5300},
    {"MI250X", 3277}, {"MI210", 1638},        {"gfx942", 5300},
};

// The largest cache the host knows of.
std::uint64_t host_cache_bytes() {
  std::uint64_t most = 0;
  for (int index = 0; index < 8; ++index) {
    std::ifstream file("/sys/devices/system/cpu/cpu0/cache/index" + std::to_string(index) + "/size");
    std::uint64_t size = 0;
    char unit = 0;
    if (file >> size >> unit) most = std::max(most, size << (unit == 'M' ? 20 : unit == 'K' ? 10 : 0));
  }
  return most;
}

constexpr const char* lead_source = R"(
kernel void lead(uint rounds, global uint* out) {
  uint x = rounds | 1;
  for (uint i = 0; i < rounds; ++i) {
    x ^= x << 13;
    x ^= x >> 17;
    x ^= x << 5;
  }
  out[0] = x;
}
)";

}  // namespace

laboratory::laboratory(const std::string& selector) : on(selector) {
  const device_facts& facts = *on.facts;
  is_cpu = facts.type && (*facts.type & CL_DEVICE_TYPE_CPU) != 0;
  is_nvidia = facts.family && *facts.family == device_family::nvidia;
  // GPUs report other caches than their last, or none: 512 MiB is four times the largest there are. A CPU
  // under a hypervisor may show the whole socket's; 512 MiB are enough there too.
  const std::uint64_t cache = is_cpu ? std::max(host_cache_bytes(), facts.global_cache.value_or(0)) : 0;
  pool_bytes = is_cpu ? std::clamp<std::uint64_t>(4 * cache, 64u << 20, 512u << 20) : 512u << 20;
  if (is_cpu) samples = 9;
  const std::string name = facts.name.value_or("") + " " + facts.board_name.value_or("");
  for (const peak& p : peaks) {
    if (peak_bytes_per_s == 0 && name.find(p.name) != std::string::npos) {
      peak_bytes_per_s = p.gb_per_s * 1e9;
      peak_source = std::string("data sheet of ") + p.name;
    }
  }
  prepare_lead();
}

laboratory::~laboratory() = default;

void laboratory::finish() { detail::check(on.queue.finish(), "finish the queue"); }

cl::Kernel laboratory::kernel(const std::string& source, const std::string& name,
                              const std::string& options) {
  const std::string key = options + '\n' + source;
  auto found = programs_.find(key);
  if (found == programs_.end()) {
    cl_int code = CL_SUCCESS;
    const cl::Program program(on.context, source, false, &code);
    detail::check(code, "make a program of the benchmark");
    const cl::Device device(on.facts->device, true);
    if (program.build(device, options.c_str()) != CL_SUCCESS)
      throw error(failure::build, "a kernel of the benchmark's own does not build", CL_BUILD_PROGRAM_FAILURE,
                  {.log = program.getBuildInfo<CL_PROGRAM_BUILD_LOG>(device)});
    found = programs_.emplace(key, program).first;
  }
  cl_int code = CL_SUCCESS;
  cl::Kernel made(found->second, name.c_str(), &code);
  detail::check(code, "make a kernel of the benchmark");
  return made;
}

cl::Buffer laboratory::buffer(std::uint64_t bytes) {
  check_fits(on, bytes, "the benchmark");
  cl_int code = CL_SUCCESS;
  cl::Buffer made(on.context, CL_MEM_READ_WRITE, bytes, nullptr, &code);
  detail::check(code, "make a buffer of " + std::to_string(bytes) + " bytes");
  return made;
}

void laboratory::spoil(const cl::Buffer& out, std::uint64_t bytes) {
  if (is_cpu) {
    detail::check(on.queue.enqueueFillBuffer(out, cl_uint{0xa5a5a5a5u}, 0, bytes / 4 * 4),
                  "spoil the output");
  } else {
    // Not by clEnqueueFillBuffer: on an H200, 8 GiB into a buffer, it faults and takes the context with it.
    cl::Kernel k = kernel(
        "kernel void spoil(global uint* out, ulong words) {\n"
        "  for (ulong i = get_global_id(0); i < words; i += get_global_size(0)) out[i] = 0xa5a5a5a5u;\n"
        "}\n",
        "spoil");
    k.setArg(0, out);
    k.setArg(1, cl_ulong{bytes / 4});
    launch(k, 1024, 256);
  }
  finish();
}

void laboratory::launch(const cl::Kernel& k, std::uint64_t groups, std::size_t group_size) {
  detail::check(on.queue.enqueueNDRangeKernel(k, cl::NullRange, cl::NDRange(groups * group_size),
                                              cl::NDRange(group_size)),
                "enqueue a kernel of the benchmark");
}

bool laboratory::fits(double bytes) const {
  return bytes <= static_cast<double>(on.facts->max_allocation.value_or(1 << 28)) &&
         3 * bytes <= static_cast<double>(on.facts->global_memory.value_or(1 << 30));
}

namespace {

// The work-items of a kernel that counts.
constexpr std::uint64_t counting_groups(bool is_cpu) { return is_cpu ? 8 : 4096; }
constexpr std::size_t counting_group_size(bool is_cpu) { return is_cpu ? 1 : 256; }

}  // namespace

std::uint64_t laboratory::each_of(std::uint64_t n) const {
  const std::uint64_t items = counting_groups(is_cpu) * counting_group_size(is_cpu);
  return (n + items - 1) / items;
}

cl_uint laboratory::count(cl::Kernel& k, cl_uint counter) {
  const cl::Buffer memory = buffer(4);
  cl_uint found = 0;
  detail::check(on.queue.enqueueWriteBuffer(memory, CL_TRUE, 0, 4, &found), "write a counter");
  k.setArg(counter, memory);
  launch(k, counting_groups(is_cpu), counting_group_size(is_cpu));
  detail::check(on.queue.enqueueReadBuffer(memory, CL_TRUE, 0, 4, &found), "read a counter");
  return found;
}

// Chooses the lead's rounds so that it lasts about 4 ms.
void laboratory::prepare_lead() {
  if (is_cpu) return;
  lead_ = kernel(lead_source, "lead");
  lead_out_ = buffer(64);
  lead_.setArg(1, lead_out_);
  const auto seconds_of = [&](cl_uint rounds) {
    lead_.setArg(0, rounds);
    const auto start = clock::now();
    enqueue_lead();
    finish();
    return std::chrono::duration<double>(clock::now() - start).count();
  };
  for (int warm = 0; warm < 50; ++warm) seconds_of(200000);
  // The shortest of several, for other processes may use the device as well.
  double shortest = seconds_of(400000);
  for (int i = 0; i < 8; ++i) shortest = std::min(shortest, seconds_of(400000));
  const double each = std::max(shortest / 400000, 1e-10);
  lead_.setArg(0, static_cast<cl_uint>(std::min(4e-3 / each, 4e9)));
  std::vector<double> leads;
  leads.reserve(9);
  for (int i = 0; i < 9; ++i) {
    const auto start = clock::now();
    enqueue_lead();
    finish();
    leads.push_back(std::chrono::duration<double>(clock::now() - start).count());
  }
  lead_s_ = median(leads);
}

void laboratory::enqueue_lead() {
  launch(lead_, 1, 1);
  detail::check(on.queue.flush(), "flush the queue");
}

arrangement laboratory::arrange(std::uint64_t n, std::size_t element_bytes) const {
  arrangement at;
  at.n = n;
  at.stride = (n * element_bytes + 255) / 256 * 256 / element_bytes;
  at.places =
      std::max<std::size_t>(1, (pool_bytes + at.stride * element_bytes - 1) / (at.stride * element_bytes));
  // A GPU's last cache keeps some of an input of 1 GiB from one call to the next (H200: 7 % more than its
  // memory can give): so three take turns where memory allows.
  const double three = 3.0 * static_cast<double>(at.stride * element_bytes);
  if (!is_cpu && 8 * three <= static_cast<double>(on.facts->global_memory.value_or(0)) &&
      three <= static_cast<double>(on.facts->max_allocation.value_or(0)))
    at.places = std::max<std::size_t>(at.places, 3);
  return at;
}

std::shared_ptr<pool> laboratory::data(const std::string& type, std::uint32_t seed, const arrangement& at,
                                       values of) {
  const std::uint64_t elements = at.stride * at.places + 64;
  for (auto it = pools_.begin(); it != pools_.end(); ++it) {
    if ((*it)->type != type || (*it)->seed != seed || (*it)->of != of) continue;
    // One that is much larger than needed would keep small inputs from lying as they should, and memory.
    if ((*it)->elements >= elements && (*it)->elements <= 2 * elements) return *it;
    pools_.erase(it);
    break;
  }
  const element& e = *find_element(type);
  auto made = std::make_shared<pool>();
  made->type = type;
  made->seed = seed;
  made->of = of;
  made->elements = elements;
  made->buffer = buffer(elements * e.size);
  cl::Kernel k = kernel(random_source(), "make_random",
                        "-DFROM_" + type + " -DTO_" + type + (of == values::whole ? " -DWHOLE" : ""));
  const std::uint64_t items = is_cpu ? 64 : std::min<std::uint64_t>(1 << 18, (elements + 63) / 64 * 64);
  const std::uint64_t each = (elements + items - 1) / items;
  k.setArg(0, made->buffer);
  k.setArg(1, cl_ulong{elements});
  k.setArg(2, cl_uint{seed});
  k.setArg(3, cl_ulong{each});
  k.setArg(4, cl_ulong{is_cpu ? each : 1});
  k.setArg(5, cl_ulong{is_cpu ? 1 : items});
  launch(k, is_cpu ? items : items / 64, is_cpu ? 1 : 64);
  finish();
  pools_.push_back(made);
  return made;
}

void laboratory::forget_other_data(const std::string& type) {
  std::erase_if(pools_, [&](const auto& p) { return p->type != type; });
}

std::shared_ptr<void> laboratory::host_copy(const pool& of) {
  const std::uint64_t bytes = of.elements * find_element(of.type)->size;
  std::shared_ptr<void> copy(std::aligned_alloc(4096, (bytes + 4095) / 4096 * 4096), std::free);
  if (!copy) throw std::bad_alloc();
  detail::check(on.queue.enqueueReadBuffer(of.buffer, CL_TRUE, 0, bytes, copy.get()), "read the data back");
  return copy;
}

std::uint64_t laboratory::count_wrong(const cl::Buffer& in, std::uint64_t at, std::uint64_t n,
                                      const std::string& from, const std::string& to, std::uint32_t seed,
                                      std::uint64_t source_first) {
  cl::Kernel k = kernel(random_source(), "count_wrong", "-DFROM_" + from + " -DTO_" + to);
  const cl::Buffer counter = buffer(4);
  const cl_uint none = 0;
  detail::check(on.queue.enqueueWriteBuffer(counter, CL_TRUE, 0, 4, &none), "write a counter");
  const std::uint64_t items = is_cpu ? 64 : std::min<std::uint64_t>(1 << 18, (n + 63) / 64 * 64);
  const std::uint64_t each = (n + items - 1) / items;
  k.setArg(0, in);
  k.setArg(1, cl_ulong{at});
  k.setArg(2, cl_ulong{n});
  k.setArg(3, cl_uint{seed});
  k.setArg(4, cl_ulong{source_first});
  k.setArg(5, cl_ulong{each});
  k.setArg(6, cl_ulong{is_cpu ? each : 1});
  k.setArg(7, cl_ulong{is_cpu ? 1 : items});
  k.setArg(8, counter);
  launch(k, is_cpu ? items : items / 64, is_cpu ? 1 : 64);
  cl_uint wrong = 0;
  detail::check(on.queue.enqueueReadBuffer(counter, CL_TRUE, 0, 4, &wrong), "read a counter");
  return wrong;
}

// By the rule for every row: the same samples.
void laboratory::measure_copy_speed(std::uint64_t n) {
  if (n == 0) n = is_cpu ? 50'000'000 : std::uint64_t{1} << 28;
  const arrangement at = arrange(n, 4);
  group rows;
  rows.places = at.places;
  rows.rows.push_back(
      {"copy speed", "", [&] {
         const auto from = data("f32", first_seed, at);
         const cl::Buffer to = buffer(at.stride * at.places * 4);
         contender c;
         c.bytes = 8.0 * static_cast<double>(at.n);
         c.call = [this, from, to, at](std::size_t place) {
           const std::size_t offset = place * at.stride * 4;
           detail::check(on.queue.enqueueCopyBuffer(from->buffer, to, offset, offset, at.n * 4), "copy");
         };
         return c;
       }});
  const result r = measure(*this, rows).front();
  if (!r.skip.empty()) throw error(failure::driver, "the copy speed could not be measured: " + r.skip);
  copy_bytes_per_s = r.bytes_per_s;
}

cuda_peers& laboratory::cuda() {
  if (!cuda_) cuda_ = std::make_unique<cuda_peers>(*this);
  return *cuda_;
}

}  // namespace clwave::tool::bench
