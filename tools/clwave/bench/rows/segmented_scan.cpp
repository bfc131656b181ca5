// Rows of segmented_scan.
#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <clwave/segmented_scan.hpp>

#include "bench/bench.hpp"
#include "bench/peers/openmp.hpp"
#include "bench/segments.hpp"

namespace clwave::tool::bench::rows_of_segmented_scan {
namespace {

// Of one call, which reads elements and offsets once and writes a result for each element.
double bytes_of(const segments_task& task) {
  return static_cast<double>(task.at.n * 2 * sizeof(float) + (task.segments() + 1) * 4);
}

std::shared_ptr<pool> input_of(laboratory& lab, const segments_task& task) {
  return lab.data("f32", first_seed, task.at, values::whole);
}

// A segment a group. Each result is the one before it and one element, which proves all of them: sums of
// whole numbers are exact in every order.
constexpr const char* check_source = R"(
kernel void count(const global float* restrict in, const global uint* restrict offsets,
                  const global float* restrict out, ulong first, ulong segments, ulong each, global uint* wrong) {
  uint found = 0;
  for (ulong s = get_group_id(0); s < segments; s += get_num_groups(0)) {
    for (ulong i = offsets[s] + get_local_id(0); i < offsets[s + 1]; i += get_local_size(0)) {
      const float sum = in[first + i] + (i > offsets[s] ? out[first + i - 1] : 0.0f);
      if (out[first + i] != sum) ++found;
    }
  }
  if (found > 0) atomic_add(wrong, found);
}
)";

contender clwave_segments(laboratory& lab, const segments_task& task) {
  const auto x = input_of(lab, task);
  const std::uint64_t out_elements = task.at.stride * task.at.places + 64;
  const std::uint64_t out_bytes = out_elements * sizeof(float);
  const cl::Buffer out = lab.buffer(out_bytes), offsets = offsets_of(lab, task);
  contender c;
  c.bytes = bytes_of(task);
  c.call = [&lab, x, out, offsets, task](std::size_t place) {
    segmented_inclusive_scan(lab.on.queue, view<float>{x->buffer, task.at.n, place * task.at.stride},
                             view<std::uint32_t>{offsets, task.offsets->size()},
                             view<float>{out, task.at.n, place * task.at.stride}, plus,
                             {.with_event = false});
  };
  c.spoil = [&lab, out, out_bytes] { lab.spoil(out, out_bytes); };
  c.wrong = [count = count_of_segments(lab, check_source, x->buffer, offsets, out, task)](
                std::size_t place) -> std::string {
    const cl_uint wrong = count(place);
    return wrong == 0 ? "" : std::to_string(wrong) + " results are not the one before them and one element";
  };
  return c;
}

contender openmp_segments(laboratory& lab, const segments_task& task) {
#ifdef CLWAVE_BENCH_OPENMP
  const std::shared_ptr<void> x = lab.host_copy(*input_of(lab, task));
  const auto sums = std::make_shared<std::vector<float>>(task.at.stride * task.at.places + 64);
  contender c = host_contender(bytes_of(task));
  c.call = [x, sums, task](std::size_t place) {
    openmp::segment_scans(static_cast<const float*>(x.get()) + place * task.at.stride, task.offsets->data(),
                          sums->data() + place * task.at.stride, task.segments());
  };
  c.spoil = [sums] { std::fill(sums->begin(), sums->end(), -1.5f); };
  c.wrong = [x, sums, task](std::size_t place) -> std::string {
    const float* in = static_cast<const float*>(x.get()) + place * task.at.stride;
    const float* out = sums->data() + place * task.at.stride;
    for (std::size_t s = 0; s < task.segments(); ++s) {
      double sum = 0;
      for (std::size_t i = (*task.offsets)[s]; i < (*task.offsets)[s + 1]; ++i) {
        sum += in[i];
        if (static_cast<double>(out[i]) != sum) return "a result is another sum";
      }
    }
    return "";
  };
  return c;
#else
  (void)lab, (void)task;
  return without_openmp();
#endif
}

void add_rows(laboratory& lab, std::vector<group>& all, const std::string& shape) {
  const segments_task task = segments_of(shape, lab);
  add_segment_rows(lab, all, task, bytes_of(task), bytes_of(task), "segmented_scan/sum/f32/",
                   {"clwave", "clwave::segmented_inclusive_scan, sums, 32-bit offsets", clwave_segments},
                   {"openmp", "OpenMP: segments on all cores, each by a loop, -O3 -march=native -ffast-math",
                    openmp_segments},
                   "cub::DeviceScan::InclusiveSumByKey, the segments' numbers as keys, which are there");
}

void add_groups(laboratory& lab, std::vector<group>& all) {
  for (const char* shape : folded_segments) add_rows(lab, all, shape);
}

const registered_rows listed("segmented_scan", {{.add = add_groups}});

}  // namespace
}  // namespace clwave::tool::bench::rows_of_segmented_scan
