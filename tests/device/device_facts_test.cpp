// Device facts: names parsed, devices discovered and chosen, probes that fail, and error texts.
#include <doctest/doctest.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <optional>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include <clwave/device.hpp>
#include <clwave/error.hpp>

#include "device/architecture.hpp"
#include "device/device_facts.hpp"
#include "device/probes.hpp"
#include "harness/environment.hpp"
#include "harness/refusals.hpp"

namespace testing::device_facts_test {

using clwave::device_family;
using clwave::provenance;

namespace {

std::optional<failure> failure_of(std::string_view selector) {
  return failure_from([&] { clwave::select_device(selector); });
}

}  // namespace

TEST_CASE("an AMD name says which gfx it is") {
  using clwave::parse_amd_gfx;
  struct {
    const char* name;
    unsigned gfx;
  } const cases[] = {
      {"gfx90a:sramecc+:xnack-", 0x90a},
      {"gfx90a", 0x90a},
      {"gfx90c:xnack-", 0x90c},
      {"gfx906+sram-ecc", 0x906},
      {"gfx902-xnack", 0x902},
      {"gfx942:sramecc+:xnack-", 0x942},
      {"gfx1030", 0x1030},
      {"GFX1036", 0x1036},
      {"gfx600", 0x600},
      {"gfx1201", 0x1201},
      {"gfx9-generic", 0x900},
      {"gfx9-4-generic", 0x940},
      {"gfx10-1-generic", 0x1010},
      {"gfx10-3-generic", 0x1030},
      {"gfx11-generic", 0x1100},
      {"gfx12-generic", 0x1200},
      {"Tahiti", 0x600},
      {"Pitcairn", 0x601},
      {"Hawaii", 0x701},
      {"Bonaire", 0x704},
      {"Tonga", 0x802},
      {"Fiji", 0x803},
      {"Ellesmere", 0x803},
      {"Baffin", 0x803},
      {"Vega10", 0x900},
      {"AMD Radeon RX 6800 XT (radeonsi, navi21, LLVM 15.0.6, DRM 3.49, 6.1.0)", 0x1030},
      {"AMD Radeon Graphics (radeonsi, raphael_mendocino, LLVM 17.0.6)", 0x1036},
      {"AMD Radeon 780M (radeonsi, gfx1103_r1, LLVM 17.0.6, DRM 3.57)", 0x1103},
      {"AMD Radeon RX 580 Series (POLARIS10, DRM 3.40.0)", 0x803},
  };
  for (const auto& each : cases) {
    CAPTURE(each.name);
    const auto gfx = parse_amd_gfx(each.name);
    REQUIRE(gfx.has_value());
    CHECK(*gfx == each.gfx);
  }
  for (const char* name : {"",
                           "gfx",
                           "gfx1",
                           "gfx9",
                           "gfx11",
                           "gfx000",
                           "gfx9zz",
                           "gfx12345",
                           "gfxa30",
                           "gfx90",
                           "gfx90a1b",
                           "gfx-generic",
                           "gfx9-x-generic",
                           "gfx500",
                           "agfx906",
                           "gf906",
                           "Tongariro",
                           "AMD Radeon Graphics",
                           "NVIDIA H200",
                           "pthread-skylake-avx512-AMD EPYC",
                           "Vega",
                           "navi2 1"}) {
    CAPTURE(name);
    CHECK_FALSE(parse_amd_gfx(name).has_value());
  }
}

TEST_CASE("a CUDA architecture name says which SM it is") {
  CHECK(clwave::detail::parse_cuda_sm("sm_90") == 90u);
  CHECK(clwave::detail::parse_cuda_sm("sm_90a") == 90u);
  CHECK(clwave::detail::parse_cuda_sm("sm_120f") == 120u);
  for (const char* name :
       {"", "sm_", "sm_a", "sm_9", "sm_09", "sm_9x", "sm_1200", "sm90", "SM_90", "sm_-9", "gfx906"}) {
    CAPTURE(name);
    CHECK_FALSE(clwave::detail::parse_cuda_sm(name).has_value());
  }
}

TEST_CASE("the architecture tables know what they know and no more") {
  REQUIRE(clwave::detail::find_nvidia_architecture(90) != nullptr);
  CHECK(clwave::detail::find_nvidia_architecture(90)->generation == "Hopper");
  CHECK(clwave::detail::find_nvidia_architecture(90)->f32_lanes_per_sm == 128);
  CHECK(clwave::detail::find_nvidia_architecture(35)->f32_lanes_per_sm == 192);
  CHECK(clwave::detail::find_nvidia_architecture(130) == nullptr);
  CHECK(clwave::detail::find_amd_architecture(0x90a)->generation == "CDNA2");
  CHECK(clwave::detail::find_amd_architecture(0x909)->generation == "GCN5");
  CHECK(clwave::detail::find_amd_architecture(0x90c)->generation == "GCN5");
  CHECK(clwave::detail::find_amd_architecture(0x1030)->wave == 0);
  CHECK(clwave::detail::find_amd_architecture(0x1300) == nullptr);
  CHECK(clwave::detail::find_intel_architecture(12 << 8 | 60)->generation == "Xe-HPC");
  CHECK(clwave::detail::find_intel_architecture(8 << 8) == nullptr);
  CHECK(clwave::detail::amd_gfx_name(0x90a) == "gfx90a");
  CHECK(clwave::detail::intel_ip_name(12u << 22 | 60u << 14 | 7u) == "12.60.7");
}

TEST_CASE("discovery gives the same list to every thread") {
  std::vector<const std::vector<clwave::device_place>*> seen(8);
  std::vector<std::thread> threads;
  threads.reserve(seen.size());
  for (auto& each : seen) threads.emplace_back([&each] { each = &clwave::devices(); });
  for (auto& each : threads) each.join();
  for (const auto* each : seen) CHECK(each == seen.front());
  REQUIRE_FALSE(clwave::devices().empty());
}

TEST_CASE("every device has facts, each with its source, gathered once") {
  for (const auto& place : clwave::devices()) {
    const auto start = std::chrono::steady_clock::now();
    const clwave::device_facts& facts = clwave::facts_of(place.device);
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
    CAPTURE(facts.name.value_or("?"));
    MESSAGE(facts.name.value_or("?") << ": facts in " << took.count() << " s");
    CHECK(&facts == &clwave::facts_of(place.device));
    CHECK(facts.platform == place.platform);
    CHECK(facts.platform_index == place.platform_index);
    CHECK(facts.device_index == place.device_index);
    CHECK(facts.family);
    CHECK(facts.opencl_c_newest.value_or(0) >= 110);
    CHECK(facts.compute_units.value_or(0) > 0);
    CHECK(facts.global_memory.value_or(0) > 0);
    // Whatever the device, a lane count that was seen is a power of two.
    const unsigned lanes = facts.lanes_probed.value_or(1);
    CHECK((lanes & (lanes - 1)) == 0);
    if (facts.family.value == device_family::cpu) {
      CHECK(took.count() < 0.5);
      CHECK(facts.lanes_probed.value == 1u);
      CHECK(facts.lanes_probed.source.find("by nature") != std::string::npos);
    }
    if (facts.cuda_sm && facts.inline_ptx.value_or(false)) {
      CHECK(facts.lanes_probed.from == provenance::run_probe);
      CHECK(facts.lanes_probed.value == 32u);
    }
    // Tried only where one address space is announced: a wrong address would end every context of the
    // process.
    if (facts.host_memory_reached) {
      CHECK(facts.host_memory_reached.from == provenance::run_probe);
      CHECK(facts.shared_virtual_memory.value_or(false));
    } else {
      CHECK_FALSE(facts.host_memory_reached.source.empty());
    }

    const auto printed = clwave::print(facts);
    std::set<std::string> names;
    for (const auto& line : printed) {
      CAPTURE(line.name);
      CHECK(names.insert(line.name).second);
      CHECK_FALSE(line.source.empty());
      CHECK(line.source != "not asked");
      CHECK((line.value == "unknown") == (line.from == provenance::unknown));
    }
    CHECK(printed.size() > 50);
  }
  CHECK_THROWS_AS(clwave::facts_of(nullptr), clwave::error);
}

TEST_CASE("a probe the compiler refuses is a no, or an unknown with its reason") {
  // A CPU taken for an AMD card: its compiler has none of the built-ins. (Not for NVIDIA: there the
  // refusal of inline PTX comes from an assembler that some CPU drivers do not survive.)
  for (const auto& place : clwave::devices()) {
    clwave::device_facts facts = clwave::detail::ask_driver(place.device);
    if (facts.family.value != device_family::cpu) continue;
    facts.family.value = device_family::amd;
    facts.amd_gfx = {0x90a, provenance::assumed, "for the test"};
    facts.sub_groups.value = false;  // PoCL 5.0 announces them and crashes on the kernel
    clwave::detail::run_probes(facts);
    CHECK(facts.amd_builtins.value == false);
    CHECK(facts.amd_builtins.from == provenance::compile_probe);
    CHECK(facts.lanes_measured.value_or(0) > 0);  // from the plain kernel
    CHECK_FALSE(facts.inline_ptx);
    CHECK_FALSE(facts.lanes_probed);
    CHECK_FALSE(facts.lanes_probed.source.empty());

    // A compiler that is not there is no reason to throw either.
    clwave::device_facts mute = clwave::detail::ask_driver(place.device);
    mute.family.value = device_family::generic;
    mute.compiler_available.value = false;
    clwave::detail::run_probes(mute);
    CHECK_FALSE(mute.lanes_probed);
    CHECK(mute.lanes_probed.source.find("no compiler") != std::string::npos);
  }
}

TEST_CASE("select_device finds by place, type, name and environment") {
  const environment clean("CLWAVE_DEVICE", std::nullopt);
  const auto& all = clwave::devices();
  REQUIRE_FALSE(all.empty());
  for (std::size_t i = 0; i < all.size(); ++i) {
    const std::string place =
        std::to_string(all[i].platform_index) + ":" + std::to_string(all[i].device_index);
    CHECK(clwave::select_device(place) == all[i].device);
    CHECK(clwave::select_device(std::to_string(i)) == all[i].device);
    const environment set("CLWAVE_DEVICE", place);
    CHECK(clwave::select_device() == all[i].device);

    const clwave::device_facts& facts = clwave::facts_of(all[i].device);
    const auto same_name = [&](cl_device_id found) {
      return clwave::facts_of(found).name.value == facts.name.value;
    };
    std::string name = *facts.name;
    std::transform(name.begin(), name.end(), name.begin(), [](unsigned char c) { return std::toupper(c); });
    CHECK(same_name(clwave::select_device("name~" + name)));
    CHECK(same_name(clwave::select_device("name~\"" + name + "\"")));
    if (facts.cuda_sm) {
      const auto found = clwave::select_device("sm_" + std::to_string(*facts.cuda_sm));
      CHECK(clwave::facts_of(found).cuda_sm.value == facts.cuda_sm.value);
    }
    if (facts.pci)
      CHECK(clwave::facts_of(clwave::select_device("pci=" + *facts.pci)).pci.value == facts.pci.value);
    const bool cpu = (*facts.type & CL_DEVICE_TYPE_CPU) != 0;
    if (cpu) CHECK((*clwave::facts_of(clwave::select_device("cpu")).type & CL_DEVICE_TYPE_CPU) != 0);
  }
  CHECK(clwave::select_device() != nullptr);
}

TEST_CASE("select_device says what is wrong") {
  const environment clean("CLWAVE_DEVICE", std::nullopt);
  REQUIRE_FALSE(clwave::devices().empty());
  for (const char* absent : {"99:0", "0:99", "999", "sm_99", "gfx9ff", "name~no such device", "pci=zz:zz"}) {
    CAPTURE(absent);
    CHECK(failure_of(absent) == failure::device_absent);
  }
  for (const char* nonsense :
       {"banana", "0:", ":", "1:2:3", "-1", "sm_", "gfx9", " ", "99999999999999999999"}) {
    CAPTURE(nonsense);
    CHECK(failure_of(nonsense) == failure::bad_call);
  }
  const environment set("CLWAVE_DEVICE", "banana");
  CHECK(failure_of("") == failure::bad_call);
}

TEST_CASE("an error says what happened, then one line per detail") {
  const clwave::error plain(failure::bad_call, "n is too large");
  CHECK(std::string(plain.what()) == "n is too large");
  CHECK(plain.code() == CL_SUCCESS);

  const clwave::error full(failure::build, "the kernel did not compile", CL_BUILD_PROGRAM_FAILURE,
                           {.primitive = "reduce",
                            .types = "f32 -> f64",
                            .device = "some device",
                            .log = "reduce.cl:7: error: no\n",
                            .advice = "look at line 7"});
  CHECK(full.kind() == failure::build);
  CHECK(full.details().primitive == "reduce");
  CHECK(std::string(full.what()) ==
        "the kernel did not compile\n"
        "  code: CL_BUILD_PROGRAM_FAILURE (-11)\n"
        "  primitive: reduce\n"
        "  types: f32 -> f64\n"
        "  device: some device\n"
        "  compiler log:\n"
        "reduce.cl:7: error: no\n"
        "  what to do: look at line 7");
}

TEST_CASE("OpenCL's codes have names") {
  CHECK(clwave::name_of_code(CL_SUCCESS) == "CL_SUCCESS");
  CHECK(clwave::name_of_code(-5) == "CL_OUT_OF_RESOURCES");
  CHECK(clwave::name_of_code(CL_INVALID_WORK_GROUP_SIZE) == "CL_INVALID_WORK_GROUP_SIZE");
  CHECK(clwave::name_of_code(CL_MAX_SIZE_RESTRICTION_EXCEEDED) == "CL_MAX_SIZE_RESTRICTION_EXCEEDED");
  CHECK(clwave::name_of_code(-1001) == "CL_PLATFORM_NOT_FOUND_KHR");
  CHECK(clwave::name_of_code(-1234) == "OpenCL error -1234");
  CHECK(clwave::name_of_code(7) == "OpenCL error 7");
  // No hole in the ranges the core headers use, and no name twice.
  std::set<std::string> names;
  for (cl_int code = -72; code <= 0; ++code) {
    if (code > -30 && code < -19) continue;
    CAPTURE(code);
    const std::string name = clwave::name_of_code(code);
    CHECK(name.starts_with("CL_"));
    CHECK(names.insert(name).second);
  }
}

}  // namespace testing::device_facts_test
