// Rows of layout, and of the four ways to reach structures of 12 bytes (after "Kepler architecture and
// program optimisation", part 8).
#include <algorithm>

#include <clwave/layout.hpp>
#include <clwave/plan.hpp>

#include "bench/bench.hpp"

namespace clwave::tool::bench::rows_of_layout {
namespace {

template <std::size_t N>
struct floats {
  float values[N];
};

layout fields_of(std::size_t fields) {
  layout made{fields * 4, {}};
  for (std::size_t f = 0; f < fields; ++f) made.fields.push_back({4, f * 4});
  return made;
}

// What the rows of one group share: structures of `fields` floats, and a copy's worth of room.
struct layout_task {
  std::size_t fields;
  arrangement at;  // in structures
};

// Places start at multiples of 256 bytes on both sides.
layout_task task_of(const laboratory& lab, std::size_t fields, std::uint64_t n) {
  layout_task task{fields, lab.arrange(n, fields * 4)};
  task.at.stride = (task.at.stride + 63) / 64 * 64;
  return task;
}

arrangement in_floats(const layout_task& task) {
  return {task.at.n * task.fields, task.at.stride * task.fields, task.at.places};
}

double bytes_of_task(const layout_task& task) { return 8.0 * static_cast<double>(task.at.n * task.fields); }

constexpr const char* check_source = R"(
// Float j of structure i is float i of array j, which begins at j * n.
kernel void count_wrong_layout(const global uint* aos, const global uint* soa, ulong first, ulong n, uint fields,
                               ulong each, volatile global uint* wrong) {
  uint found = 0;
  const ulong begin = get_global_id(0) * each;
  for (ulong i = begin; i < min(begin + each, n); ++i)
    for (uint f = 0; f < fields; ++f) found += aos[first + i * fields + f] != soa[first + f * n + i];
  if (found > 0) atomic_add(wrong, found);
}
)";

void check_at(laboratory& lab, contender& c, const layout_task& task, const cl::Buffer& aos,
              const cl::Buffer& soa, const cl::Buffer& out) {
  c.spoil = [&lab, out, task] { lab.spoil(out, task.at.stride * task.at.places * task.fields * 4); };
  c.wrong = [&lab, aos, soa, task](std::size_t place) -> std::string {
    cl::Kernel k = lab.kernel(check_source, "count_wrong_layout");
    k.setArg(0, aos);
    k.setArg(1, soa);
    k.setArg(2, cl_ulong{place * task.at.stride * task.fields});
    k.setArg(3, cl_ulong{task.at.n});
    k.setArg(4, static_cast<cl_uint>(task.fields));
    k.setArg(5, cl_ulong{lab.each_of(task.at.n)});
    const cl_uint wrong = lab.count(k, 6);
    return wrong == 0 ? "" : std::to_string(wrong) + " floats are wrong";
  };
}

template <std::size_t N>
contender clwave_layout(laboratory& lab, const layout_task& task, bool to_soa) {
  const auto in = lab.data("f32", first_seed, in_floats(task));
  const cl::Buffer out = lab.buffer((task.at.stride * task.at.places * N + 64) * 4);
  const cl::Buffer aos = to_soa ? in->buffer : out;
  const cl::Buffer soa = to_soa ? out : in->buffer;
  contender c;
  c.bytes = bytes_of_task(task);
  c.call = [&lab, aos, soa, task, to_soa, in, fields = fields_of(N)](std::size_t place) {
    const view<floats<N>> structures{aos, task.at.n, place * task.at.stride};
    std::vector<soa_field> arrays;
    for (std::size_t f = 0; f < N; ++f)
      arrays.emplace_back(view<float>{soa, task.at.n, place * task.at.stride * N + f * task.at.n});
    if (to_soa)
      aos_to_soa(lab.on.queue, structures, fields, arrays, no_event);
    else
      soa_to_aos(lab.on.queue, arrays, structures, fields, no_event);
  };
  check_at(lab, c, task, aos, soa, out);
  return c;
}

constexpr const char* plain_source = R"(
// A structure a work-item, field after field.
kernel void plain_to_soa(const global float* restrict aos, global float* restrict soa, ulong first, ulong n) {
  const ulong i = get_global_id(0);
  if (i < n)
    for (uint f = 0; f < FIELDS; ++f) soa[first + f * n + i] = aos[first + i * FIELDS + f];
}
kernel void plain_to_aos(const global float* restrict soa, global float* restrict aos, ulong first, ulong n) {
  const ulong i = get_global_id(0);
  if (i < n)
    for (uint f = 0; f < FIELDS; ++f) aos[first + i * FIELDS + f] = soa[first + f * n + i];
}
)";

contender plain_layout(laboratory& lab, const layout_task& task, bool to_soa) {
  const auto in = lab.data("f32", first_seed, in_floats(task));
  const cl::Buffer out = lab.buffer((task.at.stride * task.at.places * task.fields + 64) * 4);
  cl::Kernel k = lab.kernel(plain_source, to_soa ? "plain_to_soa" : "plain_to_aos",
                            "-DFIELDS=" + std::to_string(task.fields));
  contender c;
  c.bytes = bytes_of_task(task);
  c.call = [&lab, k, in, out, task](std::size_t place) mutable {
    k.setArg(0, in->buffer);
    k.setArg(1, out);
    k.setArg(2, cl_ulong{place * task.at.stride * task.fields});
    k.setArg(3, cl_ulong{task.at.n});
    lab.launch(k, (task.at.n + 255) / 256, 256);
  };
  check_at(lab, c, task, to_soa ? in->buffer : out, to_soa ? out : in->buffer, out);
  return c;
}

// Reading: x + y + z of each structure goes out, so that 12 bytes are read for 4 written. Writing: one value
// comes in and makes a structure. Memory that a compiler cannot take for constant is `volatile`.
constexpr const char* way_source = R"(
typedef struct { float x, y, z; } point;
#define N 256
#ifdef READ
#define OUT global float* restrict out
kernel void direct(const global float* in, ulong at, OUT, ulong to, ulong n) {
  const volatile global point* p = (const volatile global point*)(in + 3 * at);
  const ulong i = get_global_id(0);
  if (i < n) out[to + i] = p[i].x + p[i].y + p[i].z;
}
kernel void constant_restrict(const global float* restrict in, ulong at, OUT, ulong to, ulong n) {
  const global point* p = (const global point*)(in + 3 * at);
  const ulong i = get_global_id(0);
  if (i < n) out[to + i] = p[i].x + p[i].y + p[i].z;
}
kernel void staged(const global float* restrict in, ulong at, OUT, ulong to, ulong n) {
  local float tile[3 * N];
  const ulong first = get_group_id(0) * (ulong)N;
  const uint id = get_local_id(0);
  const uint count = (uint)min((ulong)N, n - first);
  for (uint k = id; k < 3 * count; k += N) tile[k] = in[3 * (at + first) + k];
  barrier(CLK_LOCAL_MEM_FENCE);
  if (id < count) out[to + first + id] = tile[3 * id] + tile[3 * id + 1] + tile[3 * id + 2];
}
kernel void soa(const global float* restrict in, ulong at, OUT, ulong to, ulong n) {
  const global float* x = in + 3 * at;
  const ulong i = get_global_id(0);
  if (i < n) out[to + i] = x[i] + x[n + i] + x[2 * n + i];
}
#else
#define IN const global float* restrict in
kernel void direct(IN, ulong at, global float* out, ulong to, ulong n) {
  volatile global point* p = (volatile global point*)(out + 3 * to);
  const ulong i = get_global_id(0);
  if (i < n) {
    const float v = in[at + i];
    p[i].x = v;
    p[i].y = v + 1;
    p[i].z = v + 2;
  }
}
kernel void staged(IN, ulong at, global float* restrict out, ulong to, ulong n) {
  local float tile[3 * N];
  const ulong first = get_group_id(0) * (ulong)N;
  const uint id = get_local_id(0);
  const uint count = (uint)min((ulong)N, n - first);
  if (id < count) {
    const float v = in[at + first + id];
    tile[3 * id] = v;
    tile[3 * id + 1] = v + 1;
    tile[3 * id + 2] = v + 2;
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  for (uint k = id; k < 3 * count; k += N) out[3 * (to + first) + k] = tile[k];
}
kernel void soa(IN, ulong at, global float* restrict out, ulong to, ulong n) {
  global float* x = out + 3 * to;
  const ulong i = get_global_id(0);
  if (i < n) {
    const float v = in[at + i];
    x[i] = v;
    x[n + i] = v + 1;
    x[2 * n + i] = v + 2;
  }
}
#endif

// Of values that a way read or wrote, how many are not what the other side says.
kernel void count_wrong_way(const global float* in, ulong at, const global float* out, ulong to, ulong n, ulong each,
                            uint planes, volatile global uint* wrong) {
  uint found = 0;
  const ulong begin = get_global_id(0) * each;
  for (ulong i = begin; i < min(begin + each, n); ++i) {
#ifdef READ
    const global float* p = in + 3 * at;
    found += out[to + i] != (planes ? p[i] + p[n + i] + p[2 * n + i] : p[3 * i] + p[3 * i + 1] + p[3 * i + 2]);
#else
    const global float* p = out + 3 * to;
    const float v = in[at + i];
    for (uint f = 0; f < 3; ++f) found += p[planes ? f * n + i : 3 * i + f] != v + f;
#endif
  }
  if (found > 0) atomic_add(wrong, found);
}
)";

contender way(laboratory& lab, const layout_task& task, const std::string& name, bool reads, double kepler) {
  const std::uint64_t in_width = reads ? 3 : 1;
  const std::uint64_t out_width = reads ? 1 : 3;
  const auto in =
      lab.data("f32", first_seed, {task.at.n * in_width, task.at.stride * in_width, task.at.places});
  const cl::Buffer out = lab.buffer((task.at.stride * task.at.places * out_width + 64) * 4);
  const std::string options = reads ? "-DREAD" : "";
  cl::Kernel k = lab.kernel(way_source, name, options);
  contender c;
  c.bytes = 16.0 * static_cast<double>(task.at.n);
  c.call = [&lab, k, in, out, task](std::size_t place) mutable {
    k.setArg(0, in->buffer);
    k.setArg(1, cl_ulong{place * task.at.stride});
    k.setArg(2, out);
    k.setArg(3, cl_ulong{place * task.at.stride});
    k.setArg(4, cl_ulong{task.at.n});
    lab.launch(k, (task.at.n + 255) / 256, 256);
  };
  c.spoil = [&lab, out, task, out_width] { lab.spoil(out, task.at.stride * task.at.places * out_width * 4); };
  c.wrong = [&lab, in, out, task, options, name](std::size_t place) -> std::string {
    cl::Kernel counts = lab.kernel(way_source, "count_wrong_way", options);
    counts.setArg(0, in->buffer);
    counts.setArg(1, cl_ulong{place * task.at.stride});
    counts.setArg(2, out);
    counts.setArg(3, cl_ulong{place * task.at.stride});
    counts.setArg(4, cl_ulong{task.at.n});
    counts.setArg(5, cl_ulong{lab.each_of(task.at.n)});
    counts.setArg(6, cl_uint{name == "soa" ? 1u : 0u});
    const cl_uint wrong = lab.count(counts, 7);
    return wrong == 0 ? "" : std::to_string(wrong) + " values are wrong";
  };
  c.found = std::make_shared<std::map<std::string, double>>();
  (*c.found)["kepler_times_direct"] = kepler;
  return c;
}

template <std::size_t N>
void add_size(laboratory& lab, std::vector<group>& all, std::uint64_t n) {
  const layout_task task = task_of(lab, N, n);
  group made;
  made.places = task.at.places;
  for (const bool to_soa : {true, false}) {
    std::string base = to_soa ? "layout/aos-to-soa/" : "layout/soa-to-aos/";
    base += std::to_string(N) + "xf32/" + std::to_string(n) + "/";
    made.rows.push_back({base + "clwave", to_soa ? "clwave::aos_to_soa" : "clwave::soa_to_aos",
                         [&lab, task, to_soa] { return clwave_layout<N>(lab, task, to_soa); }});
    made.rows.push_back({base + "opencl", "a plain kernel, a structure a work-item",
                         [&lab, task, to_soa] { return plain_layout(lab, task, to_soa); }});
  }
  all.push_back(std::move(made));
}

void add_ways(laboratory& lab, std::vector<group>& all, std::uint64_t n) {
  const layout_task task = task_of(lab, 3, n);
  struct known_way {
    const char* kernel;
    const char* name;
    const char* sentence;
    double kepler_reads, kepler_writes;  // times direct, as published; 0: not published
  };
  const known_way ways[] = {{"direct", "direct", "structures where they are", 1, 1},
                            {"constant_restrict", "read-only",
                             "const restrict: the read-only path, where the compiler takes it", 1.43, 0},
                            {"staged", "staged", "structures through local memory", 1.40, 1.88},
                            {"soa", "soa", "a structure of arrays", 1.51, 1.88}};
  for (const bool reads : {true, false}) {
    group made;
    made.places = task.at.places;
    for (const known_way& w : ways) {
      const double kepler = reads ? w.kepler_reads : w.kepler_writes;
      if (kepler == 0) continue;
      made.rows.push_back(
          {std::string("layout/") + (reads ? "read" : "write") + "-12-bytes/f32/" + std::to_string(n) + "/" +
               w.name,
           w.sentence, [&lab, task, w, reads, kepler] { return way(lab, task, w.kernel, reads, kepler); }});
    }
    all.push_back(std::move(made));
  }
}

void add_groups(laboratory& lab, std::vector<group>& all) {
  const std::uint64_t n = lab.is_cpu ? 4'000'000 : std::uint64_t{1} << 26;
  add_size<3>(lab, all, n);
  add_size<7>(lab, all, n / 2);
  add_ways(lab, all, n);
}

// Structures of three floats to arrays.
tuned_work tuned_layout(laboratory& lab, const std::string&, std::uint64_t n) {
  const layout_task task = task_of(lab, 3, n);
  return {.n = n,
          .places = task.at.places,
          .make = [&lab, task] { return clwave_layout<3>(lab, task, true); },
          .plan =
              [n](const plan_target& on) {
                const layout fields = fields_of(3);
                return clwave::plan(
                    layout_problem{.fields = &fields,
                                   .structures = {element_of<std::uint8_t>(), n * fields.size}},
                    on);
              }};
}

// What the rows are held against: on a GPU an H200's figures, on a CPU PoCL's.
const registered_rows listed("layout", {{.add = add_groups,
                                         .tuned = {{.name = "layout",
                                                    .types = {"f32"},
                                                    .work = tuned_layout,
                                                    .element_bytes = 12,
                                                    .default_share = 4}},
                                         .goals = {{where::gpu,
                                                    "layout/(aos-to-soa|soa-to-aos)/(3|7)xf32/(\\d+)/clwave",
                                                    measure_of::share_copy, "", 0.9}}}});

}  // namespace
}  // namespace clwave::tool::bench::rows_of_layout
