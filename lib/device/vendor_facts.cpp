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

// Vendors' numbers stand here, because OpenCL's headers of different ages have different ones: what those
// that have them define as macros.
constexpr query device_uuid_khr{0x106A, "CL_DEVICE_UUID_KHR"};
constexpr query driver_uuid_khr{0x106B, "CL_DRIVER_UUID_KHR"};
constexpr query compute_capability_major_nv{0x4000, "CL_DEVICE_COMPUTE_CAPABILITY_MAJOR_NV"};
constexpr query compute_capability_minor_nv{0x4001, "CL_DEVICE_COMPUTE_CAPABILITY_MINOR_NV"};
constexpr query registers_per_block_nv{0x4002, "CL_DEVICE_REGISTERS_PER_BLOCK_NV"};
constexpr query warp_size_nv{0x4003, "CL_DEVICE_WARP_SIZE_NV"};
constexpr query gpu_overlap_nv{0x4004, "CL_DEVICE_GPU_OVERLAP_NV"};
constexpr query kernel_exec_timeout_nv{0x4005, "CL_DEVICE_KERNEL_EXEC_TIMEOUT_NV"};
constexpr query integrated_memory_nv{0x4006, "CL_DEVICE_INTEGRATED_MEMORY_NV"};
constexpr query attribute_async_engine_count_nv{0x4007, "CL_DEVICE_ATTRIBUTE_ASYNC_ENGINE_COUNT_NV"};
constexpr query pci_bus_id_nv{0x4008, "CL_DEVICE_PCI_BUS_ID_NV"};
constexpr query pci_slot_id_nv{0x4009, "CL_DEVICE_PCI_SLOT_ID_NV"};
constexpr query pci_domain_id_nv{0x400A, "CL_DEVICE_PCI_DOMAIN_ID_NV"};
constexpr query preferred_work_group_size_amd{0x4030, "CL_DEVICE_PREFERRED_WORK_GROUP_SIZE_AMD"};
constexpr query max_work_group_size_amd{0x4031, "CL_DEVICE_MAX_WORK_GROUP_SIZE_AMD"};
constexpr query preferred_constant_buffer_size_amd{0x4033, "CL_DEVICE_PREFERRED_CONSTANT_BUFFER_SIZE_AMD"};
constexpr query pcie_id_amd{0x4034, "CL_DEVICE_PCIE_ID_AMD"};
constexpr query profiling_timer_offset_amd{0x4036, "CL_DEVICE_PROFILING_TIMER_OFFSET_AMD"};
constexpr query topology_amd{0x4037, "CL_DEVICE_TOPOLOGY_AMD"};
constexpr query board_name_amd{0x4038, "CL_DEVICE_BOARD_NAME_AMD"};
constexpr query global_free_memory_amd{0x4039, "CL_DEVICE_GLOBAL_FREE_MEMORY_AMD"};
constexpr query simd_per_compute_unit_amd{0x4040, "CL_DEVICE_SIMD_PER_COMPUTE_UNIT_AMD"};
constexpr query simd_width_amd{0x4041, "CL_DEVICE_SIMD_WIDTH_AMD"};
constexpr query simd_instruction_width_amd{0x4042, "CL_DEVICE_SIMD_INSTRUCTION_WIDTH_AMD"};
constexpr query wavefront_width_amd{0x4043, "CL_DEVICE_WAVEFRONT_WIDTH_AMD"};
constexpr query global_mem_channels_amd{0x4044, "CL_DEVICE_GLOBAL_MEM_CHANNELS_AMD"};
constexpr query global_mem_channel_banks_amd{0x4045, "CL_DEVICE_GLOBAL_MEM_CHANNEL_BANKS_AMD"};
constexpr query global_mem_channel_bank_width_amd{0x4046, "CL_DEVICE_GLOBAL_MEM_CHANNEL_BANK_WIDTH_AMD"};
constexpr query local_mem_size_per_compute_unit_amd{0x4047, "CL_DEVICE_LOCAL_MEM_SIZE_PER_COMPUTE_UNIT_AMD"};
constexpr query local_mem_banks_amd{0x4048, "CL_DEVICE_LOCAL_MEM_BANKS_AMD"};
constexpr query gfxip_major_amd{0x404A, "CL_DEVICE_GFXIP_MAJOR_AMD"};
constexpr query gfxip_minor_amd{0x404B, "CL_DEVICE_GFXIP_MINOR_AMD"};
constexpr query available_async_queues_amd{0x404C, "CL_DEVICE_AVAILABLE_ASYNC_QUEUES_AMD"};
constexpr query compute_units_bitfield_arm{0x40BF, "CL_DEVICE_COMPUTE_UNITS_BITFIELD_ARM"};
constexpr query max_warp_count_arm{0x41EA, "CL_DEVICE_MAX_WARP_COUNT_ARM"};
constexpr query sub_group_sizes_intel{0x4108, "CL_DEVICE_SUB_GROUP_SIZES_INTEL"};
constexpr query pci_bus_info_khr{0x410F, "CL_DEVICE_PCI_BUS_INFO_KHR"};
constexpr query ip_version_intel{0x4250, "CL_DEVICE_IP_VERSION_INTEL"};
constexpr query id_intel{0x4251, "CL_DEVICE_ID_INTEL"};
constexpr query num_slices_intel{0x4252, "CL_DEVICE_NUM_SLICES_INTEL"};
constexpr query num_sub_slices_per_slice_intel{0x4253, "CL_DEVICE_NUM_SUB_SLICES_PER_SLICE_INTEL"};
constexpr query num_eus_per_sub_slice_intel{0x4254, "CL_DEVICE_NUM_EUS_PER_SUB_SLICE_INTEL"};
constexpr query num_threads_per_eu_intel{0x4255, "CL_DEVICE_NUM_THREADS_PER_EU_INTEL"};
constexpr query feature_capabilities_intel{0x4256, "CL_DEVICE_FEATURE_CAPABILITIES_INTEL"};

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
  const auto major = ask.number<unsigned>(compute_capability_major_nv);
  const auto minor = ask.number<unsigned>(compute_capability_minor_nv);
  if (major && minor) {
    facts.cuda_sm = known(10 * *major + *minor, provenance::query, major.source + ", " + minor.source);
  } else {
    facts.cuda_sm = not_known<unsigned>(major ? minor.source : major.source);
  }
  facts.warp_size = ask.number<unsigned>(warp_size_nv);
  facts.registers_per_block = ask.number<unsigned>(registers_per_block_nv);
  add_extra(facts, "copy overlaps kernels", ask.number<std::uint64_t>(gpu_overlap_nv));
  add_extra(facts, "kernel timeout", ask.number<std::uint64_t>(kernel_exec_timeout_nv));
  add_extra(facts, "integrated memory", ask.number<std::uint64_t>(integrated_memory_nv));
  add_extra(facts, "copy engines", ask.number<std::uint64_t>(attribute_async_engine_count_nv));
}

void ask_amd(const driver& ask, device_facts& facts) {
  facts.warp_size = ask.number<unsigned>(wavefront_width_amd);
  facts.simd_per_compute_unit = ask.number<unsigned>(simd_per_compute_unit_amd);
  facts.simd_width = ask.number<unsigned>(simd_width_amd);
  facts.memory_channels = ask.number<unsigned>(global_mem_channels_amd);
  facts.board_name = ask.text(board_name_amd);
  if (!facts.amd_gfx) {
    const auto major = ask.number<unsigned>(gfxip_major_amd);
    const auto minor = ask.number<unsigned>(gfxip_minor_amd);
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
  extra("preferred work-group size", preferred_work_group_size_amd, "work-items");
  extra("maximum work-group size (AMD)", max_work_group_size_amd, "work-items");
  extra("preferred constant buffer", preferred_constant_buffer_size_amd, "bytes");
  extra("PCIe device id", pcie_id_amd);
  extra("profiling timer offset", profiling_timer_offset_amd, "ns");
  extra("SIMD instruction width", simd_instruction_width_amd);
  extra("memory channel banks", global_mem_channel_banks_amd);
  extra("memory channel bank width", global_mem_channel_bank_width_amd, "bytes");
  extra("local memory per compute unit", local_mem_size_per_compute_unit_amd, "bytes");
  extra("local memory banks", local_mem_banks_amd);
  extra("asynchronous queues", available_async_queues_amd);
  if (const auto free = ask.list<std::size_t>(global_free_memory_amd); free && !free->empty()) {
    facts.extra.push_back(
        {"free memory when asked", std::to_string(free->front()), "KiB", free.from, free.source});
    if (free->size() > 1) {
      facts.extra.push_back(
          {"largest free block when asked", std::to_string((*free)[1]), "KiB", free.from, free.source});
    }
  }
}

void ask_intel(const driver& ask, device_facts& facts) {
  facts.intel_ip = ask.number<std::uint32_t>(ip_version_intel);
  add_extra(facts, "device id", ask.number<std::uint64_t>(id_intel));
  add_extra(facts, "slices", ask.number<std::uint64_t>(num_slices_intel));
  add_extra(facts, "sub-slices per slice", ask.number<std::uint64_t>(num_sub_slices_per_slice_intel));
  add_extra(facts, "EUs per sub-slice", ask.number<std::uint64_t>(num_eus_per_sub_slice_intel));
  add_extra(facts, "threads per EU", ask.number<std::uint64_t>(num_threads_per_eu_intel));
  add_extra(facts, "feature bits", ask.number<std::uint64_t>(feature_capabilities_intel));
}

}  // namespace

fact<std::string> ask_pci(const driver& ask, const device_facts& facts) {
  if (has_extension(facts, "cl_khr_pci_bus_info")) {
    if (const auto place = ask.list<cl_uint>(pci_bus_info_khr); place && place->size() == 4) {
      const auto& p = *place;
      return known(pci_text(p[0], p[1], p[2], p[3]), provenance::query, place.source);
    }
  }
  if (has_extension(facts, "cl_nv_device_attribute_query")) {
    const auto bus = ask.number<unsigned>(pci_bus_id_nv);
    const auto slot = ask.number<unsigned>(pci_slot_id_nv);
    const auto domain = ask.number<unsigned>(pci_domain_id_nv);
    if (!bus || !slot) return not_known<std::string>(bus ? slot.source : bus.source);
    return known(pci_text(domain.value_or(0), *bus, *slot >> 3, *slot & 7), provenance::query,
                 bus.source + ", " + slot.source);
  }
  if (has_extension(facts, "cl_amd_device_attribute_query")) {
    // A 24-byte structure whose first word says PCIe (1) and whose last three bytes are the place.
    const auto place = ask.bytes(topology_amd);
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
  std::vector<unsigned char> both = ask.bytes(device_uuid_khr).value_or({});
  const std::vector<unsigned char> of_driver = ask.bytes(driver_uuid_khr).value_or({});
  both.insert(both.end(), of_driver.begin(), of_driver.end());
  return both;
}

fact<std::vector<std::size_t>> ask_sub_group_sizes(const driver& ask) {
  return ask.list<std::size_t>(sub_group_sizes_intel);
}

void ask_vendor(const driver& ask, device_facts& facts) {
  const device_family family = family_of(facts);
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
    add_extra(facts, "compute unit bits", ask.number<std::uint64_t>(compute_units_bitfield_arm));
  }
  if (has_extension(facts, "cl_arm_scheduling_controls")) {
    add_extra(facts, "maximum warps", ask.number<std::uint64_t>(max_warp_count_arm));
  }
}

}  // namespace clwave::detail
