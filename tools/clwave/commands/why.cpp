// clwave why: what a call would do on a device or an architecture, and why. On a device its kernels are
// built, but nothing is run.
#include <algorithm>
#include <iterator>
#include <memory>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include <CLI/CLI.hpp>

#include "commands/occupancy_record.hpp"
#include "drivers/visit.hpp"
#include "primitives/planned_primitive.hpp"
#include "shared/output.hpp"
#include "shared/records.hpp"
#include "shared/terminal.hpp"

namespace clwave::tool {
namespace {

constexpr unsigned assumed_compute_units = 64;

struct why_words {
  std::string selector, architecture;
  unsigned compute_units = assumed_compute_units;
  bool compute_units_given = false;
  bool as_json = false, verbose = false;
};

// Words under a heading, in lines that a terminal shows whole.
void print_wrapped(std::string_view heading, const std::vector<std::string>& words) {
  constexpr std::size_t indent = 10, width = 78;
  std::string line(heading);
  for (const std::string& word : words) {
    if (line.size() > indent && line.size() + 1 + word.size() > width) {
      out() << line << '\n';
      line.clear();
    }
    line.resize(std::max(line.size(), indent), ' ');
    if (line.size() > indent) line += ' ';
    line += word;
  }
  out() << line << '\n';
}

std::vector<std::string> words_of(const std::string& text) {
  std::istringstream stream(text);
  return {std::istream_iterator<std::string>(stream), {}};
}

void print_text(const json& all, const call_plan& plan, const json& occupancy, bool verbose) {
  const json& problem = all["problem"];
  out() << plan.primitive;
  for (const auto& [key, value] : problem.items()) {
    if (key != "primitive" && !value.is_object())
      out() << "  " << key << ' ' << (value.is_string() ? value.get<std::string>() : value.dump());
  }
  out() << "\non        " << all["on"].get<std::string>() << "\nprofile   " << short_text_of(plan.choice)
        << ": " << plan.choice.why << '\n';
  for (const auto& [primitive, why] : plan.choice.tuned) {
    if (primitive == plan.primitive) out() << "numbers   " << why << '\n';
  }
  out() << "variant   " << plan.variant << '\n';
  for (const rejected_variant& each : plan.rejected)
    out() << "not       " << each.name << ": " << each.reason << '\n';
  if (plan.rejected.empty()) out() << "not       -: there is no other variant of this call\n";
  for (const std::string& each : plan.remarks) out() << "remark    " << each << '\n';
  if (verbose) {
    print_wrapped("options", words_of(plan.options));
    print_wrapped("modules", plan.modules);
  }
  for (const planned_kernel& kernel : plan.kernels) {
    out() << "kernel    " << kernel.name << ": " << kernel.groups << " groups of " << kernel.group_size
          << ", (";
    const char* separator = "";
    for (const planned_argument& argument : kernel.arguments) {
      out() << separator << argument.name << ": " << argument.kind << ' ' << argument.value;
      separator = ", ";
    }
    out() << ")\n";
  }
  out() << "launches  " << plan.kernels.size() << "\nitems     ";
  const char* separator = "";
  for (const auto& [name, word] : plan.words) {
    if (name != "GROUP_SIZE" && name != "ITEMS" && name != "VECTOR") continue;
    out() << separator << name << ' ' << word;
    separator = ", ";
  }
  out() << "\nworkspace " << plan.workspace_bytes << " bytes\n";
  for (const std::string& line : lines_of_occupancy(occupancy)) out() << "occupancy " << line << '\n';
  for (const auto& [key, value] : problem.items()) {
    if (!value.is_object()) continue;
    out() << key << std::string(key.size() < 10 ? 10 - key.size() : 1, ' ');
    separator = "";
    for (const auto& [name, number] : value.items()) {
      out() << separator << name << ' ' << number;
      separator = ", ";
    }
    out() << '\n';
  }
}

void print(const json& on, const planned_primitive& primitive, const call_plan& plan, const json& occupancy,
           const why_words& words) {
  const json problem = primitive.problem();
  if (!words.as_json) {
    print_text({{"problem", problem}, {"on", on["name"]}}, plan, occupancy, words.verbose);
    return;
  }
  json all = {{"schema", "clwave-plan/1"}};
  all.update(problem);
  all["on"] = on;
  all.update(record_of(plan));
  all["occupancy"] = occupancy;
  out() << text_of(all) << '\n';
}

int explain(const why_words& words, const planned_primitive& primitive) {
  if (words.architecture.empty()) {
    primitive.problem();  // a wrong word is refused before any driver is asked
    const safe_drivers drivers(words.selector);
    const device_facts& facts = facts_of(select_or_absent(words.selector));
    const std::string place = std::to_string(facts.platform_index) + ":" + std::to_string(facts.device_index);
    const json on = {{"name", place + " " + facts.name.value_or("unnamed")},
                     {"emulated", false},
                     {"compute_units", facts.compute_units ? json(*facts.compute_units) : json(nullptr)}};
    plan_target target{.facts = &facts, .choice = choose_profile(facts)};
    call_plan plan = primitive.plan(target);
    const json occupancy = [&] {
      const waiting word("building the kernels");
      return build_and_fit(target, primitive, plan);
    }();
    print(on, primitive, plan, occupancy, words);
    return exit_ok;
  }
  const bool assumed = !words.compute_units_given;
  const json on = {{"name", words.architecture + ", no device, " + std::to_string(words.compute_units) +
                                " compute units" + (assumed ? " assumed (--compute-units)" : "")},
                   {"emulated", true},
                   {"compute_units", words.compute_units},
                   {"compute_units_assumed", assumed}};
  const plan_target target{.choice = choose_profile_for(words.architecture),
                           .compute_units = words.compute_units};
  const call_plan plan = primitive.plan(target);
  print(on, primitive, plan, occupancy_without_device(words.architecture, target, plan), words);
  return exit_ok;
}

}  // namespace

void add_why(CLI::App& app, int& exit) {
  CLI::App* command =
      app.add_subcommand("why", "Shows what a call would do on a device or architecture, and why");
  command->require_subcommand(1);
  auto words = std::make_shared<why_words>();
  CLI::Option* device =
      command->add_option("-d,--device", words->selector, "On this device (see clwave --help)");
  CLI::Option* architecture =
      command->add_option("--emulate", words->architecture,
                          "On this architecture (sm_90, gfx906, a profile's name) without a device");
  device->excludes(architecture);
  CLI::Option* units = command->add_option("--compute-units", words->compute_units,
                                           "With --emulate: how many compute units the device has");
  units->capture_default_str()->needs(architecture)->check(CLI::Range(1u, 1u << 20));
  command->add_flag("--json", words->as_json, "As JSON, schema clwave-plan/1");
  command->add_flag("-v,--verbose", words->verbose,
                    "Also the options that its program is built with, and the kernel files that are in it");
  for (const planned_primitive& primitive : planned_primitives()) {
    CLI::App* sub = command->add_subcommand(primitive.name, primitive.help);
    if (!primitive.group.empty()) sub->group(primitive.group);
    sub->fallthrough();  // why reduce ... -d 0:1, as well as why -d 0:1 reduce ...
    primitive.add_options(*sub);
    sub->callback([words, units, primitive, &exit] {
      words->compute_units_given = units->count() > 0;
      exit = explain(*words, primitive);
    });
  }
}

}  // namespace clwave::tool
