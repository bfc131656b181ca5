// Turns a matrix product's types and sizes into a plan.
#include "primitives/gemm_plan.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <limits>

#include <clwave/error.hpp>

#include "call/call.hpp"
#include "call/operands.hpp"
#include "call/planning.hpp"
#include "call/workspace.hpp"
#include "program/element_words.hpp"

namespace clwave {
namespace {

constexpr std::string_view primitive = "gemm";

// Local memory that every full-profile device has.
constexpr std::uint64_t least_local_memory = 32 << 10;

// A GPU's code on a CPU: each work-item is a loop's turn there, and its registers are memory.
bool is_slow_here(const target& on) {
  return on.choice.emulated ||
         (on.facts != nullptr && on.facts->family.value_or(device_family::generic) == device_family::cpu);
}

unsigned accumulator_bytes(const element& type) { return type.size == 8 ? 8 : 4; }

unsigned accumulator_bytes(const gemm_question& q) { return accumulator_bytes(*q.type); }

std::string accumulator_name(const element& type) { return type.size == 8 ? "double" : "float"; }

// Elements of an access of local memory.
unsigned pack_of(const gemm_question& q) { return 16 / accumulator_bytes(q); }

gemm_matrix matrix_of(std::string_view name, std::uint64_t run, std::uint64_t lines, std::size_t leading,
                      const std::optional<std::size_t>& stride, std::uint64_t batches,
                      std::uint64_t element_bytes, bool written) {
  const counting count{primitive, name};
  gemm_matrix matrix;
  matrix.run = run;
  matrix.lines = lines;
  matrix.line = leading != 0 ? leading : run;
  if (matrix.line < run)
    refuse(primitive, std::string(name) + "'s leading dimension is " + std::to_string(leading) +
                          ", less than the " + std::to_string(run) + " elements of a line");
  const std::uint64_t one = run == 0 || lines == 0 ? 0 : count.plus(count.times(lines - 1, matrix.line), run);
  matrix.stride = stride ? *stride : count.times(lines, matrix.line);
  if (one != 0 && batches > 0)
    count.times(count.plus(count.times(batches - 1, matrix.stride), one), element_bytes);
  if (written && batches > 1 && matrix.stride < one)
    refuse(primitive, std::string(name) + "'s batches overlap: they start " + std::to_string(matrix.stride) +
                          " elements apart and have " + std::to_string(one));
  return matrix;
}

// Where k is cut: from the sizes alone, so that the bits are the same on every device. Cut is what has fewer
// tiles of 64 x 64 than large devices have room for, into pieces that are still worth a group's start.
void cut(const gemm_question& q, gemm_shape& shape) {
  constexpr std::uint64_t few = 128, enough = 1024, least = 256, unit = 128;
  shape.parts = 1;
  shape.part = std::max<std::uint64_t>(q.k, 1);
  const double tiles = static_cast<double>(blocks_of(q.m, 64)) * static_cast<double>(blocks_of(q.n, 64)) *
                       static_cast<double>(q.batches);
  if (tiles >= few || q.k < 2 * least) return;
  const std::uint64_t most = enough / static_cast<std::uint64_t>(tiles);
  shape.part = round_up(blocks_of(q.k, std::min(q.k / least, most)), unit);
  shape.parts = blocks_of(q.k, shape.part);
}

// Whether every load of `vector` elements lies in a run and starts at a multiple of its size.
bool is_aligned(const gemm_matrix& matrix, std::uint64_t batches, std::uint64_t vector, std::uint64_t size) {
  return matrix.run % vector == 0 && matrix.line % vector == 0 &&
         (batches == 1 || matrix.stride % vector == 0) && matrix.alignment >= vector * size;
}

// The same of C's stores; the last of a run may be short.
bool is_store_aligned(const gemm_matrix& matrix, std::uint64_t batches, std::uint64_t vector,
                      std::uint64_t size) {
  return matrix.line % vector == 0 && (batches == 1 || matrix.stride % vector == 0) &&
         matrix.alignment >= vector * size;
}

bool set_tiles(const gemm_question& q, gemm_shape& shape) {
  shape.tiles_m = blocks_of(q.m, shape.tile.m);
  shape.tiles_n = blocks_of(q.n, shape.tile.n);
  // In floating point first: the product may not fit.
  const double groups = static_cast<double>(shape.tiles_m) * static_cast<double>(shape.tiles_n) *
                        static_cast<double>(q.batches) * static_cast<double>(shape.parts);
  if (groups > static_cast<double>(most_groups)) return false;
  shape.groups = shape.tiles_m * shape.tiles_n * q.batches * shape.parts;
  return true;
}

std::string text_of(const gemm_tile& tile) {
  return std::to_string(tile.m) + " x " + std::to_string(tile.n) + " x " + std::to_string(tile.k);
}

// As printf's f and g write it, whatever the locale.
std::string digits_of(double value, std::chars_format format, int precision) {
  std::array<char, 400> text;
  return {text.data(), std::to_chars(text.data(), text.data() + text.size(), value, format, precision).ptr};
}

std::string rounded(double value) { return digits_of(value, std::chars_format::fixed, 2); }

// The rounds that groups of this tile make over the device's units, by what a round costs.
double cost_of(const gemm_question& q, const gemm_shape& shape) {
  const double rounds =
      std::max(std::ceil(static_cast<double>(shape.groups) / std::max(q.compute_units, 1u)), 1.0);
  return rounds * shape.tile.m * shape.tile.n / shape.tile.speed;
}

// With matrix instructions a whole set of lanes shares an item.
unsigned group_of(const gemm_shape& shape, const target& on, const gemm_tile& tile) {
  const unsigned items = tile.m / tile.item_m * (tile.n / tile.item_n);
  return shape.way == gemm_way::matrix ? items * on.choice.lanes : items;
}

std::uint64_t local_bytes(const gemm_question& q, const gemm_shape& shape, const gemm_tile& tile) {
  if (shape.way == gemm_way::matrix)
    return std::uint64_t{tile.stages} * tile.k * (tile.m + tile.n) * q.type->size;
  constexpr unsigned pad = 4;  // TILE_PAD of the kernel
  return std::uint64_t{tile.stages} * tile.k * (tile.m + tile.n + 2 * pad) * accumulator_bytes(q);
}

// The cheapest of `tiles`. Those that do not fit the device, or are dearer, are noted as rejected.
bool choose_tile(const gemm_question& q, const target& on, std::span<const gemm_tile> tiles,
                 gemm_shape& shape) {
  struct candidate {
    gemm_tile tile;
    double cost;
  };
  std::vector<candidate> fitting;
  const std::uint64_t local =
      on.facts != nullptr ? on.facts->local_memory.value_or(least_local_memory) : 48 << 10;
  std::uint64_t most = on.facts != nullptr ? on.facts->max_work_group_size.value_or(256) : std::size_t{1024};
  if (on.group_limit != 0) most = std::min<std::uint64_t>(most, on.group_limit);
  for (gemm_tile tile : tiles) {
    if (is_slow_here(on) && tile.m * tile.n > 1024) {
      shape.rejected.push_back(
          {std::string("tiles of ") + text_of(tile), "too large for a device that only emulates them"});
      continue;
    }
    const unsigned group = group_of(shape, on, tile);
    const std::uint64_t bytes = local_bytes(q, shape, tile);
    if (group > most || bytes > local || group % on.choice.lanes != 0) {
      shape.rejected.push_back({std::string("tiles of ") + text_of(tile),
                                "the device has no groups of " + std::to_string(group) + " with " +
                                    std::to_string(bytes) + " bytes of local memory"});
      continue;
    }
    gemm_shape trial = shape;
    trial.tile = tile;
    if (set_tiles(q, trial)) {
      fitting.push_back({tile, cost_of(q, trial)});
    } else {
      shape.too_many = true;
      shape.rejected.push_back(
          {std::string("tiles of ") + text_of(tile), "more of them than one launch can have groups"});
    }
  }
  if (fitting.empty()) return false;
  const auto best = std::ranges::min_element(fitting, {}, &candidate::cost);
  for (const candidate& each : fitting) {
    if (&each != &*best)
      shape.rejected.push_back(
          {std::string("tiles of ") + text_of(each.tile),
           std::string("expected to take ") + rounded(each.cost / best->cost) + " times as long"});
  }
  shape.tile = best->tile;
  shape.group_size = group_of(shape, on, shape.tile);
  return set_tiles(q, shape);
}

// The tiles of matrix instructions for this type; none where there is no gain, or no permission.
std::span<const gemm_tile> matrix_tiles(const gemm_question& q, const gemm_tuning& tuned) {
  if (tuned.unit == matrix_unit::none) return {};
  if (q.type->size == 8) return tuned.matrix_f64;
  if (is_half(*q.type)) return tuned.matrix_f16;
  return q.allow_tf32 ? tuned.matrix_tf32 : std::span<const gemm_tile>{};
}

// What stands for those tiles where the instructions are emulated: a small one, with as many stages.
gemm_tile emulated_matrix_tile(const gemm_question& q, std::span<const gemm_tile> tiles) {
  return {.m = 32,
          .n = 32,
          .k = q.type->size == 8 ? 16u : 32u,
          .item_m = 32,
          .item_n = 16,
          .stages = tiles.front().stages};
}

// Tries matrix instructions. Notes why not.
bool choose_matrix(const gemm_question& q, const target& on, gemm_shape& shape) {
  const gemm_tuning& tuned = gemm_of(*on.choice.row);
  const std::span<const gemm_tile> tiles = matrix_tiles(q, tuned);
  const auto no = [&shape](std::string reason) {
    shape.rejected.push_back({"matrix instructions", std::move(reason)});
    return false;
  };
  if (tuned.unit == matrix_unit::none) return no("this profile has none");
  if (tiles.empty())
    return no(q.type->size == 4 ? "f32 stays f32 unless the call allows tf32" : "no gain for this type");
  // Most of such a tile would lie beyond C.
  if (std::min(q.m, q.n) <= 16) return no("C is too thin");
  gemm_shape trial = shape;
  trial.way = gemm_way::matrix;
  trial.unit = on.choice.emulated ? matrix_unit::emulated : tuned.unit;
  const std::uint64_t vector = 16 / q.type->size;
  const auto begins = [&](const gemm_matrix& x) {
    return is_store_aligned(x, q.batches, vector, q.type->size);
  };
  trial.vector = begins(q.a) && begins(q.b) ? static_cast<unsigned>(vector) : 1;
  const gemm_tile small = emulated_matrix_tile(q, tiles);
  if (!choose_tile(q, on, on.choice.emulated ? std::span(&small, 1) : tiles, trial)) {
    shape.rejected = trial.rejected;
    return no("no tile of theirs fits the device");
  }
  shape = trial;
  return true;
}

// A CPU's block: the row's, for the device's own registers and caches.
bool choose_block(const gemm_question& q, const target& on, gemm_shape& shape) {
  const gemm_tuning& tuned = gemm_of(*on.choice.row);
  gemm_tile tile = (accumulator_bytes(q) == 8 ? tuned.f64 : tuned.f32).front();
  std::uint64_t local = std::uint64_t{1} << 20;
  unsigned width = 16;
  if (on.facts != nullptr) {
    local = on.facts->local_memory.value_or(least_local_memory);
    width = std::clamp(std::bit_floor(on.facts->native_vector_width_float.value_or(width)), 4u, 16u);
  }
  shape.vector = width * 4 / accumulator_bytes(q);
  tile.item_m = 2 * shape.vector;
  if (width < 16) tile.item_n /= 2;
  const auto bytes = [&] {
    return (std::uint64_t{tile.k} * (tile.m + tile.n) + std::uint64_t{tile.m} * tile.n) *
           accumulator_bytes(q);
  };
  const auto halve = [](unsigned& size, unsigned unit) {
    if (size / 2 % unit != 0 || size / 2 == 0) return false;
    size /= 2;
    return true;
  };
  while (bytes() > local &&
         (tile.k > 16 ? halve(tile.k, 1) : halve(tile.n, tile.item_n) || halve(tile.m, tile.item_m))) {
  }
  shape.tile = tile;
  // Every core should have a block.
  while (set_tiles(q, shape) && shape.groups < q.compute_units &&
         (halve(shape.tile.n, tile.item_n) || halve(shape.tile.m, tile.item_m))) {
  }
  shape.too_many = !set_tiles(q, shape);
  return !shape.too_many;
}

}  // namespace

std::uint64_t gemm_matrix::extent(std::uint64_t batches) const {
  if (run == 0 || lines == 0 || batches == 0) return 0;
  return (batches - 1) * stride + (lines - 1) * line + run;
}

std::string_view kernel_of(const gemm_shape& shape) {
  switch (shape.way) {
    case gemm_way::blocks:
      return "gemm_blocks";
    case gemm_way::matrix:
      return "gemm_matrix";
    case gemm_way::tiles:
      break;
  }
  return "gemm_tiles";
}

gemm_question question_of(const element& a, const element& b, const element& c, const gemm_size& size,
                          const gemm_options& options) {
  const auto no = [&](std::string_view message, std::string_view advice = {}) {
    throw error(failure::bad_call, message, CL_SUCCESS,
                {.primitive = std::string(primitive),
                 .types = a.name + ", " + b.name + " into " + c.name,
                 .advice = std::string(advice)});
  };
  if (a.opencl_name != b.opencl_name) no("A and B differ in type");
  if (a.components != 1 || (a.kind != element_kind::floating && !is_half(a)))
    no("a matrix product takes f32, f64 or f16", "convert with clwave::copy");
  if (c.opencl_name != a.opencl_name && !(is_half(a) && c.opencl_name == "float"))
    no("C is of the type of A and B, or f32 for f16");

  gemm_question q{};
  q.type = &a;
  q.out = &c;
  q.swapped = options.order == matrix_order::row_major;
  q.m = q.swapped ? size.n : size.m;
  q.n = q.swapped ? size.m : size.n;
  q.k = size.k;
  q.batches = options.batches;
  q.alpha = options.alpha;
  q.beta = options.beta;
  q.allow_tf32 = options.allow_tf32;
  const bool a_across = q.swapped ? options.transpose_b : options.transpose_a;
  const bool b_across = q.swapped ? options.transpose_a : options.transpose_b;
  const std::size_t a_leading = q.swapped ? options.ldb : options.lda;
  const std::size_t b_leading = q.swapped ? options.lda : options.ldb;
  const auto& a_stride = q.swapped ? options.stride_b : options.stride_a;
  const auto& b_stride = q.swapped ? options.stride_a : options.stride_b;
  q.a = matrix_of(q.swapped ? "B" : "A", a_across ? q.k : q.m, a_across ? q.m : q.k, a_leading, a_stride,
                  q.batches, a.size, false);
  q.b = matrix_of(q.swapped ? "A" : "B", b_across ? q.n : q.k, b_across ? q.k : q.n, b_leading, b_stride,
                  q.batches, b.size, false);
  q.a.along_k = a_across;
  q.b.along_k = !b_across;
  q.c = matrix_of("C", q.m, q.n, options.ldc, options.stride_c, q.batches, c.size, true);
  if (q.k == 0 || q.alpha == 0 || q.m == 0 || q.n == 0 || q.batches == 0) {
    // Nothing is read of A and B.
    q.k = 0;
    q.alpha = 0;
    (q.a.along_k ? q.a.run : q.a.lines) = 0;
    (q.b.along_k ? q.b.run : q.b.lines) = 0;
  }
  return q;
}

gemm_shape shape_gemm(const gemm_question& q, const target& on) {
  gemm_shape shape;
  cut(q, shape);
  if (shape.parts > 1) {
    shape.part_line = round_up(q.m, 4);
    shape.workspace_bytes = shape.part_line * q.n * q.batches * shape.parts * accumulator_bytes(q);
  }
  bool found = false;
  if (is_cpu(on)) {
    shape.way = gemm_way::blocks;
    found = choose_block(q, on, shape);
  } else if (choose_matrix(q, on, shape)) {
    found = true;
  } else {
    const unsigned pack = pack_of(q);
    const std::uint64_t size = q.type->size;
    const bool stores =
        shape.parts > 1 || is_half(*q.out) || is_store_aligned(q.c, q.batches, pack, q.out->size);
    if (is_aligned(q.a, q.batches, pack, size) && is_aligned(q.b, q.batches, pack, size) && stores)
      shape.vector = pack;
    const gemm_tuning& tuned = gemm_of(*on.choice.row);
    shape.way = gemm_way::tiles;
    found = choose_tile(q, on, accumulator_bytes(q) == 8 ? tuned.f64 : tuned.f32, shape);
  }
  if (!found && shape.too_many)
    refuse(primitive, "the product has more tiles than one launch can have groups",
           "divide it into several calls");
  if (!found)
    refuse(primitive,
           on.group_limit != 0 ? "no tile has a group small enough for this device's compiled kernels"
                               : "no tile fits this device's groups and local memory",
           "try CLWAVE_PROFILE=gpu");
  // Parts begin at multiples of 128.
  shape.whole_steps = shape.way == gemm_way::tiles && q.k % shape.tile.k == 0;
  const double factors = static_cast<double>(shape.tiles_m) * static_cast<double>(shape.tiles_n) *
                         static_cast<double>(q.batches) * static_cast<double>(q.k) *
                         (shape.tile.m + shape.tile.n) * static_cast<double>(q.type->size);
  const double results = static_cast<double>(q.m) * static_cast<double>(q.n) *
                         static_cast<double>(q.batches) * static_cast<double>(q.out->size) *
                         (q.beta == 0 ? 1 : 2);
  shape.traffic_bytes = static_cast<std::uint64_t>(std::min(factors + results, 1.8e19));
  if (shape.parts > 1) {
    const std::uint64_t count = q.m * q.n * q.batches;
    const std::uint64_t most = is_cpu(on) ? std::uint64_t{q.compute_units} * 4 : 65536;
    shape.fold_groups = std::min(blocks_of(count, shape.group_size), std::max<std::uint64_t>(most, 1));
  }
  return shape;
}

namespace {

std::string matrix_word(matrix_unit unit) {
  switch (unit) {
    case matrix_unit::mma_sync:
      return "MATRIX_MMA_SYNC";
    case matrix_unit::mfma:
      return "MATRIX_MFMA";
    case matrix_unit::wmma:
      return "MATRIX_WMMA";
    case matrix_unit::wmma_12:
      return "MATRIX_WMMA_12";
    case matrix_unit::emulated:
      return "MATRIX_EMULATED";
    case matrix_unit::none:
      break;
  }
  throw error(failure::internal, "no matrix instructions were chosen");
}

}  // namespace

program_spec spec_gemm(const gemm_variant& v) {
  program_spec spec;
  spec.primitive = primitive;
  spec.types = v.type->name + " into " + v.out->name;
  const auto word = [&spec](std::string name, std::string text = "1") {
    spec.words.emplace_back(std::move(name), std::move(text));
  };
  const gemm_tile& t = v.tile;
  word("GROUP_SIZE", std::to_string(v.group_size));
  word("ACC", accumulator_name(*v.type));
  word("ACC_BYTES", std::to_string(accumulator_bytes(*v.type)));
  word("OUT", v.out->opencl_name);
  if (is_half(*v.out)) word("OUT_IS_HALF");
  if (v.in_parts) word("IN_PARTS");
  word("FACTOR", v.type->opencl_name);
  word("FACTOR_BYTES", std::to_string(v.type->size));
  if (is_half(*v.type)) word("FACTOR_IS_HALF");
  if (v.a_along_k) word("A_ALONG_K");
  if (v.b_along_k) word("B_ALONG_K");
  word("TILE_M", std::to_string(t.m));
  word("TILE_N", std::to_string(t.n));
  word("TILE_K", std::to_string(t.k));
  word("ITEM_M", std::to_string(t.item_m));
  word("ITEM_N", std::to_string(t.item_n));
  if (v.way == gemm_way::blocks) {
    const std::string width = std::to_string(v.vector);
    word("WIDTH", width);
    word("WIDE", accumulator_name(*v.type) + width);
    word("LOAD_WIDE", "vload" + width);
    word("STORE_WIDE", "vstore" + width);
  } else {
    word("VECTOR", std::to_string(v.vector));
  }
  if (v.whole_steps) word("WHOLE_STEPS");
  if (v.way != gemm_way::blocks) word("STAGES", std::to_string(t.stages));
  if (v.way == gemm_way::matrix) word("MATRIX", matrix_word(v.unit));
  return spec;
}

call_plan plan_gemm(const plan_target& on, const element& value, const element& out, const gemm_size& size,
                    const gemm_options& options) {
  gemm_question q = question_of(value, value, out, size, options);
  q.compute_units =
      on.facts != nullptr ? on.facts->compute_units.value_or(1) : std::max(on.compute_units, 1u);
  const gemm_shape shape = shape_gemm(q, target_of(on));
  call_plan plan = plan_of(on, spec_gemm(q, shape), q.m * q.n * q.batches);
  plan.workspace_bytes = shape.workspace_bytes;
  plan.rejected = shape.rejected;
  const gemm_tile& t = shape.tile;
  const std::string items = std::to_string(t.item_m) + " x " + std::to_string(t.item_n);
  if (shape.way == gemm_way::blocks)
    plan.variant = "blocks of " + text_of(t) + " from packed panels, " + items + " in registers";
  else if (shape.way == gemm_way::matrix)
    plan.variant = std::string(name_of(shape.unit)) + " matrix instructions, tiles of " + text_of(t) +
                   " in " + std::to_string(t.stages) + " stages of local memory, " + items +
                   " a set of lanes, loads of " + std::to_string(shape.vector * value.size) + " bytes";
  else
    plan.variant = "tiles of " + text_of(t) + " in local memory, " + items + " a work-item, loads of " +
                   std::to_string(shape.vector * value.size) + " bytes";
  if (shape.parts > 1)
    plan.variant += ", k in " + std::to_string(shape.parts) + " parts of " + std::to_string(shape.part) +
                    ", added by a second kernel";
  plan.variant += "; groups read and write " + std::to_string(shape.traffic_bytes) + " bytes of the matrices";
  if (shape.way != gemm_way::blocks && shape.vector == 1)
    plan.rejected.push_back({"loads of several elements",
                             "a matrix's lines do not all start (or, without matrix instructions, end) at "
                             "multiples of them"});
  if (shape.parts == 1 && q.k >= 2)
    plan.rejected.push_back({"k in parts", "there are tiles enough, or k is short"});
  if (plan.n == 0) return plan;

  const auto buffer = [](std::string name, std::string kind, std::uint64_t bytes) {
    return planned_argument{std::move(name), std::move(kind),
                            std::to_string(std::max<std::uint64_t>(bytes, 1))};
  };
  const auto number = [](std::string name, std::string kind, std::uint64_t value) {
    return planned_argument{std::move(name), std::move(kind), std::to_string(value)};
  };
  const std::string acc_kind = accumulator_bytes(q) == 8 ? "f64" : "f32";
  const auto scalar = [&](std::string name, double value) {
    return planned_argument{std::move(name), acc_kind, digits_of(value, std::chars_format::general, 17)};
  };
  const bool cut_up = shape.parts > 1;
  const std::uint64_t own = workspace::own_at / accumulator_bytes(q);
  const std::uint64_t work_bytes = workspace::own_at + shape.workspace_bytes;
  const std::uint64_t c_bytes = q.c.extent(q.batches) * out.size;
  planned_kernel kernel{std::string(kernel_of(shape)), shape.groups, shape.group_size, {}};
  kernel.arguments = {buffer("a", "input", q.a.extent(q.batches) * value.size),
                      number("a_offset", "u64", 0),
                      number("a_line", "u64", q.a.line),
                      number("a_stride", "u64", q.a.stride),
                      buffer("b", "input", q.b.extent(q.batches) * value.size),
                      number("b_offset", "u64", 0),
                      number("b_line", "u64", q.b.line),
                      number("b_stride", "u64", q.b.stride),
                      buffer("c", cut_up ? "workspace" : "output", cut_up ? work_bytes : c_bytes),
                      number("c_offset", "u64", cut_up ? own : 0),
                      number("c_line", "u64", cut_up ? shape.part_line : q.c.line),
                      number("c_stride", "u64", cut_up ? shape.part_line * q.n : q.c.stride),
                      number("m", "u64", q.m),
                      number("n", "u64", q.n),
                      number("k", "u64", q.k),
                      number("part", "u64", shape.part),
                      number("parts", "u32", shape.parts),
                      number("tiles_m", "u32", shape.tiles_m),
                      number("tiles_n", "u32", shape.tiles_n),
                      scalar("alpha", cut_up ? 1 : q.alpha),
                      scalar("beta", cut_up ? 0 : q.beta)};
  if (shape.way != gemm_way::blocks) kernel.local_bytes = local_bytes(q, shape, t);
  plan.kernels.push_back(std::move(kernel));
  if (!cut_up) return plan;
  planned_kernel fold{"gemm_fold", shape.fold_groups, shape.group_size, {}};
  fold.arguments = {buffer("sums", "workspace", work_bytes),
                    number("sums_offset", "u64", own),
                    number("parts", "u64", shape.parts),
                    number("part_line", "u64", shape.part_line),
                    number("part_stride", "u64", shape.part_line * q.n),
                    buffer("c", "output", c_bytes),
                    number("c_offset", "u64", 0),
                    number("c_line", "u64", q.c.line),
                    number("c_stride", "u64", q.c.stride),
                    number("m", "u64", q.m),
                    number("n", "u64", q.n),
                    number("batches", "u64", q.batches),
                    scalar("alpha", q.alpha),
                    scalar("beta", q.beta)};
  fold.local_bytes = 0;
  plan.kernels.push_back(std::move(fold));
  return plan;
}

}  // namespace clwave
