/* What the tests of the C interface share: a queue of the default device, buffers, and what is counted. */
#ifndef CLWAVE_TESTS_C_TEST_H
#define CLWAVE_TESTS_C_TEST_H

#define CL_TARGET_OPENCL_VERSION 120
#include <clwave/clwave.h>

extern cl_context context;
extern cl_command_queue queue;

/* Notes whether something is as it should be, and prints what is not. */
void expect(bool well, const char* what, const char* file, int line);
#define EXPECT(condition) expect((condition), #condition, __FILE__, __LINE__)

/* Notes that a call ended well, and else prints its error. */
void expect_ok(clwave_status status, const char* call, const char* file, int line);
#define EXPECT_OK(call) expect_ok((call), #call, __FILE__, __LINE__)

/* Notes that a call ended in an error of this status, and that its message has these words. */
void expect_error(clwave_status status, clwave_status wanted, const char* words, const char* call,
                  const char* file, int line);
#define EXPECT_ERROR(call, wanted, words) expect_error((call), (wanted), (words), #call, __FILE__, __LINE__)

/* A view of `n` elements in a buffer of its own, with these values or, for NULL, with bytes 0xa5. Buffers are
   released at the end of all tests. */
clwave_view view_of(clwave_type type, uint64_t n, const void* values);

/* The elements of a view, in memory that the next 16 reads leave alone. */
const void* read_view(const clwave_view* view);

/* Whether the first `n` elements of a view have these bytes. */
bool has(const clwave_view* view, const void* elements, uint64_t n);

/* A map and an operator of a name and a text, and a map of a text. */
clwave_map* named_map(const char* name, const char* source);
clwave_op* named_op(const char* name, const char* source);
clwave_map* map_of(const char* source);

/* Structures of 12 bytes, each other than all others, and their type. */
struct three {
  uint32_t a, b, c;
};
clwave_type fill_threes(struct three* threes, uint32_t n);

/* Where a loop begins that takes one of so many where the run is quick, others in another run, and its step:
   0 and 1 where the run takes all. */
size_t first_of(size_t one_of, size_t* step);

/* A pseudo-random number of 32 bits. */
uint32_t next_random(void);

void test_folds(void);
void test_selections(void);
void test_sorts(void);
void test_moves(void);
void test_neighbours(void);
void test_random(void);
void test_searches(void);
void test_statistics(void);
void test_counts(void);
void test_lazy(void);
void test_lazy_errors(void);
void test_errors(void);

#endif
