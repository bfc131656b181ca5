// A user's texts in transform and broadcast: helpers are not contracted, names of the kernels' are no
// hindrance, a name means one type.
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <clwave/error.hpp>
#include <clwave/plan.hpp>
#include <clwave/transform.hpp>

#include "harness/devices.hpp"
#include "harness/kernel_words.hpp"
#include "harness/refusals.hpp"

namespace testing::transform_texts_test {

// Names that the kernels have too.
struct wide_packet {
  float wide, words;
};

}  // namespace testing::transform_texts_test

CLWAVE_STRUCTURE(testing::transform_texts_test::wide_packet, "wide_packet",
                 "typedef struct { float wide, words; } wide_packet;")

namespace testing::transform_texts_test {
namespace {

// A product that no compiler fuses into the sum behind it.
template <class T>
T separate_product(T a, T b) {
  const volatile T product = a * b;
  return product;
}

template <class T>
void check_helper(const char* type) {
  const fixture& on = default_fixture();
  reference::random_engine random;
  std::vector<T> values(20003);
  for (T& v : values) v = static_cast<T>(static_cast<std::int32_t>(random())) / T(1 << 20);
  const cl::Buffer buffer = on.buffer_of(values);
  const std::string name(type);
  const std::string helper =
      name + " mul_add(" + name + " p, " + name + " q, " + name + " r) {\n  return p * q + r;\n}\n";
  guarded_buffer<T> out(on, values.size());
  clwave::transform(on.queue, view<T>{buffer, values.size()}, out.view(),
                    {.name = "helped", .source = "mul_add(x, x, x)", .declarations = helper})
      .wait();
  const std::vector<T> got = out.read();
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < values.size(); ++i)
    wrong += got[i] != separate_product(values[i], values[i]) + values[i] ? 1u : 0u;
  CHECK(wrong == 0);
}

TEST_CASE("pragmas: helpers of the user are not contracted in a transform") {
  check_helper<float>("float");
  if (default_fixture().has_doubles()) check_helper<double>("double");
}

void check_use(const std::string& declarations) {
  const fixture& on = default_fixture();
  const std::vector<float> values(1000, 2.0f);
  guarded_buffer<float> out(on, values.size());
  clwave::transform(on.queue, view<float>{on.buffer_of(values), values.size()}, out.view(),
                    {.name = "own", .source = "x + 1", .declarations = declarations})
      .wait();
  CHECK(out.first() == 3.0f);
}

TEST_CASE(
    "names: every name of the kernels may be in a transform a function, a type, a macro or a variable of the "
    "user's") {
  declare_names_of_every_kind(check_use);
}

TEST_CASE_FIXTURE(on_device, "names: a structure whose members the kernels have too is transformed") {
  const std::vector<wide_packet> packets(1000, wide_packet{1, 2});
  for (const std::string row : forced_rows({"", "cpu", "sm_90", "gfx90a", "gfx1030", "gpu"})) {
    guarded_buffer<float> out(on, packets.size());
    clwave::transform(on.queue, view<wide_packet>{on.buffer_of(packets), packets.size()}, out.view(),
                      {.name = "wide", .source = "x.wide + x.words"})
        .wait();
    CHECK(out.first() == 3.0f);
  }
}

TEST_CASE("a type's name must be an identifier, in a transform") {
  const element odd = called_by_two_words();
  const element& f32 = element_of<float>();
  const clwave::plan_target on{.choice = clwave::choose_profile_for("sm_90"), .compute_units = 8};
  const clwave::map one{.name = "one", .source = "1.0f"};
  refuses("identifier", [&] { plan(clwave::transform_problem{{{odd, 10}}, f32, &one}, on); });
}

TEST_CASE("a name means one type in a transform") {
  const types_called_pair types;
  const element &floats = types.floats, &ints = types.ints, &padded = types.padded;
  const clwave::plan_target on{.choice = clwave::choose_profile_for("sm_90"), .compute_units = 8};
  const clwave::map low{.name = "low", .source = "x"};
  for (const element* other : {&ints, &padded}) {
    types.check_refused(*other, [&] { plan(clwave::transform_problem{{{floats, 10}}, *other, &low}, on); });
    types.check_refused(*other, [&] {
      plan(clwave::transform_problem{{{floats, 10}, {*other, 10}}, floats, &low}, on);
    });
    types.check_refused(*other, [&] {
      const clwave::broadcast_shape size{.rows = 2, .columns = 2};
      plan(clwave::broadcast_problem{floats, *other, floats, size, clwave::per::row, &low}, on);
    });
  }
  CHECK(refusal([&] { plan(clwave::transform_problem{{{floats, 10}}, floats, &low}, on); }) == "");
}

}  // namespace
}  // namespace testing::transform_texts_test
