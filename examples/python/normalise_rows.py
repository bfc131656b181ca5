"""Each row of a matrix divided by its length: a reduction of rows and a broadcast, both on the device."""

import numpy as np

import clwave

rows = np.random.default_rng(1).standard_normal((1000, 64)).astype(np.float32)
x = clwave.Array.from_numpy(rows)
squares = clwave.reduce_rows(x, map="x * x")
normalised = clwave.broadcast(x, squares, map="x * rsqrt(b)", per="row")
assert np.allclose(np.linalg.norm(normalised.get(), axis=1), 1, atol=1e-5)
print(f"{rows.shape[0]} rows have the length 1")
