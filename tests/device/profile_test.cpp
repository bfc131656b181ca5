// Profiles: the table's own rules, and the rows chosen for hand-made devices.
#include <doctest/doctest.h>

#include <bit>
#include <iterator>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include <clwave/device.hpp>
#include <clwave/error.hpp>
#include <clwave/profile.hpp>

#include "base/environment.hpp"
#include "device/tuning.hpp"
#include "harness/environment.hpp"
#include "harness/made_up.hpp"
#include "harness/reference.hpp"
#include "harness/refusals.hpp"

namespace testing::profile_test {

using clwave::choose_profile;
using clwave::choose_profile_for;
using clwave::device_facts;
using clwave::device_family;
using clwave::group_order;
using clwave::lane_exchange;
using clwave::profile_choice;
using clwave::provenance;

namespace {

device_facts nvidia_device(unsigned sm) {
  device_facts facts;
  facts.family = made_up(device_family::nvidia);
  facts.cuda_sm = made_up(sm);
  facts.architecture = made_up<std::string>("sm_" + std::to_string(sm));
  facts.warp_size = made_up(32u);
  facts.lanes_probed = made_up(32u);
  facts.inline_ptx = made_up(true);
  facts.sub_groups = made_up(false);
  facts.device_scope_atomics = made_up(false);  // as an H200's driver says
  return facts;
}

device_facts amd_device(unsigned gfx, unsigned lanes) {
  device_facts facts;
  facts.family = made_up(device_family::amd);
  facts.amd_gfx = made_up(gfx);
  facts.warp_size = made_up(lanes);
  facts.lanes_probed = made_up(lanes);
  facts.amd_builtins = made_up(true);
  facts.device_scope_atomics = made_up(true);
  return facts;
}

void give_sub_groups(device_facts& facts, unsigned lanes) {
  facts.sub_groups = made_up(true);
  facts.sub_group_shuffle_relative = made_up(true);
  facts.lanes_probed = made_up(lanes);
}

device_facts intel_device(unsigned arch, unsigned release) {
  device_facts facts;
  facts.family = made_up(device_family::intel);
  facts.intel_ip = made_up<std::uint32_t>(arch << 22 | release << 14);
  give_sub_groups(facts, 32);
  facts.sub_group_size_selectable = made_up(true);
  facts.sub_group_sizes = made_up(std::vector<std::size_t>{8, 16, 32});
  facts.device_scope_atomics = made_up(true);
  return facts;
}

device_facts cpu_device() {
  device_facts facts;
  facts.family = made_up(device_family::cpu);
  facts.lanes_probed = made_up(1u);
  facts.sub_groups = made_up(false);
  facts.device_scope_atomics = made_up(true);
  return facts;
}

std::string row_for(const device_facts& facts) { return std::string(choose_profile(facts).profile->name); }

}  // namespace

TEST_CASE("the table keeps its own rules") {
  std::set<std::string_view> names;
  std::map<device_family, unsigned> last;
  for (const clwave::profile& row : clwave::profiles()) {
    CAPTURE(row.name);
    CHECK(names.insert(row.name).second);
    CHECK_FALSE(row.title.empty());
    CHECK_FALSE(row.evidence.empty());
    CHECK(clwave::find_profile(row.name) == &row);
    // Newest first.
    if (last.contains(row.family)) CHECK(row.since <= last[row.family]);
    last[row.family] = row.since;
    for (const std::string_view primitive : clwave::detail::tuned_primitives()) {
      CAPTURE(primitive);
      const clwave::detail::tunable_numbers numbers = clwave::detail::tuning_of(row, primitive);
      if (row.exchange == lane_exchange::none && numbers.empty()) continue;
      CHECK(clwave::detail::fault_of(row, primitive, numbers) == "");
    }
    CHECK((row.lanes & (row.lanes - 1)) == 0);
    // The kernels unroll by these, or halve them.
    for (const unsigned number : {row.fold.waiting_tiles, row.fold.result_items, row.fold.block})
      CHECK(std::has_single_bit(number));
    CHECK(row.fold.located_bytes >= 8);  // one value of any width
    CHECK((row.exchange == lane_exchange::none) == (row.lanes == 1));
    CHECK((row.order == group_order::ptx_fence) == (row.family == device_family::nvidia));
    CHECK((row.order == group_order::amd_fence) == (row.family == device_family::amd));
  }
  CHECK(clwave::find_profile("sm_9000") == nullptr);
  CHECK(clwave::find_profile("") == nullptr);
}

TEST_CASE("NVIDIA devices get the newest row of their generation") {
  const forced_profile none("");
  const profile_choice h200 = choose_profile(nvidia_device(90));
  CHECK(h200.profile->name == "sm_90");
  CHECK(h200.exchange == lane_exchange::shuffle_sync);
  CHECK(h200.order == group_order::ptx_fence);
  CHECK(h200.lanes == 32);
  CHECK_FALSE(h200.forced);
  CHECK_FALSE(h200.emulated);
  CHECK_FALSE(h200.unknown_newer);
  CHECK_FALSE(h200.why.empty());

  CHECK(row_for(nvidia_device(121)) == "sm_120");
  CHECK_FALSE(choose_profile(nvidia_device(121)).unknown_newer);
  CHECK(row_for(nvidia_device(110)) == "sm_100");
  CHECK(row_for(nvidia_device(87)) == "sm_86");
  CHECK(row_for(nvidia_device(72)) == "sm_70");
  CHECK(row_for(nvidia_device(62)) == "sm_61");
  CHECK(row_for(nvidia_device(60)) == "sm_60");
  CHECK(row_for(nvidia_device(37)) == "sm_35");
  CHECK(row_for(nvidia_device(21)) == "sm_20");
  CHECK(choose_profile(nvidia_device(60)).exchange == lane_exchange::shuffle);
}

TEST_CASE("a device newer than every row gets the newest older one, and is told so") {
  const forced_profile none("");
  const profile_choice nvidia = choose_profile(nvidia_device(130));
  CHECK(nvidia.profile->name == "sm_120");
  CHECK(nvidia.unknown_newer);
  CHECK(nvidia.why.find("newer") != std::string::npos);
  const profile_choice amd = choose_profile(amd_device(0x1300, 32));
  CHECK(amd.profile->name == "gfx1200");
  CHECK(amd.unknown_newer);
  CHECK(choose_profile(amd_device(0x1300, 64)).profile->name == "gfx1200-wave64");
  CHECK(choose_profile(intel_device(35, 0)).unknown_newer);
}

TEST_CASE("NVIDIA without inline PTX takes what is left") {
  const forced_profile none("");
  device_facts facts = nvidia_device(89);
  facts.inline_ptx = made_up(false);
  profile_choice choice = choose_profile(facts);
  CHECK(choice.profile->name == "gpu");
  CHECK(choice.exchange == lane_exchange::local_memory);
  CHECK(choice.order == group_order::two_launches);
  CHECK_FALSE(choice.emulated);

  facts.device_scope_atomics = made_up(true);
  CHECK(choose_profile(facts).order == group_order::opencl_atomics);

  give_sub_groups(facts, 32);
  choice = choose_profile(facts);
  CHECK(choice.profile->name == "subgroup-32");
  CHECK(choice.exchange == lane_exchange::sub_group);

  // Nor may lanes be guessed: a warp that is not 32 wide is none that the rows know.
  device_facts odd = nvidia_device(90);
  odd.lanes_probed = made_up(16u);
  CHECK(row_for(odd) == "gpu");
}

TEST_CASE("AMD devices get the row of their generation and of the lanes that ran") {
  const forced_profile none("");
  const profile_choice mi250 = choose_profile(amd_device(0x90a, 64));
  CHECK(mi250.profile->name == "gfx90a");
  CHECK(mi250.exchange == lane_exchange::dpp_row_bcast);
  CHECK(mi250.order == group_order::amd_fence);

  CHECK(row_for(amd_device(0x1031, 32)) == "gfx1030");
  const profile_choice wave64 = choose_profile(amd_device(0x1030, 64));
  CHECK(wave64.profile->name == "gfx1030-wave64");
  CHECK(wave64.lanes == 64);
  CHECK(wave64.exchange == lane_exchange::dpp_permlanex16);
  CHECK_FALSE(wave64.emulated);
  CHECK(wave64.why.find("64 lanes") != std::string::npos);

  CHECK(row_for(amd_device(0x90c, 64)) == "gfx906");  // a Vega, though its number is above gfx90a's
  CHECK(row_for(amd_device(0x902, 64)) == "gfx900");
  CHECK(row_for(amd_device(0x942, 64)) == "gfx942");
  CHECK(row_for(amd_device(0x801, 64)) == "gfx803");
  CHECK(row_for(amd_device(0x810, 64)) == "gfx803");
  CHECK(row_for(amd_device(0x704, 64)) == "gfx700");
  CHECK(row_for(amd_device(0x601, 64)) == "gfx600");
  CHECK(row_for(amd_device(0x1151, 32)) == "gfx1100");
  CHECK(row_for(amd_device(0x1201, 32)) == "gfx1200");
  CHECK(row_for(amd_device(0x90a, 32)) == "gpu");  // no such thing: trust no row of that family

  device_facts blind = amd_device(0x1030, 32);
  blind.lanes_probed = {};
  blind.warp_size = {};
  CHECK(row_for(blind) == "gpu");
}

TEST_CASE("rusticl on an AMD card goes by sub-groups") {
  const forced_profile none("");
  device_facts facts = amd_device(0x1030, 32);
  facts.amd_builtins = made_up(false);
  facts.lanes_probed = {};
  CHECK(row_for(facts) == "gpu");
  give_sub_groups(facts, 64);
  CHECK(row_for(facts) == "subgroup-64");
  CHECK(choose_profile(facts).order == group_order::opencl_atomics);
  give_sub_groups(facts, 32);
  CHECK(row_for(facts) == "subgroup-32");
  facts.sub_group_shuffle_relative = made_up(false);
  CHECK(row_for(facts) == "gpu");
}

TEST_CASE("Intel devices get 16 lanes where a kernel can ask for them") {
  const forced_profile none("");
  CHECK(row_for(intel_device(12, 60)) == "xe-hpc");
  CHECK(row_for(intel_device(12, 71)) == "xe");
  CHECK(row_for(intel_device(20, 4)) == "xe2");
  CHECK(row_for(intel_device(9, 0)) == "gen9");
  CHECK(choose_profile(intel_device(12, 55)).lanes == 16);

  device_facts fixed = intel_device(12, 0);
  fixed.sub_group_size_selectable = made_up(false);
  give_sub_groups(fixed, 32);
  CHECK(row_for(fixed) == "subgroup-32");
  give_sub_groups(fixed, 16);
  CHECK(row_for(fixed) == "xe");

  device_facts nameless = intel_device(12, 0);
  nameless.intel_ip = {};
  CHECK(choose_profile(nameless).exchange == lane_exchange::sub_group);
}

TEST_CASE("a CPU and an unknown device") {
  const forced_profile none("");
  const profile_choice cpu = choose_profile(cpu_device());
  CHECK(cpu.profile->name == "cpu");
  CHECK(cpu.lanes == 1);
  CHECK(cpu.exchange == lane_exchange::none);
  CHECK(cpu.order == group_order::opencl_atomics);
  device_facts old_cpu = cpu_device();
  old_cpu.device_scope_atomics = made_up(false);
  CHECK(choose_profile(old_cpu).order == group_order::two_launches);

  const profile_choice unknown = choose_profile(device_facts{});
  CHECK(unknown.profile->name == "gpu");
  CHECK(unknown.order == group_order::two_launches);
}

TEST_CASE("every row can be forced on every device, with the device's own fences") {
  struct {
    device_facts facts;
    group_order order;
  } const cases[] = {{nvidia_device(90), group_order::ptx_fence},
                     {amd_device(0x90a, 64), group_order::amd_fence},
                     {intel_device(20, 1), group_order::opencl_atomics},
                     {cpu_device(), group_order::opencl_atomics},
                     {device_facts{}, group_order::two_launches}};
  for (const auto& each : cases) {
    for (const clwave::profile& row : clwave::profiles()) {
      const forced_profile force{std::string(row.name)};
      const profile_choice choice = choose_profile(each.facts);
      CAPTURE(row.name);
      CHECK(choice.forced);
      CHECK(choice.profile == &row);
      CHECK(choice.lanes == row.lanes);
      CHECK(choice.order == each.order);
      CHECK(choice.exchange == (choice.emulated ? lane_exchange::local_memory : row.exchange));
      if (row.exchange == lane_exchange::none) CHECK_FALSE(choice.emulated);
      const bool foreign = row.family == device_family::nvidia || row.family == device_family::amd;
      if (foreign && each.facts.family.value != row.family && row.lanes > 1) CHECK(choice.emulated);
    }
  }
}

TEST_CASE("a forced row is emulated only where it does not run") {
  const auto emulated = [](const char* row, const device_facts& facts) {
    const forced_profile force(row);
    return choose_profile(facts).emulated;
  };
  CHECK_FALSE(emulated("sm_90", nvidia_device(90)));
  CHECK_FALSE(emulated("sm_70", nvidia_device(90)));
  CHECK(emulated("sm_60", nvidia_device(90)));   // its shuffle is gone
  CHECK(emulated("sm_120", nvidia_device(90)));  // newer than the device
  CHECK_FALSE(emulated("sm_20", nvidia_device(90)));
  CHECK_FALSE(emulated("gfx1030-wave64", amd_device(0x1030, 64)));
  CHECK(emulated("gfx1030-wave64", amd_device(0x1030, 32)));
  CHECK(emulated("gfx1030", amd_device(0x1030, 64)));
  CHECK(emulated("gfx900", amd_device(0x1030, 64)));  // no row_bcast
  CHECK_FALSE(emulated("gfx900", amd_device(0x90a, 64)));
  CHECK_FALSE(emulated("subgroup-8", intel_device(12, 0)));
  CHECK(emulated("subgroup-64", intel_device(12, 0)));
  CHECK(emulated("subgroup-16", cpu_device()));
  CHECK(emulated("gpu", cpu_device()));
  // As PoCL 5.0 presents itself; the shuffle it announces does not link.
  device_facts boastful = intel_device(12, 0);
  boastful.family = made_up(device_family::cpu);
  CHECK(emulated("subgroup-16", boastful));
  CHECK(emulated("xe", boastful));
  CHECK_FALSE(emulated("cpu", nvidia_device(90)));
}

TEST_CASE("CLWAVE_PROFILE with an unknown name is an error that lists the names near it, or all") {
  for (const auto& [given, listed] :
       {std::pair("sm_9000", "near it are: "), std::pair("anything", "gfx1030-wave64")}) {
    const std::string name(given);
    CAPTURE(name);
    const forced_profile force(name);
    refuses(listed, [&] { choose_profile(cpu_device()); });
  }
}

// They look the variables up again only where the environment's list is another.
TEST_CASE("calls see each change of the environment") {
  reference::random_engine random;
  constexpr const char* names[] = {"CLWAVE_PROFILE", "CLWAVE_KERNEL_DIR", "OF_A_TEST_1", "OF_A_TEST_2",
                                   "OF_A_TEST_3"};
  constexpr const char* values[] = {"", "cpu", "gpu", "sm_90"};
  const auto as_text = [](const char* value) { return std::string(value != nullptr ? value : "none"); };
  std::vector<std::unique_ptr<environment>> changes;  // the last one goes first
  std::set<std::string> seen;
  for (int round = 0; round < 2000; ++round) {
    for (std::size_t n = random.below(4); n-- > 0;) {
      if (!changes.empty() && random.below(2) == 0) {
        changes.pop_back();
        continue;
      }
      const std::size_t value = random.below(std::size(values) + 1);
      changes.push_back(std::make_unique<environment>(
          names[random.below(std::size(names))],
          value < std::size(values) ? std::optional<std::string>(values[value]) : std::nullopt));
    }
    const clwave::detail::call_variables found = clwave::detail::variables_of_calls();
    CHECK(as_text(found.profile) == as_text(clwave::detail::environment("CLWAVE_PROFILE")));
    CHECK(as_text(found.kernel_folder) == as_text(clwave::detail::environment("CLWAVE_KERNEL_DIR")));
    seen.insert(as_text(found.profile));
  }
  CHECK(seen.size() >= 4);
  while (!changes.empty()) changes.pop_back();
}

TEST_CASE("an architecture can be chosen for without a device") {
  for (const clwave::profile& row : clwave::profiles()) {
    const profile_choice choice = choose_profile_for(row.name);
    CHECK(choice.profile == &row);
    CHECK(choice.order == row.order);
    CHECK(choice.exchange == row.exchange);
    CHECK_FALSE(choice.emulated);
  }
  CHECK(choose_profile_for("sm_87").profile->name == "sm_86");
  CHECK(choose_profile_for("sm_90a").profile->name == "sm_90");
  CHECK(choose_profile_for("gfx1031").profile->name == "gfx1030");
  CHECK(choose_profile_for("gfx90a:sramecc+:xnack-").profile->name == "gfx90a");
  CHECK(choose_profile_for("gfx11-generic").profile->name == "gfx1100");
  CHECK(choose_profile_for("sm_130").unknown_newer);
  CHECK_FALSE(choose_profile_for("sm_90").unknown_newer);
  for (const char* nonsense : {"", "sm_", "sm_10", "gfx", "gfx500", "banana", "Tonga", "SM_90"}) {
    CAPTURE(nonsense);
    CHECK_THROWS_AS(choose_profile_for(nonsense), clwave::error);
  }
}

TEST_CASE("what a choice says is one sentence") {
  const forced_profile none("");
  device_facts narrow = device_facts{};  // whose groups are too small for any lanes
  narrow.max_work_group_size = made_up(std::size_t{1});
  device_facts unnumbered = nvidia_device(90);
  unnumbered.cuda_sm = {};
  device_facts no_ptx = nvidia_device(90);
  no_ptx.inline_ptx = made_up(false);
  const std::pair<device_facts, std::string> expected[] = {
      {nvidia_device(90), "sm_90: profile sm_90 (NVIDIA Hopper)"},
      {nvidia_device(130),
       "sm_130 is newer than every profile: the newest older one, sm_120 (NVIDIA Blackwell (GeForce, RTX "
       "PRO))"},
      {nvidia_device(10),
       "sm_10 is older than every profile of its family, and no sub-groups to use: profile "
       "gpu (any GPU, through local memory)"},
      {no_ptx,
       "sm_90 cannot run profile sm_90, since its compiler is not known to take inline PTX, and no "
       "sub-groups to use: profile gpu (any GPU, through local memory)"},
      {unnumbered,
       "the device's architecture is not known, and no sub-groups to use: profile gpu (any GPU, "
       "through local memory)"},
      {amd_device(0x1030, 64),
       "this device: profile gfx1030-wave64 (AMD RDNA2, 64 lanes) instead of gfx1030, "
       "since it runs 64 lanes, not 32"},
      {intel_device(12, 60), "this device: profile xe-hpc (Intel Xe-HPC)"},
      {cpu_device(), "the device is a CPU, where a work-item is a group of its own"},
      {device_facts{},
       "the device's family has no profiles of its own, and no sub-groups to use: profile gpu (any "
       "GPU, through local memory)"},
      {narrow,
       "the device's family has no profiles of its own, and its groups have at most 1 work-items: profile "
       "cpu (any CPU), which runs anywhere"}};
  for (const auto& [facts, why] : expected) CHECK(choose_profile(facts).why == why);
}

TEST_CASE("exchanges, orders, provenances and families have names of their own") {
  std::set<std::string_view> names;
  for (int i = 0; i <= static_cast<int>(lane_exchange::none); ++i) {
    CHECK(names.insert(clwave::name_of(static_cast<lane_exchange>(i))).second);
  }
  for (int i = 0; i <= static_cast<int>(group_order::two_launches); ++i) {
    CHECK(names.insert(clwave::name_of(static_cast<group_order>(i))).second);
  }
  for (int i = 0; i <= static_cast<int>(provenance::unknown); ++i) {
    CHECK(names.insert(clwave::name_of(static_cast<provenance>(i))).second);
  }
  for (int i = 0; i <= static_cast<int>(device_family::generic); ++i) {
    CHECK(names.insert(clwave::name_of(static_cast<device_family>(i))).second);
  }
}

}  // namespace testing::profile_test
