/* The layout of the C interface's structures and the numbers of its enumerations, which programs that were
   compiled once rely on. A number here changes only where the soname does; what comes new is added. */
#include "c_test.h"

/* does (a, b) does (c, d) ..., for one to 22 pairs. */
#define EACH_1(does, x) does x
#define EACH_2(does, x, ...) does x EACH_1(does, __VA_ARGS__)
#define EACH_3(does, x, ...) does x EACH_2(does, __VA_ARGS__)
#define EACH_4(does, x, ...) does x EACH_3(does, __VA_ARGS__)
#define EACH_5(does, x, ...) does x EACH_4(does, __VA_ARGS__)
#define EACH_6(does, x, ...) does x EACH_5(does, __VA_ARGS__)
#define EACH_7(does, x, ...) does x EACH_6(does, __VA_ARGS__)
#define EACH_8(does, x, ...) does x EACH_7(does, __VA_ARGS__)
#define EACH_9(does, x, ...) does x EACH_8(does, __VA_ARGS__)
#define EACH_10(does, x, ...) does x EACH_9(does, __VA_ARGS__)
#define EACH_11(does, x, ...) does x EACH_10(does, __VA_ARGS__)
#define EACH_12(does, x, ...) does x EACH_11(does, __VA_ARGS__)
#define EACH_13(does, x, ...) does x EACH_12(does, __VA_ARGS__)
#define EACH_14(does, x, ...) does x EACH_13(does, __VA_ARGS__)
#define EACH_15(does, x, ...) does x EACH_14(does, __VA_ARGS__)
#define EACH_16(does, x, ...) does x EACH_15(does, __VA_ARGS__)
#define EACH_17(does, x, ...) does x EACH_16(does, __VA_ARGS__)
#define EACH_18(does, x, ...) does x EACH_17(does, __VA_ARGS__)
#define EACH_19(does, x, ...) does x EACH_18(does, __VA_ARGS__)
#define EACH_20(does, x, ...) does x EACH_19(does, __VA_ARGS__)
#define EACH_21(does, x, ...) does x EACH_20(does, __VA_ARGS__)
#define EACH_22(does, x, ...) does x EACH_21(does, __VA_ARGS__)
#define EACH_OF(_1, _2, _3, _4, _5, _6, _7, _8, _9, _10, _11, _12, _13, _14, _15, _16, _17, _18, _19, _20, \
                _21, _22, which, ...)                                                                      \
  which
#define EACH(does, ...)                                                                                 \
  EACH_OF(__VA_ARGS__, EACH_22, EACH_21, EACH_20, EACH_19, EACH_18, EACH_17, EACH_16, EACH_15, EACH_14, \
          EACH_13, EACH_12, EACH_11, EACH_10, EACH_9, EACH_8, EACH_7, EACH_6, EACH_5, EACH_4, EACH_3,   \
          EACH_2, EACH_1, 0)                                                                            \
  (does, __VA_ARGS__)

/* The size of a structure, and the places of its fields. */
#define PLACES(type, n_bytes, ...)                                                  \
  {                                                                                 \
    typedef type T;                                                                 \
    _Static_assert(sizeof(void*) != 8 || sizeof(T) == (n_bytes), "size of " #type); \
    EACH(AT, __VA_ARGS__)                                                           \
  }
#define AT(field, n_bytes) _Static_assert(sizeof(void*) != 8 || offsetof(T, field) == (n_bytes), #field);

/* The size of an enumeration, and its numbers. */
#define NUMBERS(type, ...)                             \
  _Static_assert(sizeof(type) == 4, "size of " #type); \
  EACH(IS, __VA_ARGS__)
#define IS(name, number) _Static_assert((name) == (number), #name);

void all_layouts(void);
void all_layouts(void) {
  NUMBERS(clwave_status, (CLWAVE_OK, 0), (CLWAVE_ERROR_INTERNAL, 1), (CLWAVE_ERROR_BAD_CALL, 2),
          (CLWAVE_ERROR_NO_DEVICE, 3), (CLWAVE_ERROR_DEVICE_ABSENT, 4), (CLWAVE_ERROR_BUILD, 5),
          (CLWAVE_ERROR_OUT_OF_MEMORY, 6), (CLWAVE_ERROR_DEVICE_LOST, 7), (CLWAVE_ERROR_DRIVER, 8))
  /* It grows behind its last field. */
  PLACES(clwave_error, 104, (size, 0), (status, 8), (code, 12), (function, 16), (message, 24),
         (primitive, 32), (types, 40), (op, 48), (device, 56), (profile, 64), (options, 72), (log, 80),
         (advice, 88), (place, 96))
  NUMBERS(clwave_type, (CLWAVE_NO_TYPE, 0), (CLWAVE_I8, 1), (CLWAVE_I16, 2), (CLWAVE_I32, 3), (CLWAVE_I64, 4),
          (CLWAVE_U8, 5), (CLWAVE_U16, 6), (CLWAVE_U32, 7), (CLWAVE_U64, 8), (CLWAVE_F32, 9),
          (CLWAVE_F64, 10), (CLWAVE_F16, 11), (CLWAVE_BF16, 12), (CLWAVE_CF32, 13), (CLWAVE_CF64, 14),
          (CLWAVE_BOOL, 15), (CLWAVE_BYTE, 16), (CLWAVE_U128, 17), (CLWAVE_I128, 18), (CLWAVE_LAZY, 65535),
          (CLWAVE_F32X4, 9 + 4 * 256), (CLWAVE_F64X16, 10 + 16 * 256))
  PLACES(clwave_view, 40, (buffer, 0), (n, 8), (offset, 16), (type, 24), (count, 32))
  PLACES(clwave_source, 40, (of, 0), (first, 8), (step, 16), (indices, 24), (outside, 32))
  PLACES(clwave_lazy, 48, (size, 0), (n, 8), (type, 16), (map, 24), (sources, 32), (n_sources, 40))
  PLACES(clwave_transform_output, 16, (out, 0), (map, 8))
  PLACES(clwave_options, 48, (size, 0), (after, 8), (n_after, 16), (workspace, 24), (workspace_offset, 32),
         (workspace_bytes, 40))
  PLACES(clwave_value, 24, (name, 0), (type, 8), (number, 16))
  PLACES(clwave_op_text, 64, (size, 0), (name, 8), (source, 16), (identity, 24), (declarations, 32),
         (values, 40), (n_values, 48), (keeps_order, 56))
  PLACES(clwave_map_text, 48, (size, 0), (name, 8), (source, 16), (declarations, 24), (values, 32),
         (n_values, 40))
  NUMBERS(clwave_builtin_op, (CLWAVE_PLUS, 1), (CLWAVE_MULTIPLIES, 2), (CLWAVE_MIN, 3), (CLWAVE_MAX, 4),
          (CLWAVE_BIT_AND, 5), (CLWAVE_BIT_OR, 6), (CLWAVE_BIT_XOR, 7), (CLWAVE_LOGICAL_AND, 8),
          (CLWAVE_LOGICAL_OR, 9), (CLWAVE_ARGMIN, 10), (CLWAVE_ARGMAX, 11))
  NUMBERS(clwave_builtin_map, (CLWAVE_IDENTITY, 1), (CLWAVE_ABS, 2), (CLWAVE_SQUARE, 3), (CLWAVE_PRODUCT, 4))
  PLACES(clwave_matrices, 24, (rows, 0), (columns, 8), (batch, 16))
  PLACES(clwave_pitches, 16, (row, 0), (slice, 8))
  PLACES(clwave_sort_key, 24, (of, 0), (type, 8), (first_bit, 12), (last_bit, 16), (descending, 20))
  PLACES(clwave_order, 48, (size, 0), (less, 8), (keys, 16), (n_keys, 24), (first_bit, 32), (last_bit, 36),
         (descending, 40))
  NUMBERS(clwave_per, (CLWAVE_PER_ROW, 0), (CLWAVE_PER_COLUMN, 1))
  NUMBERS(clwave_rounding, (CLWAVE_ROUND_NATURAL, 0), (CLWAVE_ROUND_NEAREST_EVEN, 1),
          (CLWAVE_ROUND_TOWARD_ZERO, 2), (CLWAVE_ROUND_UPWARD, 3), (CLWAVE_ROUND_DOWNWARD, 4))
  PLACES(clwave_box, 24, (width, 0), (height, 8), (depth, 16))
  PLACES(clwave_field, 16, (n_bytes, 0), (offset, 8))
  PLACES(clwave_layout, 24, (n_bytes, 0), (fields, 8), (n_fields, 16))
  PLACES(clwave_gemm_options, 72, (size, 0), (lda, 8), (ldb, 16), (ldc, 24), (batches, 32), (stride_a, 40),
         (stride_b, 48), (stride_c, 56), (share_a, 64), (share_b, 65), (column_major, 66), (transpose_a, 67),
         (transpose_b, 68), (allow_tf32, 69), (same_bits, 70))
  PLACES(clwave_gemv_options, 40, (size, 0), (lda, 8), (step_x, 16), (step_y, 24), (column_major, 32),
         (transpose, 33))
  PLACES(clwave_random_options, 32, (size, 0), (below, 8), (first, 16), (stream, 24), (kind, 28))
  NUMBERS(clwave_random_kind, (CLWAVE_RANDOM_UNIFORM, 0), (CLWAVE_RANDOM_NORMAL, 1))
  PLACES(clwave_moments_f32, 16, (n, 0), (mean, 8), (squares, 12))
  PLACES(clwave_moments_f64, 24, (n, 0), (mean, 8), (squares, 16))
}
