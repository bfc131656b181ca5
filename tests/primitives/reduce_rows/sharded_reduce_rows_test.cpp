// Rows of matrices in sharded: cut anywhere, on devices of every kind, they have the bits of one call on one
// device.
#include <clwave/sharded_reduce_rows.hpp>

#include <chrono>
#include <cstdint>
#include <string>
#include <thread>
#include <vector>

#include <doctest/doctest.h>

#include <clwave/error.hpp>
#include <clwave/reduce_rows.hpp>

#include "distributed/cut_arrays.hpp"
#include "distributed/gated_shards.hpp"
#include "families/reductions.hpp"
#include "harness/captures.hpp"
#include "harness/devices.hpp"
#include "harness/emulated_rows.hpp"
#include "harness/quick.hpp"
#include "harness/reference.hpp"
#include "harness/refusals.hpp"

namespace testing::sharded_reduce_rows_test {
namespace {

using clwave::indexed;
using clwave::matrices;

const doctest::test_suite lanes("lanes");

// Cuts between rows and through them: of one row once and more than once, and one behind many empty shards.
std::vector<lengths> row_cuts(random_engine& random, u64 n, u64 columns, int random_ones) {
  std::vector<lengths> all = {{n}};
  if (n > columns) all.push_back({columns, n - columns});
  if (n > 3) {
    all.push_back({0, n - 1, 0, 0, 1, 0});
    all.push_back({1, 1, n - 2});
    all.push_back({n / 2 + 1, n - n / 2 - 1});
  }
  for (int k = 0; k < random_ones; ++k) all.push_back(random_cut(random, n, columns));
  return all;
}

// `fold(in, out, queue)` over the whole, and over shards, for every cut; the results come to one place, where
// none, some or all of the shards lie.
template <class Acc, class T, class Call>
void check_bits(random_engine& random, const std::vector<T>& values, const matrices& size, const T& poison,
                const Call& call, int random_cuts) {
  const std::size_t rows = size.rows * size.batch;
  CAPTURES(size.rows, size.columns);
  REQUIRE(values.size() == rows * size.columns);
  const fixture& on = *places()[0];
  const cl::Buffer whole = on.buffer_of(values);
  const guarded_buffer<Acc> one(on, rows);
  call(on.queue, view<T>{whole, values.size()}, one.view());
  on.queue.finish();
  const std::vector<Acc> expected = one.read();
  for (const lengths& cut : row_cuts(random, values.size(), size.columns, random_cuts)) {
    CAPTURE(text_of(cut));
    const cut_array<T> in(random, values, cut, poison);
    const fixture& there = *places()[random.below(places().size())];
    const guarded_buffer<Acc> results(there, rows);
    call(there.queue, in.array(), results.view());
    const std::vector<Acc> got = results.read();
    for (std::size_t r = 0; r < rows; ++r) {
      if (same_bits(got[r], expected[r])) continue;
      FAIL_CHECK("row " << r << " is " << show_bits(got[r]) << ", not " << show_bits(expected[r]));
      break;
    }
    CHECK(results.guards_intact());
    CHECK(in.intact());
  }
}

}  // namespace

TEST_CASE_FIXTURE(on_places, "sums of rows of floats, cut anywhere") {
  // Of rows of several tiles, the cut ones are put together from tiles and fragments.
  for (const matrices size : {matrices{.rows = 1, .columns = 24'581}, matrices{.rows = 5, .columns = 16'384},
                              matrices{.rows = 7, .columns = 1001, .batch = 3},
                              matrices{.rows = 500, .columns = 61}, matrices{.rows = 9000, .columns = 1}})
    check_bits<float>(
        random, random_values<float>(random, size.rows * size.batch * size.columns, spice::nans), size, 7.0f,
        [&](const auto& queue, const auto& in, const auto& out) {
          clwave::reduce_rows(queue, in, out, size);
        },
        quick() ? 3 : 10);
}

TEST_CASE_FIXTURE(on_places, "the least and the greatest of rows, of whole numbers and of halves") {
  const matrices size{.rows = 300, .columns = 127};
  check_bits<std::int16_t>(
      random, random_values<std::int16_t>(random, 300 * 127), size, std::int16_t{-32'768},
      [&](const auto& queue, const auto& in, const auto& out) {
        clwave::reduce_rows(queue, in, out, size, clwave::min);
      },
      quick() ? 3 : 10);
  check_bits<float>(
      random, random_values<half>(random, 300 * 127, spice::nans), size, half(65'504.0f),
      [&](const auto& queue, const auto& in, const auto& out) {
        clwave::reduce_rows(queue, in, out, size, clwave::max);
      },
      3);
}

TEST_CASE_FIXTURE(on_places, "an operator that does not commute sees each row in order") {
  for (const matrices size : {matrices{.rows = 3, .columns = 20'000}, matrices{.rows = 40, .columns = 333}})
    check_bits<affine>(
        random, random_affines(random, size.rows * size.columns), size, affine{2, 9},
        [&](const auto& queue, const auto& in, const auto& out) {
          clwave::reduce_rows(queue, in, out, size, then);
        },
        quick() ? 3 : 10);
}

TEST_CASE_FIXTURE(on_places, "a map sees an element's place in its row, and its value at run time") {
  const clwave::map weighed{.name = "weighed", .source = "x * (float)(i + 1) * by", .values = {{"by", 0.5f}}};
  for (const matrices size : {matrices{.rows = 2, .columns = 9000}, matrices{.rows = 50, .columns = 100}})
    check_bits<float>(
        random, random_values<float>(random, size.rows * size.columns), size, 1e30f,
        [&](const auto& queue, const auto& in, const auto& out) {
          clwave::transform_reduce_rows(queue, in, out, size, clwave::plus, weighed);
        },
        quick() ? 3 : 10);
}

TEST_CASE_FIXTURE(on_places, "argmin and argmax of rows in shards, with ties and NaN") {
  for (const matrices size : {matrices{.rows = 3, .columns = 16'500}, matrices{.rows = 64, .columns = 77}})
    for (int turn = 0; turn < 3; ++turn) {
      const auto values = values_with_ties(random, size.rows * size.columns, turn);
      check_bits<indexed<float>>(
          random, values, size, -9.0f,
          [&](const auto& queue, const auto& in, const auto& out) {
            clwave::argmin_rows(queue, in, out, size);
          },
          3);
      check_bits<indexed<float>>(
          random, values, size, 99.0f,
          [&](const auto& queue, const auto& in, const auto& out) {
            clwave::argmax_rows(queue, in, out, size);
          },
          3);
    }
}

TEST_CASE_FIXTURE(on_places, "every profile folds a shard" * lanes) {
  const matrices size{.rows = 40, .columns = 1000};
  const auto values = random_values<float>(random, 40'000);
  std::vector<float> expected;
  for_each_profile([&](const clwave::profile& row) {
    CAPTURE(std::string(row.name));
    if (!takes_row(default_fixture(), random, std::string(row.name))) return;
    const cut_array<float> in(random, values, {17'300, 20'003, 2'697}, 5.0f);
    const guarded_buffer<float> sums(*places()[2], 40);
    clwave::reduce_rows(places()[2]->queue, in.array(), sums.view(), size);
    const std::vector<float> got = sums.read();
    if (expected.empty()) expected = got;
    CHECK(got == expected);
  });
}

TEST_CASE_FIXTURE(on_places, "no rows, and rows without elements, in shards") {
  const cl::Buffer x = on.buffer_of(std::vector<float>(10, 3.0f)),
                   y = far.buffer_of(std::vector<float>(10, 3.0f));
  cl::UserEvent early(on.context);
  early.setStatus(CL_COMPLETE);
  const sharded<float> none{{on.queue, view<float>{x, 0}, {early}}, {far.queue, view<float>{y, 0}}};
  const guarded_buffer<float> sums(far, 4);
  clwave::reduce_rows(far.queue, none, sums.view(), {.rows = 4, .columns = 0});
  CHECK(sums.read() == std::vector<float>(4));
  const guarded_buffer<float> untouched(far, 4);
  const std::vector<float> before = untouched.read();
  clwave::reduce_rows(far.queue, none, untouched.view(), {.rows = 0, .columns = 7});
  CHECK(same_bits(untouched.read()[0], before[0]));
  refuses("argmin", [&] {
    const guarded_buffer<indexed<float>> found(far, 4);
    clwave::argmin_rows(far.queue, none, found.view(), {.rows = 4, .columns = 0});
  });
}

TEST_CASE("what rows of shards wait for, on queues of every kind") {
  const std::vector<float> values(15'000, 1.0f);
  for (const auto kind : kinds_of_queue(*places()[0]))
    for (const bool alone : {false, true}) {
      const auto sums = results_behind_gates<float>(
          kind, alone, values,
          [](const auto& queue, const auto& in, const auto& out, const cl::Event& cleared) {
            clwave::reduce_rows(queue, in, out, {.rows = 3, .columns = 10'000}, clwave::plus,
                                {.after = {cleared}});
          });
      CHECK(sums == std::vector<float>{10'000, 10'000, 10'000});
    }
}

TEST_CASE_FIXTURE(on_places, "wrong rows of shards are refused, by number and device") {
  const cl::Buffer x = on.buffer_of(std::vector<u32>(100, 1)), y = far.buffer_of(std::vector<u32>(100, 1));
  const guarded_buffer<u32> sums(on, 20);
  using words = sharded<std::uint32_t>;
  using of = view<std::uint32_t>;
  const matrices size{.rows = 20, .columns = 10};
  const auto fold = [&](const words& in) { clwave::reduce_rows(on.queue, in, sums.view(), size); };
  const words good{{on.queue, of{x, 95}}, {on.queue, of{x, 5, 95}}, {far.queue, of{y, 100}}};
  fold(good);
  CHECK(sums.read() == std::vector<u32>(20, 10));
  const std::vector<u32> before = sums.read();

  check_refused_shards(x, y, fold);
  refuses("all shards together have 100 elements, 20 rows of 10 have 200", [&] {
    fold(words{{on.queue, of{x, 100}}});
  });
  refuses("the output belongs to another context",
          [&] { clwave::reduce_rows(far.queue, good, sums.view(), size); });
  refuses("the queue is null",
          [&] { clwave::reduce_rows(cl_command_queue{nullptr}, good, sums.view(), size); });
  refuses("the call needs", [&] { clwave::reduce_rows(on.queue, good, sums.view().subview(0, 19), size); });
  refuses("shard 1 of 3: the input and the output overlap", [&] {
    clwave::reduce_rows(on.queue, good, of{x, 20, 75}, size);
  });
  refuses("shard 1 of 3: the input and the output overlap", [&] {
    clwave::reduce_rows(on.queue, good, of{x, 20}, size);
  });
  cl::UserEvent foreign(far.context);
  foreign.setStatus(CL_COMPLETE);
  refuses("an event to wait for belongs to another context", [&] {
    clwave::reduce_rows(on.queue, good, sums.view(), size, clwave::plus, {.after = {foreign}});
  });
  CHECK(sums.read() == before);
}

}  // namespace testing::sharded_reduce_rows_test
