// The segments that rows of segmented primitives have: on the host, on the device, and what checks their
// results.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "bench/bench.hpp"
#include "bench/hash.hpp"
#include "bench/peers/cuda.hpp"
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

// A row of segments: the end of its name, its sentence, and what makes it.
struct segment_row {
  std::string name, sentence;
  contender (*make)(laboratory&, const segments_task&);
};

// Adds clwave's row, on a CPU the host's, and CUB's; none where the device's memory does not hold `room`
// bytes. `base` is what their names begin with, up to the shape; `bytes` are those of one call.
inline void add_segment_rows(laboratory& lab, std::vector<group>& all, const segments_task& task, double room,
                             double bytes, const std::string& base, const segment_row& ours,
                             const segment_row& host, const std::string& cub) {
  if (!lab.fits(room)) return;
  group rows;
  rows.places = task.at.places;
  const auto add = [&](const segment_row& of) {
    rows.rows.push_back({base + task.shape + "/" + of.name, of.sentence,
                         [&lab, task, make = of.make] { return make(lab, task); }});
  };
  add(ours);
  if (lab.is_cpu) add(host);
  const std::string row = base + task.shape + "/cub";
  if (lab.is_nvidia)
    rows.rows.push_back(
        {row, cub, [&lab, task, bytes, row] { return cuda_counted(lab, row, task.at, bytes); }});
  all.push_back(std::move(rows));
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

// What a sort of segments of i32 reads and writes.
inline double bytes_of_sorted(const segments_task& task) {
  return static_cast<double>(task.at.n * 8 + (task.segments() + 1) * 4);
}

// A segment a group. Keys rise, and all together have the sum of hashes that the input has.
inline const std::string sorted_segments_source = std::string(hash_of_key_source) + R"(
kernel void count(const global int* restrict in, const global uint* restrict offsets, const global int* restrict out,
                  ulong first, ulong segments, ulong each, global uint* wrong) {
  uint found = 0;
  for (ulong s = get_group_id(0); s < segments; s += get_num_groups(0)) {
    for (ulong i = offsets[s] + get_local_id(0); i < offsets[s + 1]; i += get_local_size(0)) {
      found += mixed(out[first + i]) - mixed(in[first + i]);
      if (i > offsets[s] && out[first + i - 1] > out[first + i]) ++found;
    }
  }
  if (found != 0) atomic_add(wrong, found);
}
)";

// Sorts of segments of i32 by sort(in, offsets, out), which are views.
template <class Sort>
contender sorted_segments(laboratory& lab, const segments_task& task, const Sort& sort) {
  const auto x = lab.data("i32", first_seed, task.at);
  const std::uint64_t out_bytes = (task.at.stride * task.at.places + 64) * 4;
  const cl::Buffer out = lab.buffer(out_bytes), offsets = offsets_of(lab, task);
  contender c;
  c.bytes = bytes_of_sorted(task);
  c.call = [x, out, offsets, task, sort](std::size_t place) {
    using keys = view<std::int32_t>;
    sort(keys{x->buffer, task.at.n, place * task.at.stride},
         view<std::uint32_t>{offsets, task.offsets->size()}, keys{out, task.at.n, place * task.at.stride});
  };
  c.spoil = [&lab, out, out_bytes] { lab.spoil(out, out_bytes); };
  c.wrong = [count = count_of_segments(lab, sorted_segments_source, x->buffer, offsets, out, task)](
                std::size_t place) -> std::string {
    return count(place) == 0 ? "" : "segments are not sorted, or not those of the input";
  };
  return c;
}

// Where a reduction or a scan of floats is measured.
inline constexpr const char* folded_segments[] = {"1048576x16", "1048576x61", "16384x1024",
                                                  "16384x999",  "16x4194304", "power-law-262144"};

}  // namespace clwave::tool::bench
