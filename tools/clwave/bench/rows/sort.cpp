// Rows of sort.
#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <clwave/sort.hpp>

#include "bench/bench.hpp"
#include "bench/peers/boost.hpp"
#include "bench/peers/cuda.hpp"
#include "bench/random.hpp"

#ifdef CLWAVE_BENCH_BOOST
#include <boost/compute/algorithm/copy.hpp>
#include <boost/compute/algorithm/sort.hpp>
#endif

namespace clwave::tool::bench::rows_of_sort {
namespace {

struct sort_task {
  std::string variant;  // keys, or pairs: with values of 32 bits
  std::string type;
  arrangement at;
};

bool is_of_pairs(const sort_task& task) { return task.variant == "pairs"; }
std::uint64_t key_bytes(const sort_task& task) { return task.type == "f64" ? 8 : 4; }
std::uint64_t elements_of(const sort_task& task) { return task.at.stride * task.at.places + 64; }

// What goes in and comes out; how often it is moved meanwhile is the contender's own business.
double bytes_of(const sort_task& task) {
  return 2.0 * static_cast<double>(task.at.n) *
         static_cast<double>(key_bytes(task) + (is_of_pairs(task) ? 4 : 0));
}

template <class F>
contender with_key(const std::string& type, F f) {
  if (type == "f64") return f(double{});
  if (type == "f32") return f(float{});
  return f(std::int32_t{});
}

// Values are the numbers of their keys. Keys that rise, each that of its value, and values that rise where
// keys are equal: then no value is there twice. Keys alone rise and have the sum of hashes that the input
// has.
std::string kernels(const std::string& type) {
  const std::string key = type == "f64" ? "double" : type == "f32" ? "float" : "int";
  return (type == "f64" ? "#pragma OPENCL EXTENSION cl_khr_fp64 : enable\n" : "") + std::string("typedef ") +
         key + " key;\n" + R"(
uint mixed(key x) {
  union { key x; uint words[sizeof(key) / 4]; } bits;
  bits.x = x;
  uint h = 0;
  for (uint w = 0; w < sizeof(key) / 4; ++w) {
    h = (h ^ bits.words[w]) * 0x9e3779b1u;
    h ^= h >> 15;
    h *= 0x85ebca6bu;
    h ^= h >> 13;
  }
  return h;
}
kernel void number(global uint* out, ulong n) {
  for (ulong i = get_global_id(0); i < n; i += get_global_size(0)) out[i] = (uint)i;
}
kernel void count_keys(const global key* in, const global key* out, ulong first, ulong n, global uint* wrong) {
  uint found = 0;
  for (ulong i = first + get_global_id(0); i < first + n; i += get_global_size(0)) {
    found += mixed(out[i]) - mixed(in[i]);
    if (i > first && !(out[i - 1] <= out[i])) ++found;
  }
  if (found != 0) atomic_add(wrong, found);
}
kernel void count_pairs(const global key* in, const global key* out, const global uint* values, ulong first, ulong n,
                        global uint* wrong) {
  uint found = 0;
  for (ulong i = first + get_global_id(0); i < first + n; i += get_global_size(0)) {
    const uint value = values[i];
    if (value < first || value >= first + n || in[value] != out[i]) ++found;
    if (i > first && !(out[i - 1] < out[i] || (out[i - 1] == out[i] && values[i - 1] < value))) ++found;
  }
  if (found != 0) atomic_add(wrong, found);
}
)";
}

struct sort_buffers {
  std::shared_ptr<pool> keys;
  cl::Buffer out, values, values_out;
};

sort_buffers buffers_of(laboratory& lab, const sort_task& task) {
  sort_buffers all{.keys = lab.data(task.type, first_seed, task.at),
                   .out = lab.buffer(elements_of(task) * key_bytes(task)),
                   .values = {},
                   .values_out = {}};
  if (!is_of_pairs(task)) return all;
  all.values = lab.buffer(elements_of(task) * 4);
  all.values_out = lab.buffer(elements_of(task) * 4);
  cl::Kernel number = lab.kernel(kernels(task.type), "number");
  number.setArg(0, all.values);
  number.setArg(1, cl_ulong{elements_of(task)});
  lab.launch(number, 1024, lab.is_cpu ? 1 : 256);
  lab.finish();
  return all;
}

void add_check(laboratory& lab, contender& c, const sort_buffers& all, const sort_task& task) {
  c.bytes = bytes_of(task);
  c.spoil = [&lab, all, task] {
    lab.spoil(all.out, elements_of(task) * key_bytes(task));
    if (is_of_pairs(task)) lab.spoil(all.values_out, elements_of(task) * 4);
  };
  c.wrong = [&lab, all, task](std::size_t place) -> std::string {
    cl::Kernel k = lab.kernel(kernels(task.type), is_of_pairs(task) ? "count_pairs" : "count_keys");
    cl_uint at = 0;
    k.setArg(at++, all.keys->buffer);
    k.setArg(at++, all.out);
    if (is_of_pairs(task)) k.setArg(at++, all.values_out);
    k.setArg(at++, cl_ulong{place * task.at.stride});
    k.setArg(at++, cl_ulong{task.at.n});
    return lab.count(k, at) == 0 ? "" : "the keys are not sorted, or not those of the input";
  };
}

template <class Key>
contender clwave_sort_of(laboratory& lab, const sort_task& task) {
  const sort_buffers all = buffers_of(lab, task);
  contender c;
  add_check(lab, c, all, task);
  c.call = [&lab, all, task](std::size_t place) {
    const std::uint64_t first = place * task.at.stride, n = task.at.n;
    const view<Key> from{all.keys->buffer, n, first}, to{all.out, n, first};
    if (is_of_pairs(task))
      sort_by_key(lab.on.queue, from, view<std::uint32_t>{all.values, n, first}, to,
                  view<std::uint32_t>{all.values_out, n, first}, {.with_event = false});
    else
      clwave::sort(lab.on.queue, from, to, {.with_event = false});
  };
  return c;
}

contender clwave_sort(laboratory& lab, const sort_task& task) {
  return with_key(task.type, [&]<class Key>(Key) { return clwave_sort_of<Key>(lab, task); });
}

// --- Peers ------------------------------------------------------------------------------------------
#ifdef CLWAVE_BENCH_BOOST
template <class Key>
contender boost_sort(laboratory& lab, const sort_task& task) {
  const sort_buffers all = buffers_of(lab, task);
  contender c;
  add_check(lab, c, all, task);
  c.call = [&lab, all, task, queue = compute::command_queue(lab.on.queue())](std::size_t place) mutable {
    const std::uint64_t first = place * task.at.stride;
    lab.on.queue.enqueueCopyBuffer(all.keys->buffer, all.out, first * sizeof(Key), first * sizeof(Key),
                                   task.at.n * sizeof(Key));
    compute::sort(boost_at<Key>(all.out, first), boost_at<Key>(all.out, first + task.at.n), queue);
  };
  return c;
}
#else
template <class Key>
contender boost_sort(laboratory&, const sort_task&) {
  return without_boost();
}
#endif

template <class Key>
contender std_sort(laboratory& lab, const sort_task& task) {
  const std::shared_ptr<void> keys = lab.host_copy(*lab.data(task.type, first_seed, task.at));
  const auto out = std::make_shared<std::vector<Key>>(task.at.n);
  contender c = host_contender(bytes_of(task));
  c.call = [keys, out, task](std::size_t place) {
    std::copy_n(static_cast<const Key*>(keys.get()) + place * task.at.stride, task.at.n, out->begin());
    std::sort(out->begin(), out->end());
  };
  c.spoil = [out] { std::fill(out->begin(), out->end(), Key{1}); };
  c.wrong = [keys, out, task](std::size_t place) -> std::string {
    const Key* first = static_cast<const Key*>(keys.get()) + place * task.at.stride;
    std::vector<Key> right(first, first + task.at.n);
    std::stable_sort(right.begin(), right.end());
    return right == *out ? "" : "the keys are not sorted, or not those of the input";
  };
  return c;
}

sort_task task_of(sort_task task, std::uint64_t n, const laboratory& lab) {
  task.at = lab.arrange(n, key_bytes(task));
  task.at.stride = (task.at.stride + 255) / 256 * 256;
  return task;
}

void add_rows(laboratory& lab, std::vector<group>& all, const sort_task& of, std::uint64_t n) {
  const sort_task task = task_of(of, n, lab);
  if (!lab.fits(static_cast<double>(n) * static_cast<double>(key_bytes(task) + 4) * 3)) return;
  group rows;
  rows.places = task.at.places;
  const std::string base = "sort/" + task.variant + "/" + task.type + "/" + std::to_string(n) + "/";
  const auto add = [&](const char* name, const std::string& sentence, std::function<contender()> make) {
    rows.rows.push_back({base + name, sentence, std::move(make)});
  };
  add("clwave", is_of_pairs(task) ? "clwave::sort_by_key, values of 32 bits" : "clwave::sort",
      [&lab, task] { return clwave_sort(lab, task); });
  if (!is_of_pairs(task)) {
    add("boost.compute", "Boost.Compute's sort, with a copy of its input before: it sorts in place",
        [&lab, task] {
          return with_key(task.type, [&]<class Key>(Key) { return boost_sort<Key>(lab, task); });
        });
    if (lab.is_cpu)
      add("std", "std::sort on one core, with a copy of its input before", [&lab, task] {
        return with_key(task.type, [&]<class Key>(Key) { return std_sort<Key>(lab, task); });
      });
  }
  if (lab.is_nvidia)
    add("cub", "cub::DeviceRadixSort",
        [&lab, task, row = base + "cub"] { return cuda_counted(lab, row, task.at, bytes_of(task)); });
  all.push_back(std::move(rows));
}

void add_groups(laboratory& lab, std::vector<group>& all) {
  std::vector<std::uint64_t> sizes{10'000, 1'000'000, 10'000'000};
  if (!lab.is_cpu)
    sizes = {1u << 10, 1u << 12, 1u << 14, 1u << 16, 1u << 18,
             1u << 20, 1u << 22, 1u << 24, 1u << 26, 1u << 28};
  for (const std::uint64_t n : sizes) {
    for (const char* type : {"i32", "f32", "f64"}) {
      if (type == std::string("f64") && !lab.on.facts->fp64.value_or(false)) continue;
      add_rows(lab, all, {.variant = "keys", .type = type, .at = {}}, n);
    }
    add_rows(lab, all, {.variant = "pairs", .type = "i32", .at = {}}, n);
  }
}

tuned_work tuned_sort(laboratory& lab, const std::string& type, std::uint64_t n) {
  const sort_task task = task_of({.variant = "keys", .type = type, .at = {}}, n, lab);
  return {.n = n,
          .places = task.at.places,
          .make = [&lab, task] { return clwave_sort(lab, task); },
          .plan =
              [task](const plan_target& on) {
                const element& key = *find_element(task.type);
                return clwave::plan(sort_problem{.keys = {key, task.at.n}, .keys_out = key}, on);
              }};
}

// What the rows are held against: on a GPU an H200's figures, on a CPU PoCL's.
const registered_rows listed(
    "sort",
    {{.add = add_groups,
      // Each key is moved several times.
      .tuned = {{.name = "sort", .types = {"f32", "f64", "i32"}, .work = tuned_sort, .default_share = 4}},
      .goals = {{where::cpu, "sort/keys/(i32|f32)/10000000/clwave", measure_of::speed,
                 "sort/keys/$1/10000000/std", 1.0},
                {where::cpu, "sort/keys/(i32|f32)/10000000/clwave", measure_of::speed,
                 "sort/keys/$1/10000000/boost.compute", 5.0}}}});

}  // namespace
}  // namespace clwave::tool::bench::rows_of_sort
