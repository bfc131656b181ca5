// Plans of random calls, most of them with sizes at the ends of their range: every primitive on every row of
// the table, by the row's name and forced on devices made up here. Each gives a plan whose numbers are the
// problem's and do not wrap, or a clwave::error of kind bad_call.
#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <clwave/error.hpp>
#include <clwave/profile.hpp>

#include "harness/devices.hpp"
#include "harness/made_up.hpp"
#include "harness/parts.hpp"

namespace testing::plan_sizes_test {
namespace {

constexpr int calls_each = 10000;
constexpr u64 most_bytes = 0x7fffffffffffffff;

// Devices that are not there: one of which nothing is known, a tiny one, a large one, a CPU.
std::vector<clwave::device_facts> made_up_devices() {
  std::vector<clwave::device_facts> all(4);
  all[1].max_work_group_size = made_up<std::size_t>(64);
  all[1].local_memory = made_up<u64>(2048);
  all[1].compute_units = made_up(1u);
  all[1].native_vector_width_float = made_up(1u);
  all[1].global_cache = made_up<u64>(0);
  all[2].max_work_group_size = made_up<std::size_t>(1024);
  all[2].local_memory = made_up<u64>(228 << 10);
  all[2].compute_units = made_up(100000u);
  all[2].device_scope_atomics = made_up(true);
  all[2].host_memory_reached = made_up(true);
  all[3].family = made_up(clwave::device_family::cpu);
  all[3].max_work_group_size = made_up<std::size_t>(4096);
  all[3].compute_units = made_up(2u);
  all[3].native_vector_width_float = made_up(8u);
  return all;
}

// Checks each plan, and tells of the first wrong ones.
class checking_planner : public planner {
 public:
  using planner::planner;

  void plan(const std::string& what, const clwave::plan_target& on, const std::vector<wide>& bytes,
            const std::function<call_plan()>& make,
            const std::function<std::string(const call_plan&)>& check) override {
    bool fits = true;
    for (const wide each : bytes) fits = fits && each <= most_bytes;
    std::string wrong;
    try {
      const call_plan made = make();
      ++plans;
      if (!fits) wrong = "a plan, though an operand has more bytes than 63 bits count";
      for (const planned_kernel& kernel : made.kernels)
        if (wrong.empty()) wrong = trouble_of(kernel, on, std::ranges::find(bytes, wide{0}) != bytes.end());
      if (wrong.empty()) wrong = check(made);
    } catch (const clwave::error& refused) {
      ++refusals;
      if (refused.kind() != clwave::failure::bad_call)
        wrong = std::string("another error: ") + refused.what();
    }
    if (wrong.empty()) return;
    if (++failures <= 10)
      FAIL_CHECK(what << " on " << on.choice.profile->name << ": " << wrong << "; " << random.note());
  }

  std::size_t plans = 0, refusals = 0, failures = 0;

 private:
  // `some_empty`: an operand has no elements, and then no buffer.
  static std::string trouble_of(const planned_kernel& kernel, const clwave::plan_target& on,
                                bool some_empty) {
    if (kernel.groups == 0 || kernel.group_size == 0) return kernel.name + " has no groups";
    if (kernel.groups > 0x7fffffff) return kernel.name + " has more groups than 31 bits count";
    if (wide{kernel.groups} * kernel.group_size > most_bytes) return kernel.name + "'s global size wraps";
    if (on.facts != nullptr &&
        kernel.group_size > std::max<u64>(on.facts->max_work_group_size.value_or(4096), on.choice.lanes))
      return kernel.name + " has groups of " + std::to_string(kernel.group_size);
    for (const clwave::planned_argument& argument : kernel.arguments) {
      if (argument.kind == "u32" && std::stoull(argument.value) > 0xffffffff)
        return argument.name + " does not fit 32 bits";
      const bool buffer =
          argument.kind == "input" || argument.kind == "output" || argument.kind == "workspace";
      if (buffer && ((argument.value == "0" && !some_empty) || std::stoull(argument.value) > most_bytes))
        return argument.name + " has " + argument.value + " bytes";
    }
    return {};
  }
};

void plan_on_every_row(const random_plan& one) {
  const std::vector<clwave::device_facts> devices = made_up_devices();
  checking_planner p(reference::random_engine().seed());
  const int calls = quick() ? calls_each / 20 : calls_each;
  const auto plan_on = [&](const clwave::profile& row) {
    std::vector<clwave::plan_target> targets;
    for (const unsigned units : {1u, 7u, 132u, 1u << 20})
      targets.push_back({.choice = clwave::choose_profile_for(row.name), .compute_units = units});
    for (const clwave::device_facts& facts : devices) {
      targets.push_back({.facts = &facts, .choice = clwave::choose_profile(facts)});
      targets.push_back({.facts = &facts, .choice = clwave::choose_profile(facts), .group_limit = 64});
    }
    for (clwave::plan_target& each : targets) each.with_source = false;
    for (int k = 0; k < calls; ++k) one.plan(p, targets[p.random.below(targets.size())]);
  };
  for_each_profile(plan_on, 1);
  CHECK(p.failures == 0);
  CHECK(p.plans > 10 * static_cast<std::size_t>(calls));
  CHECK(p.refusals > static_cast<std::size_t>(calls));
}

TEST_CASE("10,000 random plans on every row") {
  for (const primitive_parts& part : all_parts()) {
    for (const random_plan& each : part.plans) {
      SUBCASE(each.name.c_str()) { plan_on_every_row(each); }
    }
  }
}

TEST_CASE("every primitive of the kernels has random plans") {
  const clwave::plan_target on{.choice = clwave::choose_profile_for("sm_90"), .compute_units = 132};
  std::set<std::string> planned;
  for (const call_plan& plan : some_plans(on, 1, 20)) planned.insert(primitive_in(plan.options));
  planned.erase("");
  CHECK(primitives_of_kernels().size() > 3);
  CHECK(joined(planned) == joined(primitives_of_kernels()));
}

}  // namespace
}  // namespace testing::plan_sizes_test
