// Calls on shards, over ranks and on arrays of the host build all their programs before they enqueue or read
// anything: what does not build is not begun.
#include <clwave/sharded.hpp>

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <clwave/host_array.hpp>
#include <clwave/ranks.hpp>

#include "distributed/sharded_calls.hpp"
#include "harness/captures.hpp"
#include "harness/devices.hpp"
#include "harness/quick.hpp"
#include "harness/recorder.hpp"

#if __has_include(<clwave/host_array_scan.hpp>)
#include <clwave/host_array_scan.hpp>
#define HOST_ARRAYS_ARE_SCANNED
#endif
#if __has_include(<clwave/host_array_histogram.hpp>)
#include <clwave/host_array_histogram.hpp>
#define HOST_ARRAYS_ARE_COUNTED
#endif

namespace testing::sharded_programs_test {
namespace {

// Elements of an array of the host.
constexpr std::size_t n = 700'001;

std::size_t count_builds(const std::vector<recorder::step>& steps) {
  return static_cast<std::size_t>(std::ranges::count_if(steps, &recorder::step::builds));
}

// How many programs were built after a command was enqueued: to any queue, or, `by_context`, to one of the
// program's own context.
std::size_t late_builds(const std::vector<recorder::step>& steps, bool by_context) {
  std::set<cl_context> begun;
  std::size_t late = 0;
  for (const recorder::step& each : steps) {
    if (!each.builds)
      begun.insert(each.context);
    else if (by_context ? begun.contains(each.context) : !begun.empty())
      ++late;
  }
  return late;
}

// Of those, so that nothing in them is built.
struct fresh_places {
  std::array<fixture, 3> contexts;

  shards_of_numbers shards(const std::vector<std::size_t>& lengths, const numbers& values,
                           std::vector<cl::Buffer>& buffers) const {
    shards_of_numbers all;
    std::size_t begin = 0;
    for (std::size_t k = 0; k < lengths.size(); ++k) {
      const fixture& on = contexts[k % contexts.size()];
      const auto first = values.begin() + static_cast<std::ptrdiff_t>(begin);
      buffers.push_back(on.buffer_of(numbers(first, first + static_cast<std::ptrdiff_t>(lengths[k]))));
      all.emplace_back(on.queue, clwave::view<number>{buffers.back(), lengths[k]});
      begin += lengths[k];
    }
    return all;
  }
};

// What every process does once goes first.
void know_the_device() {
  const fixture on;
  const cl::Buffer x = on.buffer_of(numbers(10, 1));
  CHECK(clwave::reduce(on.queue, clwave::view<number>{x, 10}) == 10);
}

}  // namespace

TEST_CASE("a call on shards builds its programs before it enqueues anything") {
  know_the_device();
  const numbers ones(many_numbers, 1);
  // A GPU's compiler takes longer than all else here. One of 4: no call has the same lengths each time.
  sample some(quickest() ? 4 : 2);
  for (const sharded_call_case& what : sharded_call_cases()) {
    CAPTURE(what.name);
    for (const std::vector<std::size_t>& lengths : std::vector<std::vector<std::size_t>>{
             {many_numbers}, {8192, 2 * 8192, many_numbers - 3 * 8192}, {9'001, 17'000, 13'999}}) {
      if (!some.takes_next()) continue;
      CAPTURES(lengths.size(), lengths[0]);
      const fresh_places on;
      std::vector<cl::Buffer> buffers;
      sharded_arrays given;
      for (std::size_t k = 0; k < what.inputs; ++k) given.in.push_back(on.shards(lengths, ones, buffers));
      given.out = on.shards(lengths, ones, buffers);
      const cl::Buffer results = on.contexts[0].buffer_of(numbers(what.result_numbers + 1));
      given.queue = on.contexts[0].queue();
      given.results = results();
      const recorder::queue_watch watch;
      what.call(given);
      const auto steps = watch.steps();
      CHECK(count_builds(steps) > 0);
      // A rank does not wait for the others to have built theirs.
      CHECK(late_builds(steps, what.name.find("ranks") != std::string::npos) == 0);
    }
  }
}

// Small tiles, so that there are levels between that of tiles and the result.
TEST_CASE("a reduction over ranks builds the programs of all levels before it enqueues anything") {
  const clwave::detail::fold_sizes sizes{.tile = 128, .accumulators = 64};
  const numbers ones(many_numbers, 1);
  for (const clwave::op& fold :
       {clwave::plus, clwave::op{.name = "first", .source = "a", .commutative = false}}) {
    CAPTURE(fold.name);
    const fresh_places on;
    std::vector<cl::Buffer> buffers;
    const shards_of_numbers shards = on.shards({16'389, 20'001, 3'610}, ones, buffers);
    mailbox box(3);
    std::array<number, 3> got{};
    const recorder::queue_watch watch;
    const auto thrown = on_ranks(box, [&](clwave::ranks& all) {
      const auto own = all_of({shards[all.rank()]});
      const launch_options options;
      auto call = clwave::detail::call_of_sharded<number>(own, fold, clwave::identity, options);
      call.sizes = sizes;
      clwave::detail::reduce_ranks(all, call, &got[all.rank()]);
    });
    for (const std::string& each : thrown) CHECK(each == "");
    const number expected = fold.commutative ? static_cast<number>(many_numbers) : 1;
    CHECK(got == std::array{expected, expected, expected});
    const auto steps = watch.steps();
    CHECK(count_builds(steps) > 3);
    CHECK(late_builds(steps, true) == 0);
  }
}

TEST_CASE("a call on an array of the host builds its programs before it reads or enqueues anything") {
  know_the_device();
  using array = clwave::host_array<number>;
  struct host_reduce_problem {
    std::string name;
    std::function<void(const clwave::queues& over, const array& in)> call;
  };
  std::vector<host_reduce_problem> calls{
      {"reduce", [](const auto& over, const array& in) { CHECK(clwave::reduce(over, in) == n); }},
      {"dot", [](const auto& over, const array& in) { CHECK(clwave::dot(over, in, in) == n); }},
      {"argmin", [](const auto& over, const array& in) { CHECK(clwave::argmin(over, in).index == 0); }},
  };
#ifdef HOST_ARRAYS_ARE_SCANNED
  calls.push_back({"inclusive_scan", [](const auto& over, const array& in) {
                     numbers out(n);
                     clwave::inclusive_scan(over, in, clwave::host_output(out));
                     CHECK(out.back() == n);
                   }});
#endif
#ifdef HOST_ARRAYS_ARE_COUNTED
  calls.push_back({"histogram", [](const auto& over, const array& in) {
                     numbers counts(4);
                     clwave::histogram(over, in, counts, clwave::even{0, 4});
                     CHECK(counts[1] == n);
                   }});
#endif
  for (const host_reduce_problem& each : calls) {
    CAPTURE(each.name);
    const fresh_places on;
    const recorder::queue_watch watch;
    std::mutex mutex;
    std::optional<std::size_t> built;  // when the array was read first
    const array in(n, [&](u64, std::span<number> into) {
      std::ranges::fill(into, 1);
      const std::lock_guard lock(mutex);
      if (!built) built = count_builds(watch.steps());
    });
    each.call({on.contexts[0].queue, on.contexts[1].queue}, in);
    const auto steps = watch.steps();
    CHECK(count_builds(steps) > 0);
    CHECK(built == count_builds(steps));
    CHECK(late_builds(steps, false) == 0);
  }
}

}  // namespace testing::sharded_programs_test

#undef HOST_ARRAYS_ARE_SCANNED
#undef HOST_ARRAYS_ARE_COUNTED
