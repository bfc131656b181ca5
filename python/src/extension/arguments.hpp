// The keyword arguments that all calls have.
#pragma once

#include <nanobind/nanobind.h>

namespace nb = nanobind;

// The last parameters of a call's binding, in their order: out, queue, after.
#define CLWAVE_PYTHON_LAUNCH nb::arg("queue") = nb::none(), nb::arg("after") = nb::none()
#define CLWAVE_PYTHON_OUT_AND_LAUNCH nb::arg("out") = nb::none(), CLWAVE_PYTHON_LAUNCH

// Their part of a signature.
#define CLWAVE_PYTHON_LAUNCH_TYPES "queue: QueueLike | None = None, after: After = None"
#define CLWAVE_PYTHON_OUT_AND_LAUNCH_TYPES "out: DeviceArray | None = None, " CLWAVE_PYTHON_LAUNCH_TYPES
