// Elements in runs of one length, for the rows that look for runs.
#pragma once

#include <cstdint>
#include <string>

#include "bench/bench.hpp"

namespace clwave::tool::bench {

// The elements of all places.
inline std::uint64_t elements_of_runs(const arrangement& at) { return at.stride * at.places + 64; }

// Element i of all is that of run i / run: random ones, of which neighbours may be equal once in 2^32. Of a
// type of 4 bytes.
inline cl::Buffer made_runs(laboratory& lab, const std::string& type, const arrangement& at,
                            std::uint64_t run) {
  const std::uint64_t n = elements_of_runs(at);
  cl::Buffer made = lab.buffer(n * 4);
  const std::string source = random_source() + R"(
kernel void make_runs(global TO* out, ulong n, ulong run, uint seed) {
  for (ulong i = get_global_id(0); i < n; i += get_global_size(0)) out[i] = from(i / run, seed);
}
)";
  cl::Kernel make = lab.kernel(source, "make_runs", "-DFROM_" + type + " -DTO_" + type);
  make.setArg(0, made);
  make.setArg(1, cl_ulong{n});
  make.setArg(2, cl_ulong{run});
  make.setArg(3, cl_uint{first_seed});
  lab.launch(make, 1024, lab.is_cpu ? 1 : 256);
  lab.finish();
  return made;
}

}  // namespace clwave::tool::bench
