// Chooses how a matrix product is computed.
#include "primitives/gemm_shape.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <span>

#include "call/call.hpp"
#include "call/planning.hpp"
#include "call/workspace.hpp"
#include "device/device_facts.hpp"
#include "program/element_words.hpp"

namespace clwave::detail {
namespace {

// ------------------------------------------------------------------------------------------ what a tile
// costs

// A GPU's code on a CPU: each work-item is a loop's turn there, and its registers are memory.
bool is_slow_here(const target& on) {
  return on.choice.emulated || (on.facts != nullptr && family_of(*on.facts) == device_family::cpu);
}

// Elements of an access of local memory.
unsigned pack_of(const gemm_product& p) { return 16 / accumulator_bytes(*p.type); }

// Where k is cut: from the sizes alone, so that the bits are the same on every device. Cut is what has fewer
// tiles of 64 x 64 than large devices have room for, into pieces that are still worth a group's start.
void cut(const gemm_product& p, gemm_shape& shape) {
  constexpr std::uint64_t few = 128, enough = 1024, least = 256, unit = 128;
  shape.parts = 1;
  shape.part = std::max<std::uint64_t>(p.k, 1);
  const double tiles = static_cast<double>(blocks_of(p.m, 64)) * static_cast<double>(blocks_of(p.n, 64)) *
                       static_cast<double>(p.batches);
  if (tiles >= few || p.k < 2 * least) return;
  const std::uint64_t most = enough / static_cast<std::uint64_t>(tiles);
  shape.part = round_up(blocks_of(p.k, std::min(p.k / least, most)), unit);
  shape.parts = blocks_of(p.k, shape.part);
  if (shape.parts == 1) return;
  shape.part_line = round_up(p.m, 4);
  shape.workspace_bytes = shape.part_line * p.n * p.batches * shape.parts * accumulator_bytes(*p.type);
}

// Whether every line and every batch starts at a multiple of a load or store of `vector` elements; the last
// access of a run may be short.
bool starts_aligned(const gemm_matrix& matrix, std::uint64_t batches, std::uint64_t vector,
                    std::uint64_t size) {
  return matrix.line % vector == 0 && (batches == 1 || matrix.stride % vector == 0) &&
         matrix.alignment >= vector * size;
}

// Whether no access is short either.
bool is_aligned(const gemm_matrix& matrix, std::uint64_t batches, std::uint64_t vector, std::uint64_t size) {
  return matrix.run % vector == 0 && starts_aligned(matrix, batches, vector, size);
}

// False where a launch cannot have so many groups.
bool set_tiles(const gemm_product& p, gemm_shape& shape) {
  shape.tiles_m = blocks_of(p.m, shape.tile.m);
  shape.tiles_n = blocks_of(p.n, shape.tile.n);
  // In floating point first: the product may not fit.
  const double groups = static_cast<double>(shape.tiles_m) * static_cast<double>(shape.tiles_n) *
                        static_cast<double>(p.batches) * static_cast<double>(shape.parts);
  if (groups > static_cast<double>(most_groups)) return false;
  shape.groups = shape.tiles_m * shape.tiles_n * p.batches * shape.parts;
  return true;
}

// With two digits behind the point, whatever the locale.
std::string rounded(double value) {
  std::array<char, 400> text;
  return {text.data(),
          std::to_chars(text.data(), text.data() + text.size(), value, std::chars_format::fixed, 2).ptr};
}

// The rounds that groups of this tile make over the device's units, by what a round costs.
double cost_of(const gemm_shape& shape, const target& on) {
  const double rounds =
      std::max(std::ceil(static_cast<double>(shape.groups) / std::max(on.compute_units, 1u)), 1.0);
  return rounds * shape.tile.m * shape.tile.n / shape.tile.speed;
}

// The work-items of a worker, which multiplies 64 rows, and the elements of k in 128 bytes, of the wide
// instructions (cl_kernels/primitives/gemm_wide.cl).
constexpr unsigned wide_worker = 128, wide_rows = 64, wide_bytes = 128;

// With matrix instructions a whole set of lanes shares an item. With wide ones there is a worker more, who
// loads.
unsigned group_of(const gemm_shape& shape, const target& on, const gemm_tile& tile) {
  if (shape.way == gemm_way::wide)
    return ((shape.rows_are_m ? tile.m : tile.n) / wide_rows + 1) * wide_worker;
  const unsigned items = tile.m / tile.item_m * (tile.n / tile.item_n);
  return shape.way == gemm_way::matrix ? items * on.choice.lanes : items;
}

// Of a tile of one operand by wide instructions: boxes of 128 bytes across k are whole.
std::uint64_t wide_tile_bytes(const gemm_product& p, const gemm_matrix& matrix, std::uint64_t lines) {
  return (matrix.along_k ? lines : round_up(lines, wide_bytes / p.type->size)) * wide_bytes;
}

std::uint64_t local_bytes_of(const gemm_product& p, gemm_way way, const gemm_tile& tile) {
  if (way == gemm_way::wide) {
    constexpr unsigned maps = 256, counters = 16;  // both maps; the counters of a stage
    const std::uint64_t stage = wide_tile_bytes(p, p.a, tile.m) + wide_tile_bytes(p, p.b, tile.n) + counters;
    return tile.stages * stage + maps;
  }
  if (way == gemm_way::matrix) return std::uint64_t{tile.stages} * tile.k * (tile.m + tile.n) * p.type->size;
  constexpr unsigned pad = 4;  // TILE_PAD of the kernel
  return std::uint64_t{tile.stages} * tile.k * (tile.m + tile.n + 2 * pad) * accumulator_bytes(*p.type);
}

// ---------------------------------------------------------------------------------------- choosing a tile

// The cheapest of `tiles`. Those that do not fit the device, or are dearer, are noted as rejected.
bool choose_tile(const gemm_product& p, const target& on, std::span<const gemm_tile> tiles, gemm_shape& shape,
                 std::vector<rejected_variant>* rejected) {
  const std::uint64_t local =
      shape.way == gemm_way::wide ? on.choice.profile->beyond.local_memory : local_bytes_of(on);
  std::uint64_t most = on.facts != nullptr ? on.facts->max_work_group_size.value_or(256) : std::size_t{1024};
  if (on.group_limit != 0) most = std::min<std::uint64_t>(most, on.group_limit);
  const auto reject = [&](const gemm_tile& tile, const auto& reason) {
    if (rejected != nullptr) rejected->push_back({"tiles of " + text_of(tile), reason()});
  };

  struct candidate {
    const gemm_tile* tile;
    double cost;
    gemm_shape shape;
  };
  std::optional<candidate> best;
  std::vector<std::pair<const gemm_tile*, double>> costs;  // of all that fit, where somebody asks
  for (const gemm_tile& tile : tiles) {
    if (is_slow_here(on) && tile.m * tile.n > 1024) {
      reject(tile, [] { return "too large for a device that only emulates them"; });
      continue;
    }
    gemm_shape trial = shape;
    trial.tile = tile;
    trial.group_size = group_of(trial, on, tile);
    trial.local_bytes = local_bytes_of(p, shape.way, tile);
    if (trial.group_size > most || *trial.local_bytes > local || trial.group_size % on.choice.lanes != 0) {
      reject(tile, [&] {
        return "the device has no groups of " + std::to_string(trial.group_size) + " with " +
               std::to_string(*trial.local_bytes) + " bytes of local memory";
      });
      continue;
    }
    if (!set_tiles(p, trial)) {
      shape.too_many = true;
      reject(tile, [] { return "more of them than one launch can have groups"; });
      continue;
    }
    const double cost = cost_of(trial, on);
    if (rejected != nullptr) costs.emplace_back(&tile, cost);
    if (!best || cost < best->cost) best = {&tile, cost, trial};
  }
  if (!best) return false;
  for (const auto& [tile, cost] : costs) {
    if (tile != best->tile)
      reject(*tile, [&, cost = cost] {
        return "expected to take " + rounded(cost / best->cost) + " times as long";
      });
  }
  shape = best->shape;
  return true;
}

// The tiles of matrix instructions for this type; none where there is no gain, or no permission.
std::span<const gemm_tile> matrix_tiles(const gemm_product& p, const gemm_tuning& tuned) {
  if (tuned.unit == matrix_unit::none) return {};
  if (p.type->size == 8) return tuned.matrix_f64;
  if (is_half(*p.type)) return tuned.matrix_f16;
  if (is_bfloat16(*p.type)) return tuned.matrix_bf16;
  return p.allow_tf32 ? tuned.matrix_tf32 : std::span<const gemm_tile>{};
}

// What stands for those tiles where the instructions are emulated: a small one, with as many stages.
gemm_tile emulated_matrix_tile(const gemm_product& p, std::span<const gemm_tile> tiles) {
  return {.m = 32,
          .n = 32,
          .k = p.type->size == 8 ? 16u : 32u,
          .item_m = 32,
          .item_n = 16,
          .stages = tiles.front().stages};
}

constexpr const char* wants_same_bits = "the call wants the same bits on every device";

// The tiles of wide instructions for this type and these lines.
std::span<const gemm_tile> wide_tiles(const gemm_product& p, const gemm_tuning& tuned) {
  if (p.type->size == 4) return p.a.along_k && p.b.along_k ? tuned.wide_tf32 : tuned.wide_tf32_turned;
  const auto is_even = [&](const gemm_matrix& x) { return x.line * p.type->size % wide_bytes == 0; };
  return is_even(p.a) && is_even(p.b) ? tuned.wide_16 : tuned.wide_16_uneven;
}

// Why wide instructions do not serve a product; nullptr where they do.
const char* obstacle_of_wide(const gemm_product& p, const target& on) {
  switch (on.choice.beyond) {
    case beyond_state::none:
      return "this profile has none";
    case beyond_state::other_architecture:
      return "the device is of another architecture than the one that has them";
    case beyond_state::emulated:
      return "they are not emulated";
    case beyond_state::refused:
      return "the device's driver refused the second build of a program with them";
    case beyond_state::usable:
      break;
  }
  const std::uint64_t size = p.type->size;
  if (size == 8) return "they have no f64";
  if (size == 4 && !p.allow_tf32) return "f32 stays f32 unless the call allows tf32";
  if (size == 2 && p.same_bits) return wants_same_bits;
  if (p.k == 0) return "nothing is multiplied";
  if (std::min(p.m, p.n) < wide_rows) return "C is too thin";
  const auto begins = [&](const gemm_matrix& x) { return starts_aligned(x, p.batches, 16 / size, size); };
  if (!begins(p.a) || !begins(p.b)) return "lines of A and B do not all start at multiples of 16 bytes";
  // Coordinates have 32 bits with a sign, and may pass the end by a tile.
  constexpr std::uint64_t most = 0x7fffff00, most_pitch = std::uint64_t{1} << 40;
  const auto fits = [&](const gemm_matrix& x) {
    return x.line < most_pitch / size && (p.batches == 1 || x.stride < most_pitch / size);
  };
  if (std::max({p.m, p.n, p.k, p.batches}) > most || !fits(p.a) || !fits(p.b))
    return "the matrices are larger than their copies can say";
  return nullptr;
}

// The least product of which a factor is copied, in multiply-adds, and the longest copy in bytes. H200: the
// copy takes 17 us of 67 at 2048, 46 of 404 at 4096; at 1024 products by other instructions take 29 us, by
// these 17 without a copy.
constexpr double least_turned = 1073741824.0;
constexpr std::uint64_t longest_copy = std::uint64_t{1} << 31;

// Of floats, instructions take one factor's lines only along k. Plans a copy of the smaller one where
// neither's are. Returns why not, or nullptr.
const char* turn_factor(gemm_product& p, gemm_shape& shape) {
  if (p.type->size != 4 || p.a.along_k || p.b.along_k) return nullptr;
  const double size = static_cast<double>(p.m) * static_cast<double>(p.n) * static_cast<double>(p.k) *
                      static_cast<double>(p.batches);
  if (size < least_turned) return "of floats, A's or B's lines must follow k, and a copy would take too long";
  const auto copies_of = [&](const gemm_matrix& x) { return x.stride == 0 ? 1 : p.batches; };
  const double of_a = static_cast<double>(p.m) * static_cast<double>(copies_of(p.a)),
               of_b = static_cast<double>(p.n) * static_cast<double>(copies_of(p.b));
  gemm_matrix& from = of_a <= of_b ? p.a : p.b;
  gemm_matrix to = from;
  to.run = p.k;
  to.lines = of_a <= of_b ? p.m : p.n;
  to.line = round_up(p.k, wide_bytes / p.type->size);
  to.along_k = true;
  to.alignment = wide_bytes;
  const std::uint64_t copies = copies_of(from);
  const double bytes = std::min(of_a, of_b) * static_cast<double>(to.line) * p.type->size;
  if (bytes > static_cast<double>(longest_copy))
    return "of floats, A's or B's lines must follow k, and a copy would be too long";
  to.stride = from.stride == 0 ? 0 : to.line * to.lines;
  shape.turned_bytes = round_up(copies * to.lines * to.line * p.type->size, wide_bytes);
  shape.turn_groups = std::min<std::uint64_t>(blocks_of(to.lines, 64) * blocks_of(p.k, 64) * copies, 65536);
  shape.turns_factor = true;
  shape.turned = to;
  from = to;
  return nullptr;
}

// Cuts k where tiles are too few for the device's units, and what that saves is worth a second kernel: on an
// H100 4096 elements of k take a small tile 14 us, and that kernel with its launch 9
// (tools/results/h100-gemm.txt).
void cut_wide(const gemm_product& p, const target& on, gemm_shape& shape) {
  constexpr std::uint64_t least = 1024, unit = 128, worth = 2600;
  const std::uint64_t most = std::min(on.compute_units / shape.groups, p.k / least);
  if (most < 2 || p.k - p.k / most < worth) return;
  shape.part = round_up(blocks_of(p.k, most), unit);
  shape.parts = blocks_of(p.k, shape.part);
  if (shape.parts == 1) return;
  shape.part_line = round_up(p.m, 4);
  shape.workspace_bytes = shape.part_line * p.n * p.batches * shape.parts * accumulator_bytes(*p.type);
  set_tiles(p, shape);
}

// Tries wide instructions. Notes why not.
bool choose_wide(const gemm_product& given, const target& on, gemm_shape& shape,
                 std::vector<rejected_variant>* rejected) {
  const gemm_tuning& tuned = gemm_of(*on.choice.profile);
  const auto no = [&](const char* reason) {
    if (rejected != nullptr) rejected->push_back({"wide matrix instructions", reason});
    return false;
  };
  if (const char* const reason = obstacle_of_wide(given, on)) return no(reason);
  gemm_shape trial;
  gemm_product p = given;
  if (const char* const reason = turn_factor(p, trial)) return no(reason);
  const std::span<const gemm_tile> tiles = wide_tiles(p, tuned);
  trial.way = gemm_way::wide;
  trial.unit = tuned.wide_unit;
  trial.parts = 1;
  trial.part = p.k;
  trial.vector = 16 / p.type->size;
  // An operand whose lines do not follow k can come from registers, and then it is the rows.
  trial.rows_from_registers = p.type->size == 4 && !(p.a.along_k && p.b.along_k);
  trial.rows_are_m = trial.rows_from_registers && !p.a.along_k;
  std::vector<gemm_tile> turned;
  if (trial.rows_are_m) {
    turned.assign(tiles.begin(), tiles.end());
    for (gemm_tile& tile : turned) {
      std::swap(tile.m, tile.n);
      std::swap(tile.item_m, tile.item_n);
    }
  }
  if (!choose_tile(p, on, trial.rows_are_m ? turned : tiles, trial, rejected))
    return no("no tile of theirs fits the device");
  cut_wide(p, on, trial);
  trial.packed_stores = trial.parts > 1 || starts_aligned(p.c, p.batches, 16 / p.out->size, p.out->size);
  trial.groups = std::min<std::uint64_t>(trial.groups, std::max(on.compute_units, 1u));
  constexpr std::uint64_t maps = 256;  // of A and of B, for each group
  trial.map_bytes = trial.groups * maps;
  trial.workspace_bytes += trial.map_bytes + trial.turned_bytes;
  trial.turned.offset = (workspace::own_at + trial.map_bytes) / p.type->size;
  shape = trial;
  return true;
}

// Tries matrix instructions. Notes why not.
bool choose_matrix(const gemm_product& p, const target& on, gemm_shape& shape,
                   std::vector<rejected_variant>* rejected) {
  const gemm_tuning& tuned = gemm_of(*on.choice.profile);
  const std::span<const gemm_tile> tiles = matrix_tiles(p, tuned);
  const auto no = [rejected](const char* reason) {
    if (rejected != nullptr) rejected->push_back({"matrix instructions", reason});
    return false;
  };
  if (tuned.unit == matrix_unit::none) return no("this profile has none");
  if (tiles.empty())
    return no(p.type->size == 4 ? "f32 stays f32 unless the call allows tf32" : "no gain for this type");
  if (p.same_bits && p.type->size == 2) return no(wants_same_bits);
  // Most of such a tile would lie beyond C.
  if (std::min(p.m, p.n) <= 16) return no("C is too thin");
  gemm_shape trial = shape;
  trial.way = gemm_way::matrix;
  trial.unit = on.choice.emulated ? matrix_unit::emulated : tuned.unit;
  const std::uint64_t vector = 16 / p.type->size;
  const auto begins = [&](const gemm_matrix& x) {
    return starts_aligned(x, p.batches, vector, p.type->size);
  };
  trial.vector = begins(p.a) && begins(p.b) ? static_cast<unsigned>(vector) : 1;
  trial.whole_chunks =
      p.type->size == 8 && trial.vector > 1 && p.a.run % vector == 0 && p.b.run % vector == 0;
  const gemm_tile small = emulated_matrix_tile(p, tiles);
  if (!choose_tile(p, on, on.choice.emulated ? std::span(&small, 1) : tiles, trial, rejected))
    return no("no tile of theirs fits the device");
  shape = trial;
  return true;
}

// Tries the kernel of a C with few rows or columns. Notes why not.
bool choose_thin(const gemm_product& p, const target& on, gemm_shape& shape,
                 std::vector<rejected_variant>* rejected) {
  const gemm_tuning& tuned = gemm_of(*on.choice.profile);
  const auto no = [rejected](const char* reason) {
    if (rejected != nullptr) rejected->push_back({"sums of a thin C", reason});
    return false;
  };
  constexpr std::uint64_t long_enough = 256;
  const std::uint64_t thin = std::min(p.m, p.n);
  if (tuned.thin == 0) return no("not measured on this architecture");
  if (thin > tuned.thin || std::max(p.m, p.n) < long_enough) return no("C is not thin");
  const bool m_is_thin = p.m < p.n;
  const gemm_matrix& long_factor = m_is_thin ? p.b : p.a;
  const auto sums = static_cast<unsigned>(std::bit_ceil(std::max<std::uint64_t>(thin, 1)));
  constexpr unsigned group = 64, own = 2;
  gemm_shape trial = shape;
  trial.way = gemm_way::thin;
  trial.tile = m_is_thin ? gemm_tile{.m = sums, .n = group * own, .k = 256, .item_m = sums, .item_n = own}
                         : gemm_tile{.m = group * own, .n = sums, .k = 256, .item_m = own, .item_n = sums};
  trial.group_size = group;
  trial.local_bytes = std::uint64_t{trial.tile.k} * sums * accumulator_bytes(*p.type);
  const std::uint64_t most =
      on.facts != nullptr ? on.facts->max_work_group_size.value_or(256) : std::size_t{1024};
  if (group > most || (on.group_limit != 0 && group > on.group_limit) || group % on.choice.lanes != 0 ||
      *trial.local_bytes > local_bytes_of(on))
    return no("the device has no groups of 64 with so much local memory");
  if (!set_tiles(p, trial)) return no("more of them than one launch can have groups");
  const std::uint64_t vector = 16 / p.type->size;
  if (long_factor.along_k && starts_aligned(long_factor, p.batches, vector, p.type->size))
    trial.vector = static_cast<unsigned>(vector);
  shape = trial;
  return true;
}

// A tile for multiply-adds.
bool choose_plain(const gemm_product& p, const target& on, gemm_shape& shape,
                  std::vector<rejected_variant>* rejected) {
  const unsigned pack = pack_of(p);
  const std::uint64_t size = p.type->size;
  const bool stores =
      shape.parts > 1 || is_storage(*p.out) || starts_aligned(p.c, p.batches, pack, p.out->size);
  if (is_aligned(p.a, p.batches, pack, size) && is_aligned(p.b, p.batches, pack, size) && stores)
    shape.vector = pack;
  const gemm_tuning& tuned = gemm_of(*on.choice.profile);
  shape.way = gemm_way::tiles;
  if (!choose_tile(p, on, accumulator_bytes(*p.type) == 8 ? tuned.f64 : tuned.f32, shape, rejected))
    return false;
  shape.whole_steps = p.k % shape.tile.k == 0;  // parts begin at multiples of 128
  return true;
}

// A CPU's block: the row's, for the device's own registers and caches.
bool choose_block(const gemm_product& p, const target& on, gemm_shape& shape) {
  const gemm_tuning& tuned = gemm_of(*on.choice.profile);
  const unsigned accumulator = accumulator_bytes(*p.type);
  gemm_tile tile = (accumulator == 8 ? tuned.f64 : tuned.f32).front();
  std::uint64_t local = std::uint64_t{1} << 20;
  unsigned width = 16;
  if (on.facts != nullptr) {
    local = on.facts->local_memory.value_or(usual_local_bytes);
    width = std::clamp(std::bit_floor(on.facts->native_vector_width_float.value_or(width)), 4u, 16u);
  }
  shape.way = gemm_way::blocks;
  shape.vector = width * 4 / accumulator;
  tile.item_m = 2 * shape.vector;
  if (width < 16) tile.item_n /= 2;
  const auto bytes = [&] {
    return (std::uint64_t{tile.k} * (tile.m + tile.n) + std::uint64_t{tile.m} * tile.n) * accumulator;
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
  while (set_tiles(p, shape) && shape.groups < on.compute_units &&
         (halve(shape.tile.n, tile.item_n) || halve(shape.tile.m, tile.item_m))) {
  }
  shape.too_many = !set_tiles(p, shape);
  return !shape.too_many;
}

}  // namespace

std::string text_of(const gemm_tile& tile) {
  return std::to_string(tile.m) + " x " + std::to_string(tile.n) + " x " + std::to_string(tile.k);
}

gemm_shape shape_of(const gemm_product& p, const target& on, std::vector<rejected_variant>* rejected) {
  gemm_shape shape;
  cut(p, shape);
  const bool found = is_cpu(on)
                         ? choose_block(p, on, shape)
                         : choose_wide(p, on, shape, rejected) || choose_matrix(p, on, shape, rejected) ||
                               choose_thin(p, on, shape, rejected) || choose_plain(p, on, shape, rejected);
  if (!found && shape.too_many)
    refuse(gemm_variant::primitive, "the product has more tiles than one launch can have groups",
           "divide it into several calls");
  if (!found)
    refuse(gemm_variant::primitive,
           on.group_limit != 0 ? "no tile has a group small enough for this device's compiled kernels"
                               : "no tile fits this device's groups and local memory",
           "try CLWAVE_PROFILE=gpu");
  if (shape.parts > 1) {
    const std::uint64_t most = is_cpu(on) ? std::uint64_t{on.compute_units} * 4 : 65536;
    shape.fold_groups =
        std::min(blocks_of(p.m * p.n * p.batches, shape.group_size), std::max<std::uint64_t>(most, 1));
  }
  return shape;
}

}  // namespace clwave::detail
