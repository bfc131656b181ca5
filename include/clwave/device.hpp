/// @file
/// What a device is: every fact clwave builds on, each with where it came from.
///
/// Threads may call these functions at the same time. No queue of yours is touched or flushed: probes run
/// on a queue of their own. In a child that was forked after clwave was used in the parent, devices(),
/// select_device() and facts_of() throw bad_call (event.hpp).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <clwave/export.hpp>
#include <clwave/opencl.hpp>

namespace clwave {

/// Where a fact came from. `query` is the driver's own answer, `table` a published architecture
/// table, a `probe` something compiled or run on the device itself, `assumed` a stated default.
enum class provenance {
  query,          ///< the driver said so
  table,          ///< the architecture's published figures
  compile_probe,  ///< the device's compiler took, or refused, a small kernel
  run_probe,      ///< a small kernel saw it when it ran on the device
  assumed,        ///< nobody says otherwise: `source` has the reason
  unknown         ///< there is no value
};

/// In words: "query", "compile probe".
CLWAVE_EXPORT std::string_view name_of(provenance from);

/// One fact. Without a value, `source` says why it is not known; a guess is never put in its place.
template <class T>
struct fact {
  std::optional<T> value;                 ///< nothing: not known
  provenance from = provenance::unknown;  ///< where it came from
  std::string source = "not asked";       ///< e.g. "CL_DEVICE_WARP_SIZE_NV (0x4003)"

  /// True where it is known.
  explicit operator bool() const { return value.has_value(); }
  /// The value, which must be known.
  const T& operator*() const { return *value; }
  /// A member of the value, which must be known.
  const T* operator->() const { return &*value; }
  /// The value, or `other` where it is not known.
  T value_or(T other) const { return value ? *value : other; }
};

/// Whose instruction set the device runs. Decided from extensions and names, never from the vendor
/// id alone: PoCL on an AMD processor reports Intel's.
enum class device_family {
  nvidia,  ///< NVIDIA's GPUs
  amd,     ///< AMD's GPUs
  intel,   ///< Intel's GPUs
  cpu,     ///< any CPU, whatever driver runs it
  generic  ///< any other device
};

/// In words: "nvidia".
CLWAVE_EXPORT std::string_view name_of(device_family family);

/// A fact in print, for tools: name, value, unit ("" if none), and where it came from.
struct printed_fact {
  std::string name;                       ///< in words: "compute units"
  std::string value;                      ///< in decimal, "yes" or "no", a text, or "unknown"
  std::string unit;                       ///< "bytes", "lanes", "MHz"; "" where there is none
  provenance from = provenance::unknown;  ///< where it came from
  std::string source;                     ///< the source in full: the query's name, or why it is not known
};

/// Everything clwave knows of one device. Sizes are in bytes.
struct device_facts {
  cl_platform_id platform = nullptr;  ///< the handle of the driver's platform
  cl_device_id device = nullptr;      ///< the handle that the facts are of
  unsigned platform_index = 0;        ///< place in discovery order, as in the selector "0:1"
  unsigned device_index = 0;          ///< place among the platform's devices

  fact<std::string> platform_name;     ///< CL_PLATFORM_NAME
  fact<std::string> platform_version;  ///< CL_PLATFORM_VERSION
  fact<std::string> name;              ///< CL_DEVICE_NAME
  fact<std::string> vendor;            ///< CL_DEVICE_VENDOR
  fact<std::string> driver_version;    ///< CL_DRIVER_VERSION, which kept programs and tunings go by
  fact<std::string> device_version;    ///< CL_DEVICE_VERSION: of OpenCL itself
  fact<std::string> opencl_c_version;  ///< CL_DEVICE_OPENCL_C_VERSION
  fact<std::string> extensions;        ///< CL_DEVICE_EXTENSIONS: names with a blank between
  fact<cl_device_type> type;           ///< CL_DEVICE_TYPE: bits
  fact<device_family> family;          ///< whose instruction set it runs

  // What the architecture is; at most one of the first three has a value.
  fact<unsigned> cuda_sm;          ///< 10 * major + minor, e.g. 90
  fact<unsigned> amd_gfx;          ///< as in the name, in hex: gfx90a is 0x90a, gfx1030 is 0x1030
  fact<std::uint32_t> intel_ip;    ///< arch << 22 | release << 14 | revision
  fact<std::string> architecture;  ///< e.g. "sm_90 (Hopper)", "gfx90a (CDNA2)", "CPU"
  fact<unsigned> opencl_c_newest;  ///< newest language version it compiles: 120, 200, 300

  // Lanes that run in lock step: what the driver or the tables say, what the compiler says of a small
  // kernel, and what such a kernel saw when it ran. Code builds on the last: an RDNA card may run
  // either width, and drivers have misreported it.
  fact<unsigned> warp_size;       ///< NVIDIA warp, AMD wavefront
  fact<unsigned> lanes_probed;    ///< in a running kernel; 1 on a CPU, where nothing is run
  fact<unsigned> lanes_measured;  ///< CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE of a compiled kernel
  fact<std::vector<std::size_t>> sub_group_sizes;  ///< in lanes, each of which some kernel may get
  fact<bool> sub_groups;                  ///< core 2.1+/3.0 feature or cl_khr_subgroups / cl_intel_subgroups
  fact<bool> sub_group_shuffle_relative;  ///< sub_group_shuffle_up: reported, and compiled by the probe
  fact<std::string> sub_group_shuffle_extension;  ///< which of the two, if any
  fact<bool> sub_group_size_selectable;           ///< a kernel may ask for one of sub_group_sizes

  fact<bool> shared_virtual_memory;  ///< buffers of it, at least
  /// A kernel may write page-locked host memory at the address the host has for it.
  fact<bool> host_memory_reached;

  fact<unsigned> compute_units;           ///< SMs of NVIDIA, CUs of AMD, EUs or Xe cores, a CPU's cores
  fact<unsigned> lanes_per_compute_unit;  ///< float additions that each begins in a cycle
  fact<unsigned> clock_mhz;               ///< the highest, in MHz
  fact<std::size_t> max_work_group_size;  ///< in work-items
  fact<std::vector<std::size_t>> max_work_item_sizes;  ///< in each dimension, in work-items
  fact<std::uint64_t> global_memory;                   ///< bytes
  fact<std::uint64_t> max_allocation;                  ///< bytes that one buffer may have
  fact<std::uint64_t> local_memory;                    ///< bytes that a work-group may have
  fact<std::uint64_t> global_cache;                    ///< bytes, of the level that the driver tells of
  fact<std::uint64_t> constant_buffer;                 ///< bytes that a constant argument may have
  fact<bool> local_memory_is_dedicated;                ///< false: a part of global memory, as on CPUs
  fact<unsigned> cache_line;                           ///< bytes
  fact<unsigned> base_address_align;                   ///< bytes; sub-buffers start at multiples of it
  fact<unsigned> preferred_vector_width_char;          ///< components
  fact<unsigned> preferred_vector_width_float;         ///< components
  fact<unsigned> native_vector_width_float;            ///< components
  fact<unsigned> native_vector_width_double;           ///< components; 0 where there is no double
  fact<unsigned> registers_per_block;    ///< NVIDIA: registers of 32 bits that a work-group may have
  fact<unsigned> memory_channels;        ///< AMD: channels of the device's memory
  fact<unsigned> simd_per_compute_unit;  ///< SIMD units of a compute unit
  fact<unsigned> simd_width;             ///< lanes of one SIMD unit
  fact<std::string> pci;                 ///< "domain:bus:device.function" or as much as is known
  fact<std::string> board_name;          ///< AMD: what the card is sold as, where `name` is the architecture

  fact<bool> fp64;                           ///< has double
  fact<bool> fp16;                           ///< computes in half; clwave stores halves on every device
  fact<bool> int64_atomics;                  ///< cl_khr_int64_base_atomics
  fact<bool> f32_denormals;                  ///< false: a float's denormals become 0, and bits may differ
  fact<bool> f64_denormals;                  ///< false: a double's denormals become 0, and bits may differ
  fact<bool> correctly_rounded_divide_sqrt;  ///< of floats, where a build asks for it
  fact<bool> device_scope_atomics;           ///< acquire-release at device scope in OpenCL C 2.0 or 3.0
  fact<bool> inline_ptx;                     ///< compile probe
  fact<bool> amd_builtins;                   ///< compile probe: __builtin_amdgcn_* (not in Mesa's rusticl)
  /// Loops run to their end. False: the driver ends long ones early and reports no error (Mesa's llvmpipe
  /// does), and calls on the device are refused. Assumed of drivers that are known to; others are probed.
  fact<bool> finishes_loops;
  fact<bool> host_unified_memory;          ///< device and host share one memory
  fact<bool> out_of_order_queue;           ///< queues may run commands out of order
  fact<bool> compiler_available;           ///< builds from source, which clwave needs
  fact<bool> images;                       ///< has images, which clwave does not use
  fact<unsigned> profiling_resolution_ns;  ///< what the times of profiled events are multiples of

  /// Facts of one vendor that no code reads, kept for `clwave info`.
  std::vector<printed_fact> extra;
};

/// All facts of the structure in reading order, ready to print. Unknown ones are in the list too.
CLWAVE_EXPORT std::vector<printed_fact> print(const device_facts& facts);

/// Where a device was found.
struct device_place {
  cl_platform_id platform = nullptr;  ///< the driver's platform
  cl_device_id device = nullptr;      ///< the device itself
  unsigned platform_index = 0;        ///< from 0 on, in the order of the OpenCL loader
  unsigned device_index = 0;          ///< from 0 on, among the platform's devices
};

/// The devices of every platform, in platform then device order. Discovered under a lock (PoCL's first
/// calls race) and kept for the life of the process; a platform that failed or named no device is asked
/// again by the next call, so that a later list may have more. A list once returned stays as it is. Empty
/// if there is no platform. Cheap: it asks for the list only, not for the facts.
CLWAVE_EXPORT const std::vector<device_place>& devices();

/// The facts of one device; gathered once a process, probes included (they compile a small program, unless
/// an earlier process kept what they found on disk: CLWAVE_CACHE_DIR), then answered from memory. Safe from
/// all threads. Of a CPU only finishes_loops is probed, and only where its driver is not known: their
/// compilers are slow and the other answers known. A probe that fails leaves its fact unknown. Throws for a
/// null device, and where a sub-device cannot be retained. A sub-device's facts stay good as long as you hold
/// a reference to it.
CLWAVE_EXPORT const device_facts& facts_of(cl_device_id device);

/// Chooses from `devices()` by selector:
///
///     "0:1"       platform 0, device 1          "1"        the second device of the whole list
///     "gpu" "cpu" the first of that type        "sm_90" "gfx90a"  the first of that architecture
///     name~"text" text in the device name, without regard to case      pci=41:00  text in the PCI place
///     ""          CLWAVE_DEVICE if set; else the first GPU, else the first device
///
/// "gpu", "cpu" and "" pass by devices whose driver does not run loops to their end (facts.finishes_loops),
/// as long as there is another one. Of drivers that are not known, this compiles and runs the probes.
///
/// Throws clwave::error: no_device when there is none at all, device_absent when none matches,
/// bad_call for a selector of no known form.
CLWAVE_EXPORT cl_device_id select_device(std::string_view selector = {});

/// What a name says. An AMD name is the ISA's ("gfx90a:sramecc+:xnack-", "gfx906+sram-ecc",
/// "gfx902-xnack", "gfx11-generic"), an old code name ("Hawaii", "Tonga", "Ellesmere", "Vega10"...) or
/// Mesa's ("AMD Radeon ... (radeonsi, navi21, ...)"). No value where the name says nothing.
CLWAVE_EXPORT std::optional<unsigned> parse_amd_gfx(std::string_view device_name);

}  // namespace clwave
