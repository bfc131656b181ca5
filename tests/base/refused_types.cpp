// What refused_types_test.py compiles, with CASE as each number below. Only case 0 may compile; of another
// the compiler must say what follows "says", or else what to write for std::uint16_t. A case "of" a primitive
// goes with it. Primitives may have such a file of their own.
#define CL_TARGET_OPENCL_VERSION 300

#if CASE == 8 || CASE == 9
#include <boost/compute/container/vector.hpp>
#endif

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include <clwave.hpp>

cl_command_queue queue;
cl_mem buffer;
#if CASE > 20
const clwave::view<float> floats{buffer, 4};
#endif

#if CASE == 0
static_assert(sizeof(clwave::view<clwave::half>) == sizeof(clwave::view<clwave::u16>));
auto floats() { return clwave::reduce(queue, clwave::view<clwave::half>(buffer, 4)); }
auto numbers() { return clwave::reduce<std::uint32_t>(queue, clwave::view<clwave::u16>(buffer, 4)); }
auto greatest() { return clwave::argmax(queue, clwave::view<clwave::u16>(buffer, 4)).value == 4; }
std::uint16_t number() { return clwave::reduce(queue, clwave::view<clwave::u16>(buffer, 4)); }
auto name() { return clwave::element_of<clwave::u16>().name; }
auto values() { return clwave::map{.name = "m", .source = "x * k", .values = {{"k", clwave::u16(4)}}}; }
auto fixed() { return clwave::reduce(queue, clwave::view<const char>(clwave::view<char>(buffer, 4))); }
static_assert(clwave::element_type<long long> && clwave::element_type<const bool>);
static_assert(!clwave::element_type<long double> && !clwave::element_type<float*> &&
              !clwave::element_type<std::uint16_t>);
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
#elif CASE == 11  // says no device computes in long double
auto x() { return clwave::reduce(queue, clwave::view<long double>(buffer, 4)); }
#elif CASE == 12  // says no device computes in long double
auto x() { return clwave::reduce<std::complex<long double>>(queue, clwave::view<float>(buffer, 4)); }
#elif CASE == 13  // says store indices
auto x() { return clwave::reduce(queue, clwave::view<float*>(buffer, 4)); }
#elif CASE == 14  // says view its memory as its underlying type
enum class color : unsigned char { red };
auto x() { return clwave::fill(queue, clwave::view<color>(buffer, 4), color::red); }
#elif CASE == 15  // says describe a structure of your own with CLWAVE_STRUCTURE
struct point {
  float x, y;
};
auto x() { return clwave::copy(queue, clwave::view<point>(buffer, 4), clwave::view<point>(buffer, 4)); }
#elif CASE == 16  // says the type must be trivially copyable
auto x() { return clwave::element_of<std::vector<int>>().size; }
#elif CASE == 17  // says this character type is no element
auto x() { return clwave::argmin(queue, clwave::view<const char16_t>(buffer, 4)); }
#elif CASE == 18  // says the elements of this output are const
auto x() { return clwave::copy(queue, clwave::view<float>(buffer, 4), clwave::view<const float>(buffer, 4)); }
#elif CASE == 19  // says write clwave::indexed<float>
auto x() { return clwave::element_of<clwave::indexed<clwave::bfloat16>>().size; }
#elif CASE == 10  // says view its memory as clwave::half, one for each component
auto x() { return clwave::reduce(queue, clwave::view<cl_half4>(buffer, 4)); }
#elif CASE == 20
auto x() { return clwave::map{.name = "m", .source = "x * k", .values = {{"k", cl_half{4}}}}; }
#elif CASE == 21  // says operators are OpenCL C expressions: clwave::op{
auto x() {
  return clwave::reduce(queue, floats, [](float a, float b) { return a + b; });
}
#elif CASE == 22  // of scan, says operators are OpenCL C expressions
auto x() { return clwave::inclusive_scan(queue, floats, floats, std::plus{}); }
#elif CASE == 23  // says operators are OpenCL C expressions
auto x() { return clwave::reduce(queue, floats, "a + b", {.after = {clwave::event()}}); }
#elif CASE == 24  // of select, says operators are OpenCL C expressions
auto x() { return clwave::unique(queue, floats, floats, std::equal_to<>()); }
#elif CASE == 25  // says operators are OpenCL C expressions
auto x() { return clwave::reduce(clwave::sharded<float>{{queue, floats}}, std::string("a + b")); }
#elif CASE == 26  // of transform, says functions are OpenCL C expressions: clwave::map{
auto x() {
  return clwave::transform(queue, floats, floats, [](float x) { return 2 * x; });
}
#elif CASE == 27  // of select, says functions are OpenCL C expressions
auto x() { return clwave::copy_if(queue, floats, floats, "x > 0"); }
#elif CASE == 28  // says calls take views of device memory: wrap the buffer, clwave::view<float>{buffer, n}
auto x() { return clwave::reduce(queue, buffer, {.workspace = buffer}); }
#elif CASE == 29  // of sort, says calls take views of device memory
auto x(std::vector<float>& numbers) { return clwave::sort(queue, numbers); }
#elif CASE == 30  // of scan, says calls take views of device memory
auto x(std::vector<float>& numbers) { return clwave::inclusive_scan(queue, floats, numbers); }
#elif CASE == 31  // says calls take views of device memory
auto x() { return clwave::copy(queue, floats, buffer); }
#elif CASE == 32  // says calls take views of device memory
auto x(const std::vector<float>& numbers) { return clwave::dot(queue, floats, numbers); }
#elif CASE == 33  // of segmented_reduce, says give offsets.first_segments(count)
auto x(const clwave::view<std::uint32_t>& offsets, const clwave::view<std::uint64_t>& count) {
  return clwave::segmented_reduce(queue, floats, offsets.first(count), floats);
}
#elif CASE == 34  // says offsets are of std::uint32_t or std::uint64_t
auto x(const clwave::view<std::uint64_t>& count) { return floats.first_segments(count); }
#endif
