// Plans: what a call would do here, and on an architecture that nobody needs to own; and memory of one's own
// to do it in.
#include <iostream>
#include <string>
#include <vector>

#define CL_HPP_TARGET_OPENCL_VERSION 120
#define CL_HPP_MINIMUM_OPENCL_VERSION 120
#include <CL/opencl.hpp>

#include <clwave.hpp>

void print(const std::string& title, const clwave::call_plan& plan) {
  std::cout << title << ": " << plan.variant << "; " << plan.kernels.size() << " launch of "
            << plan.kernels.front().groups << " groups, " << plan.workspace_bytes << " bytes of workspace\n";
  for (const auto& [name, reason] : plan.rejected) std::cout << "  not " << name << ": " << reason << '\n';
}

int main() try {
  const cl::Device device(clwave::select_device(), true);
  const clwave::device_facts& facts = clwave::facts_of(device());
  const clwave::profile_choice own = clwave::choose_profile(facts);
  std::cout << "this device gets the code of " << own.profile->name << ": " << own.why << '\n';
  // What `clwave tune` has found on this device and kept is taken without being asked for.
  for (const auto& [primitive, why] : own.tuned) std::cout << "  " << primitive << ": " << why << '\n';

  // A problem is a call without its buffers: a sum of 2^20 floats.
  const clwave::element& f32 = clwave::element_of<float>();
  const clwave::any_view result = f32;
  const clwave::reduce_problem sum{.in = {f32, 1 << 20}, .accumulator = &f32, .out = result};

  // Without a device its number of compute units must be told.
  struct {
    const char* architecture;
    unsigned compute_units;
  } const others[] = {{"sm_90", 132}, {"gfx90a", 104}, {"cpu", 2}};
  for (const auto& [architecture, compute_units] : others) {
    clwave::plan_target target;
    target.choice = clwave::choose_profile_for(architecture);
    target.compute_units = compute_units;
    print(architecture, clwave::plan(sum, target));
  }

  // With one, the plan is what the call does; it says how much memory the call takes if it is to have none of
  // the library's.
  const clwave::call_plan here = clwave::plan(sum, {.facts = &facts, .choice = own});
  const cl::Context context(device);
  const cl::CommandQueue queue(context, device);
  std::vector<float> host(sum.in.n, 0.25f);
  const cl::Buffer in(context, CL_MEM_COPY_HOST_PTR, host.size() * sizeof(float), host.data());
  const cl::Buffer out(context, CL_MEM_READ_WRITE, sizeof(float));
  const cl::Buffer workspace(context, CL_MEM_READ_WRITE, here.workspace_bytes);
  const clwave::view<float> x{in, host.size()}, y{out, 1};
  clwave::reduce(queue, x, y, {.with_event = false, .workspace = workspace});
  queue.enqueueReadBuffer(out, CL_TRUE, 0, sizeof(float), host.data());
  std::cout << "the sum is " << host[0] << '\n';
  clwave::release(context);
} catch (const clwave::error& failed) {
  std::cerr << failed.what() << '\n';
  return 1;
}
