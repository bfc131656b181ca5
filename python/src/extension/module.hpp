// The parts of the extension module, each of which adds its functions and classes.
#pragma once

#include <nanobind/nanobind.h>

namespace nb = nanobind;

namespace clwave_python {

void register_errors(nb::module_& m);
void register_handles(nb::module_& m);
void register_futures(nb::module_& m);
void register_array(nb::module_& m);
void register_counted(nb::module_& m);
void register_lazy(nb::module_& m);
void register_shards(nb::module_& m);
void register_texts(nb::module_& m);
void register_folds(nb::module_& m);
void register_statistics(nb::module_& m);
void register_scans(nb::module_& m);
void register_selections(nb::module_& m);
void register_sorts(nb::module_& m);
void register_ranges(nb::module_& m);
void register_searches(nb::module_& m);
void register_moves(nb::module_& m);
void register_transforms(nb::module_& m);
void register_random(nb::module_& m);
void register_layouts(nb::module_& m);
void register_matrices(nb::module_& m);
void register_facts(nb::module_& m);

}  // namespace clwave_python
