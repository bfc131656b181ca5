// The segments that rows of segmented primitives have: on the host, on the device, and what checks their
// results.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "bench/bench.hpp"
#include "bench/segment_offsets.hpp"

namespace clwave::tool::bench {

struct segments_task {
  std::string shape;
  std::shared_ptr<const std::vector<std::uint32_t>> offsets;
  arrangement at;

  std::uint64_t segments() const { return offsets->size() - 1; }
};

// Of elements of 4 bytes.
inline segments_task segments_of(const std::string& shape, const laboratory& lab) {
  segments_task task{shape, std::make_shared<const std::vector<std::uint32_t>>(segment_offsets(shape)), {}};
  task.at = lab.arrange(task.offsets->back(), 4);
  return task;
}

inline cl::Buffer offsets_of(laboratory& lab, const segments_task& task) {
  cl::Buffer offsets = lab.buffer(task.offsets->size() * 4);
  detail::check(
      lab.on.queue.enqueueWriteBuffer(offsets, CL_TRUE, 0, task.offsets->size() * 4, task.offsets->data()),
      "write the offsets");
  return offsets;
}

// How many times the kernel `count` of a source finds something wrong in the results of one place.
inline std::function<cl_uint(std::size_t place)> count_of_segments(laboratory& lab, const std::string& source,
                                                                   const cl::Buffer& in,
                                                                   const cl::Buffer& offsets,
                                                                   const cl::Buffer& out,
                                                                   const segments_task& task) {
  return [&lab, source, in, offsets, out, task](std::size_t place) {
    cl::Kernel k = lab.kernel(source, "count");
    k.setArg(0, in);
    k.setArg(1, offsets);
    k.setArg(2, out);
    k.setArg(3, cl_ulong{place * task.at.stride});
    k.setArg(4, cl_ulong{task.segments()});
    k.setArg(5, cl_ulong{lab.each_of(task.at.n)});
    return lab.count(k, 6);
  };
}

// Where a reduction or a scan of floats is measured.
inline constexpr const char* folded_segments[] = {"1048576x16", "1048576x61", "16384x1024",
                                                  "16384x999",  "16x4194304", "power-law-262144"};

}  // namespace clwave::tool::bench
