// Rows of set operations.
#include <algorithm>
#include <cstdint>
#include <iterator>
#include <memory>
#include <string>
#include <vector>

#include <clwave/set_operations.hpp>

#include "bench/bench.hpp"
#include "bench/peers/boost.hpp"
#include "bench/peers/cuda.hpp"
#include "bench/sorted_ranges.hpp"

#ifdef CLWAVE_BENCH_BOOST
#include <boost/compute/algorithm/set_difference.hpp>
#include <boost/compute/algorithm/set_intersection.hpp>
#include <boost/compute/algorithm/set_union.hpp>
#endif

namespace clwave::tool::bench::rows_of_set_operations {
namespace {

// Of two ranges, a number of one is in the other with a chance of a half.
constexpr std::uint32_t step = 2;

struct set_task {
  std::string variant;  // union, intersection, difference
  arrangement at;       // of each range
};

std::uint64_t elements_of(const set_task& task) { return task.at.stride * task.at.places; }

// What the host has found, to which the results are compared.
struct set_answers {
  std::vector<std::int32_t> a, b, right, out;
};

std::shared_ptr<set_answers> answers_of(const set_task& task) {
  auto all = std::make_shared<set_answers>();
  for (std::uint64_t i = 0; i < task.at.n; ++i) {
    all->a.push_back(sorted_number(i, first_seed, step));
    all->b.push_back(sorted_number(i, second_seed, step));
  }
  all->out.resize(2 * task.at.n);
  return all;
}

std::size_t std_set(const std::string& variant, const set_answers& of, std::int32_t* out) {
  std::int32_t* end = out;
  if (variant == "union") end = std::set_union(of.a.begin(), of.a.end(), of.b.begin(), of.b.end(), out);
  if (variant == "intersection")
    end = std::set_intersection(of.a.begin(), of.a.end(), of.b.begin(), of.b.end(), out);
  if (variant == "difference")
    end = std::set_difference(of.a.begin(), of.a.end(), of.b.begin(), of.b.end(), out);
  return static_cast<std::size_t>(end - out);
}

// Reads both ranges and writes what is found.
double bytes_of(const set_task& task, std::size_t found) {
  return 8.0 * static_cast<double>(task.at.n) + 4.0 * static_cast<double>(found);
}

struct set_buffers {
  cl::Buffer a, b, out, count;
  std::shared_ptr<set_answers> answers;
};

// All places have the same ranges.
set_buffers buffers_of(laboratory& lab, const set_task& task) {
  const std::uint64_t n = elements_of(task);
  set_buffers all{.a = lab.buffer(n * 4),
                  .b = lab.buffer(n * 4),
                  .out = lab.buffer(2 * n * 4),
                  .count = lab.buffer(8),
                  .answers = answers_of(task)};
  all.answers->right.resize(2 * task.at.n);
  all.answers->right.resize(std_set(task.variant, *all.answers, all.answers->right.data()));
  for (std::size_t place = 0; place < task.at.places; ++place) {
    const std::size_t at = place * task.at.stride * 4, bytes = task.at.n * 4;
    lab.on.queue.enqueueWriteBuffer(all.a, CL_TRUE, at, bytes, all.answers->a.data());
    lab.on.queue.enqueueWriteBuffer(all.b, CL_TRUE, at, bytes, all.answers->b.data());
  }
  return all;
}

void add_check(laboratory& lab, contender& c, const set_buffers& all, const set_task& task, bool counts) {
  c.bytes = bytes_of(task, all.answers->right.size());
  c.spoil = [&lab, all, task] { lab.spoil(all.out, 2 * elements_of(task) * 4); };
  c.wrong = [&lab, all, task, counts](std::size_t place) -> std::string {
    std::vector<std::int32_t> found(all.answers->right.size());
    cl_ulong count = found.size();
    lab.on.queue.enqueueReadBuffer(all.out, CL_TRUE, 2 * place * task.at.stride * 4, found.size() * 4,
                                   found.data());
    if (counts) lab.on.queue.enqueueReadBuffer(all.count, CL_TRUE, 0, 8, &count);
    return count == found.size() && found == all.answers->right ? "" : "the result is not that of the host";
  };
}

contender clwave_set(laboratory& lab, const set_task& task) {
  const set_buffers all = buffers_of(lab, task);
  contender c;
  add_check(lab, c, all, task, true);
  c.call = [&lab, all, task](std::size_t place) {
    using words = view<std::int32_t>;
    const std::uint64_t first = place * task.at.stride, n = task.at.n;
    const words a{all.a, n, first}, b{all.b, n, first}, out{all.out, 2 * n, 2 * first};
    const view<std::uint64_t> count{all.count, 1};
    if (task.variant == "union")
      set_union(lab.on.queue, a, b, out, count, {.with_event = false});
    else if (task.variant == "intersection")
      set_intersection(lab.on.queue, a, b, out, count, {.with_event = false});
    else
      set_difference(lab.on.queue, a, b, out, count, {.with_event = false});
  };
  return c;
}

// --- Peers ------------------------------------------------------------------------------------------
#ifdef CLWAVE_BENCH_BOOST
contender boost_set(laboratory& lab, const set_task& task) {
  const set_buffers all = buffers_of(lab, task);
  contender c;
  add_check(lab, c, all, task, false);
  c.call = [&lab, all, task, queue = compute::command_queue(lab.on.queue())](std::size_t place) mutable {
    const std::uint64_t first = place * task.at.stride, end = first + task.at.n;
    const auto at = [](const cl::Buffer& buffer, std::uint64_t i) {
      return boost_at<std::int32_t>(buffer, i);
    };
    const auto a = at(all.a, first), a_end = at(all.a, end), b = at(all.b, first), b_end = at(all.b, end),
               out = at(all.out, 2 * first);
    if (task.variant == "union")
      compute::set_union(a, a_end, b, b_end, out, queue);
    else if (task.variant == "intersection")
      compute::set_intersection(a, a_end, b, b_end, out, queue);
    else
      compute::set_difference(a, a_end, b, b_end, out, queue);
  };
  return c;
}
#else
contender boost_set(laboratory&, const set_task&) { return without_boost(); }
#endif

contender std_contender(const set_task& task) {
  const std::shared_ptr<set_answers> all = answers_of(task);
  contender c = host_contender(bytes_of(task, std_set(task.variant, *all, all->out.data())));
  c.call = [all, task](std::size_t /*place*/) { std_set(task.variant, *all, all->out.data()); };
  c.spoil = [all] { std::fill(all->out.begin(), all->out.end(), -1); };
  c.wrong = [all](std::size_t /*place*/) -> std::string {
    return all->out[0] >= 0 ? "" : "there is no result";
  };
  return c;
}

void add_groups(laboratory& lab, std::vector<group>& all) {
  std::vector<std::uint64_t> sizes{10'000, 1'000'000, 10'000'000};
  if (!lab.is_cpu) sizes = {1u << 16, 1u << 20, 1u << 24, 1u << 26};
  for (const std::uint64_t n : sizes) {
    for (const char* variant : {"union", "intersection", "difference"}) {
      set_task task{.variant = variant, .at = lab.arrange(n / 2, 4)};
      task.at.stride = (task.at.stride + 255) / 256 * 256;
      if (!lab.fits(static_cast<double>(elements_of(task)) * 24)) continue;
      group rows;
      rows.places = task.at.places;
      const std::string base = "set_operations/" + task.variant + "/i32/" + std::to_string(n) + "/";
      const auto add = [&](const char* name, const std::string& sentence, std::function<contender()> make) {
        rows.rows.push_back({base + name, sentence, std::move(make)});
      };
      add("clwave", "clwave::set_" + task.variant + " of two halves",
          [&lab, task] { return clwave_set(lab, task); });
      add("boost.compute", "Boost.Compute's, which returns how many there are",
          [&lab, task] { return boost_set(lab, task); });
      if (lab.is_cpu)
        add("std", "the standard library's on one core", [task] { return std_contender(task); });
      if (lab.is_nvidia)
        add("thrust", "Thrust's, which returns how many there are", [&lab, task, row = base + "thrust"] {
          return cuda_counted(lab, row, task.at, bytes_of(task, 0));
        });
      all.push_back(std::move(rows));
    }
  }
}

// What the rows are held against, on an H200.
const registered_rows listed(
    "set_operations",
    {{.add = add_groups,
      .goals = {{where::gpu, "set_operations/(union|intersection|difference)/i32/67108864/clwave",
                 measure_of::speed, "set_operations/$1/i32/67108864/boost.compute", 3.0}}}});

}  // namespace
}  // namespace clwave::tool::bench::rows_of_set_operations
