"""The C interface by way of ctypes, as other languages call it: structures are spelled here a second time, a sum and a
selection are right, an error is told in its thread, and no exception of C++ comes through.

  python_test.py SHARED_LIBRARY
"""
import ctypes
import ctypes.util
import random
import sys
import threading
from ctypes import POINTER, byref, c_bool, c_char_p, c_int, c_int32, c_int64, c_size_t, c_uint32, c_uint64, c_void_p

U32, U64 = 7, 8  # clwave_builtin_type
OK, BAD_CALL, BUILD = 0, 2, 5  # clwave_status


class Error(ctypes.Structure):
    _fields_ = [("size", c_size_t), ("status", c_int), ("code", c_int32),
                *((name, c_char_p) for name in ("function", "message", "primitive", "types", "op", "device", "profile",
                                                "options", "log", "advice", "place"))]


class View(ctypes.Structure):
    _fields_ = [("buffer", c_void_p), ("n", c_uint64), ("offset", c_uint64), ("type", c_uint32), ("count", c_void_p)]


class Source(ctypes.Structure):
    _fields_ = [("of", POINTER(View)), ("first", c_uint64), ("step", c_int64), ("indices", POINTER(View)), ("outside", c_void_p)]


class Lazy(ctypes.Structure):
    _fields_ = [("size", c_size_t), ("n", c_uint64), ("type", c_uint32), ("map", c_void_p), ("sources", POINTER(Source)),
                ("n_sources", c_size_t)]


class Value(ctypes.Structure):
    _fields_ = [("name", c_char_p), ("type", c_uint32), ("number", c_void_p)]


class MapText(ctypes.Structure):
    _fields_ = [("size", c_size_t), ("name", c_char_p), ("source", c_char_p), ("declarations", c_char_p),
                ("values", POINTER(Value)), ("n_values", c_size_t)]


class Order(ctypes.Structure):
    _fields_ = [("size", c_size_t), ("less", c_void_p), ("keys", c_void_p), ("n_keys", c_size_t),
                ("first_bit", c_uint32), ("last_bit", c_uint32), ("descending", c_bool)]


clwave = ctypes.CDLL(sys.argv[1])
clwave.clwave_last_error.restype = POINTER(Error)
clwave.clwave_version.restype = c_char_p
clwave.clwave_lazy_view.restype = View
opencl = ctypes.CDLL(ctypes.util.find_library("OpenCL"))
opencl.clCreateContext.restype = opencl.clCreateCommandQueue.restype = opencl.clCreateBuffer.restype = c_void_p


def last_error():
    return clwave.clwave_last_error().contents


def check(status):
    if status != OK:
        sys.exit(last_error().message.decode())


device = c_void_p()
check(clwave.clwave_select_device(None, byref(device)))
context = c_void_p(opencl.clCreateContext(None, 1, byref(device), None, None, None))
queue = c_void_p(opencl.clCreateCommandQueue(context, device, c_uint64(0), None))
COPY_HOST_POINTER, BLOCKS = 1 << 5, 1


def view_of(values, type_number, c_type):
    array = (c_type * len(values))(*values)
    buffer = opencl.clCreateBuffer(context, c_uint64(COPY_HOST_POINTER), c_size_t(ctypes.sizeof(array)), array, None)
    assert buffer, "no buffer"
    return View(buffer, len(values), 0, type_number)


def read(view, c_type):
    array = (c_type * view.n)()
    code = opencl.clEnqueueReadBuffer(queue, c_void_p(view.buffer), BLOCKS, c_size_t(0), c_size_t(ctypes.sizeof(array)), array,
                                      0, None, None)
    assert code == 0, f"a read gave {code}"
    return list(array)


# A sum, a selection by a text with a value, and a sort.
numbers = [random.randrange(1 << 20) for _ in range(5000)]
x, out = view_of(numbers, U32, c_uint32), view_of([0] * len(numbers), U32, c_uint32)
total, count = c_uint64(), c_uint64()
check(clwave.clwave_reduce_to_host(queue, byref(x), None, U64, None, byref(total), None))
assert total.value == sum(numbers), (total.value, sum(numbers))

least = c_uint32(1 << 19)
value = Value(b"least", U32, ctypes.addressof(least))
above = c_void_p()
check(clwave.clwave_map_create(byref(MapText(ctypes.sizeof(MapText), b"above", b"x >= least", None, ctypes.pointer(value), 1)),
                               byref(above)))
check(clwave.clwave_copy_if_to_host(queue, byref(x), byref(out), above, byref(count), None))
wanted = [number for number in numbers if number >= least.value]
assert count.value == len(wanted) and read(out, c_uint32)[:len(wanted)] == wanted
clwave.clwave_map_release(above)

event = c_void_p()
order = Order(size=ctypes.sizeof(Order), descending=True)
check(clwave.clwave_sort(queue, byref(x), byref(out), byref(order), None, byref(event)))
check(clwave.clwave_wait(byref(event), c_size_t(1)))
assert opencl.clReleaseEvent(event) == 0
assert read(out, c_uint32) == sorted(numbers, reverse=True)

# Errors are statuses, with a text, and each thread has its own.
assert last_error().status == OK and last_error().message == b""
assert clwave.clwave_reduce_to_host(queue, None, None, U64, None, byref(total), None) == BAD_CALL
assert last_error().function == b"clwave_reduce_to_host" and b"`in` is NULL" in last_error().message
wrong = c_void_p()
check(clwave.clwave_map_create(byref(MapText(ctypes.sizeof(MapText), b"misspelt", b"sqroot(x)", None, None, 0)), byref(wrong)))


def use_misspelt(found):
    found.append(last_error().status)
    found.append(clwave.clwave_copy_if_to_host(queue, byref(x), byref(out), wrong, byref(count), None))
    found.append(last_error().message)


found = []
thread = threading.Thread(target=use_misspelt, args=(found,))
thread.start()
thread.join()
assert found[:2] == [OK, BUILD] and b"misspelt" in found[2], found
assert last_error().status == BAD_CALL, "another thread's error"
clwave.clwave_map_release(wrong)

# As many of the first elements as a number on the device says.
n = view_of([1234], U64, c_uint64)
first = View(x.buffer, x.n, 0, U32, ctypes.addressof(n))
check(clwave.clwave_reduce_to_host(queue, byref(first), None, U64, None, byref(total), None))
assert total.value == sum(numbers[:1234])

# Every third element from the last on, which lies nowhere.
third = Source(ctypes.pointer(x), x.n - 1, -3)
lazy = Lazy(ctypes.sizeof(Lazy), (x.n + 2) // 3, U32, None, ctypes.pointer(third), 1)
backwards = clwave.clwave_lazy_view(byref(lazy))
check(clwave.clwave_reduce_to_host(queue, byref(backwards), None, U64, None, byref(total), None))
assert total.value == sum(numbers[::-3])
assert clwave.clwave_sort(queue, byref(backwards), byref(out), None, None, None) == BAD_CALL
assert b"lie nowhere for `in`" in last_error().message, last_error().message

for view in (x, out, n):
    opencl.clReleaseMemObject(c_void_p(view.buffer))
check(clwave.clwave_release_context(context))
opencl.clReleaseCommandQueue(queue)
opencl.clReleaseContext(context)
print(f"clwave {clwave.clwave_version().decode()} by ctypes: sums, a selection, a sort and errors are right")
