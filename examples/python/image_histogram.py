"""The histograms of an image's channels, counted at once, and a picture of them where matplotlib is there."""

import numpy as np

import clwave

random = np.random.default_rng(1)
image = np.clip(random.normal([90, 128, 170], 30, (480, 640, 3)), 0, 255).astype(np.uint8)
counts = clwave.histogram(clwave.Array.from_numpy(image), 256, (0, 256), channels=3).get().reshape(3, 256)
assert counts.sum() == image.size
for channel, name in enumerate(("red", "green", "blue")):
    assert (counts[channel] == np.bincount(image[:, :, channel].ravel(), minlength=256)).all()
    print(f"{name:5} has most pixels of {counts[channel].argmax()}")
try:
    import matplotlib
except ImportError:
    print("matplotlib is not there: no picture")
else:
    matplotlib.use("svg")
    import matplotlib.pyplot as plot

    for channel, name in enumerate(("red", "green", "blue")):
        plot.step(range(256), counts[channel], color=name, where="mid")
    plot.savefig("image_histogram.svg")
    print("image_histogram.svg")
