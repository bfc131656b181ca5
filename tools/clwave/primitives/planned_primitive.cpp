// All primitives that `clwave why` and `clwave emulate` know.
#include "primitives/planned_primitive.hpp"

namespace clwave::tool {

std::vector<planned_primitive> planned_primitives() {
  std::vector<planned_primitive> all;
  for (const auto make : registered_primitives::in_order(CLWAVE_TOOL_PRIMITIVES)) all.push_back(make());
  return all;
}

}  // namespace clwave::tool
