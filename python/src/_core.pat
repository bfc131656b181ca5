_core.__prefix__:
    from collections.abc import Callable, Sequence
    from typing import Any, Protocol, TypeAlias
    import numpy
    import numpy.typing

    __version__: str

    class DeviceArray(Protocol):
        """What outputs are: clwave.Array, pyopencl.array.Array, or another object with a buffer's int_ptr and dtype."""
        @property
        def dtype(self) -> Any: ...
        @property
        def size(self) -> Any: ...

    class HasIntPtr(Protocol):
        """An OpenCL object of another library."""
        @property
        def int_ptr(self) -> int: ...

    ArrayLike: TypeAlias = DeviceArray | numpy.typing.NDArray[Any]
    Input: TypeAlias = ArrayLike | CountedArray | LazyArray
    QueueLike: TypeAlias = Queue | HasIntPtr
    After: TypeAlias = Event | HasIntPtr | Sequence[Event | HasIntPtr | None] | None
    SortKey: TypeAlias = tuple[Map | str, numpy.typing.DTypeLike] | tuple[Map | str, numpy.typing.DTypeLike, bool]

_core.__suffix__:
    class Error(Exception):
        """What every call raises."""
        code: int
        primitive: str
        types: str
        op: str
        device: str
        profile: str
        options: str
        log: str
        advice: str
        place: str

    class InternalError(Error): ...
    class BadCall(Error, ValueError): ...
    class NoDevice(Error): ...
    class DeviceAbsent(Error): ...
    class BuildError(Error): ...
    class OutOfMemory(Error, MemoryError): ...
    class DeviceLost(Error): ...
    class DriverError(Error): ...

