// Rows of top_k.
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

void add_groups(laboratory& lab, std::vector<group>& all) {
  std::vector<std::uint64_t> sizes{10'000, 1'000'000, 100'000'000};
  if (!lab.is_cpu) sizes = {1u << 12, 1u << 16, 1u << 20, 1u << 24, 1u << 28};
  for (const std::uint64_t n : sizes) {
    for (const char* type : {"f32", "i32"}) add_rows(lab, all, {.k = 100, .type = type, .at = {}}, n);
    add_rows(lab, all, {.k = 2000, .type = "f32", .at = {}}, n);
  }
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
const std::vector<goal> goals = {
    // 0.8 of the speed of sums, which is 95 % of the peak.
    {where::gpu, "top_k/100/f32/268435456/clwave", measure_of::share_peak, "", 0.76},
    {where::cpu, "top_k/100/(f32|i32)/100000000/clwave", measure_of::speed, "top_k/100/$1/100000000/std",
     1.0},
};

const registered_rows listed(
    "top_k",
    {{.add = add_groups,
      // The host finds them too, to check the results.
      .tuned = {{.name = "top_k", .types = {"f32", "i32"}, .work = tuned_top_k, .default_share = 16}},
      .goals = goals}});

}  // namespace
}  // namespace clwave::tool::bench::rows_of_top_k
