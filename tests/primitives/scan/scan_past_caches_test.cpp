// Scans of a CPU that store past its caches: few groups take one tile after the other, and fold the next one
// while they store the results of one.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <clwave/error.hpp>
#include <clwave/scan.hpp>

#include "families/scans.hpp"
#include "harness/changed_kernels.hpp"
#include "harness/past_caches.hpp"
#include "harness/reference.hpp"
#include "primitives/scan.hpp"

namespace testing::scan_past_caches_test {
namespace {

using clwave::detail::scan_sizes;
using clwave::detail::scan_way;

constexpr unsigned groups_of_unit = 4;

// Tiles of 4096 elements, whose blocks are taken in turn, and of 1024, which are one block; stretches in
// which a group takes several tiles, and such in which it takes one or two.
constexpr scan_sizes in_turn = {.blocks = 4, .tiles = 8};
constexpr scan_sizes one_by_one = {.blocks = 1, .tiles = 2};

// Both kinds on a device of one compute unit, so that there are more tiles than groups.
template <class Acc, class T>
void check_past_caches(const fixture& on, const std::vector<T>& values,
                       std::optional<scan_sizes> sizes = {}) {
  const std::size_t n = values.size();
  CAPTURE(n);
  const past_caches there(on.queue, "scan", 1);
  const cl::Buffer in = on.buffer_of(values);
  for (const bool exclusive : {false, true}) {
    CAPTURE(exclusive);
    const guarded_buffer<Acc> out(on, n);
    const clwave::scan_problem problem{.in = {element_of<T>(), n},
                                       .out = {element_of<Acc>(), n, out.view().offset()},
                                       .exclusive = exclusive,
                                       .sizes = sizes};
    const auto described = there.described(problem);
    CHECK(described.variant.way == scan_way::streaming);
    const std::size_t tile = sizes.value_or(scan_sizes::of_results_of(sizeof(Acc))).tile();
    CHECK(described.work.launches.front().groups ==
          std::min<std::size_t>((n + tile - 1) / tile, groups_of_unit));
    there.call(problem, std::array<cl_mem, 2>{in(), out.buffer()()}).wait();
    check_same(out.read(), made_canonical(reference::scan_reference<Acc>(
                               n, [&](std::size_t i) { return static_cast<Acc>(values[i]); }, plus<Acc>,
                               exclusive, std::optional<Acc>(), Acc(0), sizes)));
    CHECK(out.guards_intact());
  }
}

// Calls of sums of ones, whose results are known, each with an output of its own.
struct sums_of_ones {
  static constexpr std::size_t n = 21 * 4096 + 77;

  explicit sums_of_ones(const fixture& on) : on(on), in(on.buffer_of(std::vector<std::uint32_t>(n, 1))) {}

  clwave::event add(const past_caches& there, std::span<const cl_event> after = {}) {
    outputs.push_back(on.buffer_of(std::vector<std::uint32_t>(n)));
    const element& u32 = element_of<std::uint32_t>();
    return there.call(clwave::scan_problem{.in = {u32, n}, .out = {u32, n}, .sizes = in_turn},
                      std::array<cl_mem, 2>{in(), outputs.back()()}, after);
  }

  // Of the output `k`, behind the end of its call.
  std::size_t wrong(std::size_t k) const {
    const auto got = on.read<std::uint32_t>(outputs[k], n);
    std::size_t count = 0;
    for (std::size_t i = 0; i < n; ++i) count += got[i] != i + 1;
    return count;
  }

  const fixture& on;
  cl::Buffer in;
  std::vector<cl::Buffer> outputs;
};

}  // namespace

TEST_CASE_FIXTURE(on_device, "results that are stored past the caches have the reference's bits") {
  const auto floats = [&](std::size_t n) { return reference::random_values<float>(random, n, spice::nans); };
  // The last tile is short, whole, and the only one of all.
  for (const std::size_t n : {1u, 1024u, 16384u, 5u * 16384 + 1029, 7u * 16384, 66u * 16384 + 1})
    check_past_caches<float>(on, floats(n));
  for (const std::size_t n : {4096u, 4097u, 23u * 4096, 40u * 4096 + 1029})
    check_past_caches<float>(on, floats(n), in_turn);
  check_past_caches<float>(on, floats(9 * 1024 + 5), one_by_one);
  check_past_caches<std::uint32_t>(on, reference::random_values<std::uint8_t>(random, 140000));
  if (on.has_doubles())
    check_past_caches<double>(on, reference::random_values<double>(random, 140000, spice::nans));
}

// A group that has taken its next tile has not folded it yet: others may have to do without for long.
TEST_CASE(
    "scans past the caches end with the right bits whoever keeps silent, is late or begins with the last "
    "tile") {
  random_engine random;
  const auto values = reference::random_values<float>(random, 13 * 4096 + 500, spice::finite);
  const auto check = [&](const std::string& old_text, const std::string& new_text) {
    CAPTURE(new_text);
    with_changed_kernels("primitives/scan_one_pass.cl", old_text, new_text, [&] {
      const fixture fresh;
      check_past_caches<float>(fresh, values, in_turn);
    });
  };
  const std::string post = "if (tiles > 1) post_message(message_of_tile(messages, tile)";
  for (const std::string silent : {"tile % 2 == 0", "true"})
    check(post, "if (tiles > 1 && !(" + silent + ")) post_message(message_of_tile(messages, tile)");
  const std::string takes =
      "return take_number((__global uint *)(workspace + COUNTER_AT), scan_numbers(tiles));";
  check(takes,
        "const uint taken = take_number((__global uint *)(workspace + COUNTER_AT), scan_numbers(tiles));\n"
        "  return taken < tiles ? tiles - 1 - taken : taken;");
  // Those that wait give up long before.
  check(takes,
        "const uint taken = take_number((__global uint *)(workspace + COUNTER_AT), scan_numbers(tiles));\n"
        "  if (taken % 3 == 1) for (volatile uint spin = 0; spin < 10000000; ++spin) {}\n"
        "  return taken;");
}

// The counter of tiles is what one call leaves to the next.
TEST_CASE("scans past the caches in a row, in two queues at once and after one that failed") {
  const fixture on;
  const cl::CommandQueue other = on.new_queue();
  sums_of_ones sums(on);
  const past_caches here(on.queue, "scan", 1), there(other, "scan", 2);
  std::vector<clwave::event> done;
  for (int k = 0; k < 6; ++k) {
    done.push_back(sums.add(here));
    done.push_back(sums.add(there));
  }
  on.queue.flush();
  other.flush();
  for (clwave::event& each : done) each.wait();
  for (std::size_t k = 0; k < sums.outputs.size(); ++k) CHECK(sums.wrong(k) == 0);

  cl::UserEvent bad(on.context);
  const cl_event before = bad();
  clwave::event fails = sums.add(there, {&before, 1});
  other.flush();
  bad.setStatus(-5);
  CHECK_THROWS_AS(fails.wait(), clwave::error);
  for (int k = 0; k < 3; ++k) {
    sums.add(here).wait();
    CHECK(sums.wrong(sums.outputs.size() - 1) == 0);
  }
}

}  // namespace testing::scan_past_caches_test
