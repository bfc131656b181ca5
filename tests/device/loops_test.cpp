// Drivers that end long loops early, without an error: those that are not known are asked once by a probe,
// and calls on a device that does are refused before anything is enqueued. The drivers' answers are made up
// here.
#include <doctest/doctest.h>

#include <cstdlib>
#include <string>
#include <vector>

#include <clwave.hpp>

#include "device/device_facts.hpp"
#include "device/probes.hpp"
#include "harness/devices.hpp"
#include "harness/environment.hpp"
#include "harness/files.hpp"
#include "harness/recorder.hpp"
#include "harness/refusals.hpp"

namespace testing::loops_test {
namespace {

using clwave::device_facts;
using clwave::provenance;
using clwave::detail::add_probes;
using clwave::detail::count_probes;

struct empty_cache {
  temporary_folder folder;
  environment variable{"CLWAVE_CACHE_DIR", (folder.path() / "cache").string()};
};

// A device that the library has not met: a part of the last one.
struct fresh_device {
  fresh_device() {
    const cl_device_partition_property by_one[] = {CL_DEVICE_PARTITION_EQUALLY, 1, 0};
    std::vector<cl_device_id> parts(1024);
    cl_uint n = 0;
    const cl_device_id whole = clwave::devices().back().device;
    if (clCreateSubDevices(whole, by_one, 1024, parts.data(), &n) != CL_SUCCESS) return;
    id = parts[0];
    for (cl_uint k = 1; k < n; ++k) clReleaseDevice(parts[k]);
  }
  ~fresh_device() {
    if (id != nullptr) clReleaseDevice(id);
  }
  fresh_device(const fresh_device&) = delete;
  fresh_device& operator=(const fresh_device&) = delete;
  cl_device_id id = nullptr;
};

// The facts of the first device, where its platform is as unknown as the test says.
device_facts probed() {
  device_facts facts = clwave::detail::ask_driver(clwave::devices().front().device);
  add_probes(facts);
  return facts;
}

}  // namespace

TEST_CASE("a driver that nobody knows is asked once whether its loops run to their end") {
  const empty_cache cache;
  const recorder::unknown_platform unknown(0);
  const std::size_t before = count_probes();
  const device_facts first = probed(), second = probed();
  CHECK(count_probes() == before + 1);  // the second time it is found on disk
  for (const device_facts& facts : {first, second}) {
    REQUIRE(facts.finishes_loops);
    CHECK(*facts.finishes_loops);
    CHECK(facts.finishes_loops.from == provenance::run_probe);
    CHECK(clwave::detail::refusal_of(facts).message.empty());
  }
}

TEST_CASE("what is known of drivers is not probed") {
  const empty_cache cache;
  device_facts facts = clwave::detail::ask_driver(clwave::devices().front().device);
  if (!clwave::detail::is_known_to_finish_loops(facts)) {
    MESSAGE("the driver is not known");
    CHECK(facts.device != nullptr);
    return;
  }
  const std::size_t before = count_probes();
  add_probes(facts);
  if (facts.family.value == clwave::device_family::cpu) CHECK(count_probes() == before);
  CHECK(facts.finishes_loops.value == true);
  CHECK(facts.finishes_loops.from == provenance::assumed);
}

TEST_CASE("a device whose loops end early is refused by its driver's name, before anything is enqueued") {
  const empty_cache cache;
  const fresh_device device;
  if (device.id == nullptr) {
    MESSAGE("the device has no parts");
    CHECK(!clwave::devices().empty());
    return;
  }
  const recorder::unknown_platform unknown(1);
  const device_facts& facts = clwave::facts_of(device.id);
  REQUIRE(facts.finishes_loops);
  CHECK_FALSE(*facts.finishes_loops);
  CHECK(facts.finishes_loops.from == provenance::run_probe);

  const cl::Device of(device.id, true);
  const cl::Context context(of);
  const cl::CommandQueue queue(context, of);
  const cl::Buffer buffer(context, CL_MEM_READ_WRITE, 400);
  const clwave::view<float> x{buffer, 100};
  const recorder::queue_watch watch;
  const auto refused = [&](auto call) {
    try {
      call();
      FAIL("it was called all the same");
    } catch (const clwave::error& thrown) {
      const std::string what = thrown.what();
      CAPTURE(what);
      CHECK(thrown.kind() == clwave::failure::driver);
      CHECK(contains(what, recorder::unknown_platform::name));
      CHECK(contains(what, facts.name.value_or("?")));
      CHECK(contains(what, "loops"));
      CHECK(contains(what, "another device"));
    }
  };
  refused([&] { clwave::reduce(queue, x); });
  refused([&] { clwave::inclusive_scan(queue, x, x).wait(); });
  refused([&] { clwave::fill(queue, x, 1.0f).wait(); });
  CHECK(watch.used().empty());
  clwave::release(context());
}

// The test's entry has PoCL list two devices (POCL_DEVICES).
TEST_CASE("the choice of a device passes by one whose loops end early") {
  const auto& all = clwave::devices();
  const char* listed = std::getenv("POCL_DEVICES");
  if (all.size() < 2 || listed == nullptr) {
    MESSAGE("POCL_DEVICES lists no two devices");
    CHECK(!all.empty());
    return;
  }
  const empty_cache cache;
  const recorder::unknown_platform unknown(1);  // the first that is asked
  CHECK(clwave::select_device() == all[1].device);
  CHECK(clwave::select_device("cpu") == all[1].device);
  {
    const environment chosen("CLWAVE_DEVICE", "cpu");
    CHECK(clwave::select_device() == all[1].device);
  }
  // What is named is taken; calls refuse it.
  CHECK(clwave::select_device("0") == all[0].device);
  CHECK(clwave::select_device("0:0") == all[0].device);
}

}  // namespace testing::loops_test
