// Normal numbers: the bits of the host's compiler, and the error against the error function of a long double.
#include <clwave/random.hpp>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <clwave/copy.hpp>

#include "harness/devices.hpp"
#include "harness/emulated_rows.hpp"
#include "primitives/random/as_cpp.hpp"
#include "primitives/random/reference.hpp"
#include "program/embedded_kernels.hpp"

namespace testing::normal_test {
namespace {

using clwave::random_kind;
using random_reference::stream;

const doctest::test_suite lanes("lanes");

// How many units in the last place of a result z, of `digits` binary digits, lie between it and the quantile
// of the word's middle: by a step of Halley's method from z.
long double error_of_normal(long double distance_to_end, long double from_middle, double z, int digits) {
  constexpr long double root = 0.70710678118654752440084436210484903928L,
                        slope = 0.79788456080286535587989211986876373695L;
  const long double size = std::fabs(static_cast<long double>(z));
  const long double miss =
      from_middle < 0.5L ? from_middle - std::erf(size * root) : std::erfc(size * root) - distance_to_end;
  const long double step = miss / (-slope * std::exp(-size * size / 2));
  return std::fabs(step / (1 - size * step / 2)) / std::ldexp(1.0L, std::ilogb(size) - (digits - 1));
}
long double error_of(u32 word, float z) {
  const u32 nearer = word >> 31 != 0 ? ~word : word;
  return error_of_normal(std::ldexp(2.0L * nearer + 1, -32), std::ldexp(1.0L * u32(~(2 * nearer)), -32), z,
                         24);
}
long double error_of(u64 word, double z) {
  const u64 nearer = word >> 63 != 0 ? ~word : word;
  return error_of_normal(std::ldexp(2.0L * nearer + 1, -64), std::ldexp(1.0L * u64(~(2 * nearer)), -64), z,
                         53);
}

float normal_of(u32 word) { return random_as_cpp::single::normal_of_word(word); }
double normal_of(u64 word) { return random_as_cpp::twice::normal_of_word(word); }

// Words of all sizes: around the middle, at both ends, and where one polynomial follows another.
template <class Word>
std::vector<Word> many_words(random_engine& random, std::size_t n) {
  constexpr int bits = 8 * sizeof(Word);
  std::vector<Word> words = {0, 1, 2, static_cast<Word>(~Word{0}), static_cast<Word>(~Word{1})};
  const Word middle = Word{1} << (bits - 1);
  for (Word k = 0; k < 100; ++k) words.insert(words.end(), {static_cast<Word>(middle - k), middle + k});
  for (const double w : {6.25, 14.0, 27.0}) {
    const double end = std::exp(-w) / 4;  // w = -log(4 p), nearly
    if (end < std::ldexp(1.0, -bits)) continue;
    for (int k = -1000; k < 1000; ++k)
      words.push_back(static_cast<Word>(std::ldexp(end * (1 + 1e-4 * k), bits)));
  }
  while (words.size() < n) {
    const Word word = static_cast<Word>(random());
    words.push_back(random.below(2) == 0 ? word : word >> random.below(bits));
    words.push_back(middle + (word >> random.below(bits)) / 2);
  }
  return words;
}

// What the driver's compiler makes of the function itself.
template <class Word, class T>
std::vector<T> normal_on(const fixture& on, const std::vector<Word>& words) {
  const bool twice = sizeof(T) == 8;
  std::string source = twice ? "#pragma OPENCL EXTENSION cl_khr_fp64 : enable\n#define NORMAL_DOUBLE\n"
                             : "#define NORMAL_FLOAT\n";
  source += "#pragma OPENCL FP_CONTRACT OFF\n";
  for (const clwave::detail::kernel_part& part : clwave::detail::embedded_kernel_parts())
    if (part.name == "blocks/normal.cl") source += part.text;
  source +=
      "\nkernel void each(global const WORD* in, global NUMBER* out) {\n"
      "  out[get_global_id(0)] = normal_of_word(in[get_global_id(0)]);\n}\n";
  const cl::Program program(on.context, source);
  program.build(twice ? "-DWORD=ulong -DNUMBER=double" : "-DWORD=uint -DNUMBER=float");
  cl::Kernel each(program, "each");
  const cl::Buffer in = on.buffer_of(words), out = on.buffer_of(std::vector<T>(words.size()));
  each.setArg(0, in);
  each.setArg(1, out);
  on.queue.enqueueNDRangeKernel(each, cl::NullRange, cl::NDRange(words.size()));
  return on.read<T>(out, words.size());
}

template <class Word, class T>
void check_normal(const fixture& on, random_engine& random) {
  const std::vector<Word> words = many_words<Word>(random, 200000);
  const std::vector<T> made = normal_on<Word, T>(on, words);
  std::size_t other_bits = 0, other_sign = 0;
  long double worst = 0;
  for (std::size_t k = 0; k < words.size(); ++k) {
    const T right = normal_of(words[k]);
    other_bits += std::bit_cast<Word>(right) != std::bit_cast<Word>(made[k]) ? 1 : 0;
    other_sign += normal_of(static_cast<Word>(~words[k])) != -right ? 1 : 0;
    worst = std::max(worst, error_of(words[k], right));
  }
  CHECK(other_bits == 0);
  CHECK(other_sign == 0);
  CHECK(worst < 5);
}

template <class T>
void check_call(const fixture& on, random_engine& random, std::size_t n) {
  const stream from{random(), static_cast<u32>(random())};
  const u64 first = random.below(100);
  const guarded_buffer<T> out(on, n);
  clwave::random(on.queue, out.view(), from.seed,
                 {.kind = random_kind::normal, .stream = from.number, .first = first})
      .wait();
  std::vector<T> right(n);
  for (std::size_t i = 0; i < n; ++i) {
    if constexpr (sizeof(T) == 8)
      right[i] = normal_of(from.wide_word(first + i));
    else
      right[i] = normal_of(from.word(first + i));
  }
  CHECK(out.read_guarded() == right);
}

}  // namespace

TEST_CASE("normal floats have one function's bits, near the quantile") {
  random_engine random;
  check_normal<u32, float>(default_fixture(), random);
  CHECK(normal_of(u32{0}) == doctest::Approx(-6.3379577));
  CHECK(normal_of(~u32{0}) == -normal_of(u32{0}));
  CHECK(normal_of(u32{0x80000000}) > 0);
  CHECK(normal_of(u32{0x7fffffff}) < 0);
}

TEST_CASE_FIXTURE(on_device, "normal doubles have one function's bits, near the quantile") {
  if (!on.facts.fp64.value_or(false)) return;
  check_normal<u64, double>(on, random);
  CHECK(normal_of(u64{0}) == doctest::Approx(-9.1552937726860737).epsilon(1e-14));
}

TEST_CASE_FIXTURE(on_device, "normal numbers of calls") {
  for (const std::size_t n : {1, 3, 5, 1000, 30001}) {
    check_call<float>(on, random, n);
    if (on.facts.fp64.value_or(false)) check_call<double>(on, random, n);
  }
}

TEST_CASE_FIXTURE(on_device, "normal numbers on every row" * lanes) {
  for (const std::string name : forced_rows(rows_taken(on, random))) {
    check_call<float>(on, random, random.below(9000));
    if (on.facts.fp64.value_or(false)) check_call<double>(on, random, random.below(3000));
  }
}

TEST_CASE_FIXTURE(on_device, "normal halves and bfloat16 are the floats, rounded") {
  const std::size_t n = 3000;
  const guarded_buffer<float> floats(on, n);
  const guarded_buffer<half> halves(on, n), copied(on, n);
  const guarded_buffer<bfloat16> brains(on, n), brains_copied(on, n);
  const clwave::random_options normal{.kind = random_kind::normal};
  clwave::random(on.queue, floats.view(), 3, normal);
  clwave::random(on.queue, halves.view(), 3, normal);
  clwave::random(on.queue, brains.view(), 3, normal);
  clwave::copy(on.queue, floats.view(), copied.view());
  clwave::copy(on.queue, floats.view(), brains_copied.view()).wait();
  const auto same = [&](const auto& a, const auto& b) {
    const auto x = a.read_guarded(), y = b.read_guarded();
    return std::memcmp(x.data(), y.data(), 2 * n) == 0;
  };
  CHECK(same(halves, copied));
  CHECK(same(brains, brains_copied));
}

}  // namespace testing::normal_test
