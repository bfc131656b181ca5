// Types that layout does not take: what refused_types_test.py compiles, with CASE as each number below.
#define CL_TARGET_OPENCL_VERSION 300

#include <cstdint>
#include <vector>

#include <clwave/layout.hpp>

cl_command_queue queue;
cl_mem buffer;

#if CASE == 0
auto x() { return std::vector<clwave::soa_field>{clwave::view<clwave::u16>(buffer, 4)}; }
#elif CASE == 1
auto x() { return std::vector<clwave::soa_field>{clwave::view<std::uint16_t>(buffer, 4)}; }
#endif
