// The table of properties: number, name, how the answer is read, and what a driver must report before it is
// asked. The numbers are those of the OpenCL registry; vendors' stand here as numbers, since headers of
// different ages have different ones.
#pragma once

#include <span>
#include <string_view>

#include <clwave/opencl.hpp>

namespace clwave::tool {

// How an answer's bytes are read.
enum class reading {
  text,
  words,           // text with blanks between its words
  semicolons,      // text with semicolons between its words
  number,          // of 4 or 8 bytes
  hex,             // the same, shown in hexadecimal
  flag,            // cl_bool
  sizes,           // a list of size_t
  words32,         // a list of cl_uint
  version,         // cl_version
  named_versions,  // a list of cl_name_version
  bits,            // a sum of named bits
  choice,          // one of named values
  choices,         // a list of cl_uint or 8-byte values, each one of named values, ended by a zero
  uuid,            // 16 bytes
  luid,            // 8 bytes
  pci_bus,         // cl_device_pci_bus_info_khr
  topology,        // cl_device_topology_amd
  queue_families,  // a list of cl_queue_family_properties_intel
  handles,         // a list of cl_device_id, of which only their number says anything
};

// The name of a bit, or of a value.
struct named_number {
  cl_ulong number;
  std::string_view name;
};

struct property_row {
  cl_uint number;
  std::string_view name;
  reading how;
  unsigned since = 0;                // asked from this OpenCL version on; 0: by extension only
  std::string_view extensions = {};  // or where one of these is reported, blanks between them
  std::span<const named_number> names = {};
};

std::span<const property_row> platform_rows();
std::span<const property_row> device_rows();

}  // namespace clwave::tool
