"""Parallel building blocks for OpenCL devices: reductions, scans, sorts, selections, matrix products.

Calls take device arrays (clwave.Array, pyopencl.array.Array, anything with int_ptr and dtype) or NumPy arrays,
which they copy to the device. A call that returns a value blocks; one with `out=` returns an Event at once.

>>> x = np.array([3, 1, 2], np.float32)
>>> clwave.reduce(x)
6.0
>>> clwave.sort(x)
array([1., 2., 3.], dtype=float32)
"""

from clwave import _drivers

_drivers.find()  # before the extension loads OpenCL

from clwave._core import (  # noqa: E402
    Array,
    BadCall,
    BuildError,
    CountedArray,
    DeviceAbsent,
    DeviceLost,
    DriverError,
    Error,
    Event,
    Future,
    InternalError,
    Map,
    NoDevice,
    Op,
    OutOfMemory,
    Preparation,
    Queue,
    Sharded,
    __version__,
    aos_to_aosoa,
    aos_to_soa,
    aosoa_to_aos,
    argmax,
    argmax_async,
    argmin,
    argmin_async,
    argsort,
    broadcast,
    copy,
    copy_flagged,
    copy_if,
    default_queue,
    dot,
    dot_async,
    exclusive_scan,
    exclusive_scan_by_key,
    fill,
    gather,
    gemm,
    histogram,
    inclusive_scan,
    inclusive_scan_by_key,
    info,
    lower_bound,
    merge,
    merge_by_key,
    partition,
    partition_copy,
    plan,
    prepare,
    reduce,
    reduce_async,
    reduce_by_key,
    reduce_columns,
    reduce_rows,
    run_lengths,
    run_offsets,
    scatter,
    segmented_exclusive_scan,
    segmented_inclusive_scan,
    segmented_reduce,
    segmented_sort,
    segmented_sort_by_key,
    set_default_queue,
    set_difference,
    set_intersection,
    set_symmetric_difference,
    set_union,
    soa_to_aos,
    sort,
    sort_by_key,
    split,
    top_k,
    transform,
    transpose,
    transpose_in_place,
    trim,
    unique,
    unique_by_key,
    upper_bound,
)
from clwave import _interop  # noqa: E402, F401 (so that no call imports it)
from clwave._types import structure  # noqa: E402

__all__ = [name for name in dir() if not name.startswith("_")]
