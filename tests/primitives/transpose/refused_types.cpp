// Types that transpose does not take: what refused_types_test.py compiles, with CASE as each number below.
#define CL_TARGET_OPENCL_VERSION 300

#include <clwave/transpose.hpp>

cl_command_queue queue;
cl_mem buffer;

#if CASE == 0
auto x() {
  return clwave::transpose_in_place(queue, clwave::view<float>(buffer, 4), {.rows = 2, .columns = 2});
}
#elif CASE == 1  // says the elements of this output are const
auto x() {
  return clwave::transpose_in_place(queue, clwave::view<const float>(buffer, 4), {.rows = 2, .columns = 2});
}
#endif
