// random: what a call is, and the entry.
#include "primitives/random.hpp"

#include <algorithm>
#include <cstdint>
#include <span>
#include <string>

#include <clwave/error.hpp>

#include "blocks/permutation.hpp"
#include "call/entry.hpp"
#include "call/operands.hpp"
#include "call/planning.hpp"
#include "program/element_words.hpp"

namespace clwave::detail {
namespace {

constexpr std::uint64_t packet_bytes = 16;
// Of a CPU: blocks that are made side by side.
constexpr unsigned wide_blocks = 16;

// ------------------------------------------------------------------------------------------------- checks

[[noreturn]] void no_random(const random_problem& q, const std::string& message,
                            std::string_view advice = {}) {
  throw error(failure::bad_call, message, CL_SUCCESS,
              {.primitive = std::string(random_variant::primitive),
               .types = q.out.type->name,
               .advice = std::string(advice)});
}

// Scalars alone: a vector's elements are those of a longer array.
bool is_random_integer(const element& e) { return is_integer(e) && e.components == 1; }
bool is_random_float(const element& e) { return (is_float(e) || is_storage(e)) && e.components == 1; }

unsigned value_bits(const element& e) {
  return static_cast<unsigned>(8 * e.size) - (e.kind == element_kind::signed_integer ? 1 : 0);
}

void check_permutation(const random_problem& q) {
  const element& out = *q.out.type;
  if (out.kind != element_kind::unsigned_integer || !is_random_integer(out) || out.size < 4)
    no_random(q, "a permutation of " + out.name, "its indices are of 32 or 64 bits, without a sign");
  if (q.below != 0) no_random(q, "a permutation has no bound");
  if (q.first != 0) no_random(q, "a permutation begins at its first index");
  if (out.size == 4 && q.out.n > std::uint64_t{1} << 32)
    no_random(q, std::to_string(q.out.n) + " indices do not fit 32 bits");
}

void check_random(const random_problem& q) {
  check_typed(random_variant::primitive, {{"the output", q.out}});
  const element& out = *q.out.type;
  if (q.kind == random_kind::permutation) {
    check_permutation(q);
    return;
  }
  if (!is_random_integer(out) && !is_random_float(out))
    no_random(q, "there are no random elements of " + out.name,
              "integers of 1 to 8 bytes, float, double, half and bfloat16; of a vector's components as many "
              "numbers");
  if (q.kind == random_kind::normal && !is_random_float(out))
    no_random(q, "normal numbers of " + out.name, "they are float, double, half or bfloat16");
  if (q.below == 0) return;
  if (!is_random_integer(out))
    no_random(q, "a bound of " + out.name, "only integers have one; floats are in [0, 1)");
  if (const unsigned bits = value_bits(out); bits < 64 && q.below > std::uint64_t{1} << bits)
    no_random(q, "numbers below " + std::to_string(q.below) + " do not fit " + out.name);
}

// ------------------------------------------------------------------------------------------------ numbers

std::uint64_t word_bytes(const element& out) { return out.size == 8 ? 8 : 4; }

// Elements made of one block of the generator.
unsigned block_elements(const element& out) { return static_cast<unsigned>(16 / word_bytes(out)); }

// 2^32 numbers below 2^32 are all words, and so are 2^31 that have no sign.
bool is_bounded(const random_problem& q) {
  const std::uint64_t bits = 8 * word_bytes(*q.out.type);
  return q.below != 0 && (bits == 64 || q.below < std::uint64_t{1} << bits);
}

// The digits of a float in [0, 1), as a power of two and the words of the kernel.
struct float_digits {
  const char* count;
  const char* scale;
};
float_digits digits_of_float(const element& out) {
  if (is_half(out)) return {"11", "0x1p-11f"};
  if (is_bfloat16(out)) return {"8", "0x1p-8f"};
  if (out.size == 8) return {"53", "0x1p-53"};
  return {"24", "0x1p-24f"};
}

void choose_numbers(random_variant& v, const random_problem& q, const target& on) {
  const element& out = *q.out.type;
  v.vector = q.kind == random_kind::permutation ? 1 : block_elements(out);
  if (is_cpu(on)) {
    if (q.kind != random_kind::permutation) v.vector *= wide_blocks;
    return;
  }
  const tuning& tuned = fill_tuning(*on.choice.profile);
  v.group_size = group_size_within(on, tuned.group_size);
  v.packets = q.out.known;
  if (v.packets) v.vector = static_cast<unsigned>(packet_bytes / out.size);
  // As many bytes in flight as a fill has, in stores of 16 bytes.
  v.items =
      static_cast<unsigned>(std::clamp<std::size_t>(tuned.items * tuned.vector_bytes / packet_bytes, 1, 16));
}

// Elements before the first packet.
std::uint64_t head_of(const random_variant& v, const random_problem& q) {
  if (v.packets) {
    const std::uint64_t vector = v.vector;
    return std::min((vector - q.out.address / q.out.type->size % vector) % vector, q.out.n);
  }
  // A packet that is stored by elements begins where a block does.
  const std::uint64_t block = q.kind == random_kind::permutation ? 1 : block_elements(*q.out.type);
  return std::min((block - q.first % block) % block, q.out.n);
}

}  // namespace

program_spec spec_of(const random_variant& v) {
  program_spec spec;
  spec.primitive = random_variant::primitive;
  const element& out = *v.out;
  spec.types = out.name;
  add_modules(spec, {"blocks/operands.cl", "primitives/random.cl"});
  add_modules(spec, {v.group_size > 1 ? "primitives/random_groups.cl" : "primitives/random_serial.cl"});
  add_word(spec, "GROUP_SIZE", std::to_string(v.group_size));
  add_word(spec, "ITEMS", std::to_string(v.items));
  add_word(spec, "VECTOR", std::to_string(v.vector));
  add_word(spec, "OUT_STORED", stored_name(out));
  add_word(spec, "OUT_LOADED", loaded_name(out));
  add_word(spec, "OUT_BITS", v.packets ? bits_of(v.vector * out.size) : stored_name(out));
  if (v.packets) add_word(spec, "STORES_PACKETS");
  if (v.kind == random_kind::permutation) {
    spec.op = "permutation";
    add_word(spec, "PERMUTES");
    add_permutation(spec, v.wide_indices);
    return spec;
  }
  add_modules(spec, {"blocks/philox.cl"});
  add_word(spec, "WORD", word_bytes(out) == 8 ? "ulong" : "uint");
  add_word(spec, "SKIPPED", std::to_string(v.skipped));
  if (v.bounded) {
    spec.op = "below a bound";
    add_word(spec, "BOUNDED");
  } else if (v.kind == random_kind::normal) {
    spec.op = "normal";
    add_modules(spec, {"blocks/normal.cl"});
    add_word(spec, "NORMAL");
    add_word(spec, out.size == 8 ? "NORMAL_DOUBLE" : "NORMAL_FLOAT");
  } else if (!is_integer(out)) {
    spec.op = "in [0, 1)";
    add_word(spec, "DIGITS", digits_of_float(out).count);
    add_word(spec, "DIGITS_SCALE", digits_of_float(out).scale);
  } else {
    spec.op = "bits";
  }
  if (!is_integer(out)) {
    add_word(spec, "OUT_WRITE", add_write(spec, out));
    const element* const all[] = {&out};
    add_types(spec, all);
  }
  return spec;
}

// ------------------------------------------------------------------------------------------- descriptions

described<random_variant> describe(const random_problem& q, const target& on) {
  check_random(q);
  const element& out = *q.out.type;
  const std::uint64_t n = q.out.n;
  const std::uint64_t reach =
      counting{random_variant::primitive, "the output"}.bytes(q.out.offset, n, out.size);
  described<random_variant> call{{.out = &out, .kind = q.kind, .bounded = is_bounded(q)},
                                 {.n = n, .operands = {{access::writes, reach}}}};
  random_variant& v = call.variant;
  v.wide_indices = q.kind == random_kind::permutation && permutes_in_64_bits(n);
  choose_numbers(v, q, on);
  const std::uint64_t head = head_of(v, q);
  if (v.packets && q.kind != random_kind::permutation)
    v.skipped = static_cast<unsigned>((q.first + head) % block_elements(out));
  if (n == 0) return call;

  const std::uint64_t packets = (n - head) / v.vector;
  std::uint64_t groups = 0;
  if (is_cpu(on)) {
    groups = cpu_groups(n * out.size, on, fill_tuning(*on.choice.profile));
  } else {
    groups = std::max<std::uint64_t>(blocks_of(packets, std::uint64_t{v.group_size} * v.items), 1);
    if (groups > most_groups) refuse(random_variant::primitive, "more elements than one launch can take");
  }
  described_launch& launch = call.work.launch("random", groups, v.group_size);
  launch.buffer("out", 0).value("out_offset", q.out.offset).value("n", n).value("head", head);
  if (q.kind == random_kind::permutation) {
    add_permutation(launch, permutation_of(n, q.seed, q.stream));
  } else {
    launch.value("first", q.first).value("stream", q.stream).value("seed", q.seed);
    // A number that has no bound is given 0.
    if (word_bytes(out) == 8) {
      launch.value("bound", q.below).value("rejected", v.bounded ? (0 - q.below) % q.below : 0);
    } else {
      const auto bound = static_cast<std::uint32_t>(q.below);
      launch.value("bound", bound).value("rejected", v.bounded ? (0 - bound) % bound : 0u);
    }
  }
  launch.local_bytes = 0;
  return call;
}

told tell(const random_problem& q, const target& on, const described<random_variant>& call) {
  const random_variant& v = call.variant;
  std::string how = q.kind == random_kind::permutation
                        ? "a permutation, each index by itself"
                        : "Philox, a block for " + std::to_string(block_elements(*v.out)) + " elements";
  if (is_cpu(on))
    return {how + (q.kind == random_kind::permutation ? "" : ", 16 at a time") +
            ", a contiguous chunk per work-item"};
  how += v.packets ? ", stores of 16 bytes" : ", stores by element";
  if (v.skipped != 0) how += ", of two neighbouring blocks each";
  return {how};
}

}  // namespace clwave::detail

namespace clwave {

call_plan plan(const random_problem& asked, const plan_target& on) { return detail::plan_of(asked, on); }

event random(cl_command_queue queue, const random_problem& asked, const launch_options& options) {
  constexpr std::string_view primitive = detail::random_variant::primitive;
  const detail::call_site site = detail::site_of(queue, primitive);
  random_problem q = asked;
  detail::check_random(q);
  const detail::call_operand all[] = {{.view = q.out, .use = detail::access::writes, .name = "the output"}};
  return detail::carry_out({site, primitive, options}, q, all, {&q.out});
}

}  // namespace clwave
