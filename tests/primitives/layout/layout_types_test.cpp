// Element types through layout, and views whose sizes in bytes would wrap.
#include <complex>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <doctest/doctest.h>

#include <clwave/error.hpp>
#include <clwave/layout.hpp>

#include "harness/elements.hpp"
#include "harness/refusals.hpp"

namespace testing::layout_types_test {
namespace {

using complex_float = std::complex<float>;

struct pair_of_fields {
  complex_float z;
  bool is_set;
  bfloat16 weight;
};

TEST_CASE_FIXTURE(on_device, "fields of every element type are laid out") {
  std::vector<pair_of_fields> structures(1001);
  for (pair_of_fields& each : structures)
    each = {random_elements<complex_float>(random, 1)[0], random.below(2) == 0,
            random_elements<bfloat16>(random, 1)[0]};
  const cl::Buffer in = on.buffer_of(structures);
  const guarded_buffer<complex_float> zs(on, 1001);
  const guarded_buffer<std::uint8_t> flags(on, 1001);
  const guarded_buffer<bfloat16> weights(on, 1001);
  const view<bool> set(flags.buffer(), 1001, flags.guard);
  const auto fields = clwave::layout_of(&pair_of_fields::z, &pair_of_fields::is_set, &pair_of_fields::weight);
  const view<const pair_of_fields> from(in, 1001);
  clwave::aos_to_soa(on.queue, from, fields, {zs.view(), set, weights.view()}).wait();
  const auto z = zs.read();
  const auto flag = flags.read();
  const auto weight = weights.read();
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < 1001; ++i)
    wrong += !same_bits(z[i], structures[i].z) || flag[i] != (structures[i].is_set ? 1 : 0) ||
                     weight[i].bits != structures[i].weight.bits
                 ? 1
                 : 0;
  CHECK(wrong == 0);
  // Inputs of the way back may be const, its output may not be, and outputs of this one neither.
  const cl::Buffer back = on.buffer_of(std::vector<pair_of_fields>(1001));
  clwave::soa_to_aos(on.queue,
                     {view<const complex_float>(zs.view()), set, view<const bfloat16>(weights.view())},
                     view<pair_of_fields>(back, 1001), fields)
      .wait();
  CHECK(on.read<pair_of_fields>(back, 1001)[1000].z == structures[1000].z);
  CHECK_THROWS_WITH_AS(
      clwave::aos_to_soa(on.queue, from, fields, {view<const complex_float>(zs.view()), set, weights.view()}),
      doctest::Contains("const"), clwave::error);
}

TEST_CASE("arrays whose bytes wrap to a few are refused") {
  const cl::Buffer buffer = default_fixture().buffer_of(std::vector<float>(100));
  constexpr std::size_t huge = ~std::size_t{0};
  const view<double> many(buffer, (huge >> 3) + 2), far(buffer, 1, (huge >> 3) + 1);
  const cl::Buffer doubles = default_fixture().buffer_of(std::vector<double>(100));
  struct one {
    double x;
  };
  const clwave::layout fields = clwave::layout_of(&one::x);
  const view<one> one_structure(doubles, 1);
  for (const view<double>& each : {many, far})
    CHECK(refused([&] { clwave::aos_to_soa(default_fixture().queue, one_structure, fields, {each}); }));
}

}  // namespace
}  // namespace testing::layout_types_test
