// Device facts as text: every fact of the structure, in reading order, unknown ones too.
#include "device/print_facts.hpp"

#include <string>
#include <utility>
#include <vector>

#include "device/architecture.hpp"

namespace clwave {
using detail::fact_kind;
using detail::typed_fact;
namespace {

fact_kind kind_of(const std::string&) { return fact_kind::text; }
fact_kind kind_of(device_family) { return fact_kind::text; }
fact_kind kind_of(bool) { return fact_kind::flag; }
fact_kind kind_of(unsigned) { return fact_kind::number; }
fact_kind kind_of(std::uint64_t) { return fact_kind::number; }
fact_kind kind_of(const std::vector<std::size_t>&) { return fact_kind::numbers; }

std::string printed(const std::string& value) { return value; }
std::string printed(bool value) { return value ? "yes" : "no"; }
std::string printed(unsigned value) { return std::to_string(value); }
std::string printed(std::uint64_t value) { return std::to_string(value); }
std::string printed(device_family value) { return std::string(name_of(value)); }

std::string printed(const std::vector<std::size_t>& values) {
  std::string text;
  for (const std::size_t value : values) text += (text.empty() ? "" : ", ") + std::to_string(value);
  return text;
}

std::string text_of_type(cl_device_type type) {
  if (type & CL_DEVICE_TYPE_GPU) return "GPU";
  if (type & CL_DEVICE_TYPE_CPU) return "CPU";
  if (type & CL_DEVICE_TYPE_ACCELERATOR) return "accelerator";
  return "other";
}

// "3.0" for 300.
std::string text_of_version(unsigned version) {
  return std::to_string(version / 100) + "." + std::to_string(version / 10 % 10);
}

template <class T, class Text>
printed_fact print_as(std::string name, const fact<T>& value, Text text, std::string unit) {
  return {std::move(name), value ? text(*value) : "unknown", value ? std::move(unit) : "", value.from,
          value.source};
}

}  // namespace

std::string_view name_of(provenance from) {
  switch (from) {
    case provenance::query:
      return "query";
    case provenance::table:
      return "table";
    case provenance::compile_probe:
      return "compile probe";
    case provenance::run_probe:
      return "run probe";
    case provenance::assumed:
      return "assumed";
    case provenance::unknown:
      break;
  }
  return "unknown";
}

std::string_view name_of(device_family family) {
  switch (family) {
    case device_family::nvidia:
      return "nvidia";
    case device_family::amd:
      return "amd";
    case device_family::intel:
      return "intel";
    case device_family::cpu:
      return "cpu";
    case device_family::generic:
      break;
  }
  return "generic";
}

std::vector<typed_fact> detail::print_typed(const device_facts& facts) {
  std::vector<typed_fact> list;
  const auto add = [&](std::string name, const auto& value, std::string unit = "") {
    const auto text = [](const auto& known) { return printed(known); };
    const fact_kind kind = value ? kind_of(*value) : fact_kind::text;
    list.push_back({print_as(std::move(name), value, text, std::move(unit)), kind});
  };
  // One whose number stands for something else.
  const auto add_as = [&](std::string name, const auto& value, auto text) {
    list.push_back({print_as(std::move(name), value, text, ""), fact_kind::text});
  };
  add("name", facts.name);
  add("vendor", facts.vendor);
  add_as("type", facts.type, text_of_type);
  add("family", facts.family);
  add("architecture", facts.architecture);
  add("board name", facts.board_name);
  add("PCI place", facts.pci);
  add("platform", facts.platform_name);
  add("platform version", facts.platform_version);
  add("driver version", facts.driver_version);
  add("device version", facts.device_version);
  add("OpenCL C version", facts.opencl_c_version);
  add_as("OpenCL C newest", facts.opencl_c_newest, text_of_version);
  add("compiler available", facts.compiler_available);
  add("CUDA SM", facts.cuda_sm);
  add_as("AMD gfx", facts.amd_gfx, detail::amd_gfx_name);
  add_as("Intel IP", facts.intel_ip, detail::intel_ip_name);

  add("warp or wavefront", facts.warp_size, "lanes");
  add("lanes probed", facts.lanes_probed, "lanes");
  add("lanes measured", facts.lanes_measured, "lanes");
  add("shared virtual memory", facts.shared_virtual_memory);
  add("host memory reached", facts.host_memory_reached);
  add("sub-groups", facts.sub_groups);
  add("sub-group sizes", facts.sub_group_sizes, "lanes");
  add("sub-group size selectable", facts.sub_group_size_selectable);
  add("sub-group shuffle up", facts.sub_group_shuffle_relative);
  add("sub-group shuffle extension", facts.sub_group_shuffle_extension);
  add("inline PTX", facts.inline_ptx);
  add("AMD built-ins", facts.amd_builtins);
  add("device-scope atomics", facts.device_scope_atomics);
  add("64-bit atomics", facts.int64_atomics);

  add("compute units", facts.compute_units);
  add("lanes per compute unit", facts.lanes_per_compute_unit, "lanes");
  add("SIMDs per compute unit", facts.simd_per_compute_unit);
  add("SIMD width", facts.simd_width, "lanes");
  add("clock", facts.clock_mhz, "MHz");
  add("registers per block", facts.registers_per_block);
  add("work-group size at most", facts.max_work_group_size, "work-items");
  add("work-item sizes at most", facts.max_work_item_sizes, "work-items");

  add("global memory", facts.global_memory, "bytes");
  add("largest allocation", facts.max_allocation, "bytes");
  add("local memory", facts.local_memory, "bytes");
  add("local memory dedicated", facts.local_memory_is_dedicated);
  add("global cache", facts.global_cache, "bytes");
  add("cache line", facts.cache_line, "bytes");
  add("constant buffer", facts.constant_buffer, "bytes");
  add("base address alignment", facts.base_address_align, "bytes");
  add("memory channels", facts.memory_channels);
  add("loops run to their end", facts.finishes_loops);
  add("host unified memory", facts.host_unified_memory);

  add("preferred vector, char", facts.preferred_vector_width_char, "elements");
  add("preferred vector, float", facts.preferred_vector_width_float, "elements");
  add("native vector, float", facts.native_vector_width_float, "elements");
  add("native vector, double", facts.native_vector_width_double, "elements");
  add("fp64", facts.fp64);
  add("fp16", facts.fp16);
  add("f32 denormals", facts.f32_denormals);
  add("f64 denormals", facts.f64_denormals);
  add("divide, sqrt rounded right", facts.correctly_rounded_divide_sqrt);
  add("images", facts.images);
  add("out-of-order queue", facts.out_of_order_queue);
  add("profiling resolution", facts.profiling_resolution_ns, "ns");
  add("extensions", facts.extensions);
  list.back().kind = fact_kind::words;

  // Vendors' own facts are all numbers.
  for (const printed_fact& each : facts.extra) list.push_back({each, fact_kind::number});
  return list;
}

std::vector<printed_fact> print(const device_facts& facts) {
  std::vector<printed_fact> list;
  for (typed_fact& each : detail::print_typed(facts)) list.push_back(std::move(each.printed));
  return list;
}

}  // namespace clwave
