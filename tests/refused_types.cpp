// What refused_types_test.py compiles, with CASE as each number below. Only case 0 may compile.
#define CL_TARGET_OPENCL_VERSION 300

#if CASE == 8 || CASE == 9
#include <boost/compute/container/vector.hpp>
#endif

#include <cstdint>
#include <vector>

#include <clwave.hpp>

cl_command_queue queue;
cl_mem buffer;

#if CASE == 0
static_assert(sizeof(clwave::view<clwave::half>) == sizeof(clwave::view<clwave::u16>));
auto floats() { return clwave::reduce(queue, clwave::view<clwave::half>(buffer, 4)); }
auto numbers() { return clwave::reduce<std::uint32_t>(queue, clwave::view<clwave::u16>(buffer, 4)); }
auto greatest() { return clwave::argmax(queue, clwave::view<clwave::u16>(buffer, 4)).value == 4; }
std::uint16_t number() { return clwave::reduce(queue, clwave::view<clwave::u16>(buffer, 4)); }
auto name() { return clwave::element_of<clwave::u16>().name; }
auto values() { return clwave::map{.name = "m", .source = "x * k", .values = {{"k", clwave::u16(4)}}}; }
bool equal(clwave::u16 a) { return a == clwave::u16(4) && a == 4 && a == std::uint16_t{4} && a < 5u; }
#elif CASE == 1
auto x() { return clwave::view<cl_half>(buffer, 4); }
#elif CASE == 2
auto x() { return clwave::view<const cl_half>(buffer, 4); }
#elif CASE == 3
auto x() { return clwave::reduce(queue, clwave::view<std::uint16_t>(buffer, 4)); }
#elif CASE == 4
auto x() { return clwave::element_of<cl_half>().name; }
#elif CASE == 5
auto x() { return clwave::element_of<const std::uint16_t>().name; }
#elif CASE == 6
auto x() { return clwave::reduce<std::uint16_t>(queue, clwave::view<std::uint8_t>(buffer, 4)); }
#elif CASE == 7
auto x() { return clwave::element_of<clwave::indexed<std::uint16_t>>().name; }
#elif CASE == 8
auto x(const boost::compute::vector<cl_ushort>& range) { return clwave::reduce(queue, range); }
#elif CASE == 9
auto x(const boost::compute::vector<cl_ushort>& range) { return clwave::view(range.begin(), range.end()); }
#elif CASE == 10
auto x() { return std::vector<clwave::soa_field>{clwave::view<std::uint16_t>(buffer, 4)}; }
#elif CASE == 11
auto x() { return clwave::map{.name = "m", .source = "x * k", .values = {{"k", cl_half{4}}}}; }
#endif
