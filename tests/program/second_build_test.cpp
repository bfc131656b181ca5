// Programs that are built a second time: what is made of the first build's output, what a refusal changes,
// and which devices are thought to take them.
#include "program/second_build.hpp"

#include <doctest/doctest.h>

#include <optional>
#include <string>

#include <clwave.hpp>

#include "device/distrust.hpp"
#include "harness/devices.hpp"
#include "harness/made_up.hpp"

namespace testing::second_build_test {
namespace {

using namespace clwave;
using namespace clwave::detail;

constexpr beyond_compiler how{.compiled_for = "sm_90", .target = "sm_90a", .local_memory = 1000};

device_facts hopper() {
  device_facts facts;
  facts.name = made_up<std::string>("a Hopper that is not here");
  facts.family = made_up(device_family::nvidia);
  facts.cuda_sm = made_up(90u);
  facts.inline_ptx = made_up(true);
  facts.lanes_probed = made_up(32u);
  facts.local_memory = made_up(u64{49152});
  facts.max_work_group_size = made_up(std::size_t{1024});
  facts.compute_units = made_up(132u);
  return facts;
}

TEST_CASE("a first build's output gets another target and loses its marks") {
  const std::string first =
      "//\n// made by a compiler\n.version 9.0\n.target sm_90\n.address_size 64\n.entry f {\n"
      "// begin inline asm\n//@ wgmma.fence.sync.aligned;\n// end inline asm\n\t//@ {.reg .pred p; go;}\n}\n";
  const std::string second =
      "//\n// made by a compiler\n.version 9.0\n.target sm_90a\n.address_size 64\n.entry f {\n"
      "// begin inline asm\nwgmma.fence.sync.aligned;\n// end inline asm\n\t{.reg .pred p; go;}\n}\n";
  CHECK(text_for_second_build(first, how) == second);
  // Drivers count the end of the text.
  CHECK(text_for_second_build(first + std::string(3, '\0'), how) == second);
  // More of a target's options stay.
  CHECK(text_for_second_build("\n.target sm_90, debug\n", how) == "\n.target sm_90a, debug\n");
  CHECK(text_for_second_build("\n.target sm_90", how) == "\n.target sm_90a");
}

TEST_CASE("what is no such output is not built again") {
  CHECK(!text_for_second_build("", how));
  CHECK(
      !text_for_second_build("\x7f"
                             "ELF \n.target sm_90\n",
                             beyond_compiler{}));
  CHECK(!text_for_second_build(std::string("\x7f"
                                           "ELF\0\n.target sm_90\n",
                                           20),
                               how));
  CHECK(!text_for_second_build("\n.target sm_86\n", how));
  CHECK(!text_for_second_build("\n.target sm_900\n", how));
  CHECK(!text_for_second_build("\n.target sm_90a\n", how));
  CHECK(!text_for_second_build("// .target sm_90\n", how));
}

TEST_CASE("one architecture alone has instructions beyond the compiler") {
  device_facts facts = hopper();
  CHECK(choose_profile(facts).beyond == beyond_state::usable);
  for (const unsigned other : {80u, 89u, 100u, 120u, 130u}) {
    facts.cuda_sm = made_up(other);
    CAPTURE(other);
    CHECK(choose_profile(facts).beyond != beyond_state::usable);
  }
  // One that no table knows, and which gets the row.
  facts.cuda_sm = made_up(91u);
  const profile_choice next = choose_profile(facts);
  CHECK(next.beyond != beyond_state::usable);
  CHECK(choose_profile_for("sm_90").beyond == beyond_state::usable);
  CHECK(choose_profile_for("sm_91").beyond != beyond_state::usable);
  CHECK(choose_profile_for("gfx90a").beyond == beyond_state::none);
}

TEST_CASE("a device whose driver refused a second build is asked for no other") {
  device_facts facts = hopper();
  // Any handle of no device's: it only names it.
  int place = 0;
  facts.device = reinterpret_cast<cl_device_id>(&place);
  target on{&facts, choose_profile(facts), 0, 132};
  CHECK(on.choice.beyond == beyond_state::usable);
  const error other(failure::build, "the device's compiler refused the program");
  CHECK(!built_without_marks(on, facts.device, other));
  CHECK(on.choice.beyond == beyond_state::usable);
  const unsigned before = distrust_epoch();
  const second_build_error refusal(failure::build, "the driver refused a program beyond its compiler");
  CHECK(built_without_marks(on, facts.device, refusal));
  CHECK(on.choice.beyond == beyond_state::refused);
  CHECK(choose_profile(facts).beyond == beyond_state::refused);
  CHECK(distrust_epoch() != before);  // what was chosen before is chosen again
  facts.device = nullptr;
  CHECK(choose_profile(facts).beyond == beyond_state::usable);
}

// The last: the process's device takes no such program afterwards. Products alone have such programs.
#if __has_include(<clwave/gemm.hpp>)
TEST_CASE_FIXTURE(on_device,
                  "a product whose second build is refused is computed as before, without an error") {
  if (choose_profile(on.facts).beyond != beyond_state::usable) return;
  const environment off("CLWAVE_CACHE_DIR", "off");  // which may have the program
  fail_second_builds(true);
  const std::size_t n = 256;
  const cl::Buffer a = on.buffer_of(std::vector<half>(n * n, half(1.0f))),
                   c = on.buffer_of(std::vector<half>(n * n));
  const view<half> x(a, n * n), y(c, n * n);
  CHECK_NOTHROW(gemm(on.queue, {n, n, n}, x, x, y).wait());
  fail_second_builds(false);
  std::size_t wrong = 0;
  for (const half each : on.read<half>(c, n * n))
    wrong += static_cast<float>(each) != static_cast<float>(n) ? 1 : 0;
  CHECK(wrong == 0);
  CHECK(choose_profile(on.facts).beyond == beyond_state::refused);
}
#endif

}  // namespace
}  // namespace testing::second_build_test
