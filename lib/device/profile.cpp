// From a device's facts to a profile of the table, and how that profile will run there. The candidates are
// those of the device's generation, then sub-groups of any GPU, then local memory, then a work-item alone;
// the first without an obstacle is taken, with the numbers that `clwave tune` has kept for it. CLWAVE_PROFILE
// forces another, whose lanes are emulated where the device lacks them. Who asks, and keeps the choice:
// call/known_device.cpp.
#include <clwave/profile.hpp>

#include <algorithm>
#include <cstdlib>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <clwave/error.hpp>

#include "base/environment.hpp"
#include "base/nearest.hpp"
#include "device/architecture.hpp"
#include "device/device_facts.hpp"
#include "device/distrust.hpp"
#include "device/tuning.hpp"

namespace clwave {
using namespace detail;
namespace {

// What a profile's `since` is compared with. No value where the architecture is not known.
std::optional<unsigned> architecture_number(const device_facts& facts) {
  switch (family_of(facts)) {
    case device_family::nvidia:
      return facts.cuda_sm.value;
    case device_family::amd:
      return facts.amd_gfx.value;
    case device_family::intel:
      if (facts.intel_ip) return *facts.intel_ip >> 14;
      break;
    case device_family::cpu:
    case device_family::generic:
      break;
  }
  return std::nullopt;
}

// "Hopper", "CDNA2", "Xe2"; empty for what no table knows.
std::string_view generation_of(device_family family, unsigned number) {
  if (family == device_family::nvidia) {
    if (const auto* found = find_nvidia_architecture(number)) return found->generation;
  } else if (family == device_family::amd) {
    if (const auto* found = find_amd_architecture(number)) return found->generation;
  } else if (family == device_family::intel) {
    if (const auto* found = find_intel_architecture(number)) return found->generation;
  }
  return {};
}

bool generation_has_rows(device_family family, std::string_view generation) {
  if (generation.empty()) return false;
  return std::ranges::any_of(profiles(), [&](const profile& p) {
    return p.family == family && generation_of(family, p.since) == generation;
  });
}

// Whether the profile is meant for that architecture: not newer than it, and of its own generation where
// the table has one. Order of numbers alone would hand gfx90c, a Vega, the profile of gfx90a, a CDNA2.
bool serves(const profile& p, device_family family, unsigned number) {
  if (p.family != family || p.since > number) return false;
  const std::string_view generation = generation_of(family, number);
  return !generation_has_rows(family, generation) || generation_of(family, p.since) == generation;
}

const profile* first_serving(device_family family, unsigned number) {
  for (const profile& p : profiles()) {
    if (serves(p, family, number)) return &p;
  }
  return nullptr;
}

// The device is newer than its family's newest profile. A known sibling of that profile is not.
bool is_newer_than_all(const profile& p, device_family family, unsigned number) {
  for (const profile& newest : profiles()) {
    if (newest.family != family) continue;
    return newest.since == p.since && !generation_has_rows(family, generation_of(family, number));
  }
  return false;
}

// What a running kernel saw, or failing that what the driver says.
std::optional<unsigned> lanes_of(const device_facts& facts) {
  return facts.lanes_probed ? facts.lanes_probed.value : facts.warp_size.value;
}

std::string architecture_of(const device_facts& facts) {
  return facts.architecture.value_or(facts.name.value_or("this device"));
}

bool runs_sub_groups_of(unsigned lanes, const device_facts& facts) {
  // Where a kernel may ask for a size, the probe's own size says nothing about other kernels.
  if (facts.sub_group_size_selectable.value_or(false) && facts.sub_group_sizes) {
    return std::ranges::any_of(*facts.sub_group_sizes, [&](std::size_t size) { return size == lanes; });
  }
  return facts.lanes_probed && *facts.lanes_probed == lanes;
}

// Why the device cannot run groups of the profile's lanes, by whatever they exchange values; empty where it
// can.
std::string group_obstacle(const profile& p, const device_facts& facts) {
  if (p.lanes == 1) return {};  // a work-item alone runs anywhere
  if (const std::size_t most = largest_group(facts, p.lanes); most < p.lanes)
    return "its groups have at most " + std::to_string(most) + " work-items";
  if (facts.local_memory.value_or(1) == 0) return "it has no local memory";
  return {};
}

// Why the profile's instructions or lanes do not exist on the device; empty where they do.
std::string obstacle(const profile& p, const device_facts& facts) {
  const auto lanes_differ = [&]() -> std::string {
    const auto lanes = lanes_of(facts);
    if (!lanes) return "how many lanes it runs is not known";
    if (*lanes == p.lanes) return {};
    return "it runs " + std::to_string(*lanes) + " lanes, not " + std::to_string(p.lanes);
  };

  if (p.exchange == lane_exchange::none) return {};
  if (const auto found_out = distrusted(facts.device, p.name)) return *found_out;
  if (std::string reason = group_obstacle(p, facts); !reason.empty()) return reason;
  if (p.exchange == lane_exchange::sub_group) {
    // A CPU is asked only where CLWAVE_PROFILE says so. Not probed there, and Intel's extension not to be
    // believed there: PoCL 5.0 announces it, has no shuffle, and crashes on a kernel that asks for its
    // sub-group's size.
    if (family_of(facts) == device_family::cpu &&
        facts.sub_group_shuffle_extension.value_or("") != "cl_khr_subgroup_shuffle_relative") {
      return "a CPU's sub-groups are not relied on without cl_khr_subgroup_shuffle_relative";
    }
    if (!facts.sub_groups.value_or(false)) return "it has no sub-groups";
    if (!facts.sub_group_shuffle_relative.value_or(false)) return "its sub-groups have no shuffle up";
    // Intel's are an extension of OpenCL C 1.2, others of 2.0.
    const unsigned needed =
        facts.sub_group_shuffle_extension.value_or("") == "cl_intel_subgroups" ? 120 : 200;
    if (const unsigned known = language_of(facts); known != 0 && known < needed)
      return "its compiler's language is older than its sub-groups need";
    if (!runs_sub_groups_of(p.lanes, facts)) {
      return "it is not known to run sub-groups of " + std::to_string(p.lanes);
    }
    return {};
  }
  if (p.family == device_family::generic) {
    // Code meant for a GPU's registers also meets compilers' defects there: PoCL 3.1 unrolls argmin's loops
    // wrongly.
    return family_of(facts) == device_family::cpu ? "a CPU runs a group as a loop" : "";
  }
  if (p.family != family_of(facts)) return "its family is " + std::string(name_of(family_of(facts)));

  const auto number = architecture_number(facts);
  if (!number) return "its architecture is not known";
  if (*number < p.since) return architecture_of(facts) + " is older";
  if (p.family == device_family::nvidia) {
    if (!facts.inline_ptx.value_or(false)) return "its compiler is not known to take inline PTX";
    // Newer PTX has no shuffle without a list of participants.
    if (p.exchange == lane_exchange::shuffle && *number >= 70)
      return "from SM 70 on, a shuffle must be .sync";
  }
  if (p.family == device_family::amd) {
    if (!facts.amd_builtins.value_or(false)) return "its compiler is not known to have AMD's built-ins";
    // RDNA dropped row_bcast.
    if (p.exchange == lane_exchange::dpp_row_bcast && *number >= 0x1000)
      return "gfx10 and later have no row_bcast";
  }
  return lanes_differ();
}

// Fences are bound to the device, never to the profile: a forced profile must still order memory for real.
group_order order_on(const device_facts& facts) {
  // A group says in local memory whether it is the last.
  if (facts.local_memory.value_or(1) == 0) return group_order::two_launches;
  const device_family family = family_of(facts);
  if (family == device_family::nvidia && facts.inline_ptx.value_or(false)) return group_order::ptx_fence;
  if (family == device_family::amd && facts.amd_builtins.value_or(false)) return group_order::amd_fence;
  const unsigned language = language_of(facts);
  if (facts.device_scope_atomics.value_or(false) && (language == 0 || language >= 200))
    return group_order::opencl_atomics;
  return group_order::two_launches;
}

// Such instructions are one architecture's alone: no later one need have them.
beyond_state beyond_on(const profile& p, const device_facts& facts) {
  if (p.beyond.target.empty()) return beyond_state::none;
  if (p.family != family_of(facts) || architecture_number(facts) != p.since)
    return beyond_state::other_architecture;
  return refused_second_build(facts.device) ? beyond_state::refused : beyond_state::usable;
}

profile_choice take(const profile& p, const device_facts& facts, std::string why) {
  return {{.profile = &p,
           .lanes = p.lanes,
           .exchange = p.exchange,
           .order = order_on(facts),
           .beyond = beyond_on(p, facts)},
          std::move(why)};
}

std::string quoted(const profile& p) { return std::string(p.name) + " (" + std::string(p.title) + ")"; }

profile_choice choose_forced(const profile& p, const device_facts& facts) {
  if (const std::string reason = group_obstacle(p, facts); !reason.empty())
    throw error(failure::bad_call,
                "CLWAVE_PROFILE asks for profile " + quoted(p) + ", whose sets of lanes have " +
                    std::to_string(p.lanes) + " work-items, and the device cannot run them: " + reason,
                CL_SUCCESS, {.advice = "CLWAVE_PROFILE=cpu runs anywhere"});
  const std::string reason = obstacle(p, facts);
  profile_choice choice = take(p, facts, "CLWAVE_PROFILE asks for profile " + quoted(p));
  choice.forced = true;
  if (!reason.empty()) {
    choice.emulated = true;
    if (choice.beyond != beyond_state::none) choice.beyond = beyond_state::emulated;
    choice.exchange = lane_exchange::local_memory;
    choice.why += "; emulated through local memory, since " + reason;
  } else {
    choice.why += ", which runs here as it is";
  }
  return choice;
}

// The profiles that may serve a device, the best first. The last runs anywhere.
std::vector<const profile*> candidates_for(const device_facts& facts) {
  const device_family family = family_of(facts);
  const auto number = architecture_number(facts);
  std::vector<const profile*> all;
  const auto add_all = [&all](const auto& may_serve) {
    for (const profile& p : profiles())
      if (may_serve(p)) all.push_back(&p);
  };
  if (number) add_all([&](const profile& p) { return serves(p, family, *number); });
  if (family != device_family::cpu) {
    // Sub-groups if there are any, else local memory.
    add_all([](const profile& p) {
      return p.family == device_family::generic && p.exchange == lane_exchange::sub_group;
    });
    all.push_back(find_profile("gpu"));
  }
  all.push_back(find_profile("cpu"));
  return all;
}

// A candidate before the one that is taken, and why it is not.
struct rejected_profile {
  const profile* candidate;
  std::string obstacle;
};

// What is said of a device that gets none of its family's profiles.
std::string why_none_of_family(const device_facts& facts, std::span<const rejected_profile> before) {
  const device_family family = family_of(facts);
  if (family == device_family::generic) return "the device's family has no profiles of its own";
  if (!architecture_number(facts)) return "the device's architecture is not known";
  const std::string device = architecture_of(facts);
  if (before.empty() || before[0].candidate->family != family)
    return device + " is older than every profile of its family";
  return device + " cannot run profile " + std::string(before[0].candidate->name) + ", since " +
         before[0].obstacle;
}

profile_choice take_candidate(const profile& p, const device_facts& facts,
                              std::span<const rejected_profile> before) {
  const device_family family = family_of(facts);
  const std::string device = architecture_of(facts);
  if (family == device_family::cpu)
    return take(p, facts, "the device is a CPU, where a work-item is a group of its own");
  const bool of_family = family != device_family::generic && p.family == family;
  if (of_family && is_newer_than_all(p, family, *architecture_number(facts))) {
    profile_choice choice =
        take(p, facts, device + " is newer than every profile: the newest older one, " + quoted(p));
    choice.unknown_newer = true;
    return choice;
  }
  if (of_family) {
    std::string why = device + ": profile " + quoted(p);
    if (!before.empty())
      why += " instead of " + std::string(before[0].candidate->name) + ", since " + before[0].obstacle;
    return take(p, facts, why);
  }
  const std::string because = why_none_of_family(facts, before);
  if (p.exchange == lane_exchange::sub_group)
    return take(p, facts, because + ": profile " + quoted(p) + ", by its sub-groups");
  if (p.lanes > 1) return take(p, facts, because + ", and no sub-groups to use: profile " + quoted(p));
  return take(
      p, facts,
      because + ", and " + before.back().obstacle + ": profile " + quoted(p) + ", which runs anywhere");
}

// The first candidate that the device can run.
profile_choice choose_by_facts(const device_facts& facts) {
  std::vector<rejected_profile> rejected;
  for (const profile* p : candidates_for(facts)) {
    std::string reason = obstacle(*p, facts);
    if (reason.empty()) return take_candidate(*p, facts, rejected);
    rejected.push_back({p, std::move(reason)});
  }
  throw error(failure::internal, "no profile runs on the device");
}

[[noreturn]] void unknown_profile(const std::string& message, const std::string& given,
                                  const std::string& also) {
  std::vector<std::string> names;
  for (const profile& p : profiles()) names.emplace_back(p.name);
  const std::vector<std::string> near = nearest(given, names, 4);
  std::string list;
  for (const std::string& name : near.empty() ? names : near) list += (list.empty() ? "" : " ") + name;
  throw error(failure::bad_call, message, CL_SUCCESS,
              {.advice = (near.empty() ? "choose one of: " : "near it are: ") + list + also});
}

}  // namespace

std::string_view name_of(lane_exchange exchange) {
  switch (exchange) {
    case lane_exchange::shuffle_sync:
      return "shuffle_sync";
    case lane_exchange::shuffle:
      return "shuffle";
    case lane_exchange::dpp_row_bcast:
      return "dpp_row_bcast";
    case lane_exchange::dpp_permlanex16:
      return "dpp_permlanex16";
    case lane_exchange::swizzle:
      return "swizzle";
    case lane_exchange::sub_group:
      return "sub_group";
    case lane_exchange::local_memory:
      return "local_memory";
    case lane_exchange::none:
      break;
  }
  return "none";
}

std::string_view name_of(matrix_unit unit) {
  switch (unit) {
    case matrix_unit::mma_sync:
      return "mma_sync";
    case matrix_unit::mfma:
      return "mfma";
    case matrix_unit::wmma:
      return "wmma";
    case matrix_unit::wmma_12:
      return "wmma_12";
    case matrix_unit::wgmma:
      return "wgmma";
    case matrix_unit::emulated:
      return "emulated";
    case matrix_unit::none:
      break;
  }
  return "none";
}

std::string_view name_of(group_order order) {
  switch (order) {
    case group_order::ptx_fence:
      return "ptx_fence";
    case group_order::amd_fence:
      return "amd_fence";
    case group_order::opencl_atomics:
      return "opencl_atomics";
    case group_order::two_launches:
      break;
  }
  return "two_launches";
}

profile_choice choose_profile(const device_facts& facts) {
  const char* forced = environment("CLWAVE_PROFILE");
  profile_choice choice;
  if (forced == nullptr) {
    choice = choose_by_facts(facts);
    apply_tunings(choice, facts);
  } else {
    const profile* p = find_profile(forced);
    if (p == nullptr)
      unknown_profile("CLWAVE_PROFILE=" + std::string(forced) + " names no profile", forced, "");
    choice = choose_forced(*p, facts);
  }
  apply_trial(choice);
  return choice;
}

profile_choice choose_profile_for(std::string_view architecture) {
  const auto take_profile = [](const profile& p, std::string why) {
    return profile_choice{{.profile = &p,
                           .lanes = p.lanes,
                           .exchange = p.exchange,
                           .order = p.order,
                           .beyond = p.beyond.target.empty() ? beyond_state::none : beyond_state::usable},
                          std::move(why)};
  };
  if (const profile* p = find_profile(architecture)) {
    return take_profile(*p, "profile " + quoted(*p) + ", by its name");
  }
  const std::string name(architecture);
  device_family family = device_family::nvidia;
  std::optional<unsigned> number = parse_cuda_sm(architecture);
  if (!number && architecture.starts_with("gfx")) {
    family = device_family::amd;
    number = parse_amd_gfx(architecture);
  }
  if (number) {
    if (const profile* p = first_serving(family, *number)) {
      profile_choice choice = take_profile(*p, name + ": profile " + quoted(*p));
      if (choice.beyond == beyond_state::usable && *number != p->since)
        choice.beyond = beyond_state::other_architecture;
      if (is_newer_than_all(*p, family, *number)) {
        choice.unknown_newer = true;
        choice.why = name + " is newer than every profile: the newest older one, " + quoted(*p);
      } else if (generation_of(family, *number).empty()) {
        choice.why =
            name + " is in no table of architectures: the profile of the next older one, " + quoted(*p);
      }
      return choice;
    }
  }
  unknown_profile("\"" + name + "\" is no architecture that the profiles cover", name,
                  ", or any sm_NN or gfxNNN they cover");
}

}  // namespace clwave
