"""A program of PyOpenCL, moved by its import lines: queues and arrays stay PyOpenCL's."""

import numpy as np
import pyopencl as cl
import pyopencl.array as cl_array

# Before: from pyopencl.reduction import ReductionKernel, and from pyopencl.algorithm import copy_if
from clwave.pyopencl import ReductionKernel, copy_if

context = cl.create_some_context(interactive=False)
queue = cl.CommandQueue(context)
x = cl_array.arange(queue, 1000, dtype=np.float32)
y = cl_array.to_device(queue, np.full(1000, 2, np.float32))

dot = ReductionKernel(context, np.float32, neutral="0", reduce_expr="a+b", map_expr="x[i]*y[i]",
                      arguments="__global float *x, __global float *y")
print("dot", dot(x, y).get())
large, count, event = copy_if(x, "ary[i] > limit", [("limit", np.float32(990))])
event.wait()
print("large", large.get()[:int(count.get())])
