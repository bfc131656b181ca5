// Rows of copy and fill, and of the width of an access (after "Increase Performance with Vectorized
// Memory Access", NVIDIA, 2013).
#include <algorithm>
#include <bit>
#include <cstring>

#include <clwave/copy.hpp>
#include <clwave/plan.hpp>

#include "bench/bench.hpp"
#include "bench/peers/boost.hpp"
#include "bench/peers/clblast.hpp"
#include "bench/peers/cuda.hpp"
#include "bench/peers/openmp.hpp"

#ifdef CLWAVE_BENCH_BOOST
#include <boost/compute/algorithm/copy.hpp>
#include <boost/compute/algorithm/fill.hpp>
#endif

namespace clwave::tool::bench::rows_of_copy {
namespace {

struct copy_task {
  std::string variant;  // same, fill, convert, source+1, destination+1
  std::string type;
  arrangement at;
};

constexpr float fill_value = 1.7320508f;

// Bytes of one call.
double bytes_of(const copy_task& task) {
  const std::size_t out = find_element(output_type(task.type))->size;
  const std::size_t in = task.variant == "fill" ? 0 : find_element(input_type(task.type))->size;
  return static_cast<double>(task.at.n * (in + out));
}

// Sets the checks of a copy into `out`, `shift` elements into each place.
void check_copy_at(laboratory& lab, contender& c, const copy_task& task, const cl::Buffer& out,
                   std::uint64_t source_shift, std::uint64_t shift) {
  const std::size_t size = find_element(output_type(task.type))->size;
  c.spoil = [&lab, out, task, size] { lab.spoil(out, task.at.stride * task.at.places * size); };
  c.wrong = [&lab, out, task, source_shift, shift](std::size_t place) -> std::string {
    const std::uint64_t first = place * task.at.stride;
    const bool fill = task.variant == "fill";
    const std::uint64_t wrong = lab.count_wrong(
        out, first + shift, task.at.n, fill ? "fill" : input_type(task.type), output_type(task.type),
        fill ? std::bit_cast<std::uint32_t>(fill_value) : first_seed, first + source_shift);
    return wrong == 0 ? ""
                      : std::to_string(wrong) + " of " + std::to_string(task.at.n) + " elements are wrong";
  };
}

template <class In, class Out>
std::function<void(std::size_t)> call_of(laboratory& lab, const arrangement& at,
                                         const std::shared_ptr<pool>& from, const cl::Buffer& to,
                                         std::uint64_t from_shift, std::uint64_t to_shift) {
  return [&lab, at, from, to, from_shift, to_shift](std::size_t place) {
    const std::size_t first = place * at.stride;
    copy(lab.on.queue, view<In>{from->buffer, at.n, first + from_shift},
         view<Out>{to, at.n, first + to_shift}, {.with_event = false});
  };
}

std::uint64_t source_shift_of(const std::string& variant) { return variant == "source+1" ? 1 : 0; }
std::uint64_t destination_shift_of(const std::string& variant) { return variant == "destination+1" ? 1 : 0; }

cl::Buffer destination(laboratory& lab, const copy_task& task) {
  return lab.buffer((task.at.stride * task.at.places + 64) * find_element(output_type(task.type))->size);
}

contender clwave_copy(laboratory& lab, const copy_task& task) {
  const cl::Buffer to = destination(lab, task);
  const std::uint64_t from_shift = source_shift_of(task.variant);
  const std::uint64_t to_shift = destination_shift_of(task.variant);
  contender c;
  c.bytes = bytes_of(task);
  if (task.variant == "fill") {
    c.call = [&lab, to, at = task.at](std::size_t place) {
      fill(lab.on.queue, view<float>{to, at.n, place * at.stride}, fill_value, no_event);
    };
  } else {
    const auto from = lab.data(input_type(task.type), first_seed, task.at);
    if (task.type == "u8")
      c.call = call_of<std::uint8_t, std::uint8_t>(lab, task.at, from, to, from_shift, to_shift);
    else if (task.type == "u8-f32")
      c.call = call_of<std::uint8_t, float>(lab, task.at, from, to, from_shift, to_shift);
    else if (task.type == "f16-f32")
      c.call = call_of<half, float>(lab, task.at, from, to, from_shift, to_shift);
    else
      c.call = call_of<float, float>(lab, task.at, from, to, from_shift, to_shift);
  }
  check_copy_at(lab, c, task, to, from_shift, to_shift);
  return c;
}

// clEnqueueCopyBuffer and clEnqueueFillBuffer.
contender opencl_copy(laboratory& lab, const copy_task& task) {
  const cl::Buffer to = destination(lab, task);
  const std::size_t size = find_element(input_type(task.type))->size;
  contender c;
  c.bytes = bytes_of(task);
  if (task.variant == "fill") {
    c.call = [&lab, to, at = task.at](std::size_t place) {
      detail::check(lab.on.queue.enqueueFillBuffer(to, fill_value, place * at.stride * 4, at.n * 4), "fill");
    };
  } else {
    const auto from = lab.data(task.type, first_seed, task.at);
    const std::uint64_t from_shift = source_shift_of(task.variant);
    const std::uint64_t to_shift = destination_shift_of(task.variant);
    c.call = [&lab, to, from, at = task.at, size, from_shift, to_shift](std::size_t place) {
      const std::size_t first = place * at.stride;
      detail::check(lab.on.queue.enqueueCopyBuffer(from->buffer, to, (first + from_shift) * size,
                                                   (first + to_shift) * size, at.n * size),
                    "copy");
    };
  }
  check_copy_at(lab, c, task, to, source_shift_of(task.variant), destination_shift_of(task.variant));
  return c;
}

constexpr const char* width_source = R"(
kernel void copy_width(const global ACCESS* restrict from, ulong from_first, global ACCESS* restrict to, ulong to_first,
                       ulong n) {
  const ulong i = get_global_id(0);
  if (i < n) to[to_first + i] = from[from_first + i];
}
)";

// One access a work-item.
contender width_copy(laboratory& lab, const copy_task& task, unsigned width) {
  const cl::Buffer to = destination(lab, task);
  const auto from = lab.data("f32", first_seed, task.at);
  const unsigned floats = width / 4;
  cl::Kernel k =
      lab.kernel(width_source, "copy_width",
                 "-DACCESS=" + std::string(floats == 1 ? "float" : "float" + std::to_string(floats)));
  const std::uint64_t n = task.at.n / floats;
  k.setArg(0, from->buffer);
  k.setArg(2, to);
  k.setArg(4, cl_ulong{n});
  contender c;
  c.bytes = bytes_of(task);
  c.call = [&lab, k, from, to, at = task.at, floats, n](std::size_t place) mutable {
    k.setArg(1, cl_ulong{place * at.stride / floats});
    k.setArg(3, cl_ulong{place * at.stride / floats});
    lab.launch(k, (n + 255) / 256, 256);
  };
  check_copy_at(lab, c, task, to, 0, 0);
  return c;
}

// --- Peers ------------------------------------------------------------------------------------------
#ifdef CLWAVE_BENCH_BOOST
contender boost_copy(laboratory& lab, const copy_task& task) {
  if (task.type != "f32") return skipped("measured for f32 only");
  const cl::Buffer to = lab.buffer((task.at.stride * task.at.places + 64) * sizeof(float));
  compute::command_queue queue(lab.on.queue());
  contender c;
  c.bytes = bytes_of(task);
  if (task.variant == "fill") {
    c.call = [to, queue, at_ = task.at](std::size_t place) mutable {
      const std::uint64_t first = place * at_.stride;
      compute::fill_async(boost_at<float>(to, first), boost_at<float>(to, first + at_.n), fill_value, queue);
    };
  } else {
    const auto from = lab.data("f32", first_seed, task.at);
    c.call = [from, to, queue, at_ = task.at](std::size_t place) mutable {
      const std::uint64_t first = place * at_.stride;
      compute::copy_async(boost_at<float>(from->buffer, first), boost_at<float>(from->buffer, first + at_.n),
                          boost_at<float>(to, first), queue);
    };
  }
  check_copy_at(lab, c, task, to, 0, 0);
  return c;
}

#else
contender boost_copy(laboratory&, const copy_task&) { return without_boost(); }
#endif

#ifdef CLWAVE_BENCH_CLBLAST
contender clblast_copy(laboratory& lab, const copy_task& task) {
  if (too_long(task.at)) return too_long_for_ints();
  const auto from = lab.data("f32", first_seed, task.at);
  const cl::Buffer to = lab.buffer((task.at.stride * task.at.places + 64) * sizeof(float));
  contender c;
  c.bytes = bytes_of(task);
  c.call = [&lab, from, to, at = task.at](std::size_t place) {
    cl_command_queue queue = lab.on.queue();
    const std::size_t first = place * at.stride;
    check_blast(clblast::Copy<float>(at.n, from->buffer(), first, 1, to(), first, 1, &queue));
  };
  check_copy_at(lab, c, task, to, 0, 0);
  return c;
}

#else
contender clblast_copy(laboratory&, const copy_task&) { return without_clblast(); }
#endif

#ifdef CLWAVE_BENCH_OPENMP
contender openmp_copy(laboratory& lab, const copy_task& task) {
  if (task.type != "f32") return skipped("measured for f32 only");
  const auto from = lab.data("f32", first_seed, task.at);
  const std::shared_ptr<void> x = lab.host_copy(*from);
  const std::uint64_t elements = task.at.stride * task.at.places + 64;
  const std::shared_ptr<void> y = lab.host_copy(*from);  // as good a place to write to as any
  contender c = host_contender(bytes_of(task));
  const bool fills = task.variant == "fill";
  c.call = [x, y, fills, at = task.at](std::size_t place) {
    float* to = static_cast<float*>(y.get()) + place * at.stride;
    if (fills)
      openmp::fill(to, fill_value, at.n);
    else
      openmp::copy(static_cast<const float*>(x.get()) + place * at.stride, to, at.n * sizeof(float));
  };
  c.spoil = [y, elements] { std::memset(y.get(), 0xa5, elements * sizeof(float)); };
  c.wrong = [x, y, fills, at = task.at](std::size_t place) -> std::string {
    const float* got = static_cast<const float*>(y.get()) + place * at.stride;
    const float* right = static_cast<const float*>(x.get()) + place * at.stride;
    const bool good = fills ? std::all_of(got, got + at.n, [](float v) { return v == fill_value; })
                            : std::memcmp(got, right, at.n * sizeof(float)) == 0;
    return good ? "" : "the copy is wrong";
  };
  return c;
}

#else
contender openmp_copy(laboratory&, const copy_task&) { return without_openmp(); }
#endif

copy_task task_of(const laboratory& lab, const std::string& variant, const std::string& type,
                  std::uint64_t n) {
  // Converting copies go round their places by the smaller side.
  return {variant, type, lab.arrange(n, find_element(input_type(type))->size)};
}

void add_peers(laboratory& lab, group& rows, const std::string& base, const copy_task& task) {
  if (task.variant == "same" || task.variant == "fill") {
    rows.rows.push_back({base + "boost.compute", "Boost.Compute's copy_async or fill_async",
                         [&lab, task] { return boost_copy(lab, task); }});
    if (lab.is_cpu)
      rows.rows.push_back({base + "openmp", "memcpy, or a loop that fills, a piece for each core",
                           [&lab, task] { return openmp_copy(lab, task); }});
    if (lab.is_nvidia)
      rows.rows.push_back(
          {base + "cuda", task.variant == "fill" ? "cudaMemsetAsync" : "cudaMemcpyAsync, device to device",
           [&lab, task, base] { return cuda_counted(lab, base + "cuda", task.at, bytes_of(task)); }});
  }
  if (task.variant == "same" && task.type == "f32")
    rows.rows.push_back(
        {base + "clblast", "CLBlast's Copy", [&lab, task] { return clblast_copy(lab, task); }});
}

void add_rows(laboratory& lab, std::vector<group>& all, const std::vector<copy_task>& tasks, bool widths) {
  group rows;
  for (const copy_task& task : tasks) {
    if (!lab.fits(bytes_of(task))) continue;
    rows.places = task.at.places;
    const std::string n = std::to_string(task.at.n);
    const std::string base = "copy/" + task.variant + "/" + task.type + "/" + n + "/";
    const char* what = task.variant == "fill"      ? "clwave::fill"
                       : task.variant == "convert" ? "clwave::copy, converting"
                       : task.variant == "same"    ? "clwave::copy"
                                                   : "clwave::copy, one side misaligned by one element";
    rows.rows.push_back({base + "clwave", what, [&lab, task] { return clwave_copy(lab, task); }});
    if (task.variant != "convert")
      rows.rows.push_back({base + "opencl",
                           task.variant == "fill" ? "clEnqueueFillBuffer" : "clEnqueueCopyBuffer",
                           [&lab, task] { return opencl_copy(lab, task); }});
    add_peers(lab, rows, base, task);
    for (const unsigned width : widths ? std::vector<unsigned>{4, 8, 16, 32} : std::vector<unsigned>{})
      rows.rows.push_back({"copy/access-" + std::to_string(width) + "/f32/" + n + "/opencl",
                           "a plain kernel, one access of " + std::to_string(width) + " bytes a work-item",
                           [&lab, task, width] { return width_copy(lab, task, width); }});
  }
  if (!rows.rows.empty()) all.push_back(std::move(rows));
}

void add_groups(laboratory& lab, std::vector<group>& all) {
  if (lab.is_cpu) {
    // A work-item for each access takes a CPU a hundred times as long as chunks do: at one size only.
    for (const std::uint64_t n : {1'000'000u, 100'000'000u})
      add_rows(lab, all, {task_of(lab, "same", "f32", n)}, n == 1'000'000u);
  } else {
    for (unsigned log = 14; log <= 28; log += 2)
      add_rows(lab, all, {task_of(lab, "same", "f32", std::uint64_t{1} << log)}, true);
  }
  const std::uint64_t n = lab.is_cpu ? 10'000'000 : std::uint64_t{1} << 28;
  add_rows(lab, all,
           {task_of(lab, "same", "f32", n - 64), task_of(lab, "source+1", "f32", n - 64),
            task_of(lab, "destination+1", "f32", n - 64)},
           false);
  add_rows(lab, all,
           {task_of(lab, "same", "u8", n - 64), task_of(lab, "source+1", "u8", n - 64),
            task_of(lab, "destination+1", "u8", n - 64)},
           false);
  add_rows(lab, all, {task_of(lab, "convert", "u8-f32", n)}, false);
  add_rows(lab, all, {task_of(lab, "convert", "f16-f32", n)}, false);
  add_rows(lab, all, {task_of(lab, "fill", "f32", n)}, false);
}

tuned_work tuned_as(laboratory& lab, const std::string& type, std::uint64_t n, bool fills) {
  const element& e = *find_element(type);
  const copy_task task{fills ? "fill" : "same", type, lab.arrange(n, e.size)};
  return {.n = n,
          .places = task.at.places,
          .make = [&lab, task] { return clwave_copy(lab, task); },
          .plan =
              [&e, n, fills](const plan_target& on) {
                return fills ? clwave::plan(fill_problem{{e, n}, &fill_value}, on)
                             : clwave::plan(copy_problem{{e, n}, e}, on);
              }};
}

tuned_work tuned_copy(laboratory& lab, const std::string& type, std::uint64_t n) {
  return tuned_as(lab, type, n, false);
}
tuned_work tuned_fill(laboratory& lab, const std::string& type, std::uint64_t n) {
  return tuned_as(lab, type, n, true);
}

// What the rows are held against: on a GPU an H200's figures, on a CPU PoCL's.
const registered_rows listed(
    "copy",
    {{.add = add_groups,
      .tuned = {{.name = "copy", .types = {"f32", "u8"}, .work = tuned_copy},
                {.name = "fill", .types = {"f32"}, .work = tuned_fill}},
      .goals = {// From 2^24 bytes on.
                {where::gpu, "copy/same/f32/(4194304|16777216|67108864|268435456)/clwave", measure_of::speed,
                 "copy/same/f32/$1/cuda", 1.0},
                {where::gpu, "copy/same/f32/(4194304|16777216|67108864|268435456)/clwave", measure_of::speed,
                 "copy/same/f32/$1/opencl", 1.0},
                {where::any, "copy/(source|destination)\\+1/(f32|u8)/(\\d+)/clwave", measure_of::speed,
                 "copy/same/$2/$3/clwave", 0.9},
                {where::gpu, "copy/convert/(u8-f32|f16-f32)/(\\d+)/clwave", measure_of::share_copy, "", 0.95},
                {where::gpu, "copy/fill/f32/(\\d+)/clwave", measure_of::share_copy, "", 0.95},
                {where::cpu, "copy/same/f32/(1000000|100000000)/clwave", measure_of::speed,
                 "copy/same/f32/$1/opencl", 1.0},
                {where::cpu, "copy/same/f32/(1000000|100000000)/clwave", measure_of::speed,
                 "copy/same/f32/$1/openmp", 0.9}}}});

}  // namespace

}  // namespace clwave::tool::bench::rows_of_copy
