// scan against a plain loop in its order on the host, bit for bit: every row, small and contract sizes,
// hostile values, and what follows from the order.
#include <clwave/scan.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <clwave/error.hpp>
#include <clwave/plan.hpp>

#include "call/call.hpp"
#include "call/workspace.hpp"
#include "changed_kernels.hpp"
#include "devices.hpp"
#include "primitives/scan.hpp"
#include "reference.hpp"

namespace {

using clwave::view;
using clwave::detail::scan_sizes;
using reference::canonical;
using reference::random_engine;
using reference::same_bits;
using reference::show_bits;
using reference::spice;
using testing::default_fixture;
using testing::environment;
using testing::fixture;
using testing::guarded_buffer;

struct turn {  // x -> scale * x + shift; composition, a before b, does not commute
  std::uint32_t scale, shift;
  bool operator==(const turn&) const = default;
};
struct wide_sum {
  std::uint32_t words[9];
  bool operator==(const wide_sum&) const = default;
};

}  // namespace

CLWAVE_STRUCTURE(turn, "turn", "typedef struct { uint scale, shift; } turn;")
CLWAVE_STRUCTURE(wide_sum, "wide_sum", "typedef struct { uint words[9]; } wide_sum;")

namespace {

const clwave::op compose{.name = "compose",
                         .source = "(turn){a.scale * b.scale, a.shift * b.scale + b.shift}",
                         .identity = "(turn){1, 0}",
                         .commutative = false};
turn composed(turn a, turn b) { return {a.scale * b.scale, a.shift * b.scale + b.shift}; }

// Tiles of 32 elements, and stretches of 128: too few runs for a set of lanes, which takes strips instead.
constexpr scan_sizes small = {.run = 4, .runs = 2, .strips = 2, .blocks = 2, .tiles = 4};
// Tiles of 256 elements, and stretches of 512: a run for each work-item, which holds it.
constexpr scan_sizes of_held_runs = {.run = 4, .runs = 4, .strips = 4, .blocks = 4, .tiles = 2};

template <class T>
std::size_t first_difference(const std::vector<T>& a, const std::vector<T>& b) {
  std::size_t i = 0;
  while (i < a.size() && i < b.size() && same_bits(a[i], b[i])) ++i;
  return i;
}

template <class T>
void check_same(const std::vector<T>& got, const std::vector<T>& expected) {
  REQUIRE(got.size() == expected.size());
  const std::size_t i = first_difference(got, expected);
  CAPTURE(i);
  if (i < got.size()) {
    CAPTURE(show_bits(got[i]));
    CAPTURE(show_bits(expected[i]));
    CHECK(i == got.size());
  } else {
    CHECK(i == got.size());
  }
}

template <class T>
std::vector<T> made_canonical(std::vector<T> values) {
  if constexpr (std::is_arithmetic_v<T>) {
    for (T& value : values) value = canonical(value);
  }
  return values;
}

// One call of any kind: sizes are not the public calls' to choose.
template <class Acc, class T>
void scan_by(const fixture& on, const view<T>& in, const view<Acc>& out, const clwave::op& fold,
             bool exclusive, const Acc* start, std::optional<scan_sizes> sizes,
             const clwave::map& apply = clwave::identity) {
  clwave::detail::scan(on.queue(),
                       {.in = clwave::detail::erase(in),
                        .out = clwave::detail::erase(out),
                        .fold = &fold,
                        .apply = &apply,
                        .exclusive = exclusive,
                        .start = start,
                        .sizes = sizes},
                       {})
      .wait();
}

// All ways, or two that have all there is between them: each takes a program of its own.
enum class ways { all, two };

// Both kinds, with and without a start, apart and in place, from element `offset`.
template <class Acc, class T, class Combine>
void check_scans(const fixture& on, const std::vector<T>& values, const clwave::op& fold, Combine combine,
                 Acc nothing, Acc first, std::optional<scan_sizes> sizes, std::size_t offset = 0,
                 ways which = ways::all) {
  const std::size_t n = values.size() - offset;
  CAPTURE(n);
  CAPTURE(offset);
  const cl::Buffer in = on.buffer_of(values);
  for (const bool exclusive : {false, true}) {
    for (const bool started : {false, true}) {
      if (which == ways::two && exclusive != started) continue;
      CAPTURE(exclusive);
      CAPTURE(started);
      const std::optional<Acc> start = started ? std::optional<Acc>(first) : std::nullopt;
      const auto expected = made_canonical(reference::scan_reference<Acc>(
          n, [&](std::size_t i) { return static_cast<Acc>(values[offset + i]); }, combine, exclusive, start,
          nothing, sizes));
      const guarded_buffer<Acc> out(on, n);
      scan_by<Acc>(on, view<T>{in, n, offset}, out.view(), fold, exclusive, start ? &*start : nullptr, sizes);
      check_same(out.read(), expected);
      CHECK(out.guards_intact());
      if constexpr (std::is_same_v<Acc, T>) {
        if (which == ways::two && !started) continue;
        const cl::Buffer both = on.buffer_of(values);
        const view<T> there{both, n, offset};
        scan_by<Acc>(on, there, there, fold, exclusive, start ? &*start : nullptr, sizes);
        check_same(on.read<T>(both, n, offset * sizeof(T)), expected);
      }
    }
  }
}

template <class T>
T plus(T a, T b) {
  return reference::wrapping_plus(a, b);
}

const doctest::test_suite lanes("lanes");

}  // namespace

TEST_CASE("scans of every row have the reference's bits on all levels") {
  fixture& on = default_fixture();
  random_engine random;
  CAPTURE(random.note());
  for (const std::string name : {"sm_90", "sm_61", "gfx906", "gfx1030", "subgroup-8", "gpu", "cpu"}) {
    CAPTURE(name);
    const environment forced("CLWAVE_PROFILE", name);
    for (const std::size_t n : {1u, 3u, 4u, 31u, 33u, 127u, 128u, 129u, 1000u}) {
      const auto values = reference::random_values<float>(random, n, spice::nans);
      check_scans<float>(on, values, clwave::plus, plus<float>, 0.0f, 0.1f, small, 0,
                         name == "sm_90" || name == "cpu" ? ways::all : ways::two);
    }
    if (name != "sm_90" && name != "gfx906" && name != "subgroup-8") continue;  // programs take a while
    for (const std::size_t n : {200u, 256u, 1030u}) {
      const auto values = reference::random_values<float>(random, n, spice::nans);
      check_scans<float>(on, values, clwave::plus, plus<float>, 0.0f, 0.1f, of_held_runs, 0, ways::two);
    }
  }
}

TEST_CASE("scans of the contract's sizes" * lanes) {
  fixture& on = default_fixture();
  random_engine random;
  CAPTURE(random.note());
  const auto check = [&](std::size_t n, std::optional<scan_sizes> sizes, ways which) {
    const auto values = reference::random_values<float>(random, n + 3, spice::finite);
    check_scans<float>(on, values, clwave::plus, plus<float>, 0.0f, -0.3f, sizes, n % 4, which);
  };
  {
    const environment forced("CLWAVE_PROFILE", "cpu");
    for (const std::size_t n : {5u, 64u, 1025u, 16383u, 16384u, 16385u}) check(n, {}, ways::all);
    for (const std::size_t n : {(1u << 20) - 1, (1u << 20) + 1, (2u << 20) + 16384 + 77})
      check(n, {}, ways::two);
  }
  // Lanes that are emulated take long: stretches of two tiles, of more than a group looks back at.
  const environment forced("CLWAVE_PROFILE", "sm_90");
  scan_sizes short_stretches;
  short_stretches.tiles = 2;
  for (const std::size_t n : {5u, 1025u, 16384u, 16385u, 21u * 16384 + 77})
    check(n, short_stretches, ways::two);
  const environment other("CLWAVE_PROFILE", "gfx90a");
  check(16384 + 8 * 512 * 4 - 1, short_stretches, ways::two);
}

TEST_CASE("an operator that does not commute sees its elements in order" * lanes) {
  fixture& on = default_fixture();
  random_engine random;
  CAPTURE(random.note());
  for (const char* name : {"sm_90", "gfx90a", "subgroup-8", "cpu"}) {
    const environment forced("CLWAVE_PROFILE", name);
    for (const std::size_t n : {7u, 130u, 2000u}) {
      std::vector<turn> values(n);
      for (turn& value : values)
        value = {static_cast<std::uint32_t>(random()) | 1u, static_cast<std::uint32_t>(random())};
      check_scans<turn>(on, values, compose, composed, turn{1, 0}, turn{3, 4}, small, 0, ways::two);
    }
  }
}

TEST_CASE("types and operators") {
  fixture& on = default_fixture();
  random_engine random;
  CAPTURE(random.note());
  for (const char* name : {"sm_90", "cpu"}) {
    CAPTURE(std::string(name));
    const environment forced("CLWAVE_PROFILE", name);
    const std::size_t n = 40000;
    check_scans<std::uint32_t>(on, reference::random_values<std::uint8_t>(random, n), clwave::plus,
                               plus<std::uint32_t>, 0u, 7u, {}, 1, ways::two);
    // Halves are summed in float.
    std::vector<clwave::half> halves = reference::random_values<clwave::half>(random, n, spice::ordinary);
    check_scans<float>(on, halves, clwave::plus, plus<float>, 0.0f, 1.0f, {}, 1, ways::two);
    if (on.has_doubles())
      check_scans<double>(on, reference::random_values<float>(random, n, spice::finite), clwave::plus,
                          plus<double>, 0.0, 0.5, {}, 1, ways::two);
    // The rest by one row: each takes three programs, and compilers seconds over each.
    if (std::string(name) != "cpu") continue;
    check_scans<std::int8_t>(on, reference::random_values<std::int8_t>(random, n), clwave::plus,
                             plus<std::int8_t>, std::int8_t(0), std::int8_t(-7), {}, 0, ways::two);
    check_scans<std::int16_t>(on, reference::random_values<std::int16_t>(random, n), clwave::max,
                              reference::maximum<std::int16_t>, std::numeric_limits<std::int16_t>::min(),
                              std::int16_t(3), {}, 2, ways::two);
    check_scans<std::uint64_t>(
        on, reference::random_values<std::uint64_t>(random, n), clwave::bit_xor,
        [](std::uint64_t a, std::uint64_t b) { return a ^ b; }, std::uint64_t(0), std::uint64_t(5), {}, 0,
        ways::two);
    check_scans<float>(on, reference::random_values<float>(random, n, spice::nans), clwave::min,
                       reference::minimum<float>, std::numeric_limits<float>::infinity(), 0.25f, {}, 3,
                       ways::two);
    if (on.has_doubles())
      check_scans<double>(on, reference::random_values<double>(random, n, spice::finite), clwave::multiplies,
                          reference::wrapping_times<double>, 1.0, 0.5, {}, 0, ways::two);
  }
}

TEST_CASE("structures too large for registers") {
  fixture& on = default_fixture();
  random_engine random;
  const clwave::op add{
      .name = "add_each",
      .source = "added(a, b)",
      .identity = "nothing_of_nine()",
      .declarations =
          "wide_sum added(wide_sum a, wide_sum b) {\n"
          "  for (int k = 0; k < 9; ++k) a.words[k] += b.words[k] + (k == 8 ? a.words[0] : 0);\n"
          "  return a;\n}\n"
          "wide_sum nothing_of_nine(void) {\n"
          "  wide_sum all;\n"
          "  for (int k = 0; k < 9; ++k) all.words[k] = 0;\n"
          "  return all;\n}"};
  const auto added = [](wide_sum a, wide_sum b) {
    for (int k = 0; k < 9; ++k) a.words[k] += b.words[k] + (k == 8 ? a.words[0] : 0);
    return a;
  };
  for (const char* name : {"sm_90", "cpu"}) {
    CAPTURE(std::string(name));
    const environment forced("CLWAVE_PROFILE", name);
    std::vector<wide_sum> values(33000);
    for (wide_sum& value : values) {
      for (std::uint32_t& word : value.words) word = static_cast<std::uint32_t>(random());
    }
    check_scans<wide_sum>(on, values, add, added, wide_sum{}, values[5], {}, 0, ways::two);
  }
}

TEST_CASE("maps see each element and its index, and clwave's own convert") {
  fixture& on = default_fixture();
  std::vector<std::int32_t> values(20000);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<std::int32_t>(i * 7 % 13) - 6;
  const cl::Buffer in = on.buffer_of(values);
  const guarded_buffer<std::uint64_t> out(on, values.size());
  clwave::transform_inclusive_scan(on.queue, view<std::int32_t>{in, values.size()}, out.view(), clwave::plus,
                                   {.name = "index", .source = "x > 0 ? i : (ulong)0"})
      .wait();
  std::vector<std::uint64_t> expected;
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < values.size(); ++i) expected.push_back(sum += values[i] > 0 ? i : 0);
  check_same(out.read(), expected);
  clwave::transform_exclusive_scan(on.queue, view<std::int32_t>{in, values.size()}, out.view(), clwave::plus,
                                   clwave::square, {.start = 9u})
      .wait();
  sum = 9;
  for (std::size_t i = 0; i < values.size(); ++i) {
    expected[i] = sum;
    sum += static_cast<std::uint64_t>(values[i] * values[i]);
  }
  check_same(out.read(), expected);
  CHECK(out.guards_intact());
}

TEST_CASE("texts name values that come with each call") {
  fixture& on = default_fixture();
  std::vector<std::uint32_t> values(3000);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<std::uint32_t>(i * 5 % 17);
  const cl::Buffer in = on.buffer_of(values);
  const guarded_buffer<std::uint32_t> out(on, values.size());
  for (const std::uint32_t factor : {3u, 8u}) {
    const clwave::op most{.name = "most",
                          .source = "min(max(a, b), limit)",
                          .identity = "floor_of - 1",
                          .values = {{"limit", factor * 10}, {"floor_of", std::uint32_t{1}}}};
    const clwave::map times{.name = "times", .source = "x * factor", .values = {{"factor", factor}}};
    clwave::transform_exclusive_scan(on.queue, view<std::uint32_t>{in, values.size()}, out.view(), most,
                                     times)
        .wait();
    std::vector<std::uint32_t> expected = {0};
    std::uint32_t running = values[0] * factor;
    for (std::size_t i = 1; i < values.size(); ++i) {
      expected.push_back(running);
      running = std::min(std::max(running, values[i] * factor), factor * 10);
    }
    check_same(out.read(), expected);
  }
}

TEST_CASE("pieces cut at stretches and started with the last result give the bits of one call") {
  fixture& on = default_fixture();
  random_engine random;
  CAPTURE(random.note());
  const std::size_t stretch = std::size_t{1} << 20;
  const auto values = reference::random_values<float>(random, 3 * stretch + 5, spice::finite);
  const cl::Buffer in = on.buffer_of(values);
  const cl::Buffer whole = on.buffer_of(std::vector<float>(values.size()));
  const cl::Buffer parts = on.buffer_of(std::vector<float>(values.size()));
  clwave::inclusive_scan(on.queue, view<float>{in, values.size()}, view<float>{whole, values.size()}).wait();
  std::optional<float> start;
  for (const auto& [first, n] :
       {std::pair<std::size_t, std::size_t>{0, stretch}, {stretch, 2 * stretch}, {3 * stretch, 5}}) {
    clwave::inclusive_scan(on.queue, view<float>{in, n, first}, view<float>{parts, n, first}, clwave::plus,
                           {.start = start})
        .wait();
    start = on.read<float>(parts, 1, (first + n - 1) * sizeof(float)).front();
  }
  check_same(on.read<float>(parts, values.size()), on.read<float>(whole, values.size()));
}

TEST_CASE("sums of non-negative floats never fall") {
  fixture& on = default_fixture();
  random_engine random;
  CAPTURE(random.note());
  const std::size_t n = (std::size_t{1} << 21) + 3;
  for (const int kind : {0, 1, 2, 3}) {
    std::vector<float> values = reference::random_values<float>(random, n, spice::finite);
    for (float& value : values) {
      value = std::abs(value);
      if (kind == 0 && value > 1e30f) value = 0;                    // small values among large ones
      if (kind == 1) value = static_cast<float>(random() % 2);      // many zeros
      if (kind == 2) value = 1.0f + value * 1e-30f;                 // alike
      if (kind == 3) value = random() % 1000 == 0 ? 1e20f : 1e-3f;  // a few that hide all others
    }
    const cl::Buffer in = on.buffer_of(values);
    const cl::Buffer out = on.buffer_of(std::vector<float>(n));
    clwave::inclusive_scan(on.queue, view<float>{in, n}, view<float>{out, n}).wait();
    const auto results = on.read<float>(out, n);
    CAPTURE(kind);
    CHECK(std::is_sorted(results.begin(), results.end()));
  }
}

// OpenCL promises no progress between groups. Here some never say what they have found, or the last group
// is the first to start: the others must do without.
TEST_CASE("a scan ends with the right bits whoever keeps silent") {
  fixture on;
  random_engine random;
  CAPTURE(random.note());
  const auto values = reference::random_values<float>(random, 1500, spice::finite);
  const std::string post = "if (tiles > 1) post_message(message_of_tile(messages, tile)";
  for (const std::string silent : {"tile % 2 == 0", "tile + 1 < tiles", "true"}) {
    CAPTURE(silent);
    testing::with_changed_kernels(
        "primitives/scan.cl", post,
        "if (tiles > 1 && !(" + silent + ")) post_message(message_of_tile(messages, tile)", [&] {
          const fixture fresh;
          for (const char* name : {"sm_90", "cpu"}) {
            CAPTURE(std::string(name));
            const environment forced("CLWAVE_PROFILE", name);
            check_scans<float>(fresh, values, clwave::plus, plus<float>, 0.0f, 0.1f, small, 0, ways::two);
          }
        });
  }
  for (const char* name : {"sm_90", "cpu"}) {
    CAPTURE(std::string(name));
    const std::string number = std::string(name) == "cpu"
                                   ? "const uint tile = number;"
                                   : "const uint tile = get_group_id(0);\n#endif\n  scan_messages";
    const std::string reversed =
        std::string(name) == "cpu"
            ? "const uint tile = tiles - 1 - number;"
            : "const uint tile = tiles - 1 - get_group_id(0);\n#endif\n  scan_messages";
    testing::with_changed_kernels("primitives/scan.cl", number, reversed, [&] {
      const fixture fresh;
      const environment forced("CLWAVE_PROFILE", name);
      check_scans<float>(fresh, values, clwave::plus, plus<float>, 0.0f, 0.1f, small, 0, ways::two);
    });
  }
}

TEST_CASE("the ways: one pass where groups can send messages, three launches in place") {
  fixture& on = default_fixture();
  const clwave::element& f32 = clwave::element_of<float>();
  const clwave::plan_target target{.facts = &on.facts, .choice = clwave::choose_profile(on.facts)};
  clwave::scan_question question{.in = f32, .out = f32, .n = 1 << 20};
  if (target.choice.order != clwave::group_order::two_launches) {
    CHECK(clwave::plan(question, target).kernels.size() == 1);
    CHECK(clwave::plan(question, target).rejected.empty());
  }
  question.in_place = true;
  const clwave::call_plan in_place = clwave::plan(question, target);
  CHECK(in_place.kernels.size() == 3);
  CHECK(in_place.rejected.front().name == "one pass");
  // What the workspace may take: 64 bytes a tile and 4 KiB.
  for (const char* name : {"sm_90", "gfx90a", "cpu"}) {
    for (const std::uint64_t n : {std::uint64_t{1}, std::uint64_t{1} << 20, std::uint64_t{1} << 34}) {
      question = {.in = f32, .out = clwave::element_of<std::uint64_t>(), .n = n};
      const auto plan = clwave::plan(
          question, {.choice = clwave::choose_profile_for(name), .compute_units = 100, .with_source = false});
      CHECK(plan.workspace_bytes <= 64 * ((n + 16383) / 16384) + 4096);
    }
  }
}

TEST_CASE("no elements, events, and what is refused") {
  fixture& on = default_fixture();
  const std::vector<float> values(100, 1.0f);
  const cl::Buffer in = on.buffer_of(values);
  const cl::Buffer out = on.buffer_of(values);
  clwave::inclusive_scan(on.queue, view<float>{in, 0}, view<float>{out, 0}).wait();
  testing::gate gate(on);
  const clwave::event done = clwave::exclusive_scan(on.queue, view<float>{in, 100}, view<float>{out, 100},
                                                    clwave::plus, {.start = 2.0f}, {.after = {gate.event()}});
  on.queue.flush();
  CHECK(!done.done());
  gate.open();
  done.wait();
  CHECK(on.read<float>(out, 100).back() == 101.0f);

  const auto refused = [](auto call) {
    try {
      call();
    } catch (const clwave::error& e) {
      return e.kind() == clwave::failure::bad_call ? std::string(e.what()) : std::string("another kind");
    }
    return std::string("not refused");
  };
  const auto says = [](const std::string& text, const char* words) {
    return text.find(words) != std::string::npos;
  };
  CHECK(says(refused([&] {
               clwave::inclusive_scan(on.queue, view<float>{in, 100}, view<float>{out, 99});
             }),
             "the output 99"));
  CHECK(says(refused([&] {
               clwave::inclusive_scan(on.queue, view<float>{in, 99, 1}, view<float>{in, 99});
             }),
             "overlap"));
  CHECK(says(refused([&] {
               clwave::inclusive_scan(on.queue, view<float>{in, 100}, view<float>{out, 100}, clwave::bit_and);
             }),
             "integers"));
  CHECK(says(refused([&] {
               clwave::inclusive_scan(on.queue, view<float>{in, 10}, view<clwave::half>{out, 10});
             }),
             "accumulate in float"));
  const clwave::op no_identity{.name = "first", .source = "a", .identity = "", .commutative = false};
  CHECK(says(refused([&] {
               clwave::exclusive_scan(on.queue, view<float>{in, 10}, view<float>{out, 10}, no_identity);
             }),
             "no identity"));
  // With a start none is needed.
  clwave::exclusive_scan(on.queue, view<float>{in, 10}, view<float>{out, 10}, no_identity, {.start = 3.0f})
      .wait();
  CHECK(on.read<float>(out, 10) == std::vector<float>(10, 3.0f));
}

TEST_CASE("numbers of calls begin anew when all have been used") {
  fixture on;
  random_engine random;
  const auto values = reference::random_values<float>(random, 1000, spice::finite);
  // A block whose messages have the highest numbers, as after 2^32 calls.
  clwave::detail::call_site site = clwave::detail::site_of(on.queue(), "scan");
  check_scans<float>(on, values, clwave::plus, plus<float>, 0.0f, 0.1f, small);
  {
    clwave::detail::workspace work(site, 1 << 10, clwave::detail::workspace::kept_for::messages);
    work.set_call(0xffffffffu - 6);
    work.not_in_use();
  }
  for (int call = 0; call < 3; ++call)
    check_scans<float>(on, values, clwave::plus, plus<float>, 0.0f, 0.1f, small);
}
