/* What calls from C refuse of inputs that are no arrays, which calls refuse such inputs, and that a call
   keeps nothing of what it has read. */
#include "c_test.h"

#include <stdlib.h>
#include <string.h>

enum { N = 1021, SMALL = 100 };

static clwave_view x, indices, out, count, flags;
static clwave_map* twice;

static bool is_untouched(const clwave_view* view) {
  const unsigned char* const found = read_view(view);
  for (size_t i = 0; i < (size_t)view->n * clwave_type_size(view->type); ++i)
    if (found[i] != 0xa5) return false;
  return true;
}

/* Each family of calls refuses the view in these words. */
static void expect_refused(const clwave_view* in, const char* words) {
  cl_event done = (cl_event)&done;
  uint64_t found = 42;
  const clwave_view bins = {out.buffer, 4, 0, CLWAVE_U32, NULL}, one = {out.buffer, 1, 0, CLWAVE_U64, NULL};
  const clwave_matrices size = {.rows = 2, .columns = 50};
  EXPECT_ERROR(clwave_reduce(queue, in, &one, NULL, NULL, NULL, &done), CLWAVE_ERROR_BAD_CALL, words);
  EXPECT(done == NULL);
  EXPECT_ERROR(clwave_reduce_to_host(queue, in, NULL, CLWAVE_U64, NULL, &found, NULL), CLWAVE_ERROR_BAD_CALL,
               words);
  EXPECT_ERROR(clwave_argmax_to_host(queue, in, NULL, &found, NULL), CLWAVE_ERROR_BAD_CALL, words);
  EXPECT_ERROR(clwave_count_if_to_host(queue, in, NULL, twice, &found, NULL), CLWAVE_ERROR_BAD_CALL, words);
  EXPECT(found == 42);
  EXPECT_ERROR(clwave_inclusive_scan(queue, in, &out, NULL, NULL, NULL, NULL, &done), CLWAVE_ERROR_BAD_CALL,
               words);
  EXPECT(done == NULL);
  EXPECT_ERROR(clwave_copy_if(queue, in, &out, &count, twice, NULL, NULL), CLWAVE_ERROR_BAD_CALL, words);
  EXPECT_ERROR(clwave_histogram(queue, in, &bins, 0, 4, 1, NULL, NULL), CLWAVE_ERROR_BAD_CALL, words);
  EXPECT_ERROR(clwave_reduce_rows(queue, in, &out, &size, NULL, NULL, NULL, NULL, NULL),
               CLWAVE_ERROR_BAD_CALL, words);
  EXPECT_ERROR(clwave_reduce_columns(queue, in, &out, &size, NULL, NULL, NULL, NULL, NULL),
               CLWAVE_ERROR_BAD_CALL, words);
  EXPECT(is_untouched(&out) && is_untouched(&count));
}

static void expect_transform_refused(const clwave_view* in, const char* words) {
  cl_event done = (cl_event)&done;
  const clwave_transform_output all[2] = {{&out, twice}, {&flags, twice}};
  EXPECT_ERROR(clwave_transform(queue, in, 1, &out, twice, NULL, &done), CLWAVE_ERROR_BAD_CALL, words);
  EXPECT(done == NULL);
  EXPECT_ERROR(clwave_transform_to(queue, in, 1, all, 1, NULL, NULL), CLWAVE_ERROR_BAD_CALL, words);
  EXPECT(is_untouched(&out) && is_untouched(&flags));
}

/* An input that every call refuses. */
static void test_bad_inputs(void) {
  const clwave_view shorter = {x.buffer, SMALL - 1, 0, CLWAVE_U32, NULL},
                    past = {x.buffer, SMALL, 2, CLWAVE_U32, NULL},
                    no_buffer = {NULL, SMALL, 0, CLWAVE_U32, NULL},
                    no_type = {x.buffer, SMALL, 0, CLWAVE_NO_TYPE, NULL},
                    odd_type = {x.buffer, SMALL, 0, 12345, NULL},
                    with_sign = {indices.buffer, SMALL, 0, CLWAVE_I32, NULL},
                    floats = {x.buffer, SMALL, 0, CLWAVE_F32, NULL},
                    too_many = {indices.buffer, SMALL + 1, 0, CLWAVE_U32, NULL},
                    past_too = {indices.buffer, SMALL, 2, CLWAVE_U32, NULL};
  clwave_view counted = x, counted_indices = indices;
  counted.count = counted_indices.count = &count;
  const uint32_t outside = 3;
  const clwave_source plain = {.of = &x};
  const clwave_lazy inner = {.size = sizeof inner, .n = SMALL, .sources = &plain, .n_sources = 1};
  const clwave_view lazy = clwave_lazy_view(&inner);
  const struct {
    clwave_source source;
    const char* words;
  } wrong[] = {
      {{.of = NULL}, "`lazy->sources[0].of` is NULL"},
      {{.of = &shorter}, "the steps of the input leave the view"},
      {{.of = &past}, "past its buffer"},
      {{.of = &no_buffer}, "null buffer"},
      {{.of = &no_type}, "what the input is made of has no type"},
      {{.of = &odd_type}, "12345"},
      {{.of = &counted}, "takes no count on the device for `lazy->sources[0].of`"},
      {{.of = &lazy}, "takes no elements that lie nowhere for `lazy->sources[0].of`"},
      {{.of = &x, .first = 1}, "the steps of the input leave the view"},
      {{.of = &x, .first = UINT64_MAX}, "the steps of the input leave the view"},
      {{.of = &x, .step = 2}, "the steps of the input leave the view"},
      {{.of = &x, .step = -1}, "the steps of the input leave the view"},
      {{.of = &x, .first = SMALL - 2, .step = -1}, "the steps of the input leave the view"},
      {{.of = &x, .step = INT64_MIN}, "the steps of the input leave the view"},
      {{.of = &x, .step = INT64_MAX}, "the steps of the input leave the view"},
      {{.of = &x, .outside = &outside}, "`lazy->sources[0].outside` is for indices"},
      {{.of = &x, .indices = &indices, .first = 1}, "has indices, and steps beside them"},
      {{.of = &x, .indices = &indices, .step = 1}, "has indices, and steps beside them"},
      {{.of = &x, .indices = &with_sign}, "indices of i32"},
      {{.of = &x, .indices = &floats}, "indices of f32"},
      {{.of = &x, .indices = &no_type}, "the indices has no type"},
      {{.of = &x, .indices = &shorter}, "the input has 100 elements, and what it is made of has 99"},
      {{.of = &x, .indices = &too_many}, "the input has 100 elements, and what it is made of has 101"},
      {{.of = &x, .indices = &past_too}, "past its buffer"},
      {{.of = &x, .indices = &counted_indices},
       "takes no count on the device for `lazy->sources[0].indices`"},
      {{.of = &x, .indices = &lazy}, "takes no elements that lie nowhere for `lazy->sources[0].indices`"},
      {{.of = &floats}, "the input is of u32, and what it is made of is not"}};
  for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; ++i) {
    const clwave_lazy made = {
        .size = sizeof made, .n = SMALL, .type = CLWAVE_U32, .sources = &wrong[i].source, .n_sources = 1};
    const clwave_view in = clwave_lazy_view(&made);
    expect_refused(&in, wrong[i].words);
    expect_transform_refused(&in, wrong[i].words);
  }
}

static void test_bad_structures(void) {
  const clwave_source plain = {.of = &x},
                      nine[9] = {plain, plain, plain, plain, plain, plain, plain, plain, plain};
  clwave_map *empty = named_map("empty", ""), *no_name = named_map("", "x");
  const clwave_lazy right = {
      .size = sizeof right, .n = SMALL, .type = CLWAVE_U32, .sources = &plain, .n_sources = 1};
  struct {
    clwave_lazy lazy;
    const char* words;
  } wrong[11];
  for (size_t i = 0; i < 11; ++i) wrong[i].lazy = right;
  wrong[0].lazy.size = 0;
  wrong[0].words = "`lazy->size` is 0";
  wrong[1].lazy.size = sizeof right - 8;
  wrong[1].words = "`lazy->size` is ";
  wrong[2].lazy.sources = NULL;
  wrong[2].words = "`lazy->sources` is NULL";
  wrong[3].lazy.sources = nine;
  wrong[3].lazy.n_sources = 9;
  wrong[3].lazy.map = twice;
  wrong[3].words = "`lazy->n_sources` is 9, and 8 are the most";
  wrong[4].lazy.n_sources = 0;
  wrong[4].words = "`lazy->map` is NULL, and there are no sources";
  wrong[5].lazy.map = empty;
  wrong[5].words = "a map of your own, with a name and a source";
  wrong[6].lazy.map = clwave_map_builtin(CLWAVE_SQUARE);
  wrong[6].words = "a map of your own, with a name and a source";
  wrong[7].lazy.map = no_name;
  wrong[7].words = "a map of your own, with a name and a source";
  wrong[8].lazy.map = twice;
  wrong[8].lazy.type = CLWAVE_NO_TYPE;
  wrong[8].words = "`lazy->type` is CLWAVE_NO_TYPE";
  wrong[9].lazy.type = 12345;
  wrong[9].words = "12345";
  wrong[10].lazy.type = CLWAVE_LAZY;
  wrong[10].words = "65535";
  for (size_t i = 0; i < 11; ++i) {
    const clwave_view in = clwave_lazy_view(&wrong[i].lazy);
    expect_refused(&in, wrong[i].words);
    expect_transform_refused(&in, wrong[i].words);
  }
  /* A structure of a program that is newer than the library. */
  struct {
    clwave_lazy known;
    uint64_t unknown;
  } newer = {.known = right};
  newer.known.size = sizeof newer;
  const clwave_view of_newer = clwave_lazy_view(&newer.known);
  uint32_t found = 0;
  EXPECT_OK(clwave_reduce_to_host(queue, &of_newer, NULL, CLWAVE_U32, NULL, &found, NULL));
  newer.unknown = 1;
  expect_refused(&of_newer, "older");
  /* Several sources, which a transform's maps see, and no other call's. */
  const clwave_source two[2] = {plain, plain};
  clwave_lazy zip = {.size = sizeof zip, .n = SMALL, .type = CLWAVE_U32, .sources = two, .n_sources = 2};
  const clwave_view of_zip = clwave_lazy_view(&zip), two_inputs[2] = {of_zip, x};
  expect_refused(&of_zip, "`lazy->map` is NULL, and only a transform's own map");
  EXPECT_ERROR(clwave_transform(queue, two_inputs, 2, &out, twice, NULL, NULL), CLWAVE_ERROR_BAD_CALL,
               "lie nowhere");
  EXPECT_ERROR(clwave_transform(queue, &of_zip, 1, &out, clwave_map_builtin(CLWAVE_PRODUCT), NULL, NULL),
               CLWAVE_ERROR_BAD_CALL, "a map of your own");
  EXPECT_ERROR(clwave_transform(queue, &of_zip, 1, &out, NULL, NULL, NULL), CLWAVE_ERROR_BAD_CALL,
               "`map` is NULL");
  const clwave_view no_type = {x.buffer, SMALL, 0, CLWAVE_NO_TYPE, NULL};
  const clwave_source of_no_type[2] = {{.of = &no_type}, plain};
  zip.sources = of_no_type;
  EXPECT_ERROR(clwave_transform(queue, &of_zip, 1, &out, twice, NULL, NULL), CLWAVE_ERROR_BAD_CALL,
               "what the input is made of has no type");
  clwave_lazy alone = {.size = sizeof alone, .n = SMALL, .sources = of_no_type, .n_sources = 1};
  const clwave_view of_alone = clwave_lazy_view(&alone);
  expect_refused(&of_alone, "`lazy->type` is CLWAVE_NO_TYPE");
  zip.sources = two;
  zip.map = twice;
  const clwave_transform_output all[2] = {{&out, twice}, {&flags, twice}};
  EXPECT_ERROR(clwave_transform_to(queue, &of_zip, 1, all, 2, NULL, NULL), CLWAVE_ERROR_BAD_CALL,
               "several outputs");
  EXPECT(is_untouched(&out) && is_untouched(&flags));
  clwave_map_release(empty);
  clwave_map_release(no_name);
}

/* Views of clwave_lazy_view that are no longer what it gave. */
static void test_bad_views(void) {
  const clwave_source plain = {.of = &x};
  clwave_lazy lazy = {.size = sizeof lazy, .n = SMALL, .sources = &plain, .n_sources = 1};
  const clwave_view right = clwave_lazy_view(&lazy);
  EXPECT(right.n == SMALL && right.type == CLWAVE_LAZY && right.buffer == NULL);
  clwave_view wrong[6];
  for (size_t i = 0; i < 6; ++i) wrong[i] = right;
  wrong[0].buffer = x.buffer;
  wrong[1].count = &count;
  wrong[2].count = NULL;
  wrong[3].offset += 5;
  wrong[4].type = CLWAVE_U32;
  wrong[5].offset = 0;
  for (size_t i = 0; i < 6; ++i) {
    expect_refused(&wrong[i], "is of clwave_lazy_view, and has a buffer, an offset, a type or a count");
    expect_transform_refused(&wrong[i], "and has a buffer, an offset, a type or a count");
  }
  clwave_view part = right;
  part.n = 50;
  expect_refused(&part, "has 50 elements, and `lazy->n` is 100");
  lazy.n = 99;
  expect_refused(&right, "has 100 elements, and `lazy->n` is 99");
  lazy.n = SMALL;
  const clwave_view of_none = clwave_lazy_view(NULL),
                    by_hand = {.buffer = x.buffer, .n = SMALL, .type = CLWAVE_LAZY};
  expect_refused(&of_none, "is of clwave_lazy_view, which was given NULL");
  expect_refused(&by_hand, "is of clwave_lazy_view, and has a buffer");
}

/* Calls and operands that take none. */
static void test_elsewhere(void) {
  const clwave_source plain = {.of = &x};
  const clwave_lazy made = {.size = sizeof made, .n = SMALL, .sources = &plain, .n_sources = 1};
  const clwave_view lazy = clwave_lazy_view(&made), one = {out.buffer, 1, 0, CLWAVE_U64, NULL},
                    truth = {out.buffer, 1, 0, CLWAVE_BOOL, NULL};
  clwave_view counted = x;
  counted.count = &lazy;
  clwave_op* more = named_op("more", "b < a");
  const clwave_view two[2] = {x, lazy};
  const uint32_t value = 1;
  uint64_t found = 42;
  bool is_so = true;
  const char* const words = "takes no elements that lie nowhere for `";
#define REFUSED(call, operand) EXPECT_ERROR(call, CLWAVE_ERROR_BAD_CALL, "that lie nowhere for `" operand "`")
  REFUSED(clwave_reduce(queue, &x, &lazy, NULL, NULL, NULL, NULL), "out");
  REFUSED(clwave_reduce(queue, &counted, &one, NULL, NULL, NULL, NULL), "in->count");
  REFUSED(clwave_transform_reduce(queue, &x, &lazy, &one, NULL, twice, NULL, NULL, NULL), "y");
  REFUSED(clwave_dot(queue, &lazy, &x, &one, NULL, NULL, NULL), "x");
  REFUSED(clwave_dot_to_host(queue, &x, &lazy, CLWAVE_U64, NULL, &found, NULL), "y");
  REFUSED(clwave_reduce_by_key(queue, &lazy, &x, &out, &flags, &count, NULL, NULL, NULL, NULL, NULL), "keys");
  REFUSED(clwave_reduce_by_key(queue, &x, &lazy, &out, &flags, &count, NULL, NULL, NULL, NULL, NULL),
          "values");
  REFUSED(clwave_segmented_reduce(queue, &lazy, &indices, &out, NULL, NULL, NULL, NULL, NULL), "in");
  REFUSED(clwave_segmented_reduce(queue, &x, &lazy, &out, NULL, NULL, NULL, NULL, NULL), "offsets");
  REFUSED(clwave_inclusive_scan(queue, &x, &lazy, NULL, NULL, NULL, NULL, NULL), "out");
  REFUSED(clwave_inclusive_scan_by_key(queue, &lazy, &x, &out, NULL, NULL, NULL, NULL, NULL, NULL), "keys");
  REFUSED(clwave_segmented_inclusive_scan(queue, &lazy, &indices, &out, NULL, NULL, NULL, NULL, NULL, NULL),
          "in");
  REFUSED(clwave_copy_flagged(queue, &x, &lazy, &out, &count, NULL, NULL), "flags");
  REFUSED(clwave_unique_by_key(queue, &x, &lazy, &out, &flags, &count, NULL, NULL, NULL), "values");
  REFUSED(clwave_copy_if(queue, &x, &out, &lazy, twice, NULL, NULL), "count");
  REFUSED(clwave_find_if(queue, &lazy, &one, twice, NULL, NULL), "in");
  REFUSED(clwave_any_of_to_host(queue, &lazy, twice, &is_so, NULL), "in");
  REFUSED(clwave_equal(queue, &x, &lazy, &truth, NULL, NULL, NULL), "y");
  REFUSED(clwave_is_sorted(queue, &lazy, &truth, NULL, NULL, NULL), "in");
  REFUSED(clwave_sort(queue, &lazy, &out, NULL, NULL, NULL), "in");
  REFUSED(clwave_sort(queue, &x, &lazy, NULL, NULL, NULL), "out");
  REFUSED(clwave_merge(queue, &lazy, &x, &out, NULL, NULL, NULL, NULL), "a");
  REFUSED(clwave_lower_bound(queue, &lazy, &x, &out, NULL, NULL, NULL), "in");
  REFUSED(clwave_top_k(queue, &lazy, &out, &flags, SMALL, false, NULL, NULL), "in");
  REFUSED(clwave_transform(queue, two, 2, &out, twice, NULL, NULL), "in");
  REFUSED(clwave_transform(queue, &x, 1, &lazy, twice, NULL, NULL), "out");
  REFUSED(clwave_transform_if(queue, &lazy, 1, &out, twice, twice, NULL, NULL), "in");
  REFUSED(clwave_replace_if(queue, &lazy, twice, &value, NULL, NULL), "x");
  REFUSED(clwave_generate(queue, &lazy, twice, NULL, NULL), "out");
  REFUSED(clwave_adjacent_difference(queue, &lazy, &out, NULL, NULL, NULL), "in");
  REFUSED(clwave_copy(queue, &lazy, &out, false, CLWAVE_ROUND_NATURAL, NULL, NULL), "in");
  REFUSED(clwave_fill(queue, &lazy, &value, NULL, NULL), "out");
  REFUSED(clwave_gather(queue, &lazy, &indices, &out, NULL, NULL, NULL, NULL, NULL), "in");
  REFUSED(clwave_gather(queue, &x, &lazy, &out, NULL, NULL, NULL, NULL, NULL), "indices");
  REFUSED(clwave_reverse(queue, &lazy, &out, NULL, NULL), "in");
  REFUSED(clwave_random(queue, &lazy, 1, NULL, NULL, NULL), "out");
#undef REFUSED
  EXPECT_ERROR(clwave_dot(queue, &lazy, &lazy, &one, NULL, NULL, NULL), CLWAVE_ERROR_BAD_CALL, words);
  /* A lazy input stands alone. */
  EXPECT_ERROR(clwave_transform_reduce(queue, &lazy, &x, &one, NULL, twice, NULL, NULL, NULL),
               CLWAVE_ERROR_BAD_CALL, "an input beside another one is an array");
  EXPECT_ERROR(clwave_count_if(queue, &lazy, &x, &one, twice, NULL, NULL), CLWAVE_ERROR_BAD_CALL,
               "an input beside another one is an array");
  EXPECT_ERROR(clwave_transform(queue, (const clwave_view[2]){lazy, x}, 2, &out, twice, NULL, NULL),
               CLWAVE_ERROR_BAD_CALL, "lie nowhere for the first input");
  /* Outputs lie apart from what the input is made of. */
  EXPECT_ERROR(clwave_inclusive_scan(queue, &lazy, &x, NULL, NULL, NULL, NULL, NULL), CLWAVE_ERROR_BAD_CALL,
               "overlap");
  EXPECT_ERROR(clwave_transform(queue, &lazy, 1, &x, twice, NULL, NULL), CLWAVE_ERROR_BAD_CALL, "overlap");
  EXPECT_ERROR(clwave_reduce_rows(queue, &lazy, &out, &(clwave_matrices){.rows = 3, .columns = 50}, NULL,
                                  NULL, NULL, NULL, NULL),
               CLWAVE_ERROR_BAD_CALL, "150 elements of the input, which has 100");
  EXPECT(found == 42 && is_so && is_untouched(&out) && is_untouched(&count) && is_untouched(&flags));
  clwave_op_release(more);
}

/* All that a call reads. */
struct bundle {
  clwave_view views[3], in;
  clwave_source sources[2];
  clwave_lazy lazy;
  clwave_value value;
  uint32_t factor, outside;
};

static uint32_t numbers[N], at[N], elements[N];
static uint8_t small[N];
enum { FACTOR = 2, OUTSIDE = 5, CALLS = 6 };

static clwave_status call_number(size_t which, const clwave_view* in, const clwave_view* to,
                                 const clwave_view* counted, const clwave_map* predicate,
                                 const clwave_options* after, cl_event* done) {
  clwave_view bins = *to, rows = *to;
  bins.n = 1;
  rows.n = 3;
  switch (which) {
    case 0:
      return clwave_reduce(queue, in, to, NULL, NULL, after, done);
    case 1:
      return clwave_inclusive_scan(queue, in, to, NULL, NULL, NULL, after, done);
    case 2:
      return clwave_copy_if(queue, in, to, counted, predicate, after, done);
    case 3:
      return clwave_histogram(queue, in, &bins, 0, 1000, 1, after, done);
    case 4:
      return clwave_transform(queue, in, 1, to, clwave_map_builtin(CLWAVE_IDENTITY), after, done);
    default:
      return clwave_reduce_rows(queue, in, &rows, &(clwave_matrices){.rows = 3, .columns = 300}, NULL,
                                clwave_op_builtin(CLWAVE_MAX), NULL, after, done);
  }
}

/* Into `to`; returns how many elements there are. */
static size_t on_host(size_t which, uint32_t* to) {
  size_t n = 0;
  memset(to, 0, sizeof(uint32_t) * 3);
  if (which == 3) to[0] = N;
  for (size_t i = 0; i < N; ++i) {
    if (which == 0) to[0] += elements[i];
    if (which == 1) to[i] = (i > 0 ? to[i - 1] : 0) + elements[i];
    if (which == 2 && elements[i] > 40) to[n++] = elements[i];
    if (which == 4) to[i] = elements[i];
    if (which == 5 && i < 900 && elements[i] > to[i / 300]) to[i / 300] = elements[i];
  }
  return which == 0 || which == 3 ? 1 : which == 2 ? n : which == 5 ? 3 : N;
}

/* The structures, the map and the numbers are gone before the work begins. */
static void test_lifetimes(void) {
  for (size_t i = 0; i < N; ++i) {
    numbers[i] = next_random() % 50;
    at[i] = next_random() % (N + 100);
    small[i] = (uint8_t)(next_random() % 9);
  }
  for (size_t i = 0; i < N; ++i) elements[i] = FACTOR * (at[i] < N ? numbers[at[i]] : OUTSIDE) + small[i];
  const clwave_view views[3] = {view_of(CLWAVE_U32, N, numbers), view_of(CLWAVE_U32, N, at),
                                view_of(CLWAVE_U8, N, small)};
  clwave_map* above = named_map("above forty", "x > 40");
  for (size_t which = 0; which < CALLS; ++which) {
    clwave_view to = view_of(CLWAVE_U32, N + 9, NULL);
    to.n = N;
    const clwave_view counted = view_of(CLWAVE_U64, 1, NULL);
    cl_int code = CL_SUCCESS;
    cl_event first = clCreateUserEvent(context, &code), done = NULL;
    struct bundle* made = malloc(sizeof *made);
    if (made == NULL) abort();
    *made = (struct bundle){.views = {views[0], views[1], views[2]}, .factor = FACTOR, .outside = OUTSIDE};
    made->value = (clwave_value){.name = "factor", .type = CLWAVE_U32, .number = &made->factor};
    clwave_map* map = NULL;
    EXPECT_OK(clwave_map_create(&(clwave_map_text){.size = sizeof(clwave_map_text),
                                                   .name = "soon gone",
                                                   .source = "factor * x + y",
                                                   .values = &made->value,
                                                   .n_values = 1},
                                &map));
    made->sources[0] =
        (clwave_source){.of = &made->views[0], .indices = &made->views[1], .outside = &made->outside};
    made->sources[1] = (clwave_source){.of = &made->views[2]};
    made->lazy = (clwave_lazy){.size = sizeof made->lazy,
                               .n = N,
                               .type = CLWAVE_U32,
                               .map = map,
                               .sources = made->sources,
                               .n_sources = 2};
    made->in = clwave_lazy_view(&made->lazy);
    const clwave_options after = {.size = sizeof after, .after = &first, .n_after = 1};
    EXPECT_OK(call_number(which, &made->in, &to, &counted, above, &after, &done));
    memset(made, 0xdd, sizeof *made);
    free(made);
    clwave_map_release(map);
    clSetUserEventStatus(first, CL_COMPLETE);
    EXPECT_OK(clwave_wait(&done, 1));
    static uint32_t expected[N + 9];
    memset(expected, 0xa5, sizeof expected);
    uint32_t results[N];
    const size_t n = on_host(which, results);
    memcpy(expected, results, n * sizeof *results);
    to.n = N + 9;
    EXPECT(has(&to, expected, N + 9));
    const uint64_t n_found = n;
    EXPECT(which != 2 || has(&counted, &n_found, 1));
    clReleaseEvent(done);
    clReleaseEvent(first);
  }
  clwave_map_release(above);
}

void test_lazy_errors(void) {
  static uint32_t some[SMALL + 1];
  for (uint32_t i = 0; i <= SMALL; ++i) some[i] = i;
  x = view_of(CLWAVE_U32, SMALL + 1, some);
  indices = view_of(CLWAVE_U32, SMALL + 1, some);
  x.n = indices.n = SMALL;
  out = view_of(CLWAVE_U32, SMALL, NULL);
  flags = view_of(CLWAVE_U32, SMALL, NULL);
  count = view_of(CLWAVE_U64, 1, NULL);
  twice = named_map("twice", "2 * x");
  test_bad_inputs();
  test_bad_structures();
  test_bad_views();
  test_elsewhere();
  test_lifetimes();
  clwave_map_release(twice);
}
