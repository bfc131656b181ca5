/* The layout of the C interface's structures and the numbers of its enumerations, which programs that were
   compiled once rely on. A line here changes only where the soname does; what comes new gets a line of its
   own. */
#include "c_test.h"

#define SIZE(type, n_bytes) _Static_assert(sizeof(void*) != 8 || sizeof(type) == (n_bytes), "size of " #type)
#define AT(type, field, n_bytes) \
  _Static_assert(sizeof(void*) != 8 || offsetof(type, field) == (n_bytes), "place of " #type "." #field)
#define NUMBER(name, value) _Static_assert((name) == (value), "number of " #name)

SIZE(clwave_status, 4);
NUMBER(CLWAVE_OK, 0);
NUMBER(CLWAVE_ERROR_INTERNAL, 1);
NUMBER(CLWAVE_ERROR_BAD_CALL, 2);
NUMBER(CLWAVE_ERROR_NO_DEVICE, 3);
NUMBER(CLWAVE_ERROR_DEVICE_ABSENT, 4);
NUMBER(CLWAVE_ERROR_BUILD, 5);
NUMBER(CLWAVE_ERROR_OUT_OF_MEMORY, 6);
NUMBER(CLWAVE_ERROR_DEVICE_LOST, 7);
NUMBER(CLWAVE_ERROR_DRIVER, 8);

/* It grows behind its last field. */
SIZE(clwave_error, 104);
AT(clwave_error, size, 0);
AT(clwave_error, status, 8);
AT(clwave_error, code, 12);
AT(clwave_error, function, 16);
AT(clwave_error, message, 24);
AT(clwave_error, primitive, 32);
AT(clwave_error, types, 40);
AT(clwave_error, op, 48);
AT(clwave_error, device, 56);
AT(clwave_error, profile, 64);
AT(clwave_error, options, 72);
AT(clwave_error, log, 80);
AT(clwave_error, advice, 88);
AT(clwave_error, place, 96);

SIZE(clwave_type, 4);
NUMBER(CLWAVE_NO_TYPE, 0);
NUMBER(CLWAVE_I8, 1);
NUMBER(CLWAVE_I16, 2);
NUMBER(CLWAVE_I32, 3);
NUMBER(CLWAVE_I64, 4);
NUMBER(CLWAVE_U8, 5);
NUMBER(CLWAVE_U16, 6);
NUMBER(CLWAVE_U32, 7);
NUMBER(CLWAVE_U64, 8);
NUMBER(CLWAVE_F32, 9);
NUMBER(CLWAVE_F64, 10);
NUMBER(CLWAVE_F16, 11);
NUMBER(CLWAVE_BF16, 12);
NUMBER(CLWAVE_CF32, 13);
NUMBER(CLWAVE_CF64, 14);
NUMBER(CLWAVE_BOOL, 15);
NUMBER(CLWAVE_BYTE, 16);
NUMBER(CLWAVE_U128, 17);
NUMBER(CLWAVE_I128, 18);
NUMBER(CLWAVE_LAZY, 65535);
NUMBER(CLWAVE_F32X4, 9 + 4 * 256);
NUMBER(CLWAVE_F64X16, 10 + 16 * 256);

SIZE(clwave_view, 40);
AT(clwave_view, buffer, 0);
AT(clwave_view, n, 8);
AT(clwave_view, offset, 16);
AT(clwave_view, type, 24);
AT(clwave_view, count, 32);

SIZE(clwave_source, 40);
AT(clwave_source, of, 0);
AT(clwave_source, first, 8);
AT(clwave_source, step, 16);
AT(clwave_source, indices, 24);
AT(clwave_source, outside, 32);

SIZE(clwave_lazy, 48);
AT(clwave_lazy, size, 0);
AT(clwave_lazy, n, 8);
AT(clwave_lazy, type, 16);
AT(clwave_lazy, map, 24);
AT(clwave_lazy, sources, 32);
AT(clwave_lazy, n_sources, 40);

SIZE(clwave_transform_output, 16);
AT(clwave_transform_output, out, 0);
AT(clwave_transform_output, map, 8);

SIZE(clwave_options, 48);
AT(clwave_options, size, 0);
AT(clwave_options, after, 8);
AT(clwave_options, n_after, 16);
AT(clwave_options, workspace, 24);
AT(clwave_options, workspace_offset, 32);
AT(clwave_options, workspace_bytes, 40);

SIZE(clwave_value, 24);
AT(clwave_value, name, 0);
AT(clwave_value, type, 8);
AT(clwave_value, number, 16);

SIZE(clwave_op_text, 64);
AT(clwave_op_text, size, 0);
AT(clwave_op_text, name, 8);
AT(clwave_op_text, source, 16);
AT(clwave_op_text, identity, 24);
AT(clwave_op_text, declarations, 32);
AT(clwave_op_text, values, 40);
AT(clwave_op_text, n_values, 48);
AT(clwave_op_text, keeps_order, 56);

SIZE(clwave_map_text, 48);
AT(clwave_map_text, size, 0);
AT(clwave_map_text, name, 8);
AT(clwave_map_text, source, 16);
AT(clwave_map_text, declarations, 24);
AT(clwave_map_text, values, 32);
AT(clwave_map_text, n_values, 40);

SIZE(clwave_builtin_op, 4);
NUMBER(CLWAVE_PLUS, 1);
NUMBER(CLWAVE_MULTIPLIES, 2);
NUMBER(CLWAVE_MIN, 3);
NUMBER(CLWAVE_MAX, 4);
NUMBER(CLWAVE_BIT_AND, 5);
NUMBER(CLWAVE_BIT_OR, 6);
NUMBER(CLWAVE_BIT_XOR, 7);
NUMBER(CLWAVE_LOGICAL_AND, 8);
NUMBER(CLWAVE_LOGICAL_OR, 9);
NUMBER(CLWAVE_ARGMIN, 10);
NUMBER(CLWAVE_ARGMAX, 11);
SIZE(clwave_builtin_map, 4);
NUMBER(CLWAVE_IDENTITY, 1);
NUMBER(CLWAVE_ABS, 2);
NUMBER(CLWAVE_SQUARE, 3);
NUMBER(CLWAVE_PRODUCT, 4);

SIZE(clwave_matrices, 24);
AT(clwave_matrices, rows, 0);
AT(clwave_matrices, columns, 8);
AT(clwave_matrices, batch, 16);
SIZE(clwave_pitches, 16);
AT(clwave_pitches, row, 0);
AT(clwave_pitches, slice, 8);

SIZE(clwave_sort_key, 24);
AT(clwave_sort_key, of, 0);
AT(clwave_sort_key, type, 8);
AT(clwave_sort_key, first_bit, 12);
AT(clwave_sort_key, last_bit, 16);
AT(clwave_sort_key, descending, 20);
SIZE(clwave_order, 48);
AT(clwave_order, size, 0);
AT(clwave_order, less, 8);
AT(clwave_order, keys, 16);
AT(clwave_order, n_keys, 24);
AT(clwave_order, first_bit, 32);
AT(clwave_order, last_bit, 36);
AT(clwave_order, descending, 40);

SIZE(clwave_per, 4);
NUMBER(CLWAVE_PER_ROW, 0);
NUMBER(CLWAVE_PER_COLUMN, 1);
SIZE(clwave_rounding, 4);
NUMBER(CLWAVE_ROUND_NATURAL, 0);
NUMBER(CLWAVE_ROUND_NEAREST_EVEN, 1);
NUMBER(CLWAVE_ROUND_TOWARD_ZERO, 2);
NUMBER(CLWAVE_ROUND_UPWARD, 3);
NUMBER(CLWAVE_ROUND_DOWNWARD, 4);
SIZE(clwave_box, 24);
AT(clwave_box, width, 0);
AT(clwave_box, height, 8);
AT(clwave_box, depth, 16);
SIZE(clwave_field, 16);
AT(clwave_field, n_bytes, 0);
AT(clwave_field, offset, 8);
SIZE(clwave_layout, 24);
AT(clwave_layout, n_bytes, 0);
AT(clwave_layout, fields, 8);
AT(clwave_layout, n_fields, 16);
SIZE(clwave_gemm_options, 72);
AT(clwave_gemm_options, size, 0);
AT(clwave_gemm_options, lda, 8);
AT(clwave_gemm_options, ldb, 16);
AT(clwave_gemm_options, ldc, 24);
AT(clwave_gemm_options, batches, 32);
AT(clwave_gemm_options, stride_a, 40);
AT(clwave_gemm_options, stride_b, 48);
AT(clwave_gemm_options, stride_c, 56);
AT(clwave_gemm_options, share_a, 64);
AT(clwave_gemm_options, share_b, 65);
AT(clwave_gemm_options, column_major, 66);
AT(clwave_gemm_options, transpose_a, 67);
AT(clwave_gemm_options, transpose_b, 68);
AT(clwave_gemm_options, allow_tf32, 69);
AT(clwave_gemm_options, same_bits, 70);

SIZE(clwave_gemv_options, 40);
AT(clwave_gemv_options, size, 0);
AT(clwave_gemv_options, lda, 8);
AT(clwave_gemv_options, step_x, 16);
AT(clwave_gemv_options, step_y, 24);
AT(clwave_gemv_options, column_major, 32);
AT(clwave_gemv_options, transpose, 33);

SIZE(clwave_random_options, 32);
AT(clwave_random_options, size, 0);
AT(clwave_random_options, below, 8);
AT(clwave_random_options, first, 16);
AT(clwave_random_options, stream, 24);
AT(clwave_random_options, kind, 28);
SIZE(clwave_random_kind, 4);
NUMBER(CLWAVE_RANDOM_UNIFORM, 0);
NUMBER(CLWAVE_RANDOM_NORMAL, 1);

SIZE(clwave_moments_f32, 16);
AT(clwave_moments_f32, n, 0);
AT(clwave_moments_f32, mean, 8);
AT(clwave_moments_f32, squares, 12);

SIZE(clwave_moments_f64, 24);
AT(clwave_moments_f64, n, 0);
AT(clwave_moments_f64, mean, 8);
AT(clwave_moments_f64, squares, 16);
