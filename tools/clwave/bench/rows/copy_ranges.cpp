// Rows of copy_ranges.
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include <clwave/copy.hpp>

#include "bench/bench.hpp"
#include "bench/segments.hpp"

namespace clwave::tool::bench::rows_of_copy_ranges {
namespace {

// The segments of an array in the opposite order. Their elements, which are read and written, and three
// numbers for each.
double bytes_of(const segments_task& task) {
  return static_cast<double>(task.at.n * 8 + task.segments() * 12);
}

// Where a segment comes to.
std::uint32_t out_start_of(const segments_task& task, std::size_t s) {
  return task.offsets->back() - (*task.offsets)[s + 1];
}

// A segment a group.
const std::string source = R"(
kernel void count(const global int* restrict in, const global uint* restrict offsets, const global int* restrict out,
                  ulong first, ulong segments, ulong each, global uint* wrong) {
  uint found = 0;
  for (ulong s = get_group_id(0); s < segments; s += get_num_groups(0)) {
    const ulong begin = offsets[s], to = offsets[segments] - offsets[s + 1];
    for (ulong i = get_local_id(0); i < offsets[s + 1] - begin; i += get_local_size(0))
      found += in[first + begin + i] != out[first + to + i] ? 1 : 0;
  }
  if (found != 0) atomic_add(wrong, found);
}
)";

cl::Buffer numbers_of(laboratory& lab, const std::vector<std::uint32_t>& numbers) {
  cl::Buffer made = lab.buffer(numbers.size() * 4);
  detail::check(lab.on.queue.enqueueWriteBuffer(made, CL_TRUE, 0, numbers.size() * 4, numbers.data()),
                "write the ranges");
  return made;
}

contender clwave_ranges(laboratory& lab, const segments_task& task) {
  const auto x = lab.data("i32", first_seed, task.at);
  const std::uint64_t out_bytes = (task.at.stride * task.at.places + 64) * 4, ranges = task.segments();
  std::vector<std::uint32_t> lengths(ranges), out_starts(ranges);
  for (std::size_t s = 0; s < ranges; ++s) {
    lengths[s] = (*task.offsets)[s + 1] - (*task.offsets)[s];
    out_starts[s] = out_start_of(task, s);
  }
  const cl::Buffer out = lab.buffer(out_bytes), offsets = offsets_of(lab, task),
                   sizes = numbers_of(lab, lengths), to = numbers_of(lab, out_starts);
  contender c;
  c.bytes = bytes_of(task);
  c.call = [&lab, x, out, offsets, sizes, to, task, ranges](std::size_t place) {
    using numbers = view<std::uint32_t>;
    const std::uint64_t first = place * task.at.stride;
    copy_ranges(lab.on.queue, view<std::int32_t>{x->buffer, task.at.n, first}, numbers{offsets, ranges},
                numbers{sizes, ranges}, view<std::int32_t>{out, task.at.n, first}, numbers{to, ranges},
                no_event);
  };
  c.spoil = [&lab, out, out_bytes] { lab.spoil(out, out_bytes); };
  c.wrong = [count = count_of_segments(lab, source, x->buffer, offsets, out, task)](
                std::size_t place) -> std::string {
    return count(place) == 0 ? "" : "some elements are wrong";
  };
  return c;
}

contender memcpy_ranges(laboratory& lab, const segments_task& task) {
  const std::shared_ptr<void> x = lab.host_copy(*lab.data("i32", first_seed, task.at));
  const auto out = std::make_shared<std::vector<std::int32_t>>(task.at.n);
  const auto go_over = [x, out, task](std::size_t place, const auto& use) {
    const auto* const in = static_cast<const std::int32_t*>(x.get()) + place * task.at.stride;
    for (std::size_t s = 0; s < task.segments(); ++s)
      use(out->data() + out_start_of(task, s), in + (*task.offsets)[s],
          ((*task.offsets)[s + 1] - (*task.offsets)[s]) * sizeof(std::int32_t));
  };
  contender c = host_contender(bytes_of(task));
  c.call = [go_over](std::size_t place) {
    go_over(place, [](void* to, const void* from, std::size_t n) { std::memcpy(to, from, n); });
  };
  c.spoil = [out] { std::fill(out->begin(), out->end(), 1); };
  c.wrong = [go_over](std::size_t place) -> std::string {
    bool right = true;
    go_over(place, [&right](const void* to, const void* from, std::size_t n) {
      right = right && std::memcmp(to, from, n) == 0;
    });
    return right ? "" : "some elements are wrong";
  };
  return c;
}

void add_groups(laboratory& lab, std::vector<group>& all) {
  for (const char* shape : {"1048576x16", "16384x999", "16x4194304", "power-law-262144"}) {
    const segments_task task = segments_of(shape, lab);
    add_segment_rows(lab, all, task, bytes_of(task) + static_cast<double>(task.segments()) * 12,
                     bytes_of(task), "copy_ranges/reversed/i32/",
                     {"clwave", "clwave::copy_ranges, starts and lengths of 32 bits", clwave_ranges},
                     {"memcpy", "memcpy of each range on one core", memcpy_ranges},
                     "cub::DeviceMemcpy::Batched, starts and lengths of 32 bits");
  }
}

// What the rows are held against, on an H200.
const registered_rows listed("copy",
                             {{.add = add_groups,
                               .goals = {{where::gpu, "copy_ranges/reversed/i32/(.*)/clwave",
                                          measure_of::speed, "copy_ranges/reversed/i32/$1/cub", 1.0}}}});

}  // namespace
}  // namespace clwave::tool::bench::rows_of_copy_ranges
