// reduce: what a call is. Its entries are in reduce_entry.cpp.
#include "primitives/reduce.hpp"

#include <algorithm>
#include <cstring>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include <clwave/error.hpp>

#include "blocks/identity.hpp"
#include "call/counted.hpp"
#include "call/lazy_inputs.hpp"
#include "call/operands.hpp"
#include "call/planning.hpp"
#include "call/workspace.hpp"
#include "program/element_words.hpp"
#include "program/named_values.hpp"

namespace clwave::detail {
namespace {

// Kernels number tiles in 32 bits. Half of those numbers are left for what lies behind the last tile: the
// rest of a part, and of the tiles that a group folds at once.
constexpr std::uint64_t most_tiles = std::uint64_t{1} << 31;

// The bytes of all levels' results. Each level above the first starts at a multiple of 256 of them
// (cl_kernels/primitives/reduce.cl). Throws where a device cannot have them.
std::uint64_t workspace_bytes_of(const reduce_problem& q, const target& on) {
  const std::uint64_t tiles = tiles_of(q);
  std::uint64_t results = 1;
  for (std::uint64_t count = tiles; count > 1; count = blocks_of(count, q.sizes.tile))
    results += round_up(count, 256);
  const std::uint64_t n_bytes = results * result_bytes_of(*q.fold, *q.accumulator);
  std::uint64_t most = std::numeric_limits<std::size_t>::max();
  if (on.facts != nullptr) most = std::min(most, on.facts->max_allocation.value_or(most));
  if (n_bytes <= most && workspace::own_at <= most - n_bytes) return n_bytes;
  throw error(failure::out_of_memory,
              "the results of " + std::to_string(tiles) + " tiles take " + std::to_string(n_bytes) +
                  " bytes of workspace, and a buffer has at most " + std::to_string(most) + " here",
              CL_SUCCESS,
              {.primitive = "reduce", .advice = "reduce the input in parts, and then their results"});
}

}  // namespace

void check_reduction_types(const reduce_problem& q) {
  check_typed(reduce_variant::primitive,
              {{"the input", array_given_for(q.in)}, {"the second input", q.in2}, {"the output", q.out}});
  if (q.accumulator == nullptr || q.accumulator->size == 0)
    refuse(reduce_variant::primitive, "the accumulator has no type");
  if (q.in2 && !are_alike(*q.in2->type, *q.in.type))
    refuse(reduce_variant::primitive, "the two inputs differ in type");
}

void check_reduce(const reduce_problem& q) {
  check_reduction_types(q);
  check_folding(reduce_variant::primitive, {q.in.type, q.accumulator, q.fold, q.apply}, q.in2.has_value());
  if (const std::uint64_t most = most_tiles * q.sizes.tile; q.in.n > most)
    refuse("reduce", "more than " + std::to_string(most) + " elements",
           "reduce the input in parts, and then their results");
  if (q.in.lazy != nullptr && q.in2) refuse("reduce", "an input beside another one is an array");
  if (q.counts && q.apply->kind != map_kind::user)
    refuse("reduce", "a predicate is a map of your own",
           R"(such as {.name = "positive", .source = "x > 0"})");
  if (q.start != nullptr && (is_indexed(*q.fold) || is_logical(*q.fold)))
    refuse("reduce", "the operator " + q.fold->name + " takes no start value");
  if (!q.piece_at) return;
  if (q.start != nullptr) refuse("reduce", "a piece of an input has no start value");
  check_typed(reduce_variant::primitive, {{"the input", q.in}});
  if (*q.piece_at % q.sizes.tile != 0) refuse("reduce", "the piece does not begin with a tile");
  if (!q.out) refuse("reduce", "the results of a piece's tiles have no place on the device");
}

namespace {

// Whether results of tiles are loaded and folded as elements are: floats that no map changes. With other
// types and with texts of a user's compilers then make worse code of the first level (H200, 2^28 integers:
// 259 us for 241).
bool has_results_as_elements(const fold_variant& v) {
  return v.group_size >= 256 && v.value->kind == element_kind::floating && v.value->components == 1 &&
         are_alike(*v.value, *v.accumulator) && v.apply->kind == map_kind::identity &&
         v.fold->kind != op_kind::user && !is_indexed(*v.fold) && !v.two_inputs && !v.contiguous &&
         !v.shifted && !v.lazy.lazy;
}

}  // namespace

program_spec spec_of(const reduce_variant& v) {
  program_spec spec = spec_of_fold(reduce_variant::primitive, v.fold, index_way::looked_up);
  add_fold_of_tiles(spec, v.fold.group_size);
  add_modules(spec, {"primitives/reduce.cl", v.piece      ? "primitives/reduce_piece.cl"
                                             : v.one_tile ? "primitives/reduce_tile.cl"
                                                          : "primitives/reduce_tiles.cl"});
  if (!v.one_tile && !v.piece && has_results_as_elements(v.fold)) add_word(spec, "RESULTS_AS_ELEMENTS");
  add_count(spec, v.count_bytes);
  if (v.piece) add_word(spec, "PIECE");
  if (v.has_start) add_word(spec, "STARTED");
  return spec;
}

std::int32_t widened_value(const element& type, std::uint16_t bits) {
  if (type.kind != element_kind::signed_integer) return bits;
  return type.size == 1 ? static_cast<std::int8_t>(bits) : static_cast<std::int16_t>(bits);
}

namespace {

// The bytes of what no elements give, where the device says that there are none; nothing where a text of the
// user's says it. The place of the least of none is nowhere. Throws bad_call where the operator has no value.
std::optional<std::vector<unsigned char>> none_of(const reduce_problem& q) {
  if (is_indexed(*q.fold)) {
    std::vector<unsigned char> bytes(q.accumulator->size);
    std::fill(bytes.begin() + index_at, bytes.end(), static_cast<unsigned char>(0xff));
    return bytes;
  }
  const auto bytes = identity_of(reduce_variant::primitive, *q.fold, *q.accumulator);
  if (q.fold->kind == op_kind::user) return std::nullopt;
  if (q.nothing == nullptr) return bytes;
  std::uint16_t bits = 0;
  std::memcpy(&bits, identity_of(reduce_variant::primitive, *q.fold, *q.nothing)->data(), q.nothing->size);
  const std::int32_t value = widened_value(*q.nothing, bits);
  std::vector<unsigned char> wide(sizeof value);
  std::memcpy(wide.data(), &value, sizeof value);
  return wide;
}

bool takes_two_launches(const reduce_problem& q, const target& on) {
  return on.choice.order == group_order::two_launches && tiles_of(q) > 1 && !q.piece_at;
}

// By the kernel for inputs of one tile. Emulated lanes have none: compilers take seconds over each place that
// uses them. Nor have CPUs.
bool is_one_tile(const reduce_problem& q, const target& on) {
  return tiles_of(q) == 1 && !q.piece_at && !is_cpu(on) && on.choice.exchange != lane_exchange::local_memory;
}

}  // namespace

// The operands are the input, the second input where there is one, and the output where that is on the
// device.
described<reduce_variant> describe(const reduce_problem& q, const target& on) {
  check_reduce(q);
  check_values("reduce", on, *q.fold);
  check_values("reduce", on, *q.apply);
  described<reduce_variant> call{
      {.fold = {.value = q.in.type,
                .accumulator = q.accumulator,
                .fold = q.fold,
                .apply = q.apply,
                .two_inputs = q.in2.has_value(),
                .contiguous = !q.fold->commutative,
                .to_host = on.facts != nullptr && on.facts->host_memory_reached.value_or(false) &&
                           (q.piece_at || on.choice.order != group_order::two_launches),
                .sizes = q.sizes,
                .counts = q.counts,
                .lazy = lazy_of(reduce_variant::primitive, q.in, on)},
       .piece = q.piece_at.has_value(),
       .count_bytes = count_bytes_of(reduce_variant::primitive, q.in),
       .has_start = q.start != nullptr},
      {.n = q.in.n}};
  described_work& work = call.work;
  work.operands.reserve(3);
  const auto add = [&](const any_view& each, access use, std::uint64_t n, std::string_view what) {
    work.operands.push_back({use, counting{"reduce", what}.bytes(each.offset, n, each.type->size)});
  };
  work.operands.push_back(described_input(reduce_variant::primitive, q.in));
  if (q.in2) add(*q.in2, access::reads, q.in.n, "the second input");
  if (q.out) add(*q.out, access::writes, q.piece_at ? tiles_of(q) : 1, "the output");
  const std::size_t out = work.operands.size() - 1, number = work.operands.size();
  const bool counted = call.variant.count_bytes != 0;
  if (counted) work.operands.push_back(described_count(call.variant.count_bytes));
  describe_sources(reduce_variant::primitive, q.in, work);
  // What no elements give. A user's text says it to the device's compiler.
  std::optional<std::vector<unsigned char>> none;
  if (counted && q.start == nullptr) none = none_of(q);

  dealt groups;
  if (is_cpu(on)) {
    const fold_tuning& tuned = on.choice.profile->fold;
    call.variant.fold.wide =
        q.in.lazy == nullptr && has_wide_values({q.in.type, q.accumulator, q.fold, q.apply});
    call.variant.fold.numbers.fetched_ahead = tuned.fetched_ahead;
    call.variant.fold.numbers.block =
        static_cast<unsigned>(std::min<std::size_t>(tuned.block, q.sizes.accumulators));
    groups = deal(q, 1, std::uint64_t{on.compute_units} * on.choice.profile->reduce.groups_per_unit);
  } else {
    groups = shape_for_lanes(q, on, result_bytes_of(*q.fold, *q.accumulator), true, call.variant.fold);
  }
  if (!q.piece_at) work.workspace_bytes = workspace_bytes_of(q, on);

  const auto add_inputs = [&](described_launch& launch) {
    launch.buffer("x", 0).value("x_offset", q.in.offset);
    if (q.in2) launch.buffer("y", 1).value("y_offset", q.in2->offset);
  };
  // A value on its way to the host lies at the workspace's beginning.
  const auto add_output = [&](described_launch& launch) {
    if (q.out)
      launch.buffer("out", out).value("out_offset", q.out->offset);
    else
      launch.workspace("out").value("out_offset", std::uint64_t{0});
  };
  const auto add_launch = [&](const char* kernel, std::uint64_t n_groups,
                              unsigned group_size) -> described_launch& {
    described_launch& launch = work.launch(kernel, n_groups, group_size);
    launch.takes_sources = q.in.lazy != nullptr;
    return launch.values(q.fold->values, q.apply->values);
  };
  // The start value, or what no elements give.
  const void* const start = q.start != nullptr ? q.start : none ? none->data() : nullptr;
  const auto add_start = [&](described_launch& launch) {
    if (start == nullptr) return;
    launch.element("start", *q.accumulator);
    launch.set_element("start", start);
  };
  work.launches.reserve(2);
  if (q.piece_at) {
    if (q.in.n == 0) return call;
    described_launch& tiles = add_launch("reduce_piece", groups.groups, call.variant.fold.group_size);
    add_inputs(tiles);
    tiles.value("index", *q.piece_at).value("n", q.in.n).value("share", groups.share);
    tiles.buffer("tiles", out).value("tiles_offset", q.out->offset);
    tiles.host_address("host");
    return call;
  }
  if (q.in.n == 0) {
    // Only the device's compiler knows what a user's text is worth.
    if (q.start == nullptr && !identity_of("reduce", *q.fold, *q.accumulator))
      add_output(add_launch("reduce_identity", 1, 1));
    return call;
  }
  const bool one_tile = call.variant.one_tile = is_one_tile(q, on);
  if (tiles_of(q) > 1 && !takes_two_launches(q, on))
    work.zeroed_bytes = workspace::own_at - workspace::counter_at;
  described_launch& main =
      add_launch(one_tile ? "reduce_tile" : "reduce", groups.groups, call.variant.fold.group_size);
  add_inputs(main);
  if (one_tile && !counted)
    main.value("n", static_cast<std::uint32_t>(q.in.n));
  else
    add_elements(main, q.in, number);
  if (!one_tile) main.value("share", groups.share);
  add_output(main);
  if (one_tile || on.choice.order != group_order::two_launches) main.host_address("host");
  if (!one_tile) main.workspace("workspace");
  add_start(main);
  if (takes_two_launches(q, on)) {
    described_launch& levels = add_launch("reduce_levels", 1, call.variant.fold.group_size);
    add_inputs(levels);
    add_elements(levels, q.in, number);
    add_output(levels);
    levels.workspace("workspace");
    add_start(levels);
  }
  return call;
}

told tell(const reduce_problem& q, const target& on, const described<reduce_variant>& call) {
  const fold_variant& v = call.variant.fold;
  const std::size_t value_bytes = q.in.type->size;
  told people;
  people.variant =
      is_cpu(on)
          ? std::string("one work-item per tile, ") + (v.wide ? "16-wide values" : "one value at a time")
          : std::string(name_of(on.choice.exchange)) + " lanes, loads of " +
                std::to_string(std::max(v.vector, v.run_packet)) + " x " + q.in.type->name;
  if (v.shifted) people.variant += " from before the input's first, shifted back by the lanes";
  people.variant += takes_two_launches(q, on) ? ", two launches" : ", one launch";
  people.variant += words_of_count(call.variant.count_bytes);
  people.variant += words_of_lazy(q.in);
  if (call.variant.has_start) people.variant += ", a start value";
  if (q.piece_at) people.variant += " up to the results of tiles";

  const auto reject = [&people](std::string name, std::string reason) {
    people.rejected.push_back({std::move(name), std::move(reason)});
  };
  if (on.choice.emulated)
    reject(std::string(name_of(on.choice.profile->exchange)) + " lanes",
           "the device does not have them: emulated through local memory with barriers");
  if (on.choice.order == group_order::two_launches && !q.piece_at)
    reject("one launch",
           "nothing on this device orders one group's reads after another's writes in one kernel");
  const unsigned packet = on.choice.profile->reduce.vector_bytes;
  if (!is_cpu(on) && std::max(v.vector, v.run_packet) * value_bytes < packet)
    reject("loads of " + std::to_string(packet) + " bytes",
           alignment_of(q) < packet ? "the input does not start at a multiple of it"
           : v.contiguous           ? "a non-commutative operator takes its elements in index order"
                                    : "the element's size or the accumulators' registers do not allow it");
  if (is_cpu(on) && !v.wide)
    reject("16-wide values", v.contiguous
                                 ? "a non-commutative operator takes its elements in index order"
                                 : "only built-in scalar types, operators and maps have a wide form");
  return people;
}

}  // namespace clwave::detail
