// clwave._core: the library's untyped calls as functions of Python. The package clwave offers what is here
// under its own name.
#include "module.hpp"

#include <string>

#include <nanobind/stl/string.h>

#include <clwave/version.hpp>

NB_MODULE(_core, m) {
  using namespace clwave_python;
  // The default queue lives as long as the process.
  nb::set_leak_warnings(false);
  m.attr("__version__") = std::to_string(CLWAVE_VERSION_MAJOR) + "." + std::to_string(CLWAVE_VERSION_MINOR) +
                          "." + std::to_string(CLWAVE_VERSION_PATCH);
  register_errors(m);
  register_handles(m);
  register_futures(m);
  register_array(m);
  register_counted(m);
  register_lazy(m);
  register_shards(m);
  register_texts(m);
  register_folds(m);
  register_statistics(m);
  register_scans(m);
  register_selections(m);
  register_sorts(m);
  register_ranges(m);
  register_searches(m);
  register_moves(m);
  register_transforms(m);
  register_random(m);
  register_layouts(m);
  register_matrices(m);
  register_facts(m);
}
