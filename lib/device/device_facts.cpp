// What the driver says of a device: the only file that names vendor queries.
#include "device/device_facts.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstring>
#include <span>

#include <clwave/error.hpp>

#include "device/architecture.hpp"

namespace clwave::detail {
namespace {

// Vendor constants stand here because OpenCL's headers of different ages have different ones.
constexpr cl_device_info CL_DEVICE_COMPUTE_CAPABILITY_MAJOR_NV = 0x4000;
constexpr cl_device_info CL_DEVICE_COMPUTE_CAPABILITY_MINOR_NV = 0x4001;
constexpr cl_device_info CL_DEVICE_REGISTERS_PER_BLOCK_NV = 0x4002;
constexpr cl_device_info CL_DEVICE_WARP_SIZE_NV = 0x4003;
constexpr cl_device_info CL_DEVICE_GPU_OVERLAP_NV = 0x4004;
constexpr cl_device_info CL_DEVICE_KERNEL_EXEC_TIMEOUT_NV = 0x4005;
constexpr cl_device_info CL_DEVICE_INTEGRATED_MEMORY_NV = 0x4006;
constexpr cl_device_info CL_DEVICE_ATTRIBUTE_ASYNC_ENGINE_COUNT_NV = 0x4007;
constexpr cl_device_info CL_DEVICE_PCI_BUS_ID_NV = 0x4008;
constexpr cl_device_info CL_DEVICE_PCI_SLOT_ID_NV = 0x4009;
constexpr cl_device_info CL_DEVICE_PCI_DOMAIN_ID_NV = 0x400A;
constexpr cl_device_info CL_DEVICE_PREFERRED_WORK_GROUP_SIZE_AMD = 0x4030;
constexpr cl_device_info CL_DEVICE_MAX_WORK_GROUP_SIZE_AMD = 0x4031;
constexpr cl_device_info CL_DEVICE_PREFERRED_CONSTANT_BUFFER_SIZE_AMD = 0x4033;
constexpr cl_device_info CL_DEVICE_PCIE_ID_AMD = 0x4034;
constexpr cl_device_info CL_DEVICE_PROFILING_TIMER_OFFSET_AMD = 0x4036;
constexpr cl_device_info CL_DEVICE_TOPOLOGY_AMD = 0x4037;
constexpr cl_device_info CL_DEVICE_BOARD_NAME_AMD = 0x4038;
constexpr cl_device_info CL_DEVICE_GLOBAL_FREE_MEMORY_AMD = 0x4039;
constexpr cl_device_info CL_DEVICE_SIMD_PER_COMPUTE_UNIT_AMD = 0x4040;
constexpr cl_device_info CL_DEVICE_SIMD_WIDTH_AMD = 0x4041;
constexpr cl_device_info CL_DEVICE_SIMD_INSTRUCTION_WIDTH_AMD = 0x4042;
constexpr cl_device_info CL_DEVICE_WAVEFRONT_WIDTH_AMD = 0x4043;
constexpr cl_device_info CL_DEVICE_GLOBAL_MEM_CHANNELS_AMD = 0x4044;
constexpr cl_device_info CL_DEVICE_GLOBAL_MEM_CHANNEL_BANKS_AMD = 0x4045;
constexpr cl_device_info CL_DEVICE_GLOBAL_MEM_CHANNEL_BANK_WIDTH_AMD = 0x4046;
constexpr cl_device_info CL_DEVICE_LOCAL_MEM_SIZE_PER_COMPUTE_UNIT_AMD = 0x4047;
constexpr cl_device_info CL_DEVICE_LOCAL_MEM_BANKS_AMD = 0x4048;
constexpr cl_device_info CL_DEVICE_GFXIP_MAJOR_AMD = 0x404A;
constexpr cl_device_info CL_DEVICE_GFXIP_MINOR_AMD = 0x404B;
constexpr cl_device_info CL_DEVICE_AVAILABLE_ASYNC_QUEUES_AMD = 0x404C;
constexpr cl_device_info CL_DEVICE_COMPUTE_UNITS_BITFIELD_ARM = 0x40BF;
constexpr cl_device_info CL_DEVICE_MAX_WARP_COUNT_ARM = 0x41EA;
constexpr cl_device_info CL_DEVICE_SUB_GROUP_SIZES_INTEL = 0x4108;
constexpr cl_device_info CL_DEVICE_PCI_BUS_INFO_KHR = 0x410F;
constexpr cl_device_info CL_DEVICE_IP_VERSION_INTEL = 0x4250;
constexpr cl_device_info CL_DEVICE_ID_INTEL = 0x4251;
constexpr cl_device_info CL_DEVICE_NUM_SLICES_INTEL = 0x4252;
constexpr cl_device_info CL_DEVICE_NUM_SUB_SLICES_PER_SLICE_INTEL = 0x4253;
constexpr cl_device_info CL_DEVICE_NUM_EUS_PER_SUB_SLICE_INTEL = 0x4254;
constexpr cl_device_info CL_DEVICE_NUM_THREADS_PER_EU_INTEL = 0x4255;
constexpr cl_device_info CL_DEVICE_FEATURE_CAPABILITIES_INTEL = 0x4256;

// A constant with its name, so that a fact's source is spelled as the code spells it.
struct query {
  cl_device_info number;
  const char* name;
};
#define QUERY(constant) (query{constant, #constant})

std::string describe(query q) {
  char number[16] = {};
  std::snprintf(number, sizeof number, " (0x%04X)", static_cast<unsigned>(q.number));
  return q.name + std::string(number);
}

template <class T>
fact<T> known(T value, provenance from, std::string source) {
  return {std::move(value), from, std::move(source)};
}

template <class T>
fact<T> not_known(std::string reason) {
  return {std::nullopt, provenance::unknown, std::move(reason)};
}

// Bytes as the driver wrote them; a driver may answer 4 or 8 for the same number.
std::optional<std::uint64_t> integer_of(std::span<const unsigned char> bytes) {
  std::uint32_t narrow = 0;
  std::uint64_t wide = 0;
  if (bytes.size() == sizeof narrow) {
    std::memcpy(&narrow, bytes.data(), sizeof narrow);
    return narrow;
  }
  if (bytes.size() == sizeof wide) {
    std::memcpy(&wide, bytes.data(), sizeof wide);
    return wide;
  }
  return std::nullopt;
}

// Asks one device. Every answer is a fact; a refusal is an unknown with the driver's code.
class driver {
 public:
  explicit driver(cl_device_id device) : device_(device) {}

  fact<std::vector<unsigned char>> bytes(query q) const {
    std::size_t size = 0;
    cl_int code = clGetDeviceInfo(device_, q.number, 0, nullptr, &size);
    std::vector<unsigned char> answer(size);
    if (code == CL_SUCCESS && size > 0) {
      code = clGetDeviceInfo(device_, q.number, size, answer.data(), nullptr);
    }
    if (code != CL_SUCCESS) {
      return not_known<std::vector<unsigned char>>(describe(q) + ": " + name_of_code(code));
    }
    return known(std::move(answer), provenance::query, describe(q));
  }

  template <class T>
  fact<T> number(query q) const {
    const auto answer = bytes(q);
    if (!answer) return not_known<T>(answer.source);
    const auto value = integer_of(*answer);
    if (!value)
      return not_known<T>(answer.source + ": an answer of " + std::to_string(answer->size()) + " bytes");
    return known(static_cast<T>(*value), provenance::query, answer.source);
  }

  fact<std::string> text(query q) const {
    const auto answer = bytes(q);
    if (!answer) return not_known<std::string>(answer.source);
    std::string value(answer->begin(), std::find(answer->begin(), answer->end(), '\0'));
    // Drivers pad names with blanks.
    value.erase(0, value.find_first_not_of(' '));
    value.erase(value.find_last_not_of(' ') + 1);
    return known(std::move(value), provenance::query, answer.source);
  }

  fact<bool> all_bits(query q, std::uint64_t mask) const {
    const auto answer = number<std::uint64_t>(q);
    if (!answer) return not_known<bool>(answer.source);
    return known((*answer & mask) == mask, provenance::query, answer.source);
  }

  fact<bool> flag(query q) const {
    const auto answer = number<std::uint64_t>(q);
    if (!answer) return not_known<bool>(answer.source);
    return known(*answer != 0, provenance::query, answer.source);
  }

  template <class T>
  fact<std::vector<T>> list(query q) const {
    const auto answer = bytes(q);
    if (!answer) return not_known<std::vector<T>>(answer.source);
    std::vector<T> values(answer->size() / sizeof(T));
    if (!values.empty()) std::memcpy(values.data(), answer->data(), values.size() * sizeof(T));
    return known(std::move(values), provenance::query, answer.source);
  }

 private:
  cl_device_id device_;
};

fact<std::string> platform_text(cl_platform_id platform, query q) {
  std::size_t size = 0;
  cl_int code = clGetPlatformInfo(platform, q.number, 0, nullptr, &size);
  std::string value(size, '\0');
  if (code == CL_SUCCESS && size > 0) {
    code = clGetPlatformInfo(platform, q.number, size, value.data(), nullptr);
  }
  if (code != CL_SUCCESS) return not_known<std::string>(describe(q) + ": " + name_of_code(code));
  value.resize(std::strlen(value.c_str()));
  return known(std::move(value), provenance::query, describe(q));
}

fact<bool> extension_fact(const device_facts& facts, std::string_view extension) {
  if (!facts.extensions) return not_known<bool>(facts.extensions.source);
  return known(has_extension(facts, extension), provenance::query, std::string(extension));
}

// 300 for "OpenCL 3.0 ..." and "OpenCL C 3.0 ..."; 0 where there is no number.
unsigned version_of(const std::string& text) {
  const std::size_t at = text.find_first_of("0123456789");
  if (at == std::string::npos || at + 2 >= text.size() || text[at + 1] != '.') return 0;
  return 100 * static_cast<unsigned>(text[at] - '0') + 10 * static_cast<unsigned>(text[at + 2] - '0');
}

fact<device_family> family_of(const device_facts& facts) {
  const auto decide = [](device_family family, std::string why) {
    return known(family, provenance::query, std::move(why));
  };
  if (!facts.type) return not_known<device_family>(facts.type.source);
  // First: a CPU runtime may announce any vendor, and none of their GPU extensions means a GPU there.
  if (*facts.type & CL_DEVICE_TYPE_CPU) return decide(device_family::cpu, "CL_DEVICE_TYPE_CPU");
  for (const auto& [extension, family] :
       {std::pair{"cl_nv_device_attribute_query", device_family::nvidia},
        std::pair{"cl_amd_device_attribute_query", device_family::amd},
        std::pair{"cl_intel_device_attribute_query", device_family::intel}}) {
    if (has_extension(facts, extension)) return decide(family, extension);
  }
  // Mesa has none of the three; its names tell. Plain "AMD" and "Intel" only in the vendor's name.
  const std::string name = to_lower(facts.name.value_or(""));
  const std::string vendor = to_lower(facts.vendor.value_or(""));
  const auto name_has = [&](std::string_view word) { return name.find(word) != std::string::npos; };
  if (name_has("radeonsi") || name_has("radeon") || parse_amd_gfx(name) || vendor.starts_with("amd") ||
      vendor.starts_with("advanced micro devices")) {
    return decide(device_family::amd, "CL_DEVICE_NAME, CL_DEVICE_VENDOR");
  }
  if (name_has("nvidia") || vendor.starts_with("nvidia")) {
    return decide(device_family::nvidia, "CL_DEVICE_NAME, CL_DEVICE_VENDOR");
  }
  if (name_has("intel") || vendor.starts_with("intel")) {
    return decide(device_family::intel, "CL_DEVICE_NAME, CL_DEVICE_VENDOR");
  }
  return decide(device_family::generic, "no extension or name of a vendor with rows of its own");
}

void ask_names(const driver& ask, device_facts& facts) {
  facts.name = ask.text(QUERY(CL_DEVICE_NAME));
  facts.vendor = ask.text(QUERY(CL_DEVICE_VENDOR));
  facts.driver_version = ask.text(QUERY(CL_DRIVER_VERSION));
  facts.device_version = ask.text(QUERY(CL_DEVICE_VERSION));
  facts.opencl_c_version = ask.text(QUERY(CL_DEVICE_OPENCL_C_VERSION));
  facts.extensions = ask.text(QUERY(CL_DEVICE_EXTENSIONS));
  facts.type = ask.number<cl_device_type>(QUERY(CL_DEVICE_TYPE));
  facts.family = family_of(facts);

  // A 3.0 device may compile 3.0 and still answer "OpenCL C 1.2" to the old question.
  facts.opencl_c_newest = not_known<unsigned>(facts.opencl_c_version.source);
  if (const auto all = ask.list<cl_name_version>(QUERY(CL_DEVICE_OPENCL_C_ALL_VERSIONS));
      all && !all->empty()) {
    unsigned newest = 0;
    for (const cl_name_version& each : *all) {
      newest = std::max(newest, 100 * CL_VERSION_MAJOR(each.version) + 10 * CL_VERSION_MINOR(each.version));
    }
    facts.opencl_c_newest = known(newest, provenance::query, all.source);
  } else if (facts.opencl_c_version) {
    facts.opencl_c_newest =
        known(version_of(*facts.opencl_c_version), provenance::query, facts.opencl_c_version.source);
  }
}

void ask_sizes(const driver& ask, device_facts& facts) {
  facts.compute_units = ask.number<unsigned>(QUERY(CL_DEVICE_MAX_COMPUTE_UNITS));
  facts.clock_mhz = ask.number<unsigned>(QUERY(CL_DEVICE_MAX_CLOCK_FREQUENCY));
  facts.max_work_group_size = ask.number<std::size_t>(QUERY(CL_DEVICE_MAX_WORK_GROUP_SIZE));
  facts.max_work_item_sizes = ask.list<std::size_t>(QUERY(CL_DEVICE_MAX_WORK_ITEM_SIZES));
  facts.global_memory = ask.number<std::uint64_t>(QUERY(CL_DEVICE_GLOBAL_MEM_SIZE));
  facts.max_allocation = ask.number<std::uint64_t>(QUERY(CL_DEVICE_MAX_MEM_ALLOC_SIZE));
  facts.local_memory = ask.number<std::uint64_t>(QUERY(CL_DEVICE_LOCAL_MEM_SIZE));
  facts.global_cache = ask.number<std::uint64_t>(QUERY(CL_DEVICE_GLOBAL_MEM_CACHE_SIZE));
  facts.constant_buffer = ask.number<std::uint64_t>(QUERY(CL_DEVICE_MAX_CONSTANT_BUFFER_SIZE));
  if (const auto type = ask.number<cl_uint>(QUERY(CL_DEVICE_LOCAL_MEM_TYPE))) {
    facts.local_memory_is_dedicated = known(*type == CL_LOCAL, provenance::query, type.source);
  } else {
    facts.local_memory_is_dedicated = not_known<bool>(type.source);
  }
  facts.cache_line = ask.number<unsigned>(QUERY(CL_DEVICE_GLOBAL_MEM_CACHELINE_SIZE));
  facts.base_address_align = ask.number<unsigned>(QUERY(CL_DEVICE_MEM_BASE_ADDR_ALIGN));
  if (facts.base_address_align) *facts.base_address_align.value /= 8;
  facts.preferred_vector_width_char = ask.number<unsigned>(QUERY(CL_DEVICE_PREFERRED_VECTOR_WIDTH_CHAR));
  facts.preferred_vector_width_float = ask.number<unsigned>(QUERY(CL_DEVICE_PREFERRED_VECTOR_WIDTH_FLOAT));
  facts.native_vector_width_float = ask.number<unsigned>(QUERY(CL_DEVICE_NATIVE_VECTOR_WIDTH_FLOAT));
  facts.native_vector_width_double = ask.number<unsigned>(QUERY(CL_DEVICE_NATIVE_VECTOR_WIDTH_DOUBLE));
  facts.profiling_resolution_ns = ask.number<unsigned>(QUERY(CL_DEVICE_PROFILING_TIMER_RESOLUTION));
  facts.host_unified_memory = ask.flag(QUERY(CL_DEVICE_HOST_UNIFIED_MEMORY));
  facts.compiler_available = ask.flag(QUERY(CL_DEVICE_COMPILER_AVAILABLE));
  facts.images = ask.flag(QUERY(CL_DEVICE_IMAGE_SUPPORT));
  facts.out_of_order_queue =
      ask.all_bits(QUERY(CL_DEVICE_QUEUE_ON_HOST_PROPERTIES), CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
  facts.shared_virtual_memory =
      ask.all_bits(QUERY(CL_DEVICE_SVM_CAPABILITIES), CL_DEVICE_SVM_COARSE_GRAIN_BUFFER);
}

void ask_arithmetic(const driver& ask, device_facts& facts) {
  facts.f32_denormals = ask.all_bits(QUERY(CL_DEVICE_SINGLE_FP_CONFIG), CL_FP_DENORM);
  facts.correctly_rounded_divide_sqrt =
      ask.all_bits(QUERY(CL_DEVICE_SINGLE_FP_CONFIG), CL_FP_CORRECTLY_ROUNDED_DIVIDE_SQRT);
  facts.f64_denormals = ask.all_bits(QUERY(CL_DEVICE_DOUBLE_FP_CONFIG), CL_FP_DENORM);
  facts.fp64 = ask.flag(QUERY(CL_DEVICE_DOUBLE_FP_CONFIG));
  if (!facts.fp64) facts.fp64 = extension_fact(facts, "cl_khr_fp64");
  facts.fp16 = extension_fact(facts, "cl_khr_fp16");
  facts.int64_atomics = extension_fact(facts, "cl_khr_int64_base_atomics");
}

// Acquire-release atomics that reach the whole device: what one launch of a reduction needs.
fact<bool> ask_device_scope_atomics(const driver& ask, const device_facts& facts) {
  if (!facts.device_version) return not_known<bool>(facts.device_version.source);
  const unsigned version = version_of(*facts.device_version);
  const std::string said = "CL_DEVICE_VERSION (0x102F): ";
  if (version < 200) return known(false, provenance::query, said + "OpenCL 1 has none");
  if (version < 300) return known(true, provenance::query, said + "OpenCL 2 requires them");
  auto capable = ask.all_bits(QUERY(CL_DEVICE_ATOMIC_MEMORY_CAPABILITIES),
                              CL_DEVICE_ATOMIC_ORDER_ACQ_REL | CL_DEVICE_ATOMIC_SCOPE_DEVICE);
  // The compiler's word counts too: the kernels use these atomics only if it defines both features.
  const auto features = ask.list<cl_name_version>(QUERY(CL_DEVICE_OPENCL_C_FEATURES));
  if (capable.value_or(false) && features) {
    const auto has = [&](std::string_view feature) {
      return std::any_of(features->begin(), features->end(),
                         [&](const cl_name_version& each) { return feature == each.name; });
    };
    capable.value = has("__opencl_c_atomic_order_acq_rel") && has("__opencl_c_atomic_scope_device");
    capable.source += " and " + features.source;
  }
  return capable;
}

void ask_sub_groups(const driver& ask, device_facts& facts) {
  const unsigned version = version_of(facts.device_version.value_or(""));
  if (has_extension(facts, "cl_khr_subgroups") || has_extension(facts, "cl_intel_subgroups")) {
    facts.sub_groups = known(true, provenance::query, "cl_khr_subgroups or cl_intel_subgroups");
  } else if (version >= 210) {
    facts.sub_groups = ask.flag(QUERY(CL_DEVICE_MAX_NUM_SUB_GROUPS));
  } else if (facts.extensions) {
    facts.sub_groups = known(false, provenance::query, facts.extensions.source);
  }
  facts.sub_group_shuffle_relative = known(false, provenance::query, facts.extensions.source);
  facts.sub_group_shuffle_extension = not_known<std::string>("neither extension is reported");
  for (const char* extension : {"cl_khr_subgroup_shuffle_relative", "cl_intel_subgroups"}) {
    if (!has_extension(facts, extension)) continue;
    facts.sub_group_shuffle_relative = known(true, provenance::query, extension);
    facts.sub_group_shuffle_extension =
        known<std::string>(extension, provenance::query, facts.extensions.source);
    break;
  }
  facts.sub_group_size_selectable = extension_fact(facts, "cl_intel_required_subgroup_size");
  facts.sub_group_sizes = facts.sub_group_size_selectable.value_or(false)
                              ? ask.list<std::size_t>(QUERY(CL_DEVICE_SUB_GROUP_SIZES_INTEL))
                              : not_known<std::vector<std::size_t>>("no cl_intel_required_subgroup_size");
}

std::string pci_text(unsigned domain, unsigned bus, unsigned device, unsigned function) {
  char text[32] = {};
  std::snprintf(text, sizeof text, "%04x:%02x:%02x.%x", domain, bus, device, function);
  return text;
}

fact<std::string> ask_pci(const driver& ask, const device_facts& facts) {
  if (has_extension(facts, "cl_khr_pci_bus_info")) {
    if (const auto place = ask.list<cl_uint>(QUERY(CL_DEVICE_PCI_BUS_INFO_KHR));
        place && place->size() == 4) {
      const auto& p = *place;
      return known(pci_text(p[0], p[1], p[2], p[3]), provenance::query, place.source);
    }
  }
  if (has_extension(facts, "cl_nv_device_attribute_query")) {
    const auto bus = ask.number<unsigned>(QUERY(CL_DEVICE_PCI_BUS_ID_NV));
    const auto slot = ask.number<unsigned>(QUERY(CL_DEVICE_PCI_SLOT_ID_NV));
    const auto domain = ask.number<unsigned>(QUERY(CL_DEVICE_PCI_DOMAIN_ID_NV));
    if (!bus || !slot) return not_known<std::string>(bus ? slot.source : bus.source);
    return known(pci_text(domain.value_or(0), *bus, *slot >> 3, *slot & 7), provenance::query,
                 bus.source + ", " + slot.source);
  }
  if (has_extension(facts, "cl_amd_device_attribute_query")) {
    // A 24-byte structure whose first word says PCIe (1) and whose last three bytes are the place.
    const auto place = ask.bytes(QUERY(CL_DEVICE_TOPOLOGY_AMD));
    if (!place) return not_known<std::string>(place.source);
    if (place->size() == 24 && integer_of(std::span(*place).first(4)) == 1u) {
      const auto& p = *place;
      return known(pci_text(0, p[21], p[22], p[23]), provenance::query, place.source);
    }
    return not_known<std::string>(place.source + ": not a PCIe place");
  }
  return not_known<std::string>("no extension that tells it is reported");
}

// A fact of one vendor that no code reads; unknown ones are left out of the list.
void add_extra(device_facts& facts, std::string name, const fact<std::uint64_t>& value,
               std::string unit = "") {
  if (value) {
    facts.extra.push_back(
        {std::move(name), std::to_string(*value), std::move(unit), value.from, value.source});
  }
}

void ask_nvidia(const driver& ask, device_facts& facts) {
  const auto major = ask.number<unsigned>(QUERY(CL_DEVICE_COMPUTE_CAPABILITY_MAJOR_NV));
  const auto minor = ask.number<unsigned>(QUERY(CL_DEVICE_COMPUTE_CAPABILITY_MINOR_NV));
  if (major && minor) {
    facts.cuda_sm = known(10 * *major + *minor, provenance::query, major.source + ", " + minor.source);
  } else {
    facts.cuda_sm = not_known<unsigned>(major ? minor.source : major.source);
  }
  facts.warp_size = ask.number<unsigned>(QUERY(CL_DEVICE_WARP_SIZE_NV));
  facts.registers_per_block = ask.number<unsigned>(QUERY(CL_DEVICE_REGISTERS_PER_BLOCK_NV));
  add_extra(facts, "copy overlaps kernels", ask.number<std::uint64_t>(QUERY(CL_DEVICE_GPU_OVERLAP_NV)));
  add_extra(facts, "kernel timeout", ask.number<std::uint64_t>(QUERY(CL_DEVICE_KERNEL_EXEC_TIMEOUT_NV)));
  add_extra(facts, "integrated memory", ask.number<std::uint64_t>(QUERY(CL_DEVICE_INTEGRATED_MEMORY_NV)));
  add_extra(facts, "copy engines",
            ask.number<std::uint64_t>(QUERY(CL_DEVICE_ATTRIBUTE_ASYNC_ENGINE_COUNT_NV)));
}

void ask_amd(const driver& ask, device_facts& facts) {
  facts.warp_size = ask.number<unsigned>(QUERY(CL_DEVICE_WAVEFRONT_WIDTH_AMD));
  facts.simd_per_compute_unit = ask.number<unsigned>(QUERY(CL_DEVICE_SIMD_PER_COMPUTE_UNIT_AMD));
  facts.simd_width = ask.number<unsigned>(QUERY(CL_DEVICE_SIMD_WIDTH_AMD));
  facts.memory_channels = ask.number<unsigned>(QUERY(CL_DEVICE_GLOBAL_MEM_CHANNELS_AMD));
  facts.board_name = ask.text(QUERY(CL_DEVICE_BOARD_NAME_AMD));
  if (!facts.amd_gfx) {
    const auto major = ask.number<unsigned>(QUERY(CL_DEVICE_GFXIP_MAJOR_AMD));
    const auto minor = ask.number<unsigned>(QUERY(CL_DEVICE_GFXIP_MINOR_AMD));
    if (major && minor && *major >= 6 && *major < 100 && *minor < 16) {
      // The name writes the major version in decimal and we read the whole as hex: 10 becomes 0x10.
      const unsigned written = *major / 10 * 16 + *major % 10;
      facts.amd_gfx = known(written << 8 | *minor << 4, provenance::query,
                            major.source + ", " + minor.source + "; the stepping is not reported");
    }
  }

  const auto extra = [&](std::string name, query q, std::string unit = "") {
    add_extra(facts, std::move(name), ask.number<std::uint64_t>(q), std::move(unit));
  };
  extra("preferred work-group size", QUERY(CL_DEVICE_PREFERRED_WORK_GROUP_SIZE_AMD), "work-items");
  extra("maximum work-group size (AMD)", QUERY(CL_DEVICE_MAX_WORK_GROUP_SIZE_AMD), "work-items");
  extra("preferred constant buffer", QUERY(CL_DEVICE_PREFERRED_CONSTANT_BUFFER_SIZE_AMD), "bytes");
  extra("PCIe device id", QUERY(CL_DEVICE_PCIE_ID_AMD));
  extra("profiling timer offset", QUERY(CL_DEVICE_PROFILING_TIMER_OFFSET_AMD), "ns");
  extra("SIMD instruction width", QUERY(CL_DEVICE_SIMD_INSTRUCTION_WIDTH_AMD));
  extra("memory channel banks", QUERY(CL_DEVICE_GLOBAL_MEM_CHANNEL_BANKS_AMD));
  extra("memory channel bank width", QUERY(CL_DEVICE_GLOBAL_MEM_CHANNEL_BANK_WIDTH_AMD), "bytes");
  extra("local memory per compute unit", QUERY(CL_DEVICE_LOCAL_MEM_SIZE_PER_COMPUTE_UNIT_AMD), "bytes");
  extra("local memory banks", QUERY(CL_DEVICE_LOCAL_MEM_BANKS_AMD));
  extra("asynchronous queues", QUERY(CL_DEVICE_AVAILABLE_ASYNC_QUEUES_AMD));
  if (const auto free = ask.list<std::size_t>(QUERY(CL_DEVICE_GLOBAL_FREE_MEMORY_AMD));
      free && !free->empty()) {
    facts.extra.push_back(
        {"free memory when asked", std::to_string(free->front()), "KiB", free.from, free.source});
    if (free->size() > 1) {
      facts.extra.push_back(
          {"largest free block when asked", std::to_string((*free)[1]), "KiB", free.from, free.source});
    }
  }
}

void ask_intel(const driver& ask, device_facts& facts) {
  facts.intel_ip = ask.number<std::uint32_t>(QUERY(CL_DEVICE_IP_VERSION_INTEL));
  add_extra(facts, "device id", ask.number<std::uint64_t>(QUERY(CL_DEVICE_ID_INTEL)));
  add_extra(facts, "slices", ask.number<std::uint64_t>(QUERY(CL_DEVICE_NUM_SLICES_INTEL)));
  add_extra(facts, "sub-slices per slice",
            ask.number<std::uint64_t>(QUERY(CL_DEVICE_NUM_SUB_SLICES_PER_SLICE_INTEL)));
  add_extra(facts, "EUs per sub-slice",
            ask.number<std::uint64_t>(QUERY(CL_DEVICE_NUM_EUS_PER_SUB_SLICE_INTEL)));
  add_extra(facts, "threads per EU", ask.number<std::uint64_t>(QUERY(CL_DEVICE_NUM_THREADS_PER_EU_INTEL)));
  add_extra(facts, "feature bits", ask.number<std::uint64_t>(QUERY(CL_DEVICE_FEATURE_CAPABILITIES_INTEL)));
}

// What the published tables add; a query that answered is never overruled by them.
void consult_tables(device_facts& facts) {
  const std::string nobody = "no query and no table tells it";
  facts.lanes_per_compute_unit = not_known<unsigned>(nobody);
  if (facts.cuda_sm) {
    const auto* row = find_nvidia_architecture(*facts.cuda_sm);
    facts.architecture = known("sm_" + std::to_string(*facts.cuda_sm) +
                                   (row ? " (" + std::string(row->generation) + ")" : std::string()),
                               provenance::query, facts.cuda_sm.source);
    if (row) {
      facts.lanes_per_compute_unit =
          known(row->f32_lanes_per_sm, provenance::table, "FP32 lanes per SM, by architecture");
    }
    if (!facts.warp_size) facts.warp_size = known(32u, provenance::table, "a warp has 32 lanes up to here");
  } else if (facts.amd_gfx) {
    const auto* row = find_amd_architecture(*facts.amd_gfx);
    facts.architecture = known(
        amd_gfx_name(*facts.amd_gfx) + (row ? " (" + std::string(row->generation) + ")" : std::string()),
        facts.amd_gfx.from, facts.amd_gfx.source);
    if (!facts.warp_size && row && row->wave != 0) {
      facts.warp_size = known(row->wave, provenance::table, "wavefront width, by architecture");
    }
    // Both or neither: in WGP mode the driver halves the compute units and doubles the SIMDs per unit,
    // so its number and the table's do not mix.
    if (facts.simd_per_compute_unit && facts.simd_width) {
      facts.lanes_per_compute_unit =
          known(*facts.simd_per_compute_unit * *facts.simd_width, provenance::query,
                facts.simd_per_compute_unit.source + " x " + facts.simd_width.source);
    } else if (row) {
      facts.simd_per_compute_unit = known(row->simd_per_compute_unit, provenance::table, "by architecture");
      facts.simd_width = known(row->simd_width, provenance::table, "by architecture");
      facts.lanes_per_compute_unit = known(row->simd_per_compute_unit * row->simd_width, provenance::table,
                                           "SIMDs x width, by architecture");
    }
  } else if (facts.intel_ip) {
    const auto* row = find_intel_architecture(*facts.intel_ip >> 14);
    facts.architecture = known(
        "IP " + intel_ip_name(*facts.intel_ip) +
            (row ? " (" + std::string(row->generation) + ", " + std::string(row->chip) + ")" : std::string()),
        provenance::query, facts.intel_ip.source);
  } else if (facts.family.value_or(device_family::generic) == device_family::cpu) {
    facts.architecture = known<std::string>("CPU", provenance::query, facts.type.source);
  } else {
    facts.architecture = not_known<std::string>("neither a query nor the device name tells it");
  }
}

}  // namespace

// Extension names are words in a list: "cl_khr_subgroups" is not "cl_khr_subgroups_extended".
bool has_extension(const device_facts& facts, std::string_view extension) {
  const std::string list = " " + facts.extensions.value_or("") + " ";
  return list.find(" " + std::string(extension) + " ") != std::string::npos;
}

unsigned language_of(const device_facts& facts) {
  if (facts.opencl_c_newest) return *facts.opencl_c_newest;
  return facts.device_version ? version_of(*facts.device_version) : 0;
}

std::size_t largest_group(const device_facts& facts, std::size_t unknown) {
  std::size_t most = facts.max_work_group_size.value_or(unknown);
  if (facts.max_work_item_sizes && !facts.max_work_item_sizes->empty())
    most = std::min(most, facts.max_work_item_sizes->front());
  return most;
}

device_facts ask_driver(cl_device_id device) {
  device_facts facts;
  const driver ask(device);
  facts.device = device;
  if (clGetDeviceInfo(device, CL_DEVICE_PLATFORM, sizeof(void*), &facts.platform, nullptr) == CL_SUCCESS) {
    facts.platform_name = platform_text(facts.platform, QUERY(CL_PLATFORM_NAME));
    facts.platform_version = platform_text(facts.platform, QUERY(CL_PLATFORM_VERSION));
  }
  ask_names(ask, facts);
  ask_sizes(ask, facts);
  ask_arithmetic(ask, facts);
  facts.device_scope_atomics = ask_device_scope_atomics(ask, facts);
  ask_sub_groups(ask, facts);
  facts.pci = ask_pci(ask, facts);

  const device_family family = facts.family.value_or(device_family::generic);
  const std::string other = "not asked: the device's family is " + std::string(name_of(family));
  facts.cuda_sm = not_known<unsigned>(other);
  facts.amd_gfx = not_known<unsigned>(other);
  facts.intel_ip = not_known<std::uint32_t>(other);
  for (auto* each : {&facts.warp_size, &facts.registers_per_block, &facts.memory_channels,
                     &facts.simd_per_compute_unit, &facts.simd_width}) {
    *each = not_known<unsigned>(other);
  }
  facts.board_name = not_known<std::string>(other);

  // Asked by extension, not family: drivers differ in what they do with numbers they do not know.
  if (family == device_family::amd) {
    facts.amd_gfx.source = "CL_DEVICE_NAME (0x102B) names no architecture";
    if (const auto gfx = parse_amd_gfx(facts.name.value_or(""))) {
      facts.amd_gfx = known(*gfx, provenance::query, describe(QUERY(CL_DEVICE_NAME)));
    }
    if (has_extension(facts, "cl_amd_device_attribute_query")) ask_amd(ask, facts);
  }
  if (family == device_family::nvidia) {
    facts.cuda_sm.source = "no cl_nv_device_attribute_query";
    if (has_extension(facts, "cl_nv_device_attribute_query")) ask_nvidia(ask, facts);
  }
  if (family == device_family::intel) {
    facts.intel_ip.source = "no cl_intel_device_attribute_query";
    if (has_extension(facts, "cl_intel_device_attribute_query")) ask_intel(ask, facts);
  }
  if (has_extension(facts, "cl_arm_core_id")) {
    add_extra(facts, "compute unit bits",
              ask.number<std::uint64_t>(QUERY(CL_DEVICE_COMPUTE_UNITS_BITFIELD_ARM)));
  }
  if (has_extension(facts, "cl_arm_scheduling_controls")) {
    add_extra(facts, "maximum warps", ask.number<std::uint64_t>(QUERY(CL_DEVICE_MAX_WARP_COUNT_ARM)));
  }
  consult_tables(facts);
  return facts;
}

#undef QUERY

}  // namespace clwave::detail
