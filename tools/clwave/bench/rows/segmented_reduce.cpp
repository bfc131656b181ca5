// Rows of segmented_reduce.
#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <clwave/segmented_reduce.hpp>

#include "bench/bench.hpp"
#include "bench/peers/openmp.hpp"
#include "bench/segments.hpp"

namespace clwave::tool::bench::rows_of_segmented_reduce {
namespace {

// Of one call, which reads elements and offsets once and writes a result a segment.
double bytes_of(const segments_task& task) {
  return static_cast<double>(task.at.n * sizeof(float) + (2 * task.segments() + 1) * 4);
}

std::shared_ptr<pool> input_of(laboratory& lab, const segments_task& task) {
  return lab.data("f32", first_seed, task.at, values::whole);
}

// A segment a work-item. Sums of whole numbers are exact in every order.
constexpr const char* check_source = R"(
kernel void count(const global float* restrict in, const global uint* restrict offsets,
                  const global float* restrict out, ulong first, ulong segments, ulong each, global uint* wrong) {
  uint found = 0;
  for (ulong s = get_global_id(0); s < segments; s += get_global_size(0)) {
    float sum = 0;
    for (ulong i = offsets[s]; i < offsets[s + 1]; ++i) sum += in[first + i];
    if (out[s] != sum) ++found;
  }
  if (found > 0) atomic_add(wrong, found);
}
)";

contender clwave_segments(laboratory& lab, const segments_task& task) {
  const auto x = input_of(lab, task);
  const std::uint64_t out_bytes = task.segments() * sizeof(float);
  const cl::Buffer out = lab.buffer(out_bytes), offsets = offsets_of(lab, task);
  contender c;
  c.bytes = bytes_of(task);
  c.call = [&lab, x, out, offsets, task](std::size_t place) {
    segmented_reduce(lab.on.queue, view<float>{x->buffer, task.at.n, place * task.at.stride},
                     view<std::uint32_t>{offsets, task.offsets->size()}, view<float>{out, task.segments()},
                     plus, no_event);
  };
  c.spoil = [&lab, out, out_bytes] { lab.spoil(out, out_bytes); };
  c.wrong = [count = count_of_segments(lab, check_source, x->buffer, offsets, out, task)](
                std::size_t place) -> std::string {
    const cl_uint wrong = count(place);
    return wrong == 0 ? "" : std::to_string(wrong) + " segments have another sum";
  };
  return c;
}

contender openmp_segments(laboratory& lab, const segments_task& task) {
#ifdef CLWAVE_BENCH_OPENMP
  const std::shared_ptr<void> x = lab.host_copy(*input_of(lab, task));
  const auto sums = std::make_shared<std::vector<float>>(task.segments());
  contender c = host_contender(bytes_of(task));
  c.call = [x, sums, task](std::size_t place) {
    openmp::segment_sums(static_cast<const float*>(x.get()) + place * task.at.stride, task.offsets->data(),
                         sums->data(), task.segments());
  };
  c.spoil = [sums] { std::fill(sums->begin(), sums->end(), -1.5f); };
  c.wrong = [x, sums, task](std::size_t place) -> std::string {
    const float* in = static_cast<const float*>(x.get()) + place * task.at.stride;
    for (std::size_t s = 0; s < sums->size(); ++s) {
      double sum = 0;
      for (std::size_t i = (*task.offsets)[s]; i < (*task.offsets)[s + 1]; ++i) sum += in[i];
      if (static_cast<double>((*sums)[s]) != sum) return "a segment has another sum";
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
  add_segment_rows(
      lab, all, task, bytes_of(task), bytes_of(task), "segmented_reduce/sum/f32/",
      {"clwave", "clwave::segmented_reduce, sums, 32-bit offsets", clwave_segments},
      {"openmp", "OpenMP: segments on all cores, each by a simd loop, -O3 -march=native -ffast-math",
       openmp_segments},
      "cub::DeviceSegmentedReduce::Sum, 32-bit offsets");
}

void add_groups(laboratory& lab, std::vector<group>& all) {
  for (const char* shape : folded_segments) add_rows(lab, all, shape);
}

// What the rows are held against: on a GPU an H200's figures, on a CPU PoCL's.
const registered_rows listed("segmented_reduce",
                             {{.add = add_groups,
                               .goals = {{where::gpu, "segmented_reduce/sum/f32/(.*)/clwave",
                                          measure_of::speed, "segmented_reduce/sum/f32/$1/cub", 1.0},
                                         {where::cpu, "segmented_reduce/sum/f32/(.*)/clwave",
                                          measure_of::speed, "segmented_reduce/sum/f32/$1/openmp", 0.9}}}});

}  // namespace
}  // namespace clwave::tool::bench::rows_of_segmented_reduce
