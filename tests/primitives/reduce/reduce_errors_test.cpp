// reduce: calls that are refused, and what errors say.
#include <clwave/reduce.hpp>

#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <clwave/element.hpp>
#include <clwave/error.hpp>
#include <clwave/transform.hpp>
#if __has_include(<clwave/sort.hpp>)
#include <clwave/sort.hpp>
#endif

#include "families/reductions.hpp"
#include "harness/captures.hpp"
#include "harness/devices.hpp"
#include "harness/refusals.hpp"

namespace testing::reduce_errors_test {

// Its text has lost a member.
struct wider_on_host {
  float x, y, z, w;
};

}  // namespace testing::reduce_errors_test

CLWAVE_STRUCTURE(testing::reduce_errors_test::wider_on_host, "wider_on_host",
                 "typedef struct { float x, y, z; } wider_on_host;")

namespace testing::reduce_errors_test {
namespace {

TEST_CASE_FIXTURE(on_device, "wrong views are refused, and nothing is enqueued") {
  const cl::Buffer in = on.buffer_of(std::vector<float>(100, 1.0f));
  guarded_buffer<float> out(on, 1);
  fixture stranger(on.device());
  const cl::Buffer foreign = stranger.buffer_of(std::vector<float>(100, 1.0f));
  const view<float> good{in, 100};

  refuses("another context", [&] { clwave::reduce(on.queue, view<float>{foreign, 100}); });
  refuses("another context", [&] { clwave::reduce(on.queue, good, view<float>{foreign, 1}); });
  refuses("another context", [&] { clwave::dot(on.queue, good, view<float>{foreign, 100}); });
  refuses("null", [&] { clwave::reduce(on.queue, view<float>{cl_mem{nullptr}, 1}); });
  refuses("null", [&] { clwave::reduce(on.queue, good, view<float>{cl_mem{nullptr}, 1}); });
  refuses("queue is null", [&] { clwave::reduce(cl_command_queue{nullptr}, good); });
  refuses("past its buffer", [&] { clwave::reduce(on.queue, view<float>{in, 101}); });
  refuses("past its buffer", [&] { clwave::reduce(on.queue, view<float>{in, 1, 100}); });
  refuses("past its buffer", [&] { clwave::reduce(on.queue, view<float>{in, 1, SIZE_MAX}); });
  refuses("past its buffer", [&] { clwave::reduce(on.queue, view<float>{in, SIZE_MAX, 1}); });
  refuses("past its buffer", [&] { clwave::reduce(on.queue, view<float>{in, SIZE_MAX / 4 + 2}); });
  refuses("past its buffer", [&] { clwave::reduce(on.queue, good, view<float>{in, 1, 100}); });
  refuses("no element", [&] { clwave::reduce(on.queue, good, view<float>{in, 0}); });
  refuses("differ in length", [&] { clwave::dot(on.queue, good, view<float>{in, 99}); });

  // Overlaps, also through a sub-buffer.
  refuses("overlap", [&] { clwave::reduce(on.queue, good, view<float>{in, 1, 50}); });
  refuses("overlap", [&] {
    clwave::transform_reduce(on.queue, clwave::zip(view<float>(out.buffer(), 10, 10), view<float>(in, 10, 5)),
                             view<float>(in, 1, 14), clwave::plus, clwave::product);
  });
  cl_buffer_region region{0, 64};
  cl_int code = CL_SUCCESS;
  const cl::Buffer part(
      clCreateSubBuffer(in(), CL_MEM_READ_WRITE, CL_BUFFER_CREATE_TYPE_REGION, &region, &code));
  REQUIRE(code == CL_SUCCESS);
  refuses("overlap", [&] { clwave::reduce(on.queue, good, view<float>{part, 1}); });
  clwave::reduce(on.queue, view<float>{in, 99}, view<float>{in, 1, 99}).wait();  // neighbours may touch
  CHECK(on.read<float>(in, 100)[99] == 99.0f);

  on.queue.finish();
  CHECK(out.intact());
}

TEST_CASE_FIXTURE(on_device, "a misplaced sub-buffer is refused") {
  const cl::Buffer whole = on.buffer_of(std::vector<float>(10000, 1.0f));
  const std::size_t unit = on.facts.base_address_align.value_or(128);
  REQUIRE(unit >= 8);
  std::size_t made = 0;
  for (std::size_t origin = 4; origin < unit; origin *= 2) {
    cl_buffer_region region{origin, 4096};
    cl_int code = CL_SUCCESS;
    const cl::Buffer part(
        clCreateSubBuffer(whole(), CL_MEM_READ_ONLY, CL_BUFFER_CREATE_TYPE_REGION, &region, &code));
    if (code != CL_SUCCESS) continue;  // this driver checks by itself
    ++made;
    CAPTURES(origin, unit);
    refuses("sub-buffer", [&] { clwave::reduce(on.queue, view<float>{part, 1000}); });
  }
  MESSAGE(made, " misplaced sub-buffers were made");
}

TEST_CASE_FIXTURE(on_device, "an image is no buffer") {
  if (!on.facts.images.value_or(false)) {
    MESSAGE("skipped: the device has no images");
    CHECK(true);
    return;
  }
  cl_image_format format{CL_RGBA, CL_FLOAT};
  cl_image_desc shape{};
  shape.image_type = CL_MEM_OBJECT_IMAGE2D;
  shape.image_width = shape.image_height = 16;
  cl_int code = CL_SUCCESS;
  const cl::Image2D image(clCreateImage(on.context(), CL_MEM_READ_WRITE, &format, &shape, nullptr, &code));
  REQUIRE(code == CL_SUCCESS);
  refuses("image", [&] { clwave::reduce(on.queue, view<float>{image(), 16}); });
  refuses("image", [&] {
    clwave::reduce(on.queue, view<float>(on.buffer_of(std::vector<float>(16)), 16), view<float>(image(), 1));
  });
}

TEST_CASE_FIXTURE(on_device, "types and operators that do not go together are refused") {
  const auto before = clwave::detail::count_programs();
  const cl::Buffer buffer = on.buffer_of(std::vector<float>(100, 1.0f));
  const view<float> floats{buffer, 100};
  const view<affine> affines{buffer, 10};
  guarded_buffer<half> half_out(on, 1);

  refuses("half", [&] { clwave::reduce<half>(on.queue, floats); });
  refuses("half", [&] { clwave::reduce(on.queue, floats, half_out.view()); });
  refuses("two inputs", [&] { clwave::transform_reduce(on.queue, floats, clwave::plus, clwave::product); });
  refuses("integers", [&] { clwave::reduce(on.queue, floats, clwave::bit_and); });
  refuses("vector", [&] { clwave::reduce<cl_float4>(on.queue, floats); });
  refuses("vector", [&] { clwave::reduce<float>(on.queue, view<cl_float4>{buffer, 4}); });
  refuses("structure", [&] { clwave::reduce(on.queue, affines); });
  refuses("structure", [&] { clwave::reduce<affine>(on.queue, floats, then); });
  refuses("numbers", [&] { clwave::transform_reduce(on.queue, affines, then, clwave::square); });
  refuses("scalars", [&] { clwave::argmin(on.queue, view<cl_float2>{buffer, 4}); });
  refuses("source", [&] {
    clwave::reduce(on.queue, floats, clwave::op{.name = "empty", .source = "", .identity = ""});
  });
  refuses("name",
          [&] { clwave::reduce(on.queue, floats, clwave::op{.name = "", .source = "a", .identity = ""}); });
  refuses("source", [&] {
    clwave::transform_reduce(on.queue, floats, clwave::plus, clwave::map{.name = "m", .source = ""});
  });
  refuses("comment", [&] {
    clwave::reduce(on.queue, floats, clwave::op{.name = "c", .source = "a + b // the sum", .identity = "0"});
  });
  refuses("directive", [&] {
    clwave::reduce(on.queue, floats,
                   clwave::op{.name = "d", .source = "a +\n#define X\n b", .identity = "0"});
  });
  refuses("comment", [&] {
    clwave::transform_reduce(on.queue, floats, clwave::plus,
                             clwave::map{.name = "m", .source = "x // itself"});
  });
  if (!on.has_doubles()) {
    refuses("doubles", [&] { clwave::reduce<double>(on.queue, floats); });
    refuses("doubles", [&] { clwave::reduce(on.queue, view<double>{buffer, 10}); });
  }
  const clwave::error thrown = error_of([&] { clwave::reduce(on.queue, floats, clwave::bit_and); });
  CHECK(thrown.details().primitive == "reduce");
  CHECK(thrown.details().types == "f32 into f32");
  CHECK(thrown.details().op == "bit_and");
  CHECK(half_out.intact());
  CHECK(clwave::detail::count_programs().built == before.built);
}

TEST_CASE_FIXTURE(on_device, "a compiler's complaint names the user's own text and line") {
  const cl::Buffer buffer = on.buffer_of(std::vector<float>(10, 1.0f));
  const view<float> in{buffer, 10};
  guarded_buffer<float> out(on, 1);

  const clwave::error in_source = error_of([&] {
    clwave::reduce(on.queue, in, out.view(),
                   clwave::op{.name = "typo", .source = "a + undeclared_name", .identity = "0"});
  });
  CAPTURE(std::string(in_source.what()));
  CHECK(in_source.kind() == failure::build);
  CHECK(contains(in_source.details().log, "undeclared_name"));
  CHECK(contains(in_source.details().log, "operator typo:1"));
  CHECK(in_source.details().op == "typo");
  CHECK(in_source.details().place == "operator typo:1:5");
  const std::string said = in_source.what();
  CHECK(said.starts_with("operator typo:1:5: "));
  CHECK(contains(said.substr(0, said.find('\n')), "undeclared_name"));
  CHECK(contains(said.substr(0, said.find('\n')), ", in: a + undeclared_name"));
  CHECK(said.substr(0, said.find('\n')).ends_with("undeclared_name"));
  CHECK_FALSE(contains(said, "-Dclwave_VALUE"));
  CHECK(in_source.details().types == "f32 into f32");
  CHECK_FALSE(in_source.details().device.empty());
  CHECK_FALSE(in_source.details().profile.empty());
  CHECK(contains(in_source.details().options, "-Dclwave_VALUE=float"));
  CHECK_FALSE(in_source.details().advice.empty());

  const clwave::error in_identity = error_of([&] {
    clwave::reduce(on.queue, in, out.view(),
                   clwave::op{.name = "typo", .source = "a + b", .identity = "no_such_value"});
  });
  CHECK(in_identity.details().place == "identity of operator typo:1:1");
  CHECK(contains(in_identity.what(), ", in: no_such_value\n"));

  const clwave::error in_declarations = error_of([&] {
    clwave::reduce(
        on.queue, in, out.view(),
        clwave::op{.name = "helper",
                   .source = "f(a, b)",
                   .identity = "0",
                   .declarations = "float f(float a, float b) {\n  return a +\n    missing_name;\n}"});
  });
  CAPTURE(std::string(in_declarations.what()));
  CHECK(contains(in_declarations.details().log, "operator helper:3"));
  CHECK(in_declarations.details().place == "operator helper:3:5");
  CHECK(contains(in_declarations.what(), ", in: missing_name;"));
  on.queue.finish();
  CHECK(out.intact());
}

TEST_CASE_FIXTURE(on_device, "a structure of another size on the device is refused with both sizes") {
  const cl::Buffer buffer = on.buffer_of(std::vector<wider_on_host>(10));
  const view<wider_on_host> x{buffer, 10};
  const guarded_buffer<float> out(on, 10);
  const auto refuses = [&](const auto& call) {
    const clwave::error thrown = error_of(call);
    CAPTURE(std::string(thrown.what()));
    CHECK(thrown.kind() == failure::build);
    CHECK(thrown.details().place == "type wider_on_host");
    CHECK(std::string(thrown.what())
              .starts_with("the structure wider_on_host has 12 bytes on the device and 16 on the host"));
  };
  refuses([&] {
    clwave::reduce(on.queue, x, clwave::op{.name = "first", .source = "a", .identity = "{0, 0, 0}"});
  });
#if __has_include(<clwave/sort.hpp>)
  refuses([&] { clwave::sort(on.queue, x, {.less = {.name = "by x", .source = "a.x < b.x"}}); });
#endif
  refuses([&] { clwave::transform(on.queue, x, out.view(), {.name = "x of it", .source = "x.x"}); });
}

}  // namespace
}  // namespace testing::reduce_errors_test
