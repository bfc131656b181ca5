// copy of elements as they are: every element size and place against plain loops on the host, with guard
// bytes behind every output; boxes; and what copies and fills refuse, wait for and plan. Copies that convert
// are in copy_conversions_test.cpp, the values that fills write in fill_test.cpp.
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include <clwave.hpp>

#include "copies.hpp"
#include "harness/devices.hpp"
#include "harness/past_caches.hpp"
#include "harness/refusals.hpp"
#include "primitives/copy.hpp"

namespace testing::copy_test {
namespace {

using clwave::rounding;

// ------------------------------------------------------------------------------------- copies of bytes

template <class T>
void call_public(const view<T>& in, const view<T>& out) {
  clwave::copy(here().queue, in, out).wait();
}

template <class T>
void call_streaming(const view<T>& in, const view<T>& out) {
  const clwave::detail::move_problem problem{
      {{element_of<T>(), in.size(), in.offset()}, {element_of<T>(), out.size(), out.offset()}}};
  const std::array<cl_mem, 2> buffers{in.buffer(), out.buffer()};
  CHECK(call_past_caches(here(), "copy", problem, buffers).variant.kernel == "copy_streaming");
}

// Copies n elements of T and compares the whole output buffer, guards included. The buffers end with the
// views' last bytes: a read past them is one past the buffer.
template <class T>
int wrong_copy(const bytes& source, std::size_t n, std::size_t in_offset, std::size_t out_offset,
               void (*copy)(const view<T>& in, const view<T>& out) = call_public<T>) {
  const bytes in_bytes(source.begin(),
                       source.begin() + static_cast<std::ptrdiff_t>((in_offset + n) * sizeof(T) + 1));
  bytes expected((out_offset + n) * sizeof(T) + guard, 0xa5);
  const cl::Buffer in = here().buffer_of(in_bytes);
  const cl::Buffer out = here().buffer_of(expected);
  copy(view<T>(in, n, in_offset), view<T>(out, n, out_offset));
  std::copy_n(in_bytes.begin() + static_cast<std::ptrdiff_t>(in_offset * sizeof(T)), n * sizeof(T),
              expected.begin() + static_cast<std::ptrdiff_t>(out_offset * sizeof(T)));
  return whole(out) == expected ? 0 : 1;
}

template <std::size_t... N>
int wrong_copies_of_sizes(const bytes& source, std::index_sequence<N...>) {
  int wrong = 0;
  const auto one = [&]<std::size_t Size>(std::integral_constant<std::size_t, Size>) {
    for (const std::size_t n : {1, 2, 3, 17, 64, 251}) {
      for (const auto& [in, out] : {std::pair<std::size_t, std::size_t>{0, 0}, {1, 0}, {0, 1}, {3, 5}}) {
        const int here_wrong = wrong_copy<blob<Size>>(source, n, in, out);
        if (here_wrong != 0)
          MESSAGE("elements of " << Size << ", n " << n << ", from " << in << " to " << out);
        wrong += here_wrong;
      }
    }
  };
  (one(std::integral_constant<std::size_t, N + 1>{}), ...);
  one(std::integral_constant<std::size_t, 128>{});
  return wrong;
}

TEST_CASE("copy moves elements of every size from and to every place") {
  const bytes source = random_bytes(300 * 129);
  for (const std::string name : forced_rows(tried_profiles())) {
    CHECK(wrong_copies_of_sizes(source, std::make_index_sequence<17>()) == 0);
  }
}

TEST_CASE("copy moves bytes between all misaligned places, at every edge of its blocks") {
  const bytes source = random_bytes(200'000);
  for (const std::string name : forced_rows(tried_profiles())) {
    int wrong = 0;
    for (std::size_t in = 0; in <= 17; ++in) {
      for (std::size_t out = 0; out <= 17; ++out) {
        for (const std::size_t n : {1, 2, 3, 4, 7, 8, 15, 16, 17, 31, 63, 64, 65, 1009}) {
          if (wrong_copy<blob<1>>(source, n, in, out) == 0) continue;
          if (++wrong < 5) MESSAGE("n " << n << ", from " << in << " to " << out);
        }
      }
    }
    // Blocks of the profiles: packets in flight x their bytes x the group's size, and a chunk's page.
    for (const std::size_t block : {4096, 8192, 16384, 32768, 65536, 131072}) {
      for (const int more : {-1, 0, 1}) {
        for (const auto& [in, out] :
             {std::pair<std::size_t, std::size_t>{0, 0}, {3, 0}, {4, 12}, {8, 16}, {5, 10}}) {
          const std::size_t n = block + static_cast<std::size_t>(more);
          if (wrong_copy<blob<1>>(source, n, in, out) == 0) continue;
          if (++wrong < 5) MESSAGE("n " << n << ", from " << in << " to " << out);
        }
      }
    }
    CHECK(wrong == 0);
  }
}

// A group's share of a large copy is pages side by side, single lines behind these, and its edges.
TEST_CASE("copies past the caches move bytes from and to all places") {
  constexpr std::size_t pages = 8 * 4096;
  const bytes source = random_bytes(20 * pages + 200);
  int wrong = 0;
  for (const std::size_t n : std::vector<std::size_t>{1, 63, 64, 200, pages - 1, pages, pages + 64,
                                                      pages + 129, 2 * pages + 77, 19 * pages + 4095}) {
    for (const auto& [in, out] :
         {std::pair<std::size_t, std::size_t>{0, 0}, {3, 0}, {0, 3}, {64, 16}, {5, 61}}) {
      if (wrong_copy<blob<1>>(source, n, in, out, call_streaming) == 0) continue;
      if (++wrong < 5) MESSAGE("n " << n << ", from " << in << " to " << out);
    }
  }
  CHECK(wrong == 0);
}

// ----------------------------------------------------------------------------------------------- boxes

struct box_case {
  clwave::box size;
  clwave::pitches in, out;
  std::size_t in_offset, out_offset;
};

template <class T>
bool is_right_box(const box_case& c) {
  const auto row = [&](const clwave::pitches& p) { return p.row != 0 ? p.row : c.size.width; };
  const auto slice = [&](const clwave::pitches& p) {
    return p.slice != 0 ? p.slice : row(p) * c.size.height;
  };
  const auto last = [&](const clwave::pitches& p) {
    return (c.size.depth - 1) * slice(p) + (c.size.height - 1) * row(p) + c.size.width;
  };
  const std::size_t in_n = last(c.in);
  const std::size_t out_n = last(c.out);
  const bytes source = random_bytes((c.in_offset + in_n) * sizeof(T));
  bytes expected((c.out_offset + out_n) * sizeof(T) + guard, 0xa5);
  const cl::Buffer in = here().buffer_of(source);
  const cl::Buffer out = here().buffer_of(expected);
  clwave::copy(here().queue, view<T>(in, in_n, c.in_offset), view<T>(out, out_n, c.out_offset), c.size,
               {.in = c.in, .out = c.out})
      .wait();
  for (std::size_t z = 0; z < c.size.depth; ++z) {
    for (std::size_t y = 0; y < c.size.height; ++y) {
      const std::size_t from = (c.in_offset + z * slice(c.in) + y * row(c.in)) * sizeof(T);
      const std::size_t to = (c.out_offset + z * slice(c.out) + y * row(c.out)) * sizeof(T);
      std::copy_n(source.begin() + static_cast<std::ptrdiff_t>(from), c.size.width * sizeof(T),
                  expected.begin() + static_cast<std::ptrdiff_t>(to));
    }
  }
  return whole(out) == expected;
}

TEST_CASE("copy moves boxes of two and three dimensions") {
  const box_case cases[] = {
      {{.width = 1}, {}, {}, 0, 0},
      {{.width = 5, .height = 3}, {.row = 7}, {}, 0, 0},
      {{.width = 5, .height = 3}, {}, {.row = 9}, 1, 2},
      {{.width = 64, .height = 100}, {.row = 80}, {.row = 96}, 0, 0},
      {{.width = 64, .height = 100}, {.row = 80}, {.row = 96}, 16, 48},
      {{.width = 1, .height = 1000}, {.row = 3}, {}, 1, 0},
      {{.width = 3001, .height = 2}, {.row = 3003}, {.row = 3008}, 3, 0},
      {{.width = 9000, .height = 1, .depth = 3}, {.row = 0, .slice = 9008}, {.row = 9010}, 0, 0},
      {{.width = 17, .height = 13, .depth = 11}, {.row = 19, .slice = 300}, {.row = 17, .slice = 250}, 5, 1},
      {{.width = 32, .height = 16, .depth = 8}, {.row = 48, .slice = 1024}, {.row = 32, .slice = 512}, 0, 16},
      {{.width = 32, .height = 16, .depth = 8}, {.row = 32, .slice = 640}, {.row = 32, .slice = 528}, 0, 0},
      {{.width = 32, .height = 16, .depth = 8}, {}, {}, 1, 0},  // no pitches: a plain copy
  };
  for (const std::string name : forced_rows(tried_profiles())) {
    for (std::size_t i = 0; i < std::size(cases); ++i) {
      CAPTURE(i);
      CHECK(is_right_box<std::uint8_t>(cases[i]));
      CHECK(is_right_box<float>(cases[i]));
      CHECK(is_right_box<blob<6>>(cases[i]));
      CHECK(is_right_box<cl_float4>(cases[i]));
    }
  }
}

// ---------------------------------------------------------------------------------- refusals and order

TEST_CASE("copy and fill refuse what cannot be right") {
  const cl::Buffer a = here().buffer_of(bytes(4096));
  const cl::Buffer b = here().buffer_of(bytes(4096));
  cl::CommandQueue& queue = here().queue;
  using floats = view<float>;
  CHECK(refused([&] { clwave::copy(queue, floats(a, 10), floats(b, 11)); }));
  CHECK(refused([&] { clwave::copy(queue, floats(a, 1025), floats(b, 1025)); }));
  CHECK(refused([&] { clwave::copy(queue, floats(a, 1024), floats(b, 1024, 1)); }));
  CHECK(refused([&] { clwave::copy(queue, floats(a, 10), floats(a, 10, 9)); }));
  CHECK(refused([&] { clwave::copy(queue, floats(a, 10), view<std::uint8_t>(a, 10, 39)); }));
  CHECK(refused([&] { clwave::copy(queue, view<blob<4>>(a, 10), floats(b, 10)); }));
  CHECK(refused([&] { clwave::copy(queue, view<cl_float4>(a, 10), floats(b, 10)); }));
  CHECK(refused([&] { clwave::copy(queue, view<blob<4>>(a, 10), view<blob<8>>(b, 10)); }));
  CHECK(refused([&] { clwave::fill(queue, floats(a, 1025), 1.0F); }));
  CHECK(refused([&] { clwave::copy(cl::CommandQueue(), floats(a, 1), floats(b, 1)); }));
  CHECK_NOTHROW(clwave::copy(queue, floats(a, 10), floats(a, 10, 10)).wait());

  const cl::Context other(here().device);
  const cl::Buffer foreign(other, CL_MEM_READ_WRITE, 4096);
  CHECK(refused([&] { clwave::copy(queue, floats(foreign, 10), floats(b, 10)); }));
  CHECK(refused([&] { clwave::copy(queue, floats(a, 10), floats(foreign, 10)); }));
  CHECK(refused([&] { clwave::fill(queue, floats(foreign, 10), 1.0F); }));

  const clwave::box box{.width = 8, .height = 4, .depth = 2};
  CHECK(refused([&] { clwave::copy(queue, floats(a, 63), floats(b, 64), box, {}); }));
  CHECK(refused([&] { clwave::copy(queue, floats(a, 64), floats(b, 63), box, {}); }));
  CHECK(refused([&] { clwave::copy(queue, floats(a, 1024), floats(b, 1024), box, {.in = {.row = 7}}); }));
  CHECK(refused(
      [&] { clwave::copy(queue, floats(a, 1024), floats(b, 1024), box, {.out = {.row = 8, .slice = 31}}); }));
  CHECK(refused([&] { clwave::copy(queue, floats(a, 1024), view<std::int32_t>(b, 1024), box, {}); }));
  CHECK(refused([&] { clwave::copy(queue, floats(a, 512), floats(a, 512, 63), box, {}); }));
  CHECK(refused([&] {
    clwave::copy(queue, floats(a, 1024), floats(b, 1024), {.width = 8, .height = SIZE_MAX / 4}, {});
  }));
  CHECK_NOTHROW(clwave::copy(queue, floats(a, 512), floats(a, 512, 64), box, {}).wait());
}

TEST_CASE("nothing to do still waits for what it was told to") {
  const cl::Buffer a = here().buffer_of(bytes(64));
  const cl::Buffer b = here().buffer_of(bytes(64));
  clwave::copy(here().queue, view<float>(a, 0), view<float>(b, 0)).wait();
  clwave::fill(here().queue, view<float>(a, 0), 1.0F).wait();
  clwave::copy(here().queue, view<float>(a, 4), view<float>(b, 4), clwave::box{}, {}).wait();
  cl::UserEvent gate(here().context);
  const clwave::event done =
      clwave::copy(here().queue, view<float>(a, 0), view<float>(b, 0), {.after = {gate}});
  REQUIRE(done.get() != nullptr);
  here().queue.flush();
  CHECK_FALSE(done.done());
  gate.setStatus(CL_COMPLETE);
  done.wait();
  CHECK(done.done());
}

TEST_CASE("copy and fill wait for their lists, in any order of the queue") {
  const std::size_t n = 100'000;
  for (const cl_command_queue_properties order : orders_of_queue(here())) {
    cl_int code = CL_SUCCESS;
    const cl::CommandQueue queue(here().context, here().device, order, &code);
    if (code != CL_SUCCESS) continue;  // the device has no such queue
    const cl::Buffer a(here().context, CL_MEM_READ_WRITE, n * 4);
    const cl::Buffer b(here().context, CL_MEM_READ_WRITE, n * 4);
    const cl::Buffer c(here().context, CL_MEM_READ_WRITE, n * 4);
    cl::UserEvent gate(here().context);
    const clwave::event filled = clwave::fill(queue, view<float>(a, n), 2.75F, {.after = {gate}});
    const clwave::event copied =
        clwave::copy(queue, view<float>(a, n), view<float>(b, n), {.after = {filled}});
    const clwave::event converted = clwave::copy(queue, view<float>(b, n), view<std::int32_t>(c, n),
                                                 {.round = rounding::nearest_even, .after = {copied}});
    queue.flush();
    CHECK_FALSE(filled.done());
    CHECK_FALSE(converted.done());
    gate.setStatus(CL_COMPLETE);
    converted.wait();
    std::vector<std::int32_t> result(n);
    queue.enqueueReadBuffer(c, CL_TRUE, 0, n * 4, result.data());
    CHECK(std::count(result.begin(), result.end(), 3) == static_cast<std::ptrdiff_t>(n));
  }
}

TEST_CASE("memory of the host's own may begin anywhere") {
  const bytes source = random_bytes(5000);
  const cl::Buffer in = here().buffer_of(source);
  for (const std::string name : forced_rows(tried_profiles())) {
    for (const std::size_t at : {0, 1, 2, 4, 8, 20}) {
      alignas(128) static unsigned char memory[6144];
      std::fill(std::begin(memory), std::end(memory), static_cast<unsigned char>(0xa5));
      const cl::Buffer out(here().context, CL_MEM_USE_HOST_PTR, std::size_t{5120}, memory + at);
      clwave::copy(here().queue, view<std::uint8_t>(in, 4990, 3), view<std::uint8_t>(out, 4990, 7)).wait();
      bytes expected(5120, 0xa5);
      std::copy_n(source.begin() + 3, 4990, expected.begin() + 7);
      CHECK(whole(out) == expected);
    }
  }
}

TEST_CASE("elements that move may lie between multiples of their size, those that convert may not") {
  constexpr std::size_t n = 999;
  using float_4 = view<cl_float4>;
  const cl::Buffer in = here().buffer_of(random_bytes(16 * n));
  for (const std::string name : forced_rows(tried_profiles())) {
    alignas(128) static unsigned char memory[16384];
    const auto begin_at = [](std::size_t at) {
      return cl::Buffer(here().context, CL_MEM_USE_HOST_PTR, std::size_t{16 * n}, memory + at);
    };
    const bytes source = whole(in);
    const cl::Buffer odd = begin_at(3);
    clwave::copy(here().queue, float_4(in, n), float_4(odd, n)).wait();
    CHECK(whole(odd) == source);
    clwave::fill(here().queue, float_4(odd, n), cl_float4{}).wait();
    CHECK(whole(odd) == bytes(16 * n));
    const clwave::box size{.width = 27, .height = 37};
    clwave::copy(here().queue, float_4(in, n), float_4(odd, n), size, {}).wait();
    CHECK(whole(odd) == source);
    CHECK(refused([&] { clwave::copy(here().queue, float_4(in, n), view<cl_int4>(odd, n)); }));
    CHECK(refused([&] { clwave::copy(here().queue, float_4(odd, n), view<cl_int4>(in, n)); }));
    // A vector converts component by component.
    const cl::Buffer by_component = begin_at(4);
    const cl::Buffer integers = here().buffer_of(bytes(16 * n));
    clwave::fill(here().queue, view<float>(by_component, 4 * n), -7.0F).wait();
    clwave::copy(here().queue, float_4(by_component, n), view<cl_int4>(integers, n)).wait();
    const std::vector<std::int32_t> sevens(4 * n, -7);
    CHECK(std::memcmp(whole(integers).data(), sevens.data(), 16 * n) == 0);
  }
}

TEST_CASE("plans of copies and fills name what a call would launch") {
  const clwave::plan_target on{nullptr, clwave::choose_profile_for("sm_90"), 132};
  const element& u8 = element_of<std::uint8_t>();
  const auto plan_from = [&](u64 in, u64 out) {
    return plan(clwave::copy_problem{{u8, 1u << 24, in}, {u8, 1u << 24, out}}, on);
  };
  CHECK(plan_from(0, 0).kernels.at(0).name == "copy_16_whole");
  CHECK(plan_from(3, 19).kernels.at(0).name == "copy_16");
  CHECK(plan_from(0, 8).kernels.at(0).name == "copy_8");
  CHECK(plan_from(0, 4).kernels.at(0).name == "copy_4");
  CHECK(plan_from(0, 2).kernels.at(0).name == "copy_shifted");
  CHECK(plan_from(0, 2).rejected.size() == 1);
  CHECK(plan_from(0, 0).rejected.empty());
  const auto conversion = plan(clwave::copy_problem{{u8, 1000}, element_of<float>()}, on);
  CHECK(conversion.kernels.at(0).name == "convert_packets");
  CHECK(conversion.options.find("-Dclwave_CONVERT=convert_float") != std::string::npos);
  const float value = 1;
  const auto filling = plan(clwave::fill_problem{{element_of<float>(), 1000}, &value}, on);
  CHECK(filling.kernels.at(0).arguments.size() == 7);
  CHECK(filling.options.find("-Dclwave_PRIMITIVE_FILL=1") != std::string::npos);
}

}  // namespace
}  // namespace testing::copy_test
