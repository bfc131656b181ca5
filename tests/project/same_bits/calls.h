/* What the programs that replay calls from C and from C++ share: they read a file of calls, run each on the
   default device, and write the bytes of its results. same_bits.py writes the calls, and compares.

     from_c CALLS DATA RESULTS

   CALLS has a line for each call, fields of `key=value` with tabs between them. An input is
   `in0=TYPE COUNT OFFSET`, with its elements at that byte of DATA; an output is `out0=TYPE COUNT`, and it is
   filled with bytes 0x5a before the call. RESULTS has, for each call and each of its outputs, the number of
   bytes as 64 bits and the bytes: of a selection those of the elements that were selected. */
#ifndef CLWAVE_TESTS_SAME_BITS_CALLS_H
#define CLWAVE_TESTS_SAME_BITS_CALLS_H

#define CL_TARGET_OPENCL_VERSION 120
#include <clwave/opencl.hpp>

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_FIELDS = 40, MOST_INPUTS = 4, MOST_OUTPUTS = 3, LONGEST_LINE = 4096 };

struct operand {
  const char* type; /* "f32" */
  uint64_t n;
  size_t n_bytes;
  const void* host; /* of an input: its elements */
  cl_mem buffer;
};

struct call {
  const char* name;
  const char* keys[MOST_FIELDS];
  const char* values[MOST_FIELDS];
  size_t n_fields;
  struct operand in[MOST_INPUTS], out[MOST_OUTPUTS];
  size_t n_in, n_out;
};

static cl_context context;
static cl_command_queue queue;

static inline void stop(const char* why, const char* what) {
  fprintf(stderr, "%s: %s\n", why, what);
  exit(1);
}

static inline void check(cl_int code, const char* what) {
  if (code != CL_SUCCESS) stop("OpenCL fails", what);
}

/* Bytes of an element: of the built-in types, and of the one structure that calls have. */
static inline size_t size_of(const char* type) {
  static const char* const names[] = {"i8",  "u8",  "bool", "i16", "u16", "f16",  "bf16",  "i32",
                                      "u32", "f32", "i64",  "u64", "f64", "cf32", "sample"};
  static const size_t sizes[] = {1, 1, 1, 2, 2, 2, 2, 4, 4, 4, 8, 8, 8, 8, 8};
  for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; ++i)
    if (strcmp(names[i], type) == 0) return sizes[i];
  stop("no such type", type);
  return 0;
}

/* The value of a field, or NULL. */
static inline const char* field(const struct call* of, const char* key) {
  for (size_t i = 0; i < of->n_fields; ++i)
    if (strcmp(of->keys[i], key) == 0) return of->values[i];
  return NULL;
}

static inline uint64_t number(const struct call* of, const char* key) {
  const char* text = field(of, key);
  return text == NULL ? 0 : strtoull(text, NULL, 10);
}

/* Of a file of bytes; the caller frees it. */
static inline char* bytes_of(const char* path, size_t* n) {
  FILE* file = fopen(path, "rb");
  if (file == NULL) stop("no file", path);
  fseek(file, 0, SEEK_END);
  *n = (size_t)ftell(file);
  rewind(file);
  char* bytes = (char*)malloc(*n + 1);
  if (bytes == NULL || fread(bytes, 1, *n, file) != *n) stop("cannot read", path);
  bytes[*n] = 0;
  fclose(file);
  return bytes;
}

/* Splits a line into its fields, where it stands, and makes the buffers of its operands. */
static inline struct call call_of(char* line, const char* data) {
  struct call made;
  memset(&made, 0, sizeof made);
  for (char* at = line; at != NULL && *at != 0 && made.n_fields < MOST_FIELDS;) {
    char* tab = strchr(at, '\t');
    if (tab != NULL) *tab = 0;
    char* equals = strchr(at, '=');
    if (equals == NULL) stop("a field has no =", at);
    *equals = 0;
    made.keys[made.n_fields] = at;
    made.values[made.n_fields++] = equals + 1;
    at = tab == NULL ? NULL : tab + 1;
  }
  made.name = field(&made, "call");
  static const char* const names[2][MOST_INPUTS] = {{"in0", "in1", "in2", "in3"},
                                                    {"out0", "out1", "out2", ""}};
  for (int is_output = 0; is_output < 2; ++is_output) {
    for (int i = 0; i < (is_output ? MOST_OUTPUTS : MOST_INPUTS); ++i) {
      const char* text = field(&made, names[is_output][i]);
      if (text == NULL) break;
      struct operand* to = is_output ? &made.out[made.n_out++] : &made.in[made.n_in++];
      char* space = (char*)strchr(text, ' ');
      *space = 0;
      to->type = text;
      char* end = NULL;
      to->n = strtoull(space + 1, &end, 10);
      to->n_bytes = (size_t)to->n * size_of(to->type);
      if (!is_output) to->host = data + strtoull(end, NULL, 10);
      cl_int code = CL_SUCCESS;
      to->buffer =
          clCreateBuffer(context, CL_MEM_READ_WRITE, to->n_bytes == 0 ? 16 : to->n_bytes, NULL, &code);
      check(code, "make a buffer");
      if (to->n_bytes == 0) continue;
      void* poison = malloc(to->n_bytes);
      memset(poison, 0x5a, to->n_bytes);
      check(clEnqueueWriteBuffer(queue, to->buffer, CL_TRUE, 0, to->n_bytes, is_output ? poison : to->host, 0,
                                 NULL, NULL),
            "write a buffer");
      free(poison);
    }
  }
  return made;
}

/* Runs all calls. `perform` runs one: it sets the number of elements of each output to that of its results,
   or puts results that the host has into the buffer by `give`. */
static inline int replay(int argc, char** argv, cl_device_id device, void (*perform)(struct call*)) {
  if (argc != 4) stop("usage", "CALLS DATA RESULTS");
  cl_int code = CL_SUCCESS;
  context = clCreateContext(NULL, 1, &device, NULL, NULL, &code);
  check(code, "make a context");
  queue = clCreateCommandQueue(context, device, 0, &code);
  check(code, "make a queue");
  size_t n = 0;
  char* lines = bytes_of(argv[1], &n);
  char* data = bytes_of(argv[2], &n);
  FILE* results = fopen(argv[3], "wb");
  if (results == NULL) stop("cannot write", argv[3]);
  unsigned n_calls = 0;
  for (char* line = lines; *line != 0; ++n_calls) {
    char* end = strchr(line, '\n');
    *end = 0;
    struct call one = call_of(line, data);
    perform(&one);
    check(clFinish(queue), "finish");
    for (size_t i = 0; i < one.n_out; ++i) {
      const uint64_t n_bytes = one.out[i].n * size_of(one.out[i].type);
      void* bytes = malloc((size_t)n_bytes + 1);
      if (n_bytes != 0)
        check(
            clEnqueueReadBuffer(queue, one.out[i].buffer, CL_TRUE, 0, (size_t)n_bytes, bytes, 0, NULL, NULL),
            "read a buffer");
      if (fwrite(&n_bytes, sizeof n_bytes, 1, results) != 1 ||
          fwrite(bytes, 1, (size_t)n_bytes, results) != n_bytes)
        stop("cannot write", argv[3]);
      free(bytes);
      clReleaseMemObject(one.out[i].buffer);
    }
    for (size_t i = 0; i < one.n_in; ++i) clReleaseMemObject(one.in[i].buffer);
    line = end + 1;
  }
  if (fclose(results) != 0) stop("cannot write", argv[3]);
  free(lines);
  free(data);
  clReleaseCommandQueue(queue);
  printf("%u calls\n", n_calls);
  return 0;
}

/* Puts results that a call gave to the host into an output's buffer. */
static inline void give(const struct operand* to, const void* bytes) {
  check(clEnqueueWriteBuffer(queue, to->buffer, CL_TRUE, 0, to->n_bytes, bytes, 0, NULL, NULL),
        "write a buffer");
}

/* Calls that change elements where they are get a copy of the first input in the output's place. */
static inline void copy_first_input(const struct call* of) {
  if (of->in[0].n_bytes == 0) return;
  check(
      clEnqueueCopyBuffer(queue, of->in[0].buffer, of->out[0].buffer, 0, 0, of->in[0].n_bytes, 0, NULL, NULL),
      "copy a buffer");
}

#endif
