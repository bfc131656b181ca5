// Rows of transpose: the three contenders of the article "CUDA memory types", part 2 (straight, through a
// tile, on the host), and the vendors' and CLBlast's.
#include <algorithm>
#include <cstdint>

#include <clwave/plan.hpp>
#include <clwave/transpose.hpp>

#include "bench/bench.hpp"
#include "bench/peers/clblast.hpp"
#include "bench/peers/cuda.hpp"

namespace clwave::tool::bench::rows_of_transpose {
namespace {

// Elements of 3, 6 and 12 bytes, which no single access takes.
template <class T>
struct three {
  T parts[3];
};

}  // namespace
}  // namespace clwave::tool::bench::rows_of_transpose

CLWAVE_STRUCTURE(clwave::tool::bench::rows_of_transpose::three<std::uint8_t>, "three_u8",
                 "typedef struct { uchar parts[3]; } three_u8;")
CLWAVE_STRUCTURE(clwave::tool::bench::rows_of_transpose::three<std::uint16_t>, "three_u16",
                 "typedef struct { ushort parts[3]; } three_u16;")
CLWAVE_STRUCTURE(clwave::tool::bench::rows_of_transpose::three<float>, "three_f32",
                 "typedef struct { float parts[3]; } three_f32;")

namespace clwave::tool::bench::rows_of_transpose {
namespace {

const element& element_named(const std::string& type) {
  if (type == "3xu8") return element_of<three<std::uint8_t>>();
  if (type == "3xu16") return element_of<three<std::uint16_t>>();
  if (type == "3xf32") return element_of<three<float>>();
  return *find_element(type);
}

struct transpose_task {
  std::string type;
  std::uint64_t rows, columns;
  arrangement at;  // in elements
};

// Bytes of one call.
double bytes_of(const transpose_task& task) {
  return 2.0 * static_cast<double>(task.at.n * element_named(task.type).size);
}

// The pool an element type's data comes from, and how many of its elements are one.
struct origin {
  const char* type;
  std::uint64_t parts;
};
origin origin_of(const std::string& type) {
  if (type == "f32" || type == "f64" || type == "u8")
    return {type == "f32" ? "f32" : type == "f64" ? "f64" : "u8", 1};
  if (type == "f32x4" || type == "3xf32") return {"f32", element_named(type).size / sizeof(float)};
  return {"u8", element_named(type).size};
}

std::uint64_t bytes_each(const transpose_task& task) { return element_named(task.type).size; }

arrangement parts_of(const transpose_task& task) {
  const std::uint64_t parts = origin_of(task.type).parts;
  return {task.at.n * parts, task.at.stride * parts, task.at.places};
}

std::shared_ptr<pool> input_of(laboratory& lab, const transpose_task& task) {
  return lab.data(origin_of(task.type).type, first_seed, parts_of(task));
}

cl::Buffer output_of(laboratory& lab, const transpose_task& task) {
  return lab.buffer((task.at.stride * task.at.places + 64) * bytes_each(task));
}

// -DUNIT is a word of an element, of which it has -DUNITS.
std::string unit_options(std::uint64_t bytes) {
  const char* unit = bytes % 8 == 0 ? "ulong" : bytes % 4 == 0 ? "uint" : bytes % 2 == 0 ? "ushort" : "uchar";
  const std::uint64_t size = bytes % 8 == 0 ? 8 : bytes % 4 == 0 ? 4 : bytes % 2 == 0 ? 2 : 1;
  return "-DUNIT=" + std::string(unit) + " -DUNITS=" + std::to_string(bytes / size);
}

constexpr const char* kernels = R"(
typedef struct { UNIT units[UNITS]; } element;

// One element for each work-item: neighbours read neighbouring elements, and write elements a column apart.
kernel void straight(const global element* restrict in, ulong in_first, global element* restrict out, ulong out_first,
                     ulong rows, ulong columns) {
  const ulong i = get_global_id(0);
  if (i < rows * columns) out[out_first + i % columns * rows + i / columns] = in[in_first + i];
}

// A tile of SIDE x SIDE elements by SIDE x 8 work-items, a row of local memory one element longer than the tile's.
kernel void tiled(const global element* restrict in, ulong in_first, global element* restrict out, ulong out_first,
                  ulong rows, ulong columns) {
  local UNIT tile[SIDE][SIDE + 1][UNITS];
  const ulong across = (columns + SIDE - 1) / SIDE;
  const ulong x0 = get_group_id(0) % across * SIDE;
  const ulong y0 = get_group_id(0) / across * SIDE;
  const uint x = get_local_id(0) % SIDE;
  for (uint y = get_local_id(0) / SIDE; y < SIDE; y += 8)
    if (x0 + x < columns && y0 + y < rows)
      for (uint u = 0; u < UNITS; ++u) tile[y][x][u] = in[in_first + (y0 + y) * columns + x0 + x].units[u];
  barrier(CLK_LOCAL_MEM_FENCE);
  for (uint y = get_local_id(0) / SIDE; y < SIDE; y += 8)
    if (x0 + y < columns && y0 + x < rows)
      for (uint u = 0; u < UNITS; ++u) out[out_first + (x0 + y) * rows + y0 + x].units[u] = tile[x][y][u];
}

kernel void count_wrong_transposed(const global element* in, ulong in_first, const global element* out, ulong out_first,
                                   ulong rows, ulong columns, ulong each, volatile global uint* wrong) {
  uint found = 0;
  const ulong begin = get_global_id(0) * each;
  for (ulong i = begin; i < min(begin + each, rows * columns); ++i)
    for (uint u = 0; u < UNITS; ++u)
      found += out[out_first + i].units[u] != in[in_first + i % rows * columns + i / rows].units[u];
  if (found > 0) atomic_add(wrong, found);
}
)";

// The first six arguments of each of these kernels.
void set_arguments(cl::Kernel& k, const transpose_task& task, const std::shared_ptr<pool>& in,
                   const cl::Buffer& out, std::size_t place) {
  k.setArg(0, in->buffer);
  k.setArg(1, cl_ulong{place * task.at.stride});
  k.setArg(2, out);
  k.setArg(3, cl_ulong{place * task.at.stride});
  k.setArg(4, cl_ulong{task.rows});
  k.setArg(5, cl_ulong{task.columns});
}

// Checks that `out` is `in` transposed as often as `turned` says, at every place it was last written.
void check_at(laboratory& lab, contender& c, const transpose_task& task, const std::shared_ptr<pool>& in,
              const cl::Buffer& out) {
  c.spoil = [&lab, out, task] { lab.spoil(out, task.at.stride * task.at.places * bytes_each(task)); };
  c.wrong = [&lab, in, out, task](std::size_t place) -> std::string {
    cl::Kernel k =
        lab.kernel(kernels, "count_wrong_transposed", unit_options(bytes_each(task)) + " -DSIDE=16");
    set_arguments(k, task, in, out, place);
    k.setArg(6, cl_ulong{lab.each_of(task.at.n)});
    const cl_uint wrong = lab.count(k, 7);
    return wrong == 0 ? "" : std::to_string(wrong) + " words are wrong";
  };
}

template <class T>
std::function<void(std::size_t)> call_of(laboratory& lab, const transpose_task& task,
                                         const std::shared_ptr<pool>& in, const cl::Buffer& out) {
  return [&lab, task, in, out](std::size_t place) {
    const std::size_t first = place * task.at.stride;
    transpose(lab.on.queue, view<T>{in->buffer, task.at.n, first}, view<T>{out, task.at.n, first},
              {.rows = task.rows, .columns = task.columns}, {.with_event = false});
  };
}

contender clwave_transpose(laboratory& lab, const transpose_task& task) {
  const auto in = input_of(lab, task);
  const cl::Buffer out = output_of(lab, task);
  contender c;
  c.bytes = bytes_of(task);
  if (task.type == "f32") c.call = call_of<float>(lab, task, in, out);
  if (task.type == "f64") c.call = call_of<double>(lab, task, in, out);
  if (task.type == "u8") c.call = call_of<std::uint8_t>(lab, task, in, out);
  if (task.type == "u16") c.call = call_of<u16>(lab, task, in, out);
  if (task.type == "f32x4") c.call = call_of<cl_float4>(lab, task, in, out);
  if (task.type == "3xu8") c.call = call_of<three<std::uint8_t>>(lab, task, in, out);
  if (task.type == "3xu16") c.call = call_of<three<std::uint16_t>>(lab, task, in, out);
  if (task.type == "3xf32") c.call = call_of<three<float>>(lab, task, in, out);
  check_at(lab, c, task, in, out);
  return c;
}

// Transposes its squares again and again. What is right depends on how often, so nothing is checked here, but
// in the tests.
contender clwave_in_place(laboratory& lab, const transpose_task& task) {
  const auto in = input_of(lab, task);
  const cl::Buffer squares = output_of(lab, task);
  detail::check(lab.on.queue.enqueueCopyBuffer(in->buffer, squares, 0, 0,
                                               task.at.stride * task.at.places * bytes_each(task)),
                "copy");
  contender c;
  c.bytes = bytes_of(task);
  c.call = [&lab, task, squares](std::size_t place) {
    transpose_in_place(lab.on.queue, view<float>{squares, task.at.n, place * task.at.stride},
                       {.rows = task.rows, .columns = task.columns}, {.with_event = false});
  };
  return c;
}

contender plain_transpose(laboratory& lab, const transpose_task& task, bool tiled) {
  const auto in = input_of(lab, task);
  const cl::Buffer out = output_of(lab, task);
  const std::uint64_t side = bytes_each(task) > 8 ? 16 : 32;
  cl::Kernel k = lab.kernel(kernels, tiled ? "tiled" : "straight",
                            unit_options(bytes_each(task)) + " -DSIDE=" + std::to_string(side));
  contender c;
  c.bytes = bytes_of(task);
  const std::uint64_t tiles = (task.rows + side - 1) / side * ((task.columns + side - 1) / side);
  c.call = [&lab, k, in, out, task, tiled, side, tiles](std::size_t place) mutable {
    set_arguments(k, task, in, out, place);
    lab.launch(k, tiled ? tiles : (task.at.n + 255) / 256, tiled ? side * 8 : 256);
  };
  check_at(lab, c, task, in, out);
  return c;
}

// A plain loop on the host, one core.
contender host_transpose(laboratory& lab, const transpose_task& task) {
  const auto in = input_of(lab, task);
  const std::shared_ptr<void> from = lab.host_copy(*in);
  const std::shared_ptr<float> to(new float[task.at.stride * task.at.places], std::default_delete<float[]>());
  contender c = host_contender(bytes_of(task));
  c.call = [from, to, task](std::size_t place) {
    const float* a = static_cast<const float*>(from.get()) + place * task.at.stride;
    float* b = to.get() + place * task.at.stride;
    for (std::uint64_t i = 0; i < task.rows; ++i) {
      for (std::uint64_t j = 0; j < task.columns; ++j) b[j * task.rows + i] = a[i * task.columns + j];
    }
  };
  c.finish = [] {};
  c.spoil = [to, task] { std::fill_n(to.get(), task.at.stride * task.at.places, -7.0f); };
  c.wrong = [from, to, task](std::size_t place) -> std::string {
    const float* a = static_cast<const float*>(from.get()) + place * task.at.stride;
    const float* b = to.get() + place * task.at.stride;
    std::uint64_t wrong = 0;
    for (std::uint64_t k = 0; k < task.at.n; ++k)
      wrong += b[k] != a[k % task.rows * task.columns + k / task.rows] ? 1 : 0;
    return wrong == 0 ? "" : std::to_string(wrong) + " elements are wrong";
  };
  return c;
}

#ifdef CLWAVE_BENCH_CLBLAST
contender clblast_transpose(laboratory& lab, const transpose_task& task) {
  if (too_long(task.at)) return too_long_for_ints();
  const auto in = input_of(lab, task);
  const cl::Buffer out = output_of(lab, task);
  contender c;
  c.bytes = bytes_of(task);
  const auto call = [&lab, task, in, out]<class T>(std::type_identity<T>) {
    return [&lab, task, in, out](std::size_t place) {
      cl_command_queue queue = lab.on.queue();
      const std::size_t first = place * task.at.stride;
      check_blast(clblast::Omatcopy<T>(clblast::Layout::kRowMajor, clblast::Transpose::kYes, task.rows,
                                       task.columns, T{1}, in->buffer(), first, task.columns, out(), first,
                                       task.rows, &queue));
    };
  };
  if (task.type == "f64")
    c.call = call(std::type_identity<double>());
  else
    c.call = call(std::type_identity<float>());
  check_at(lab, c, task, in, out);
  return c;
}

#else
contender clblast_transpose(laboratory&, const transpose_task&) { return without_clblast(); }
#endif

void add_size(laboratory& lab, std::vector<group>& all, const std::string& type, std::uint64_t rows,
              std::uint64_t columns) {
  const transpose_task task{type, rows, columns, lab.arrange(rows * columns, element_named(type).size)};
  if (!lab.fits(bytes_of(task) / 2)) return;
  group made;
  made.places = task.at.places;
  const std::string shape = type + "/" + std::to_string(rows) + "x" + std::to_string(columns) + "/";
  const std::string base = "transpose/out-of-place/" + shape;
  const auto add = [&](const std::string& name, const std::string& sentence,
                       std::function<contender()> make) {
    made.rows.push_back({name, sentence, std::move(make)});
  };
  add(base + "clwave", "clwave::transpose", [&lab, task] { return clwave_transpose(lab, task); });
  if (type == "f32" && rows == columns)
    add("transpose/in-place/" + shape + "clwave", "clwave::transpose_in_place",
        [&lab, task] { return clwave_in_place(lab, task); });
  if (type == "f32" || type == "f64") {
    add(base + "straight", "a plain kernel, from global memory to global memory",
        [&lab, task] { return plain_transpose(lab, task, false); });
    add(base + "tiled", "a plain kernel, through a padded tile in local memory",
        [&lab, task] { return plain_transpose(lab, task, true); });
    add(base + "clblast", "CLBlast's Omatcopy", [&lab, task] { return clblast_transpose(lab, task); });
    if (lab.is_nvidia)
      add(base + "cublas", "cuBLAS geam, alpha 1 and beta 0",
          [&lab, task, base] { return cuda_counted(lab, base + "cublas", task.at, bytes_of(task)); });
  }
  if (type == "f32" && rows * columns <= 4096 * 4096)
    add(base + "loop", "two loops on the host, one core", [&lab, task] { return host_transpose(lab, task); });
  all.push_back(std::move(made));
}

void add_groups(laboratory& lab, std::vector<group>& all) {
  add_size(lab, all, "f32", 2048, 1536);
  add_size(lab, all, "f32", 4096, 4096);
  if (lab.is_cpu) {
    for (const char* type : {"u8", "u16", "f64", "f32x4", "3xu8", "3xu16", "3xf32"})
      add_size(lab, all, type, 2048, 2048);
    return;
  }
  add_size(lab, all, "f32", 16384, 16384);
  add_size(lab, all, "f32", 16383, 16383);
  for (const char* type : {"u8", "u16", "f64", "f32x4", "3xu8", "3xu16", "3xf32"})
    add_size(lab, all, type, 16384, 16384);
}

// A square of about n elements.
tuned_work tuned_transpose(laboratory& lab, const std::string& type, std::uint64_t n) {
  const element& e = *find_element(type);
  const std::uint64_t side = side_of(n);
  const transpose_task task{type, side, side, lab.arrange(side * side, e.size)};
  return {.n = side * side,
          .places = task.at.places,
          .make = [&lab, task] { return clwave_transpose(lab, task); },
          .plan =
              [&e, side](const plan_target& on) {
                return clwave::plan(transpose_problem{e, e, {.rows = side, .columns = side}}, on);
              }};
}

// What the rows are held against: on a GPU an H200's figures, on a CPU PoCL's.
const registered_rows listed(
    "transpose",
    {{.add = add_groups,
      .tuned =
          {{.name = "transpose", .types = {"f32", "f64", "u8", "u16", "f32x4"}, .work = tuned_transpose}},
      .goals = {
          {where::gpu, "transpose/out-of-place/f32/(2048x1536|4096x4096|16384x16384)/clwave",
           measure_of::speed, "transpose/out-of-place/f32/$1/cublas", 1.0},
          {where::gpu, "transpose/out-of-place/(f32|f64|f32x4)/16384x16384/clwave", measure_of::share_copy,
           "", 0.95},
          {where::gpu, "transpose/out-of-place/(u8|u16|3xu8|3xu16|3xf32)/16384x16384/clwave",
           measure_of::share_copy, "", 0.8},
          {where::gpu, "transpose/out-of-place/f32/16383x16383/clwave", measure_of::share_copy, "", 0.8},
          {where::cpu, "transpose/out-of-place/f32/4096x4096/clwave", measure_of::speed,
           "transpose/out-of-place/f32/4096x4096/straight", 3.0}}}});

}  // namespace
}  // namespace clwave::tool::bench::rows_of_transpose
