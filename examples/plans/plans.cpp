// Plans: what a call would do here, and on an architecture that nobody needs to own.
#include <iostream>

#include <clwave.hpp>

int main() try {
  const clwave::device_facts& facts = clwave::facts_of(clwave::select_device());
  const clwave::profile_choice own = clwave::choose_profile(facts);
  std::cout << "this device gets the code of " << own.row->name << ": " << own.why << '\n';

  // What a sum of 2^26 floats would be on three architectures. Without a device the compute units must be told.
  const clwave::element& f32 = clwave::element_of<float>();
  const clwave::reduce_question sum{.in = f32, .accumulator = &f32, .n = 1 << 26};
  struct {
    const char* architecture;
    unsigned compute_units;
  } const others[] = {{"sm_90", 132}, {"gfx90a", 104}, {"cpu", 2}};
  for (const auto& [architecture, compute_units] : others) {
    clwave::plan_target target;
    target.choice = clwave::choose_profile_for(architecture);
    target.compute_units = compute_units;
    const clwave::call_plan plan = clwave::plan(sum, target);
    std::cout << architecture << ": " << plan.variant << "; " << plan.kernels.size() << " launch of "
              << plan.kernels.front().groups << " groups, " << plan.workspace_bytes << " bytes of workspace\n";
    for (const clwave::rejected_variant& each : plan.rejected) std::cout << "  not " << each.name << ": " << each.reason << '\n';
  }
} catch (const clwave::error& failed) {
  std::cerr << failed.what() << '\n';
  return 1;
}
