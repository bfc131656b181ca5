// The names of programs in the cache: two calls of one name are built from the same source, by the same
// options.
#include "program/key.hpp"

#include <array>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include <doctest/doctest.h>

#include <clwave/profile.hpp>

#include "harness/keys.hpp"
#include "harness/parts.hpp"
#include "harness/quick.hpp"
#include "harness/reference.hpp"
#include "program/program.hpp"

namespace testing::key_test {
namespace {

using namespace clwave;
using namespace clwave::detail;

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
  t.on.choice.profile = &profiles()[d.below(static_cast<unsigned>(profiles().size()))];
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
  for (const auto& t : spec.user_texts) {
    add("own " + t.name + " " + t.text + (t.doubles ? " of doubles" : ""));
    add("declared " + t.declarations);
    for (const auto& each : t.operands) add("of " + each.type + " " + each.name);
    for (const auto& each : t.values.named) add("by " + each.type + " " + each.name);
    add("gives " + t.result.type + t.result.before + t.result.behind);
  }
  for (const auto& [name, text] : spec.texts) add("text " + name + " " + text);
  return all;
}

// make(dice) gives a key and a spec. Every two calls of one key must be one program.
template <class Make>
void check_keys(const std::string& what, Make make) {
  CAPTURE(what);
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
  CHECK(same > 3);  // or nothing was compared; of products, which have the most options, some 20 are
}

TEST_CASE("keys: equal ones are one program, of every primitive") {
  std::set<std::string> seen;
  sample some(2);
  for (const primitive_parts& part : all_parts()) {
    for (const random_key& each : part.keys) {
      const auto make = [&](dice& d) {
        keyed made = each.make(d);
        seen.insert(primitive_in(option_line(made.second, built_target{})));
        return made;
      };
      if (some.takes_next()) {
        check_keys(each.name, make);
      } else {
        dice d;
        make(d);
      }
    }
  }
  CHECK(joined(seen) == joined(primitives_of_kernels()));
}

template <class T>
std::string key_bytes(const T& part) {
  clwave::detail::key_text key;
  append_key(key, part);
  return std::string(key.view());
}

TEST_CASE("keys: pieces of any length lie one behind the other") {
  reference::random_engine random;
  for (int round = 0; round < 300; ++round) {
    clwave::detail::key_text key;
    std::string expected;
    while (random.below(12) != 0) {
      const std::string piece(random.below(random.below(4) == 0 ? 1500 : 60),
                              static_cast<char>(random.below(256)));
      key.append(piece.data(), piece.size());
      expected += piece;
    }
    CHECK(key.view() == expected);
  }
}

TEST_CASE("keys: equal ones have the same options, on every target") {
  program_spec plain, limited;
  plain.primitive = limited.primitive = "reduce";
  limited.registers = 64;
  check_keys("targets", [&](dice& d) {
    random_target t;
    fill(t, d);
    const std::string key = key_bytes(built_for(t.on));
    program_spec stand_in;  // so that what is compared is the option lines
    stand_in.primitive = option_line(plain, t.on) + "\n" + option_line(limited, t.on);
    return keyed{key, stand_in};
  });
}

TEST_CASE("keys: every member of a variant is visited") {
  // As many as the structures have, and each changes the key. (A structure that grows is visited further.)
  CHECK(detail::member_count<built_target>() == 11);
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
  CHECK(changes(on, [](built_target& t) { t.optimises = !t.optimises; }));
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
}  // namespace testing::key_test
