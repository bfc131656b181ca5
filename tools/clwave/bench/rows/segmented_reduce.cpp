// Rows of segmented_reduce.
