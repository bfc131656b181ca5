// Rows of segmented_sort.
#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <clwave/segmented_sort.hpp>

#include "bench/bench.hpp"
#include "bench/hash.hpp"
#include "bench/peers/cuda.hpp"
#include "bench/segments.hpp"

namespace clwave::tool::bench {
namespace {

double bytes_of(const segments_task& task) {
  return static_cast<double>(task.at.n * 8 + (task.segments() + 1) * 4);
}

// A segment a group. Keys rise, and all together have the sum of hashes that the input has.
const std::string check_source = std::string(hash_of_key_source) + R"(
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

contender clwave_segments(laboratory& lab, const segments_task& task) {
  const auto x = lab.data("i32", first_seed, task.at);
  const std::uint64_t out_bytes = (task.at.stride * task.at.places + 64) * 4;
  const cl::Buffer out = lab.buffer(out_bytes), offsets = offsets_of(lab, task);
  contender c;
  c.bytes = bytes_of(task);
  c.call = [&lab, x, out, offsets, task](std::size_t place) {
    using keys = view<std::int32_t>;
    segmented_sort(lab.on.queue, keys{x->buffer, task.at.n, place * task.at.stride},
                   view<std::uint32_t>{offsets, task.offsets->size()},
                   keys{out, task.at.n, place * task.at.stride}, {}, no_event);
  };
  c.spoil = [&lab, out, out_bytes] { lab.spoil(out, out_bytes); };
  c.wrong = [count = count_of_segments(lab, check_source, x->buffer, offsets, out, task)](
                std::size_t place) -> std::string {
    return count(place) == 0 ? "" : "segments are not sorted, or not those of the input";
  };
  return c;
}

contender std_segments(laboratory& lab, const segments_task& task) {
  const std::shared_ptr<void> x = lab.host_copy(*lab.data("i32", first_seed, task.at));
  const auto out = std::make_shared<std::vector<std::int32_t>>(task.at.n);
  contender c = host_contender(bytes_of(task));
  c.call = [x, out, task](std::size_t place) {
    std::copy_n(static_cast<const std::int32_t*>(x.get()) + place * task.at.stride, task.at.n, out->begin());
    for (std::size_t s = 0; s < task.segments(); ++s)
      std::sort(out->begin() + (*task.offsets)[s], out->begin() + (*task.offsets)[s + 1]);
  };
  c.spoil = [out] { std::fill(out->begin(), out->end(), 1); };
  c.wrong = [out, task](std::size_t /*place*/) -> std::string {
    for (std::size_t s = 0; s < task.segments(); ++s) {
      if (!std::is_sorted(out->begin() + (*task.offsets)[s], out->begin() + (*task.offsets)[s + 1]))
        return "a segment is not sorted";
    }
    return "";
  };
  return c;
}

void add_rows(laboratory& lab, std::vector<group>& all, const std::string& shape) {
  const segments_task task = segments_of(shape, lab);
  if (!lab.fits(bytes_of(task) * 2)) return;
  group rows;
  rows.places = task.at.places;
  const std::string base = "segmented_sort/keys/i32/" + shape + "/";
  rows.rows.push_back({base + "clwave", "clwave::segmented_sort, 32-bit offsets",
                       [&lab, task] { return clwave_segments(lab, task); }});
  if (lab.is_cpu)
    rows.rows.push_back({base + "std",
                         "std::sort of each segment on one core, with a copy of the input before",
                         [&lab, task] { return std_segments(lab, task); }});
  if (lab.is_nvidia)
    rows.rows.push_back({base + "cub", "cub::DeviceSegmentedSort", [&lab, task, row = base + "cub"] {
                           return cuda_counted(lab, row, task.at, bytes_of(task));
                         }});
  all.push_back(std::move(rows));
}

void add_groups(laboratory& lab, std::vector<group>& all) {
  for (const char* shape : {"1048576x16", "1048576x64", "1048576x61", "65536x256", "16384x1024", "16x4194304",
                            "power-law-262144"})
    if (!lab.is_cpu || std::string(shape) != "16x4194304") add_rows(lab, all, shape);
}

// Segments of 64.
tuned_work tuned_segments(laboratory& lab, const std::string& /*type*/, std::uint64_t n) {
  const segments_task task = segments_of(std::to_string((n + 63) / 64) + "x64", lab);
  return {.n = task.at.n,
          .places = task.at.places,
          .make = [&lab, task] { return clwave_segments(lab, task); },
          .plan =
              [n = task.at.n, segments = task.segments()](const plan_target& on) {
                const element& key = element_of<std::int32_t>();
                return clwave::plan(segmented_sort_question{.keys = key,
                                                            .offsets = element_of<std::uint32_t>(),
                                                            .keys_out = key,
                                                            .n = n,
                                                            .segments = segments},
                                    on);
              }};
}

// What the rows are held against, on an H200.
const std::vector<goal> goals = {
    {where::gpu, "segmented_sort/keys/i32/(1048576x16|1048576x64|65536x256)/clwave", measure_of::speed,
     "segmented_sort/keys/i32/$1/cub", 0.9},
};

const registered_rows listed(
    "segmented_sort",
    {{.add = add_groups,
      .tuned = {{.name = "segmented_sort", .types = {"i32"}, .work = tuned_segments, .default_share = 4}},
      .goals = goals}});

}  // namespace
}  // namespace clwave::tool::bench
