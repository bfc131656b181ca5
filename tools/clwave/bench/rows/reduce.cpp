// Rows of reduce: clwave against its peers, against the freest order, and with each lane mechanism.
#include <algorithm>
#include <set>

#include <clwave/plan.hpp>
#include <clwave/profile.hpp>
#include <clwave/reduce.hpp>

#include "bench/rows/reduce.hpp"

namespace clwave::tool::bench::rows_of_reduce {
namespace {

// A sum by an operator that may not change its elements' places.
const op ordered_plus{.name = "ordered_plus", .source = "a + b", .identity = "0", .commutative = false};

// One call of clwave's reduce for a task, into the start of `out`.
template <class In, class Acc>
std::function<void(std::size_t)> call_of(laboratory& lab, const reduce_task& task,
                                         const std::shared_ptr<pool>& x, const std::shared_ptr<pool>& y,
                                         const cl::Buffer& out) {
  const arrangement at = task.at;
  const op* fold = task.what.op == "max"           ? &clwave::max
                   : task.what.op == "argmax"      ? &clwave::detail::argmax_op
                   : task.what.op == "sum-ordered" ? &ordered_plus
                                                   : &clwave::plus;
  const view<Acc> result{out, 1};
  if (y)
    return [&lab, at, x, y, result](std::size_t place) {
      const std::size_t first = place * at.stride;
      transform_reduce(lab.on.queue, zip(view<In>{x->buffer, at.n, first}, view<In>{y->buffer, at.n, first}),
                       result, plus, product, no_event);
    };
  return [&lab, at, x, result, fold, skipped = first_of(task.what)](std::size_t place) {
    reduce(lab.on.queue, view<In>{x->buffer, at.n, place * at.stride + skipped}, result, *fold, no_event);
  };
}

contender clwave_reduce(laboratory& lab, const reduce_task& task) {
  const auto x = lab.data(input_type(task.what.type), first_seed, task.at);
  const auto y = task.what.op == "dot" ? lab.data("f32", second_seed, task.at) : nullptr;
  const cl::Buffer out = lab.buffer(64);
  contender c;
  c.bytes = bytes_of(task);
  const std::string& type = task.what.type;
  if (task.what.op == "argmax")
    c.call = call_of<float, indexed<float>>(lab, task, x, y, out);
  else if (type == "f64")
    c.call = call_of<double, double>(lab, task, x, y, out);
  else if (type == "i32")
    c.call = call_of<std::int32_t, std::int32_t>(lab, task, x, y, out);
  else if (type == "u8-u32")
    c.call = call_of<std::uint8_t, std::uint32_t>(lab, task, x, y, out);
  else if (type == "f16-f32")
    c.call = call_of<half, float>(lab, task, x, y, out);
  else
    c.call = call_of<float, float>(lab, task, x, y, out);
  check_result_at(lab, c, task, out, true);
  return c;
}

// The freest order: what a sum costs that promises nothing about its bits. One launch.
constexpr const char* free_source = R"(
#ifdef CPU_CHUNKS
// A work-item a group; each folds a contiguous chunk in four wide registers. The last one adds the rest.
kernel __attribute__((reqd_work_group_size(1, 1, 1)))
void free_sum(const global float* restrict x0, ulong offset, ulong n, global float* out, global float* partial,
              volatile global uint* counter) {
  const global float16* x = (const global float16*)(x0 + offset);
  const ulong packets = n / 16, groups = get_num_groups(0);
  ulong i = packets * get_group_id(0) / groups;
  const ulong end = packets * (get_group_id(0) + 1) / groups;
  float16 a = 0, b = 0, c = 0, d = 0;
  for (; i + 4 <= end; i += 4) {
    a += x[i];
    b += x[i + 1];
    c += x[i + 2];
    d += x[i + 3];
  }
  for (; i < end; ++i) a += x[i];
  a += b + (c + d);
  const float8 e = a.lo + a.hi;
  const float4 f = e.lo + e.hi;
  partial[get_group_id(0)] = f.x + f.y + f.z + f.w;
  mem_fence(CLK_GLOBAL_MEM_FENCE);
  if (atomic_inc(counter) == groups - 1) {
    mem_fence(CLK_GLOBAL_MEM_FENCE);
    float sum = 0;
    for (ulong k = 0; k < groups; ++k) sum += ((volatile global float*)partial)[k];
    for (ulong k = packets * 16; k < n; ++k) sum += x0[offset + k];
    *out = sum;
    *counter = 0;
  }
}
#else
#ifdef USE_PTX
#define FENCE() __asm__ volatile("fence.acq_rel.gpu;" ::: "memory")
float group_sum(float v, local float* l) {
  for (int d = 16; d > 0; d >>= 1) {
    float o;
    __asm__ volatile("shfl.sync.down.b32 %0, %1, %2, 31, 0xffffffff;" : "=f"(o) : "f"(v), "r"(d));
    v += o;
  }
  const uint t = get_local_id(0);
  barrier(CLK_LOCAL_MEM_FENCE);
  if (t % 32 == 0) l[t / 32] = v;
  barrier(CLK_LOCAL_MEM_FENCE);
  v = 0;
  for (int k = 0; k < 8; ++k) v += l[k];
  return v;
}
#else
#define FENCE() atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, memory_order_acq_rel, memory_scope_device)
float group_sum(float v, local float* l) {
  const uint t = get_local_id(0);
  barrier(CLK_LOCAL_MEM_FENCE);
  l[t] = v;
  for (uint d = 128; d > 0; d >>= 1) {
    barrier(CLK_LOCAL_MEM_FENCE);
    if (t < d) l[t] += l[t + d];
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  return l[0];
}
#endif
// Grid-stride, eight float4 in flight; the last group adds the groups' sums.
kernel __attribute__((reqd_work_group_size(256, 1, 1)))
void free_sum(const global float* restrict x0, ulong offset, ulong n, global float* out, global float* partial,
              volatile global uint* counter) {
  local float l[256];
  local uint last;
  const global float4* x = (const global float4*)(x0 + offset);
  const ulong packets = n / 4, stride = get_num_groups(0) * 2048;
  const uint t = get_local_id(0);
  float4 a[8];
  for (int k = 0; k < 8; ++k) a[k] = 0;
  ulong i = get_group_id(0) * 2048 + t;
  for (; i + 7 * 256 < packets; i += stride) {
#pragma unroll
    for (int k = 0; k < 8; ++k) a[k] += x[i + k * 256];
  }
#pragma unroll
  for (int k = 0; k < 8; ++k)
    if (i + k * 256 < packets) a[k] += x[i + k * 256];
  const float4 b = ((a[0] + a[1]) + (a[2] + a[3])) + ((a[4] + a[5]) + (a[6] + a[7]));
  float v = group_sum((b.x + b.y) + (b.z + b.w), l);
  if (get_num_groups(0) == 1) {
    if (t == 0) *out = v;
    return;
  }
  if (t == 0) {
    partial[get_group_id(0)] = v;
    FENCE();
    last = atomic_inc(counter) == get_num_groups(0) - 1;
    FENCE();
  }
  barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
  if (!last) return;
  v = 0;
  for (uint k = t; k < get_num_groups(0); k += 256) v += partial[k];
  v = group_sum(v, l);
  if (t == 0) {
    *out = v;
    *counter = 0;
  }
}
#endif
)";

contender free_sum(laboratory& lab, const reduce_task& task) {
  const bool ptx = lab.on.facts->inline_ptx.value_or(false) && lab.on.facts->cuda_sm.value_or(0) >= 70;
  const bool fences = lab.on.facts->device_scope_atomics.value_or(false);
  if (!lab.is_cpu && !ptx && !fences)
    return skipped("one launch needs device-scope fences, which this device does not have");
  std::string options = lab.is_cpu ? "-DCPU_CHUNKS" : ptx ? "-DUSE_PTX" : "";
  if (!lab.is_cpu && !ptx)
    options = lab.on.facts->opencl_c_newest.value_or(200) >= 300 ? "-cl-std=CL3.0" : "-cl-std=CL2.0";
  const auto x = lab.data("f32", first_seed, task.at);
  const unsigned units = lab.on.facts->compute_units.value_or(1);
  const std::uint64_t groups = lab.is_cpu
                                   ? std::clamp<std::uint64_t>(task.at.n / 16384, 1, 4 * units)
                                   : std::clamp<std::uint64_t>((task.at.n / 4 + 2047) / 2048, 1, 4 * units);
  const cl::Buffer out = lab.buffer(64);
  const cl::Buffer partial = lab.buffer(groups * 4);
  const cl::Buffer counter = lab.buffer(4);
  detail::check(lab.on.queue.enqueueFillBuffer(counter, cl_uint{0}, 0, 4), "clear a counter");
  cl::Kernel k = lab.kernel(free_source, "free_sum", options);
  k.setArg(0, x->buffer);
  k.setArg(2, cl_ulong{task.at.n});
  k.setArg(3, out);
  k.setArg(4, partial);
  k.setArg(5, counter);
  contender c;
  c.bytes = bytes_of(task);
  // A kernel does not keep the buffers it is given: the call does.
  c.call = [&lab, k, x, partial, counter, at = task.at, groups](std::size_t place) mutable {
    k.setArg(1, cl_ulong{place * at.stride});
    lab.launch(k, groups, lab.is_cpu ? 1 : 256);
  };
  check_result_at(lab, c, task, out, false);
  return c;
}

void add_rows(laboratory& lab, std::vector<group>& all, const reduction& what, std::uint64_t n) {
  const reduce_task task{what, lab.arrange(n, size_of_input(what))};
  if (!lab.fits(bytes_of(task))) return;
  const std::string base = "reduce/" + what.op + "/" + what.type + "/" + std::to_string(n) + "/";
  group rows;
  rows.places = task.at.places;
  rows.rows.push_back({base + "clwave", "clwave::reduce into a buffer, in the fixed fold order",
                       [&lab, task] { return clwave_reduce(lab, task); }});
  const bool f32_sum = what.op == "sum" && what.type == "f32";
  if (f32_sum)
    rows.rows.push_back({"reduce/sum-free/f32/" + std::to_string(n) + "/opencl",
                         "a plain OpenCL kernel in the freest order: float4 x 8 in flight, one launch",
                         [&lab, task] { return free_sum(lab, task); }});
  rows.rows.push_back({base + "boost.compute", "Boost.Compute's reduce or max_element",
                       [&lab, task] { return boost_reduce(lab, task, false); }});
  rows.rows.push_back(
      {base + "clblast", "CLBlast's Sum, Max or Dot", [&lab, task] { return clblast_reduce(lab, task); }});
  if (lab.is_cpu) {
    rows.rows.push_back({base + "std", "std::reduce or its like, std::execution::unseq, one core",
                         [&lab, task] { return std_reduce(lab, task); }});
    rows.rows.push_back({base + "openmp", "an OpenMP loop over all cores, -O3 -march=native -ffast-math",
                         [&lab, task] { return openmp_reduce(lab, task); }});
  }
  if (lab.is_nvidia) {
    const std::string name = base + (what.op == "dot" ? "cublas" : "cub");
    rows.rows.push_back({name, what.op == "dot" ? "cublasSdot, result on the device" : "cub::DeviceReduce",
                         [&lab, task, name] { return cuda_reduce(lab, name, task); }});
    const std::string same_bits = base + "cub-gpu-to-gpu";
    if (f32_sum || (what.op == "sum" && what.type == "f64"))
      rows.rows.push_back({same_bits,
                           "cub::DeviceReduce::Sum with determinism::gpu_to_gpu: the same bits on "
                           "every NVIDIA GPU, for sums of floats",
                           [&lab, task, same_bits] { return cuda_reduce(lab, same_bits, task); }});
  }
  all.push_back(std::move(rows));
}

// Each way in which lanes exchange values (after "GPU optimisation techniques", chapter 4, 2016), forced by
// CLWAVE_PROFILE.
void add_lane_groups(laboratory& lab, std::vector<group>& all) {
  for (const std::uint64_t n : lab.is_cpu ? std::vector<std::uint64_t>{1 << 18}
                                          : std::vector<std::uint64_t>{1 << 16, 1 << 20, 1 << 24, 1 << 28}) {
    const reduce_task task{{"sum", "f32"}, lab.arrange(n, sizeof(float))};
    if (!lab.fits(bytes_of(task))) continue;
    group rows;
    rows.places = task.at.places;
    rows.samples = 9;
    std::set<std::string> seen;
    // The device's own row first; of each mechanism the newest row.
    std::vector<const profile*> order{lab.on.choice.profile};
    for (const profile& p : profiles()) order.push_back(&p);
    for (const profile* p : order) {
      const std::string mechanism(name_of(p->exchange));
      if (!seen.insert(mechanism).second) continue;
      const std::string row(p->name);
      rows.rows.push_back({"reduce/lanes-" + mechanism + "/f32/" + std::to_string(n) + "/clwave",
                           "profile " + row + " forced: " + std::string(p->title) +
                               "; lanes that the device does not have are emulated through local memory",
                           [&lab, task, row] {
                             contender c = clwave_reduce(lab, task);
                             c.profile = row;
                             return c;
                           }});
    }
    all.push_back(std::move(rows));
  }
}

// A view that begins at no packet, and an operator that does not commute, beside a plain sum.
void add_harder_rows(laboratory& lab, std::vector<group>& all, std::uint64_t n) {
  group rows;
  rows.places = lab.arrange(n, sizeof(float)).places;
  const auto add = [&](const std::string& op, const std::string& sentence) {
    const reduce_task task{{op, "f32"}, lab.arrange(n, sizeof(float))};
    if (!lab.fits(bytes_of(task))) return;
    rows.rows.push_back({"reduce/" + op + "/f32/" + std::to_string(n) + "/clwave", sentence,
                         [&lab, task] { return clwave_reduce(lab, task); }});
  };
  add("sum", "clwave::reduce of a view that begins with its buffer");
  add("sum+1", "the same of one that begins at the buffer's second element");
  add("sum-ordered", "the same by an operator of the user's that is marked as not commutative");
  all.push_back(std::move(rows));
}

void add_groups(laboratory& lab, std::vector<group>& all) {
  if (lab.is_cpu) {
    for (const std::uint64_t n : {1'000'000u, 100'000'000u}) add_rows(lab, all, {"sum", "f32"}, n);
  } else {
    for (unsigned log = 10; log <= 30; log += 2) add_rows(lab, all, {"sum", "f32"}, std::uint64_t{1} << log);
  }
  const std::uint64_t n = lab.is_cpu ? 10'000'000 : std::uint64_t{1} << 28;
  add_rows(lab, all, {"max", "f32"}, n);
  add_rows(lab, all, {"argmax", "f32"}, n);
  add_rows(lab, all, {"dot", "f32"}, n);
  if (lab.on.facts->fp64.value_or(false)) add_rows(lab, all, {"sum", "f64"}, n);
  add_rows(lab, all, {"sum", "i32"}, n);
  add_rows(lab, all, {"sum", "u8-u32"}, n);
  add_rows(lab, all, {"sum", "f16-f32"}, n);
  add_harder_rows(lab, all, n - 64);
  add_lane_groups(lab, all);
}

tuned_work tuned_reduce(laboratory& lab, const std::string& type, std::uint64_t n) {
  const element& in = *find_element(type);
  const std::string types = type == "u8" ? "u8-u32" : type == "f16" ? "f16-f32" : type;
  const reduce_task task{{"sum", types}, lab.arrange(n, in.size)};
  return {.n = n,
          .places = task.at.places,
          .make = [&lab, task] { return clwave_reduce(lab, task); },
          .plan =
              [&in, &accumulator = *find_element(output_type(types)), n](const plan_target& on) {
                return clwave::plan(reduce_problem{.in = {in, n}, .accumulator = &accumulator}, on);
              }};
}

// What the rows are held against: on a GPU an H200's figures, on a CPU PoCL's.
const registered_rows listed(
    "reduce",
    {{.add = add_groups,
      .tuned = {{.name = "reduce", .types = {"f32", "f64", "i32", "u8", "f16"}, .work = tuned_reduce}},
      .goals = {{where::gpu, "reduce/sum/f32/268435456/clwave", measure_of::speed,
                 "reduce/sum/f32/268435456/cub", 1.02},
                {where::gpu, "reduce/sum/f32/268435456/clwave", measure_of::share_peak, "", 0.93},
                {where::gpu, "reduce/sum/f32/(\\d+)/clwave", measure_of::speed, "reduce/sum/f32/$1/cub", 1.0},
                {where::gpu, "reduce/(sum|max|argmax)/(f64|i32|u8-u32|f16-f32|f32)/268435456/clwave",
                 measure_of::speed, "reduce/$1/$2/268435456/cub", 1.0},
                {where::gpu, "reduce/dot/f32/268435456/clwave", measure_of::speed,
                 "reduce/dot/f32/268435456/cublas", 1.0},
                {where::gpu, "reduce/sum/f32/268435456/clwave", measure_of::speed,
                 "reduce/sum-free/f32/268435456/opencl", 0.98},
                {where::gpu, "reduce/sum/f32/(\\d+)/clwave", measure_of::speed,
                 "reduce/sum-free/f32/$1/opencl", 0.95},
                {where::gpu, "reduce/sum/f32/268435456/clwave", measure_of::speed,
                 "reduce/sum/f32/268435456/boost.compute", 1.4},
                {where::gpu, "reduce/sum[+]1/f32/(\\d+)/clwave", measure_of::speed,
                 "reduce/sum/f32/$1/clwave", 0.95},
                {where::gpu, "reduce/sum-ordered/f32/(\\d+)/clwave", measure_of::speed,
                 "reduce/sum/f32/$1/clwave", 0.9},
                {where::gpu, "reduce/sum/f32/(1024|4096|16384|65536|262144|1048576|4194304|16777216)/clwave",
                 measure_of::speed, "reduce/sum/f32/$1/boost.compute", 3.0},
                {where::cpu, "reduce/sum/f32/100000000/clwave", measure_of::speed,
                 "reduce/sum/f32/100000000/openmp", 0.95},
                {where::cpu, "reduce/sum/f32/1000000/clwave", measure_of::speed,
                 "reduce/sum/f32/1000000/openmp", 0.5},
                {where::cpu, "reduce/sum/f32/(\\d+)/clwave", measure_of::speed,
                 "reduce/sum/f32/$1/boost.compute", 5.0}}}});

}  // namespace

}  // namespace clwave::tool::bench::rows_of_reduce
