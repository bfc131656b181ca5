// What `clwave why` and `clwave emulate` can ask of transpose.
#include <memory>

#include <CLI/CLI.hpp>

#include <clwave/plan.hpp>
#include <clwave/transpose.hpp>

#include "primitives/planned_primitive.hpp"
#include "shared/words.hpp"

namespace clwave::tool {
namespace {

planned_primitive planned_transpose() {
  struct words_of_transpose {
    std::string type = "f32";
    std::string shape = "4096x4096";
    bool in_place = false;
  };
  auto words = std::make_shared<words_of_transpose>();
  planned_primitive transpose;
  transpose.name = "transpose";
  transpose.help = "A transpose of one matrix, or of a batch";
  transpose.add_options = [words](CLI::App& command) {
    command.add_option("--type", words->type, "Element type: i8 to i64, u8 to u64, f16, f32, f64, f32x4")
        ->capture_default_str();
    command.add_option("--shape", words->shape, "Rows x columns, or rows x columns x batch")
        ->capture_default_str();
    command.add_flag("--in-place", words->in_place, "Transposes squares in place");
  };
  const auto type_of = [words]() -> const element& {
    const element* found = find_element(words->type);
    if (found == nullptr)
      refuse("\"" + words->type + "\" is no element type", "use f32, u8, f64, f32x4 and the like");
    return *found;
  };
  transpose.plan = [words, type_of](const plan_target& on) {
    const any_view type = type_of();
    const matrices size = matrices_of(words->shape);
    return words->in_place ? clwave::plan(transpose_in_place_problem{type, size}, on)
                           : clwave::plan(transpose_problem{type, type, size}, on);
  };
  transpose.problem = [words, type_of]() -> json {
    const matrices size = matrices_of(words->shape);
    return {{"primitive", "transpose"},   {"n", size.rows * size.columns * size.batch},
            {"type", type_of().name},     {"rows", size.rows},
            {"columns", size.columns},    {"batch", size.batch},
            {"in_place", words->in_place}};
  };
  return transpose;
}

const registered_primitives transpose_listed("transpose", {planned_transpose});

}  // namespace
}  // namespace clwave::tool
