// Build logs, code objects and the driver's own answers.
#include "commands/kernel_figures.hpp"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstring>

#include <clwave/error.hpp>

#include "base/opencl.hpp"
#include "device/device_facts.hpp"
#include "program/kernel_prefix.hpp"
#include "shared/common.hpp"

namespace clwave::tool {
using namespace detail;
namespace {

// The number that stands before `word` in a line; nothing where the line has no such word.
std::optional<std::uint64_t> number_before(std::string_view line, std::string_view word) {
  const std::size_t at = line.find(word);
  if (at == std::string_view::npos) return std::nullopt;
  std::size_t end = at;
  while (end > 0 && line[end - 1] == ' ') --end;
  std::size_t begin = end;
  while (begin > 0 && line[begin - 1] >= '0' && line[begin - 1] <= '9') --begin;
  std::uint64_t value = 0;
  const auto [stop, failed] = std::from_chars(line.data() + begin, line.data() + end, value);
  if (failed != std::errc() || begin == end) return std::nullopt;
  return value;
}

// The metadata of an AMD code object: the description of its ELF note "AMDGPU" of type 32.
std::span<const unsigned char> amd_metadata(std::span<const unsigned char> binary) {
  constexpr unsigned char head[] = {7, 0, 0, 0};
  constexpr unsigned char name[] = {32, 0, 0, 0, 'A', 'M', 'D', 'G', 'P', 'U', 0, 0};
  for (std::size_t at = 0; at + 20 <= binary.size(); at += 4) {
    if (std::memcmp(binary.data() + at, head, sizeof head) != 0 ||
        std::memcmp(binary.data() + at + 8, name, sizeof name) != 0)
      continue;
    const unsigned char* size = binary.data() + at + 4;
    const std::uint64_t bytes = size[0] | size[1] << 8 | size[2] << 16 | std::uint64_t{size[3]} << 24;
    if (bytes <= binary.size() - at - 20) return binary.subspan(at + 20, bytes);
  }
  return {};
}

}  // namespace

void read_ptxas(std::string_view log, kernel_figures& into) {
  // "ptxas info : Function properties for NAME" (or "Compiling entry function 'NAME'"), then its lines.
  bool own = false;
  while (!log.empty()) {
    const std::size_t end = std::min(log.find('\n'), log.size());
    const std::string_view line = log.substr(0, end);
    log.remove_prefix(std::min(end + 1, log.size()));
    for (const std::string_view head : {"Function properties for ", "Compiling entry function "}) {
      const std::size_t at = line.find(head);
      if (at == std::string_view::npos) continue;
      std::string_view name = line.substr(at + head.size());
      if (name.starts_with('\'')) name = name.substr(1, name.find('\'', 1) - 1);
      own = name.substr(0, name.find_first_of(" \r")) == into.name;
    }
    if (!own) continue;
    if (const auto stores = number_before(line, "bytes spill stores"))
      into.spilled_bytes = *stores + number_before(line, "bytes spill loads").value_or(0);
    if (const auto used = number_before(line, "registers")) {
      into.registers = static_cast<unsigned>(*used);
      into.registers_from = "ptxas, by -cl-nv-verbose";
    }
  }
}

void read_amd_notes(std::span<const unsigned char> binary, kernel_figures& into) {
  // The parser descends once for each level of the notes, and its stack has an end: ours are a tenth of this.
  constexpr std::size_t most_bytes = 16 << 10;
  const std::span<const unsigned char> notes = amd_metadata(binary);
  if (notes.size() > most_bytes) return;
  const json all = json::from_msgpack(notes.begin(), notes.end(), false, false);  // "discarded" on an error
  if (!all.is_object() || !all.contains("amdhsa.kernels")) return;
  for (const json& kernel : all["amdhsa.kernels"]) {
    if (!kernel.is_object() || kernel.value(".name", json()) != into.name) continue;
    const json vector = kernel.value(".vgpr_count", json());
    const json spilled = kernel.value(".vgpr_spill_count", json());
    if (!vector.is_number_unsigned()) continue;
    into.registers = vector.get<unsigned>();
    into.registers_from = "the code object's .vgpr_count";
    if (spilled.is_number_unsigned()) into.spilled_bytes = 4 * spilled.get<std::uint64_t>();
  }
}

namespace {

template <class T>
std::optional<std::uint64_t> kernel_number(cl_kernel kernel, cl_device_id device,
                                           cl_kernel_work_group_info what) {
  T value = 0;
  if (clGetKernelWorkGroupInfo(kernel, device, what, sizeof value, &value, nullptr) != CL_SUCCESS)
    return std::nullopt;
  return static_cast<std::uint64_t>(value);
}

}  // namespace

std::vector<kernel_figures> build_and_ask(const device_facts& facts, const call_plan& plan) {
  const bool is_nvidia = family_of(facts) == device_family::nvidia;
  const bool is_amd = family_of(facts) == device_family::amd;
  const cl::Device device(facts.device, true);
  cl_int code = CL_SUCCESS;
  const cl_context_properties properties[] = {CL_CONTEXT_PLATFORM,
                                              reinterpret_cast<cl_context_properties>(facts.platform), 0};
  const cl::Context context(device, properties, nullptr, nullptr, &code);
  check(code, "make a context");
  std::string options = plan.options;
  std::string source = plan.source;
  if (is_nvidia) {
    options += " -cl-nv-verbose";
    // A program out of the driver's own cache comes without the compiler's lines: no two texts are the same.
    source += "\n// " + std::to_string(std::chrono::system_clock::now().time_since_epoch().count()) + "\n";
  }
  const cl::Program program(context, source, false, &code);
  check(code, "make a program");
  code = program.build(device, options.c_str());
  const std::string log = program.getBuildInfo<CL_PROGRAM_BUILD_LOG>(device);
  if (code != CL_SUCCESS)
    throw error(failure_of(code, doing::build), "the device's compiler refused the program", code,
                {.primitive = plan.primitive,
                 .device = facts.name.value_or("unknown"),
                 .options = options,
                 .log = log});
  std::vector<unsigned char> binary;
  if (is_amd) {
    const auto binaries = program.getInfo<CL_PROGRAM_BINARIES>();
    if (!binaries.empty()) binary.assign(binaries.front().begin(), binaries.front().end());
  }
  std::vector<kernel_figures> all;
  for (const planned_kernel& planned : plan.kernels) {
    if (std::ranges::any_of(all, [&](const kernel_figures& known) { return known.name == planned.name; }))
      continue;
    const std::string name = prefixed(planned.name);
    const cl::Kernel kernel(program, name.c_str(), &code);
    check(code, "make the kernel " + planned.name, doing::own_object);
    kernel_figures figures;
    figures.name = name;  // in the log and in the notes
    figures.group_limit = kernel_number<std::size_t>(kernel(), facts.device, CL_KERNEL_WORK_GROUP_SIZE);
    figures.local_bytes = kernel_number<cl_ulong>(kernel(), facts.device, CL_KERNEL_LOCAL_MEM_SIZE);
    figures.private_bytes = kernel_number<cl_ulong>(kernel(), facts.device, CL_KERNEL_PRIVATE_MEM_SIZE);
    figures.registers_from = "the driver does not say";
    if (is_nvidia) {
      figures.registers_from = "no line of ptxas in the build log";
      read_ptxas(log, figures);
    }
    if (is_amd) {
      figures.registers_from = "no note of AMD's in the program's binary";
      read_amd_notes(binary, figures);
    }
    figures.name = planned.name;
    all.push_back(std::move(figures));
  }
  return all;
}

}  // namespace clwave::tool
