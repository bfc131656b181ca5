"""What minmax and mean_and_variance give: dtypes of their results on the device, and Moments."""

import functools
import math
from typing import NamedTuple

import numpy as np


class Moments(NamedTuple):
    """How many elements there are, their mean, and the sum of the squares of their distances from it.

    >>> clwave.Moments(n=4, mean=2.5, squares=5.0).variance
    1.25
    """

    n: int
    mean: float
    squares: float

    @property
    def variance(self):
        """The variance of the elements themselves: squares / n, NaN of no elements."""
        return self.squares / self.n if self.n > 0 else math.nan

    @property
    def sample_variance(self):
        """The variance of what the elements are a sample of: squares / (n - 1), NaN of fewer than two."""
        return self.squares / (self.n - 1) if self.n > 1 else math.nan


@functools.lru_cache(maxsize=None)
def minmax_dtype(dtype):
    """The dtype of the results of minmax on the device, of elements of a dtype: a structure of `min` and `max`.

    Numbers of 16 bits that are floats are compared as float32.

    >>> clwave.minmax_dtype(np.int16).names
    ('min', 'max')
    """
    dtype = np.dtype(dtype)
    if dtype.name in ("float16", "bfloat16"):
        dtype = np.dtype(np.float32)
    if dtype.kind not in "iuf" or not dtype.isnative:
        raise ValueError(f"minmax takes numbers, and no {dtype}")
    return np.dtype([("min", dtype), ("max", dtype)], align=True)


@functools.lru_cache(maxsize=None)
def moments_dtype(dtype):
    """The dtype of the results of mean_and_variance on the device, computed in float32 or float64: `n`, `mean`, `squares`.

    >>> clwave.moments_dtype(np.float64).itemsize
    24
    """
    dtype = np.dtype(dtype)
    if dtype not in (np.dtype(np.float32), np.dtype(np.float64)):
        raise ValueError(f"moments are of float32 or of float64, and not of {dtype}")
    return np.dtype([("n", np.uint64), ("mean", dtype), ("squares", dtype)], align=True)
