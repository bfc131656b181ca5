// random against Philox on the host: every type, any place, any number of the first element, on every row of
// the table; Random123's known answers; integers below bounds that reject many words; what is refused.
#include <clwave/random.hpp>

#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <clwave/error.hpp>

#include "harness/captures.hpp"
#include "harness/devices.hpp"
#include "harness/emulated_rows.hpp"
#include "harness/refusals.hpp"
#include "primitives/random/reference.hpp"
#include "program/embedded_kernels.hpp"

namespace testing::random_test {
namespace {

using clwave::random_kind;
using clwave::random_options;
using random_reference::stream;

const doctest::test_suite lanes("lanes");

// Numbers of elements that wrap, lie past 2^32, and begin at any place in a block.
u64 some_first(random_engine& random) {
  switch (random.below(4)) {
    case 0:
      return 0;
    case 1:
      return random.below(9);
    case 2:
      return ~u64{0} - random.below(2000);
    default:
      return (u64{1} << 34) - random.below(2000);
  }
}

stream some_stream(random_engine& random) {
  return {random(), random.below(2) == 0 ? 0 : static_cast<u32>(random())};
}

// Calls random for n elements, and compares each with made(number of the element), bit for bit.
template <class T, class Make>
void check_random(const fixture& on, random_engine& random, std::size_t n, random_options options,
                  const Make& made) {
  const stream from = some_stream(random);
  options.stream = from.number;
  options.first = some_first(random);
  const std::size_t shift = random.below(20);
  CAPTURES(n, shift, options.first, options.below, sizeof(T));
  const guarded_buffer<T> out(on, n + shift);
  const auto before = out.read();
  clwave::random(on.queue, out.view().subview(shift, n), from.seed, options).wait();
  const std::vector<T> results = out.read_guarded();
  CHECK((shift == 0 || std::memcmp(results.data(), before.data(), shift * sizeof(T)) == 0));
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const T right = made(from, options.first + i);
    wrong += std::memcmp(&results[shift + i], &right, sizeof(T)) != 0 ? 1 : 0;
  }
  CHECK(wrong == 0);
}

template <class T>
void check_bits(const fixture& on, random_engine& random, std::size_t n) {
  check_random<T>(on, random, n, {}, [](const stream& from, u64 e) {
    return static_cast<T>(sizeof(T) == 8 ? from.wide_word(e) : from.word(e));
  });
}

template <class T>
void check_below(const fixture& on, random_engine& random, std::size_t n, u64 bound) {
  check_random<T>(on, random, n, {.below = bound}, [bound](const stream& from, u64 e) {
    return static_cast<T>(sizeof(T) == 8 ? from.below(e, bound) : from.below(e, static_cast<u32>(bound)));
  });
}

void check_floats(const fixture& on, random_engine& random, std::size_t n) {
  check_random<float>(on, random, n, {}, [](const stream& from, u64 e) {
    return std::ldexp(static_cast<float>(from.word(e) >> 8), -24);
  });
  if (!on.facts.fp64.value_or(false)) return;
  check_random<double>(on, random, n, {}, [](const stream& from, u64 e) {
    return std::ldexp(static_cast<double>(from.wide_word(e) >> 11), -53);
  });
}

const std::size_t some_sizes[] = {1, 2, 3, 4, 5, 7, 15, 16, 17, 63, 255, 256, 1023, 1025, 4097, 20011};

// What the driver's compiler makes of the generator itself.
std::vector<u32> philox_on(const fixture& on, const std::vector<u32>& counters_and_keys) {
  std::string source = "#define UNROLL\n#define INLINE static inline\n#define GROUP_SIZE 64\n";
  for (const clwave::detail::kernel_part& part : clwave::detail::embedded_kernel_parts())
    if (part.name == "blocks/philox.cl") source += part.text;
  source +=
      "\nkernel void each(global const uint* in, global uint* out) {\n"
      "  const size_t i = get_global_id(0);\n"
      "  vstore4(philox(vload4(0, in + 6 * i), vload2(0, in + 6 * i + 4)), i, out);\n}\n";
  const cl::Program program(on.context, source);
  program.build();
  cl::Kernel each(program, "each");
  const std::size_t n = counters_and_keys.size() / 6;
  const cl::Buffer in = on.buffer_of(counters_and_keys), out = on.buffer_of(std::vector<u32>(4 * n));
  each.setArg(0, in);
  each.setArg(1, out);
  on.queue.enqueueNDRangeKernel(each, cl::NullRange, cl::NDRange(n));
  return on.read<u32>(out, 4 * n);
}

}  // namespace

TEST_CASE("Random123's known answers") {
  // kat_vectors of Random123: philox4x32 with 10 rounds.
  const std::vector<u32> in = {0,          0,          0,          0,          0,          0,
                               0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff,
                               0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344, 0xa4093822, 0x299f31d0};
  const std::vector<u32> right = {0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8, 0x408f276d, 0x41c83b0e,
                                  0xa20bc7c6, 0x6d5451fd, 0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1};
  const fixture& on = default_fixture();
  CHECK(philox_on(on, in) == right);
  for (std::size_t k = 0; k < 3; ++k) {
    const u32* const c = in.data() + 6 * k;
    const random_reference::counter made = random_reference::philox({c[0], c[1], c[2], c[3]}, {c[4], c[5]});
    for (std::size_t w = 0; w < 4; ++w) CHECK(made[w] == right[4 * k + w]);
  }
  // The call itself, where it has such a counter.
  const guarded_buffer<u32> out(on, 4);
  clwave::random(on.queue, out.view(), 0).wait();
  CHECK(out.read_guarded() == std::vector<u32>(right.begin(), right.begin() + 4));
}

TEST_CASE_FIXTURE(on_device, "random bits of every type") {
  for (const std::size_t n : some_sizes) {
    check_bits<u32>(on, random, n);
    check_bits<u64>(on, random, n);
    check_bits<std::uint8_t>(on, random, n);
  }
  check_bits<std::int8_t>(on, random, 5000);
  check_bits<std::int16_t>(on, random, 5000);
  check_bits<u16>(on, random, 5000);
  check_bits<std::int32_t>(on, random, 5000);
  check_bits<std::int64_t>(on, random, 5000);
}

TEST_CASE_FIXTURE(on_device, "random numbers in [0, 1)") {
  for (const std::size_t n : some_sizes) check_floats(on, random, n);
  // Their constructors round nothing here.
  check_random<bfloat16>(on, random, 5000, {}, [](const stream& from, u64 e) {
    return bfloat16(std::ldexp(static_cast<float>(from.word(e) >> 24), -8));
  });
  check_random<half>(on, random, 5000, {}, [](const stream& from, u64 e) {
    return half(std::ldexp(static_cast<float>(from.word(e) >> 21), -11));
  });
}

TEST_CASE_FIXTURE(on_device, "integers below a bound") {
  // Of these, up to half of all words are rejected.
  for (const u32 bound : {1u, 2u, 3u, 6u, 1000u, 65536u, 0x55555556u, 0x80000001u, 0xc0000000u, 0xffffffffu})
    check_below<u32>(on, random, 3000 + random.below(100), bound);
  for (const u64 bound : {u64{1}, u64{7}, u64{1} << 32, u64{0x5555555555555556}, u64{0x8000000000000001},
                          u64{0xc000000000000000}, ~u64{0}})
    check_below<u64>(on, random, 3000 + random.below(100), bound);
  check_below<std::int32_t>(on, random, 3000, 0x80000000u);
  check_below<std::int64_t>(on, random, 3000, 1000000007);
  check_below<std::uint8_t>(on, random, 3000, 256);
  check_below<std::int8_t>(on, random, 3000, 100);
  check_below<u16>(on, random, 3000, 60000);
  // All 32-bit numbers are the words themselves.
  check_random<u32>(on, random, 3000, {.below = u64{1} << 32},
                    [](const stream& from, u64 e) { return from.word(e); });
}

TEST_CASE_FIXTURE(on_device, "random on every row" * lanes) {
  for (const std::string name : forced_rows(rows_taken(on, random))) {
    check_bits<u32>(on, random, random.below(20000));
    check_below<u64>(on, random, random.below(5000), 0xc000000000000001);
    check_bits<std::uint8_t>(on, random, random.below(20000));
    check_floats(on, random, random.below(9000));
  }
}

TEST_CASE_FIXTURE(on_device, "a part of the numbers is what all have there") {
  const std::size_t n = 5000, cut = random.below(n);
  const guarded_buffer<float> all(on, n), parts(on, n);
  const random_options options{.kind = random_kind::normal, .stream = 9};
  clwave::random(on.queue, all.view(), 5, options);
  clwave::random(on.queue, parts.view().subview(0, cut), 5, options);
  random_options rest = options;
  rest.first = cut;
  clwave::random(on.queue, parts.view().subview(cut, n - cut), 5, rest).wait();
  CHECK(all.read_guarded() == parts.read_guarded());
}

TEST_CASE_FIXTURE(on_device, "no random numbers") {
  const guarded_buffer<float> out(on, 0);
  CHECK_NOTHROW(clwave::random(on.queue, out.view(), 1).wait());
  CHECK(out.intact());
}

TEST_CASE_FIXTURE(on_device, "what random refuses") {
  const cl::Buffer some = on.buffer_of(std::vector<float>(64));
  const view<float> floats{some, 20};
  const view<u32> words{some, 20};
  const view<std::int8_t> bytes{some, 20};
  using clwave::random;
  refuses("there are no random elements", [&] { random(on.queue, view<cl_float4>{some, 4}, 1); });
  refuses("there are no random elements", [&] { random(on.queue, view<bool>{some, 4}, 1); });
  refuses("normal numbers of", [&] { random(on.queue, words, 1, {.kind = random_kind::normal}); });
  refuses("a bound of", [&] { random(on.queue, floats, 1, {.below = 5}); });
  refuses("do not fit", [&] { random(on.queue, bytes, 1, {.below = 129}); });
  refuses("do not fit", [&] { random(on.queue, words, 1, {.below = (u64{1} << 32) + 1}); });
  refuses("a permutation of", [&] { random(on.queue, floats, 1, {.kind = random_kind::permutation}); });
  refuses("a permutation has no bound",
          [&] { random(on.queue, words, 1, {.kind = random_kind::permutation, .below = 5}); });
  refuses("begins at its first index",
          [&] { random(on.queue, words, 1, {.kind = random_kind::permutation, .first = 5}); });
  refuses("", [&] { random(on.queue, view<float>{some, 65}, 1); });
  CHECK_THROWS_AS(clwave::plan(clwave::random_problem{.out = {element_of<u32>(), (u64{1} << 32) + 1},
                                                      .kind = random_kind::permutation},
                               clwave::plan_target{}),
                  clwave::error);
}

}  // namespace testing::random_test
