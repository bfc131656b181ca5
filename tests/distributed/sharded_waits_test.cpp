// What calls on shards wait for: what is given with each array, and where nothing is, what its queue held.
#include <clwave/sharded.hpp>

#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include "distributed/sharded_calls.hpp"
#include "harness/devices.hpp"
#include "harness/quick.hpp"
#include "harness/reference.hpp"

namespace testing::sharded_waits_test {
namespace {

// A shard's place: elements on a queue of a device's.
struct shard_place {
  const fixture* on;
  cl::CommandQueue queue;
  std::size_t n;
};

// An array in shards that are written once gates are open, by their own queues or by others, whose events
// are then given with the shards. A queue may be of any kind.
class gated_array {
 public:
  gated_array(const std::vector<shard_place>& places, const numbers& before, const numbers& then,
              bool by_events) {
    std::size_t begin = 0;
    for (const shard_place& each : places) {
      if (!gates_.contains(each.on)) gates_.try_emplace(each.on, *each.on);
      const auto shard = [&](const numbers& whole) {
        return numbers(whole.begin() + static_cast<std::ptrdiff_t>(begin),
                       whole.begin() + static_cast<std::ptrdiff_t>(begin + each.n));
      };
      const cl::Buffer& buffer = buffers_.emplace_back(each.on->buffer_of(shard(before)));
      clwave::wait_list after;
      if (each.n > 0) {
        const cl::CommandQueue writer = by_events ? each.on->new_queue() : each.queue;
        const std::vector<cl::Event> shut{gates_.at(each.on).event()};
        const numbers values = shard(then);
        written_.push_back(
            each.on->write_after(writer, buffer, values.data(), each.n * sizeof(number), shut));
        clwave::detail::check(writer.flush(), "flush");
        if (by_events) after.add(written_.back()());
      }
      shards_.emplace_back(each.queue, clwave::view<number>{buffer, each.n}, after);
      places_.push_back(each);
      begin += each.n;
    }
  }
  ~gated_array() {
    open();
    for (const cl::Event& each : written_) each.wait();
  }
  gated_array(const gated_array&) = delete;
  gated_array& operator=(const gated_array&) = delete;

  void open() {
    for (auto& [on, each] : gates_) each.open();
  }
  const shards_of_numbers& shards() const { return shards_; }
  cl_mem buffer() const { return buffers_[0](); }
  clwave::wait_list after() const { return shards_[0].erased.after; }
  // What it holds at last.
  numbers read() const {
    for (const cl::Event& each : written_) each.wait();
    numbers all;
    for (std::size_t k = 0; k < places_.size(); ++k) {
      const auto own = places_[k].on->read<number>(buffers_[k], places_[k].n);
      all.insert(all.end(), own.begin(), own.end());
    }
    return all;
  }

 private:
  std::map<const fixture*, gate> gates_;
  std::deque<cl::Buffer> buffers_;
  std::vector<cl::Event> written_;
  shards_of_numbers shards_;
  std::vector<shard_place> places_;
};

// How an array lies: in shards of these lengths, by turns on so many queues, which are by turns those of so
// many contexts.
struct lying {
  std::string name;
  std::vector<std::size_t> lengths;
  std::size_t queues, contexts;
};

const std::vector<lying>& ways_to_lie() {
  static const auto& all = *new std::vector<lying>{
      {"in one shard", {many_numbers}, 1, 1},
      {"in one shard, among empty ones", {0, many_numbers, 0}, 2, 1},
      {"in two shards on one queue", {25'001, 14'999}, 1, 1},
      {"in three shards on two queues", {11'111, 20'002, 8'887}, 2, 1},
      {"in four shards in two contexts, one empty", {9'001, 0, 17'000, 13'999}, 3, 2},
  };
  return all;
}

const std::vector<const fixture*>& two_contexts() {
  static const fixture here, there;
  static const auto& both = *new std::vector<const fixture*>{&here, &there};
  return both;
}

bool is_in_order(cl_command_queue_properties kind) {
  return (kind & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE) == 0;
}

// One of each order, with profiling or without.
std::vector<cl_command_queue_properties> some_kinds_of_queue(reference::random_engine& random) {
  std::vector<cl_command_queue_properties> kinds = orders_of_queue(*two_contexts()[0]);
  for (auto& each : kinds)
    if (random.below(2) == 0) each |= CL_QUEUE_PROFILING_ENABLE;
  return kinds;
}

// Elements below end_of_numbers.
numbers random_numbers(reference::random_engine& random, std::size_t n) {
  numbers all(n);
  for (number& each : all) each = static_cast<number>(random.below(end_of_numbers));
  return all;
}

// One call of which every array is about to be written, and one of them last.
struct gated_call {
  const sharded_call_case& what;
  const lying& lies;
  cl_command_queue_properties kind;
  bool results_elsewhere;  // on a queue of no shard
  unsigned by_events;      // which arrays come with events, a bit for each
  std::size_t last;        // which is written last
};

std::size_t arrays_of(const sharded_call_case& what) {
  const bool own_output = what.output == sharded_output::cut_alike || what.output == sharded_output::together;
  return what.inputs + (own_output ? 1 : 0);
}

void check_call(reference::random_engine& random, const gated_call& of) {
  const sharded_call_case& what = of.what;
  std::vector<cl::CommandQueue> queues;
  std::vector<const fixture*> contexts;
  for (std::size_t k = 0; k < of.lies.queues; ++k) {
    contexts.push_back(two_contexts()[k % of.lies.contexts]);
    queues.push_back(contexts.back()->new_queue(of.kind));
  }
  std::vector<shard_place> places;
  for (std::size_t k = 0; k < of.lies.lengths.size(); ++k)
    places.push_back({contexts[k % queues.size()], queues[k % queues.size()], of.lies.lengths[k]});
  const auto comes_with_events = [&](std::size_t array) { return (of.by_events >> array & 1) != 0; };

  std::deque<gated_array> arrays;
  std::vector<numbers> inputs(2);
  sharded_arrays given;
  for (std::size_t k = 0; k < what.inputs; ++k) {
    inputs[k] = random_numbers(random, many_numbers);
    arrays.emplace_back(places, numbers(many_numbers, 1), inputs[k], comes_with_events(k));
    given.in.push_back(arrays.back().shards());
  }
  if (what.output == sharded_output::cut_alike) {
    // What would be written over the results.
    arrays.emplace_back(places, numbers(many_numbers), numbers(many_numbers, 77),
                        comes_with_events(what.inputs));
    given.out = arrays.back().shards();
  }
  if (what.output == sharded_output::together) {
    // The first queue's device has the results, whether it has elements or not.
    const cl::CommandQueue queue = of.results_elsewhere ? contexts[0]->new_queue(of.kind) : queues[0];
    arrays.emplace_back(std::vector<shard_place>{{contexts[0], queue, what.result_numbers}},
                        numbers(what.result_numbers), numbers(what.result_numbers, 77),
                        comes_with_events(what.inputs));
    given.queue = queue();
    given.results = arrays.back().buffer();
    given.after = arrays.back().after();
  }
  for (std::size_t k = 0; k < arrays.size(); ++k)
    if (k != of.last) arrays[k].open();
  numbers got;
  CHECK_FALSE(comes_back_before([&] { arrays[of.last].open(); }, [&] { got = what.call(given); }));
  if (what.output != sharded_output::returned)
    got = (what.output == sharded_output::in_place ? arrays.front() : arrays.back()).read();
  CHECK(are_as_expected(got, what.expected(inputs[0], inputs[1])));
}

// Calls `check` for every call, once its programs are there: a first call's compiler would hide that it does
// not wait.
template <class Check>
void for_each_call(reference::random_engine& random, const Check& check) {
  for (const sharded_call_case& what : sharded_call_cases()) {
    CAPTURE(what.name);
    for (const lying& lies : ways_to_lie()) {
      CAPTURE(lies.name);
      for (std::size_t turn = 0; turn < 2; ++turn)
        check_call(random, {what, lies, CL_QUEUE_PROFILING_ENABLE, false, 0, turn % arrays_of(what)});
      check(what, lies);
    }
  }
}

}  // namespace

TEST_CASE("calls on shards wait for what each array is given, or for what its queue held") {
  reference::random_engine random;
  CAPTURE(random.note());
  sample some(4);
  for_each_call(random, [&](const sharded_call_case& what, const lying& lies) {
    for (const auto kind : some_kinds_of_queue(random)) {
      CAPTURE(kind);
      // An in-order queue's order holds with events and without.
      const unsigned end = is_in_order(kind) ? 1 : 1u << arrays_of(what);
      for (unsigned by_events = 0; by_events < end; ++by_events) {
        CAPTURE(by_events);
        for (std::size_t last = 0; last < arrays_of(what); ++last) {
          CAPTURE(last);
          const bool elsewhere = what.output == sharded_output::together && random.below(2) == 0;
          CAPTURE(elsewhere);
          if (some.takes_next()) check_call(random, {what, lies, kind, elsewhere, by_events, last});
        }
      }
    }
  });
}

}  // namespace testing::sharded_waits_test
