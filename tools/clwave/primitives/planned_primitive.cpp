// All primitives that `clwave why` and `clwave emulate` know.
#include "primitives/planned_primitive.hpp"

#include <CLI/CLI.hpp>

namespace clwave::tool {
namespace {

// The primitive, made anew so that it has words of its own, as one of its calls.
planned_primitive as_call(planned_primitive made, const planned_call& call) {
  made.help = "The same as " + made.name;
  for (const auto& [option, value] : call.given)
    made.help += " " + option + (value == "true" ? "" : " " + value);
  made.name = call.name;
  made.group = "Calls, each a kind of a primitive";
  made.add_options = [add = made.add_options, given = call.given](CLI::App& command) {
    add(command);
    for (const auto& [option, value] : given) command.get_option(option)->default_val(value);
  };
  return made;
}

}  // namespace

std::vector<planned_primitive> planned_primitives() {
  std::vector<planned_primitive> all, calls;
  for (const auto make : registered_primitives::in_order(CLWAVE_TOOL_PRIMITIVES)) {
    all.push_back(make());
    for (const planned_call& call : all.back().calls) calls.push_back(as_call(make(), call));
  }
  all.insert(all.end(), calls.begin(), calls.end());
  return all;
}

}  // namespace clwave::tool
