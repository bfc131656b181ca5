// clwave emulate: writes what a device of some architecture would be given. Makes no OpenCL call.
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <memory>
#include <system_error>

#include <CLI/CLI.hpp>

#include "base/user_files.hpp"
#include "commands/occupancy_record.hpp"
#include "primitives/planned_primitive.hpp"
#include "shared/output.hpp"
#include "shared/records.hpp"

namespace clwave::tool {
namespace {

struct emulate_words {
  std::string architecture, folder;
  unsigned compute_units = 64;
};

void write_text(const std::filesystem::path& path, const std::string& text) {
  if (!detail::write_file(path.string(), detail::bytes_of(text)))
    throw error(failure::bad_call, "could not write " + path.string() + ": " + std::strerror(errno));
}

int emulate(const emulate_words& words, const planned_primitive& primitive) {
  const plan_target target{.choice = choose_profile_for(words.architecture),
                           .compute_units = words.compute_units};
  const call_plan plan = primitive.plan(target);
  const std::filesystem::path folder = words.folder;
  std::error_code failed;
  std::filesystem::create_directories(folder, failed);
  if (failed)
    throw error(failure::bad_call, "could not make the folder " + folder.string() + ": " + failed.message());
  json all = {{"schema", "clwave-plan/1"}};
  all.update(primitive.problem());
  all["architecture"] = words.architecture;
  all["compute_units"] = words.compute_units;
  all.update(record_of(plan));
  all["occupancy"] = occupancy_without_device(words.architecture, target, plan);
  write_text(folder / "source.cl", plan.source);
  write_text(folder / "options.txt", plan.options + "\n");
  write_text(folder / "plan.json", text_of(all) + "\n");
  if (!plan.second_target.empty()) write_text(folder / "second_target.txt", plan.second_target + "\n");
  out() << "profile " << short_text_of(plan.choice) << ": " << plan.choice.why << '\n'
        << (folder / "source.cl").string() << '\n'
        << (folder / "options.txt").string() << '\n'
        << (folder / "plan.json").string() << '\n';
  return exit_ok;
}

}  // namespace

void add_emulate(CLI::App& app, int& exit) {
  CLI::App* command = app.add_subcommand(
      "emulate", "Writes the source, build options and launch plan for an architecture; needs no device");
  command->require_subcommand(1);
  auto words = std::make_shared<emulate_words>();
  command
      ->add_option("ARCH", words->architecture, "sm_90, gfx906, or a profile's name (clwave info --profiles)")
      ->required();
  command->add_option("--dump", words->folder, "The folder for source.cl, options.txt and plan.json")
      ->required();
  command->add_option("--compute-units", words->compute_units, "How many compute units the device has")
      ->capture_default_str()
      ->check(CLI::Range(1u, 1u << 20));
  for (const planned_primitive& primitive : planned_primitives()) {
    CLI::App* sub = command->add_subcommand(primitive.name, primitive.help);
    if (!primitive.group.empty()) sub->group(primitive.group);
    sub->fallthrough();
    primitive.add_options(*sub);
    sub->callback([words, primitive, &exit] { exit = emulate(*words, primitive); });
  }
}

}  // namespace clwave::tool
