// THE TABLE of compute units, the arithmetic on it, and what compilers and drivers say of built kernels.
#include "device/occupancy.hpp"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstring>

#include <clwave/error.hpp>

#include "base/opencl.hpp"

namespace clwave {
namespace {

constexpr device_family nvidia = device_family::nvidia;
constexpr device_family amd = device_family::amd;
constexpr std::uint64_t KiB = 1024;

// NVIDIA: the CUDA programming guide's table of compute capabilities and its occupancy calculator; registers
// are given to warps in steps of 256. AMD: LLVM's AMDGPUUsage; a group of several waves takes one of 16
// barriers. Most RDNA3 and 4 chips have half as many registers again; the smaller figure is used.
// (tests/offline/gpucode.py has the same for its proofs.)
constexpr unit_limits table[] = {
    {.family = nvidia,
     .first = 120,
     .last = 121,
     .sets = 12,
     .groups = 24,
     .local_bytes = 100 * KiB,
     .local_step = 128,
     .local_reserved = 1 * KiB},
    {.family = nvidia,
     .first = 100,
     .last = 103,
     .local_bytes = 228 * KiB,
     .local_step = 128,
     .local_reserved = 1 * KiB},
    {.family = nvidia,
     .first = 90,
     .last = 90,
     .local_bytes = 228 * KiB,
     .local_step = 128,
     .local_reserved = 1 * KiB},
    {.family = nvidia,
     .first = 89,
     .last = 89,
     .sets = 12,
     .groups = 24,
     .local_bytes = 100 * KiB,
     .local_step = 128,
     .local_reserved = 1 * KiB},
    {.family = nvidia,
     .first = 87,
     .last = 87,
     .sets = 12,
     .groups = 16,
     .local_bytes = 164 * KiB,
     .local_step = 128,
     .local_reserved = 1 * KiB},
    {.family = nvidia,
     .first = 86,
     .last = 86,
     .sets = 12,
     .groups = 16,
     .local_bytes = 100 * KiB,
     .local_step = 128,
     .local_reserved = 1 * KiB},
    {.family = nvidia,
     .first = 80,
     .last = 80,
     .local_bytes = 164 * KiB,
     .local_step = 128,
     .local_reserved = 1 * KiB},
    {.family = nvidia,
     .first = 75,
     .last = 75,
     .sets = 8,
     .groups = 16,
     .local_bytes = 64 * KiB,
     .local_step = 256},
    {.family = nvidia, .first = 70, .last = 72, .local_bytes = 96 * KiB, .local_step = 256},
    {.family = nvidia, .first = 62, .last = 62, .local_bytes = 64 * KiB, .local_step = 256},
    {.family = nvidia, .first = 61, .last = 61, .local_bytes = 96 * KiB, .local_step = 256},
    {.family = nvidia,
     .first = 60,
     .last = 60,
     .parts = 2,
     .registers = 1024,
     .sets = 32,
     .local_bytes = 64 * KiB,
     .local_step = 256},
    {.family = nvidia, .first = 53, .last = 53, .local_bytes = 64 * KiB, .local_step = 256},
    {.family = nvidia, .first = 52, .last = 52, .local_bytes = 96 * KiB, .local_step = 256},
    {.family = nvidia, .first = 50, .last = 50, .local_bytes = 64 * KiB, .local_step = 256},
    {.family = nvidia,
     .first = 37,
     .last = 37,
     .registers = 1024,
     .groups = 16,
     .local_bytes = 112 * KiB,
     .local_step = 256},
    {.family = nvidia, .first = 30, .last = 35, .groups = 16, .local_bytes = 48 * KiB, .local_step = 256},
    {.family = nvidia,
     .first = 20,
     .last = 21,
     .parts = 2,
     .register_step = 2,
     .sets = 24,
     .groups = 8,
     .local_bytes = 48 * KiB,
     .local_step = 128},
    {.family = amd,
     .first = 0x1100,
     .last = 0x1201,
     .lanes = 32,
     .parts = 2,
     .registers = 1024,
     .register_step = 16,
     .sets = 16,
     .groups = 16},
    {.family = amd,
     .first = 0x1100,
     .last = 0x1201,
     .lanes = 64,
     .parts = 2,
     .registers = 512,
     .register_step = 8,
     .sets = 16,
     .groups = 16},
    {.family = amd,
     .first = 0x1030,
     .last = 0x1036,
     .lanes = 32,
     .parts = 2,
     .registers = 1024,
     .register_step = 16,
     .sets = 16,
     .groups = 16},
    {.family = amd,
     .first = 0x1030,
     .last = 0x1036,
     .lanes = 64,
     .parts = 2,
     .registers = 512,
     .register_step = 8,
     .sets = 16,
     .groups = 16},
    {.family = amd,
     .first = 0x1010,
     .last = 0x1013,
     .lanes = 32,
     .parts = 2,
     .registers = 1024,
     .register_step = 8,
     .sets = 20,
     .groups = 16},
    {.family = amd,
     .first = 0x1010,
     .last = 0x1013,
     .lanes = 64,
     .parts = 2,
     .registers = 512,
     .register_step = 4,
     .sets = 20,
     .groups = 16},
    {.family = amd,
     .first = 0x950,
     .last = 0x950,
     .lanes = 64,
     .registers = 512,
     .register_step = 8,
     .sets = 8,
     .groups = 16,
     .local_bytes = 160 * KiB,
     .local_step = 1280},
    {.family = amd,
     .first = 0x940,
     .last = 0x942,
     .lanes = 64,
     .registers = 512,
     .register_step = 8,
     .sets = 8,
     .groups = 16},
    {.family = amd,
     .first = 0x90c,
     .last = 0x90c,
     .lanes = 64,
     .registers = 256,
     .register_step = 4,
     .sets = 10,
     .groups = 16},
    {.family = amd,
     .first = 0x90a,
     .last = 0x90a,
     .lanes = 64,
     .registers = 512,
     .register_step = 8,
     .sets = 8,
     .groups = 16},
    {.family = amd,
     .first = 0x700,
     .last = 0x909,
     .lanes = 64,
     .registers = 256,
     .register_step = 4,
     .sets = 10,
     .groups = 16},
    {.family = amd,
     .first = 0x600,
     .last = 0x602,
     .lanes = 64,
     .registers = 256,
     .register_step = 4,
     .sets = 10,
     .groups = 16,
     .local_step = 256},
};

std::uint64_t round_up(std::uint64_t x, std::uint64_t step) { return (x + step - 1) / step * step; }

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

// MessagePack, as far as AMD's notes need it: values are read from front to back, and nothing is believed
// that reaches past the end.
class packed_reader {
 public:
  explicit packed_reader(std::span<const unsigned char> bytes) : bytes_(bytes) {}

  enum class kind { other, number, text, list, map };
  struct value {
    kind what = kind::other;
    std::uint64_t number = 0;  // of elements in a list, of pairs in a map
    std::string_view text;
  };

  bool good() const { return good_; }

  // The next value's head; the elements of a list or map follow.
  value next() {
    const unsigned tag = byte();
    if (tag <= 0x7f) return {kind::number, tag, {}};
    if (tag <= 0x8f) return {kind::map, tag & 0xf, {}};
    if (tag <= 0x9f) return {kind::list, tag & 0xf, {}};
    if (tag <= 0xbf) return text_of(tag & 0x1f);
    switch (tag) {
      case 0xc0:
      case 0xc2:
      case 0xc3:
        return {};
      case 0xc4:
      case 0xc5:
      case 0xc6:
        skip_bytes(big(1u << (tag - 0xc4)));
        return {};
      case 0xca:
      case 0xcb:
        skip_bytes(tag == 0xca ? 4 : 8);
        return {};
      case 0xcc:
      case 0xcd:
      case 0xce:
      case 0xcf:
        return {kind::number, big(1u << (tag - 0xcc)), {}};
      case 0xd0:
      case 0xd1:
      case 0xd2:
      case 0xd3:
        skip_bytes(1u << (tag - 0xd0));
        return {};
      case 0xd9:
      case 0xda:
      case 0xdb:
        return text_of(big(1u << (tag - 0xd9)));
      case 0xdc:
      case 0xdd:
        return {kind::list, big(tag == 0xdc ? 2 : 4), {}};
      case 0xde:
      case 0xdf:
        return {kind::map, big(tag == 0xde ? 2 : 4), {}};
      default:
        break;
    }
    if (tag >= 0xe0) return {};  // a small negative number
    good_ = false;
    return {};
  }

  void skip(unsigned depth = 0) {
    const value head = next();
    const std::uint64_t inside = head.what == kind::list  ? head.number
                                 : head.what == kind::map ? 2 * head.number
                                                          : 0;
    if (depth > 16) good_ = false;
    for (std::uint64_t i = 0; good_ && i < inside; ++i) skip(depth + 1);
  }

 private:
  unsigned byte() {
    if (at_ >= bytes_.size()) good_ = false;
    return good_ ? bytes_[at_++] : 0xc0;
  }
  std::uint64_t big(unsigned n) {
    std::uint64_t number = 0;
    for (unsigned i = 0; i < n; ++i) number = number << 8 | byte();
    return good_ ? number : 0;
  }
  void skip_bytes(std::uint64_t n) {
    if (n > bytes_.size() - at_) good_ = false;
    if (good_) at_ += n;
  }
  value text_of(std::uint64_t n) {
    const std::size_t from = at_;
    skip_bytes(n);
    if (!good_) return {};
    return {
        kind::text, 0, {reinterpret_cast<const char*>(bytes_.data()) + from, static_cast<std::size_t>(n)}};
  }

  std::span<const unsigned char> bytes_;
  std::size_t at_ = 0;
  bool good_ = true;
};

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

std::span<const unit_limits> unit_table() { return table; }

const unit_limits* find_unit(device_family family, unsigned number, unsigned lanes) {
  const auto found = std::ranges::find_if(table, [&](const unit_limits& row) {
    return row.family == family && row.first <= number && number <= row.last && row.lanes == lanes;
  });
  return found == std::end(table) ? nullptr : &*found;
}

occupancy occupancy_of(const unit_limits& unit, const kernel_needs& needs) {
  occupancy result;
  const unsigned sets_of_group = std::max(1u, (needs.group_size + unit.lanes - 1) / unit.lanes);
  result.most_sets = unit.parts * unit.sets;
  // A group of one set needs no barrier on AMD's.
  result.most_groups =
      unit.family == device_family::amd && sets_of_group == 1 ? result.most_sets : unit.groups;
  result.groups = result.most_sets / sets_of_group;
  result.limited_by = "lane sets per unit";
  const auto limit = [&](std::uint64_t groups, const char* what) {
    if (groups >= result.groups) return;
    result.groups = static_cast<unsigned>(groups);
    result.limited_by = what;
  };
  if (needs.registers && *needs.registers > 0) {
    const auto own = static_cast<unsigned>(round_up(*needs.registers, unit.register_step));
    limit(unit.parts * (unit.registers / own) / sets_of_group, "registers");
  }
  if (needs.local_bytes + unit.local_reserved > 0)
    limit(unit.local_bytes / round_up(needs.local_bytes + unit.local_reserved, unit.local_step),
          "local memory");
  limit(result.most_groups, "groups per unit");
  if (needs.groups > 0 && needs.compute_units > 0)
    limit((needs.groups + needs.compute_units - 1) / needs.compute_units, "launch size");
  result.sets = result.groups * sets_of_group;
  return result;
}

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
  using kind = packed_reader::kind;
  packed_reader notes(amd_metadata(binary));
  const packed_reader::value all = notes.next();
  for (std::uint64_t i = 0; notes.good() && all.what == kind::map && i < all.number; ++i) {
    if (notes.next().text != "amdhsa.kernels") {
      notes.skip();
      continue;
    }
    const packed_reader::value kernels = notes.next();
    for (std::uint64_t k = 0; notes.good() && kernels.what == kind::list && k < kernels.number; ++k) {
      const packed_reader::value fields = notes.next();
      std::string_view name;
      std::optional<std::uint64_t> vector, spilled;
      for (std::uint64_t f = 0; notes.good() && fields.what == kind::map && f < fields.number; ++f) {
        const std::string_view field = notes.next().text;
        if (field == ".name")
          name = notes.next().text;
        else if (field == ".vgpr_count")
          vector = notes.next().number;
        else if (field == ".vgpr_spill_count")
          spilled = 4 * notes.next().number;
        else
          notes.skip();
      }
      if (!notes.good() || name != into.name || !vector) continue;
      into.registers = static_cast<unsigned>(*vector);
      into.registers_from = "the code object's .vgpr_count";
      if (spilled) into.spilled_bytes = spilled;
    }
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
  const bool is_nvidia = facts.family.value_or(device_family::generic) == nvidia;
  const bool is_amd = facts.family.value_or(device_family::generic) == amd;
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
    const cl::Kernel kernel(program, planned.name.c_str(), &code);
    check(code, "make the kernel " + planned.name, doing::own_object);
    kernel_figures figures;
    figures.name = planned.name;
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
    all.push_back(std::move(figures));
  }
  return all;
}

}  // namespace clwave
