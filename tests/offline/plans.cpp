// Writes the source and the options of calls that `clwave emulate` has no words for, so that they can be
// compiled without a device: operators and maps of the user's own, structures, vectors, two inputs.
//   offline_plans ARCH --dump DIR CASE
#include <filesystem>
#include <fstream>
#include <iostream>
#include <stdexcept>
#include <string>

#include <clwave/plan.hpp>

#include "offline_parts.hpp"

int main(int count, char** words) {
  try {
    const races::program* asked = nullptr;
    const std::vector<races::offline_parts> all = races::all();
    for (const races::offline_parts& each : all) {
      for (const races::program& program : each.programs) {
        if (count == 5 && std::string(words[2]) == "--dump" && program.name == words[4]) asked = &program;
      }
    }
    if (asked == nullptr) {
      std::cerr << "usage: offline_plans ARCH --dump DIR CASE; the cases:\n";
      for (const races::offline_parts& each : all) {
        for (const races::program& program : each.programs) std::cerr << "  \"" << program.name << "\"\n";
      }
      return 2;
    }
    const clwave::plan_target on{.choice = clwave::choose_profile_for(words[1]), .compute_units = 64};
    const clwave::call_plan plan = asked->plan(on);
    const std::filesystem::path folder = words[3];
    std::filesystem::create_directories(folder);
    std::ofstream source(folder / "source.cl", std::ios::binary);
    std::ofstream options(folder / "options.txt", std::ios::binary);
    source << plan.source;
    options << plan.options << '\n';
    if (!plan.second_target.empty())
      std::ofstream(folder / "second_target.txt") << plan.second_target << '\n';
    if (!source.flush() || !options.flush())
      throw std::runtime_error("could not write into " + folder.string());
  } catch (const std::exception& e) {
    std::cerr << "offline_plans: " << e.what() << '\n';
    return 1;
  }
}
