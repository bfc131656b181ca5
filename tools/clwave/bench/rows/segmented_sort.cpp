// Rows of segmented_sort.
#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <clwave/segmented_sort.hpp>

#include "bench/bench.hpp"
#include "bench/segments.hpp"

namespace clwave::tool::bench::rows_of_segmented_sort {
namespace {

contender clwave_segments(laboratory& lab, const segments_task& task) {
  return sorted_segments(lab, task, [&lab](const auto& in, const auto& offsets, const auto& out) {
    segmented_sort(lab.on.queue, in, offsets, out, {.with_event = false});
  });
}

contender std_segments(laboratory& lab, const segments_task& task) {
  const std::shared_ptr<void> x = lab.host_copy(*lab.data("i32", first_seed, task.at));
  const auto out = std::make_shared<std::vector<std::int32_t>>(task.at.n);
  contender c = host_contender(bytes_of_sorted(task));
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
  add_segment_rows(
      lab, all, task, bytes_of_sorted(task) * 2, bytes_of_sorted(task), "segmented_sort/keys/i32/",
      {"clwave", "clwave::segmented_sort, 32-bit offsets", clwave_segments},
      {"std", "std::sort of each segment on one core, with a copy of the input before", std_segments},
      "cub::DeviceSegmentedSort");
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
                return clwave::plan(
                    sort_problem{.keys = {key, n},
                                 .keys_out = key,
                                 .offsets = clwave::any_view(element_of<std::uint32_t>(), segments + 1)},
                    on);
              }};
}

// What the rows are held against, on an H200.
const registered_rows listed(
    "segmented_sort",
    {{.add = add_groups,
      .tuned = {{.name = "segmented_sort", .types = {"i32"}, .work = tuned_segments, .default_share = 4}},
      .goals = {{where::gpu, "segmented_sort/keys/i32/(1048576x16|1048576x64|65536x256)/clwave",
                 measure_of::speed, "segmented_sort/keys/i32/$1/cub", 0.9}}}});

}  // namespace
}  // namespace clwave::tool::bench::rows_of_segmented_sort
