// Folds: their types, operators and maps as OpenCL C text, and the words of a fold.
#include "blocks/fold.hpp"

#include <bit>
#include <cstdint>
#include <type_traits>

#include <clwave/error.hpp>

#include "blocks/statistics.hpp"
#include "call/call.hpp"
#include "call/workspace.hpp"
#include "program/element_words.hpp"
#include "program/expressions.hpp"
#include "program/named_values.hpp"
#include "program/user_text.hpp"

namespace clwave::detail {
namespace {

// Whether the values that are folded with indices may be NaNs.
bool indexed_has_nans(const element& acc) {
  return acc.opencl_name.ends_with("float") || acc.opencl_name.ends_with("double");
}

std::string operator_text(const op& fold, const element& acc) {
  const bool wraps = is_integer(acc), orders_as_integer = wraps || is_bool(acc);
  switch (fold.kind) {
    case op_kind::user:
      break;
    case op_kind::plus:
      return wraps ? "TO_UNSIGNED(a) + TO_UNSIGNED(b)" : "a + b";
    case op_kind::multiplies:
      if (is_complex(acc)) return "complex_product(a, b)";
      return wraps ? "TO_UNSIGNED(a) * TO_UNSIGNED(b)" : "a * b";
    case op_kind::min:
      return orders_as_integer ? "min(a, b)" : "MINIMUM(a, b)";
    case op_kind::max:
      return orders_as_integer ? "max(a, b)" : "MAXIMUM(a, b)";
    case op_kind::bit_and:
      return "a & b";
    case op_kind::bit_or:
      return "a | b";
    case op_kind::bit_xor:
      return "a ^ b";
    // The values are 0 and 1 by now (map_text).
    case op_kind::logical_and:
      return "min(a, b)";
    case op_kind::logical_or:
      return "max(a, b)";
    // Of the values; which of equals is first is looked up afterwards.
    case op_kind::argmin:
      return indexed_has_nans(acc) ? "BETTER_MINIMUM(a, b)" : "min(a, b)";
    case op_kind::argmax:
      return indexed_has_nans(acc) ? "BETTER_MAXIMUM(a, b)" : "max(a, b)";
  }
  return {};
}

// True for sums of bytes as whole numbers, which may be added in any order.
bool sums_bytes(const folding& q) {
  return !q.lazy && q.value->size == 1 && (is_integer(*q.value) || is_bool(*q.value)) &&
         is_integer(*q.accumulator) && q.accumulator->components == 1 && q.fold->kind == op_kind::plus &&
         q.apply->kind == map_kind::identity;
}

std::string map_text(const folding& q) {
  const element& acc = *q.accumulator;
  const bool wraps = is_integer(acc);
  std::string text;
  switch (q.apply->kind) {
    case map_kind::user:
      break;
    case map_kind::identity:
      text = "x";
      break;
    case map_kind::abs:
      text = is_float(*q.value) || is_storage(*q.value) ? "fabs(x)" : "abs(x)";
      break;
    case map_kind::square:
      text = is_complex(acc) ? "complex_product(TO_ACC(x), TO_ACC(x))"
             : wraps         ? "TO_UNSIGNED(TO_ACC(x)) * TO_UNSIGNED(TO_ACC(x))"
                             : "TO_ACC(x) * TO_ACC(x)";
      break;
    case map_kind::product:
      text = is_complex(acc) ? "complex_product(TO_ACC(x), TO_ACC(y))"
             : wraps         ? "TO_UNSIGNED(TO_ACC(x)) * TO_UNSIGNED(TO_ACC(y))"
                             : "TO_ACC(x) * TO_ACC(y)";
      break;
  }
  return text;
}

// The operation of the warp-wide fold instruction, where NVIDIA has one for this operator and type.
std::string redux_word(const op& fold, const element& acc) {
  if (acc.components != 1 || acc.size != 4 || !is_integer(acc)) return {};
  const std::string sign = acc.kind == element_kind::signed_integer ? ".s32" : ".u32";
  switch (fold.kind) {
    case op_kind::plus:
      return "add.u32";
    case op_kind::min:
      return "min" + sign;
    case op_kind::max:
      return "max" + sign;
    case op_kind::bit_and:
      return "and.b32";
    case op_kind::bit_or:
      return "or.b32";
    case op_kind::bit_xor:
      return "xor.b32";
    default:
      return {};
  }
}

std::string canonical_text(const op& fold, const element& acc) {
  const auto quiet = [](std::string_view scalar) {
    return scalar == "double" ? "as_double(0x7ff8000000000000ul)" : "as_float(0x7fc00000u)";
  };
  if (is_indexed(fold)) {
    const std::string scalar = acc.declaration.find("double") != std::string::npos  ? "double"
                               : acc.declaration.find("float") != std::string::npos ? "float"
                                                                                    : "";
    if (scalar.empty()) return {};
    return "(ACC){x.value != x.value ? " + std::string(quiet(scalar)) + " : x.value, x.index}";
  }
  if (!is_float(acc) && !is_complex(acc)) return {};
  const std::string nan = quiet(scalar_name(acc));
  return acc.components == 1 ? "x != x ? " + nan + " : x" : "x != x ? (ACC)(" + nan + ") : x";
}

// Of an indexed value: the value's type, and its size.
std::string indexed_scalar(const element& acc) { return acc.opencl_name.substr(indexed_prefix.size()); }

std::size_t indexed_bytes(const element& acc) {
  return with_scalar(indexed_scalar(acc), [](auto zero) { return sizeof zero; });
}

}  // namespace

element indexed_element(const element& value) {
  const std::string scalar = loaded_name(value);
  const std::string name = std::string(indexed_prefix) + scalar;
  // The index is aligned to 8 bytes on both sides, so every scalar value takes 8 before it.
  return {.name = "indexed_" + value.name,
          .opencl_name = name,
          .size = 16,
          .kind = element_kind::structure,
          .components = 1,
          .declaration = "typedef struct { " + scalar + " value; ulong index; } " + name + ";"};
}

namespace {

// Why clwave's own operator does not take accumulators of a type, and what to do.
struct operator_fault {
  std::string_view message, advice;
};

std::optional<operator_fault> fault_of_operator(op_kind kind, const element& acc) {
  const bool bits = kind == op_kind::bit_and || kind == op_kind::bit_or || kind == op_kind::bit_xor;
  if (is_structure(acc))
    return {{"this operator takes numbers; a structure needs an operator of your own", ""}};
  if (is_complex(acc) && kind != op_kind::plus && kind != op_kind::multiplies)
    return {{"complex numbers have sums and products, but no order, no bits and no truth value",
             "make a real number of each by a map of your own, for instance "
             "{.name = \"norm\", .source = \"x.x * x.x + x.y * x.y\"}"}};
  if (is_byte(acc) && !bits)
    return {{"std::byte has no arithmetic and no order",
             "use a bit operator, or view the memory as std::uint8_t"}};
  if (is_bool(acc) && kind == op_kind::plus)
    return {{"a sum of bools is no bool",
             "accumulate in std::uint64_t to count those that are true, or use logical_or"}};
  if (bits && !is_integer(acc) && !is_bool(acc) && !is_byte(acc))
    return {{"bit operators take integers", ""}};
  return std::nullopt;
}

}  // namespace

void check_folding(std::string_view primitive, const folding& of, bool two_inputs) {
  const element& value = *of.value;
  const element& acc = *of.accumulator;
  const op& fold = *of.fold;
  const std::string types = value.name + " into " + acc.name;
  const auto no = [&](const std::string& message, std::string_view advice = {}) {
    throw error(failure::bad_call, message, CL_SUCCESS,
                {.primitive = std::string(primitive),
                 .types = types,
                 .op = fold.name,
                 .advice = std::string(advice)});
  };
  if (value.size == 0 || value.size > 128 || acc.size == 0 || acc.size > 128)
    no("elements have 1 to 128 bytes");
  if (is_storage(acc))
    no(std::string("a ") + (is_half(acc) ? "half" : "bfloat16") + " is a storage type; it cannot accumulate",
       "accumulate in float");
  if (fold.kind == op_kind::user && (fold.name.empty() || fold.source.empty()))
    no("an operator of your own needs a name and a source");
  if (of.apply->kind == map_kind::user && (of.apply->name.empty() || of.apply->source.empty()))
    no("a map of your own needs a name and a source");
  if (of.apply->kind == map_kind::product && !two_inputs) no("product takes two inputs");

  const bool own_map = of.apply->kind == map_kind::user;
  if (is_indexed(fold)) {
    if (!value.is_scalar_arithmetic())
      no("argmin and argmax take scalars",
         is_complex(value) || is_byte(value) ? "complex numbers and std::byte have no order" : "");
    if (!acc.opencl_name.starts_with(indexed_prefix)) no("argmin and argmax give an indexed value");
    return;
  }
  if (fold.kind != op_kind::user) {
    if (const auto fault = fault_of_operator(fold.kind, acc)) no(std::string(fault->message), fault->advice);
  }
  if (own_map) return;  // its text says how x becomes an accumulator
  if (!is_number(value) && of.apply->kind != map_kind::identity) no("this map takes numbers");
  if (is_complex(value) && of.apply->kind == map_kind::abs)
    no("the absolute value of a complex number is real",
       "use a map of your own: {.name = \"modulus\", .source = \"hypot(x.x, x.y)\"}");
  if (const conversion_fault fault = fault_of_conversion(value, acc))
    no(std::string(fault.message), fault.advice);
}

namespace {

// The operator's expressions: how it combines two, and what no elements give.
void add_operator(program_spec& spec, const op& fold, const element& acc) {
  const std::string label = "operator " + fold.name;
  add_expression(spec, {.macro = "OPERATOR_TEXT",
                        .label = label,
                        .source = fold.source,
                        .declarations = fold.declarations,
                        .values = fold.values,
                        .prefix = op_value_prefix,
                        .operands = {{&acc, "a"}, {&acc, "b"}},
                        .gives = &acc});
  if (fold.identity.empty()) return;
  add_expression(spec, {.macro = "IDENTITY_TEXT",
                        .label = "identity of " + label,
                        .source = fold.identity,
                        .declarations = fold.declarations,
                        .values = fold.values,
                        .prefix = op_value_prefix,
                        .gives = &acc});
}

// The map's, which gives what is folded. What a logical operator takes of it is whether it is other than 0.
void add_map(program_spec& spec, const folding& of) {
  const map& apply = *of.apply;
  const element& acc = *of.accumulator;
  expression mapped{.macro = "USER_MAP_TEXT",
                    .label = "map " + apply.name,
                    .source = apply.source,
                    .declarations = apply.declarations,
                    .values = apply.values,
                    .prefix = map_value_prefix,
                    .operands = {{of.value, "x"}},
                    .gives = &acc};
  if (of.two_inputs) mapped.operands.push_back({of.value, "y"});
  mapped.operands.push_back({nullptr, "i"});
  if (is_indexed(*of.fold)) {
    mapped.gives = with_scalar(indexed_scalar(acc), [](auto zero) {
      using T = std::conditional_t<std::is_same_v<decltype(zero), std::uint16_t>, u16, decltype(zero)>;
      return &element_of<T>();
    });
  }
  if (of.counts || (is_logical(*of.fold) && acc.components == 1)) mapped.gives = nullptr;
  add_expression(spec, mapped);
}

}  // namespace

void add_folding(program_spec& spec, const folding& of) {
  const element& value = *of.value;
  const element& acc = *of.accumulator;
  // Here, where a program is made, and not in each call.
  const element* const both[] = {&value, &acc};
  check_elements(spec.primitive, both);
  spec.types = value.name + " into " + acc.name;
  spec.op = of.fold->name;
  add_modules(spec, {"blocks/value.cl"});
  if (of.apply->kind != map_kind::identity) spec.op += " of " + of.apply->name;

  const auto word = [&spec](std::string name, std::string text = "1") {
    spec.words.emplace_back(std::move(name), std::move(text));
  };
  word("VALUE", stored_name(value));
  word("VALUE_LOADED", loaded_name(value));
  word("VALUE_READ", read_name(value));
  word("VALUE_BYTES", std::to_string(value.size));
  word("ACC", loaded_name(acc));
  word("ACC_BYTES", std::to_string(acc.size));
  if (is_integer(acc)) word("TO_UNSIGNED", "convert_" + unsigned_name(acc, acc.components));
  if (is_complex(acc)) word("COMPLEX", loaded_name(acc));
  if (!is_structure(acc)) {
    // An integer that is made of integers alone needs no function that tells floats apart.
    const bool from_floats = of.fold->kind == op_kind::user || of.apply->kind == map_kind::user ||
                             !(is_integer(value) || is_bool(value));
    const bool plain = is_integer(acc) && !from_floats;
    word("TO_ACC", plain ? "convert_" + loaded_name(acc) : add_conversion(spec, acc));
  } else {
    word("TO_ACC", "AS_IT_IS");
  }
  if (of.fold->kind == op_kind::user) word("USER_OPERATOR");
  if (acc.opencl_name == "float") word("ACC_IS_F32");

  // Of results of a level below, the map is clwave's, and has what the texts may name all the same.
  const std::string below = of.apply->kind != map_kind::user ? of.apply->declarations : std::string();
  const std::string type_below = below.substr(0, below.find(between_declarations));
  if (!type_below.empty()) spec.declarations.push_back({"type of elements", type_below});
  const bool indexed = is_indexed(*of.fold);
  add_types(spec, {both, acc.opencl_name == value.opencl_name || indexed ? 1u : 2u});
  if (indexed) spec.declarations.push_back({"type " + acc.name, acc.declaration, /*ours=*/true});
  if (below.size() > type_below.size() + 1)
    spec.declarations.push_back(
        {"map " + of.apply->name, below.substr(type_below.size() + 1), /*ours=*/false, /*of_text=*/true});
  std::string mapped = map_text(of);
  if (of.apply->kind == map_kind::user) {
    add_map(spec, of);
    mapped = "USER_MAP_TEXT";
  }
  if (of.fold->kind == op_kind::user) {
    add_operator(spec, *of.fold, acc);
    if (is_minmax_of_floats(*of.fold, acc)) word("MINMAX_OF_F32");
  } else {
    spec.texts.emplace_back("OPERATOR_TEXT", operator_text(*of.fold, acc));
  }
  // A comparison of vectors gives -1 for true.
  if (is_logical(*of.fold)) mapped = (acc.components > 1 ? "-((" : "((") + mapped + ") != 0)";
  spec.texts.emplace_back("MAP_TEXT", mapped);
  const std::string canonical = canonical_text(*of.fold, acc);
  if (const map* quiet = canonical_statistics(acc))
    add_expression(spec, {.macro = "CANONICAL_TEXT",
                          .label = "map " + quiet->name,
                          .source = quiet->source,
                          .declarations = quiet->declarations,
                          .values = quiet->values,
                          .prefix = op_value_prefix,
                          .operands = {{&acc, "x"}},
                          .gives = &acc});
  else
    spec.texts.emplace_back("CANONICAL_TEXT", canonical.empty() ? "x" : canonical);
  add_values(spec, of.fold, of.apply);
}

void add_packets(program_spec& spec, const element& value, unsigned vector, bool by_element) {
  const std::uint64_t n_bytes = std::uint64_t{vector} * value.size;
  const bool apart = by_element || !std::has_single_bit(n_bytes) || n_bytes > 16;
  add_word(spec, "PACKET_BITS", apart ? "uchar" : bits_of(n_bytes));
  if (apart) add_word(spec, "PACKET_BY_ELEMENT");
}

bool has_wide_values(const folding& f) {
  return !f.lazy && f.value->is_scalar_arithmetic() &&
         (f.accumulator->is_scalar_arithmetic() || is_indexed(*f.fold)) && f.fold->kind != op_kind::user &&
         f.apply->kind != map_kind::user && !is_logical(*f.fold) && f.fold->commutative &&
         !(is_integer(*f.accumulator) && !is_integer(*f.value) && !is_bool(*f.value)) &&
         !(is_bool(*f.accumulator) && !is_bool(*f.value));
}

void add_wide_values(program_spec& spec, const folding& f) {
  const std::string folded =
      is_indexed(*f.fold) ? indexed_scalar(*f.accumulator) : loaded_name(*f.accumulator);
  add_word(spec, "WIDE");
  add_word(spec, "ACC_WIDE", folded + "16");
  add_word(spec, "LOADED_WIDE", loaded_name(*f.value) + "16");
  add_word(spec, "TO_ACC_WIDE", "convert_" + folded + "16");
  if (is_integer(*f.accumulator))
    add_word(spec, "TO_UNSIGNED_WIDE", "convert_" + unsigned_name(*f.accumulator, 16));
}

void add_fold_of_tiles(program_spec& spec, unsigned group_size) {
  if (group_size > 1)
    add_modules(spec, {"blocks/fold_columns.cl", "blocks/fold_load.cl", "blocks/fold_tiles.cl"});
  else
    add_modules(spec, {"blocks/fold_serial.cl"});
}

void add_fold_identities(program_spec& spec, const op& fold) {
  if (fold.kind == op_kind::user && !fold.identity.empty()) add_modules(spec, {"blocks/fold_identities.cl"});
}

namespace {

// What the product of a matrix and a vector is given beside the matrix (cl_kernels/blocks/matrix_results.cl).
void add_vector(program_spec& spec, const fold_variant& v) {
  const element& acc = *v.accumulator;
  add_word(spec, "TIMES_VECTOR");
  add_word(spec, "OUT", stored_name(*v.times.out));
  add_word(spec, "OUT_READ", read_name(*v.times.out));
  add_word(spec, "OUT_WRITE", add_write(spec, *v.times.out));
  std::string arguments = "V(const __global " + stored_name(*v.value) + " *, vector) V(ulong, vector_at) ";
  if (v.times.by_steps) {
    add_word(spec, "VECTOR_BY_STEPS");
    arguments += "V(ulong, vector_step) ";
  }
  add_sources(spec, arguments + "V(ulong, result_step) V(" + loaded_name(acc) + ", alpha) V(" +
                        loaded_name(acc) + ", beta) ");
}

}  // namespace

program_spec spec_of_fold(std::string_view primitive, const fold_variant& v, index_way indices) {
  const element& value = *v.value;
  const element& acc = *v.accumulator;
  const folding folded{v.value, v.accumulator, v.fold, v.apply, v.two_inputs, v.counts, v.lazy.lazy};
  program_spec spec;
  spec.primitive = primitive;
  spec.registers = v.registers;
  add_folding(spec, folded);
  add_lazy(spec, v.lazy, value);
  if (v.times.multiplies) add_vector(spec, v);

  const auto word = [&spec](std::string name, std::string text = "1") {
    spec.words.emplace_back(std::move(name), std::move(text));
  };
  add_modules(spec, {"blocks/fold.cl"});
  word("GROUP_SIZE", std::to_string(v.group_size));
  word("VECTOR", std::to_string(v.vector));
  word("ITEMS", std::to_string(v.items));
  word("FOLD_TILE", std::to_string(v.sizes.tile));
  word("FOLD_ACCUMULATORS", std::to_string(v.sizes.accumulators));
  if (v.group_size > 1) {
    word("FOLD_WAITING", std::to_string(v.numbers.waiting));
    word("RESULT_ITEMS", std::to_string(v.numbers.result_items));
    if (is_indexed(*v.fold) && indices == index_way::looked_up)
      word("LOCATED", std::to_string(v.numbers.located));
  } else {
    word("FETCHED_AHEAD", std::to_string(v.numbers.fetched_ahead));
    word("FOLD_BLOCK", std::to_string(v.numbers.block));
  }
  word("COUNTER_AT", std::to_string(workspace::counter_at));
  word("COUNTERS", std::to_string(workspace::counters));
  word("OWN_AT", std::to_string(workspace::own_at));
  if (v.two_inputs) word("TWO_INPUTS");
  if (v.shifted) word("PACKETS_SHIFTED");
  if (v.contiguous) word("CONTIGUOUS_COLUMNS");
  if (v.run_packet > 0) word("RUN_PACKET", std::to_string(v.run_packet));
  add_packets(spec, value, v.vector, v.by_element);
  if (v.to_host) word("HOST_ADDRESS");
  if (is_indexed(*v.fold)) {
    const std::string scalar = indexed_scalar(acc);
    if (indices == index_way::paired) {
      word("PAIRED_VALUE", scalar);
    } else {
      word("INDEXED_VALUE", scalar);
      word("INDEXED_BYTES", std::to_string(indexed_bytes(acc)));
    }
    if (scalar == "float") word("ACC_IS_F32");
    if (indexed_has_nans(acc)) word("INDEXED_NANS");
  }
  if (sums_bytes(folded)) {
    word("BYTE_SUMS");
    word(is_bool(value)                               ? "BYTES_TRUE"
         : value.kind == element_kind::signed_integer ? "BYTES_SIGNED"
                                                      : "BYTES_UNSIGNED");
  }
  if (const std::string redux = redux_word(*v.fold, acc); !redux.empty()) word("REDUX", redux);
  if (v.wide) add_wide_values(spec, folded);
  return spec;
}

std::size_t result_bytes_of(const op& fold, const element& accumulator) {
  return is_indexed(fold) ? indexed_bytes(accumulator) : accumulator.size;
}

}  // namespace clwave::detail
