// Rows of sorts by comparison.
#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <clwave/sort.hpp>

#include "bench/bench.hpp"
#include "bench/hash.hpp"
#include "bench/peers/boost.hpp"
#include "bench/peers/cuda.hpp"

#ifdef CLWAVE_BENCH_BOOST
#include <boost/compute/algorithm/stable_sort.hpp>
#include <boost/compute/functional/operator.hpp>
#endif

namespace clwave::tool::bench::rows_of_merge_sort {
namespace {

struct sort_task {
  arrangement at;
};

std::uint64_t elements_of(const sort_task& task) { return task.at.stride * task.at.places + 64; }
double bytes_of(const sort_task& task) { return 8.0 * static_cast<double>(task.at.n); }

// Keys rise, and have the sum of hashes that the input has.
const std::string check_source = std::string(hash_of_key_source) + R"(
kernel void count_keys(const global int* in, const global int* out, ulong first, ulong n, global uint* wrong) {
  uint found = 0;
  for (ulong i = first + get_global_id(0); i < first + n; i += get_global_size(0)) {
    found += mixed(out[i]) - mixed(in[i]);
    if (i > first && out[i - 1] > out[i]) ++found;
  }
  if (found != 0) atomic_add(wrong, found);
}
)";

struct sort_buffers {
  std::shared_ptr<pool> keys;
  cl::Buffer out;
};

sort_buffers buffers_of(laboratory& lab, const sort_task& task) {
  return {.keys = lab.data("i32", first_seed, task.at), .out = lab.buffer(elements_of(task) * 4)};
}

void add_check(laboratory& lab, contender& c, const sort_buffers& all, const sort_task& task) {
  c.bytes = bytes_of(task);
  c.spoil = [&lab, all, task] { lab.spoil(all.out, elements_of(task) * 4); };
  c.wrong = [&lab, all, task](std::size_t place) -> std::string {
    cl::Kernel k = lab.kernel(check_source, "count_keys");
    k.setArg(0, all.keys->buffer);
    k.setArg(1, all.out);
    k.setArg(2, cl_ulong{place * task.at.stride});
    k.setArg(3, cl_ulong{task.at.n});
    return lab.count(k, 4) == 0 ? "" : "the keys are not sorted, or not those of the input";
  };
}

contender clwave_sort(laboratory& lab, const sort_task& task) {
  const sort_buffers all = buffers_of(lab, task);
  contender c;
  add_check(lab, c, all, task);
  c.call = [&lab, all, task,
            less = op{.name = "less", .source = "a < b", .identity = {}}](std::size_t place) {
    const std::uint64_t first = place * task.at.stride, n = task.at.n;
    clwave::sort(lab.on.queue, view<std::int32_t>{all.keys->buffer, n, first},
                 view<std::int32_t>{all.out, n, first}, {.less = less, .with_event = false});
  };
  return c;
}

#ifdef CLWAVE_BENCH_BOOST
contender boost_sort(laboratory& lab, const sort_task& task) {
  const sort_buffers all = buffers_of(lab, task);
  contender c;
  add_check(lab, c, all, task);
  c.call = [&lab, all, task, queue = compute::command_queue(lab.on.queue())](std::size_t place) mutable {
    const std::uint64_t first = place * task.at.stride;
    lab.on.queue.enqueueCopyBuffer(all.keys->buffer, all.out, first * 4, first * 4, task.at.n * 4);
    // An order that it has no radix sort for.
    BOOST_COMPUTE_FUNCTION(bool, less, (int a, int b), { return a < b; });
    compute::stable_sort(boost_at<std::int32_t>(all.out, first),
                         boost_at<std::int32_t>(all.out, first + task.at.n), less, queue);
  };
  return c;
}
#else
contender boost_sort(laboratory&, const sort_task&) { return without_boost(); }
#endif

contender std_sort(laboratory& lab, const sort_task& task) {
  const std::shared_ptr<void> keys = lab.host_copy(*lab.data("i32", first_seed, task.at));
  const auto out = std::make_shared<std::vector<std::int32_t>>(task.at.n);
  contender c = host_contender(bytes_of(task));
  c.call = [keys, out, task](std::size_t place) {
    std::copy_n(static_cast<const std::int32_t*>(keys.get()) + place * task.at.stride, task.at.n,
                out->begin());
    std::stable_sort(out->begin(), out->end());
  };
  c.spoil = [out] { std::fill(out->begin(), out->end(), 1); };
  c.wrong = [out](std::size_t /*place*/) -> std::string {
    return std::is_sorted(out->begin(), out->end()) ? "" : "the keys are not sorted";
  };
  return c;
}

void add_groups(laboratory& lab, std::vector<group>& all) {
  std::vector<std::uint64_t> sizes{10'000, 1'000'000, 10'000'000};
  if (!lab.is_cpu) sizes = {1u << 10, 1u << 12, 1u << 16, 1u << 20, 1u << 24, 1u << 26};
  for (const std::uint64_t n : sizes) {
    sort_task task{.at = lab.arrange(n, 4)};
    task.at.stride = (task.at.stride + 255) / 256 * 256;
    if (!lab.fits(static_cast<double>(n) * 12)) continue;
    group rows;
    rows.places = task.at.places;
    const std::string base = "merge_sort/keys/i32/" + std::to_string(n) + "/";
    const auto add = [&](const char* name, const std::string& sentence, std::function<contender()> make) {
      rows.rows.push_back({base + name, sentence, std::move(make)});
    };
    add("clwave", "clwave::sort by the operator a < b", [&lab, task] { return clwave_sort(lab, task); });
    add("boost.compute",
        "Boost.Compute's stable_sort by a function, with a copy of its input before: it sorts in place",
        [&lab, task] { return boost_sort(lab, task); });
    if (lab.is_cpu)
      add("std", "std::stable_sort on one core, with a copy of its input before",
          [&lab, task] { return std_sort(lab, task); });
    if (lab.is_nvidia)
      add("cub", "cub::DeviceMergeSort, with a copy of its input",
          [&lab, task, row = base + "cub"] { return cuda_counted(lab, row, task.at, bytes_of(task)); });
    all.push_back(std::move(rows));
  }
}

// What the rows are held against, on an H200.
const registered_rows listed(
    "merge_sort", {{.add = add_groups,
                    .goals = {{where::gpu, "merge_sort/keys/i32/(16777216|67108864)/clwave",
                               measure_of::speed, "merge_sort/keys/i32/$1/boost.compute", 10.0}}}});

}  // namespace
}  // namespace clwave::tool::bench::rows_of_merge_sort
