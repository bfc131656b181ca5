// Builds programs, keeps them in memory, and lends out their kernels.
#include "program/program.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <condition_variable>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <fstream>
#include <limits>
#include <mutex>
#include <optional>
#include <system_error>
#include <unordered_map>

#include "base/disk_cache.hpp"
#include "base/environment.hpp"
#include "base/newer_opencl.hpp"
#include "base/opencl.hpp"
#include "base/user_files.hpp"
#include "device/device_facts.hpp"
#include "program/compiler_log.hpp"
#include "program/driver_builds.hpp"
#include "program/kernel_prefix.hpp"
#include "program/key.hpp"
#include "program/program_log.hpp"
#include "program/second_build.hpp"

namespace clwave::detail {

struct program::contents {
  // What is known of a kernel, and those of its objects that no call has.
  struct known_kernel {
    std::string name;
    std::vector<cl::Kernel> idle = {};
    std::optional<std::size_t> group_limit = {}, lanes = {};
  };

  cl::Program handle;
  std::mutex mutex;
  std::vector<known_kernel> kernels;  // a few

  // Under the lock.
  known_kernel* find(std::string_view name) {
    const auto found = std::ranges::find(kernels, name, &known_kernel::name);
    return found != kernels.end() ? &*found : nullptr;
  }
  known_kernel& get(std::string_view name) {
    known_kernel* const found = find(name);
    return found != nullptr ? *found : kernels.emplace_back(known_kernel{std::string(name)});
  }
};

program::program(cl_program built) : contents_(std::make_unique<contents>()) {
  contents_->handle = retained<cl::Program>(built);  // here: nothing is left where there is no memory for it
}

program::~program() = default;

program::loan::loan(program& owner, std::string_view name) : owner_(owner), name_(name) {
  {
    const std::lock_guard lock(owner.contents_->mutex);
    contents::known_kernel* const known = owner.contents_->find(name);
    if (known != nullptr && !known->idle.empty()) {
      kernel_ = known->idle.back()();
      known->idle.back()() = nullptr;  // its reference goes with the loan
      known->idle.pop_back();
      return;
    }
  }
  cl_int code = CL_SUCCESS;
  kernel_ = clCreateKernel(owner.contents_->handle(), prefixed(name).c_str(), &code);
  // The message is made only then: no memory for it would leave the kernel behind.
  if (code != CL_SUCCESS) check(code, "make the kernel " + std::string(name), doing::own_object);
}

program::loan::~loan() {
  cl::Kernel kernel(kernel_);
  try {
    const std::lock_guard lock(owner_.contents_->mutex);
    owner_.contents_->get(name_).idle.push_back(std::move(kernel));
  } catch (...) {  // no memory to keep it: the next call makes its own
  }
}

// Drivers may count what they reserve in every group (NVIDIA's 1 KiB) though it is not taken from what they
// offer.
constexpr std::uint64_t driver_local_bytes = 1024;

std::size_t program::group_limit(cl_device_id device, std::string_view kernel, unsigned group_size,
                                 std::uint64_t local_memory, bool groups_as_compiled) {
  {
    const std::lock_guard lock(contents_->mutex);
    const contents::known_kernel* const known = contents_->find(kernel);
    if (known != nullptr && known->group_limit) return *known->group_limit;
  }
  const loan asked(*this, kernel);
  std::size_t most = 0;
  cl_ulong local = 0;
  // A driver that has no answer leaves it to the launch.
  if (clGetKernelWorkGroupInfo(asked.get(), device, CL_KERNEL_WORK_GROUP_SIZE, sizeof most, &most, nullptr) !=
          CL_SUCCESS ||
      most == 0)
    most = std::numeric_limits<std::size_t>::max();
  std::array<std::size_t, 3> compiled{};
  if (groups_as_compiled && clGetKernelWorkGroupInfo(asked.get(), device, CL_KERNEL_COMPILE_WORK_GROUP_SIZE,
                                                     sizeof compiled, compiled.data(), nullptr) == CL_SUCCESS)
    most = std::max(most, compiled[0] * compiled[1] * compiled[2]);
  if (clGetKernelWorkGroupInfo(asked.get(), device, CL_KERNEL_LOCAL_MEM_SIZE, sizeof local, &local,
                               nullptr) == CL_SUCCESS &&
      local > local_memory + driver_local_bytes && group_size > 1)
    most = std::min<std::size_t>(most, group_size / 2);
  const std::lock_guard lock(contents_->mutex);
  return *(contents_->get(kernel).group_limit = most);
}

namespace {

// The driver's clGetKernelSubGroupInfo: of the core from 2.1 on, of the extension before. A null pointer:
// none.
sub_group_function sub_group_query(const device_facts& facts) {
  const std::string version = facts.device_version.value_or("");  // "OpenCL 3.0 ..."
  if (version >= "OpenCL 2.1") return loaders_sub_group_function();
  if (facts.extensions.value_or("").find("cl_khr_subgroups") == std::string::npos) return nullptr;
  return reinterpret_cast<sub_group_function>(
      clGetExtensionFunctionAddressForPlatform(facts.platform, "clGetKernelSubGroupInfoKHR"));
}

}  // namespace

std::size_t program::lanes_of(const device_facts& facts, std::string_view kernel, unsigned group_size) {
  {
    const std::lock_guard lock(contents_->mutex);
    const contents::known_kernel* const known = contents_->find(kernel);
    if (known != nullptr && known->lanes) return *known->lanes;
  }
  const loan asked(*this, kernel);
  const std::size_t group = group_size;
  std::size_t lanes = 0;
  const auto query = sub_group_query(facts);
  if (query == nullptr || query(asked.get(), facts.device, CL_KERNEL_MAX_SUB_GROUP_SIZE_FOR_NDRANGE,
                                sizeof group, &group, sizeof lanes, &lanes, nullptr) != CL_SUCCESS)
    lanes = 0;
  // The multiple is a driver's advice. It is believed where it was what a running kernel saw.
  if (lanes == 0 && facts.lanes_probed && facts.lanes_measured &&
      *facts.lanes_probed == *facts.lanes_measured &&
      clGetKernelWorkGroupInfo(asked.get(), facts.device, CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE,
                               sizeof lanes, &lanes, nullptr) != CL_SUCCESS)
    lanes = 0;
  const std::lock_guard lock(contents_->mutex);
  return *(contents_->get(kernel).lanes = lanes);
}

unsigned group_size_within(const target& on, unsigned wanted) {
  std::size_t most = std::max(wanted, on.choice.lanes);
  if (on.facts != nullptr) most = std::min(most, largest_group(*on.facts, most));
  if (on.group_limit != 0) most = std::min<std::size_t>(most, on.group_limit);
  // choose_profile takes no such row, and too_large allows no such limit.
  if (most < on.choice.lanes)
    throw error(failure::internal, "a set of " + std::to_string(on.choice.lanes) +
                                       " lanes was chosen where groups have at most " + std::to_string(most) +
                                       " work-items");
  return static_cast<unsigned>(std::bit_floor(most));
}

bool too_large(target& on, cl_device_id device, program& code, unsigned group_size,
               std::span<const std::string_view> kernels) {
  if (group_size == 1) return false;
  // Programs beyond the compiler have what their row says, if that is more than the driver speaks of.
  const std::uint64_t told = on.facts->local_memory.value_or(std::numeric_limits<std::uint64_t>::max() / 2);
  const std::uint64_t local = on.choice.beyond == beyond_state::usable
                                  ? std::max(told, on.choice.profile->beyond.local_memory)
                                  : told;
  std::size_t limit = group_size;
  std::string_view least;
  for (const std::string_view kernel : kernels) {
    if (kernel.empty()) continue;
    const std::size_t own = code.group_limit(device, kernel, group_size, local,
                                             on.choice.profile->groups_as_compiled && !on.choice.emulated);
    if (own < limit) least = kernel;
    limit = std::min(limit, own);
  }
  if (least.empty()) return false;
  // The next shape has to be smaller than this one.
  on.group_limit = static_cast<unsigned>(std::bit_floor(std::min<std::size_t>(limit, group_size - 1)));
  if (on.group_limit < on.choice.lanes)
    throw error(failure::driver,
                "the kernel " + std::string(least) + " takes groups of at most " + std::to_string(limit) +
                    " work-items here, and a set of lanes has " + std::to_string(on.choice.lanes),
                CL_INVALID_WORK_GROUP_SIZE,
                {.device = on.facts->name.value_or("unknown"),
                 .profile = std::string(on.choice.profile->name),
                 .advice = "try CLWAVE_PROFILE=subgroup-8 or another profile with fewer lanes"});
  return true;
}

void key_text::append_far(const void* bytes, std::size_t n) {
  if (far_.empty()) far_.assign(near_.data(), n_near_);
  far_.append(static_cast<const char*>(bytes), n);
}

namespace {

std::atomic<std::size_t> programs_built{0};
std::atomic<std::size_t> programs_from_disk{0};
std::atomic<bool> all_binaries{false};

std::string device_info_text(cl_device_id device, cl_device_info what) {
  std::size_t size = 0;
  if (clGetDeviceInfo(device, what, 0, nullptr, &size) != CL_SUCCESS) return "?";
  std::string text(size, '\0');
  if (clGetDeviceInfo(device, what, size, text.data(), nullptr) != CL_SUCCESS) return "?";
  return text.substr(0, text.find('\0'));
}

// Everything a binary depends on. The driver's version is in it: a driver may not take another's.
std::string disk_key(cl_device_id device, const target& on, const std::string& options,
                     const std::string& source) {
  const device_facts& facts = *on.facts;
  return "clwave program 1\n" + facts.platform_name.value_or("?") + "\n" +
         facts.platform_version.value_or("?") + "\n" + facts.name.value_or("?") + "\n" +
         facts.device_version.value_or("?") + "\n" + device_info_text(device, CL_DRIVER_VERSION) + "\n" +
         options + "\n" + source;
}

// Writes what a build was made of and gave into CLWAVE_DUMP_DIR. A dump that cannot be written is no
// reason to fail the call.
void dump(const program_spec& spec, const std::string& source, const std::string& options,
          const std::string& log, const std::vector<unsigned char>& binary, const char* which = "") {
  const char* directory = environment("CLWAVE_DUMP_DIR");
  if (directory == nullptr) return;
  std::error_code ignored;
  std::filesystem::create_directories(directory, ignored);
  const std::string name = std::string(directory) + "/" + spec.primitive + "-" +
                           hexadecimal(std::hash<std::string>{}(options + source)) + which;
  write_file(name + ".cl", bytes_of(source));
  write_file(name + ".options", bytes_of(options));
  write_file(name + ".log", bytes_of(log));
  write_file(name + ".bin", binary);
}

// Puts the program of the second build (second_build.hpp) in the place of that of the first: its binary and
// its log, too.
cl_int build_again(cl_context context, cl_device_id device, const target& on, const std::string& options,
                   cl::Program& handle, std::vector<unsigned char>& binary, std::string& log) {
  const std::string_view first(reinterpret_cast<const char*>(binary.data()), binary.size());
  const auto text = text_for_second_build(first, on.choice.profile->beyond);
  if (!text || second_builds_fail()) {
    log = "the first build's output names no such target";
    return CL_BUILD_PROGRAM_FAILURE;
  }
  binary.assign(text->begin(), text->end());
  cl_int code = CL_SUCCESS;
  handle = from_binary(context, device, binary, options, code);
  log = handle() != nullptr ? build_log(handle(), device) : "";
  return code;
}

std::shared_ptr<program> build(cl_context context, cl_device_id device, const target& on,
                               const program_spec& spec) {
  const std::string source = compose_source(spec);
  const std::string options = option_line(spec, on);
  const std::string key = disk_key(device, on, options, source);
  const bool dumping = environment("CLWAVE_DUMP_DIR") != nullptr;  // a dump wants the compiler's own log

  if (const auto binary = dumping ? std::nullopt : read_cached(key)) {
    cl_int code = CL_SUCCESS;
    if (const cl::Program handle = from_binary(context, device, *binary, options, code); code == CL_SUCCESS) {
      ++programs_from_disk;
      log_program(spec, on);
      return std::make_shared<program>(handle());
    }
  }

  const char* text = source.c_str();
  const std::size_t length = source.size();
  cl_int code = CL_SUCCESS;
  cl::Program handle(clCreateProgramWithSource(context, 1, &text, &length, &code));
  error_details details{
      .primitive = spec.primitive,
      .types = spec.types,
      .op = spec.op,
      .device = on.facts->name.value_or("unknown"),
      .profile = std::string(on.choice.profile->name) + (on.choice.emulated ? " (emulated)" : ""),
      .options = options};
  check(code, "make a program", details);
  code = clBuildProgram(handle(), 1, &device, options.c_str(), nullptr, nullptr);
  std::string log = name_lines(build_log(handle(), device), source);
  const bool keeps = caching() && (hands_out_binaries(*on.facts) || all_binaries);
  std::vector<unsigned char> binary = code == CL_SUCCESS && (dumping || keeps || spec.marked)
                                          ? binary_of(handle(), device)
                                          : std::vector<unsigned char>{};
  dump(spec, source, options, log, binary);
  if (code == CL_SUCCESS && spec.marked) {
    code = build_again(context, device, on, options, handle, binary, log);
    dump(spec, source, options, log, binary, "-second");
  }
  if (code != CL_SUCCESS) {
    details.log = log;
    const failure kind = failure_of(code, doing::build);
    if (kind != failure::build) throw error(kind, "could not build the program", code, std::move(details));
    if (spec.marked)
      throw second_build_error(kind, "the driver refused a program beyond its compiler", code,
                               std::move(details));
    if (auto refused = first_refusal(log, source, spec)) {
      details.place = std::move(refused->place);
      details.advice =
          "all of the compiler's lines are in details().log, and in CLWAVE_DUMP_DIR where that is set";
      throw error(kind, refused->message, code, std::move(details));
    }
    details.advice = "set CLWAVE_DUMP_DIR and report the dump";
    throw error(kind, "the device's compiler refused the program", code, std::move(details));
  }
  ++programs_built;
  log_program(spec, on);
  if (!binary.empty() && keeps) write_cached(key, binary);
  return std::make_shared<program>(handle());
}

}  // namespace

// One place in the cache: being built, or done, or failed.
struct slot {
  std::mutex mutex;
  std::condition_variable finished;
  std::atomic<bool> done{false};  // set under the lock, once the next two are
  std::shared_ptr<program> result;
  std::exception_ptr trouble;
  std::uint64_t last_used = 0;  // by the cache's clock and under its lock
};

// Found by a view of the key.
struct hash_of_key {
  using is_transparent = void;
  std::size_t operator()(std::string_view key) const { return std::hash<std::string_view>{}(key); }
};
using slots_by_key = std::unordered_map<std::string, std::shared_ptr<slot>, hash_of_key, std::equal_to<>>;

struct program_cache::contents {
  std::mutex mutex;
  slots_by_key slots;
  slots_by_key::value_type* last = nullptr;  // the one that the last call had: mostly the next has it too
  std::uint64_t clock = 0;

  // The programs that are built.
  std::vector<std::shared_ptr<program>> built() {
    const std::lock_guard lock(mutex);
    std::vector<std::shared_ptr<program>> all;
    for (const auto& [key, place] : slots) {
      const std::lock_guard own(place->mutex);
      if (place->result != nullptr) all.push_back(place->result);
    }
    return all;
  }
};

namespace {

// A handle's value in a key. Safe: the context keeps its devices, and rows live as long as the process.
void append_handle(key_text& key, const void* handle) { key.append(&handle, sizeof handle); }

}  // namespace

program_cache::program_cache(std::size_t most) : contents_(std::make_unique<contents>()), most_(most) {}
program_cache::~program_cache() = default;

std::shared_ptr<program> program_cache::get(cl_context context, cl_device_id device, const target& on,
                                            std::string_view key,
                                            const std::function<program_spec()>& make_spec) {
  key_text full;
  append_handle(full, device);
  append_key(full, built_for(on));
  const char* const folder = variables_of_calls().kernel_folder;
  append_key(full, std::string_view(folder != nullptr ? folder : ""));
  full.append(key.data(), key.size());

  std::shared_ptr<slot> mine;
  std::shared_ptr<slot> dropped;  // released after the lock
  bool builds = false;
  {
    auto& slots = contents_->slots;
    const std::lock_guard lock(contents_->mutex);
    if (contents_->last == nullptr || contents_->last->first != full.view()) {
      auto place = slots.find(full.view());
      if (place == slots.end()) {
        place = slots.emplace(full.view(), std::make_shared<slot>()).first;
        builds = true;
      }
      contents_->last = &*place;
    }
    mine = contents_->last->second;
    mine->last_used = ++contents_->clock;
    if (slots.size() > most_) {
      const auto oldest =
          std::ranges::min_element(slots, {}, [](const auto& each) { return each.second->last_used; });
      dropped = std::move(oldest->second);
      slots.erase(oldest);  // not the last: that was used now
    }
  }
  if (builds) {
    std::shared_ptr<program> result;
    std::exception_ptr trouble;
    try {
      result = build(context, device, on, make_spec());
    } catch (...) {
      trouble = std::current_exception();
      // The next call tries again: memory or a kernel folder may have come back.
      const std::lock_guard lock(contents_->mutex);
      const auto found = contents_->slots.find(full.view());
      if (found != contents_->slots.end() && found->second == mine) {
        contents_->last = nullptr;
        contents_->slots.erase(found);
      }
    }
    const std::lock_guard lock(mine->mutex);
    mine->result = result;
    mine->trouble = trouble;
    mine->done = true;
    mine->finished.notify_all();
  }
  if (!mine->done.load(std::memory_order_acquire)) {
    std::unique_lock lock(mine->mutex);
    mine->finished.wait(lock, [&] { return mine->done.load(); });
  }
  if (mine->trouble) std::rethrow_exception(mine->trouble);
  return mine->result;
}

program_cache::objects program_cache::count() const {
  objects all;
  for (const auto& each : contents_->built()) {
    ++all.programs;
    const std::lock_guard lock(each->contents_->mutex);
    for (const auto& kernel : each->contents_->kernels) all.kernels += kernel.idle.size();
  }
  return all;
}

cl::Kernel program_cache::another_kernel() const {
  for (const auto& each : contents_->built()) {
    const std::lock_guard lock(each->contents_->mutex);
    for (const auto& kernel : each->contents_->kernels) {
      cl_int code = CL_SUCCESS;
      cl::Kernel made(clCreateKernel(each->contents_->handle(), prefixed(kernel.name).c_str(), &code));
      if (code == CL_SUCCESS) return made;
    }
  }
  return {};
}

void program_cache::clear() {
  slots_by_key dropped;  // released after the lock
  const std::lock_guard lock(contents_->mutex);
  contents_->last = nullptr;
  dropped.swap(contents_->slots);
}

void keep_all_binaries(bool all) { all_binaries = all; }

program_counts count_programs() { return {programs_built, programs_from_disk}; }

}  // namespace clwave::detail
