// A primitive of `clwave why` and `clwave emulate`. Each file of this folder describes one and registers it.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include <clwave/plan.hpp>

#include "base/registered.hpp"
#include "shared/common.hpp"

namespace clwave::tool {

struct planned_primitive {
  std::string name;
  std::string help;
  std::function<void(CLI::App&)> add_options;
  std::function<call_plan(const plan_target&)> plan;
  std::function<json()> problem;  // what was asked: n, types, operator, and constants of the contract
};

using registered_primitives = detail::registered<planned_primitive (*)()>;

// All that are registered, in the order of primitives.cmake.
std::vector<planned_primitive> planned_primitives();

}  // namespace clwave::tool
