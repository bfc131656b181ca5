// gemm: what a call is, and the entry. Its tile is chosen in gemm_shape.cpp.
#include "primitives/gemm.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>

#include <clwave/error.hpp>

#include "call/execute.hpp"
#include "call/operands.hpp"
#include "call/planning.hpp"
#include "call/workspace.hpp"
#include "primitives/gemm_shape.hpp"
#include "program/element_words.hpp"

namespace clwave::detail {
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
    case matrix_unit::wgmma:
    case matrix_unit::none:
      break;
  }
  throw error(failure::internal, "no matrix instructions were chosen");
}

const char* kernel_of(gemm_way way) {
  switch (way) {
    case gemm_way::blocks:
      return "gemm_blocks";
    case gemm_way::matrix:
      return "gemm_matrix";
    case gemm_way::wide:
      return "gemm_wide";
    case gemm_way::thin:
      return "gemm_thin";
    case gemm_way::tiles:
      break;
  }
  return "gemm_tiles";
}

// What wide instructions multiply.
const char* wide_factor(const element& type) {
  if (type.size == 4) return "WIDE_FACTOR_TF32";
  return type.kind == element_kind::bfloat16_storage ? "WIDE_FACTOR_BF16" : "WIDE_FACTOR_F16";
}

// The types of a product's sums and factors in the names of matrix instructions; before them, for wide ones,
// the steps of k.
std::string matrix_types(const element& type, gemm_way way) {
  const std::string steps = way != gemm_way::wide ? "" : type.size == 4 ? "k8." : "k16.";
  if (type.size == 8) return "f64.f64.f64";
  if (type.size == 4) return steps + "f32.tf32.tf32";
  return steps + (is_bfloat16(type) ? "f32.bf16.bf16" : "f32.f16.f16");
}

// What wide instructions name a lane's results, `count` of them: "{%0,%1}" and so on, and as operands of an
// asm.
void add_wide_results(program_spec& spec, unsigned count) {
  std::string names, operands;
  for (unsigned i = 0; i < count; ++i) {
    const std::string number = std::to_string(i);
    names += (i == 0 ? "%" : ",%") + number;
    operands += (i == 0 ? "\"+f\"(d[" : ", \"+f\"(d[") + number + "])";
  }
  spec.texts.emplace_back("RESULT_NAMES", "\"{" + names + "}\"");
  spec.texts.emplace_back("RESULTS_OF(d)", operands);
}

// alpha and beta go as what is accumulated.
void add_factors(described_launch& launch, const element& type, double alpha, double beta) {
  if (accumulator_bytes(type) == 8)
    launch.value("alpha", alpha).value("beta", beta);
  else
    launch.value("alpha", static_cast<float>(alpha)).value("beta", static_cast<float>(beta));
}

// Copies a factor to the workspace, so that its lines follow k.
void add_turn(described_work& work, const gemm_product& p, const gemm_shape& shape) {
  const gemm_matrix& to = shape.turned;
  const gemm_matrix& from = to.operand == p.a.operand ? p.a : p.b;
  described_launch& turn = work.launch("gemm_turn", shape.turn_groups, shape.group_size);
  turn.buffer("from", from.operand);
  turn.value("from_offset", from.offset).value("from_line", from.line).value("from_stride", from.stride);
  turn.workspace("to");
  turn.value("to_offset", to.offset).value("to_line", to.line).value("to_stride", to.stride);
  turn.value("across", to.lines).value("k", p.k);
  turn.value("batches", from.stride == 0 ? std::uint64_t{1} : p.batches);
  constexpr std::uint64_t tile = 64;  // TURNED_TILE of the kernel
  turn.local_bytes = tile * (tile + 1) * p.type->size;
}

access use_of(const gemm_product& p, const gemm_matrix& matrix) {
  if (&matrix != &p.c) return access::reads;
  return p.beta == 0 ? access::writes : access::reads_and_writes;
}

// What groups read of A and B, each its own tiles, and what is read and written of C.
std::uint64_t traffic_bytes(const gemm_product& p, const gemm_shape& shape) {
  const double factors = static_cast<double>(shape.tiles_m) * static_cast<double>(shape.tiles_n) *
                         static_cast<double>(p.batches) * static_cast<double>(p.k) *
                         (shape.tile.m + shape.tile.n) * static_cast<double>(p.type->size);
  const double results = static_cast<double>(p.m) * static_cast<double>(p.n) *
                         static_cast<double>(p.batches) * static_cast<double>(p.out->size) *
                         (p.beta == 0 ? 1 : 2);
  return static_cast<std::uint64_t>(std::min(factors + results, 1.8e19));
}

}  // namespace

namespace {

std::string_view module_of(gemm_way way) {
  switch (way) {
    case gemm_way::blocks:
      return "primitives/gemm_blocks.cl";
    case gemm_way::tiles:
      return "primitives/gemm_tiles.cl";
    case gemm_way::thin:
      return "primitives/gemm_thin.cl";
    case gemm_way::matrix:
      return "primitives/gemm_matrix.cl";
    case gemm_way::wide:
      break;
  }
  return "primitives/gemm_wide.cl";
}

}  // namespace

program_spec spec_of(const gemm_variant& v) {
  program_spec spec;
  spec.primitive = gemm_variant::primitive;
  add_modules(spec, {"primitives/gemm.cl", module_of(v.way)});
  spec.types = v.type->name + " into " + v.out->name;
  const auto number = [&spec](const char* name, std::uint64_t value) {
    add_word(spec, name, std::to_string(value));
  };
  const gemm_numbers& numbers = v.numbers;
  const std::string accumulator = loaded_name(*v.type);
  number("GROUP_SIZE", numbers.group_size);
  add_word(spec, "ACC", accumulator);
  number("ACC_BYTES", accumulator_bytes(*v.type));
  add_word(spec, "OUT", stored_name(*v.out));
  add_word(spec, "OUT_READ", read_name(*v.out));
  add_word(spec, "OUT_WRITE", add_write(spec, *v.out));
  if (!is_storage(*v.out)) add_word(spec, "OUT_IS_ACC");
  if (v.in_parts) add_word(spec, "IN_PARTS");
  add_word(spec, "FACTOR", stored_name(*v.type));
  number("FACTOR_BYTES", v.type->size);
  add_word(spec, "FACTOR_READ", read_name(*v.type));
  if (!is_storage(*v.type)) add_word(spec, "FACTOR_IS_ACC");
  if (v.a_along_k) add_word(spec, "A_ALONG_K");
  if (v.b_along_k) add_word(spec, "B_ALONG_K");
  number("TILE_M", numbers.m);
  number("TILE_N", numbers.n);
  number("TILE_K", numbers.k);
  number("ITEM_M", numbers.item_m);
  number("ITEM_N", numbers.item_n);
  if (v.way == gemm_way::blocks) {
    const std::string width = std::to_string(numbers.vector);
    add_word(spec, "WIDTH", width);
    add_word(spec, "WIDE", accumulator + width);
    add_word(spec, "LOAD_WIDE", "vload" + width);
    add_word(spec, "STORE_WIDE", "vstore" + width);
  } else {
    number("VECTOR", numbers.vector);
  }
  if (v.way == gemm_way::tiles)
    add_word(spec, "LOAD_BITS",
             numbers.vector == 1 ? stored_name(*v.type) : bits_of(numbers.vector * v.type->size));
  if (v.whole_steps) add_word(spec, "WHOLE_STEPS");
  if (v.way != gemm_way::blocks && v.way != gemm_way::thin) number("STAGES", numbers.stages);
  if (v.way == gemm_way::matrix || v.way == gemm_way::wide)
    add_word(spec, "MATRIX_TYPES", matrix_types(*v.type, v.way));
  if (v.way == gemm_way::matrix) {
    add_modules(spec, {"device/target_matrix.cl"});
    add_word(spec, "MATRIX");
    add_word(spec, matrix_word(v.unit));
    if (is_bfloat16(*v.type)) add_word(spec, "MATRIX_BF16");
    if (v.whole_chunks) add_word(spec, "WHOLE_CHUNKS");
  }
  if (v.way == gemm_way::wide) {
    spec.marked = true;
    add_modules(spec, {"device/target_wide_matrix.cl"});
    add_word(spec, wide_factor(*v.type));
    number("WIDE_COLUMNS", v.rows_are_m ? numbers.item_n : numbers.item_m);
    add_wide_results(spec, (v.rows_are_m ? numbers.item_n : numbers.item_m) / 2);
    number("ROWS_ALONG_K", v.rows_are_m ? v.a_along_k : v.b_along_k);
    number("COLUMNS_ALONG_K", v.rows_are_m ? v.b_along_k : v.a_along_k);
    if (v.rows_are_m) add_word(spec, "ROWS_ARE_M");
    if (v.rows_from_registers) add_word(spec, "ROWS_FROM_REGISTERS");
    if (v.packed_stores) add_word(spec, "PACKED_STORES");
    if (v.batched) add_word(spec, "BATCHED");
    if (v.turns_factor) add_word(spec, "TURNS_FACTOR");
  }
  return spec;
}

// ------------------------------------------------------------------------------------------- descriptions

described<gemm_variant> describe(const gemm_product& p, const target& on) {
  const gemm_shape shape = shape_of(p, on, nullptr);
  const gemm_tile& t = shape.tile;
  const bool in_parts = shape.parts > 1;
  described<gemm_variant> call{{.type = p.type,
                                .out = p.out,
                                .way = shape.way,
                                .unit = shape.unit,
                                .numbers = {.m = t.m,
                                            .n = t.n,
                                            .k = t.k,
                                            .item_m = t.item_m,
                                            .item_n = t.item_n,
                                            .stages = t.stages,
                                            .group_size = shape.group_size,
                                            .vector = shape.vector},
                                .in_parts = in_parts,
                                .whole_steps = shape.whole_steps,
                                .a_along_k = factor_of(shape, p.a).along_k,
                                .b_along_k = factor_of(shape, p.b).along_k,
                                .rows_are_m = shape.rows_are_m,
                                .rows_from_registers = shape.rows_from_registers,
                                .packed_stores = shape.packed_stores,
                                .batched = shape.way == gemm_way::wide && p.batches > 1,
                                .turns_factor = shape.turns_factor,
                                .whole_chunks = shape.whole_chunks},
                               {.n = p.m * p.n * p.batches}};
  call.work.operands.resize(3);
  for (const gemm_matrix* matrix : {&p.a, &p.b, &p.c}) {
    const counting count{gemm_variant::primitive, gemm_operand_names[matrix->operand]};
    const element& type = matrix == &p.c ? *p.out : *p.type;
    call.work.operands[matrix->operand] = {use_of(p, *matrix),
                                           count.bytes(matrix->offset, matrix->extent(p.batches), type.size)};
  }
  if (call.work.n == 0) return call;

  call.work.launches.reserve(shape.turns_factor ? 3 : 2);
  if (shape.turns_factor) add_turn(call.work, p, shape);
  const std::uint64_t own =
      (workspace::own_at + shape.map_bytes + shape.turned_bytes) / accumulator_bytes(*p.type);
  const std::uint64_t part_stride = shape.part_line * p.n;
  described_launch& product = call.work.launch(kernel_of(shape.way), shape.groups, shape.group_size);
  // A and B may have no buffers where nothing is read of them.
  const auto add_factor = [&](const char* name, const char* offset, const char* line, const char* stride,
                              const gemm_matrix& given) {
    const gemm_matrix& used = factor_of(shape, given);
    if (&used == &given)
      product.buffer(name, p.k != 0 ? given.operand : p.c.operand);
    else
      product.workspace(name);
    product.value(offset, used.offset).value(line, used.line).value(stride, used.stride);
  };
  add_factor("a", "a_offset", "a_line", "a_stride", p.a);
  add_factor("b", "b_offset", "b_line", "b_stride", p.b);
  if (in_parts) {
    product.workspace("c").value("c_offset", own);
    product.value("c_line", shape.part_line).value("c_stride", part_stride);
  } else {
    product.buffer("c", p.c.operand).value("c_offset", p.c.offset);
    product.value("c_line", p.c.line).value("c_stride", p.c.stride);
  }
  product.value("m", p.m).value("n", p.n).value("k", p.k).value("part", shape.part);
  product.value("parts", static_cast<std::uint32_t>(shape.parts));
  product.value("tiles_m", static_cast<std::uint32_t>(shape.tiles_m));
  product.value("tiles_n", static_cast<std::uint32_t>(shape.tiles_n));
  add_factors(product, *p.type, in_parts ? 1 : p.alpha, in_parts ? 0 : p.beta);
  if (shape.way == gemm_way::wide) {
    product.workspace("maps").value("maps_offset", std::uint64_t{workspace::own_at});
    product.value("pieces", static_cast<std::uint32_t>(p.batches * shape.parts));
  }
  product.local_bytes = shape.local_bytes;
  call.work.workspace_bytes = shape.workspace_bytes;
  if (!in_parts) return call;

  described_launch& fold = call.work.launch("gemm_fold", shape.fold_groups, shape.group_size);
  fold.workspace("sums").value("sums_offset", own).value("parts", shape.parts);
  fold.value("part_line", shape.part_line).value("part_stride", part_stride);
  fold.buffer("c", p.c.operand).value("c_offset", p.c.offset);
  fold.value("c_line", p.c.line).value("c_stride", p.c.stride);
  fold.value("m", p.m).value("n", p.n).value("batches", p.batches);
  add_factors(fold, *p.type, p.alpha, p.beta);
  fold.local_bytes = 0;
  return call;
}

told tell(const gemm_product& p, const target& on, const described<gemm_variant>& /*call*/) {
  told people;
  const gemm_shape shape = shape_of(p, on, &people.rejected);
  const gemm_tile& t = shape.tile;
  const std::string items = std::to_string(t.item_m) + " x " + std::to_string(t.item_n);
  const std::string loads = ", loads of " + std::to_string(shape.vector * p.type->size) + " bytes";
  switch (shape.way) {
    case gemm_way::blocks:
      people.variant = "blocks of " + text_of(t) + " from packed panels, " + items + " in registers";
      break;
    case gemm_way::matrix:
      people.variant = std::string(name_of(shape.unit)) + " matrix instructions, tiles of " + text_of(t) +
                       " in " + std::to_string(t.stages) + " stages of local memory, " + items +
                       " a set of lanes" + loads;
      break;
    case gemm_way::wide:
      people.variant = std::string(name_of(shape.unit)) +
                       " wide matrix instructions beyond the compiler, tiles of " + text_of(t) + " in " +
                       std::to_string(t.stages) + " stages of local memory, brought by a copy engine" +
                       (shape.rows_from_registers ? ", one operand by way of registers" : "") +
                       (shape.turns_factor ? ", " + std::string(gemm_operand_names[shape.turned.operand]) +
                                                 " copied along k first"
                                           : "");
      break;
    case gemm_way::thin:
      people.variant =
          "sums of " + items + " elements of C a work-item, with the thin factor in local memory" + loads;
      break;
    case gemm_way::tiles:
      people.variant = "tiles of " + text_of(t) + " in local memory, " + items + " a work-item" + loads;
      break;
  }
  if (shape.parts > 1)
    people.variant += ", k in " + std::to_string(shape.parts) + " parts of " + std::to_string(shape.part) +
                      ", added by a second kernel";
  people.variant +=
      "; groups read and write " + std::to_string(traffic_bytes(p, shape)) + " bytes of the matrices";
  if ((shape.way == gemm_way::matrix || shape.way == gemm_way::tiles) && shape.vector == 1)
    people.rejected.push_back({"loads of several elements",
                               "a matrix's lines do not all start (or, without matrix instructions, end) at "
                               "multiples of them"});
  if (shape.parts == 1 && p.k >= 2)
    people.rejected.push_back({"k in parts", "there are tiles enough, or k is short"});
  return people;
}

}  // namespace clwave::detail

namespace clwave {

call_plan plan(const gemm_problem& asked, const plan_target& on) {
  return detail::plan_of(detail::product_of(asked), on);
}

event gemm(cl_command_queue queue, const gemm_problem& asked, const launch_options& options) {
  constexpr std::string_view primitive = detail::gemm_variant::primitive;
  const detail::call_site site = detail::site_of(queue, primitive);
  detail::gemm_product p = detail::product_of(asked);
  std::array views{asked.a, asked.b, asked.c};
  std::array<detail::call_operand, 3> all;
  for (const detail::gemm_matrix* matrix : {&p.a, &p.b, &p.c}) {
    const std::uint64_t reach = matrix->extent(p.batches);
    any_view& view = views[matrix->operand];
    if (reach == 0) view.n = 0;  // it may have no buffer
    all[matrix->operand] = {.view = view,
                            .use = detail::use_of(p, *matrix),
                            .name = detail::gemm_operand_names[matrix->operand],
                            .reach = reach};
  }
  const detail::checked_operands checked = detail::check_operands(site, primitive, all);
  for (detail::gemm_matrix* matrix : {&p.a, &p.b, &p.c}) matrix->place(checked[matrix->operand]);
  const std::span<const cl_event> after = detail::check_events(site, options.after, primitive);
  const cl_mem buffers[] = {asked.a.buffer, asked.b.buffer, asked.c.buffer};
  return detail::carry_out(site, p, buffers, after, options.with_event,
                           {primitive, &options.workspace, &checked});
}

}  // namespace clwave
