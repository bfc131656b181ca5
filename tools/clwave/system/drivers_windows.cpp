// Drivers on Windows. The registry names them in several places, and no variable keeps the loader to one of
// them: they are visited all together, and a driver that crashes cannot be left out.
#include "drivers/drivers.hpp"

namespace clwave::tool {

std::vector<driver> list_drivers() { return {{"", "the loader's own search"}}; }

// No loader would look there.
vendors_folder::vendors_folder(const std::vector<driver>&) {}
vendors_folder::~vendors_folder() = default;

}  // namespace clwave::tool
