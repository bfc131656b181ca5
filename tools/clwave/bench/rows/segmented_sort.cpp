// Rows of segmented_sort.
#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <clwave/segmented_sort.hpp>

#include "bench/bench.hpp"
#include "bench/peers/cuda.hpp"
#include "bench/segment_offsets.hpp"

namespace clwave::tool::bench {
namespace {

struct segments_task {
  std::string shape;
  std::shared_ptr<const std::vector<std::uint32_t>> offsets;
  arrangement at;

  std::uint64_t segments() const { return offsets->size() - 1; }
};

double bytes_of(const segments_task& task) {
  return static_cast<double>(task.at.n * 8 + (task.segments() + 1) * 4);
}

// A segment a group. Keys rise, and all together have the sum of hashes that the input has.
constexpr const char* check_source = R"(
uint mixed(int x) {
  uint h = (uint)x * 0x9e3779b1u;
  h ^= h >> 15;
  h *= 0x85ebca6bu;
  return h ^ h >> 13;
}
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
  const cl::Buffer out = lab.buffer(out_bytes), offsets = lab.buffer(task.offsets->size() * 4);
  detail::check(
      lab.on.queue.enqueueWriteBuffer(offsets, CL_TRUE, 0, task.offsets->size() * 4, task.offsets->data()),
      "write the offsets");
  contender c;
  c.bytes = bytes_of(task);
  c.call = [&lab, x, out, offsets, task](std::size_t place) {
    using keys = view<std::int32_t>;
    segmented_sort(lab.on.queue, keys{x->buffer, task.at.n, place * task.at.stride},
                   view<std::uint32_t>{offsets, task.offsets->size()},
                   keys{out, task.at.n, place * task.at.stride}, {}, no_event);
  };
  c.spoil = [&lab, out, out_bytes] { lab.spoil(out, out_bytes); };
  c.wrong = [&lab, x, out, offsets, task](std::size_t place) -> std::string {
    cl::Kernel k = lab.kernel(check_source, "count");
    k.setArg(0, x->buffer);
    k.setArg(1, offsets);
    k.setArg(2, out);
    k.setArg(3, cl_ulong{place * task.at.stride});
    k.setArg(4, cl_ulong{task.segments()});
    k.setArg(5, cl_ulong{lab.each_of(task.at.n)});
    return lab.count(k, 6) == 0 ? "" : "segments are not sorted, or not those of the input";
  };
  return c;
}

contender std_segments(laboratory& lab, const segments_task& task) {
  const std::shared_ptr<void> x = lab.host_copy(*lab.data("i32", first_seed, task.at));
  const auto out = std::make_shared<std::vector<std::int32_t>>(task.at.n);
  contender c;
  c.on_device = false;
  c.bytes = bytes_of(task);
  c.finish = [] {};
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

segments_task task_of(const std::string& shape, const laboratory& lab) {
  segments_task task{shape, std::make_shared<const std::vector<std::uint32_t>>(segment_offsets(shape)), {}};
  task.at = lab.arrange(task.offsets->back(), 4);
  return task;
}

void add_rows(laboratory& lab, std::vector<group>& all, const std::string& shape) {
  const segments_task task = task_of(shape, lab);
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
  const segments_task task = task_of(std::to_string((n + 63) / 64) + "x64", lab);
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
