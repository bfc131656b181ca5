// What `clwave why` and `clwave emulate` can ask of layout.
#include <memory>
#include <sstream>

#include <CLI/CLI.hpp>

#include <clwave/layout.hpp>
#include <clwave/plan.hpp>

#include "primitives/planned_primitive.hpp"
#include "shared/words.hpp"

namespace clwave::tool {
namespace {

// "4@0,4@4,8@8": the size and offset of each field.
std::vector<field> fields_of(const std::string& text) {
  std::vector<field> fields;
  std::stringstream words(text);
  for (std::string one; std::getline(words, one, ',');) {
    const std::size_t at = one.find('@');
    if (at == std::string::npos) refuse("\"" + one + "\" is no field", "write SIZE@OFFSET in bytes, as 4@8");
    fields.push_back({number_of_elements(one.substr(0, at)), number_of_elements(one.substr(at + 1))});
  }
  return fields;
}

planned_primitive planned_layout() {
  struct words_of_layout {
    std::string fields = "4@0,4@4,4@8";
    std::size_t size = 12;
    std::string n = "16M";
    std::size_t block = 0;
    bool back = false;
  };
  auto words = std::make_shared<words_of_layout>();
  planned_primitive made;
  made.name = "layout";
  made.help = "An array of structures to a structure of arrays, or back";
  made.calls = {{"aos_to_soa"},
                {"soa_to_aos", {{"--to-aos", "true"}}},
                {"aos_to_aosoa", {{"--block", "32"}}},
                {"aosoa_to_aos", {{"--block", "32"}, {"--to-aos", "true"}}}};
  made.add_options = [words](CLI::App& command) {
    command.add_option("--fields", words->fields, "SIZE@OFFSET of each field, in bytes, comma between them")
        ->capture_default_str();
    command.add_option("--size", words->size, "Bytes of a structure")->capture_default_str();
    add_n_option(command, words->n, "structures");
    command.add_option("--block", words->block, "Structures in a block; 0: one array for each field")
        ->capture_default_str();
    command.add_flag("--to-aos", words->back, "From arrays to structures");
  };
  made.plan = [words](const plan_target& on) {
    const layout fields{words->size, fields_of(words->fields)};
    const std::uint64_t n = number_of_elements(words->n);
    const element& byte = element_of<std::uint8_t>();
    const any_view structures(byte, n * words->size);
    if (words->block == 0)
      return clwave::plan(layout_problem{.fields = &fields, .to_soa = !words->back, .structures = structures},
                          on);
    return clwave::plan(layout_blocks_problem{.fields = &fields,
                                              .to_soa = !words->back,
                                              .structures = structures,
                                              .blocks = {byte, aosoa_bytes(fields, n, words->block)},
                                              .block = words->block},
                        on);
  };
  made.problem = [words]() -> json {
    return {{"primitive", "layout"}, {"n", number_of_elements(words->n)},
            {"size", words->size},   {"fields", words->fields},
            {"block", words->block}, {"to_aos", words->back}};
  };
  return made;
}

const registered_primitives layout_listed("layout", {planned_layout});

}  // namespace
}  // namespace clwave::tool
