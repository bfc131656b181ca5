// Rows of select.
#include <algorithm>
#include <cstdint>

#include <clwave/select.hpp>

#include "bench/bench.hpp"
#include "bench/peers/boost.hpp"
#include "bench/peers/cuda.hpp"
#include "bench/random.hpp"
#include "bench/runs.hpp"

#ifdef CLWAVE_BENCH_BOOST
#include <boost/compute/algorithm/copy_if.hpp>
#include <boost/compute/algorithm/unique_copy.hpp>
#include <boost/compute/lambda.hpp>
#endif

namespace clwave::tool::bench::rows_of_select {
namespace {

struct select_task {
  // if-5, if-50, if-95: percent that are kept; partition, partition-copy, of 50; unique, of runs of 2;
  // by-key-16, lengths-16 and so on: unique_by_key and run_lengths, of runs of so many.
  std::string variant;
  std::string type;  // f32, i32
  arrangement at;
};

bool is_by_key(const select_task& task) { return task.variant.starts_with("by-key-"); }
bool is_of_lengths(const select_task& task) { return task.variant.starts_with("lengths-"); }

// The elements of a run; 0: neighbours do not decide.
std::uint64_t run_of(const select_task& task) {
  if (task.variant == "unique") return 2;
  if (!is_by_key(task) && !is_of_lengths(task)) return 0;
  return std::stoull(task.variant.substr(task.variant.rfind('-') + 1));
}
// The others have an output of their own.
bool is_of_two_sides(const select_task& task) { return task.variant == "partition-copy"; }
// All elements are stored.
bool is_partition(const select_task& task) { return task.variant == "partition" || is_of_two_sides(task); }
// There is a second output.
bool has_second(const select_task& task) {
  return is_by_key(task) || is_of_lengths(task) || is_of_two_sides(task);
}
std::uint64_t elements_of(const select_task& task) { return task.at.stride * task.at.places + 64; }

// What is kept is less than this.
template <class T>
T bound_of(const std::string& variant) {
  const double share = variant == "if-5" ? 0.05 : variant == "if-95" ? 0.95 : 0.5;
  if constexpr (std::is_same_v<T, float>)
    return static_cast<float>(2 * share - 1);
  else
    return static_cast<T>((share - 0.5) * 0x1p32);
}

double kept_share(const select_task& task) {
  if (run_of(task) > 0) return 1.0 / static_cast<double>(run_of(task));
  return task.variant == "if-5" ? 0.05 : task.variant == "if-95" ? 0.95 : is_partition(task) ? 1 : 0.5;
}

// Of one call that reads each element once and stores what it keeps: of keys with the values, which are read
// first, of runs with the lengths.
double bytes_of(const select_task& task) {
  const double each = is_by_key(task) ? 3 : is_of_lengths(task) ? 2 : 1;
  return static_cast<double>(task.at.n) * 4 * (1 + each * kept_share(task));
}

template <class F>
auto with_type(const select_task& task, const F& f) {
  return task.type == "i32" ? f(std::int32_t{}) : f(float{});
}

// Element i of the input, of runs of so many equal ones.
template <class T>
T element_of_runs(std::uint64_t run, std::uint64_t i) {
  return random_of<T>::at(run > 1 ? i / run : i, first_seed);
}

// Random elements; of runs each one so many times.
cl::Buffer input_of(laboratory& lab, const select_task& task, std::shared_ptr<void>& keeps) {
  if (run_of(task) == 0) {
    const std::shared_ptr<pool> x = lab.data(task.type, first_seed, task.at);
    keeps = x;
    return x->buffer;
  }
  return made_runs(lab, task.type, task.at, run_of(task));
}

// --- The check: every result, on the host ----------------------------------------------------------
template <class T>
std::string wrong_results(laboratory& lab, const select_task& task, const cl::Buffer& out,
                          const cl::Buffer& second, std::uint64_t out_first, std::uint64_t count,
                          std::size_t place) {
  if (count > task.at.n) return "the count is larger than the input";
  const std::uint64_t stored = is_partition(task) ? task.at.n : count;
  const std::uint64_t in_out = is_of_two_sides(task) ? count : stored;
  std::vector<T> results(stored);
  const auto read = [&](const cl::Buffer& from, std::uint64_t to, std::uint64_t n) {
    if (n > 0)
      detail::check(lab.on.queue.enqueueReadBuffer(from, CL_TRUE, out_first * sizeof(T), n * sizeof(T),
                                                   results.data() + to),
                    "read the results");
  };
  read(out, 0, in_out);
  read(second, in_out, stored - in_out);
  const std::uint64_t first = place * task.at.stride;
  const T bound = bound_of<T>(task.variant);
  const std::uint64_t run = run_of(task);
  const bool partitions = is_partition(task);
  std::uint64_t kept = 0, others = count, found = 0;
  T before{};
  for (std::uint64_t i = 0; i < task.at.n; ++i) {
    const T x = element_of_runs<T>(run, first + i);
    const bool keeps = run > 0 ? i == 0 || x != before : x < bound;
    before = x;
    if (keeps && (kept >= count || results[kept++] != x)) ++found;
    if (!keeps && partitions && (others >= stored || results[others++] != x)) ++found;
  }
  if (kept != count) ++found;
  return found == 0 ? "" : std::to_string(found) + " results are wrong";
}

// The values that were kept with their keys, or the lengths of the runs.
std::string wrong_seconds(laboratory& lab, const select_task& task, const cl::Buffer& values,
                          const cl::Buffer& out, std::uint64_t out_first, std::uint64_t count,
                          std::size_t place) {
  const bool by_key = is_by_key(task);
  std::vector<std::uint32_t> results(count), all(by_key ? elements_of(task) : 0);
  const auto read = [&](const cl::Buffer& from, std::uint64_t first, std::vector<std::uint32_t>& to) {
    if (!to.empty())
      detail::check(lab.on.queue.enqueueReadBuffer(from, CL_TRUE, first * 4, to.size() * 4, to.data()),
                    "read the results");
  };
  read(out, out_first, results);
  read(values, 0, all);
  const std::uint64_t first = place * task.at.stride, run = run_of(task);
  std::uint64_t found = 0, k = 0;
  for (std::uint64_t i = 0; i < task.at.n; ++k) {
    const std::uint64_t end = std::min((first + i) / run * run + run - first, task.at.n);
    const std::uint64_t right = by_key ? all[first + i] : end - i;
    if (k >= count || results[k] != right) ++found;
    i = end;
  }
  return found == 0 ? "" : std::to_string(found) + " values or lengths are wrong";
}

// --- clwave -----------------------------------------------------------------------------------------
template <class T>
map below_bound(const select_task& task) {
  return {.name = "below", .source = "x < bound", .values = {{"bound", bound_of<T>(task.variant)}}};
}

template <class T>
contender clwave_select_of(laboratory& lab, const select_task& task) {
  contender c;
  const cl::Buffer in = input_of(lab, task, c.keeps);
  const cl::Buffer out = lab.buffer(elements_of(task) * sizeof(T));
  const cl::Buffer total = lab.buffer(sizeof(std::uint64_t));
  // The values, where there are some; and where they, the lengths or the others go.
  const std::uint64_t n_second = has_second(task) ? elements_of(task) : 1;
  const std::shared_ptr<pool> values = is_by_key(task) ? lab.data("i32", second_seed, task.at) : nullptr;
  const cl::Buffer second_in = values ? values->buffer : in, second = lab.buffer(n_second * 4);
  c.keeps = std::make_shared<std::pair<std::shared_ptr<void>, std::shared_ptr<void>>>(c.keeps, values);
  c.bytes = bytes_of(task);
  c.call = [&lab, in, out, total, second_in, second, task, below = below_bound<T>(task)](std::size_t place) {
    const view<T> from{in, task.at.n, place * task.at.stride}, to{out, task.at.n, place * task.at.stride};
    const view<std::uint64_t> count{total, 1};
    const std::uint64_t first = place * task.at.stride;
    if (is_by_key(task))
      unique_by_key(lab.on.queue, from, view<std::int32_t>{second_in, task.at.n, first}, to,
                    view<std::int32_t>{second, task.at.n, first}, count, no_event);
    else if (is_of_lengths(task))
      run_lengths(lab.on.queue, from, to, view<std::uint32_t>{second, task.at.n, first}, count, no_event);
    else if (run_of(task) > 0)
      unique(lab.on.queue, from, to, count, no_event);
    else if (is_of_two_sides(task))
      partition_copy(lab.on.queue, from, to, view<T>{second, task.at.n, first}, count, below, no_event);
    else if (is_partition(task))
      partition(lab.on.queue, from, to, count, below, no_event);
    else
      copy_if(lab.on.queue, from, to, count, below, no_event);
  };
  c.spoil = [&lab, out, total, second, n_second, bytes = elements_of(task) * sizeof(T)] {
    lab.spoil(out, bytes);
    lab.spoil(second, n_second * 4);
    lab.spoil(total, sizeof(std::uint64_t));
  };
  c.wrong = [&lab, out, total, second_in, second, task](std::size_t place) {
    std::uint64_t count = 0;
    detail::check(lab.on.queue.enqueueReadBuffer(total, CL_TRUE, 0, sizeof count, &count), "read the count");
    if ((is_by_key(task) || is_of_lengths(task)) && count <= task.at.n) {
      std::string wrong = wrong_seconds(lab, task, second_in, second, place * task.at.stride, count, place);
      if (!wrong.empty()) return wrong;
    }
    return wrong_results<T>(lab, task, out, second, place * task.at.stride, count, place);
  };
  return c;
}

contender clwave_select(laboratory& lab, const select_task& task) {
  return with_type(task, [&]<class T>(T) { return clwave_select_of<T>(lab, task); });
}

// --- Boost.Compute ----------------------------------------------------------------------------------
#ifdef CLWAVE_BENCH_BOOST
template <class T>
contender boost_select_of(laboratory& lab, const select_task& task) {
  contender c;
  const cl::Buffer in = input_of(lab, task, c.keeps);
  const cl::Buffer out = lab.buffer(task.at.n * sizeof(T));
  const auto count = std::make_shared<std::uint64_t>(0);
  c.bytes = bytes_of(task);
  c.call = [in, out, count, task, queue = compute::command_queue(lab.on.queue())](std::size_t place) mutable {
    const std::uint64_t first = place * task.at.stride;
    const auto begin = boost_at<T>(in, first), end = boost_at<T>(in, first + task.at.n);
    const auto to = boost_at<T>(out, 0);
    const auto behind =
        run_of(task) > 0
            ? compute::unique_copy(begin, end, to, queue)
            : compute::copy_if(begin, end, to, compute::lambda::_1 < bound_of<T>(task.variant), queue);
    *count = behind.get_index();
  };
  c.spoil = [&lab, out, count, task] {
    *count = 0;
    lab.spoil(out, task.at.n * sizeof(T));
  };
  c.wrong = [&lab, out, count, task](std::size_t place) {
    return wrong_results<T>(lab, task, out, {}, 0, *count, place);
  };
  return c;
}
contender boost_select(laboratory& lab, const select_task& task) {
  return with_type(task, [&]<class T>(T) { return boost_select_of<T>(lab, task); });
}
#else
contender boost_select(laboratory&, const select_task&) { return without_boost(); }
#endif

// --- The list ---------------------------------------------------------------------------------------
std::string sentence_of(const select_task& task) {
  const std::string runs = " of runs of " + std::to_string(run_of(task));
  if (is_by_key(task)) return "clwave::unique_by_key" + runs + ", with values of 4 bytes";
  if (is_of_lengths(task)) return "clwave::run_lengths" + runs + ", lengths of 32 bits";
  if (run_of(task) > 0) return "clwave::unique of elements that are there twice";
  if (is_partition(task))
    return std::string("clwave::partition") + (is_of_two_sides(task) ? "_copy" : "") +
           " by a predicate that is true for 50 %";
  return "clwave::copy_if of " + task.variant.substr(3) + " %";
}

select_task task_of(const std::string& variant, const std::string& type, std::uint64_t n,
                    const laboratory& lab) {
  select_task task{variant, type, lab.arrange(n, 4)};
  task.at.stride = (task.at.stride + 255) / 256 * 256;
  return task;
}

void add_rows(laboratory& lab, std::vector<group>& all, const std::string& variant, const std::string& type,
              std::uint64_t n) {
  const select_task task = task_of(variant, type, n, lab);
  if (!lab.fits(static_cast<double>(n) * (has_second(task) ? 16 : 8))) return;
  group rows;
  rows.places = task.at.places;
  const std::string base = "select/" + variant + "/" + type + "/" + std::to_string(n) + "/";
  rows.rows.push_back(
      {base + "clwave", sentence_of(task), [&lab, task] { return clwave_select(lab, task); }});
  if (!is_partition(task) && !has_second(task))
    rows.rows.push_back({base + "boost.compute", "Boost.Compute's copy_if or unique_copy",
                         [&lab, task] { return boost_select(lab, task); }});
  if (lab.is_nvidia)
    rows.rows.push_back(
        {base + "cub",
         is_partition(task)    ? "cub::DevicePartition::If, into one output, where it turns the others round"
         : is_by_key(task)     ? "cub::DeviceSelect::UniqueByKey"
         : is_of_lengths(task) ? "cub::DeviceRunLengthEncode::Encode"
                               : "cub::DeviceSelect::If or ::Unique",
         [&lab, task, row = base + "cub"] { return cuda_counted(lab, row, task.at, bytes_of(task)); }});
  if (lab.is_nvidia && is_of_two_sides(task))
    rows.rows.push_back(
        {base + "thrust", "thrust::stable_partition_copy, which returns how many there are",
         [&lab, task, row = base + "thrust"] { return cuda_counted(lab, row, task.at, bytes_of(task)); }});
  all.push_back(std::move(rows));
}

void add_groups(laboratory& lab, std::vector<group>& all) {
  std::vector<std::uint64_t> sizes{1'000'000, 100'000'000};
  if (!lab.is_cpu) sizes = {1u << 16, 1u << 20, 1u << 26, 1u << 28};
  for (const char* variant : {"if-5", "if-50", "if-95", "unique", "partition", "partition-copy"}) {
    for (const char* type : {"f32", "i32"}) {
      for (const std::uint64_t n : sizes) add_rows(lab, all, variant, type, n);
    }
  }
  for (const char* kind : {"by-key-", "lengths-"}) {
    for (const char* run : {"1", "16", "1000"}) {
      for (const std::uint64_t n : sizes) add_rows(lab, all, std::string(kind) + run, "i32", n);
    }
  }
}

tuned_work tuned_select(laboratory& lab, const std::string& type, std::uint64_t n) {
  const select_task task = task_of("if-50", type, n, lab);
  return {.n = n,
          .places = task.at.places,
          .make = [&lab, task] { return clwave_select(lab, task); },
          .plan =
              [task](const plan_target& on) {
                return with_type(task, [&]<class T>(T) {
                  const map below = below_bound<T>(task);
                  const element& x = element_of<T>();
                  return clwave::plan(
                      select_problem{.in = {x, task.at.n}, .out = {x, task.at.n}, .predicate = &below}, on);
                });
              }};
}

// What the rows are held against: on a GPU an H200's figures, on a CPU PoCL's.
const registered_rows listed(
    "select",
    {{.add = add_groups,
      // The host checks every result.
      .tuned = {{.name = "select", .types = {"f32", "i32"}, .work = tuned_select, .default_share = 4}},
      .goals = {
          {where::gpu,
           "select/(if-5|if-50|if-95|unique|partition|partition-copy)/(f32|i32)/(67108864|268435456)/clwave",
           measure_of::speed, "select/$1/$2/$3/cub", 1.0},
          {where::gpu, "select/(if-5|if-50|if-95|unique)/(f32|i32)/(67108864|268435456)/clwave",
           measure_of::speed, "select/$1/$2/$3/boost.compute", 3.0},
          {where::gpu, "select/((?:by-key|lengths)-(?:1|16|1000))/i32/(67108864|268435456)/clwave",
           measure_of::speed, "select/$1/i32/$2/cub", 0.95},
          {where::cpu, "select/(if-5|if-50|if-95|unique)/(f32|i32)/100000000/clwave", measure_of::speed,
           "select/$1/$2/$3/boost.compute", 5.0}}}});

}  // namespace
}  // namespace clwave::tool::bench::rows_of_select
