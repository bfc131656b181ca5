// The names of programs in the cache: two calls of one name are built from the same source, by the same
// options.
#include "program/key.hpp"

#include <array>
#include <string>
#include <unordered_map>
#include <vector>

#include <doctest/doctest.h>

#include <clwave/profile.hpp>

#include "primitives/copy.hpp"
#include "primitives/gemm.hpp"
#include "primitives/layout.hpp"
#include "primitives/reduce.hpp"
#include "primitives/reduce_by_key.hpp"
#include "primitives/reduce_columns.hpp"
#include "primitives/reduce_rows.hpp"
#include "primitives/scan.hpp"
#include "primitives/segmented_reduce.hpp"
#include "primitives/segmented_scan.hpp"
#include "primitives/select.hpp"
#include "primitives/sort.hpp"
#include "primitives/transform.hpp"
#include "primitives/transpose.hpp"
#include "program/program.hpp"
#include "reference.hpp"

namespace {

using namespace clwave;
using namespace clwave::detail;

class dice {
 public:
  unsigned below(unsigned n) { return static_cast<unsigned>(random_() % n); }
  bool flip() { return below(2) != 0; }
  template <class T, std::size_t N>
  const T& one_of(const std::array<T, N>& all) {
    return all[below(N)];
  }

 private:
  reference::random_engine random_;
};

// Few values of each, so that many calls differ in one thing alone; texts that fit several places, and join
// to the same text in other pieces.
constexpr std::array<std::string_view, 5> texts{"a", "b", "a|1", "double a", ""};

element random_element(dice& d) {
  static const std::array<const element*, 8> built_in{
      &element_of<float>(),        &element_of<double>(),      &element_of<std::int32_t>(),
      &element_of<std::uint8_t>(), &element_of<std::int8_t>(), &element_of<half>(),
      &element_of<cl_float4>(),    &element_of<cl_int4>()};
  if (d.flip()) return *d.one_of(built_in);
  static const std::array<std::string_view, 3> names{"pair", "packet", "other"};
  static const std::array<std::string_view, 3> declarations{"typedef struct { float a, b; } pair;",
                                                            "typedef struct { double a; } pair;",
                                                            "typedef struct { int a, b; } packet;"};
  return {.name = std::string(d.one_of(texts)),
          .opencl_name = std::string(d.one_of(names)),
          .size = d.flip() ? 8u : 16u,
          .kind = d.flip() ? element_kind::structure : element_kind::opaque,
          .components = 1,
          .declaration = std::string(d.one_of(declarations))};
}

// Of few names and types, so that lists differ in a name, a type or their order alone, or in numbers and
// nothing else.
std::vector<named_value> random_values(dice& d) {
  static const std::array<std::string_view, 3> names{"k", "kk", "l"};
  std::vector<named_value> values;
  for (unsigned k = d.below(3); k > 0; --k) {
    const std::string name(names[(values.size() + d.below(2)) % 3]);
    if (!values.empty() && values[0].name() == name) continue;
    if (d.flip())
      values.emplace_back(name, d.below(100));
    else
      values.emplace_back(name, static_cast<float>(d.below(100)));
  }
  return values;
}

op random_op(dice& d) {
  static const std::array<const op*, 5> built_in{&plus, &min, &bit_xor, &logical_and, &multiplies};
  op fold = *d.one_of(built_in);
  if (d.flip()) fold.kind = op_kind::user;
  fold.name = d.one_of(texts);
  fold.source = d.one_of(texts);
  fold.identity = d.one_of(texts);
  fold.declarations = d.one_of(texts);
  fold.commutative = d.flip();
  if (d.flip()) fold.values = random_values(d);
  return fold;
}

map random_map(dice& d) {
  static const std::array<map_kind, 5> kinds{map_kind::user, map_kind::identity, map_kind::abs,
                                             map_kind::square, map_kind::product};
  return {.name = std::string(d.one_of(texts)),
          .source = std::string(d.one_of(texts)),
          .declarations = std::string(d.one_of(texts)),
          .values = d.flip() ? random_values(d) : std::vector<named_value>(),
          .kind = d.one_of(kinds)};
}

// A device as it may be, with a profile chosen or forced; mostly impossible ones.
struct random_target {
  device_facts facts;
  target on;
};

template <class T, std::size_t N>
void maybe(dice& d, fact<T>& f, const std::array<T, N>& values) {
  const unsigned which = d.below(N + 1);
  f = which == N ? fact<T>{} : fact<T>{values[which]};
}

void fill(random_target& t, dice& d) {
  maybe(d, t.facts.cuda_sm, std::array{70u, 90u});
  maybe(d, t.facts.amd_gfx, std::array{0x90au, 0x1030u});
  maybe(d, t.facts.family, std::array{device_family::nvidia, device_family::amd, device_family::cpu});
  maybe(d, t.facts.device_version, std::array<std::string, 3>{"OpenCL 1.2 x", "OpenCL 2.0", "OpenCL 3.0"});
  maybe(d, t.facts.correctly_rounded_divide_sqrt, std::array{true, false});
  t.on.facts = d.below(8) == 0 ? nullptr : &t.facts;
  t.on.choice.row = &profiles()[d.below(static_cast<unsigned>(profiles().size()))];
  t.on.choice.forced = d.flip();
  t.on.choice.emulated = d.flip();
  t.on.choice.lanes = d.flip() ? 32 : 64;
  static const std::array exchanges{lane_exchange::shuffle_sync, lane_exchange::dpp_row_bcast,
                                    lane_exchange::sub_group, lane_exchange::local_memory,
                                    lane_exchange::none};
  static const std::array orders{group_order::ptx_fence, group_order::amd_fence, group_order::opencl_atomics,
                                 group_order::two_launches};
  t.on.choice.exchange = d.one_of(exchanges);
  t.on.choice.order = d.one_of(orders);
}

// All of a program but the names that only label errors.
std::string printed(const program_spec& spec, std::string_view options) {
  std::string all;
  const auto add = [&all](std::string_view text) { (all += text) += '\n'; };
  add(options);
  add(spec.primitive);
  add(std::to_string(spec.registers));
  for (const auto& [name, word] : spec.words) add(name + "=" + word);
  for (const auto& d : spec.declarations) add("declared " + d.text);
  for (const auto& t : spec.user_texts) add("own " + t.name + " " + t.text);
  for (const auto& [name, text] : spec.texts) add("text " + name + " " + text);
  return all;
}

// make(dice) gives a key and a spec. Every two calls of one key must be one program.
template <class Make>
void check_keys(const char* what, Make make) {
  CAPTURE(std::string(what));
  dice d;
  std::unordered_map<std::string, std::string> known;
  unsigned same = 0, wrong = 0;
  for (unsigned k = 0; k < 20000; ++k) {
    auto [key, spec] = make(d);
    const auto [place, fresh] = known.emplace(std::move(key), printed(spec, ""));
    if (fresh) continue;
    ++same;
    if (place->second != printed(spec, "") && wrong++ < 3)
      FAIL_CHECK("one key, two programs:\n" << place->second << "\nand\n" << printed(spec, ""));
  }
  CHECK(wrong == 0);
  CHECK(same > 20);  // or nothing was compared
}

using made = std::pair<std::string, program_spec>;

template <class Variant>
made made_of(const Variant& v) {
  return {key_of(v), spec_of(v)};
}

unsigned size_of(dice& d) { return 1u << d.below(2); }

TEST_CASE("keys: equal ones are one program, of every primitive") {
  check_keys("reduce", [](dice& d) {
    // A few elements, operators and maps, each often.
    const element value = random_element(d), acc = d.flip() ? value : element_of<float>();
    const op fold = d.flip() ? plus : random_op(d);
    const map apply = d.flip() ? identity : random_map(d);
    return made_of(reduce_variant{.value = &value,
                                  .accumulator = &acc,
                                  .fold = &fold,
                                  .apply = &apply,
                                  .two_inputs = d.flip(),
                                  .group_size = d.flip() ? 128u : 256u,
                                  .vector = size_of(d),
                                  .items = size_of(d),
                                  .registers = d.flip() ? 0u : 64u,
                                  .wide = d.flip(),
                                  .by_element = d.flip(),
                                  .contiguous = d.flip(),
                                  .to_host = d.flip()});
  });
  check_keys("reduce_rows", [](dice& d) {
    const element value = random_element(d), acc = d.flip() ? value : element_of<float>();
    const op fold = d.flip() ? plus : random_op(d);
    const map apply = d.flip() ? identity : random_map(d);
    const unsigned of_row = d.flip() ? 0 : 4 * size_of(d);
    return made_of(reduce_rows_variant{.fold = {.value = &value,
                                                .accumulator = &acc,
                                                .fold = &fold,
                                                .apply = &apply,
                                                .group_size = d.flip() ? 128u : 256u,
                                                .vector = size_of(d),
                                                .by_element = d.flip()},
                                       .shape = {.cut = of_row == 0,
                                                 .one_launch = of_row == 0 && d.flip(),
                                                 .lanes = of_row,
                                                 .packets = of_row == 0 ? 1 : size_of(d),
                                                 .items = of_row == 0 ? 1 : size_of(d),
                                                 .whole = of_row != 0 && d.flip()}});
  });
  check_keys("reduce_columns", [](dice& d) {
    const element value = random_element(d), acc = d.flip() ? value : element_of<float>();
    const op fold = d.flip() ? plus : random_op(d);
    const map apply = d.flip() ? identity : random_map(d);
    const bool cut = d.flip();
    return made_of(reduce_columns_variant{.fold = {.value = &value,
                                                   .accumulator = &acc,
                                                   .fold = &fold,
                                                   .apply = &apply,
                                                   .group_size = 256,
                                                   .vector = size_of(d),
                                                   .by_element = d.flip()},
                                          .shape = {.cut = cut,
                                                    .lanes = d.flip() ? 32u : 64u,
                                                    .block = size_of(d),
                                                    .single = false,
                                                    .rows = size_of(d),
                                                    .part = d.flip() ? 256u : 512u,
                                                    .strip = 0,
                                                    .chunk = cut ? 4 * size_of(d) : 0}});
  });
  check_keys("reduce_by_key", [](dice& d) {
    const element value = random_element(d), acc = d.flip() ? value : element_of<float>();
    const op fold = d.flip() ? plus : random_op(d);
    op same = d.flip() ? plus : random_op(d);
    same.kind = op_kind::user;
    return made_of(reduce_by_key_variant{
        .fold = {.value = &value, .accumulator = &acc, .fold = &fold, .apply = &identity, .group_size = 128},
        .segments = {.own = d.flip() ? 8u : 16u, .slots = d.flip() ? 0u : 4u},
        .key = d.flip() ? &element_of<std::uint8_t>() : &element_of<std::uint32_t>(),
        .same = &same,
        .runs = {.key_vector = d.flip() ? 1u : 4u, .value_packets = d.flip(), .levels = d.flip()},
        .messages = {.one_pass = d.flip()}});
  });
  check_keys("sort", [](dice& d) {
    static const std::array<const element*, 4> keys{&element_of<std::int32_t>(), &element_of<float>(),
                                                    &element_of<std::uint64_t>(), &element_of<bool>()};
    const bool argsort = d.flip();
    return made_of(sort_variant{.key = d.one_of(keys),
                                .value_bytes = argsort ? 0u : 6 * d.below(3),
                                .index_bytes = argsort ? d.flip() ? 4u : 8u : 0,
                                .descending = d.flip(),
                                .many_keys = d.flip(),
                                .group_size = d.flip() ? 1u : 256u,
                                .items = size_of(d)});
  });
  check_keys("segmented_reduce", [](dice& d) {
    const element value = random_element(d), acc = d.flip() ? value : element_of<float>();
    const op fold = d.flip() ? plus : random_op(d);
    const map apply = d.flip() ? identity : random_map(d);
    return made_of(segmented_reduce_variant{
        .fold = {.value = &value, .accumulator = &acc, .fold = &fold, .apply = &apply, .group_size = 32},
        .offset = d.flip() ? &element_of<std::uint32_t>() : &element_of<std::uint64_t>(),
        .shape = {.own = size_of(d),
                  .slots = d.flip() ? 0u : 4u,
                  .packets = d.flip(),
                  .identity = d.flip(),
                  .levels = d.flip(),
                  .counts_bad = d.flip()}});
  });
  check_keys("scan", [](dice& d) {
    const element value = random_element(d), acc = d.flip() ? value : element_of<float>();
    const op fold = d.flip() ? plus : random_op(d);
    const map apply = d.flip() ? identity : random_map(d);
    // A packet of results has a single access of its size.
    return made_of(scan_variant{.value = &value,
                                .accumulator = &acc,
                                .fold = &fold,
                                .apply = &apply,
                                .exclusive = d.flip(),
                                .started = d.flip(),
                                .one_pass = d.flip(),
                                .in_order_of_start = d.flip(),
                                .way = d.flip() ? scan_way::held : scan_way::strips,
                                .group_size = d.flip() ? 128u : 256u,
                                .vector = size_of(d),
                                .out_vector = acc.size <= 8 ? size_of(d) : 1,
                                .by_element = d.flip(),
                                .numbers = {.looks = d.flip() ? 1u : 9u},
                                .sizes = {.tiles = d.flip() ? 64u : 4u}});
  });
  check_keys("segmented_scan", [](dice& d) {
    const element value = random_element(d), acc = d.flip() ? value : element_of<float>();
    const op fold = d.flip() ? plus : random_op(d);
    const map apply = d.flip() ? identity : random_map(d);
    return made_of(segmented_scan_variant{
        .scan = {.value = &value,
                 .accumulator = &acc,
                 .fold = &fold,
                 .apply = &apply,
                 .exclusive = d.flip(),
                 .started = d.flip(),
                 .way = d.flip() ? scan_way::held : scan_way::strips,
                 .group_size = 64,
                 .by_element = d.flip(),
                 .sizes = {.blocks = 1}},
        .offset = d.flip() ? &element_of<std::uint32_t>() : &element_of<std::uint64_t>(),
        .tile = d.flip() ? 16384u : 8192u,
        .own = size_of(d),
        .counts_bad = d.flip()});
  });
  check_keys("select", [](dice& d) {
    const bool unique = d.flip(), carries = unique && d.flip();
    const select_kind of_runs[] = {select_kind::unique, select_kind::run_lengths, select_kind::run_offsets};
    const element value = random_element(d),
                  beside = carries && d.flip() ? value : element_of<std::uint8_t>();
    const map predicate = unique || d.flip() ? identity : random_map(d);
    op same = unique && d.flip() ? random_op(d) : plus;
    same.kind = op_kind::user;
    const select_kind kinds[] = {select_kind::copy_if, select_kind::copy_flagged, select_kind::partition};
    return made_of(select_variant{.kind = carries  ? select_kind::unique_by_key
                                          : unique ? of_runs[d.below(3)]
                                                   : kinds[d.below(3)],
                                  .value = &value,
                                  .beside = &beside,
                                  .predicate = &predicate,
                                  .same = &same,
                                  .messages = {.one_pass = d.flip(),
                                               .in_order_of_start = d.flip(),
                                               .count_words = d.flip() ? 1u : 2u,
                                               .looks = d.flip() ? 1u : 9u},
                                  .group_size = d.flip() ? 128u : 256u,
                                  .items = d.flip() ? 4u : 8u,
                                  .vector = d.flip() ? 1u : 4u,
                                  .by_element = d.flip(),
                                  .flag_packets = d.flip()});
  });
  const auto numbers = [](dice& d) {
    return transform_numbers{
        .group_size = d.flip() ? 128u : 256u, .items = size_of(d), .vector = d.flip() ? 1u : 2u};
  };
  check_keys("transform", [&](dice& d) {
    const element x = random_element(d), y = d.flip() ? x : element_of<float>(), out = d.flip() ? x : y;
    const map apply = d.flip() ? identity : random_map(d);
    transform_variant v{{&x}, &out, &apply, numbers(d)};
    if (d.flip()) v.in.push_back(&y);
    if (d.below(4) == 0) v.in.push_back(&x);
    return made_of(v);
  });
  check_keys("broadcast", [&](dice& d) {
    const element x = random_element(d), y = d.flip() ? x : element_of<float>(), out = d.flip() ? x : y;
    map apply = random_map(d);
    apply.kind = map_kind::user;
    return made_of(
        broadcast_variant{&x, &y, &out, &apply, d.flip() ? per::row : per::column, d.flip(), numbers(d)});
  });
  const auto copied = [](dice& d) {
    return copy_numbers{
        .group_size = d.flip() ? 1u : 256u, .items = size_of(d), .vector_bytes = 16 * size_of(d)};
  };
  check_keys("copy", [&](dice& d) {
    static const std::array<const element*, 7> types{&element_of<float>(),         &element_of<double>(),
                                                     &element_of<std::int32_t>(),  &element_of<std::int8_t>(),
                                                     &element_of<std::uint32_t>(), &element_of<half>(),
                                                     &element_of<std::uint64_t>()};
    static const std::array rounds{rounding::natural, rounding::nearest_even, rounding::toward_zero,
                                   rounding::upward, rounding::downward};
    if (d.below(3) == 0) return made_of(move_variant{copied(d)});
    return made_of(convert_variant{d.one_of(types), d.one_of(types), d.flip(), d.one_of(rounds),
                                   2 * size_of(d), copied(d)});
  });
  check_keys("fill", [&](dice& d) { return made_of(fill_variant{copied(d)}); });
  check_keys("transpose", [](dice& d) {
    return made_of(transpose_variant{.element_bytes = 4u * size_of(d),
                                     .group_size = size_of(d),
                                     .unit_bytes = size_of(d),
                                     .packet_bytes = d.flip() ? 0u : 16u,
                                     .block_rows = size_of(d),
                                     .tile_rows = 16 * size_of(d),
                                     .tile_columns = 16 * size_of(d),
                                     .in_place = d.flip(),
                                     .streaming = d.flip()});
  });
  check_keys("layout", [](dice& d) {
    clwave::layout fields{.size = 8u * size_of(d), .fields = {{4, 0}}};
    if (d.flip()) fields.fields.push_back({d.flip() ? 4u : 2u, 4});
    layout_variant v{.fields = &fields,
                     .arrays = 1 + d.below(2),
                     .block = d.flip() ? 0u : 32u,
                     .to_soa = d.flip(),
                     .group_size = 32 * size_of(d),
                     .tile = 64 * size_of(d),
                     .packet_bytes = 8 * size_of(d)};
    for (std::size_t f = 0; f < fields.fields.size(); ++f)
      v.accesses[f] = {d.below(v.arrays), size_of(d), size_of(d)};
    return made_of(v);
  });
  check_keys("gemm", [](dice& d) {
    static const std::array<const element*, 3> types{&element_of<float>(), &element_of<double>(),
                                                     &element_of<half>()};
    static const std::array ways{gemm_way::blocks, gemm_way::tiles, gemm_way::matrix};
    static const std::array units{matrix_unit::mma_sync, matrix_unit::mfma};
    return made_of(gemm_variant{.type = d.one_of(types),
                                .out = d.one_of(types),
                                .way = d.one_of(ways),
                                .unit = d.one_of(units),
                                .numbers = {.m = 32 * size_of(d),
                                            .n = 32 * size_of(d),
                                            .k = 8 * size_of(d),
                                            .item_m = 4 * size_of(d),
                                            .item_n = 4 * size_of(d),
                                            .stages = 2 + d.below(2),
                                            .group_size = 32 * size_of(d),
                                            .vector = size_of(d)},
                                .in_parts = d.flip(),
                                .whole_steps = d.flip(),
                                .a_along_k = d.flip(),
                                .b_along_k = d.flip()});
  });
}

TEST_CASE("keys: equal ones have the same options, on every target") {
  program_spec plain, limited;
  plain.primitive = limited.primitive = "reduce";
  limited.registers = 64;
  check_keys("targets", [&](dice& d) {
    random_target t;
    fill(t, d);
    std::string key;
    append_key(key, built_for(t.on));
    program_spec stand_in;  // so that what is compared is the option lines
    stand_in.primitive = option_line(plain, t.on) + "\n" + option_line(limited, t.on);
    return made{key, stand_in};
  });
}

template <class T>
std::string key_bytes(const T& part) {
  std::string key;
  append_key(key, part);
  return key;
}

TEST_CASE("keys: every member of a variant is visited") {
  // As many as the structures have, and each changes the key. (A structure that grows is visited further.)
  CHECK(detail::member_count<built_target>() == 10);
  const auto changes = [](auto variant, auto change) {
    auto other = variant;
    change(other);
    return key_bytes(variant) != key_bytes(other);
  };
  built_target on;
  CHECK(changes(on, [](built_target& t) { t.device = "x"; }));
  CHECK(changes(on, [](built_target& t) { t.language = "x"; }));
  CHECK(changes(on, [](built_target& t) { t.cuda_sm = 1; }));
  CHECK(changes(on, [](built_target& t) { t.amd_gfx = 1; }));
  CHECK(changes(on, [](built_target& t) { t.rounds_division = true; }));
  const map apply{.name = "m", .source = "x", .values = {{"k", 1}}};
  map other = apply;
  other.values = {{"k", 2}};
  CHECK(key_bytes(apply) == key_bytes(other));
  other.values = {{"k", 1.0f}};
  CHECK(key_bytes(apply) != key_bytes(other));
  other.values = {{"l", 1}};
  CHECK(key_bytes(apply) != key_bytes(other));
  const element f32 = element_of<float>();
  element larger = f32;
  larger.size = 8;
  CHECK(key_bytes(&f32) != key_bytes(&larger));
}

}  // namespace
