"""How often each word of a text occurs: words as numbers, sorted, and the lengths of runs of equal ones."""

import sys

import numpy as np

import clwave

text = open(sys.argv[1]).read() if len(sys.argv) > 1 else "the cat and the dog and the bird"
words, numbers = np.unique(text.lower().split(), return_inverse=True)
x = clwave.Array.from_numpy(numbers.astype(np.uint32))
numbers, counts = clwave.run_lengths(clwave.sort(x))
most, places = clwave.top_k(counts, min(5, len(words)))
for count, word in zip(most.get(), clwave.gather(numbers, places).get()):
    print(f"{count:6} {words[word]}")
