/* Runs the tests of the C interface on the default device: all of them, or where the environment's
   CLWAVE_TEST_QUICK asks for a quick run those of errors and every third one of the rest, the others in
   other runs. Most of the time goes into building the programs of their calls. */
#include "c_test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

cl_context context;
cl_command_queue queue;

enum { MOST_BUFFERS = 512, READS_KEPT = 16 };
static cl_mem buffers[MOST_BUFFERS];
static size_t n_buffers;
static void* reads[READS_KEPT];
static size_t n_reads;
static unsigned n_checks, n_faults;

void expect(bool well, const char* what, const char* file, int line) {
  ++n_checks;
  if (well) return;
  ++n_faults;
  printf("%s:%d: not so: %s\n", file, line, what);
}

void expect_ok(clwave_status status, const char* call, const char* file, int line) {
  expect(status == CLWAVE_OK, call, file, line);
  if (status != CLWAVE_OK) printf("  %s: %s\n", clwave_status_name(status), clwave_last_error()->message);
}

void expect_error(clwave_status status, clwave_status wanted, const char* words, const char* call,
                  const char* file, int line) {
  const clwave_error* error = clwave_last_error();
  const bool well = status == wanted && error->status == wanted && strstr(error->message, words) != NULL;
  expect(well, call, file, line);
  if (!well) printf("  status %d, error of %s: %s\n", (int)status, error->function, error->message);
}

static void stop_unless(bool well, const char* what) {
  if (well) return;
  printf("no %s\n", what);
  exit(1);
}

clwave_view view_of(clwave_type type, uint64_t n, const void* values) {
  const size_t n_bytes = (size_t)n * clwave_type_size(type);
  void* bytes = malloc(n_bytes + 1);
  stop_unless(bytes != NULL && n_buffers < MOST_BUFFERS, "memory");
  memset(bytes, 0xa5, n_bytes + 1);
  if (values != NULL) memcpy(bytes, values, n_bytes);
  const cl_mem buffer =
      clCreateBuffer(context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, n_bytes + 1, bytes, NULL);
  free(bytes);
  stop_unless(buffer != NULL, "buffer");
  buffers[n_buffers++] = buffer;
  return (clwave_view){.buffer = buffer, .n = n, .offset = 0, .type = type};
}

const void* read_view(const clwave_view* view) {
  const size_t of_one = clwave_type_size(view->type), n_bytes = (size_t)view->n * of_one;
  void** to = &reads[n_reads++ % READS_KEPT];
  free(*to);
  *to = malloc(n_bytes + 1);
  stop_unless(*to != NULL, "memory");
  stop_unless(n_bytes == 0 || clEnqueueReadBuffer(queue, view->buffer, CL_TRUE, (size_t)view->offset * of_one,
                                                  n_bytes, *to, 0, NULL, NULL) == CL_SUCCESS,
              "answer to a read");
  return *to;
}

bool has(const clwave_view* view, const void* elements, uint64_t n) {
  return memcmp(read_view(view), elements, (size_t)n * clwave_type_size(view->type)) == 0;
}

clwave_map* named_map(const char* name, const char* source) {
  clwave_map* map = NULL;
  EXPECT_OK(clwave_map_create(
      &(clwave_map_text){.size = sizeof(clwave_map_text), .name = name, .source = source}, &map));
  return map;
}
clwave_op* named_op(const char* name, const char* source) {
  clwave_op* op = NULL;
  EXPECT_OK(clwave_op_create(
      &(clwave_op_text){.size = sizeof(clwave_op_text), .name = name, .source = source}, &op));
  return op;
}
clwave_map* map_of(const char* source) { return named_map("of a test", source); }

clwave_type fill_threes(struct three* threes, uint32_t n) {
  clwave_type type = CLWAVE_NO_TYPE;
  for (uint32_t i = 0; i < n; ++i) threes[i] = (struct three){i, ~i, i * 3};
  EXPECT_OK(clwave_describe_structure("three", "typedef struct { uint a, b, c; } three;",
                                      sizeof(struct three), &type));
  return type;
}

uint32_t next_random(void) {
  static uint32_t state = 0x2545f491;
  state ^= state << 13;
  state ^= state >> 17;
  state ^= state << 5;
  return state;
}

static int quick_run(void) {
  const char* const quick = getenv("CLWAVE_TEST_QUICK");
  return quick != NULL ? atoi(quick) : 0;
}

size_t first_of(size_t one_of, size_t* step) {
  *step = quick_run() > 0 ? one_of : 1;
  const char* const seed = getenv("CLWAVE_TEST_SEED");
  return (seed != NULL ? (size_t)strtoul(seed, NULL, 10) : (size_t)time(NULL) / 2) % *step;
}

int main(void) {
  cl_device_id device = NULL;
  if (clwave_select_device(NULL, &device) != CLWAVE_OK) {
    printf("%s\n", clwave_last_error()->message);
    return 1;
  }
  context = clCreateContext(NULL, 1, &device, NULL, NULL, NULL);
  stop_unless(context != NULL, "context");
  queue = clCreateCommandQueue(context, device, 0, NULL);
  stop_unless(queue != NULL, "queue");

  test_errors();
  static const struct {
    const char* name;
    void (*run)(void);
  } tests[] = {{"folds", test_folds},       {"selections", test_selections},  {"sorts", test_sorts},
               {"moves", test_moves},       {"neighbours", test_neighbours},  {"random", test_random},
               {"searches", test_searches}, {"statistics", test_statistics},  {"counts", test_counts},
               {"lazy", test_lazy},         {"lazy_errors", test_lazy_errors}};
  size_t step = 1;
  for (size_t i = first_of(3, &step); i < sizeof tests / sizeof *tests; i += step) {
    printf("%s\n", tests[i].name);
    tests[i].run();
  }

  while (n_buffers != 0) clReleaseMemObject(buffers[--n_buffers]);
  for (size_t i = 0; i < READS_KEPT; ++i) free(reads[i]);
  EXPECT_OK(clwave_trim());
  EXPECT_OK(clwave_release_context(context));
  clReleaseCommandQueue(queue);
  clReleaseContext(context);
  printf("%u checks, %u of them failed\n", n_checks, n_faults);
  return n_faults != 0 || n_checks == 0;
}
