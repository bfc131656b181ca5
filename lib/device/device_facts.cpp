// What every driver is asked about a device, and what the published tables add.
#include "device/device_facts.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include <clwave/error.hpp>

#include "base/newer_opencl.hpp"
#include "device/architecture.hpp"
#include "device/queries.hpp"
#include "device/vendor_facts.hpp"

namespace clwave::detail {
namespace {

using queries::describe;
using queries::driver;
using queries::known;
using queries::not_known;
using queries::query;

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

fact<device_family> find_family(const device_facts& facts) {
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
  return decide(device_family::generic, "no extension or name of a vendor with profiles of its own");
}

void ask_names(const driver& ask, device_facts& facts) {
  facts.name = ask.text(CLWAVE_QUERY(CL_DEVICE_NAME));
  facts.vendor = ask.text(CLWAVE_QUERY(CL_DEVICE_VENDOR));
  facts.driver_version = ask.text(CLWAVE_QUERY(CL_DRIVER_VERSION));
  facts.device_version = ask.text(CLWAVE_QUERY(CL_DEVICE_VERSION));
  facts.opencl_c_version = ask.text(CLWAVE_QUERY(CL_DEVICE_OPENCL_C_VERSION));
  facts.extensions = ask.text(CLWAVE_QUERY(CL_DEVICE_EXTENSIONS));
  facts.type = ask.number<cl_device_type>(CLWAVE_QUERY(CL_DEVICE_TYPE));
  facts.family = find_family(facts);

  // A 3.0 device may compile 3.0 and still answer "OpenCL C 1.2" to the old question.
  facts.opencl_c_newest = not_known<unsigned>(facts.opencl_c_version.source);
  if (const auto all = ask.list<cl_name_version>(CLWAVE_QUERY(CL_DEVICE_OPENCL_C_ALL_VERSIONS));
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
  facts.compute_units = ask.number<unsigned>(CLWAVE_QUERY(CL_DEVICE_MAX_COMPUTE_UNITS));
  facts.clock_mhz = ask.number<unsigned>(CLWAVE_QUERY(CL_DEVICE_MAX_CLOCK_FREQUENCY));
  facts.max_work_group_size = ask.number<std::size_t>(CLWAVE_QUERY(CL_DEVICE_MAX_WORK_GROUP_SIZE));
  facts.max_work_item_sizes = ask.list<std::size_t>(CLWAVE_QUERY(CL_DEVICE_MAX_WORK_ITEM_SIZES));
  facts.global_memory = ask.number<std::uint64_t>(CLWAVE_QUERY(CL_DEVICE_GLOBAL_MEM_SIZE));
  facts.max_allocation = ask.number<std::uint64_t>(CLWAVE_QUERY(CL_DEVICE_MAX_MEM_ALLOC_SIZE));
  facts.local_memory = ask.number<std::uint64_t>(CLWAVE_QUERY(CL_DEVICE_LOCAL_MEM_SIZE));
  facts.global_cache = ask.number<std::uint64_t>(CLWAVE_QUERY(CL_DEVICE_GLOBAL_MEM_CACHE_SIZE));
  facts.constant_buffer = ask.number<std::uint64_t>(CLWAVE_QUERY(CL_DEVICE_MAX_CONSTANT_BUFFER_SIZE));
  if (const auto type = ask.number<cl_uint>(CLWAVE_QUERY(CL_DEVICE_LOCAL_MEM_TYPE))) {
    facts.local_memory_is_dedicated = known(*type == CL_LOCAL, provenance::query, type.source);
  } else {
    facts.local_memory_is_dedicated = not_known<bool>(type.source);
  }
  facts.cache_line = ask.number<unsigned>(CLWAVE_QUERY(CL_DEVICE_GLOBAL_MEM_CACHELINE_SIZE));
  facts.base_address_align = ask.number<unsigned>(CLWAVE_QUERY(CL_DEVICE_MEM_BASE_ADDR_ALIGN));
  if (facts.base_address_align) *facts.base_address_align.value /= 8;
  facts.preferred_vector_width_char =
      ask.number<unsigned>(CLWAVE_QUERY(CL_DEVICE_PREFERRED_VECTOR_WIDTH_CHAR));
  facts.preferred_vector_width_float =
      ask.number<unsigned>(CLWAVE_QUERY(CL_DEVICE_PREFERRED_VECTOR_WIDTH_FLOAT));
  facts.native_vector_width_float = ask.number<unsigned>(CLWAVE_QUERY(CL_DEVICE_NATIVE_VECTOR_WIDTH_FLOAT));
  facts.native_vector_width_double = ask.number<unsigned>(CLWAVE_QUERY(CL_DEVICE_NATIVE_VECTOR_WIDTH_DOUBLE));
  facts.profiling_resolution_ns = ask.number<unsigned>(CLWAVE_QUERY(CL_DEVICE_PROFILING_TIMER_RESOLUTION));
  facts.host_unified_memory = ask.flag(CLWAVE_QUERY(CL_DEVICE_HOST_UNIFIED_MEMORY));
  facts.compiler_available = ask.flag(CLWAVE_QUERY(CL_DEVICE_COMPILER_AVAILABLE));
  facts.images = ask.flag(CLWAVE_QUERY(CL_DEVICE_IMAGE_SUPPORT));
  facts.out_of_order_queue =
      ask.all_bits(CLWAVE_QUERY(CL_DEVICE_QUEUE_ON_HOST_PROPERTIES), CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
  facts.shared_virtual_memory =
      ask.all_bits(CLWAVE_QUERY(CL_DEVICE_SVM_CAPABILITIES), CL_DEVICE_SVM_COARSE_GRAIN_BUFFER);
}

void ask_arithmetic(const driver& ask, device_facts& facts) {
  facts.f32_denormals = ask.all_bits(CLWAVE_QUERY(CL_DEVICE_SINGLE_FP_CONFIG), CL_FP_DENORM);
  facts.correctly_rounded_divide_sqrt =
      ask.all_bits(CLWAVE_QUERY(CL_DEVICE_SINGLE_FP_CONFIG), CL_FP_CORRECTLY_ROUNDED_DIVIDE_SQRT);
  facts.f64_denormals = ask.all_bits(CLWAVE_QUERY(CL_DEVICE_DOUBLE_FP_CONFIG), CL_FP_DENORM);
  facts.fp64 = ask.flag(CLWAVE_QUERY(CL_DEVICE_DOUBLE_FP_CONFIG));
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
  auto capable = ask.all_bits(CLWAVE_QUERY(CL_DEVICE_ATOMIC_MEMORY_CAPABILITIES),
                              CL_DEVICE_ATOMIC_ORDER_ACQ_REL | CL_DEVICE_ATOMIC_SCOPE_DEVICE);
  // The compiler's word counts too: the kernels use these atomics only if it defines both features.
  const auto features = ask.list<cl_name_version>(CLWAVE_QUERY(CL_DEVICE_OPENCL_C_FEATURES));
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
    facts.sub_groups = ask.flag(CLWAVE_QUERY(CL_DEVICE_MAX_NUM_SUB_GROUPS));
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
                              ? ask_sub_group_sizes(ask)
                              : not_known<std::vector<std::size_t>>("no cl_intel_required_subgroup_size");
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
    if (!facts.warp_size)
      facts.warp_size =
          known(32u, provenance::table, "a warp has 32 lanes on every architecture known so far");
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
  } else if (family_of(facts) == device_family::cpu) {
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

bool is_pocl(const device_facts& facts) {
  return facts.platform_name.value_or("") == "Portable Computing Language";
}

bool hands_out_binaries(const device_facts& facts) {
  // PoCL 3.1 compiles each kernel for groups of any size first: 1.5 s for a sum, whose build and first run
  // take 0.4. It never runs those, but compiles the kernel again for the size it meets, and keeps that
  // itself.
  return !is_pocl(facts);
}

bool miscompiles_emulated_lanes(const device_facts& facts) {
  // PoCL 3.1 runs a group as loops over its work-items on one thread. Its optimiser, which comes before these
  // loops are made, leaves local arrays behind as static variables that all of its threads share (sorts of
  // segments), and makes loops of bytes and of non-commutative folds wrong. It is right without optimisation.
  return is_pocl(facts);
}

refusal refusal_of(const device_facts& facts) {
  if (facts.finishes_loops.value_or(true)) return {};
  return {"the driver \"" + facts.platform_name.value_or("unnamed") +
              "\" ends long loops of kernels early on " + facts.name.value_or("this device") +
              ", without an error, so that results would be wrong",
          "choose another device (clwave info lists them); for the CPU, install PoCL"};
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
    facts.platform_name = platform_text(facts.platform, CLWAVE_QUERY(CL_PLATFORM_NAME));
    facts.platform_version = platform_text(facts.platform, CLWAVE_QUERY(CL_PLATFORM_VERSION));
  }
  ask_names(ask, facts);
  ask_sizes(ask, facts);
  ask_arithmetic(ask, facts);
  facts.device_scope_atomics = ask_device_scope_atomics(ask, facts);
  ask_sub_groups(ask, facts);
  facts.pci = ask_pci(ask, facts);
  ask_vendor(ask, facts);
  consult_tables(facts);
  return facts;
}

}  // namespace clwave::detail
