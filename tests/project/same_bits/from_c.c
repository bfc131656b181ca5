/* Replays calls through clwave.h. */
#include "calls.h"

#include <clwave/clwave.h>

static void run(clwave_status status, const char* call) {
  if (status == CLWAVE_OK) return;
  fprintf(stderr, "%s: %s\n", call, clwave_last_error()->message);
  exit(1);
}

static clwave_type type_of(const char* name) {
  if (strcmp(name, "sample") != 0) return clwave_find_type(name);
  clwave_type made = CLWAVE_NO_TYPE;
  run(clwave_describe_structure("sample", "typedef struct { float x; uint tag; } sample;", 8, &made), "type");
  return made;
}

static clwave_view view_of(const struct operand* of) {
  const clwave_view made = {.buffer = of->buffer, .n = of->n, .type = type_of(of->type)};
  return made;
}

/* What was made of texts for a call, and is released after it. */
static clwave_op* ops[4];
static clwave_map* maps[4];
static size_t n_ops, n_maps;

static const clwave_op* op_of(const struct call* of, const char* key) {
  static const char* const builtin[] = {"plus",   "multiplies", "min",         "max",       "bit_and",
                                        "bit_or", "bit_xor",    "logical_and", "logical_or"};
  const char* text = field(of, key);
  if (text == NULL) return NULL;
  for (unsigned i = 0; i < sizeof builtin / sizeof builtin[0]; ++i)
    if (strcmp(builtin[i], text) == 0) return clwave_op_builtin((clwave_builtin_op)(i + 1));
  const char* identity = field(of, "identity");
  const clwave_op_text made = {.size = sizeof made, .name = "op", .source = text, .identity = identity};
  run(clwave_op_create(&made, &ops[n_ops]), "op");
  return ops[n_ops++];
}

static const clwave_map* map_of(const struct call* of, const char* key) {
  static const char* const builtin[] = {"identity", "abs", "square", "product"};
  const char* text = field(of, key);
  if (text == NULL) return NULL;
  for (unsigned i = 0; i < sizeof builtin / sizeof builtin[0]; ++i)
    if (strcmp(builtin[i], text) == 0) return clwave_map_builtin((clwave_builtin_map)(i + 1));
  const char* k = field(of, "k");
  const float number = k == NULL ? 0 : strtof(k, NULL);
  const clwave_value value = {.name = "k", .type = CLWAVE_F32, .number = &number};
  const clwave_map_text made = {
      .size = sizeof made, .name = "map", .source = text, .values = &value, .n_values = k == NULL ? 0 : 1};
  run(clwave_map_create(&made, &maps[n_maps]), "map");
  return maps[n_maps++];
}

/* The bytes of an output as structures of minmax, or of moments. */
static const clwave_view* ends_of(clwave_view* out, const clwave_view* in) {
  run(clwave_minmax_type(in->type, &out->type), "type");
  out->n /= clwave_type_size(out->type);
  return out;
}
static const clwave_view* moments_of(clwave_view* out, const struct call* of) {
  run(clwave_moments_type(clwave_find_type(field(of, "computed_in")), &out->type), "type");
  out->n /= clwave_type_size(out->type);
  return out;
}

static void perform(struct call* one) {
  clwave_view in[MOST_INPUTS], out[MOST_OUTPUTS];
  for (size_t i = 0; i < one->n_in; ++i) in[i] = view_of(&one->in[i]);
  for (size_t i = 0; i < one->n_out; ++i) out[i] = view_of(&one->out[i]);
  const clwave_op *op = op_of(one, "op"), *same = op_of(one, "same");
  const clwave_map* map = map_of(one, "map");
  clwave_sort_key key = {.of = map_of(one, "by"), .descending = number(one, "descending") != 0};
  if (field(one, "by") != NULL) key.type = type_of(field(one, "by_type"));
  const clwave_order order = {.size = sizeof order,
                              .less = op_of(one, "less"),
                              .keys = key.of == NULL ? NULL : &key,
                              .n_keys = key.of == NULL ? 0 : 1,
                              .first_bit = (uint32_t)number(one, "first_bit"),
                              .last_bit = (uint32_t)number(one, "last_bit"),
                              .descending = key.of == NULL && number(one, "descending") != 0};
  const clwave_map* predicate = map_of(one, "predicate");
  /* A value on the host, of the output's type, is the last input. */
  const void* value = field(one, "value") == NULL ? NULL : one->in[one->n_in - 1].host;
  const clwave_matrices matrices = {number(one, "rows"), number(one, "columns"), 1};
  union {
    uint64_t word;
    unsigned char bytes[64];
  } result = {0};
  uint64_t count = 0;
  const char* name = one->name;
#define CALL(text) else if (strcmp(name, text) == 0)
  if (name == NULL) stop("a line without a call", "");
  CALL("reduce") {
    run(clwave_transform_reduce_to_host(queue, &in[0], NULL, op, map, out[0].type, value, &result, NULL),
        name);
    give(&one->out[0], &result);
  }
  CALL("reduce_into")
  run(clwave_transform_reduce(queue, &in[0], NULL, &out[0], op, map, value, NULL, NULL), name);
  CALL("reduce_two") {
    run(clwave_transform_reduce_to_host(queue, &in[0], &in[1], op, map, out[0].type, value, &result, NULL),
        name);
    give(&one->out[0], &result);
  }
  CALL("dot") {
    run(clwave_dot_to_host(queue, &in[0], &in[1], out[0].type, value, &result, NULL), name);
    give(&one->out[0], &result);
  }
  CALL("argmin") {
    run(clwave_argmin_to_host(queue, &in[0], &result, &count, NULL), name);
    give(&one->out[0], &result);
    give(&one->out[1], &count);
  }
  CALL("argmax") {
    run(clwave_argmax_to_host(queue, &in[0], &result, &count, NULL), name);
    give(&one->out[0], &result);
    give(&one->out[1], &count);
  }
  CALL("reduce_rows")
  run(clwave_reduce_rows(queue, &in[0], &out[0], &matrices, NULL, op, map, NULL, NULL), name);
  CALL("reduce_columns")
  run(clwave_reduce_columns(queue, &in[0], &out[0], &matrices, NULL, op, map, NULL, NULL), name);
  CALL("segmented_reduce")
  run(clwave_segmented_reduce(queue, &in[0], &in[1], &out[0], NULL, op, map, NULL, NULL), name);
  CALL("reduce_by_key") {
    run(clwave_reduce_by_key_to_host(queue, &in[0], &in[1], &out[0], &out[1], op, map, same, &count, NULL),
        name);
    one->out[0].n = one->out[1].n = count;
  }
  CALL("inclusive_scan") run(clwave_inclusive_scan(queue, &in[0], &out[0], op, map, value, NULL, NULL), name);
  CALL("exclusive_scan") run(clwave_exclusive_scan(queue, &in[0], &out[0], op, map, value, NULL, NULL), name);
  CALL("inclusive_scan_by_key")
  run(clwave_inclusive_scan_by_key(queue, &in[0], &in[1], &out[0], op, map, same, value, NULL, NULL), name);
  CALL("exclusive_scan_by_key")
  run(clwave_exclusive_scan_by_key(queue, &in[0], &in[1], &out[0], op, map, same, value, NULL, NULL), name);
  CALL("segmented_inclusive_scan")
  run(clwave_segmented_inclusive_scan(queue, &in[0], &in[1], &out[0], NULL, op, map, value, NULL, NULL),
      name);
  CALL("segmented_exclusive_scan")
  run(clwave_segmented_exclusive_scan(queue, &in[0], &in[1], &out[0], NULL, op, map, value, NULL, NULL),
      name);
  CALL("copy_if") {
    run(clwave_copy_if_to_host(queue, &in[0], &out[0], map, &count, NULL), name);
    one->out[0].n = count;
  }
  CALL("copy_flagged") {
    run(clwave_copy_flagged_to_host(queue, &in[0], &in[1], &out[0], &count, NULL), name);
    one->out[0].n = count;
  }
  CALL("partition") {
    run(clwave_partition_to_host(queue, &in[0], &out[0], map, &count, NULL), name);
    give(&one->out[1], &count);
  }
  CALL("partition_copy") {
    run(clwave_partition_copy_to_host(queue, &in[0], &out[0], &out[1], map, &count, NULL), name);
    one->out[1].n = one->in[0].n - count;
    one->out[0].n = count;
  }
  CALL("unique") {
    run(clwave_unique_to_host(queue, &in[0], &out[0], same, &count, NULL), name);
    one->out[0].n = count;
  }
  CALL("unique_by_key") {
    run(clwave_unique_by_key_to_host(queue, &in[0], &in[1], &out[0], &out[1], same, &count, NULL), name);
    one->out[0].n = one->out[1].n = count;
  }
  CALL("run_lengths") {
    run(clwave_run_lengths_to_host(queue, &in[0], &out[0], &out[1], same, &count, NULL), name);
    one->out[0].n = one->out[1].n = count;
  }
  CALL("run_offsets") {
    run(clwave_run_offsets_to_host(queue, &in[0], &out[0], same, &count, NULL), name);
    one->out[0].n = count + 1;
  }
  CALL("sort") run(clwave_sort(queue, &in[0], &out[0], &order, NULL, NULL), name);
  CALL("argsort") run(clwave_argsort(queue, &in[0], &out[0], &order, NULL, NULL), name);
  CALL("sort_by_key")
  run(clwave_sort_by_key(queue, &in[0], &in[1], &out[0], &out[1], &order, NULL, NULL), name);
  CALL("segmented_sort")
  run(clwave_segmented_sort(queue, &in[0], &in[1], &out[0], NULL, &order, NULL, NULL), name);
  CALL("segmented_sort_by_key")
  run(clwave_segmented_sort_by_key(queue, &in[0], &in[1], &in[2], &out[0], &out[1], NULL, &order, NULL, NULL),
      name);
  CALL("top_k")
  run(clwave_top_k(queue, &in[0], &out[0], &out[1], one->out[0].n, number(one, "descending") == 0, NULL,
                   NULL),
      name);
  CALL("merge") run(clwave_merge(queue, &in[0], &in[1], &out[0], NULL, &order, NULL, NULL), name);
  CALL("merge_by_key")
  run(clwave_merge_by_key(queue, &in[0], &in[1], &in[2], &in[3], &out[0], &out[1], NULL, &order, NULL, NULL),
      name);
  CALL("lower_bound") run(clwave_lower_bound(queue, &in[0], &in[1], &out[0], &order, NULL, NULL), name);
  CALL("upper_bound") run(clwave_upper_bound(queue, &in[0], &in[1], &out[0], &order, NULL, NULL), name);
#define SET_OPERATION(which)                                                                   \
  CALL(#which) {                                                                               \
    run(clwave_##which##_to_host(queue, &in[0], &in[1], &out[0], &order, &count, NULL), name); \
    one->out[0].n = count;                                                                     \
  }
  SET_OPERATION(set_union)
  SET_OPERATION(set_intersection)
  SET_OPERATION(set_difference)
  SET_OPERATION(set_symmetric_difference)
  CALL("copy")
  run(clwave_copy(queue, &in[0], &out[0], number(one, "saturate") != 0, CLWAVE_ROUND_NATURAL, NULL, NULL),
      name);
  CALL("fill") run(clwave_fill(queue, &out[0], value, NULL, NULL), name);
  CALL("gather")
  run(clwave_gather(queue, &in[0], &in[1], &out[0], NULL, map, value, NULL, NULL), name);
  CALL("scatter") run(clwave_scatter(queue, &in[0], &in[1], &out[0], NULL, map, true, NULL, NULL), name);
  CALL("transform") run(clwave_transform(queue, in, 1, &out[0], map, NULL, NULL), name);
  CALL("transform_two") run(clwave_transform(queue, in, 2, &out[0], map, NULL, NULL), name);
  CALL("broadcast")
  run(clwave_broadcast(queue, &in[0], &in[1], &out[0], matrices.rows, matrices.columns, 0, 0,
                       number(one, "per_row") != 0 ? CLWAVE_PER_ROW : CLWAVE_PER_COLUMN, map, NULL, NULL),
      name);
  CALL("transpose") run(clwave_transpose(queue, &in[0], &out[0], &matrices, NULL, NULL, NULL, NULL), name);
  CALL("histogram")
  run(clwave_histogram(queue, &in[0], &out[0], strtod(field(one, "low"), NULL),
                       strtod(field(one, "high"), NULL), 1, NULL, NULL),
      name);
  CALL("histogram_between")
  run(clwave_histogram_between(queue, &in[0], &out[0], in[1].type, one->in[1].host, (size_t)in[1].n, 1, NULL,
                               NULL),
      name);
  CALL("gemm") {
    const clwave_gemm_options product = {.size = sizeof product, .same_bits = true};
    run(clwave_gemm(queue, number(one, "m"), number(one, "n"), number(one, "inner"), 1.5, &in[0], &in[1], 0,
                    &out[0], &product, NULL, NULL),
        name);
  }
  CALL("count_if") {
    run(clwave_count_if_to_host(queue, &in[0], NULL, predicate, &count, NULL), name);
    give(&one->out[0], &count);
  }
  CALL("count_two") {
    run(clwave_count_if_to_host(queue, &in[0], &in[1], predicate, &count, NULL), name);
    give(&one->out[0], &count);
  }
  CALL("minmax") {
    run(clwave_minmax_to_host(queue, &in[0], &result.bytes[0], &result.bytes[32], NULL), name);
    give(&one->out[0], &result.bytes[0]);
    give(&one->out[1], &result.bytes[32]);
  }
  CALL("mean_and_variance") {
    run(clwave_mean_and_variance_to_host(queue, &in[0], out[1].type, &result, NULL), name);
    give(&one->out[0], &result);
    give(&one->out[1], &result.bytes[8]);
    give(&one->out[2], &result.bytes[8 + clwave_type_size(out[1].type)]);
  }
  CALL("minmax_rows")
  run(clwave_minmax_rows(queue, &in[0], ends_of(&out[0], &in[0]), &matrices, NULL, NULL, NULL), name);
  CALL("minmax_columns")
  run(clwave_minmax_columns(queue, &in[0], ends_of(&out[0], &in[0]), &matrices, NULL, NULL, NULL), name);
  CALL("segmented_minmax")
  run(clwave_segmented_minmax(queue, &in[0], &in[1], ends_of(&out[0], &in[0]), NULL, NULL, NULL), name);
  CALL("mean_and_variance_rows")
  run(clwave_mean_and_variance_rows(queue, &in[0], moments_of(&out[0], one), &matrices, NULL, NULL, NULL),
      name);
  CALL("mean_and_variance_columns")
  run(clwave_mean_and_variance_columns(queue, &in[0], moments_of(&out[0], one), &matrices, NULL, NULL, NULL),
      name);
  CALL("segmented_mean_and_variance")
  run(clwave_segmented_mean_and_variance(queue, &in[0], &in[1], moments_of(&out[0], one), NULL, NULL, NULL),
      name);
  CALL("find_if") run(clwave_find_if(queue, &in[0], &out[0], predicate, NULL, NULL), name);
  CALL("any_of") run(clwave_any_of(queue, &in[0], &out[0], predicate, NULL, NULL), name);
  CALL("all_of") run(clwave_all_of(queue, &in[0], &out[0], predicate, NULL, NULL), name);
  CALL("none_of") run(clwave_none_of(queue, &in[0], &out[0], predicate, NULL, NULL), name);
  CALL("mismatch") run(clwave_mismatch(queue, &in[0], &in[1], &out[0], same, NULL, NULL), name);
  CALL("equal") run(clwave_equal(queue, &in[0], &in[1], &out[0], same, NULL, NULL), name);
  CALL("is_sorted") run(clwave_is_sorted(queue, &in[0], &out[0], &order, NULL, NULL), name);
  CALL("generate") run(clwave_generate(queue, &out[0], map, NULL, NULL), name);
  CALL("iota") run(clwave_iota(queue, &out[0], NULL, NULL, NULL, NULL), name);
  CALL("iota_from") run(clwave_iota(queue, &out[0], one->in[0].host, NULL, NULL, NULL), name);
  CALL("iota_by") run(clwave_iota(queue, &out[0], one->in[0].host, one->in[1].host, NULL, NULL), name);
  CALL("adjacent_difference")
  run(clwave_adjacent_difference(queue, &in[0], &out[0], map, NULL, NULL), name);
  CALL("adjacent_difference_in_place") {
    copy_first_input(one);
    run(clwave_adjacent_difference(queue, &out[0], &out[0], map, NULL, NULL), name);
  }
  CALL("reverse") run(clwave_reverse(queue, &in[0], &out[0], NULL, NULL), name);
  CALL("rotate") run(clwave_rotate(queue, &in[0], &out[0], number(one, "first"), NULL, NULL), name);
  CALL("random") {
    const clwave_random_options numbers = {
        .size = sizeof numbers,
        .below = number(one, "below"),
        .first = number(one, "first"),
        .stream = (uint32_t)number(one, "stream"),
        .kind = number(one, "normal") != 0 ? CLWAVE_RANDOM_NORMAL : CLWAVE_RANDOM_UNIFORM};
    run(clwave_random(queue, &out[0], number(one, "seed"), &numbers, NULL, NULL), name);
  }
  CALL("random_permutation")
  run(clwave_random_permutation(queue, &out[0], number(one, "seed"), NULL, NULL), name);
  CALL("shuffle") run(clwave_shuffle(queue, &in[0], &out[0], number(one, "seed"), NULL, NULL), name);
  CALL("transform_if") run(clwave_transform_if(queue, in, 1, &out[0], map, predicate, NULL, NULL), name);
  CALL("replace_if") {
    copy_first_input(one);
    run(clwave_replace_if(queue, &out[0], predicate, value, NULL, NULL), name);
  }
  else stop("no such call", name);
  while (n_ops != 0) clwave_op_release(ops[--n_ops]);
  while (n_maps != 0) clwave_map_release(maps[--n_maps]);
}

int main(int argc, char** argv) {
  cl_device_id device = NULL;
  run(clwave_select_device(NULL, &device), "device");
  const int code = replay(argc, argv, device, perform);
  run(clwave_release_context(context), "release");
  clReleaseContext(context);
  return code;
}
