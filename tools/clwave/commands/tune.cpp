// clwave tune: numbers for one primitive that are faster on this device than its row's, measured by the
// bench's rule and kept in the user's configuration directory.
#include <algorithm>
#include <memory>

#include <CLI/CLI.hpp>

#include <unistd.h>

#include "base/environment.hpp"
#include "base/nearest.hpp"
#include "bench/bench.hpp"
#include "bench/search.hpp"
#include "device/tuning.hpp"
#include "shared/output.hpp"
#include "shared/words.hpp"

namespace clwave::tool::bench {
using namespace detail;
namespace {

struct tune_words {
  std::string primitive, selector, type, n;
  double budget_s = 60;
  bool as_json = false, forget = false, list = false, as_row = false;
};

std::string primitive_names() { return joined(tuned_primitives()); }

tuned_primitive primitive_named(const std::string& name) {
  for (const row_file& file : all_rows()) {
    for (const tuned_primitive& each : file.tuned)
      if (each.name == name) return each;
  }
  refuse("nothing is measured of " + name + " in this build, and so nothing is tuned");
}

tuned_work work_of(laboratory& lab, const tune_words& words, const tuned_primitive& primitive,
                   const std::string& type) {
  const std::uint64_t n = words.n.empty()
                              ? (std::uint64_t{1} << (lab.is_cpu ? 24 : 28)) / primitive.default_share
                              : number_of_elements(words.n);
  if (n == 0) refuse("nothing is measured of no elements");
  if (std::ranges::find(primitive.types, type) == primitive.types.end())
    refuse("tune measures no " + primitive.name + " of \"" + type + "\"",
           "use one of " + joined(primitive.types));
  const element& e = *find_element(type);
  if (e.opencl_name.starts_with("double") && !lab.on.facts->fp64.value_or(false))
    refuse("the device has no doubles");
  tuned_work what = primitive.work(lab, type, n);
  const std::size_t bytes = primitive.element_bytes != 0 ? primitive.element_bytes : e.size;
  check_fits(lab.on, what.n * bytes, "the data to tune with");
  return what;
}

json record_of_tuning(const saved_tuning& row) {
  return {{"primitive", row.primitive},
          {"device", row.device},
          {"driver", row.driver},
          {"profile", row.profile},
          {"date", row.date},
          {"measured", row.measured},
          {"gb_per_s", row.gb_per_s},
          {"row_gb_per_s", row.row_gb_per_s},
          {"numbers", bench::record_of(row.numbers)}};
}

int list(const tune_words& words) {
  std::vector<saved_tuning> all = read_tunings();
  if (!words.primitive.empty())
    std::erase_if(all, [&](const saved_tuning& row) { return row.primitive != words.primitive; });
  if (words.as_json) {
    json rows = json::array();
    for (const saved_tuning& row : all) rows.push_back(record_of_tuning(row));
    out() << text_of(json{{"schema", "clwave-tune/1"}, {"file", tuning_file()}, {"tunings", rows}}) << '\n';
    return exit_ok;
  }
  if (all.empty())
    out() << "nothing is tuned" << (words.primitive.empty() ? "" : " of " + words.primitive) << '\n';
  for (const saved_tuning& row : all)
    out() << row.primitive << "  " << row.device << ", driver " << row.driver << ", profile " << row.profile
          << ": " << clwave::detail::text_of(row.numbers) << "; " << row.date << ", " << row.measured << ", "
          << rounded(row.gb_per_s) << " GB/s where the profile gave " << rounded(row.row_gb_per_s) << '\n';
  return exit_ok;
}

// The numbers as the table writes them.
std::string field_of(const saved_tuning& row) {
  std::string text = member_text(row.primitive);
  const char* separator = "";
  for (const named_number& each : row.numbers) {
    if (limits_registers(each) && each.value == 0) continue;
    text.append(separator).append(".").append(each.name).append(" = ").append(std::to_string(each.value));
    separator = ", ";
  }
  return text + "},";
}

// What is kept of the selected device, by its name and its driver's version, as lines of
// lib/device/profiles.cpp.
int print_as_row(const tune_words& words) {
  const safe_drivers drivers(words.selector);
  const device_facts& facts = facts_of(select_or_absent(words.selector));
  bool any = false;
  for (const saved_tuning& row : read_tunings()) {
    if (row.device != facts.name.value_or("") || row.driver != facts.driver_version.value_or("")) continue;
    if (!words.primitive.empty() && row.primitive != words.primitive) continue;
    any = true;
    out() << "// row " << row.profile << "\n    // " << row.device << ", " << row.driver << ", " << row.date
          << ", `clwave tune " << row.primitive << "`, " << row.measured << ": " << rounded(row.gb_per_s)
          << " GB/s; the row before gave " << rounded(row.row_gb_per_s) << ".\n    " << field_of(row) << '\n';
  }
  if (!any) out() << "// nothing is tuned of " << facts.name.value_or("this device") << '\n';
  return exit_ok;
}

int forget(const tune_words& words) {
  std::vector<saved_tuning> all = read_tunings();
  const std::size_t gone = std::erase_if(all, [&](const saved_tuning& row) {
    return words.primitive.empty() || row.primitive == words.primitive;
  });
  if (gone > 0 && !write_tunings(all)) refuse(tuning_file() + " could not be written");
  if (words.as_json)
    out() << text_of(json{{"schema", "clwave-tune/1"}, {"file", tuning_file()}, {"forgotten", gone}}) << '\n';
  else
    out() << "forgot " << gone << (gone == 1 ? " row\n" : " rows\n");
  return exit_ok;
}

int run(const tune_words& words) {
  if (!words.primitive.empty() &&
      std::ranges::find(tuned_primitives(), words.primitive) == tuned_primitives().end())
    refuse("\"" + words.primitive + "\" has no numbers of its own that could be tuned",
           "use one of " + primitive_names() +
               did_you_mean(words.primitive, {tuned_primitives().begin(), tuned_primitives().end()}));
  if (words.list + words.forget + words.as_row > 1) refuse("--list, --forget and --export are three things");
  if (words.as_row && words.as_json) refuse("--export is text for the table, and --list has the JSON");
  if (words.as_row) return print_as_row(words);
  if (words.list) return list(words);
  if (words.forget) return forget(words);
  if (words.primitive.empty())
    refuse("tune needs a primitive, --list, --forget or --export", "use one of " + primitive_names());
  if (!words.n.empty()) number_of_elements(words.n);  // refused before any driver is asked
  if (environment("CLWAVE_PROFILE") != nullptr)
    refuse("tunings are for the profile that a device gets by itself", "unset CLWAVE_PROFILE");
  laboratory lab(words.selector);
  if (tuning_of(*lab.on.choice.profile, words.primitive).empty())
    refuse("the kernels of " + words.primitive + " have no numbers on a CPU");
  const tuned_primitive primitive = primitive_named(words.primitive);
  const std::string type = words.type.empty() ? primitive.types.front() : words.type;
  const tuned_work what = work_of(lab, words, primitive, type);
  const call_plan plan = what.plan({.facts = lab.on.facts, .choice = lab.on.choice});
  lab.measure_copy_speed(std::max<std::uint64_t>(plan.n, 1));
  const search_end end =
      search_tuning(lab, words.primitive, type, what, words.budget_s, isatty(2) == 1 || !words.as_json);
  if (words.as_json && !end.record.empty()) out() << text_of(end.record) << '\n';
  if (!words.as_json) out() << end.text;
  if (!end.complaint.empty()) complain(end.complaint);
  return end.code;
}

}  // namespace
}  // namespace clwave::tool::bench

namespace clwave::tool {

void add_tune(CLI::App& app, int& exit) {
  CLI::App* command = app.add_subcommand(
      "tune", "Finds numbers that make a primitive faster on this device, and keeps them for later runs");
  auto words = std::make_shared<bench::tune_words>();
  command->add_option("PRIMITIVE", words->primitive, bench::primitive_names());
  command->add_option("-d,--device", words->selector, "On this device (see clwave --help)");
  command->add_option("--type", words->type, "Element type (default f32; of merge and segmented_sort i32)");
  command->add_option(
      "--n", words->n,
      "How many elements; K, M, G are 2^10, 2^20, 2^30 (default 256M, on a CPU 16M; a quarter of "
      "that where elements are moved several times or checked by the host, a sixteenth of "
      "top_k)");
  command->add_option("--budget", words->budget_s, "Seconds after which no new candidate is tried")
      ->capture_default_str()
      ->check(CLI::Range(0.0, 1e6));
  command->add_flag("--json", words->as_json, "As JSON, schema clwave-tune/1");
  command->add_flag("--list", words->list, "Shows what is saved");
  command->add_flag("--export", words->as_row,
                    "Shows what is saved of this device as lines for the project's table of profiles");
  command->add_flag("--forget", words->forget, "Removes what is saved, of the primitive or of all");
  command->footer(
      "Starts from the profile's row and steps to neighbours while they are faster, each measured beside the "
      "best\n"
      "so far by the rule of clwave bench, results checked; ends within 3 % of the device's copy speed. The "
      "winner\n"
      "is saved if it is more than 1 % (and what the samples spread) faster than the row, in "
      "CLWAVE_CONFIG_DIR (\"off\": nowhere), else in "
      "clwave\n"
      "in the user's configuration directory, for this device, its driver's version and its row. Results "
      "have the\n"
      "same bits with every tuning. Exits 6 if a result is wrong.");
  command->callback([words, &exit] { exit = bench::run(*words); });
}

}  // namespace clwave::tool
