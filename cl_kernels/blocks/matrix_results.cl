// Where the results of a matrix's rows or columns go: to neighbouring places; or (TIMES_VECTOR), where they are the product
// of the matrix and a vector, to another vector, y = alpha * result + beta * y.

#ifdef TIMES_VECTOR
// OUT is an element of y in memory.
typedef OUT RESULT;

static inline __global RESULT *result_at(__global RESULT *out, ulong i, named_values given) {
  return out + i * given.result_step;
}

// y is not read where beta is 0: NaN may lie there.
static inline void leave_result(__global RESULT *to, ACC result, named_values given) {
  const ACC scaled = given.alpha * result;
  *to = OUT_WRITE(given.beta == 0 ? scaled : fma(given.beta, OUT_READ(*to), scaled));
}
#else
typedef ACC RESULT;

static inline __global RESULT *result_at(__global RESULT *out, ulong i, named_values given) { return out + i; }

static inline void leave_result(__global RESULT *to, ACC result, named_values given) { *to = canonical(result); }
#endif
