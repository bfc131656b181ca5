// What the library keeps for a context, for how long, and what makes it let go.
#include <clwave/cache.hpp>

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <numeric>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include <doctest/doctest.h>
#include <boost/compute/core.hpp>

#include <clwave/copy.hpp>
#include <clwave/error.hpp>
#include <clwave/reduce.hpp>

#include "call/call.hpp"
#include "call/context_entry.hpp"
#include "harness/devices.hpp"

namespace testing::caches_test {
namespace {

// More contexts than anything that is kept by number could hide in; each takes a GPU's driver a second or
// more.
constexpr int n_contexts = 12;

// Blocking and other calls on an in-order queue, and on an out-of-order one where there is any. Everything
// the test itself makes in the context is gone afterwards.
void use(const cl::Context& context, const cl::Device& device) {
  constexpr std::size_t n = 20000;
  const std::vector<u32> ones(n, 1);
  cl_int code = CL_SUCCESS;
  const cl::Buffer in(clCreateBuffer(context(), CL_MEM_COPY_HOST_PTR, n * sizeof(cl_uint),
                                     const_cast<u32*>(ones.data()), &code));
  clwave::detail::check(code, "make an input");
  const cl::Buffer out(clCreateBuffer(context(), CL_MEM_READ_WRITE, 64, nullptr, &code));
  clwave::detail::check(code, "make an output");
  std::vector<cl::CommandQueue> queues{cl::CommandQueue(context, device)};
  if (clwave::facts_of(device()).out_of_order_queue.value_or(false))
    queues.emplace_back(context, device, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
  for (const cl::CommandQueue& queue : queues) {
    CHECK(clwave::reduce(queue, view<u32>{in, n}) == n);
    clwave::reduce(queue, view<u32>{in, n}, view<u32>{out, 1});
    clwave::reduce(queue, view<u32>{in, n}, view<u32>{out, 1, 1}, clwave::plus, {.with_event = false});
    queue.finish();
  }
}

// ------------------------------------------------------------------------------------------- contexts

TEST_CASE("a context released by clwave::release has no reference but the user's") {
  const cl_device_id device = clwave::select_device();
  for (int k = 0; k < n_contexts; ++k) {
    const cl::Context context{cl::Device(device, true)};
    use(context, cl::Device(device, true));
    clwave::release(context);
    REQUIRE(comes_true([&] { return references_to(context()) == 1; }));
  }
}

TEST_CASE("contexts end that only the library still holds") {
#ifdef CL_VERSION_3_0
  const cl_device_id device = clwave::select_device();
  const fixture living;
  use(living.context, living.device);
  const auto programs_before = clwave::detail::count_programs();
  static std::atomic<int> ended{0};
  ended = 0;
  for (int k = 0; k < n_contexts; ++k) {
    const cl::Context context{cl::Device(device, true)};
    if (clSetContextDestructorCallback(
            context(), [](cl_context, void*) { ++ended; }, nullptr) != CL_SUCCESS) {
      MESSAGE("skipped: the driver does not say when a context ends");
      CHECK(true);
      return;
    }
    use(context, cl::Device(device, true));
    if (k == n_contexts - 1) CHECK(ended >= n_contexts / 2);  // each ends when another is met
  }
  CHECK(comes_true([&] {
    clwave::trim();
    return ended == n_contexts;
  }));
  // The living one has lost nothing.
  const auto before = clwave::detail::count_programs();
  use(living.context, living.device);
  CHECK(clwave::detail::count_programs().built == before.built);
  CHECK(clwave::detail::count_programs().from_disk == before.from_disk);
  CHECK(before.built + before.from_disk > programs_before.built + programs_before.from_disk);
#endif
}

TEST_CASE("a queue of the user's keeps its context's programs") {
  fixture on;
  use(on.context, on.device);
  const cl::CommandQueue queue = on.queue;
  const auto before = clwave::detail::count_programs();
  for (int k = 0; k < 3; ++k) {
    const fixture other;
    use(other.context, other.device);
    clwave::trim();
  }
  const auto after_others = clwave::detail::count_programs();
  use(on.context, on.device);
  CHECK(clwave::detail::count_programs().built == after_others.built);
  CHECK(clwave::detail::count_programs().from_disk == after_others.from_disk);
  CHECK(after_others.built + after_others.from_disk > before.built + before.from_disk);
}

TEST_CASE("release takes the contexts of all wrappers, and any number of times") {
  const cl_device_id device = clwave::select_device();
  const cl::Context context{cl::Device(device, true)};
  clwave::release(context);  // nothing is kept yet
  use(context, cl::Device(device, true));
  clwave::release(context());
  clwave::release(context());
  use(context, cl::Device(device, true));  // begins afresh
  clwave::release(boost::compute::context(context()));
  CHECK(comes_true([&] { return references_to(context()) == 1; }));
  CHECK_THROWS_AS(clwave::release(static_cast<cl_context>(nullptr)), clwave::error);
}

TEST_CASE("threads call while others release and trim") {
  fixture on;
  const cl::Buffer in = on.buffer_of(std::vector<u32>(9000, 1));
  constexpr int n_threads = 3;
  std::atomic<int> wrong{0};
  std::atomic<int> running{n_threads};
  std::vector<std::thread> threads;
  for (int thread = 0; thread < n_threads; ++thread) {
    threads.emplace_back([&] {
      try {
        const cl::CommandQueue queue = on.new_queue();
        const view<u32> ones{in, 9000};
        for (int k = 0; k < 500; ++k) {
          wrong += clwave::reduce(queue, ones) != 9000;
          wrong += clwave::reduce_async(queue, ones).get() != 9000;  // read by a queue of the library's
        }
      } catch (const std::exception&) {
        wrong += 1000;
      }
      --running;
    });
  }
  for (int k = 0; running > 0; ++k) {
    if (k % 100 == 0)
      clwave::release(on.context);
    else
      clwave::trim();
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  for (std::thread& thread : threads) thread.join();
  CHECK(wrong == 0);
}

// ------------------------------------------------------------------------------------------ sub-devices

TEST_CASE("a sub-device at the address of one that ended has facts of its own") {
  const cl_device_id whole = clwave::select_device();
  const unsigned units = clwave::facts_of(whole).compute_units.value_or(1);
  // Partitions of every size, one after the other: their addresses come back.
  for (unsigned round = 0; round < 16; ++round) {
    const cl_uint wanted = 1 + round % units;
    const cl_device_partition_property how[] = {CL_DEVICE_PARTITION_BY_COUNTS,
                                                static_cast<cl_device_partition_property>(wanted),
                                                CL_DEVICE_PARTITION_BY_COUNTS_LIST_END, 0};
    cl_device_id part = nullptr;
    if (clCreateSubDevices(whole, how, 1, &part, nullptr) != CL_SUCCESS) {
      MESSAGE("skipped: the device cannot be partitioned");
      CHECK(true);
      return;
    }
    CHECK(clwave::facts_of(part).compute_units.value_or(0) == wanted);
    if (round == 15) {
      const cl::Context context{cl::Device(part, true)};
      use(context, cl::Device(part, true));
      clwave::release(context);
      // PoCL 3.1 lets go of a command's event a while after the command has ended, and reads the queue's
      // device then, whether or not somebody still holds that.
      CHECK(comes_true([&] { return references_to(context()) == 1; }));
    }
    clReleaseDevice(part);
  }
}

TEST_CASE("facts of a sub-device stay while the user holds it") {
  const cl_device_id whole = clwave::select_device();
  const cl_device_partition_property how[] = {CL_DEVICE_PARTITION_EQUALLY, 1, 0};
  cl_uint n_parts = 0;
  if (clCreateSubDevices(whole, how, 0, nullptr, &n_parts) != CL_SUCCESS || n_parts == 0) {
    MESSAGE("skipped: the device cannot be partitioned");
    CHECK(true);
    return;
  }
  std::vector<cl_device_id> parts(n_parts);
  REQUIRE(clCreateSubDevices(whole, how, n_parts, parts.data(), nullptr) == CL_SUCCESS);
  const clwave::device_facts& facts = clwave::facts_of(parts[0]);
  clwave::trim();
  CHECK(&clwave::facts_of(parts[0]) == &facts);
  for (const cl_device_id part : parts) clReleaseDevice(part);
  clwave::trim();
}

// --------------------------------------------------------------------------------------------- bounds

TEST_CASE("beyond the bound the least recently used program goes") {
  fixture on;
  clwave::detail::program_cache programs(3);
  const clwave::detail::target target{&on.facts, clwave::choose_profile(on.facts)};
  int builds = 0;
  const auto get = [&](int which) {
    return programs.get(on.context(), on.device(), target, std::to_string(which), [&] {
      ++builds;
      clwave::detail::program_spec s;
      s.primitive = "none";
      s.words = {{"GROUP_SIZE", "64"}};
      s.declarations = {
          {"a kernel", "__kernel void clwave_does_little(__global int *x) { x[0] = 1; }", true}};
      return s;
    });
  };
  const auto used = get(0);
  for (const int which : {1, 2, 0, 3}) get(which);  // 1 goes
  CHECK(builds == 4);
  CHECK(programs.count().programs == 3);
  for (const int which : {0, 2, 3}) get(which);
  CHECK(builds == 4);
  get(1);  // 0 goes, and is used on
  CHECK(builds == 5);
  CHECK(programs.count().programs == 3);
  CHECK(clwave::detail::program::loan(*used, "does_little").get() != nullptr);
  get(2);
  get(3);
  CHECK(builds == 5);
}

// A buffer's size, added to `living` until the driver frees it.
void count_while_living(cl_mem buffer, std::atomic<std::size_t>& living) {
  struct counted {
    std::atomic<std::size_t>& living;
    std::size_t n_bytes;
  };
  std::size_t n_bytes = 0;
  clwave::detail::check(clGetMemObjectInfo(buffer, CL_MEM_SIZE, sizeof n_bytes, &n_bytes, nullptr),
                        "ask a size");
  living += n_bytes;
  clwave::detail::check(clSetMemObjectDestructorCallback(
                            buffer,
                            [](cl_mem, void* data) {
                              const std::unique_ptr<counted> of(static_cast<counted*>(data));
                              of->living -= of->n_bytes;
                            },
                            new counted{living, n_bytes}),
                        "set a callback");
}

TEST_CASE("a workspace has the size it is asked for, rounded up to 4 KiB") {
  fixture on;
  const auto site = clwave::detail::site_of(on.queue(), "test");
  for (const std::size_t own : {0ul, 3840ul, 3841ul, 1000000ul, (33ul << 20) + 1}) {
    const clwave::detail::workspace work(site, own);
    std::size_t n_bytes = 0;
    REQUIRE(clGetMemObjectInfo(work.buffer(), CL_MEM_SIZE, sizeof n_bytes, &n_bytes, nullptr) == CL_SUCCESS);
    CHECK(n_bytes == (clwave::detail::workspace::own_at + own + 4095) / 4096 * 4096);
  }
}

TEST_CASE("idle workspace stays within its bound, and a queue's calls grow one block") {
  fixture on;
  static std::atomic<std::size_t> living{0};
  living = 0;
  const std::size_t most = clwave::detail::most_kept_workspace(clwave::detail::site_of(on.queue(), "test"));
  CHECK(most >= clwave::kept_workspace_bytes);
  CHECK(most >= on.facts.global_memory.value_or(0) / clwave::kept_workspace_share);
  const std::size_t large = most / 7;
  // Twenty calls of twenty queues, all of which have ended.
  for (int k = 0; k < 20; ++k) {
    const cl::CommandQueue queue = on.new_queue();
    const auto site = clwave::detail::site_of(queue(), "test");
    {
      // Calls at the same time hold blocks of their own.
      std::vector<std::unique_ptr<clwave::detail::workspace>> works;
      for (int call = 0; call < 2; ++call)
        works.push_back(std::make_unique<clwave::detail::workspace>(site, large));
      for (auto& work : works) {
        if (work->cleared().get() != nullptr) count_while_living(work->buffer(), living);
        work->used_until({});
      }
    }
    queue.finish();
    CHECK(comes_true([&] { return living <= most; }));
    CHECK(living > large);
  }
  // One larger than the bound is not kept at all.
  {
    const auto site = clwave::detail::site_of(on.queue(), "test");
    clwave::detail::workspace work(site, most);
    count_while_living(work.buffer(), living);
    on.queue.finish();
    work.not_in_use();
  }
  CHECK(comes_true([&] { return living <= most; }));
  clwave::trim();
  CHECK(comes_true([&] { return living == 0; }));

  // Calls of rising size on one queue.
  const auto site = clwave::detail::site_of(on.queue(), "test");
  for (std::size_t own = 1; own <= 64; ++own) {
    {
      clwave::detail::workspace work(site, own << 16);
      count_while_living(work.buffer(), living);
      work.used_until({});
    }
    on.queue.finish();
    CHECK(comes_true([&] { return living <= (own << 16) + 8192; }));
  }
}

TEST_CASE("a block that is dropped while commands use it serves them to their end") {
  fixture on;
  constexpr std::size_t n = 100000;
  const cl::Buffer in = on.buffer_of(std::vector<u32>(n, 3));
  guarded_buffer<u32> out(on, 40);
  clwave::reduce(on.queue, view<u32>{in, n}, out.view().subview(0, 1)).wait();
  gate held(on);
  std::vector<cl::CommandQueue> queues;
  for (std::size_t k = 0; k < 40; ++k) {
    queues.push_back(on.new_queue());
    clwave::reduce(queues.back(), view<u32>{in, n}, out.view().subview(k, 1), clwave::plus,
                   {.after = {held.event()}, .with_event = false});
    queues.back().flush();
    if (k % 8 == 7) clwave::trim();
  }
  clwave::release(on.context);
  held.open();
  for (const cl::CommandQueue& queue : queues) queue.finish();
  CHECK(out.read_guarded() == std::vector<u32>(40, 3 * n));
}

}  // namespace
}  // namespace testing::caches_test
