// Rows of merge.
#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <clwave/merge.hpp>

#include "bench/bench.hpp"
#include "bench/peers/boost.hpp"
#include "bench/peers/cuda.hpp"
#include "bench/sorted_ranges.hpp"

#ifdef CLWAVE_BENCH_BOOST
#include <boost/compute/algorithm/merge.hpp>
#endif

namespace clwave::tool::bench::rows_of_merge {
namespace {

constexpr std::uint32_t step = 8;

struct merge_task {
  std::string variant;  // keys, or pairs: with values of 32 bits
  std::string type;
  arrangement at;  // of each range; the result has twice as many elements
};

bool is_of_pairs(const merge_task& task) { return task.variant == "pairs"; }
std::uint64_t key_bytes(const merge_task& task) { return task.type == "f64" ? 8 : 4; }
std::uint64_t elements_of(const merge_task& task) { return task.at.stride * task.at.places; }

double bytes_of(const merge_task& task) {
  return 4.0 * static_cast<double>(task.at.n) *
         static_cast<double>(key_bytes(task) + (is_of_pairs(task) ? 4 : 0));
}

template <class F>
contender with_key(const std::string& type, F f) {
  return type == "f64" ? f(double{}) : f(std::int32_t{});
}

// Values of the first range are the numbers of its keys, those of the second have the highest bit, too. The
// result is right where keys rise, and of equal ones the values do: then no value is there twice. Keys alone
// rise and have the sum of hashes of both ranges.
std::string kernels(const std::string& type) {
  const std::string key = type == "f64" ? "double" : "int";
  return (type == "f64" ? "#pragma OPENCL EXTENSION cl_khr_fp64 : enable\n" : "") + std::string("typedef ") +
         key + " key;\n" + sorted_source + R"(
kernel void number(global uint* out, ulong n, uint bits) {
  for (ulong i = get_global_id(0); i < n; i += get_global_size(0)) out[i] = (uint)i | bits;
}
uint mixed(key x) { return hash((ulong)(long)x, 7); }
kernel void count_keys(const global key* a, const global key* b, const global key* out, ulong first, ulong n,
                       global uint* wrong) {
  uint found = 0;
  for (ulong i = get_global_id(0); i < 2 * n; i += get_global_size(0)) {
    found += mixed(out[2 * first + i]) - mixed(i < n ? a[first + i] : b[first + i - n]);
    if (i > 0 && !(out[2 * first + i - 1] <= out[2 * first + i])) ++found;
  }
  if (found != 0) atomic_add(wrong, found);
}
kernel void count_pairs(const global key* a, const global key* b, const global key* out, const global uint* values,
                        ulong first, ulong n, global uint* wrong) {
  uint found = 0;
  for (ulong i = get_global_id(0); i < 2 * n; i += get_global_size(0)) {
    const ulong at = 2 * first + i;
    const uint value = values[at], place = value & 0x7fffffffu;
    if (place < first || place >= first + n || (place == value ? a : b)[place] != out[at]) ++found;
    if (i > 0 && !(out[at - 1] < out[at] || (out[at - 1] == out[at] && values[at - 1] < value))) ++found;
  }
  if (found != 0) atomic_add(wrong, found);
}
)";
}

struct merge_buffers {
  cl::Buffer a, b, out, a_values, b_values, values_out;
};

merge_buffers buffers_of(laboratory& lab, const merge_task& task) {
  const std::uint64_t n = elements_of(task);
  merge_buffers all{.a = lab.buffer(n * key_bytes(task)),
                    .b = lab.buffer(n * key_bytes(task)),
                    .out = lab.buffer(2 * n * key_bytes(task)),
                    .a_values = {},
                    .b_values = {},
                    .values_out = {}};
  const auto launch = [&](cl::Kernel& kernel) { lab.launch(kernel, 1024, lab.is_cpu ? 1 : 256); };
  cl::Kernel make = lab.kernel(kernels(task.type), "make_sorted");
  make.setArg(1, cl_ulong{n});
  make.setArg(2, cl_ulong{task.at.stride});
  make.setArg(4, cl_uint{step});
  for (const bool first : {true, false}) {
    make.setArg(0, first ? all.a : all.b);
    make.setArg(3, cl_uint{first ? first_seed : second_seed});
    launch(make);
  }
  if (is_of_pairs(task)) {
    all.a_values = lab.buffer(n * 4);
    all.b_values = lab.buffer(n * 4);
    all.values_out = lab.buffer(2 * n * 4);
    cl::Kernel number = lab.kernel(kernels(task.type), "number");
    number.setArg(1, cl_ulong{n});
    for (const bool first : {true, false}) {
      number.setArg(0, first ? all.a_values : all.b_values);
      number.setArg(2, cl_uint{first ? 0u : 1u << 31});
      launch(number);
    }
  }
  lab.finish();
  return all;
}

void add_check(laboratory& lab, contender& c, const merge_buffers& all, const merge_task& task) {
  c.bytes = bytes_of(task);
  c.spoil = [&lab, all, task] {
    lab.spoil(all.out, 2 * elements_of(task) * key_bytes(task));
    if (is_of_pairs(task)) lab.spoil(all.values_out, 2 * elements_of(task) * 4);
  };
  c.wrong = [&lab, all, task](std::size_t place) -> std::string {
    cl::Kernel k = lab.kernel(kernels(task.type), is_of_pairs(task) ? "count_pairs" : "count_keys");
    cl_uint at = 0;
    k.setArg(at++, all.a);
    k.setArg(at++, all.b);
    k.setArg(at++, all.out);
    if (is_of_pairs(task)) k.setArg(at++, all.values_out);
    k.setArg(at++, cl_ulong{place * task.at.stride});
    k.setArg(at++, cl_ulong{task.at.n});
    return lab.count(k, at) == 0 ? "" : "the elements are not in order, or not those of the ranges";
  };
}

template <class Key>
contender clwave_merge_of(laboratory& lab, const merge_task& task) {
  const merge_buffers all = buffers_of(lab, task);
  contender c;
  add_check(lab, c, all, task);
  c.call = [&lab, all, task](std::size_t place) {
    const std::uint64_t first = place * task.at.stride, n = task.at.n;
    const view<Key> a{all.a, n, first}, b{all.b, n, first}, out{all.out, 2 * n, 2 * first};
    using words = view<std::uint32_t>;
    if (is_of_pairs(task))
      merge_by_key(lab.on.queue, a, words{all.a_values, n, first}, b, words{all.b_values, n, first}, out,
                   words{all.values_out, 2 * n, 2 * first}, {.with_event = false});
    else
      clwave::merge(lab.on.queue, a, b, out, {.with_event = false});
  };
  return c;
}

contender clwave_merge(laboratory& lab, const merge_task& task) {
  return with_key(task.type, [&]<class Key>(Key) { return clwave_merge_of<Key>(lab, task); });
}

// --- Peers ------------------------------------------------------------------------------------------
#ifdef CLWAVE_BENCH_BOOST
template <class Key>
contender boost_merge(laboratory& lab, const merge_task& task) {
  const merge_buffers all = buffers_of(lab, task);
  contender c;
  add_check(lab, c, all, task);
  c.call = [&lab, all, task, queue = compute::command_queue(lab.on.queue())](std::size_t place) mutable {
    const std::uint64_t first = place * task.at.stride, end = first + task.at.n;
    compute::merge(boost_at<Key>(all.a, first), boost_at<Key>(all.a, end), boost_at<Key>(all.b, first),
                   boost_at<Key>(all.b, end), boost_at<Key>(all.out, 2 * first), queue);
  };
  return c;
}
#else
template <class Key>
contender boost_merge(laboratory&, const merge_task&) {
  return without_boost();
}
#endif

template <class Key>
contender std_merge(const merge_task& task) {
  struct ranges {
    std::vector<Key> a, b, out;
  };
  const auto all = std::make_shared<ranges>();
  for (std::uint64_t i = 0; i < task.at.n; ++i) {
    all->a.push_back(static_cast<Key>(sorted_number(i, first_seed, step)));
    all->b.push_back(static_cast<Key>(sorted_number(i, second_seed, step)));
  }
  all->out.resize(2 * task.at.n);
  contender c = host_contender(bytes_of(task));
  c.call = [all](std::size_t /*place*/) {
    std::merge(all->a.begin(), all->a.end(), all->b.begin(), all->b.end(), all->out.begin());
  };
  c.spoil = [all] { std::fill(all->out.begin(), all->out.end(), Key{1}); };
  c.wrong = [all](std::size_t /*place*/) -> std::string {
    return std::is_sorted(all->out.begin(), all->out.end()) ? "" : "the elements are not in order";
  };
  return c;
}

// Of n elements in the result.
merge_task task_of(merge_task task, std::uint64_t n, const laboratory& lab) {
  task.at = lab.arrange(n / 2, key_bytes(task));
  task.at.stride = (task.at.stride + 255) / 256 * 256;
  return task;
}

void add_rows(laboratory& lab, std::vector<group>& all, const merge_task& of, std::uint64_t n) {
  const merge_task task = task_of(of, n, lab);
  if (!lab.fits(static_cast<double>(elements_of(task)) * static_cast<double>(key_bytes(task) + 4) * 4))
    return;
  group rows;
  rows.places = task.at.places;
  const std::string base = "merge/" + task.variant + "/" + task.type + "/" + std::to_string(n) + "/";
  const auto add = [&](const char* name, const std::string& sentence, std::function<contender()> make) {
    rows.rows.push_back({base + name, sentence, std::move(make)});
  };
  add("clwave",
      is_of_pairs(task) ? "clwave::merge_by_key of two halves, values of 32 bits"
                        : "clwave::merge of two halves",
      [&lab, task] { return clwave_merge(lab, task); });
  if (!is_of_pairs(task)) {
    add("boost.compute", "Boost.Compute's merge", [&lab, task] {
      return with_key(task.type, [&]<class Key>(Key) { return boost_merge<Key>(lab, task); });
    });
    if (lab.is_cpu)
      add("std", "std::merge on one core",
          [task] { return with_key(task.type, [&]<class Key>(Key) { return std_merge<Key>(task); }); });
  }
  if (lab.is_nvidia)
    add("cub", "cub::DeviceMerge, which Thrust's merge runs",
        [&lab, task, row = base + "cub"] { return cuda_counted(lab, row, task.at, bytes_of(task)); });
  all.push_back(std::move(rows));
}

void add_groups(laboratory& lab, std::vector<group>& all) {
  std::vector<std::uint64_t> sizes{10'000, 1'000'000, 10'000'000};
  if (!lab.is_cpu) sizes = {1u << 10, 1u << 12, 1u << 16, 1u << 20, 1u << 24, 1u << 26, 1u << 28};
  for (const std::uint64_t n : sizes) {
    for (const char* type : {"i32", "f64"}) {
      if (type == std::string("f64") && !lab.on.facts->fp64.value_or(false)) continue;
      add_rows(lab, all, {.variant = "keys", .type = type, .at = {}}, n);
    }
    add_rows(lab, all, {.variant = "pairs", .type = "i32", .at = {}}, n);
  }
}

tuned_work tuned_merge(laboratory& lab, const std::string& type, std::uint64_t n) {
  const merge_task task =
      task_of({.variant = "keys", .type = type, .at = {}}, std::max<std::uint64_t>(n, 2), lab);
  return {
      .n = 2 * task.at.n,
      .places = task.at.places,
      .make = [&lab, task] { return clwave_merge(lab, task); },
      .plan =
          [task](const plan_target& on) {
            const element& key = *find_element(task.type);
            return clwave::plan(merge_problem{.a = {key, task.at.n}, .b = {key, task.at.n}, .out = key}, on);
          }};
}

// What the rows are held against, on an H200.
const registered_rows listed(
    "merge", {{.add = add_groups,
               .tuned = {{.name = "merge", .types = {"i32", "f64"}, .work = tuned_merge, .default_share = 4}},
               .goals = {{where::gpu, "merge/keys/(i32|f64)/(67108864|268435456)/clwave", measure_of::speed,
                          "merge/keys/$1/$2/cub", 1.0},
                         {where::gpu, "merge/keys/(i32|f64)/(67108864|268435456)/clwave", measure_of::speed,
                          "merge/keys/$1/$2/boost.compute", 3.0}}}});

}  // namespace
}  // namespace clwave::tool::bench::rows_of_merge
