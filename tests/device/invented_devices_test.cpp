// Devices that nobody has here, invented fact by fact: the row chosen for each, its option line and the
// groups of every primitive must be what such a device can have.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <sstream>
#include <string>
#include <vector>

#include <clwave.hpp>

#include "harness/captures.hpp"
#include "harness/devices.hpp"
#include "harness/made_up.hpp"
#include "harness/parts.hpp"
#include "harness/reference.hpp"
#include "harness/refusals.hpp"

namespace testing::invented_devices_test {
namespace {

using clwave::device_facts;
using clwave::device_family;
using clwave::group_order;
using clwave::lane_exchange;
using clwave::profile_choice;

enum class sub_groups { none, intel, khr };

struct invented {
  std::string name;
  unsigned language;  // 100 to 300
  std::size_t most_in_group;
  device_family family = device_family::generic;
  sub_groups lanes = sub_groups::none;
  unsigned lane_count = 32;
  u64 local_memory = 32768;
  bool atomics = false;
  bool instructions = false;  // inline PTX, or AMD's built-ins
  std::string extensions = {};
};

device_facts facts_of(const invented& device) {
  device_facts facts;
  facts.name = made_up(device.name);
  facts.family = made_up(device.family);
  const std::string number =
      std::to_string(device.language / 100) + "." + std::to_string(device.language / 10 % 10);
  facts.device_version = made_up("OpenCL " + number + " invented");
  facts.opencl_c_newest = made_up(device.language);
  facts.max_work_group_size = made_up(device.most_in_group);
  facts.max_work_item_sizes = made_up(std::vector<std::size_t>{device.most_in_group, 1, 1});
  facts.local_memory = made_up(device.local_memory);
  facts.compute_units = made_up(8u);
  facts.extensions = made_up(device.extensions);
  facts.device_scope_atomics = made_up(device.atomics);
  facts.correctly_rounded_divide_sqrt = made_up(true);
  facts.fp64 = made_up(false);
  facts.lanes_probed = made_up(device.lane_count);
  facts.sub_groups = made_up(device.lanes != sub_groups::none);
  facts.sub_group_shuffle_relative = made_up(device.lanes != sub_groups::none);
  if (device.lanes != sub_groups::none)
    facts.sub_group_shuffle_extension = made_up<std::string>(
        device.lanes == sub_groups::intel ? "cl_intel_subgroups" : "cl_khr_subgroup_shuffle_relative");
  if (device.family == device_family::nvidia) {
    facts.cuda_sm = made_up(90u);
    facts.inline_ptx = made_up(device.instructions);
  }
  if (device.family == device_family::amd) {
    facts.amd_gfx = made_up(0x1030u);
    facts.amd_builtins = made_up(device.instructions);
  }
  return facts;
}

// Every combination that matters, and some that are named.
std::vector<invented> all_devices() {
  std::vector<invented> all = {
      {"Intel on 1.2", 120, 512, device_family::intel, sub_groups::intel, 16},
      {"Intel on 2.0, atomics", 200, 512, device_family::intel, sub_groups::intel, 16, 65536, true},
      {"khr sub-groups on 2.1", 210, 256, device_family::generic, sub_groups::khr, 64},
      {"khr sub-groups that a compiler of 1.2 has not", 120, 256, device_family::generic, sub_groups::khr,
       32},
      {"groups of 12", 120, 12},
      {"NVIDIA, full", 300, 1024, device_family::nvidia, sub_groups::none, 32, 49152, false, true,
       "cl_nv_compiler_options cl_khr_fp64"},
      {"NVIDIA through another driver", 300, 1024, device_family::nvidia, sub_groups::none, 32, 49152, false,
       true, "cl_khr_fp64"},
      {"AMD, groups of 16", 200, 16, device_family::amd, sub_groups::none, 32, 65536, true, true},
  };
  for (const unsigned language : {100u, 110u, 120u, 200u, 210u, 300u}) {
    for (const std::size_t most : {1, 12, 16, 31, 48, 64, 256, 1024}) {
      for (const device_family family : {device_family::generic, device_family::intel, device_family::nvidia,
                                         device_family::amd, device_family::cpu}) {
        for (const sub_groups lanes : {sub_groups::none, sub_groups::intel, sub_groups::khr}) {
          for (const u64 local : {0, 32768}) {
            for (const bool more : {false, true}) {
              all.push_back({"invented", language, most, family, lanes, more ? 32u : 16u,
                             static_cast<u64>(local), more && language >= 200, more, ""});
            }
          }
        }
      }
    }
  }
  return all;
}

std::vector<std::string> words_of(const std::string& line) {
  std::istringstream text(line);
  std::vector<std::string> words;
  for (std::string word; text >> word;) words.push_back(word);
  return words;
}

// What of an option line the device does not know; empty if it knows all.
std::string unknown_in(const std::string& line, const invented& device) {
  const std::vector<std::string> words = words_of(line);
  const auto has = [&](const char* word) { return std::ranges::find(words, word) != words.end(); };
  unsigned asked = 110;  // what a compiler of 1.1 and later takes for granted
  for (const std::string& word : words) {
    if (word.starts_with("-D")) continue;
    if (word.starts_with("-cl-std=CL")) {
      asked = 100 * static_cast<unsigned>(word[10] - '0') + 10 * static_cast<unsigned>(word[12] - '0');
      if (device.language < 110 || asked > device.language) return word;
    } else if (word == "-cl-fp32-correctly-rounded-divide-sqrt") {
      if (device.language < 120) return word;
    } else if (word.starts_with("-cl-nv-")) {
      if (device.extensions.find("cl_nv_compiler_options") == std::string::npos) return word;
    } else {
      return word;
    }
  }
  if (has("-Dclwave_ORDER_OPENCL_ATOMICS=1") && (asked < 200 || !device.atomics)) return "OpenCL's atomics";
  if (has("-Dclwave_EXCHANGE_SUB_GROUP=1") &&
      (device.lanes == sub_groups::none || asked < (device.lanes == sub_groups::intel ? 120u : 200u)))
    return "sub-groups";
  if (has("-Dclwave_DEVICE_NVIDIA=1") && !(device.family == device_family::nvidia && device.instructions))
    return "PTX";
  if (has("-Dclwave_DEVICE_AMD=1") && !(device.family == device_family::amd && device.instructions))
    return "AMD's built-ins";
  return {};
}

// Plans of calls whose shape the row's groups decide, and some of every primitive.
std::vector<call_plan> plans_on(const clwave::plan_target& on) {
  const element& f32 = element_of<float>();
  const element& bytes = element_of<std::uint8_t>();
  const float one = 1;
  std::vector<call_plan> all{plan(clwave::reduce_problem{{f32, 1 << 20}, &f32}, on),
                             plan(clwave::reduce_problem{{bytes, 100}, &bytes}, on),
                             plan(clwave::reduce_problem{{bytes, 1 << 24}, &element_of<u32>()}, on),
                             plan(clwave::copy_problem{{f32, 1 << 20}, f32}, on),
                             plan(clwave::copy_problem{{f32, 1 << 20}, element_of<half>()}, on),
                             plan(clwave::fill_problem{{f32, 1 << 20}, &one}, on)};
  static u64 seed = reference::random_engine().seed();
  for (call_plan& each : some_plans(on, ++seed)) {
    if (!each.kernels.empty()) all.push_back(std::move(each));
  }
  return all;
}

}  // namespace

TEST_CASE("invented devices get a row that they can run, and options that they know") {
  const forced_profile unforced("");
  const environment untuned("CLWAVE_CONFIG_DIR", "off");
  sample devices(8);
  for (const invented& device : all_devices()) {
    if (!devices.takes_next()) continue;
    const device_facts facts = facts_of(device);
    profile_choice choice;
    REQUIRE_NOTHROW(choice = clwave::choose_profile(facts));
    CAPTURES(device.name, device.language, device.most_in_group, static_cast<int>(device.family),
             static_cast<int>(device.lanes), device.local_memory, choice.why);
    REQUIRE(choice.profile != nullptr);
    CHECK_FALSE(choice.why.empty());
    CHECK(choice.lanes <= device.most_in_group);
    CHECK_FALSE(choice.emulated);
    if (device.local_memory == 0) {
      CHECK(choice.profile->name == "cpu");
      CHECK(choice.order == group_order::two_launches);
    }
    for (const call_plan& plan : plans_on({.facts = &facts, .choice = choice})) {
      CAPTURES(plan.primitive, plan.options);
      CHECK(unknown_in(plan.options, device) == "");
      for (const planned_kernel& kernel : plan.kernels) CHECK(kernel.group_size <= device.most_in_group);
    }
  }
}

TEST_CASE("the row for a work-item alone is the last resort, and says why") {
  const forced_profile unforced("");
  const auto choice_for = [](const invented& device) { return clwave::choose_profile(facts_of(device)); };
  const profile_choice tiny = choice_for({"groups of 12", 120, 12});
  CHECK(tiny.profile->name == "cpu");
  CHECK(tiny.lanes == 1);
  CHECK(tiny.why.find("its groups have at most 12 work-items") != std::string::npos);
  invented bare{"no local memory", 120, 256};
  bare.local_memory = 0;
  CHECK(choice_for(bare).profile->name == "cpu");
  CHECK(choice_for(bare).why.find("it has no local memory") != std::string::npos);
  // Sub-groups of 8 fit into groups of 12.
  CHECK(choice_for({"sub-groups of 8", 300, 12, device_family::generic, sub_groups::khr, 8}).profile->name ==
        "subgroup-8");
  CHECK(choice_for({"ordinary", 120, 48}).profile->name == "gpu");
}

TEST_CASE("a language that is older than the sub-groups is not given them") {
  const forced_profile unforced("");
  const auto exchange = [](unsigned language, sub_groups lanes) {
    return clwave::choose_profile(facts_of({"any", language, 256, device_family::generic, lanes, 32}))
        .exchange;
  };
  CHECK(exchange(120, sub_groups::intel) == lane_exchange::sub_group);
  CHECK(exchange(110, sub_groups::intel) == lane_exchange::local_memory);
  CHECK(exchange(200, sub_groups::khr) == lane_exchange::sub_group);
  CHECK(exchange(120, sub_groups::khr) == lane_exchange::local_memory);
}

TEST_CASE("a forced row whose lanes no group can hold is refused, and the row for a work-item alone is not") {
  const device_facts tiny = facts_of({"groups of 12", 120, 12});
  {
    const forced_profile forced("sm_90");
    refuses("at most 12 work-items", [&] { clwave::choose_profile(tiny); });
  }
  const forced_profile forced("cpu");
  CHECK(clwave::choose_profile(tiny).profile->name == "cpu");
}

}  // namespace testing::invented_devices_test
