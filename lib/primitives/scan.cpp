// scan: what a call is, and the entry.
#include "primitives/scan.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <span>
#include <string>

#include <clwave/error.hpp>

#include "blocks/fold.hpp"
#include "blocks/identity.hpp"
#include "call/counted.hpp"
#include "call/execute.hpp"
#include "call/lazy_inputs.hpp"
#include "call/operands.hpp"
#include "call/planning.hpp"
#include "call/workspace.hpp"
#include "program/element_words.hpp"
#include "program/named_values.hpp"

namespace clwave::detail {
namespace {

// A message is half of its words.
std::uint64_t tile_message_bytes(const scan_problem& q) { return blocks_of(q.out.type->size, 4) * 8; }

scan_sizes sizes_of(const scan_problem& q) {
  return q.sizes.value_or(scan_sizes::of_results_of(q.out.type->size));
}

bool is_wide(scan_way way) { return way == scan_way::wide || way == scan_way::streaming; }

// How many stretches a group looks back at.
constexpr unsigned looked_stretches = 8;

// Local memory of a group that has what stands before each run there (scan_tile.cl): where work-items hold
// their elements in registers, and where a CPU takes runs side by side. The other way needs a sixteenth.
std::uint64_t local_bytes_of_runs(const scan_sizes& sizes, std::size_t result_bytes) {
  const std::uint64_t runs = sizes.tile() / sizes.run;
  const std::uint64_t values =
      runs + runs / sizes.runs + sizes.blocks + sizes.tiles + 2 * looked_stretches + 2;
  return (values + values / 16) * result_bytes + 64;
}

// Why groups cannot send one another messages; "" where they can.
std::string no_messages(const scan_problem& q, const target& on) {
  if (const std::string_view why = why_no_messages(on); !why.empty()) return std::string(why);
  // Who folds another group's tile may read results there and drops what it made of them, but must come to an
  // end with them: so do clwave's own operators and maps.
  const bool ends = q.fold->kind != op_kind::user && q.apply->kind != map_kind::user;
  if (q.in_place && !ends)
    return "the results take the elements' place, and who folds another group's tile may read results there, "
           "for which the call's texts are not made";
  return {};
}

// Whether a step works on values between the elements and the results alone.
bool is_between(const scan_piece& piece) {
  return piece.step == scan_step::tiles || piece.step == scan_step::stretches;
}

void check_piece(const scan_problem& q, const scan_sizes& sizes) {
  if (!q.piece) return;
  check_typed(scan_variant::primitive, {{"the input", q.in}});
  const std::uint64_t tile = sizes.tile(), stretch = tile * sizes.tiles;
  const bool ends = q.piece->at <= q.piece->whole && q.in.n == q.piece->whole - q.piece->at;
  const bool fits = q.piece->at <= q.piece->whole && q.in.n <= q.piece->whole - q.piece->at;
  if (q.piece->at % tile != 0 || !fits || (q.in.n % tile != 0 && !ends))
    refuse(scan_variant::primitive, "the piece has not whole tiles of the input");
  if (is_between(*q.piece) && (q.piece->at % stretch != 0 || (q.in.n % stretch != 0 && !ends)))
    refuse(scan_variant::primitive, "the piece has not whole stretches of the input");
}

// The launches of one step for a piece of a longer input.
void add_step(const scan_problem& q, std::uint64_t tile, unsigned stretch_tiles, unsigned group_size,
              described_work& work) {
  const auto number = [](std::uint64_t n) { return static_cast<std::uint32_t>(n); };
  const scan_piece& piece = *q.piece;
  const std::uint64_t tiles = blocks_of(q.in.n, tile), first = piece.at / tile;
  const std::uint64_t stretches = blocks_of(first + tiles, stretch_tiles) - first / stretch_tiles;
  const auto between = [&](access use) {
    const counting count{scan_variant::primitive, "what stands before the tiles"};
    const std::uint64_t behind = piece.step == scan_step::stretches ? 1 : 0;
    const std::uint64_t end =
        std::max(piece.step == scan_step::stretches ? 0 : count.plus(piece.tiles_at, tiles),
                 piece.step == scan_step::folds ? 0 : count.plus(piece.stretches_at, stretches + behind));
    work.operands.push_back({use, count.times(end, q.out.type->size)});
    return work.operands.size() - 1;
  };
  const auto launch = [&](const char* kernel, std::uint64_t groups) -> described_launch& {
    return work.launch(kernel, groups, group_size).values(q.fold->values, q.apply->values);
  };
  const auto add_input = [&](described_launch& to) {
    to.buffer("x", 0).value("x_offset", q.in.offset).value("first", number(first)).value("n", piece.whole);
  };
  const auto add_start = [&](described_launch& to) { to.element("start", *q.out.type); };
  switch (piece.step) {
    case scan_step::folds: {
      const std::size_t folds = between(access::writes);
      described_launch& all = launch("scan_piece_folds", tiles);
      add_input(all);
      all.buffer("folds", folds).value("folds_offset", piece.tiles_at);
      return;
    }
    case scan_step::tiles: {
      const std::size_t folds = between(access::reads_and_writes);
      launch("scan_piece_tiles", stretches)
          .value("tiles", number(tiles))
          .buffer("folds", folds)
          .value("tiles_offset", piece.tiles_at)
          .value("stretches_offset", piece.stretches_at);
      return;
    }
    case scan_step::stretches: {
      const std::size_t folds = between(access::reads_and_writes);
      described_launch& of_stretches = launch("scan_piece_stretches", 1);
      of_stretches.value("stretches", number(stretches)).value("first", number(first / stretch_tiles));
      add_start(of_stretches);
      of_stretches.buffer("folds", folds).value("stretches_offset", piece.stretches_at);
      return;
    }
    case scan_step::results: {
      const std::size_t before = between(access::reads);
      described_launch& all = launch("scan_piece_results", tiles);
      add_input(all);
      all.buffer("out", 1).value("out_offset", q.out.offset);
      add_start(all);
      all.buffer("before", before)
          .value("tiles_offset", piece.tiles_at)
          .value("stretches_offset", piece.stretches_at);
      return;
    }
  }
}

// Neighbours that one access of `most` bytes takes: a part of a run, where their place allows it.
unsigned packet_of(const any_view& each, unsigned run, std::size_t most) {
  const std::size_t size = each.type->size;
  if (!std::has_single_bit(size) || size > most) return 1;
  const std::size_t vector = std::min<std::size_t>(run, most / size);
  return each.alignment >= vector * size ? static_cast<unsigned>(vector) : 1;
}

}  // namespace

bool has_wide_runs(const folding& of, const scan_sizes& sizes, const target& on) {
  return sizes.runs == 16 && sizes.strips == 16 && (sizes.run == 2 || sizes.run == 4) &&
         has_wide_values(of) && local_bytes_of_runs(sizes, of.accumulator->size) <= local_bytes_of(on);
}

void check_scan(std::string_view primitive, const folding& of, const target& on) {
  check_folding(primitive, of, false);
  if (is_indexed(*of.fold)) refuse(primitive, "a scan takes no argmin and no argmax");
  check_values(primitive, on, *of.fold);
  check_values(primitive, on, *of.apply);
}

void set_start(std::string_view primitive, described_work& work, const op& fold, const element& accumulator,
               bool exclusive, const void* start) {
  std::optional<std::vector<unsigned char>> identity;
  if (start == nullptr && exclusive && !work.launches.empty()) {
    identity = identity_of(primitive, fold, accumulator);
    if (identity) start = identity->data();
  }
  if (start == nullptr) return;
  for (described_launch& launch : work.launches) launch.set_element("start", start);
}

program_spec spec_of(const scan_variant& v) {
  program_spec spec = spec_of_scan(scan_variant::primitive, v);
  add_count(spec, v.count_bytes);
  add_modules(spec, {"primitives/scan.cl", v.piece      ? "primitives/scan_pieces.cl"
                                           : v.one_pass ? "primitives/scan_one_pass.cl"
                                                        : "primitives/scan_launches.cl"});
  return spec;
}

program_spec spec_of_scan(std::string_view primitive, const scan_variant& v) {
  program_spec spec;
  spec.primitive = primitive;
  add_folding(spec, {v.value, v.accumulator, v.fold, v.apply});
  add_lazy(spec, v.lazy, *v.value);
  const auto number = [&spec](const char* name, std::uint64_t n) { add_word(spec, name, std::to_string(n)); };
  number("GROUP_SIZE", v.group_size);
  number("VECTOR", v.vector);
  add_modules(spec, {"blocks/scan_order.cl", "blocks/scan_tile.cl",
                     v.way == scan_way::held ? "blocks/scan_held.cl" : "blocks/scan_strips.cl"});
  number("SCAN_RUN", v.sizes.run);
  number("SCAN_RUNS", v.sizes.runs);
  number("SCAN_STRIPS", v.sizes.strips);
  number("SCAN_BLOCKS", v.sizes.blocks);
  number("SCAN_TILES", v.sizes.tiles);
  number("COUNTER_AT", workspace::counter_at);
  number("OWN_AT", workspace::own_at);
  spec.registers = v.numbers.registers;
  if (v.exclusive) add_word(spec, "EXCLUSIVE");
  if (v.started) add_word(spec, "STARTED");
  number("SCAN_KEPT", v.way == scan_way::held ? v.numbers.kept : 0);
  if (v.way == scan_way::held) {
    add_word(spec, "HELD");
    number("SCAN_UNDER_WAY", v.under_way);
  }
  add_packets(spec, *v.value, v.vector, v.by_element);
  if (is_wide(v.way)) {
    add_modules(spec, {"blocks/scan_wide.cl"});
    add_wide_values(spec, {v.value, v.accumulator, v.fold, v.apply});
    number("FETCHED_AHEAD", v.numbers.fetched_ahead);
    if (v.way == scan_way::streaming) add_word(spec, "STREAMING");
  }
  if (v.out_vector > 1) {
    number("OUT_VECTOR", v.out_vector);
    add_word(spec, "OUT_PACKET", bits_of(v.out_vector * v.accumulator->size));
  }
  if (v.one_pass) {
    add_modules(spec, {"device/message.cl", "blocks/look_back.cl"});
    number("LOOKS", v.numbers.looks);
    number("LOOK_STRETCHES", looked_stretches);
    number("FIRST_PAUSE", v.numbers.first_pause);
    number("NEXT_PAUSE", v.numbers.next_pause);
    if (v.in_place) add_word(spec, "IN_PLACE");
    if (v.in_order_of_start) add_word(spec, "IN_ORDER_OF_START");
  }
  return spec;
}

described<scan_variant> describe(const scan_problem& q, const target& on) {
  check_typed(scan_variant::primitive, {{"the input", array_given_for(q.in)}, {"the output", q.out}});
  if (q.piece) check_typed(scan_variant::primitive, {{"the input", all_of(q.in)}});
  const folding folded{.value = q.in.type,
                       .accumulator = q.out.type,
                       .fold = q.fold,
                       .apply = q.apply,
                       .lazy = q.in.lazy != nullptr};
  check_scan(scan_variant::primitive, folded, on);
  const scan_sizes sizes = sizes_of(q);
  check_piece(q, sizes);
  const std::uint64_t tiles = blocks_of(q.in.n, sizes.tile());
  if (blocks_of(q.piece ? q.piece->whole : q.in.n, sizes.tile()) > most_groups)
    refuse(scan_variant::primitive, "more than " + std::to_string(most_groups * sizes.tile()) + " elements",
           "scan the input in parts, each started with the last result of the one before");
  const scan_tuning& tuned = on.choice.profile->scan;
  described<scan_variant> call{{.value = q.in.type,
                                .accumulator = q.out.type,
                                .fold = q.fold,
                                .apply = q.apply,
                                .exclusive = q.exclusive,
                                .started = q.start != nullptr,
                                .one_pass = !q.piece && no_messages(q, on).empty(),
                                .piece = q.piece.has_value(),
                                .sizes = sizes,
                                .count_bytes = count_bytes_of(scan_variant::primitive, q.in),
                                .lazy = lazy_of(scan_variant::primitive, q.in, on)},
                               {.n = q.in.n}};
  call.work.operands.reserve(3);
  const std::size_t counted = 2;
  if (!q.piece || !is_between(*q.piece))
    call.work.operands.push_back(described_input(scan_variant::primitive, q.in));
  if (!q.piece || q.piece->step == scan_step::results)
    call.work.operands.push_back({access::writes, counting{scan_variant::primitive, "the output"}.bytes(
                                                      q.out.offset, q.in.n, q.out.type->size)});
  scan_variant& v = call.variant;
  if (v.count_bytes != 0) call.work.operands.push_back(described_count(v.count_bytes));
  describe_sources(scan_variant::primitive, q.in, call.work);
  v.in_place = v.one_pass && q.in_place;
  v.in_order_of_start = v.one_pass && tuned.in_order_of_start;
  // Those numbers that reach the program, and no others: the group's size is a member of its own.
  v.numbers = {.group_size = 0, .looks = 0, .first_pause = 0, .next_pause = 0, .fetched_ahead = 0};
  if (v.one_pass) {
    v.numbers.looks = tuned.looks;
    v.numbers.first_pause = tuned.first_pause;
    v.numbers.next_pause = tuned.next_pause;
  }
  const std::size_t widest = is_cpu(on) ? 4 : 16;
  v.vector = packet_of(q.in, sizes.run, widest);
  v.out_vector = packet_of(q.out, sizes.run, widest);
  v.by_element = q.in.alignment < std::min<std::size_t>(low_bit(q.in.type->size), 16);
  if (is_cpu(on)) {
    if (has_wide_runs(folded, sizes, on)) {
      v.numbers.fetched_ahead = tuned.fetched_ahead;
      // In place, the lines of the results are those of the elements, which are there. The steps of pieces of
      // all lengths are one program.
      const bool streams = !q.in_place && !q.piece && q.out.alignment >= 16 * q.out.type->size &&
                           q.in.n > cache_bytes(on) / (q.in.type->size + q.out.type->size);
      v.way = streams ? scan_way::streaming : scan_way::wide;
    }
  } else {
    const std::uint64_t local = local_bytes_of(on);
    const std::uint64_t runs = sizes.tile() / sizes.run;
    const std::uint64_t in_registers = local_bytes_of_runs(sizes, q.out.type->size);
    bool held = q.out.type->size <= 8 && in_registers <= local;
    const std::uint64_t units = held ? runs : runs / sizes.runs;
    // A tile that has a unit for itself takes all its registers; of pieces, the steps of all lengths are one
    // program.
    const bool alone = !v.piece && tuned.kept > 0 && tiles <= on.compute_units;
    const bool of_8 = q.out.type->size == 8 && tuned.kept_of_8 > 0 && v.one_pass && !alone;
    const unsigned found_for = of_8 ? tuned.group_size / 2 : tuned.group_size;
    v.group_size = static_cast<unsigned>(
        std::min<std::uint64_t>(group_size_within(on, held ? found_for : 256), std::bit_floor(units)));
    v.group_size = std::max(v.group_size, on.choice.lanes);
    held = held && v.group_size <= runs;
    if (held) {
      v.way = scan_way::held;
      v.under_way = alone ? 8 : 4;
    }
    // The numbers were found for groups of their size.
    if (held && v.one_pass && v.group_size == found_for && !alone) {
      const std::uint64_t of_run = v.group_size * sizes.run * q.out.type->size;  // of each work-item one
      const std::uint64_t most = std::min((local - in_registers) / of_run, runs / v.group_size - 1);
      const unsigned kept = of_8 ? tuned.kept_of_8 : tuned.kept;
      v.numbers.kept = static_cast<unsigned>(std::min<std::uint64_t>(kept, most));
      // What does not fit costs more than it gives: so do results of 8 bytes in the registers of others.
      if (v.numbers.kept == kept && (of_8 || q.out.type->size <= 4))
        v.numbers.registers = of_8 ? tuned.registers_of_8 : tuned.registers;
    }
  }
  if (q.in.n == 0) return call;

  // Asks whether there is one, where it will be needed.
  if (q.exclusive && q.start == nullptr) identity_of(scan_variant::primitive, *q.fold, *q.out.type);
  if (q.piece) {
    add_step(q, sizes.tile(), sizes.tiles, v.group_size, call.work);
    return call;
  }
  const std::uint64_t stretches = blocks_of(tiles, sizes.tiles);
  described_work& work = call.work;
  work.launches.reserve(3);
  const auto add_input = [&](described_launch& launch) {
    launch.buffer("x", 0).value("x_offset", q.in.offset);
    add_elements(launch, q.in, counted);
  };
  const auto add_start = [&](described_launch& launch) { launch.element("start", *q.out.type); };
  const auto add_launch = [&](const char* kernel, std::uint64_t groups) -> described_launch& {
    described_launch& launch = work.launch(kernel, groups, v.group_size);
    launch.takes_sources = q.in.lazy != nullptr;
    return launch.values(q.fold->values, q.apply->values);
  };
  if (v.one_pass) {
    work.messages = true;
    work.workspace_bytes = (tiles + 2 * stretches) * tile_message_bytes(q);
    work.zeroed_bytes = workspace::own_at - workspace::counter_at + work.workspace_bytes;
    // What a CPU stores past its caches few groups store, each tile after tile, whatever of them a driver
    // hands a core at a time (scan.cl).
    constexpr std::uint64_t groups_of_unit = 4;
    const bool several = v.way == scan_way::streaming && v.in_order_of_start;
    const std::uint64_t most = several ? groups_of_unit * std::max(on.compute_units, 1u) : tiles;
    described_launch& all = add_launch("scan", std::min(tiles, most));
    add_input(all);
    all.buffer("out", 1).value("out_offset", q.out.offset);
    add_start(all);
    all.workspace("workspace").call_number("call");
    return call;
  }
  work.workspace_bytes = (tiles + stretches) * q.out.type->size;
  described_launch& folds = add_launch("scan_tile_folds", tiles);
  add_input(folds);
  folds.workspace("workspace");
  described_launch& before = add_launch("scan_tiles_before", 1);
  add_elements(before, q.in, counted);
  add_start(before);
  before.workspace("workspace");
  described_launch& results = add_launch("scan_results", tiles);
  add_input(results);
  results.buffer("out", 1).value("out_offset", q.out.offset);
  add_start(results);
  results.workspace("workspace");
  return call;
}

told tell(const scan_problem& q, const target& on, const described<scan_variant>& call) {
  const scan_variant& v = call.variant;
  told people;
  people.variant = v.piece      ? "one step of four for a piece, "
                   : v.one_pass ? "one pass with messages between groups, "
                                : "three launches, ";
  people.variant += v.way == scan_way::held ? "elements held in registers" : "elements read twice by tile";
  if (is_wide(v.way)) people.variant += ", 16 runs side by side";
  if (v.vector > 1) people.variant += ", loads of " + std::to_string(v.vector) + " x " + q.in.type->name;
  if (v.way == scan_way::streaming) people.variant += ", stores past the caches";
  people.variant += words_of_count(v.count_bytes);
  people.variant += words_of_lazy(q.in);
  if (const std::string reason = no_messages(q, on); !reason.empty() && !v.piece)
    people.rejected.push_back({"one pass", reason});
  if (!is_cpu(on) && v.way != scan_way::held)
    people.rejected.push_back(
        {"elements held in registers", "they are too large for registers and local memory"});
  return people;
}

// ---------------------------------------------------------------------------------------------- the entry

std::span<const call_operand> checked_scan::listed(const scan_problem& asked) {
  std::size_t n = 2;
  buffers_[0] = asked.in.buffer;
  buffers_[1] = asked.out.buffer;
  if (count_bytes_of(scan_variant::primitive, asked.in) != 0) {
    buffers_[n] = asked.in.count->buffer;
    all_[n++] = counting_operand(asked.in);
  }
  n += list_sources(asked.in, std::span(all_).subspan(n), std::span(buffers_).subspan(n));
  n_ = n;
  return {all_.data(), n};
}

checked_scan::checked_scan(const call_site& site, const scan_problem& asked)
    : all_{{{.view = array_given_for(asked.in),
             .name = "the input",
             .alignment = asked.in.type->components > 1 ? std::nullopt : std::optional<std::size_t>(1),
             .gives_its_place = true},
            {.view = asked.out, .use = access::writes, .name = "the output"}}},
      operands_(check_operands(site, scan_variant::primitive, listed(asked))),
      problem_(asked) {
  operands_.place(0, problem_.in);
  operands_.place(1, problem_.out);
  problem_.in_place = operands_.in_one_place(0, 1);
  problem_.piece.reset();
  if (asked.in.n != asked.out.n)
    refuse(scan_variant::primitive, "the input has " + std::to_string(asked.in.n) + " elements, the output " +
                                        std::to_string(asked.out.n));
}

event scan(cl_command_queue queue, const scan_problem& asked, const launch_fields& options) {
  const call_site site = site_of(queue, scan_variant::primitive);
  const checked_scan checked(site, asked);
  const std::span<const cl_event> after = check_events(site, options.after, scan_variant::primitive);
  const scan_problem& q = checked.problem();
  auto ready = fit(site, q);
  set_start(scan_variant::primitive, ready.call.work, *q.fold, *q.out.type, q.exclusive, q.start);
  return enqueue(site, ready, checked.buffers(), after, options.with_event,
                 {scan_variant::primitive, &options.workspace, &checked.operands()});
}

}  // namespace clwave::detail

namespace clwave {

call_plan plan(const scan_problem& asked, const plan_target& on) { return detail::plan_of(asked, on); }

event scan(cl_command_queue queue, const scan_problem& asked, const launch_options& options) {
  return detail::scan(queue, asked, options);
}

}  // namespace clwave
