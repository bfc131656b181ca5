// A built kernel that runs other lanes than its row says: another row is taken, for the call that met it and
// for the device from then on, and said so. The driver's answers are made up here.
#include <doctest/doctest.h>

#include <string>
#include <vector>

#include <clwave.hpp>

#include "call/call.hpp"
#include "device/distrust.hpp"
#include "harness/devices.hpp"
#include "harness/made_up.hpp"
#include "harness/recorder.hpp"
#include "harness/reference.hpp"
#include "program/lanes_check.hpp"

namespace testing::lanes_check_test {
namespace {

// The default device, said to have sub-groups of 8 and 16 that a kernel may choose from.
clwave::device_facts with_sub_groups(const clwave::device_facts& of) {
  clwave::device_facts facts = of;
  facts.family = made_up(clwave::device_family::generic);
  facts.sub_groups = made_up(true);
  facts.sub_group_shuffle_relative = made_up(true);
  facts.sub_group_sizes = made_up(std::vector<std::size_t>{8, 16});
  facts.sub_group_size_selectable = made_up(true);
  facts.device_version = made_up(std::string("OpenCL 3.0 made up"));
  return facts;
}

// A program of one kernel, whatever row it is for.
std::shared_ptr<clwave::detail::program> any_program(const fixture& on) {
  const char* source = "__kernel void clwave_reduce(__global int* x) { x[0] = 1; }";
  cl_program handle = clCreateProgramWithSource(on.context(), 1, &source, nullptr, nullptr);
  REQUIRE(clBuildProgram(handle, 0, nullptr, "", nullptr, nullptr) == CL_SUCCESS);
  return std::make_shared<clwave::detail::program>(handle);
}

}  // namespace

TEST_CASE("a kernel with other lanes than its row's is found out, and its row is left") {
  const forced_profile not_forced("");
  const fixture& on = default_fixture();
  const clwave::device_facts facts = with_sub_groups(on.facts);
  const auto code = any_program(on);
  clwave::detail::target built{&facts, clwave::choose_profile(facts)};
  const std::string first(built.choice.profile->name);
  REQUIRE(built.choice.exchange == clwave::lane_exchange::sub_group);
  const std::string_view kernels[] = {"reduce", ""};

  {
    const recorder::other_lanes as_built(built.choice.lanes);
    CHECK_FALSE(clwave::detail::runs_other_lanes(built, facts.device, *any_program(on), 64, kernels));
    CHECK(clwave::choose_profile(facts).profile->name == first);
  }
  const recorder::other_lanes different(built.choice.lanes == 8 ? 16 : 8);
  const unsigned lanes = built.choice.lanes;
  const std::size_t asked = recorder::questions_about_lanes();
  CHECK(clwave::detail::runs_other_lanes(built, facts.device, *code, 64, kernels));
  CHECK(recorder::questions_about_lanes() > asked);
  // Another row, at once and from then on, with the reason.
  CHECK(built.choice.profile->name != first);
  const clwave::profile_choice later = clwave::choose_profile(facts);
  CHECK(later.profile->name != first);
  REQUIRE(clwave::detail::distrusted(facts.device, first).has_value());
  CHECK(clwave::detail::distrusted(facts.device, first)->find("not " + std::to_string(lanes)) !=
        std::string::npos);
  {
    const forced_profile forced(first);
    const clwave::profile_choice choice = clwave::choose_profile(facts);
    CHECK(choice.emulated);
    CHECK(choice.why.find("its kernel reduce runs") != std::string::npos);
  }
  // Other devices are not concerned.
  CHECK_FALSE(clwave::detail::distrusted(nullptr, first).has_value());
}

// On a driver with real sub-groups the whole call is seen; elsewhere every row of them is emulated already.
TEST_CASE_FIXTURE(on_device, "a call that meets other lanes still gives its sum") {
  std::vector<float> data(100000);
  for (float& x : data) x = reference::random_value<float>(random);
  const cl::Buffer in = on.buffer_of(data);
  const float expected = reference::host_fold<float>(data, 0, data.size(), reference::wrapping_plus<float>);
  std::size_t native = 0, rows = 0;
  for_each_profile([&](const clwave::profile& row) {
    if (row.exchange != clwave::lane_exchange::sub_group) return;
    ++rows;
    // Compilers take seconds over the emulated lanes that follow: two rows are enough.
    if (native == 2 || clwave::choose_profile(on.facts).emulated) return;
    ++native;
    const recorder::other_lanes different(row.lanes == 8 ? 16 : 8);
    CHECK(reference::same_bits(clwave::reduce(on.queue, clwave::view<float>(in, data.size())), expected));
    CHECK(clwave::choose_profile(on.facts).emulated);
    CHECK(clwave::choose_profile(on.facts).why.find("lanes, not") != std::string::npos);
  });
  CHECK(rows > 0);
  MESSAGE(native << " of " << rows << " rows with sub-groups run here as they are");
}

}  // namespace testing::lanes_check_test
