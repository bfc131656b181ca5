// The data: random elements that device, host and helper compute alike.
#include "bench/bench.hpp"
#include "bench/hash.hpp"
#include "bench/random.hpp"

namespace clwave::tool::bench {
namespace {

constexpr const char* random_text = R"(
#pragma OPENCL FP_CONTRACT OFF
#if defined(FROM_f64) || defined(TO_f64)
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#endif
#if defined(FROM_f32) && defined(WHOLE)
float from(ulong i, uint seed) {
  const uint h = hash(i, seed);
  return (float)((int)(h >> 24) - (int)(h >> 16 & 255));
}
#elif defined(FROM_f64) && defined(WHOLE)
double from(ulong i, uint seed) { return (double)(int)hash(i, seed); }
#elif defined(FROM_f32)
float from(ulong i, uint seed) { return (float)((int)(hash(i, seed) >> 8) - (1 << 23)) * 0x1p-23f; }
#elif defined(FROM_f64)
double from(ulong i, uint seed) {
  return (double)(long)((ulong)hash(i, seed) << 21 | hash(i, ~seed) >> 11) * 0x1p-52 - 1.0;
}
#elif defined(FROM_i32)
int from(ulong i, uint seed) { return (int)hash(i, seed); }
#elif defined(FROM_u8)
uchar from(ulong i, uint seed) { return (uchar)hash(i, seed); }
#elif defined(FROM_f16)
float from(ulong i, uint seed) { return (float)((int)(hash(i, seed) >> 21) - 1024) * 0x1p-10f; }
#elif defined(FROM_bf16)
float from(ulong i, uint seed) { return (float)((int)(hash(i, seed) >> 24) - 128) * 0x1p-7f; }
#elif defined(FROM_fill)
float from(ulong i, uint seed) { return as_float(seed); }
#endif
#if defined(TO_f32)
#define TO float
#elif defined(TO_f64)
#define TO double
#elif defined(TO_i32)
#define TO int
#elif defined(TO_u8)
#define TO uchar
#elif defined(TO_bf16)
#define TO ushort
#endif
#if defined(TO_f16)
#define STORE(i, v) vstore_half(v, i, out)
#define TO half
#define LOAD(i) vload_half(i, in)
#define CONVERTED(v) (v)
#elif defined(TO_bf16)
// The numbers have no more bits than that.
#define CONVERTED(v) (ushort)(as_uint(v) >> 16)
#define STORE(i, v) out[i] = CONVERTED(v)
#define LOAD(i) in[i]
#else
#define STORE(i, v) out[i] = v
#define LOAD(i) in[i]
#define CONVERTED(v) ((TO)(v))
#endif

#ifndef FROM_fill
kernel void make_random(global TO* out, ulong n, uint seed, ulong each, ulong item_step, ulong step) {
  ulong i = get_global_id(0) * item_step;
  for (ulong k = 0; k < each; ++k, i += step) {
    if (i < n) STORE(i, from(i, seed));
  }
}
#endif

kernel void count_wrong(const global TO* in, ulong at, ulong n, uint seed, ulong source_first, ulong each,
                        ulong item_step, ulong step, volatile global uint* wrong) {
  ulong i = get_global_id(0) * item_step;
  uint found = 0;
  for (ulong k = 0; k < each; ++k, i += step) {
    if (i < n && LOAD(at + i) != CONVERTED(from(source_first + i, seed))) ++found;
  }
  if (found > 0) atomic_add(wrong, found);
}
)";

}  // namespace

double element_at(const std::string& type, std::uint64_t i, std::uint32_t seed) {
  if (type == "f64") return random_of<double>::at(i, seed);
  if (type == "bf16") return random_of<bfloat16>::at(i, seed);
  return type == "f16" ? random_of<half>::at(i, seed) : random_of<float>::at(i, seed);
}

std::string random_source() { return std::string(hash_source) + random_text; }

std::string input_type(const std::string& type) { return type.substr(0, type.find('-')); }

std::string output_type(const std::string& type) {
  const std::size_t dash = type.find('-');
  return dash == std::string::npos ? type : type.substr(dash + 1);
}

}  // namespace clwave::tool::bench
