// Rows of transform and broadcast.
#include <clwave/plan.hpp>
#include <clwave/transform.hpp>

#include "bench/bench.hpp"
#include "bench/peers/boost.hpp"

#ifdef CLWAVE_BENCH_BOOST
#include <boost/compute/algorithm/transform.hpp>
#include <boost/compute/function.hpp>
#endif

namespace clwave::tool::bench::rows_of_transform {
namespace {

// scale: x * 0.5f + 0.25f; axpy: 0.5f * x + y; row, column: x + b of a square matrix.
struct transform_task {
  std::string variant;
  arrangement at;
  std::uint64_t columns = 0;  // of broadcasts
};

bool is_broadcast(const transform_task& task) { return task.columns != 0; }
std::uint64_t values_of(const transform_task& task) {
  return task.variant == "row" ? task.at.n / task.columns : task.columns;
}

double bytes_of(const transform_task& task) {
  const double passes = task.variant == "axpy" ? 3 : 2;
  return passes * 4 * static_cast<double>(task.at.n) +
         (is_broadcast(task) ? 4.0 : 0.0) * static_cast<double>(values_of(task));
}

// One result from its inputs (its product is exact, so that a contender may fuse it into the sum), for the
// plain kernel, the check and the text clwave is given.
std::string text_of(const transform_task& task) {
  if (task.variant == "scale") return "x * 0.5f + 0.25f";
  return task.variant == "axpy" ? "0.5f * x + y" : "x + b";
}

// A plain kernel, a float4 a work-item, and the check of every row. COLUMNS is counted in float4.
constexpr const char* plain_source = R"(
#pragma OPENCL FP_CONTRACT OFF
#if defined(ROW)
#define OTHER(i) const float b = other[i / COLUMNS];
#elif defined(COLUMN)
#define OTHER(i) const float4 b = ((const global float4*)other)[i % COLUMNS];
#elif defined(AXPY)
#define OTHER(i) const float4 y = ((const global float4*)(other + first))[i];
#else
#define OTHER(i)
#endif
kernel void plain(const global float* restrict in, const global float* restrict other, ulong first, global float* restrict out, uint n) {
  const uint i = get_global_id(0);
  if (i >= n) return;
  const float4 x = ((const global float4*)(in + first))[i];
  OTHER(i)
  ((global float4*)(out + first))[i] = TEXT;
}
kernel void count(const global float* restrict in, const global float* restrict other, ulong first, global const float* restrict out, uint n, global uint* wrong) {
  for (uint i = get_global_id(0); i < n; i += get_global_size(0)) {
    const float4 x = ((const global float4*)(in + first))[i];
    OTHER(i)
    const float4 right = TEXT;
    if (any(((const global float4*)(out + first))[i] != right)) atomic_inc(wrong);
  }
}
)";

cl::Kernel plain_kernel(laboratory& lab, const transform_task& task, const std::string& name) {
  std::string variant = task.variant;
  for (char& c : variant) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return lab.kernel(
      "#define TEXT " + text_of(task) + "\n" + plain_source, name,
      "-D" + variant + " -DCOLUMNS=" + std::to_string(std::max<std::uint64_t>(task.columns / 4, 1)));
}

// The buffers of a row, and a contender with its checks.
struct prepared {
  std::shared_ptr<pool> x, y;
  cl::Buffer out;
  contender c;
};

prepared prepare(laboratory& lab, const transform_task& task) {
  prepared p;
  p.x = lab.data("f32", first_seed, task.at);
  p.y = task.variant == "scale" ? p.x : lab.data("f32", second_seed, task.at);
  p.out = lab.buffer((task.at.stride * task.at.places + 64) * 4);
  p.c.bytes = bytes_of(task);
  p.c.spoil = [&lab, out = p.out, task] { lab.spoil(out, task.at.stride * task.at.places * 4); };
  p.c.wrong = [&lab, x = p.x, y = p.y, out = p.out, task](std::size_t place) -> std::string {
    cl::Kernel k = plain_kernel(lab, task, "count");
    k.setArg(0, x->buffer);
    k.setArg(1, y->buffer);
    k.setArg(2, cl_ulong{place * task.at.stride});
    k.setArg(3, out);
    k.setArg(4, static_cast<cl_uint>(task.at.n / 4));
    const cl_uint wrong = lab.count(k, 5);
    return wrong == 0 ? "" : std::to_string(wrong) + " packets of four are wrong";
  };
  return p;
}

contender clwave_transform(laboratory& lab, const transform_task& task) {
  prepared p = prepare(lab, task);
  const map text{.name = task.variant, .source = text_of(task)};
  p.c.call = [&lab, x = p.x, y = p.y, out = p.out, task, text](std::size_t place) {
    const std::uint64_t first = place * task.at.stride;
    const view<float> in{x->buffer, task.at.n, first};
    const view<float> to{out, task.at.n, first};
    if (is_broadcast(task)) {
      broadcast(lab.on.queue, in, view<float>{y->buffer, values_of(task)}, to,
                {.rows = task.at.n / task.columns, .columns = task.columns},
                task.variant == "row" ? per::row : per::column, text, no_event);
    } else if (task.variant == "axpy") {
      transform(lab.on.queue, in, view<float>{y->buffer, task.at.n, first}, to, text, no_event);
    } else {
      transform(lab.on.queue, in, to, text, no_event);
    }
  };
  return p.c;
}

contender plain_transform(laboratory& lab, const transform_task& task) {
  prepared p = prepare(lab, task);
  cl::Kernel k = plain_kernel(lab, task, "plain");
  k.setArg(0, p.x->buffer);
  k.setArg(1, p.y->buffer);
  k.setArg(3, p.out);
  k.setArg(4, static_cast<cl_uint>(task.at.n / 4));
  p.c.call = [&lab, k, x = p.x, y = p.y, out = p.out, task](std::size_t place) mutable {
    k.setArg(2, cl_ulong{place * task.at.stride});
    lab.launch(k, (task.at.n / 4 + 255) / 256, 256);
  };
  return p.c;
}

contender boost_transform(laboratory& lab, const transform_task& task) {
#ifdef CLWAVE_BENCH_BOOST
  if (is_broadcast(task)) return skipped("Boost.Compute has no broadcast");
  prepared p = prepare(lab, task);
  const auto scale = compute::make_function_from_source<float(float)>(
      "scale", "float scale(float x) { return x * 0.5f + 0.25f; }");
  const auto axpy = compute::make_function_from_source<float(float, float)>(
      "axpy", "float axpy(float x, float y) { return 0.5f * x + y; }");
  p.c.call = [scale, axpy, x = p.x, y = p.y, out = p.out, task,
              queue = compute::command_queue(lab.on.queue())](std::size_t place) mutable {
    const std::uint64_t first = place * task.at.stride;
    const auto begin = boost_at<float>(x->buffer, first), end = boost_at<float>(x->buffer, first + task.at.n);
    if (task.variant == "axpy")
      compute::transform(begin, end, boost_at<float>(y->buffer, first), boost_at<float>(out, first), axpy,
                         queue);
    else
      compute::transform(begin, end, boost_at<float>(out, first), scale, queue);
  };
  return p.c;
#else
  (void)lab, (void)task;
  return without_boost();
#endif
}

void add_groups(laboratory& lab, std::vector<group>& all) {
  const std::uint64_t side = lab.is_cpu ? 4096 : 16384;
  const std::uint64_t n = side * side;
  if (12.0 * static_cast<double>(n) > static_cast<double>(lab.on.facts->global_memory.value_or(1 << 30)) / 2)
    return;
  for (const char* variant : {"scale", "axpy", "row", "column"}) {
    const bool spreads = std::string(variant) == "row" || std::string(variant) == "column";
    const transform_task task{variant, lab.arrange(n, 4), spreads ? side : 0};
    group rows;
    rows.places = task.at.places;
    const std::string base =
        (spreads ? "broadcast/" : "transform/") + std::string(variant) + "/f32/" + std::to_string(n) + "/";
    const std::string text = text_of(task);
    rows.rows.push_back({base + "clwave",
                         std::string(spreads ? "clwave::broadcast of " : "clwave::transform of ") + text,
                         [&lab, task] { return clwave_transform(lab, task); }});
    rows.rows.push_back({base + "opencl", "a plain kernel, a float4 a work-item",
                         [&lab, task] { return plain_transform(lab, task); }});
    rows.rows.push_back({base + "boost.compute", "Boost.Compute's transform",
                         [&lab, task] { return boost_transform(lab, task); }});
    all.push_back(std::move(rows));
  }
}

// The check compares packets of four, so sizes are multiples of four.
tuned_work tuned_transform(laboratory& lab, const std::string&, std::uint64_t n) {
  n = (n + 3) / 4 * 4;
  const transform_task task{"scale", lab.arrange(n, 4)};
  return {.n = n,
          .places = task.at.places,
          .make = [&lab, task] { return clwave_transform(lab, task); },
          .plan =
              [n, task](const plan_target& on) {
                const element& f32 = element_of<float>();
                const map text{.name = "text", .source = text_of(task)};
                return clwave::plan(transform_problem{{{f32, n}}, f32, &text}, on);
              }};
}

tuned_work tuned_broadcast(laboratory& lab, const std::string&, std::uint64_t n) {
  const std::uint64_t side = (side_of(n) + 3) / 4 * 4;
  const transform_task task{"column", lab.arrange(side * side, 4), side};
  return {.n = side * side,
          .places = task.at.places,
          .make = [&lab, task] { return clwave_transform(lab, task); },
          .plan =
              [side, task](const plan_target& on) {
                const element& f32 = element_of<float>();
                const map text{.name = "text", .source = text_of(task)};
                const broadcast_shape size{.rows = side, .columns = side};
                return clwave::plan(broadcast_problem{f32, f32, f32, size, per::column, &text}, on);
              }};
}

// What the rows are held against: on a GPU an H200's figures, on a CPU PoCL's.
const registered_rows listed(
    "transform", {{.add = add_groups,
                   .tuned = {{.name = "transform", .types = {"f32"}, .work = tuned_transform},
                             {.name = "broadcast", .types = {"f32"}, .work = tuned_broadcast}},
                   .goals = {{where::gpu, "(transform|broadcast)/(scale|axpy|row|column)/f32/(\\d+)/clwave",
                              measure_of::share_copy, "", 0.97}}}});

}  // namespace
}  // namespace clwave::tool::bench::rows_of_transform
