// What the tool reads of compilers' logs and code objects.
#include <cstddef>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "commands/kernel_figures.hpp"
#include "harness/reference.hpp"

namespace testing::kernel_figures_test {

using clwave::tool::kernel_figures;

TEST_CASE("ptxas' lines are read, each kernel's own") {
  const std::string log =
      "ptxas info    : 0 bytes gmem\n"
      "ptxas info    : Compiling entry function 'reduce_levels' for 'sm_90'\n"
      "ptxas info    : Function properties for reduce_levels\n"
      "ptxas         .     16 bytes stack frame, 8 bytes spill stores, 12 bytes spill loads\n"
      "ptxas info    : Used 40 registers, used 1 barriers, 2048 bytes smem, 400 bytes cmem[0]\n"
      "ptxas info    : Compiling entry function 'reduce' for 'sm_90'\n"
      "ptxas info    : Function properties for reduce\n"
      "    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads\n"
      "ptxas info    : Used 80 registers, 428 bytes cmem[0]\n";
  kernel_figures reduce{.name = "reduce"};
  clwave::tool::read_ptxas(log, reduce);
  CHECK(reduce.registers == 80);
  CHECK(reduce.spilled_bytes == 0);
  kernel_figures levels{.name = "reduce_levels"};
  clwave::tool::read_ptxas(log, levels);
  CHECK(levels.registers == 40);
  CHECK(levels.spilled_bytes == 20);
  kernel_figures other{.name = "redu"};
  clwave::tool::read_ptxas(log, other);
  CHECK_FALSE(other.registers);
}

// The note of a code object, behind some other bytes.
std::vector<unsigned char> as_note(const std::string& notes) {
  std::vector<unsigned char> binary(64, 7);
  for (const unsigned word : {7u, static_cast<unsigned>(notes.size()), 32u})
    for (unsigned byte = 0; byte < 4; ++byte) binary.push_back(static_cast<unsigned char>(word >> 8 * byte));
  for (const char c : {'A', 'M', 'D', 'G', 'P', 'U', '\0', '\0'})
    binary.push_back(static_cast<unsigned char>(c));
  binary.insert(binary.end(), notes.begin(), notes.end());
  return binary;
}

// {"amdhsa.kernels": [{".args": [{".name": "x"}], ".name": name, ".vgpr_count": 35, ".vgpr_spill_count": 2}]}
std::vector<unsigned char> code_object(const std::string& name) {
  std::string notes = "\x81";
  const auto text = [&notes](const std::string& t) { notes += static_cast<char>(0xa0 + t.size()) + t; };
  text("amdhsa.kernels");
  notes += "\x91\x84";
  text(".args");
  notes += "\x91\x81";
  text(".name");
  text("x");
  text(".name");
  text(name);
  text(".vgpr_count");
  notes += "\xcc\x23";
  text(".vgpr_spill_count");
  notes += "\x02";
  return as_note(notes);
}

TEST_CASE("the notes of AMD's code objects are read, and nothing past their end") {
  const std::vector<unsigned char> binary = code_object("reduce");
  kernel_figures figures{.name = "reduce"};
  clwave::tool::read_amd_notes(binary, figures);
  CHECK(figures.registers == 35);
  CHECK(figures.spilled_bytes == 8);
  kernel_figures argument{.name = "x"};
  clwave::tool::read_amd_notes(binary, argument);
  CHECK_FALSE(argument.registers);
  for (std::size_t cut = 0; cut < binary.size(); ++cut) {
    kernel_figures none{.name = "reduce"};
    clwave::tool::read_amd_notes({binary.data(), cut}, none);
    CHECK_FALSE(none.registers);
  }
  reference::random_engine random;
  for (int trial = 0; trial < 2000; ++trial) {
    std::vector<unsigned char> damaged = binary;
    for (int byte = 0; byte < 3; ++byte)
      damaged[84 + random() % (damaged.size() - 84)] = static_cast<unsigned char>(random());
    kernel_figures any{.name = "reduce"};
    clwave::tool::read_amd_notes(damaged, any);  // whatever it says
  }
}

TEST_CASE("notes that nest without end, or hold other types than they should, are passed over") {
  for (const std::size_t levels : {1000u, 16000u, 10'000'000u}) {
    kernel_figures none{.name = "reduce"};
    clwave::tool::read_amd_notes(as_note(std::string(levels, '\x91')), none);
    CHECK_FALSE(none.registers);
  }
  // {"amdhsa.kernels": [7, {".name": "reduce", ".vgpr_count": "x"}]}
  kernel_figures none{.name = "reduce"};
  clwave::tool::read_amd_notes(as_note("\x81\xae"
                                       "amdhsa.kernels"
                                       "\x92\x07\x82\xa5.name\xa6"
                                       "reduce"
                                       "\xab.vgpr_count\xa1x"),
                               none);
  CHECK_FALSE(none.registers);
}

}  // namespace testing::kernel_figures_test
