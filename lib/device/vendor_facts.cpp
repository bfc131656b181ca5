// What only one vendor's drivers say of their devices: the only file that names vendor queries.
#include "device/vendor_facts.hpp"

#include <cstdio>
#include <span>
#include <utility>

#include "device/architecture.hpp"
#include "device/device_facts.hpp"

namespace clwave::detail {
namespace {

using queries::describe;
using queries::driver;
using queries::integer_of;
using queries::known;
using queries::not_known;
using queries::query;

// Vendor constants stand here because OpenCL's headers of different ages have different ones.
constexpr cl_device_info CL_DEVICE_UUID_KHR = 0x106A;
constexpr cl_device_info CL_DRIVER_UUID_KHR = 0x106B;
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

std::string pci_text(unsigned domain, unsigned bus, unsigned device, unsigned function) {
  char text[32] = {};
  std::snprintf(text, sizeof text, "%04x:%02x:%02x.%x", domain, bus, device, function);
  return text;
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
  const auto major = ask.number<unsigned>(CLWAVE_QUERY(CL_DEVICE_COMPUTE_CAPABILITY_MAJOR_NV));
  const auto minor = ask.number<unsigned>(CLWAVE_QUERY(CL_DEVICE_COMPUTE_CAPABILITY_MINOR_NV));
  if (major && minor) {
    facts.cuda_sm = known(10 * *major + *minor, provenance::query, major.source + ", " + minor.source);
  } else {
    facts.cuda_sm = not_known<unsigned>(major ? minor.source : major.source);
  }
  facts.warp_size = ask.number<unsigned>(CLWAVE_QUERY(CL_DEVICE_WARP_SIZE_NV));
  facts.registers_per_block = ask.number<unsigned>(CLWAVE_QUERY(CL_DEVICE_REGISTERS_PER_BLOCK_NV));
  add_extra(facts, "copy overlaps kernels",
            ask.number<std::uint64_t>(CLWAVE_QUERY(CL_DEVICE_GPU_OVERLAP_NV)));
  add_extra(facts, "kernel timeout",
            ask.number<std::uint64_t>(CLWAVE_QUERY(CL_DEVICE_KERNEL_EXEC_TIMEOUT_NV)));
  add_extra(facts, "integrated memory",
            ask.number<std::uint64_t>(CLWAVE_QUERY(CL_DEVICE_INTEGRATED_MEMORY_NV)));
  add_extra(facts, "copy engines",
            ask.number<std::uint64_t>(CLWAVE_QUERY(CL_DEVICE_ATTRIBUTE_ASYNC_ENGINE_COUNT_NV)));
}

void ask_amd(const driver& ask, device_facts& facts) {
  facts.warp_size = ask.number<unsigned>(CLWAVE_QUERY(CL_DEVICE_WAVEFRONT_WIDTH_AMD));
  facts.simd_per_compute_unit = ask.number<unsigned>(CLWAVE_QUERY(CL_DEVICE_SIMD_PER_COMPUTE_UNIT_AMD));
  facts.simd_width = ask.number<unsigned>(CLWAVE_QUERY(CL_DEVICE_SIMD_WIDTH_AMD));
  facts.memory_channels = ask.number<unsigned>(CLWAVE_QUERY(CL_DEVICE_GLOBAL_MEM_CHANNELS_AMD));
  facts.board_name = ask.text(CLWAVE_QUERY(CL_DEVICE_BOARD_NAME_AMD));
  if (!facts.amd_gfx) {
    const auto major = ask.number<unsigned>(CLWAVE_QUERY(CL_DEVICE_GFXIP_MAJOR_AMD));
    const auto minor = ask.number<unsigned>(CLWAVE_QUERY(CL_DEVICE_GFXIP_MINOR_AMD));
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
  extra("preferred work-group size", CLWAVE_QUERY(CL_DEVICE_PREFERRED_WORK_GROUP_SIZE_AMD), "work-items");
  extra("maximum work-group size (AMD)", CLWAVE_QUERY(CL_DEVICE_MAX_WORK_GROUP_SIZE_AMD), "work-items");
  extra("preferred constant buffer", CLWAVE_QUERY(CL_DEVICE_PREFERRED_CONSTANT_BUFFER_SIZE_AMD), "bytes");
  extra("PCIe device id", CLWAVE_QUERY(CL_DEVICE_PCIE_ID_AMD));
  extra("profiling timer offset", CLWAVE_QUERY(CL_DEVICE_PROFILING_TIMER_OFFSET_AMD), "ns");
  extra("SIMD instruction width", CLWAVE_QUERY(CL_DEVICE_SIMD_INSTRUCTION_WIDTH_AMD));
  extra("memory channel banks", CLWAVE_QUERY(CL_DEVICE_GLOBAL_MEM_CHANNEL_BANKS_AMD));
  extra("memory channel bank width", CLWAVE_QUERY(CL_DEVICE_GLOBAL_MEM_CHANNEL_BANK_WIDTH_AMD), "bytes");
  extra("local memory per compute unit", CLWAVE_QUERY(CL_DEVICE_LOCAL_MEM_SIZE_PER_COMPUTE_UNIT_AMD),
        "bytes");
  extra("local memory banks", CLWAVE_QUERY(CL_DEVICE_LOCAL_MEM_BANKS_AMD));
  extra("asynchronous queues", CLWAVE_QUERY(CL_DEVICE_AVAILABLE_ASYNC_QUEUES_AMD));
  if (const auto free = ask.list<std::size_t>(CLWAVE_QUERY(CL_DEVICE_GLOBAL_FREE_MEMORY_AMD));
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
  facts.intel_ip = ask.number<std::uint32_t>(CLWAVE_QUERY(CL_DEVICE_IP_VERSION_INTEL));
  add_extra(facts, "device id", ask.number<std::uint64_t>(CLWAVE_QUERY(CL_DEVICE_ID_INTEL)));
  add_extra(facts, "slices", ask.number<std::uint64_t>(CLWAVE_QUERY(CL_DEVICE_NUM_SLICES_INTEL)));
  add_extra(facts, "sub-slices per slice",
            ask.number<std::uint64_t>(CLWAVE_QUERY(CL_DEVICE_NUM_SUB_SLICES_PER_SLICE_INTEL)));
  add_extra(facts, "EUs per sub-slice",
            ask.number<std::uint64_t>(CLWAVE_QUERY(CL_DEVICE_NUM_EUS_PER_SUB_SLICE_INTEL)));
  add_extra(facts, "threads per EU",
            ask.number<std::uint64_t>(CLWAVE_QUERY(CL_DEVICE_NUM_THREADS_PER_EU_INTEL)));
  add_extra(facts, "feature bits",
            ask.number<std::uint64_t>(CLWAVE_QUERY(CL_DEVICE_FEATURE_CAPABILITIES_INTEL)));
}

}  // namespace

fact<std::string> ask_pci(const driver& ask, const device_facts& facts) {
  if (has_extension(facts, "cl_khr_pci_bus_info")) {
    if (const auto place = ask.list<cl_uint>(CLWAVE_QUERY(CL_DEVICE_PCI_BUS_INFO_KHR));
        place && place->size() == 4) {
      const auto& p = *place;
      return known(pci_text(p[0], p[1], p[2], p[3]), provenance::query, place.source);
    }
  }
  if (has_extension(facts, "cl_nv_device_attribute_query")) {
    const auto bus = ask.number<unsigned>(CLWAVE_QUERY(CL_DEVICE_PCI_BUS_ID_NV));
    const auto slot = ask.number<unsigned>(CLWAVE_QUERY(CL_DEVICE_PCI_SLOT_ID_NV));
    const auto domain = ask.number<unsigned>(CLWAVE_QUERY(CL_DEVICE_PCI_DOMAIN_ID_NV));
    if (!bus || !slot) return not_known<std::string>(bus ? slot.source : bus.source);
    return known(pci_text(domain.value_or(0), *bus, *slot >> 3, *slot & 7), provenance::query,
                 bus.source + ", " + slot.source);
  }
  if (has_extension(facts, "cl_amd_device_attribute_query")) {
    // A 24-byte structure whose first word says PCIe (1) and whose last three bytes are the place.
    const auto place = ask.bytes(CLWAVE_QUERY(CL_DEVICE_TOPOLOGY_AMD));
    if (!place) return not_known<std::string>(place.source);
    if (place->size() == 24 && integer_of(std::span(*place).first(4)) == 1u) {
      const auto& p = *place;
      return known(pci_text(0, p[21], p[22], p[23]), provenance::query, place.source);
    }
    return not_known<std::string>(place.source + ": not a PCIe place");
  }
  return not_known<std::string>("no extension that tells it is reported");
}

std::vector<unsigned char> ask_uuids(const driver& ask, const device_facts& facts) {
  if (!has_extension(facts, "cl_khr_device_uuid")) return {};
  std::vector<unsigned char> both = ask.bytes(CLWAVE_QUERY(CL_DEVICE_UUID_KHR)).value_or({});
  const std::vector<unsigned char> of_driver = ask.bytes(CLWAVE_QUERY(CL_DRIVER_UUID_KHR)).value_or({});
  both.insert(both.end(), of_driver.begin(), of_driver.end());
  return both;
}

fact<std::vector<std::size_t>> ask_sub_group_sizes(const driver& ask) {
  return ask.list<std::size_t>(CLWAVE_QUERY(CL_DEVICE_SUB_GROUP_SIZES_INTEL));
}

void ask_vendor(const driver& ask, device_facts& facts) {
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
      facts.amd_gfx = known(*gfx, provenance::query, describe(CLWAVE_QUERY(CL_DEVICE_NAME)));
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
              ask.number<std::uint64_t>(CLWAVE_QUERY(CL_DEVICE_COMPUTE_UNITS_BITFIELD_ARM)));
  }
  if (has_extension(facts, "cl_arm_scheduling_controls")) {
    add_extra(facts, "maximum warps", ask.number<std::uint64_t>(CLWAVE_QUERY(CL_DEVICE_MAX_WARP_COUNT_ARM)));
  }
}

}  // namespace clwave::detail
