// Occupancy as JSON and as text.
#include "commands/occupancy_record.hpp"

#include <algorithm>
#include <bit>
#include <sstream>

#include "commands/kernel_figures.hpp"
#include "device/architecture.hpp"
#include "device/device_facts.hpp"
#include "device/occupancy.hpp"

namespace clwave::tool {
using namespace detail;
namespace {

template <class T>
json number_or_null(const std::optional<T>& value) {
  return value ? json(*value) : json(nullptr);
}

json record_of_unit(const unit_limits& unit) {
  return {{"lanes", unit.lanes},
          {"parts", unit.parts},
          {"registers", unit.registers * unit.lanes * unit.parts},
          {"lane_sets", unit.parts * unit.sets},
          {"groups", unit.groups},
          {"local_bytes", unit.local_bytes}};
}

// The limit that the option line gives to NVIDIA's compiler.
std::optional<unsigned> register_cap(const call_plan& plan) {
  constexpr std::string_view option = "-cl-nv-maxrregcount=";
  const std::size_t at = plan.options.find(option);
  if (at == std::string::npos) return std::nullopt;
  return static_cast<unsigned>(std::stoul(plan.options.substr(at + option.size())));
}

json occupancy_record(const unit_limits* unit, const std::string& note, const call_plan& plan,
                      unsigned compute_units, const std::vector<kernel_figures>& figures, bool counts) {
  json kernels = json::array();
  for (const planned_kernel& planned : plan.kernels) {
    const auto same = [&](const json& known) { return known["name"] == planned.name; };
    if (std::ranges::any_of(kernels, same)) continue;
    const auto found = std::ranges::find(figures, planned.name, &kernel_figures::name);
    kernel_figures of_kernel = found != figures.end() ? *found : kernel_figures{};
    if (found == figures.end()) {
      of_kernel.local_bytes = planned.local_bytes;
      of_kernel.registers_from = "not known without a build";
    }
    if (const auto cap = register_cap(plan); cap && !of_kernel.registers) {
      of_kernel.registers = *cap;
      of_kernel.registers_from += "; at most, by the limit given to the compiler";
    }
    json one = {{"name", planned.name},
                {"group_size", planned.group_size},
                {"group_limit", number_or_null(of_kernel.group_limit)},
                {"registers", number_or_null(of_kernel.registers)},
                {"registers_from", of_kernel.registers_from},
                {"local_bytes", number_or_null(of_kernel.local_bytes)},
                {"private_bytes", number_or_null(of_kernel.private_bytes)},
                {"spilled_bytes", number_or_null(of_kernel.spilled_bytes)},
                {"groups_per_unit", nullptr},
                {"most_groups_per_unit", nullptr},
                {"lane_sets_per_unit", nullptr},
                {"most_lane_sets_per_unit", nullptr},
                {"limited_by", nullptr}};
    if (unit != nullptr && counts) {
      const occupancy o = occupancy_of(*unit, {.registers = of_kernel.registers,
                                               .local_bytes = of_kernel.local_bytes.value_or(0),
                                               .group_size = static_cast<unsigned>(planned.group_size),
                                               .groups = planned.groups,
                                               .compute_units = compute_units});
      one["groups_per_unit"] = o.groups;
      one["most_groups_per_unit"] = o.most_groups;
      one["lane_sets_per_unit"] = o.sets;
      one["most_lane_sets_per_unit"] = o.most_sets;
      one["limited_by"] = o.limited_by;
    }
    kernels.push_back(std::move(one));
  }
  return {{"unit", unit != nullptr ? record_of_unit(*unit) : json(nullptr)},
          {"note", note},
          {"kernels", kernels}};
}

constexpr const char* on_a_cpu = "one group runs on a core at a time: nothing limits how many";
constexpr const char* not_in_table = "what a compute unit of this architecture holds is in no table here";

std::string note_of(const unit_limits* unit, bool emulated) {
  if (emulated) return "the profile's lanes are emulated: the figures are the device's own all the same";
  return unit == nullptr ? not_in_table : "";
}

// Builds the plan, and others with smaller groups until the kernels take them.
void fit(plan_target& on, const planned_primitive& primitive, call_plan& plan,
         std::vector<kernel_figures>& figures) {
  while (!plan.kernels.empty()) {
    figures = build_and_ask(*on.facts, plan);
    std::uint64_t limit = ~std::uint64_t{0};
    std::uint64_t largest = 1;
    for (const planned_kernel& planned : plan.kernels) {
      const auto own = std::ranges::find(figures, planned.name, &kernel_figures::name)->group_limit;
      if (own.value_or(0) > 0) limit = std::min(limit, *own);
      largest = std::max(largest, planned.group_size);
    }
    if (largest <= limit || std::bit_floor(limit) < on.choice.lanes) return;
    on.group_limit = static_cast<unsigned>(std::bit_floor(limit));
    plan = primitive.plan(on);
    plan.rejected.push_back({"groups of " + std::to_string(largest),
                             "the compiled kernel takes at most " + std::to_string(limit) + " work-items"});
  }
}

}  // namespace

json build_and_fit(plan_target& on, const planned_primitive& primitive, call_plan& plan) {
  const device_facts& facts = *on.facts;
  const device_family family = family_of(facts);
  const unsigned usual = family == device_family::nvidia ? 32 : 64;
  const unit_limits* unit = find_unit(
      family, family == device_family::nvidia ? facts.cuda_sm.value_or(0) : facts.amd_gfx.value_or(0),
      facts.lanes_probed.value_or(facts.warp_size.value_or(usual)));
  std::vector<kernel_figures> figures;
  std::string note = family == device_family::cpu ? on_a_cpu : note_of(unit, on.choice.emulated);
  const auto add_note = [&note](const std::string& more) { note += (note.empty() ? "" : "; ") + more; };
  if (!facts.compiler_available.value_or(true)) {
    add_note("this device has no compiler");
  } else {
    try {
      fit(on, primitive, plan, figures);
    } catch (const error& e) {
      // The plan is still worth showing.
      const std::string_view what = e.what();
      add_note("not built: " + std::string(what.substr(0, what.find('\n'))));
      figures.clear();
    }
  }
  return occupancy_record(unit, note, plan, facts.compute_units.value_or(0), figures,
                          family != device_family::cpu);
}

json occupancy_without_device(const std::string& architecture, const plan_target& on, const call_plan& plan) {
  const profile& row = *on.choice.profile;
  unsigned number = row.since;
  if (const auto sm = parse_cuda_sm(architecture); sm && row.family == device_family::nvidia) number = *sm;
  if (row.family == device_family::amd && architecture.starts_with("gfx"))
    number = parse_amd_gfx(architecture).value_or(number);
  const unit_limits* unit = find_unit(row.family, number, row.lanes);
  const bool cpu = row.exchange == lane_exchange::none;
  return occupancy_record(unit, cpu ? on_a_cpu : note_of(unit, false), plan, on.compute_units, {}, !cpu);
}

std::vector<std::string> lines_of_occupancy(const json& record) {
  std::vector<std::string> lines;
  for (const json& kernel : record["kernels"]) {
    std::ostringstream line;
    const auto bytes = [&](const char* name, const char* what) {
      line << ", ";
      if (kernel[name].is_null())
        line << what << " memory not known";
      else
        line << kernel[name] << " bytes of " << what << " memory";
    };
    line << kernel["name"].get<std::string>() << ": ";
    if (kernel["registers"].is_null())
      line << "registers unknown (" << kernel["registers_from"].get<std::string>() << ")";
    else
      line << kernel["registers"] << " registers (" << kernel["registers_from"].get<std::string>() << ")";
    bytes("local_bytes", "local");
    bytes("private_bytes", "private");
    if (!kernel["spilled_bytes"].is_null()) line << ", " << kernel["spilled_bytes"] << " bytes spilled";
    if (!kernel["group_limit"].is_null()) line << ", groups of " << kernel["group_limit"] << " at most";
    if (!kernel["groups_per_unit"].is_null())
      line << "; " << (kernel["registers"].is_null() ? "at most " : "") << kernel["groups_per_unit"]
           << " groups on a compute unit, " << kernel["lane_sets_per_unit"] << " of "
           << kernel["most_lane_sets_per_unit"] << " lane sets, limited by "
           << kernel["limited_by"].get<std::string>();
    lines.push_back(line.str());
  }
  if (!record["note"].get<std::string>().empty()) lines.push_back(record["note"].get<std::string>());
  return lines;
}

}  // namespace clwave::tool
