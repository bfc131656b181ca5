// A primitive of `clwave why` and `clwave emulate`. Each file of this folder describes one and registers it.
#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include <clwave/plan.hpp>

#include "base/registered.hpp"
#include "shared/common.hpp"

namespace clwave::tool {

// A call of the library that is one kind of a primitive: the options that say so, with their values.
struct planned_call {
  std::string name;
  std::vector<std::pair<std::string, std::string>> given = {};
};

struct planned_primitive {
  std::string name;
  std::string help;
  std::string group;  // of the list that --help shows; empty: that of the primitives
  std::function<void(CLI::App&)> add_options;
  std::function<call_plan(const plan_target&)> plan;
  std::function<json()> problem;         // what was asked: n, types, operator, and constants of the contract
  std::vector<planned_call> calls = {};  // under whose names it can be asked, too
};

using registered_primitives = detail::registered<planned_primitive (*)()>;

// All that are registered, in the order of primitives.cmake, and behind them their calls.
std::vector<planned_primitive> planned_primitives();

}  // namespace clwave::tool
