// What probes found, kept on disk: taken by the device it was found on, and by no other.
#include "device/kept_probes.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include <doctest/doctest.h>

#include <clwave/device.hpp>

#include "base/disk_cache.hpp"
#include "base/opencl.hpp"
#include "base/user_files.hpp"
#include "device/device_facts.hpp"
#include "device/probes.hpp"
#include "harness/cache_folder.hpp"
#include "harness/environment.hpp"
#include "harness/files.hpp"

namespace testing::kept_probes_test {
namespace {

namespace fs = std::filesystem;
using clwave::device_facts;
using clwave::device_family;
using clwave::provenance;
using clwave::detail::add_probes;
using clwave::detail::count_probes;
using clwave::detail::write_cached;

// A device of no family, of which only the compiler's word can be had: a CPU would not be probed at all.
device_facts answers() {
  device_facts facts = clwave::detail::ask_driver(clwave::devices().front().device);
  facts.family.value = device_family::generic;
  facts.sub_groups.value = false;
  return facts;
}

std::string key_of(const device_facts& facts) {
  return clwave::detail::key_of_probes(facts, clwave::detail::probe_source());
}

// How many times probes were run to complete the facts.
std::size_t probes_for(device_facts facts) {
  const std::size_t before = count_probes();
  add_probes(facts);
  CHECK(facts.lanes_measured.value_or(0) > 0);
  CHECK(facts.lanes_measured.from == provenance::compile_probe);
  return count_probes() - before;
}

TEST_CASE("what probes found is found by the next process") {
  const empty_cache cache;
  device_facts first = answers(), second = answers();
  const std::size_t before = count_probes();
  add_probes(first);
  CHECK(count_probes() == before + 1);
  add_probes(second);
  CHECK(count_probes() == before + 1);
  CHECK(cache.files().size() == 1);

  const auto list = clwave::print(first), again = clwave::print(second);
  REQUIRE(list.size() == again.size());
  bool any_from_before = false;
  for (std::size_t k = 0; k < list.size(); ++k) {
    CAPTURE(list[k].name);
    CHECK(list[k].value == again[k].value);
    CHECK(list[k].from == again[k].from);
    CHECK(again[k].source.starts_with(list[k].source));
    any_from_before = any_from_before || again[k].source.find("earlier process") != std::string::npos;
  }
  CHECK(any_from_before);
}

TEST_CASE("a CPU whose driver is known is asked nothing, and nothing is kept of it") {
  const empty_cache cache;
  for (const auto& place : clwave::devices()) {
    device_facts facts = clwave::detail::ask_driver(place.device);
    if (facts.family.value != device_family::cpu || !clwave::detail::is_known_to_finish_loops(facts))
      continue;
    const std::size_t before = count_probes();
    add_probes(facts);
    CHECK(count_probes() == before);
    CHECK(facts.lanes_probed.value == 1u);
  }
  CHECK(cache.files().empty());
}

TEST_CASE("an answer that has changed finds nothing that was kept") {
  const empty_cache cache;
  CHECK(probes_for(answers()) == 1);
  CHECK(probes_for(answers()) == 0);

  std::set<std::string> keys = {key_of(answers())};
  const auto changed = [&](const char* what, const std::function<void(device_facts&)>& change) {
    CAPTURE(what);
    device_facts facts = answers();
    change(facts);
    CHECK(keys.insert(key_of(facts)).second);
  };
  const auto text = [&](const char* what, clwave::fact<std::string> device_facts::*which) {
    changed(what, [&](device_facts& facts) { (facts.*which).value = (facts.*which).value_or("") + "x"; });
  };
  text("platform", &device_facts::platform_name);
  text("platform's version", &device_facts::platform_version);  // PoCL: which LLVM
  text("name", &device_facts::name);
  text("vendor", &device_facts::vendor);
  text("driver's version", &device_facts::driver_version);
  text("device's version", &device_facts::device_version);
  text("language", &device_facts::opencl_c_version);
  text("extensions", &device_facts::extensions);
  text("place on the bus", &device_facts::pci);
  text("architecture", &device_facts::architecture);
  changed("type", [](device_facts& f) { f.type.value = CL_DEVICE_TYPE_ACCELERATOR; });
  changed("family", [](device_facts& f) { f.family.value = device_family::intel; });
  changed("SM", [](device_facts& f) { f.cuda_sm = {90u, provenance::query, "x"}; });
  changed("another SM", [](device_facts& f) { f.cuda_sm = {100u, provenance::query, "x"}; });
  changed("gfx", [](device_facts& f) { f.amd_gfx = {0x90au, provenance::query, "x"}; });
  changed("warp", [](device_facts& f) { f.warp_size = {64u, provenance::query, "x"}; });
  // A slice of a card has fewer of these.
  changed("compute units", [](device_facts& f) { f.compute_units.value = 1234; });
  changed("memory", [](device_facts& f) { f.global_memory.value = 1234; });
  changed("largest allocation", [](device_facts& f) { f.max_allocation.value = 1234; });
  changed("local memory", [](device_facts& f) { f.local_memory.value = 1234; });
  changed("group size", [](device_facts& f) { f.max_work_group_size.value = 77; });
  changed("sub-groups", [](device_facts& f) { f.sub_groups.value = true; });
  changed("sub-group sizes", [](device_facts& f) {
    f.sub_group_sizes = {std::vector<std::size_t>{8, 16}, provenance::query, "x"};
  });
  changed("shared memory",
          [](device_facts& f) { f.shared_virtual_memory.value = !f.shared_virtual_memory.value_or(false); });
  changed("compiler", [](device_facts& f) { f.compiler_available.value = false; });

  // What tells nothing of the device: some drivers give the present clock, and free memory is among the
  // others.
  device_facts same = answers();
  same.clock_mhz.value = 1;
  same.extra.push_back({"free memory when asked", "1", "KiB", provenance::query, "x"});
  same.platform_index = 7;
  CHECK(keys.contains(key_of(same)));
}

TEST_CASE("variables by which drivers are chosen and set find nothing that was kept under others") {
  std::set<std::string> keys = {key_of(answers())};
  for (const char* name : {"POCL_DEVICES", "OCL_ICD_FILENAMES_X", "LD_LIBRARY_PATH_X", "CUDA_VISIBLE_X",
                           "AMD_OCL_X", "GPU_ENABLE_X", "IGC_X", "NEOX", "RUSTICL_X", "CL_CONFIG_X"}) {
    CAPTURE(name);
    const environment set(name, "one");
    CHECK(keys.insert(key_of(answers())).second);
    const environment otherwise(name, "two");
    CHECK(keys.insert(key_of(answers())).second);
  }
  for (const char* name :
       {"CLWAVE_PROFILE", "CLWAVE_DUMP_DIR", "POCL_CACHE_DIR", "CUDA_CACHE_PATH", "HOME", "LANG"}) {
    CAPTURE(name);
    const environment set(name, "gpu");
    CHECK(keys.contains(key_of(answers())));
  }
}

TEST_CASE("a part of a device is another device") {
  const cl_device_id whole = clwave::devices().front().device;
  const cl_device_partition_property by_one[] = {CL_DEVICE_PARTITION_EQUALLY, 1, 0};
  std::vector<cl_device_id> parts(256);
  cl_uint n = 0;
  if (clCreateSubDevices(whole, by_one, 256, parts.data(), &n) != CL_SUCCESS || n == 0) {
    MESSAGE("the device has no parts");
    return;
  }
  device_facts of_whole = clwave::detail::ask_driver(whole), of_part = clwave::detail::ask_driver(parts[0]);
  // Also where it had all else of the whole one.
  of_part.compute_units = of_whole.compute_units;
  of_part.global_memory = of_whole.global_memory;
  of_part.max_allocation = of_whole.max_allocation;
  CHECK(key_of(of_part) != key_of(of_whole));
  for (cl_uint k = 0; k < n; ++k) clReleaseDevice(parts[k]);
}

TEST_CASE("a damaged entry is no entry, and is replaced") {
  const empty_cache cache;
  CHECK(probes_for(answers()) == 1);
  const fs::path file = cache.only_file();
  const std::string good = contents(file);
  for (const std::size_t at : std::vector<std::size_t>{0, 20, 40, good.size() / 2, good.size() - 1}) {
    CAPTURE(at);
    std::string bad = good;
    bad[at] ^= 1;
    overwrite(file, bad);
    CHECK(probes_for(answers()) == 1);
    CHECK(contents(file) == good);
  }
  overwrite(file, good.substr(0, good.size() - 3));
  CHECK(probes_for(answers()) == 1);
  CHECK(probes_for(answers()) == 0);
}

TEST_CASE("an entry that is whole and makes no sense is no entry") {
  const empty_cache cache;
  CHECK(probes_for(answers()) == 1);
  const std::string key = key_of(answers());
  const auto kept = clwave::detail::read_cached(key);
  REQUIRE(kept);
  const std::string good(kept->begin(), kept->end());
  REQUIRE(good.find("\n3\n") == std::string::npos);  // no run probe among them
  const std::size_t value = good.find("\n2\nCL_KERNEL");
  REQUIRE(value != std::string::npos);
  const std::size_t begin = good.rfind('\n', value - 1) + 1;
  const auto with_lanes = [&](const std::string& lanes) {
    return good.substr(0, begin) + lanes + good.substr(value);
  };
  std::vector<std::string> bad = {"", "\n", good + "\n", good + "1\n2\nx\n", good.substr(0, good.size() - 1)};
  for (const char* lanes : {"", "-1", "4000000000", "2000", "x", "8 "}) bad.push_back(with_lanes(lanes));
  for (std::size_t at = good.find("\n5\n"); at != std::string::npos; at = good.find("\n5\n", at + 1)) {
    bad.push_back(good);
    bad.back()[at + 1] = '6';  // from nowhere
    bad.push_back(good);
    bad.back()[at + 1] = '2';  // a probe without a value
  }
  REQUIRE(bad.size() > 12);
  for (const std::string& text : bad) {
    CAPTURE(text);
    write_cached(key, clwave::detail::bytes_of(text));
    CHECK(probes_for(answers()) == 1);
    CHECK(clwave::detail::read_cached(key) == kept);
  }
  write_cached(key, clwave::detail::bytes_of(with_lanes("16")));
  CHECK(probes_for(answers()) == 0);
}

TEST_CASE("what somebody else could have written is not taken") {
  const empty_cache cache;
  CHECK(probes_for(answers()) == 1);
  const fs::path file = cache.only_file();
  REQUIRE(chmod(file.c_str(), 0666) == 0);
  CHECK(probes_for(answers()) == 1);
  CHECK(probes_for(answers()) == 0);  // it was replaced by one of the user's own
  REQUIRE(chmod(cache.path.c_str(), 0777) == 0);
  CHECK(probes_for(answers()) == 1);
  CHECK(probes_for(answers()) == 1);
  REQUIRE(chmod(cache.path.c_str(), 0700) == 0);
  if (geteuid() != 0) return;  // only root can give files away
  REQUIRE(chown(file.c_str(), 12345, 0) == 0);
  CHECK(probes_for(answers()) == 1);
}

TEST_CASE("CLWAVE_CACHE_DIR=off keeps nothing of the probes") {
  const empty_cache cache;
  const environment off("CLWAVE_CACHE_DIR", "off");
  CHECK(probes_for(answers()) == 1);
  CHECK(probes_for(answers()) == 1);
  CHECK(cache.files().empty());
}

TEST_CASE("a probe that failed is tried again by the next process") {
  const empty_cache cache;
  for (int process = 0; process < 2; ++process) {
    device_facts facts = answers();
    facts.family.value = device_family::amd;  // whose built-ins no CPU's compiler has
    facts.amd_gfx = {0x90a, provenance::assumed, "for the test"};
    const std::size_t before = count_probes();
    add_probes(facts);
    CHECK(count_probes() == before + 1);
    CHECK(facts.amd_builtins.value == false);
  }
  CHECK(cache.files().empty());
}

TEST_CASE("several at once find the same, and leave one sound entry") {
  const empty_cache cache;
  std::vector<std::thread> threads;
  std::vector<device_facts> found(6, answers());
  for (device_facts& each : found) threads.emplace_back([&each] { add_probes(each); });
  for (std::thread& each : threads) each.join();
  for (const device_facts& each : found)
    CHECK(each.lanes_measured.value == found.front().lanes_measured.value);
  CHECK(cache.files().size() == 1);
  CHECK(probes_for(answers()) == 0);
}

TEST_CASE("probes are assumed of NVIDIA's own driver alone") {
  device_facts facts = answers();
  facts.family.value = device_family::nvidia;
  facts.platform_name.value = "NVIDIA CUDA";
  facts.cuda_sm = {90u, provenance::query, "for the test"};
  facts.shared_virtual_memory = {true, provenance::query, "for the test"};
  const auto assumed = [](device_facts of) { return clwave::detail::assume_probes(of); };
  CHECK(assumed(facts));
  device_facts taken = facts;
  REQUIRE(clwave::detail::assume_probes(taken));
  CHECK(taken.inline_ptx.value == true);
  CHECK(taken.inline_ptx.from == provenance::assumed);
  CHECK(taken.host_memory_reached.value.value_or(false) == (sizeof(void*) == 8));
  CHECK_FALSE(taken.lanes_probed);

  // Where the driver announces no shared memory, a wrong address would end every context of the process.
  device_facts apart = facts;
  apart.shared_virtual_memory.value = false;
  REQUIRE(clwave::detail::assume_probes(apart));
  CHECK_FALSE(apart.host_memory_reached);

  device_facts other = facts;
  other.platform_name.value = "Portable Computing Language";  // it has a driver for NVIDIA's cards
  CHECK_FALSE(assumed(other));
  other = facts;
  other.cuda_sm = {};
  CHECK_FALSE(assumed(other));
  other = facts;
  other.family.value = device_family::amd;
  CHECK_FALSE(assumed(other));
  other = facts;
  other.compiler_available.value = false;
  CHECK_FALSE(assumed(other));
}

}  // namespace
}  // namespace testing::kept_probes_test
