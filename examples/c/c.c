// clwave from C: a sum, a function and an operator of one's own, a sort, calls chained by an event, an input
// that is no array, and errors.
#define CL_TARGET_OPENCL_VERSION 120  // any loader will do
#include <clwave/clwave.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { N = 100000 };

// Prints what a call says of its error, and ends the program.
static void check(clwave_status status) {
  if (status == CLWAVE_OK) return;
  fprintf(stderr, "%s\n", clwave_last_error()->message);
  exit(1);
}

int main(void) {
  // The OpenCL objects are yours.
  cl_device_id device;
  check(clwave_select_device(NULL, &device));
  cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, NULL);
  cl_command_queue queue = clCreateCommandQueue(context, device, 0, NULL);
  static float numbers[N];
  for (int i = 0; i < N; ++i) numbers[i] = (float)(i % 1000) / 8;
  cl_mem buffer = clCreateBuffer(context, CL_MEM_COPY_HOST_PTR, sizeof numbers, numbers, NULL);
  cl_mem second = clCreateBuffer(context, CL_MEM_READ_WRITE, sizeof numbers, NULL, NULL);

  // A view says where elements lie and what they are. Calls named ..._to_host block until the value is there.
  const clwave_view x = {.buffer = buffer, .n = N, .type = CLWAVE_F32};
  const clwave_view y = {.buffer = second, .n = N, .type = CLWAVE_F32};
  double sum;
  check(clwave_reduce_to_host(queue, &x, NULL, CLWAVE_F64, NULL, &sum, NULL));
  printf("sum: %g\n", sum);

  // Functions and operators are texts in OpenCL C. The value of `factor` may be another one in each call,
  // without a new build.
  const float factor = 2;
  const clwave_value value = {.name = "factor", .type = CLWAVE_F32, .number = &factor};
  const clwave_map_text scaled_text = {
      .size = sizeof scaled_text, .name = "scaled", .source = "factor * x", .values = &value, .n_values = 1};
  const clwave_op_text farther_text = {
      .size = sizeof farther_text, .name = "farther", .source = "fabs(a) < fabs(b) ? b : a", .identity = "0"};
  clwave_map* scaled;
  clwave_op* farther;
  check(clwave_map_create(&scaled_text, &scaled));
  check(clwave_op_create(&farther_text, &farther));

  // Calls that take a cl_event* do not block. The event is yours to release; NULL makes none.
  cl_event written;
  check(clwave_transform(queue, &x, 1, &y, scaled, NULL, &written));
  const clwave_options after = {.size = sizeof after, .after = &written, .n_after = 1};
  float farthest;
  check(clwave_reduce_to_host(queue, &y, farther, CLWAVE_F32, NULL, &farthest, &after));
  clReleaseEvent(written);
  printf("farthest from zero, of all scaled by %g: %g\n", factor, farthest);

  // In place, the largest first.
  const clwave_order order = {.size = sizeof order, .descending = true};
  float first[3];
  check(clwave_sort(queue, &y, &y, &order, NULL, NULL));
  clEnqueueReadBuffer(queue, second, CL_TRUE, 0, sizeof first, first, 0, NULL, NULL);
  printf("sorted: %g %g %g ...\n", first[0], first[1], first[2]);

  // An input need not be an array: here the products of every tenth number and of the sorted ones from the
  // last on are made where the sum needs them.
  const clwave_map_text product_text = {.size = sizeof product_text, .name = "product", .source = "x * y"};
  clwave_map* product;
  check(clwave_map_create(&product_text, &product));
  const clwave_source sources[2] = {{.of = &x, .step = 10}, {.of = &y, .first = N - 1, .step = -1}};
  const clwave_lazy products = {.size = sizeof products,
                                .n = N / 10,
                                .type = CLWAVE_F32,
                                .map = product,
                                .sources = sources,
                                .n_sources = 2};
  const clwave_view in = clwave_lazy_view(&products);
  check(clwave_reduce_to_host(queue, &in, NULL, CLWAVE_F64, NULL, &sum, NULL));
  printf("sum of products: %g\n", sum);

  // A call that is refused enqueues nothing. The first line of its message says what is wrong.
  const clwave_view too_long = {.buffer = buffer, .n = 2 * N, .type = CLWAVE_F32};
  if (clwave_reduce_to_host(queue, &too_long, NULL, CLWAVE_F32, NULL, &farthest, NULL) ==
      CLWAVE_ERROR_BAD_CALL)
    printf("refused: %.*s\n", (int)strcspn(clwave_last_error()->message, "\n"), clwave_last_error()->message);

  clwave_map_release(scaled);
  clwave_map_release(product);
  clwave_op_release(farther);
  clReleaseMemObject(buffer);
  clReleaseMemObject(second);
  check(clwave_release_context(context));  // what the library caches for a context it gives back when told
  clReleaseCommandQueue(queue);
  clReleaseContext(context);
}
