// Rows of top_k and segmented_top_k.
#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <clwave/top_k.hpp>

#include "bench/bench.hpp"
#include "bench/peers/boost.hpp"
#include "bench/peers/cuda.hpp"
#include "bench/random.hpp"
#include "bench/segments.hpp"

#ifdef CLWAVE_BENCH_BOOST
#include <boost/compute/algorithm/copy.hpp>
#include <boost/compute/algorithm/sort.hpp>
#endif

namespace clwave::tool::bench::rows_of_top_k {
namespace {

struct top_k_task {
  std::uint64_t k = 0;
  std::string type;  // f32, i32
  arrangement at;
};

std::uint64_t elements_of(const top_k_task& task) { return task.at.stride * task.at.places + 64; }

// The input, once.
double bytes_of(const top_k_task& task) { return static_cast<double>(task.at.n) * 4; }

template <class F>
contender with_key(const std::string& type, F f) {
  return type == "f32" ? f(float{}) : f(std::int32_t{});
}

// The k best of a place: by the host, of the elements as random.hpp has them. Floats are not NaN.
template <class Key>
std::string wrong_results(const top_k_task& task, std::size_t place, const std::vector<Key>& values,
                          const std::vector<std::uint32_t>& indices) {
  using candidate = std::pair<Key, std::uint32_t>;
  const auto better = [](const candidate& a, const candidate& b) {
    return a.first != b.first ? a.first > b.first : a.second < b.second;
  };
  const std::uint64_t first = place * task.at.stride;
  std::vector<candidate> best;  // a heap with the worst of them in front
  for (std::uint64_t i = 0; i < task.at.n; ++i) {
    const candidate x{random_of<Key>::at(first + i, first_seed), static_cast<std::uint32_t>(i)};
    if (best.size() == task.k) {
      if (!better(x, best.front())) continue;
      std::pop_heap(best.begin(), best.end(), better);
      best.pop_back();
    }
    best.push_back(x);
    std::push_heap(best.begin(), best.end(), better);
  }
  std::sort_heap(best.begin(), best.end(), better);
  for (std::uint64_t i = 0; i < task.k; ++i) {
    if (values[i] != best[i].first || (!indices.empty() && indices[i] != best[i].second))
      return "result " + std::to_string(i) + " is wrong";
  }
  return "";
}

template <class Key>
contender clwave_top_k_of(laboratory& lab, const top_k_task& task) {
  const std::shared_ptr<pool> in = lab.data(task.type, first_seed, task.at);
  const cl::Buffer values = lab.buffer(task.k * 4), indices = lab.buffer(task.k * 4);
  contender c;
  c.bytes = bytes_of(task);
  c.call = [&lab, in, task, values, indices](std::size_t place) {
    top_k(lab.on.queue, view<Key>{in->buffer, task.at.n, place * task.at.stride}, view<Key>{values, task.k},
          view<std::uint32_t>{indices, task.k}, task.k, {.with_event = false});
  };
  c.spoil = [&lab, task, values, indices] {
    lab.spoil(values, task.k * 4);
    lab.spoil(indices, task.k * 4);
  };
  c.wrong = [&lab, task, values, indices](std::size_t place) {
    std::vector<Key> found(task.k);
    std::vector<std::uint32_t> places(task.k);
    detail::check(lab.on.queue.enqueueReadBuffer(values, CL_TRUE, 0, task.k * 4, found.data()),
                  "read the values");
    detail::check(lab.on.queue.enqueueReadBuffer(indices, CL_TRUE, 0, task.k * 4, places.data()),
                  "read the indices");
    return wrong_results<Key>(task, place, found, places);
  };
  return c;
}

contender clwave_top_k(laboratory& lab, const top_k_task& task) {
  return with_key(task.type, [&]<class Key>(Key) { return clwave_top_k_of<Key>(lab, task); });
}

// --- Peers ------------------------------------------------------------------------------------------
#ifdef CLWAVE_BENCH_BOOST
template <class Key>
contender boost_top_k(laboratory& lab, const top_k_task& task) {
  const std::shared_ptr<pool> in = lab.data(task.type, first_seed, task.at);
  const cl::Buffer sorted = lab.buffer(elements_of(task) * 4);
  contender c;
  c.bytes = bytes_of(task);
  c.spoil = [&lab, sorted, task] { lab.spoil(sorted, task.at.n * 4); };
  c.call = [&lab, in, task, sorted,
            queue = compute::command_queue(lab.on.queue())](std::size_t place) mutable {
    lab.on.queue.enqueueCopyBuffer(in->buffer, sorted, place * task.at.stride * 4, 0, task.at.n * 4);
    compute::sort(boost_at<Key>(sorted, 0), boost_at<Key>(sorted, task.at.n), compute::greater<Key>(), queue);
  };
  c.wrong = [&lab, task, sorted](std::size_t place) {
    std::vector<Key> found(task.k);
    detail::check(lab.on.queue.enqueueReadBuffer(sorted, CL_TRUE, 0, task.k * 4, found.data()),
                  "read the values");
    return wrong_results<Key>(task, place, found, {});
  };
  return c;
}
#else
template <class Key>
contender boost_top_k(laboratory&, const top_k_task&) {
  return without_boost();
}
#endif

template <class Key>
contender std_top_k(laboratory& lab, const top_k_task& task) {
  const std::shared_ptr<void> in = lab.host_copy(*lab.data(task.type, first_seed, task.at));
  const auto found = std::make_shared<std::vector<Key>>(task.k);
  contender c = host_contender(bytes_of(task));
  c.call = [in, found, task](std::size_t place) {
    const Key* first = static_cast<const Key*>(in.get()) + place * task.at.stride;
    std::partial_sort_copy(first, first + task.at.n, found->begin(), found->end(), std::greater<>());
  };
  c.spoil = [found] { std::fill(found->begin(), found->end(), Key{}); };
  c.wrong = [found, task](std::size_t place) { return wrong_results<Key>(task, place, *found, {}); };
  return c;
}

top_k_task task_of(top_k_task task, std::uint64_t n, const laboratory& lab) {
  task.at = lab.arrange(n, 4);
  task.at.stride = (task.at.stride + 255) / 256 * 256;
  return task;
}

void add_rows(laboratory& lab, std::vector<group>& all, const top_k_task& of, std::uint64_t n) {
  const top_k_task task = task_of(of, n, lab);
  if (!lab.fits(static_cast<double>(elements_of(task)) * 12)) return;
  group rows;
  rows.places = task.at.places;
  const std::string base =
      "top_k/" + std::to_string(task.k) + "/" + task.type + "/" + std::to_string(n) + "/";
  const auto add = [&](const char* name, const char* sentence, std::function<contender()> make) {
    rows.rows.push_back({base + name, sentence, std::move(make)});
  };
  add("clwave", "clwave::top_k, indices of 32 bits", [&lab, task] { return clwave_top_k(lab, task); });
  if (n <= 10'000'000)
    add("boost.compute", "Boost.Compute's sort of a copy, the largest first: it has no other way",
        [&lab, task] {
          return with_key(task.type, [&]<class Key>(Key) { return boost_top_k<Key>(lab, task); });
        });
  if (lab.is_cpu)
    add("std", "std::partial_sort_copy on one core, without indices", [&lab, task] {
      return with_key(task.type, [&]<class Key>(Key) { return std_top_k<Key>(lab, task); });
    });
  if (lab.is_nvidia)
    add("cub", "cub::DeviceRadixSort::SortPairsDescending of all: before DeviceTopK CUB has no other way",
        [&lab, task, row = base + "cub"] { return cuda_counted(lab, row, task.at, bytes_of(task)); });
  all.push_back(std::move(rows));
}

// --- Of segments ------------------------------------------------------------------------------------
constexpr std::uint64_t best_of_each = 10;

double bytes_of_best(const segments_task& task) {
  return static_cast<double>(task.at.n * 4 + (task.segments() + 1) * 4 + task.segments() * best_of_each * 8);
}

// A segment a group: each result is an element of the segment, they are in order, and before the last one
// come as many elements as there are results before it.
const std::string best_of_segments_source = R"(
kernel void count(const global int* restrict in, const global uint* restrict offsets, const global int* restrict out,
                  ulong first, ulong segments, ulong each, global uint* wrong) {
  const uint k = )" + std::to_string(best_of_each) +
                                            R"(;
  uint found = 0;
  for (ulong s = get_group_id(0); s < segments; s += get_num_groups(0)) {
    const uint begin = offsets[s], end = offsets[s + 1], kept = min(k, end - begin);
    if (kept == 0) continue;
    const global int* values = out + s * k;
    const global uint* indices = (const global uint*)out + (segments + s) * k;
    for (uint i = get_local_id(0); i < kept; i += get_local_size(0)) {
      const uint at = indices[i];
      if (at < begin || at >= end || in[first + at] != values[i]) found += 65537;
      if (i > 0 && (values[i - 1] < values[i] || (values[i - 1] == values[i] && indices[i - 1] >= at))) found += 65537;
    }
    const int last = values[kept - 1];
    for (uint i = begin + get_local_id(0); i < end; i += get_local_size(0)) {
      const int x = in[first + i];
      if (x > last || (x == last && i < indices[kept - 1])) ++found;
    }
    if (get_local_id(0) == 0) found -= kept - 1;
  }
  if (found != 0) atomic_add(wrong, found);
}
)";

contender clwave_best_of_segments(laboratory& lab, const segments_task& task) {
  const auto x = lab.data("i32", first_seed, task.at);
  const std::uint64_t results = task.segments() * best_of_each;
  // The indices lie behind the values.
  const cl::Buffer out = lab.buffer(results * 8), offsets = offsets_of(lab, task);
  contender c;
  c.bytes = bytes_of_best(task);
  c.call = [&lab, x, out, offsets, task, results](std::size_t place) {
    segmented_top_k(lab.on.queue, view<std::int32_t>{x->buffer, task.at.n, place * task.at.stride},
                    view<std::uint32_t>{offsets, task.offsets->size()}, view<std::int32_t>{out, results},
                    view<std::uint32_t>{out, results, results}, best_of_each, {.with_event = false});
  };
  c.spoil = [&lab, out, results] { lab.spoil(out, results * 8); };
  c.wrong = [count = count_of_segments(lab, best_of_segments_source, x->buffer, offsets, out, task)](
                std::size_t place) -> std::string {
    return count(place) == 0 ? "" : "results are not the best of their segments";
  };
  return c;
}

contender std_best_of_segments(laboratory& lab, const segments_task& task) {
  const std::shared_ptr<void> x = lab.host_copy(*lab.data("i32", first_seed, task.at));
  const auto out = std::make_shared<std::vector<std::int32_t>>(task.segments() * best_of_each);
  const auto input = [x, task](std::size_t place) {
    return static_cast<const std::int32_t*>(x.get()) + place * task.at.stride;
  };
  contender c = host_contender(bytes_of_best(task));
  c.call = [input, out, task](std::size_t place) {
    for (std::size_t s = 0; s < task.segments(); ++s) {
      const auto to = out->begin() + static_cast<std::ptrdiff_t>(s * best_of_each);
      std::partial_sort_copy(input(place) + (*task.offsets)[s], input(place) + (*task.offsets)[s + 1], to,
                             to + static_cast<std::ptrdiff_t>(best_of_each), std::greater<>());
    }
  };
  c.spoil = [out] { std::fill(out->begin(), out->end(), 1); };
  c.wrong = [input, out, task](std::size_t place) -> std::string {
    for (std::size_t s = 0; s < task.segments(); ++s) {
      const std::int32_t *first = input(place) + (*task.offsets)[s],
                         *end = input(place) + (*task.offsets)[s + 1];
      if (first != end && *std::max_element(first, end) != (*out)[s * best_of_each])
        return "a segment's first result is not its largest element";
    }
    return "";
  };
  return c;
}

void add_segments(laboratory& lab, std::vector<group>& all, const std::string& shape) {
  const segments_task task = segments_of(shape, lab);
  add_segment_rows(
      lab, all, task, bytes_of_best(task) + static_cast<double>(task.at.n) * 20, bytes_of_best(task),
      "segmented_top_k/" + std::to_string(best_of_each) + "/i32/",
      {"clwave", "clwave::segmented_top_k, offsets and indices of 32 bits", clwave_best_of_segments},
      {"std", "std::partial_sort_copy of each segment on one core, without indices", std_best_of_segments},
      "cub::DeviceSegmentedSort::StableSortPairsDescending of all");
}

void add_groups(laboratory& lab, std::vector<group>& all) {
  std::vector<std::uint64_t> sizes{10'000, 1'000'000, 100'000'000};
  if (!lab.is_cpu) sizes = {1u << 12, 1u << 16, 1u << 20, 1u << 24, 1u << 28};
  for (const std::uint64_t n : sizes) {
    for (const char* type : {"f32", "i32"}) add_rows(lab, all, {.k = 100, .type = type, .at = {}}, n);
    add_rows(lab, all, {.k = 2000, .type = "f32", .at = {}}, n);
  }
  for (const char* shape : {"1048576x16", "65536x256", "16384x1024", "16x4194304", "power-law-262144"})
    if (!lab.is_cpu || std::string(shape) != "16x4194304") add_segments(lab, all, shape);
}

// The 100 best, or all of fewer.
tuned_work tuned_top_k(laboratory& lab, const std::string& type, std::uint64_t n) {
  const top_k_task task = task_of({.k = std::min<std::uint64_t>(n, 100), .type = type, .at = {}}, n, lab);
  return {
      .n = n,
      .places = task.at.places,
      .make = [&lab, task] { return clwave_top_k(lab, task); },
      .plan =
          [task](const plan_target& on) {
            const element& x = *find_element(task.type);
            return clwave::plan(
                top_k_problem{
                    .in = {x, task.at.n}, .values = x, .indices = element_of<std::uint32_t>(), .k = task.k},
                on);
          }};
}

// What the rows are held against: on a GPU an H200's figures, on a CPU PoCL's.
const registered_rows listed(
    "top_k",
    {{.add = add_groups,
      // The host finds them too, to check the results.
      .tuned = {{.name = "top_k", .types = {"f32", "i32"}, .work = tuned_top_k, .default_share = 16}},
      .goals = {// 0.8 of the speed of sums, which is 95 % of the peak.
                {where::gpu, "top_k/100/f32/268435456/clwave", measure_of::share_peak, "", 0.76},
                {where::cpu, "top_k/100/(f32|i32)/100000000/clwave", measure_of::speed,
                 "top_k/100/$1/100000000/std", 1.0}}}});

}  // namespace
}  // namespace clwave::tool::bench::rows_of_top_k
