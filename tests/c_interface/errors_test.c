/* What the C interface refuses, how it says so, and options: events, workspace, sizes of structures. */
#include "c_test.h"

#include <string.h>

static void test_no_error(void) {
  const clwave_error* error = clwave_last_error();
  EXPECT(error != NULL && error->size == sizeof *error && error->status == CLWAVE_OK &&
         error->message[0] == 0);
  EXPECT(strcmp(clwave_version(), CLWAVE_VERSION_STRING) == 0 && clwave_version_number() == CLWAVE_VERSION);
  EXPECT(strcmp(clwave_status_name(CLWAVE_ERROR_BAD_CALL), "bad call") == 0);
}

static void test_types(void) {
  EXPECT(clwave_find_type("f32") == CLWAVE_F32 && clwave_find_type("float4") == CLWAVE_F32X4);
  EXPECT(clwave_find_type("u64x16") == CLWAVE_U64X16 && clwave_find_type("bool") == CLWAVE_BOOL);
  EXPECT(clwave_find_type("no such") == CLWAVE_NO_TYPE && clwave_find_type(NULL) == CLWAVE_NO_TYPE);
  EXPECT(clwave_type_size(CLWAVE_F64X16) == 128 && clwave_type_size(CLWAVE_BF16) == 2);
  EXPECT(clwave_type_size(CLWAVE_U128) == 16 && clwave_type_size(CLWAVE_CF64) == 16);
  EXPECT(clwave_type_size(CLWAVE_NO_TYPE) == 0 && clwave_type_size(999) == 0);
  EXPECT(clwave_type_size(CLWAVE_F32 | 3 << 8) == 0 && clwave_type_size(UINT32_MAX) == 0);
  clwave_type type = 7;
  EXPECT_ERROR(clwave_describe_structure("large", "typedef struct { ulong16 a, b; } large;", 256, &type),
               CLWAVE_ERROR_BAD_CALL, "128 bytes");
  EXPECT(type == CLWAVE_NO_TYPE);
  EXPECT_ERROR(clwave_describe_structure(NULL, "", 4, &type), CLWAVE_ERROR_BAD_CALL, "`name` is NULL");
  EXPECT_ERROR(clwave_describe_structure("a", "b", 4, NULL), CLWAVE_ERROR_BAD_CALL, "`type` is NULL");
  EXPECT_ERROR(clwave_indexed_type(CLWAVE_F32X4, &type), CLWAVE_ERROR_BAD_CALL, "f32x4");
}

static void test_arguments(void) {
  const clwave_view x = view_of(CLWAVE_F32, 100, NULL), out = view_of(CLWAVE_F32, 1, NULL);
  float value = 42;
  EXPECT_ERROR(clwave_reduce(NULL, &x, &out, NULL, NULL, NULL, NULL), CLWAVE_ERROR_BAD_CALL, "");
  EXPECT(strcmp(clwave_last_error()->function, "clwave_reduce") == 0);
  EXPECT(strcmp(clwave_last_error()->primitive, "reduce") == 0);
  EXPECT_ERROR(clwave_reduce(queue, NULL, &out, NULL, NULL, NULL, NULL), CLWAVE_ERROR_BAD_CALL,
               "`in` is NULL");
  EXPECT_ERROR(clwave_reduce(queue, &x, NULL, NULL, NULL, NULL, NULL), CLWAVE_ERROR_BAD_CALL,
               "`out` is NULL");
  EXPECT_ERROR(clwave_reduce_to_host(queue, &x, NULL, CLWAVE_F32, NULL, NULL, NULL), CLWAVE_ERROR_BAD_CALL,
               "`result` is NULL");
  const clwave_view no_type = {x.buffer, 100, 0, CLWAVE_NO_TYPE, NULL},
                    odd_type = {x.buffer, 100, 0, 12345, NULL};
  EXPECT_ERROR(clwave_reduce(queue, &no_type, &out, NULL, NULL, NULL, NULL), CLWAVE_ERROR_BAD_CALL, "type");
  EXPECT_ERROR(clwave_reduce(queue, &odd_type, &out, NULL, NULL, NULL, NULL), CLWAVE_ERROR_BAD_CALL, "12345");
  EXPECT_ERROR(clwave_reduce_to_host(queue, &x, NULL, CLWAVE_NO_TYPE, NULL, &value, NULL),
               CLWAVE_ERROR_BAD_CALL, "type");
  const clwave_view no_buffer = {NULL, 100, 0, CLWAVE_F32, NULL}, past = {x.buffer, 100, 1, CLWAVE_F32, NULL};
  EXPECT_ERROR(clwave_reduce(queue, &no_buffer, &out, NULL, NULL, NULL, NULL), CLWAVE_ERROR_BAD_CALL, "");
  EXPECT_ERROR(clwave_reduce_to_host(queue, &past, NULL, CLWAVE_F32, NULL, &value, NULL),
               CLWAVE_ERROR_BAD_CALL, "");
  EXPECT(value == 42);
  const clwave_view shorter = {x.buffer, 99, 0, CLWAVE_F32, NULL}, other = view_of(CLWAVE_F32, 100, NULL);
  EXPECT_ERROR(clwave_copy(queue, &shorter, &other, false, CLWAVE_ROUND_NATURAL, NULL, NULL),
               CLWAVE_ERROR_BAD_CALL, "99");
  EXPECT_ERROR(clwave_copy(queue, &x, &other, false, (clwave_rounding)99, NULL, NULL), CLWAVE_ERROR_BAD_CALL,
               "99");
  EXPECT_ERROR(clwave_transform(queue, &x, 1, &other, NULL, NULL, NULL), CLWAVE_ERROR_BAD_CALL,
               "`map` is NULL");
  EXPECT_ERROR(clwave_transform(queue, &x, 4, &other, clwave_map_builtin(CLWAVE_ABS), NULL, NULL),
               CLWAVE_ERROR_BAD_CALL, "1 to 3");
  EXPECT_ERROR(clwave_fill(queue, &other, NULL, NULL, NULL), CLWAVE_ERROR_BAD_CALL, "`value` is NULL");
  const clwave_view indices = view_of(CLWAVE_U32, 100, NULL), with_sign = view_of(CLWAVE_I32, 100, NULL),
                    narrow = view_of(CLWAVE_U32, 1, NULL),
                    shorter_out = {other.buffer, 99, 0, CLWAVE_F32, NULL};
  EXPECT_ERROR(clwave_gather(queue, &x, NULL, &other, NULL, NULL, NULL, NULL, NULL), CLWAVE_ERROR_BAD_CALL,
               "`indices` is NULL");
  EXPECT_ERROR(clwave_gather(queue, &x, &with_sign, &other, NULL, NULL, NULL, NULL, NULL),
               CLWAVE_ERROR_BAD_CALL, "i32");
  EXPECT_ERROR(clwave_gather(queue, &x, &indices, &shorter_out, NULL, NULL, NULL, NULL, NULL),
               CLWAVE_ERROR_BAD_CALL, "100 indices");
  EXPECT_ERROR(clwave_gather(queue, &x, &indices, &with_sign, NULL, NULL, NULL, NULL, NULL),
               CLWAVE_ERROR_BAD_CALL, "different types");
  EXPECT_ERROR(clwave_gather(queue, &x, &indices, &other, &narrow, NULL, NULL, NULL, NULL),
               CLWAVE_ERROR_BAD_CALL, "u32");
  EXPECT_ERROR(clwave_gather(queue, &x, &indices, &x, NULL, NULL, NULL, NULL, NULL), CLWAVE_ERROR_BAD_CALL,
               "overlap");
  EXPECT_ERROR(clwave_checked_gather(queue, &x, &indices, &other, clwave_map_builtin(CLWAVE_ABS), NULL, NULL),
               CLWAVE_ERROR_BAD_CALL, "a map of your own");
  EXPECT_ERROR(clwave_scatter(queue, &shorter, &indices, &other, NULL, NULL, false, NULL, NULL),
               CLWAVE_ERROR_BAD_CALL, "100 indices");
  EXPECT_ERROR(clwave_checked_scatter(queue, &x, &indices, NULL, NULL, true, NULL), CLWAVE_ERROR_BAD_CALL,
               "`out` is NULL");
  EXPECT_ERROR(clwave_copy_if_to_host(queue, &x, &other, NULL, NULL, NULL), CLWAVE_ERROR_BAD_CALL,
               "`count` is NULL");
  EXPECT_ERROR(clwave_reduce_rows(queue, &x, &other, NULL, NULL, NULL, NULL, NULL, NULL),
               CLWAVE_ERROR_BAD_CALL, "`matrices` is NULL");
  const clwave_order keys = {.size = sizeof keys, .n_keys = 1};
  EXPECT_ERROR(clwave_sort(queue, &x, &other, &keys, NULL, NULL), CLWAVE_ERROR_BAD_CALL,
               "`order->keys` is NULL");
  const clwave_gemm_options shared = {.size = sizeof shared, .share_a = true, .stride_a = 4};
  EXPECT_ERROR(clwave_gemm(queue, 2, 2, 2, 1, &x, &x, 0, &other, &shared, NULL, NULL), CLWAVE_ERROR_BAD_CALL,
               "shared");
  cl_device_id device = NULL;
  EXPECT_ERROR(clwave_select_device("99:99", &device), CLWAVE_ERROR_DEVICE_ABSENT, "99:99");
  EXPECT_ERROR(clwave_select_device("pci", &device), CLWAVE_ERROR_BAD_CALL, "");
  EXPECT_ERROR(clwave_select_device(NULL, NULL), CLWAVE_ERROR_BAD_CALL, "`device` is NULL");
  EXPECT_ERROR(clwave_release_context(NULL), CLWAVE_ERROR_BAD_CALL, "");
  EXPECT(clwave_op_builtin((clwave_builtin_op)0) == NULL && clwave_op_builtin((clwave_builtin_op)12) == NULL);
  EXPECT(clwave_map_builtin((clwave_builtin_map)5) == NULL);
}

static void test_texts(void) {
  const clwave_view x = view_of(CLWAVE_F32, 100, NULL);
  float value = 42;
  clwave_op_text text = {.size = sizeof text, .name = "typo", .source = "a + + c", .identity = "0"};
  clwave_op* op = NULL;
  EXPECT_OK(clwave_op_create(&text, &op));
  EXPECT_ERROR(clwave_reduce_to_host(queue, &x, op, CLWAVE_F32, NULL, &value, NULL), CLWAVE_ERROR_BUILD,
               "typo");
  const clwave_error* error = clwave_last_error();
  EXPECT(error->code == CL_BUILD_PROGRAM_FAILURE && error->log[0] != 0 && error->place[0] != 0);
  EXPECT(strstr(error->op, "typo") != NULL && error->device[0] != 0 && value == 42);
  clwave_op_release(op);
  text.source = "a + b /* no end";
  EXPECT_OK(clwave_op_create(&text, &op));
  EXPECT_ERROR(clwave_reduce_to_host(queue, &x, op, CLWAVE_F32, NULL, &value, NULL), CLWAVE_ERROR_BAD_CALL,
               "typo");
  clwave_op_release(op);

  const struct large { double all[8]; } large = {{0}};
  clwave_value of = {"alpha", CLWAVE_F64X8, &large};
  text = (clwave_op_text){.size = sizeof text, .source = "alpha * a", .values = &of, .n_values = 1};
  EXPECT_ERROR(clwave_op_create(&text, &op), CLWAVE_ERROR_BAD_CALL, "`alpha`");
  EXPECT(op == NULL);
  of = (clwave_value){"alpha", CLWAVE_F32, NULL};
  EXPECT_ERROR(clwave_op_create(&text, &op), CLWAVE_ERROR_BAD_CALL, "`values->number` is NULL");
  of.number = &value;
  EXPECT_OK(clwave_op_create(&text, &op));
  of.name = "beta";
  EXPECT_ERROR(clwave_op_set_value(op, &of), CLWAVE_ERROR_BAD_CALL, "`beta`");
  EXPECT_ERROR(clwave_op_set_value(op, NULL), CLWAVE_ERROR_BAD_CALL, "`value` is NULL");
  EXPECT_ERROR(clwave_op_set_value(NULL, &of), CLWAVE_ERROR_BAD_CALL, "`op` is NULL");
  clwave_op_release(op);
  EXPECT_ERROR(clwave_map_create(NULL, NULL), CLWAVE_ERROR_BAD_CALL, "`map` is NULL");
}

/* Structures of programs that are older or newer than the library. */
static void test_sizes(void) {
  const clwave_view x = view_of(CLWAVE_F32, 100, NULL), out = view_of(CLWAVE_F32, 1, NULL);
  struct {
    clwave_options known;
    uint64_t unknown;
  } newer = {.known = {.size = sizeof newer}};
  EXPECT_OK(clwave_reduce(queue, &x, &out, NULL, NULL, &newer.known, NULL));
  newer.unknown = 1;
  EXPECT_ERROR(clwave_reduce(queue, &x, &out, NULL, NULL, &newer.known, NULL), CLWAVE_ERROR_BAD_CALL,
               "older");
  const clwave_options without_size = {.size = 0};
  EXPECT_ERROR(clwave_reduce(queue, &x, &out, NULL, NULL, &without_size, NULL), CLWAVE_ERROR_BAD_CALL,
               "`options->size` is 0");
  EXPECT_ERROR(clwave_sort(queue, &x, &x, &(clwave_order){.size = 8}, NULL, NULL), CLWAVE_ERROR_BAD_CALL,
               "`order->size` is 8");
}

static void test_events(void) {
  const clwave_view x = view_of(CLWAVE_F32, 100000, NULL), out = view_of(CLWAVE_F32, 2, NULL);
  const float one = 1;
  cl_event filled[2] = {NULL, NULL}, summed = NULL;
  EXPECT_OK(clwave_fill(queue, &x, &one, NULL, &filled[1]));
  const clwave_options after = {.size = sizeof after, .after = filled, .n_after = 2};
  EXPECT_OK(clwave_reduce(queue, &x, &out, NULL, NULL, &after, &summed));
  EXPECT_OK(clwave_wait(&summed, 1));
  EXPECT(*(const float*)read_view(&out) == 100000);
  cl_uint references = 0;
  clGetEventInfo(summed, CL_EVENT_REFERENCE_COUNT, sizeof references, &references, NULL);
  EXPECT(references >= 1);
  clReleaseEvent(filled[1]);
  clReleaseEvent(summed);
  EXPECT_OK(clwave_wait(NULL, 0));
  EXPECT_ERROR(clwave_wait(NULL, 1), CLWAVE_ERROR_BAD_CALL, "`events` is NULL");
  const clwave_options no_events = {.size = sizeof no_events, .n_after = 1};
  EXPECT_ERROR(clwave_reduce(queue, &x, &out, NULL, NULL, &no_events, &summed), CLWAVE_ERROR_BAD_CALL,
               "`options->after` is NULL");
  EXPECT(summed == NULL);
  /* No elements: a real event all the same. */
  const clwave_view none = {x.buffer, 0, 0, CLWAVE_F32, NULL};
  EXPECT_OK(clwave_fill(queue, &none, &one, NULL, &summed));
  EXPECT(summed != NULL);
  EXPECT_OK(clwave_wait(&summed, 1));
  clReleaseEvent(summed);
  /* Workspace: too little of it, and enough. */
  const clwave_view memory = view_of(CLWAVE_U8, 1 << 20, NULL), sorted = view_of(CLWAVE_F32, 100000, NULL);
  clwave_options in_memory = {.size = sizeof in_memory, .workspace = memory.buffer, .workspace_bytes = 128};
  EXPECT_ERROR(clwave_sort(queue, &x, &sorted, NULL, &in_memory, NULL), CLWAVE_ERROR_BAD_CALL, "128 bytes");
  in_memory.workspace_bytes = 0;
  EXPECT_OK(clwave_sort(queue, &x, &sorted, NULL, &in_memory, NULL));
  EXPECT(*(const float*)read_view(&sorted) == 1);
}

void test_errors(void) {
  test_no_error();
  test_types();
  test_arguments();
  test_texts();
  test_sizes();
  test_events();
}
