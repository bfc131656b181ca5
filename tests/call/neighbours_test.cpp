// Neighbours: the handles of OpenCL itself, CLHPP's objects and Boost.Compute's, in every place of a call.
#include <algorithm>
#include <cstdint>
#include <numeric>
#include <type_traits>
#include <vector>

// Before CLHPP: both want to be first to say which OpenCL there is.
#include <boost/compute/buffer.hpp>
#include <boost/compute/command_queue.hpp>
#include <boost/compute/container/vector.hpp>
#include <boost/compute/event.hpp>
#include <boost/compute/user_event.hpp>
#include <boost/compute/utility/wait_list.hpp>

#include <doctest/doctest.h>

#include <clwave.hpp>

#include "harness/devices.hpp"

namespace testing::neighbours_test {
namespace {

namespace compute = boost::compute;

// What is accepted, and what is not, without a device.
static_assert(clwave::queue_like<cl_command_queue>);
static_assert(clwave::queue_like<cl::CommandQueue>);
static_assert(clwave::queue_like<compute::command_queue>);
static_assert(clwave::buffer_like<cl_mem>);
static_assert(clwave::buffer_like<cl::Buffer>);
static_assert(clwave::buffer_like<compute::buffer>);
static_assert(clwave::event_like<cl_event>);
static_assert(clwave::event_like<cl::Event>);
static_assert(clwave::event_like<cl::UserEvent>);
static_assert(clwave::event_like<compute::event>);
static_assert(clwave::event_like<clwave::event>);
static_assert(!clwave::queue_like<cl::Buffer>);
static_assert(!clwave::buffer_like<cl::CommandQueue>);
static_assert(!clwave::buffer_like<compute::command_queue>);
static_assert(!clwave::event_like<int>);
static_assert(!clwave::buffer_like<std::vector<int>>);
static_assert(clwave::viewable<compute::vector<float>>);
static_assert(clwave::viewable<view<float>>);
static_assert(!clwave::viewable<std::vector<float>>);
static_assert(!clwave::viewable<cl::Buffer>);
static_assert(std::is_same_v<clwave::viewed<compute::vector<double>>, double>);

constexpr std::size_t n = 10000;
const std::vector<u32>& numbers() {
  static const std::vector<u32> values = [] {
    std::vector<u32> v(n);
    std::iota(v.begin(), v.end(), 1);
    return v;
  }();
  return values;
}
constexpr u32 total = n * (n + 1) / 2;

// The fixture's context and queue as Boost.Compute's.
struct boosted {
  fixture& on = default_fixture();
  compute::context context{on.context()};
  compute::command_queue queue{on.queue()};
};

TEST_CASE_FIXTURE(on_device, "handles of OpenCL itself") {
  const cl::Buffer owner = on.buffer_of(numbers());
  const cl_command_queue queue = on.queue();
  const cl_mem buffer = owner();
  guarded_buffer<u32> out(on, 1);
  const cl_mem target = out.buffer()();
  CHECK(clwave::reduce(queue, view<u32>{buffer, n}) == total);
  const clwave::event first = clwave::reduce(queue, view<u32>{buffer, n}, view<u32>{target, 1, 128});
  const cl_event handle = first.get();
  clwave::reduce(queue, view<u32>{buffer, 4}, view<u32>{target, 1, 128}, clwave::plus, {.after = {handle}})
      .wait();
  CHECK(out.first() == 10);
}

TEST_CASE_FIXTURE(on_device, "objects of CLHPP") {
  const cl::CommandQueue queue = on.new_queue();
  const cl::Buffer buffer = on.buffer_of(numbers());
  guarded_buffer<u32> out(on, 2);
  CHECK(clwave::reduce(queue, view<u32>{buffer, n}) == total);

  cl::UserEvent first(on.context);
  cl::Event second;
  const std::vector<cl::Event> gate{first};
  REQUIRE(queue.enqueueMarkerWithWaitList(&gate, &second) == CL_SUCCESS);
  const std::vector<cl::Event> both{first, second};
  const clwave::event by_list =
      clwave::reduce(on.queue, view<u32>{buffer, n}, out.view(), clwave::plus, {.after = both});
  const clwave::event by_braces =
      clwave::reduce(on.queue, view<u32>{buffer, n - 1, 1}, out.view().subview(1, 1), clwave::plus,
                     {.after = {first, second, by_list}});
  queue.flush();
  on.queue.flush();
  CHECK_FALSE(by_list.done());
  CHECK_FALSE(by_braces.done());
  first.setStatus(CL_COMPLETE);
  by_braces.wait();
  CHECK(by_list.done());
  CHECK(out.read_guarded() == std::vector<u32>{total, total - 1});

  // An event of clwave as CLHPP's.
  const cl::Event theirs(by_braces.get(), true);
  CHECK(theirs.getInfo<CL_EVENT_COMMAND_EXECUTION_STATUS>() == CL_COMPLETE);
  // An empty one of theirs is no event.
  CHECK(clwave::wait_list{cl::Event()}.handles().empty());
}

TEST_CASE("containers and iterators of Boost.Compute") {
  boosted b;
  const compute::vector<u32> values(numbers().begin(), numbers().end(), b.queue);
  CHECK(clwave::reduce(b.queue, values) == total);  // a range is a view of itself
  CHECK(clwave::reduce(b.queue, view(values)) == total);
  CHECK(clwave::reduce(b.queue, view(values.begin(), values.end())) == total);
  CHECK(clwave::reduce(b.queue, view(values.begin() + 1, values.begin() + 4)) == 2 + 3 + 4);
  CHECK(clwave::reduce(b.queue, view(values.begin() + 3, values.begin() + 3)) == 0);
  CHECK(clwave::reduce(b.queue, view<u32>(values.get_buffer(), 2, 5)) == 6 + 7);
  CHECK(clwave::reduce<u64>(b.queue, values, clwave::max) == n);
  CHECK(clwave::argmax(b.queue, values).index == n - 1);
  CHECK(clwave::dot<u64>(b.queue, values, view(values.begin(), values.end())) ==
        u64{n} * (n + 1) * (2 * n + 1) / 6);
  CHECK(clwave::transform_reduce(b.queue, values, clwave::plus, clwave::square) ==
        static_cast<u32>(u64{n} * (n + 1) * (2 * n + 1) / 6));

  // One that owns more than it holds: its size counts, not its buffer's.
  compute::vector<u32> grown(b.context);
  grown.reserve(100, b.queue);
  for (const u32 v : {7u, 8u, 9u}) grown.push_back(v, b.queue);
  CHECK(clwave::reduce(b.queue, grown) == 24);
  CHECK(clwave::reduce(b.queue, compute::vector<u32>(b.context)) == 0);

  compute::vector<u32> out(3, b.context);
  compute::fill(out.begin(), out.end(), 42u, b.queue);
  clwave::reduce(b.queue, values, view(out.begin() + 1, out.end())).wait();
  std::vector<u32> back(3);
  compute::copy(out.begin(), out.end(), back.begin(), b.queue);
  CHECK(back == std::vector<u32>{42, total, 42});
  clwave::reduce(b.queue, view(values.begin(), values.begin() + 2), out).wait();
  compute::copy(out.begin(), out.end(), back.begin(), b.queue);
  CHECK(back == std::vector<u32>{3, total, 42});
}

TEST_CASE("queues, buffers and events of Boost.Compute") {
  boosted b;
  compute::command_queue queue(b.context, b.queue.get_device());
  const compute::buffer buffer(b.context, n * sizeof(u32));
  guarded_buffer<u32> out(b.on, 1);
  compute::user_event held(b.context);
  compute::wait_list gate;
  gate.insert(held);
  const compute::event written =
      queue.enqueue_write_buffer_async(buffer, 0, n * sizeof(u32), numbers().data(), gate);
  compute::wait_list both;
  both.insert(held);
  both.insert(written);
  const clwave::event by_list =
      clwave::reduce(b.queue, view<u32>{buffer, n}, out.view(), clwave::plus, {.after = both});
  const clwave::event by_braces =
      clwave::reduce(b.queue, view<u32>{buffer, n}, out.view(), clwave::plus, {.after = {held, written}});
  clFlush(queue.get());
  b.queue.flush();
  CHECK_FALSE(by_list.done());
  held.set_status(compute::event::complete);
  by_list.wait();
  CHECK(out.first() == total);
  by_braces.wait();
  CHECK(out.guards_intact());

  // An event of clwave as Boost.Compute's.
  const compute::event theirs(by_braces.get(), true);
  CHECK(theirs.status() == CL_COMPLETE);
  CHECK(clwave::wait_list(compute::wait_list()).handles().empty());
}

TEST_CASE("all of them in one call") {
  boosted b;
  const compute::vector<u32> x(numbers().begin(), numbers().end(), b.queue);
  const cl::Buffer y = b.on.buffer_of(numbers());
  guarded_buffer<u32> out(b.on, 1);
  cl::UserEvent theirs(b.on.context);
  compute::user_event others(b.context);
  const clwave::event ours = clwave::reduce(b.on.queue, x, out.view());
  const cl_event plain = ours.get();
  const clwave::event done =
      clwave::transform_reduce(b.on.queue, clwave::zip(x, view<u32>{y(), n}), out.view(), clwave::plus,
                               clwave::product, {.after = {theirs, others, ours, plain}});
  b.on.queue.flush();
  theirs.setStatus(CL_COMPLETE);
  CHECK_FALSE(done.done());
  others.set_status(compute::event::complete);
  done.wait();
  CHECK(out.first() == static_cast<u32>(u64{n} * (n + 1) * (2 * n + 1) / 6));
}

TEST_CASE("copy and fill take all of them") {
  boosted b;
  const cl_command_queue plain = b.on.queue();
  const compute::vector<u32> theirs(numbers().begin(), numbers().end(), b.queue);
  guarded_buffer<u32> ours(b.on, n);
  // From a container of Boost.Compute into a view of a CLHPP buffer, after an event of Boost.Compute.
  compute::user_event held(b.context);
  const clwave::event copied = clwave::copy(b.queue, theirs, ours.view(), {.after = {held}});
  b.queue.flush();
  CHECK_FALSE(copied.done());
  held.set_status(compute::event::complete);
  copied.wait();
  CHECK(ours.read() == numbers());

  // A part of it back, by iterators, on a C handle, after an event of CLHPP.
  compute::vector<u32> back(n, b.context);
  cl::UserEvent gate(b.on.context);
  const clwave::event filled = clwave::fill(plain, back, 7u, {.after = {gate}});
  gate.setStatus(CL_COMPLETE);
  clwave::copy(b.on.queue, ours.view().subview(10, 3), view(back.begin() + 1, back.begin() + 4),
               {.after = {filled}})
      .wait();
  std::vector<u32> expected(n, 7u);
  std::copy_n(numbers().begin() + 10, 3, expected.begin() + 1);
  std::vector<u32> found(n);
  compute::copy(back.begin(), back.end(), found.begin(), b.queue);
  CHECK(found == expected);
  clwave::fill(b.queue, view<u32>{ours.buffer(), 2, 128}, 9u).wait();
  CHECK(ours.read()[1] == 9);
  CHECK(ours.read_guarded()[2] == numbers()[2]);
}

}  // namespace
}  // namespace testing::neighbours_test
