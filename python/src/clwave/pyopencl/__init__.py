"""PyOpenCL's reductions, scans, selections and sorts, carried out by clwave: one import line moves a program.

    from clwave.pyopencl import ReductionKernel, InclusiveScanKernel, copy_if, RadixSort

Classes and functions have PyOpenCL's names, arguments and results. What clwave has no way to do raises NotServed, which
names it; with `clwave.pyopencl.fallback = True` PyOpenCL's own does it instead. docs/python.md lists what is served.
"""

import pyopencl
import pyopencl.algorithm
import pyopencl.array
import pyopencl.elementwise
import pyopencl.reduction
import pyopencl.scan

from ._arrays import all, any, cumsum, dot, max, min, reverse, subset_max, subset_min, subset_sum, sum, take, vdot
from ._reductions import ReductionKernel
from ._scans import ExclusiveScanKernel, GenericDebugScanKernel, GenericScanKernel, InclusiveScanKernel
from ._selections import copy_if, partition, remove_if, unique
from ._shared import NotServed
from ._sorts import KeyValueSorter, ListOfListsBuilder, RadixSort

__all__ = ["ElementwiseKernel", "ExclusiveScanKernel", "GenericDebugScanKernel", "GenericScanKernel", "InclusiveScanKernel",
           "KeyValueSorter", "ListOfListsBuilder", "NotServed", "RadixSort", "ReductionKernel", "all", "any", "arange", "copy_if",
           "cumsum", "dot", "install", "max", "min", "partition", "remove_if", "reverse", "subset_max", "subset_min", "subset_sum",
           "sum", "take", "unique", "vdot"]

#: True: PyOpenCL's own does what clwave cannot.
fallback = False

# Not carried out by clwave, as they need no primitive of it.
ElementwiseKernel = pyopencl.elementwise.ElementwiseKernel
arange = pyopencl.array.arange

#: What install() puts in place of PyOpenCL's own.
SERVED = {
    "reduction": ["ReductionKernel"],
    "scan": ["GenericScanKernel", "GenericDebugScanKernel", "InclusiveScanKernel", "ExclusiveScanKernel"],
    "algorithm": ["GenericScanKernel", "copy_if", "remove_if", "partition", "unique", "RadixSort", "KeyValueSorter",
                  "ListOfListsBuilder"],
    "array": ["sum", "dot", "vdot", "max", "min", "subset_max", "subset_min", "any", "all", "cumsum", "take"],
}


def install():
    """Puts these classes and functions behind PyOpenCL's own names, for programs that cannot be changed."""
    for module, names in SERVED.items():
        for name in names:
            setattr(getattr(pyopencl, module), name, globals()[name])
    pyopencl.array.Array.reverse = reverse
