// transpose: every element size, alignment, pitch and kind of shape against a plain loop on the host. Whole
// buffers are compared, so that a byte written between rows, before or behind is seen.
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include <clwave.hpp>

#include "harness/devices.hpp"
#include "harness/past_caches.hpp"
#include "harness/reference.hpp"
#include "harness/refusals.hpp"
#include "primitives/transpose.hpp"

namespace testing::transpose_test {
namespace {

using clwave::matrices;
using clwave::pitches;
using reference::random_bytes;
using bytes = std::vector<unsigned char>;

// An element of so many bytes that no OpenCL type has.
const element& blob(std::size_t size) {
  static const std::vector<element> all = [] {
    std::vector<element> made;
    for (std::size_t n = 0; n <= 33; ++n)
      made.push_back(
          {"blob" + std::to_string(n), "blob" + std::to_string(n), n, clwave::element_kind::opaque, 1, ""});
    return made;
  }();
  return all.at(size);
}

fixture& here() { return default_fixture(); }

struct task {
  std::size_t size;  // of an element
  matrices shape;
  pitches in = {}, out = {};
  std::size_t in_offset = 0, out_offset = 0;
};

std::size_t row_of(const pitches& p, std::size_t columns) { return p.row != 0 ? p.row : columns; }
std::size_t slice_of(const pitches& p, std::size_t rows, std::size_t columns) {
  return p.slice != 0 ? p.slice : row_of(p, columns) * rows;
}
std::size_t extent_of(const pitches& p, std::size_t rows, std::size_t columns, std::size_t batch) {
  return (batch - 1) * slice_of(p, rows, columns) + (rows - 1) * row_of(p, columns) + columns;
}

std::string words_of(const task& t) {
  return std::to_string(t.size) + " bytes, " + std::to_string(t.shape.batch) + " of " +
         std::to_string(t.shape.rows) + "x" + std::to_string(t.shape.columns) + ", pitches " +
         std::to_string(t.in.row) + "," + std::to_string(t.in.slice) + " " + std::to_string(t.out.row) + "," +
         std::to_string(t.out.slice) + ", from " + std::to_string(t.in_offset) + " to " +
         std::to_string(t.out_offset);
}

// Element (i, j) of each matrix to (j, i), by the definition.
void transpose_on_host(const task& t, const unsigned char* in, unsigned char* out) {
  for (std::size_t b = 0; b < t.shape.batch; ++b) {
    for (std::size_t i = 0; i < t.shape.rows; ++i) {
      for (std::size_t j = 0; j < t.shape.columns; ++j) {
        const std::size_t from = t.in_offset + b * slice_of(t.in, t.shape.rows, t.shape.columns) +
                                 i * row_of(t.in, t.shape.columns) + j;
        const std::size_t to = t.out_offset + b * slice_of(t.out, t.shape.columns, t.shape.rows) +
                               j * row_of(t.out, t.shape.rows) + i;
        std::memcpy(out + to * t.size, in + from * t.size, t.size);
      }
    }
  }
}

using call = void (*)(const task& t, const any_view& in, const any_view& out);

void call_public(const task& t, const any_view& in, const any_view& out) {
  clwave::transpose(here().queue(), clwave::transpose_problem{in, out, t.shape, t.in, t.out}).wait();
}

void call_streaming(const task& t, const any_view& in, const any_view& out) {
  const clwave::transpose_problem problem{
      {*in.type, in.n, in.offset}, {*out.type, out.n, out.offset}, t.shape, t.in, t.out};
  const std::array<cl_mem, 2> buffers{in.buffer, out.buffer};
  CHECK(call_past_caches(here(), "transpose", problem, buffers).variant.streaming);
}

// The input's buffer ends with its last element: a read past it is one past the buffer.
int wrong(const task& t, call transposes = call_public) {
  const std::size_t in_n = extent_of(t.in, t.shape.rows, t.shape.columns, t.shape.batch);
  const std::size_t out_n = extent_of(t.out, t.shape.columns, t.shape.rows, t.shape.batch);
  const bytes source = random_bytes((t.in_offset + in_n) * t.size);
  bytes expected = random_bytes((t.out_offset + out_n) * t.size + 64);
  const cl::Buffer in = here().buffer_of(source);
  const cl::Buffer out = here().buffer_of(expected);
  const element& e = blob(t.size);
  transposes(t, any_view{in(), in_n, t.in_offset, &e}, any_view{out(), out_n, t.out_offset, &e});
  transpose_on_host(t, source.data(), expected.data());
  if (here().read<unsigned char>(out, expected.size()) == expected) return 0;
  MESSAGE(words_of(t));
  return 1;
}

int wrong_in_place(const task& t) {
  const std::size_t n = extent_of(t.in, t.shape.rows, t.shape.columns, t.shape.batch);
  const bytes source = random_bytes((t.in_offset + n) * t.size + 64);
  bytes expected = source;
  const cl::Buffer squares = here().buffer_of(source);
  const element& e = blob(t.size);
  const clwave::transpose_in_place_problem problem{{squares(), n, t.in_offset, &e}, t.shape, t.in};
  clwave::transpose_in_place(here().queue(), problem).wait();
  task same = t;
  same.out = t.in;
  same.out_offset = t.in_offset;
  transpose_on_host(same, source.data(), expected.data());
  if (here().read<unsigned char>(squares, expected.size()) == expected) return 0;
  MESSAGE("in place: " << words_of(t));
  return 1;
}

// The device's own way, a GPU's tiles, and a CPU's blocks.
std::vector<const char*> ways() { return some_of({"", "gpu", "cpu"}); }

}  // namespace

TEST_CASE("transpose turns over elements of every size, whole tiles and edges") {
  for (const std::string way : forced_rows(some_of({"gpu", "cpu"}))) {
    int bad = 0;
    sample sizes(5);
    for (std::size_t size = 1; size <= 32; ++size) {
      if (sizes.takes_next()) bad += wrong({size, {150, 139}});
    }
    CHECK(bad == 0);
  }
}

// Rows begin at words, so that whole tiles go by words though no access takes an element.
TEST_CASE("transpose takes elements of odd sizes by words") {
  for (const std::string way : forced_rows({"gpu", "sm_90"})) {
    int bad = 0;
    for (const std::size_t size : {3, 5, 6, 7, 9, 10, 11, 12, 14, 20, 28, 30}) {
      bad += wrong({size, {132, 268}, {}, {}, 4, 8});
      bad += wrong_in_place({size, {132, 132}});
    }
    CHECK(bad == 0);
  }
}

TEST_CASE("transpose works at every alignment of rows and places") {
  for (const std::string way : forced_rows(ways())) {
    int bad = 0;
    for (const std::size_t size : {1, 2, 4, 8, 16}) {
      // Whole tiles and edges at rows of 16, 8, 4, 2 bytes and less; then the same by offset.
      for (const std::size_t row : {320, 328, 324, 322, 321}) {
        const std::size_t pitch = (row + size - 1) / size + 272;
        bad += wrong({size, {pitch - 7, 271}, {.row = 304}, {.row = pitch}});
        bad += wrong({size, {261, pitch - 3}, {.row = pitch}, {.row = 304}});
      }
      for (const std::size_t offset : {1, 3, 4, 8, 16})
        bad += wrong({size, {160, 288}, {}, {}, offset, 0}) + wrong({size, {160, 288}, {}, {}, 32, offset});
    }
    CHECK(bad == 0);
  }
}

TEST_CASE("transpose stores lines past a CPU's caches, and edges") {
  const forced_profile forced("cpu");
  int bad = 0;
  for (const std::size_t size : {1, 2, 4, 8, 16}) {
    const std::size_t line = 64 / size;
    bad += wrong({size, {9 * line + 5, 10 * line}, {.row = 11 * line}, {.row = 12 * line}, line, 2 * line},
                 call_streaming);
    bad += wrong({size, {2 * line, 3 * line - 1}, {.row = 3 * line}, {}, 0, 0}, call_streaming);
    // Rows of more than a page.
    bad +=
        wrong({size, {3 * line + 5, 70 * line + 3}, {.row = 72 * line}, {.row = 5 * line}}, call_streaming);
  }
  CHECK(bad == 0);
}

TEST_CASE("transpose takes any shape: rows, columns, primes, and a few of each") {
  for (const std::string way : forced_rows(ways())) {
    int bad = 0;
    sample shapes(3);
    for (const std::size_t size : {4, 12}) {
      for (const auto& [rows, columns] : std::vector<std::pair<std::size_t, std::size_t>>{
               {1, 1},   {1, 2},     {1, 1009},  {1009, 1},  {2, 2},    {2, 4099}, {4099, 2},
               {3, 5},   {3, 70001}, {70001, 3}, {15, 17},   {16, 16},  {17, 15},  {31, 33},
               {63, 65}, {64, 64},   {65, 127},  {127, 131}, {8, 1024}, {1024, 8}}) {
        if (shapes.takes_next()) bad += wrong({size, {rows, columns}});
      }
    }
    CHECK(bad == 0);
  }
}

TEST_CASE("transpose takes batches, stacked, apart and side by side") {
  for (const std::string way : forced_rows(ways())) {
    int bad = 0;
    for (const std::size_t size : {4, 2}) {
      bad += wrong({size, {64, 128, 3}});
      bad += wrong({size, {67, 35, 5}});
      bad += wrong({size, {67, 35, 5}, {.row = 40, .slice = 3000}, {.row = 71, .slice = 2600}, 3, 1});
      bad += wrong({size, {64, 96, 3}, {.row = 320, .slice = 96}, {}});
      bad += wrong({size, {64, 96, 3}, {}, {.row = 208, .slice = 64}});
      bad += wrong({size, {5, 7, 301}});
      // What is a copy: one row or one column.
      bad += wrong({size, {1, 50, 9}}) + wrong({size, {50, 1, 9}}) + wrong({size, {1, 1, 9}});
      bad += wrong({size, {1, 50, 9}, {.slice = 64}, {.slice = 51}, 1, 2});
      // And what is none, for its elements are apart.
      bad += wrong({size, {50, 1, 9}, {.row = 3}, {}}) + wrong({size, {1, 50}, {}, {.row = 2}});
      bad += wrong({size, {50, 1, 3}, {.row = 3, .slice = 1}, {}});
    }
    CHECK(bad == 0);
  }
}

TEST_CASE("transpose turns squares over in their own place") {
  for (const std::string way : forced_rows(ways())) {
    int bad = 0;
    for (const std::size_t size : {1, 2, 3, 4, 8, 12, 16, 32}) {
      for (const std::size_t n : {1, 2, 31, 128, 200, 259}) bad += wrong_in_place({size, {n, n}});
      bad += wrong_in_place({size, {96, 96, 3}, {.row = 128, .slice = 12800}, {}, 16});
    }
    for (const std::size_t n : {15, 16, 17, 63, 64, 65, 192, 320}) bad += wrong_in_place({4, {n, n}});
    // A rectangle of squares side by side.
    bad += wrong_in_place({4, {96, 96, 4}, {.row = 384, .slice = 96}});
    bad += wrong_in_place({4, {33, 33, 4}, {.row = 132, .slice = 33}, {}, 1});
    CHECK(bad == 0);
  }
}

TEST_CASE("transpose gives the same on every profile") {
  int bad = 0;
  for_each_profile([&](const clwave::profile& /*row*/) {
    bad += wrong({4, {200, 136}}) + wrong({4, {64, 128, 2}});
  });
  CHECK(bad == 0);
}

TEST_CASE("transpose of more than a CPU's caches, with and without stores past them") {
  CHECK(wrong({4, {2048, 2064}, {}, {}, 0, 16}) == 0);
  CHECK(wrong({8, {1040, 2048}, {}, {}, 1, 8}) == 0);
  CHECK(wrong({4, {2048, 2064}, {}, {}, 0, 1}) == 0);
}

TEST_CASE("transpose of more than 2^31 elements") {
  const auto memory = here().facts.global_memory.value_or(0);
  const auto most = here().facts.max_allocation.value_or(0);
  const std::size_t rows = 46400;
  const std::size_t columns = 46416;
  const std::size_t n = rows * columns;
  REQUIRE(n > std::size_t{1} << 31);
  const bool is_cpu =
      here().facts.family.value_or(clwave::device_family::generic) == clwave::device_family::cpu;
  if (is_cpu || memory < 4 * n || most < n) {
    MESSAGE("not run: a GPU with " << 4 * n << " bytes is needed");
    return;
  }
  // Element i is made from i, so that no second copy is needed to compare with.
  const auto value = [](u64 i) { return static_cast<unsigned char>((i * 0x9e3779b97f4a7c15u) >> 56); };
  bytes data(n);
  for (std::size_t i = 0; i < n; ++i) data[i] = value(i);
  const cl::Buffer in = here().buffer_of(data);
  const cl::Buffer out(here().context, CL_MEM_READ_WRITE, n);
  clwave::transpose(here().queue, view<std::uint8_t>(in, n), view<std::uint8_t>(out, n), {rows, columns})
      .wait();
  data = here().read<unsigned char>(out, n);
  std::size_t bad = 0;
  for (std::size_t j = 0; j < columns; ++j) {
    for (std::size_t i = 0; i < rows; ++i) bad += data[j * rows + i] != value(i * columns + j) ? 1 : 0;
  }
  CHECK(bad == 0);
}

TEST_CASE("transpose through its public face, and its events") {
  const std::vector<float> source = [] {
    std::vector<float> values(6);
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i);
    return values;
  }();
  const cl::Buffer a = here().buffer_of(source);
  const cl::Buffer b = here().buffer_of(std::vector<float>(6, -1.0f));
  const cl::CommandQueue queue = here().new_queue(CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
  clwave::event there =
      clwave::transpose(queue, view<float>(a, 6), view<float>(b, 6), {.rows = 2, .columns = 3});
  clwave::event back = clwave::transpose(queue, view<float>(b, 6), view<float>(a, 6),
                                         {.rows = 3, .columns = 2}, {.after = {there}});
  back.wait();
  CHECK(here().read<float>(b, 6) == std::vector<float>{0, 3, 1, 4, 2, 5});
  CHECK(here().read<float>(a, 6) == source);
  clwave::transpose_in_place(queue, view<float>(a, 4), {.rows = 2, .columns = 2}).wait();
  CHECK(here().read<float>(a, 6) == std::vector<float>{0, 2, 1, 3, 4, 5});
}

TEST_CASE("transpose with nothing to do still waits for what it was told to") {
  const cl::Buffer a = here().buffer_of(std::vector<float>(16));
  const view<float> all(a, 16);
  clwave::transpose(here().queue, all, view<float>(a, 0), {.rows = 0, .columns = 4}).wait();
  clwave::transpose_in_place(here().queue, all, {.rows = 1, .columns = 1}).wait();
  cl::UserEvent gate(here().context);
  const clwave::event e =
      clwave::transpose(here().queue, all, all, {.rows = 4, .columns = 4, .batch = 0}, {.after = {gate}});
  CHECK(e.get() != nullptr);
  CHECK(!e.done());
  gate.setStatus(CL_COMPLETE);
  e.wait();
}

TEST_CASE("transpose refuses what cannot be right, before anything is enqueued") {
  const cl::Buffer a = here().buffer_of(std::vector<float>(64));
  const cl::Buffer b = here().buffer_of(std::vector<float>(64));
  const view<float> in(a, 64);
  const view<float> out(b, 64);
  const auto& q = here().queue;
  CHECK(refused([&] { clwave::transpose(q, in, out, {.rows = 9, .columns = 8}); }));
  CHECK(refused([&] { clwave::transpose(q, in, view<float>(b, 63), {.rows = 8, .columns = 8}); }));
  CHECK(refused([&] { clwave::transpose(q, in, in, {.rows = 8, .columns = 8}); }));
  CHECK(refused([&] { clwave::transpose(q, in, view<int>(b, 64), {.rows = 8, .columns = 8}); }));
  CHECK(refused([&] { clwave::transpose(q, in, out, {.rows = 4, .columns = 4}, {.in = {.row = 3}}); }));
  CHECK(refused([&] { clwave::transpose(q, in, out, {.rows = 4, .columns = 4}, {.out = {.row = 3}}); }));
  CHECK(refused(
      [&] { clwave::transpose(q, in, out, {.rows = 4, .columns = 4, .batch = 2}, {.in = {.slice = 15}}); }));
  CHECK(refused([&] {
    clwave::transpose(q, in, out, {.rows = 4, .columns = 4, .batch = 2}, {.in = {.row = 7, .slice = 4}});
  }));
  CHECK(refused([&] {
    clwave::transpose(q, in, out, {.rows = std::size_t{1} << 40, .columns = std::size_t{1} << 40});
  }));
  CHECK(refused([&] { clwave::transpose_in_place(q, in, {.rows = 8, .columns = 4}); }));
  CHECK(refused([&] { clwave::transpose_in_place(q, in, {.rows = 9, .columns = 9}); }));
  const element& large = blob(33);
  CHECK(refused([&] {
    clwave::transpose_in_place(
        q(), clwave::transpose_in_place_problem{{a(), 4, 0, &large}, {.rows = 2, .columns = 2}});
  }));
}

TEST_CASE("memory of the host's own may begin anywhere for a transpose") {
  const bytes source = random_bytes(40 * 24 * 4 + 16);
  for (const std::size_t shift : {1, 2, 4}) {
    bytes host(source.begin(), source.end());
    const std::size_t n = 40 * 24;
    const cl::Buffer in(here().context, CL_MEM_USE_HOST_PTR, n * 4, host.data() + shift);
    const cl::Buffer out = here().buffer_of(bytes(n * 4));
    clwave::transpose(here().queue, view<float>(in, n), view<float>(out, n), {.rows = 40, .columns = 24})
        .wait();
    bytes expected(n * 4);
    transpose_on_host({4, {40, 24}}, host.data() + shift, expected.data());
    CHECK(here().read<unsigned char>(out, n * 4) == expected);
  }
}

TEST_CASE("the plan of a transpose names what a call would launch") {
  const clwave::plan_target hopper{.choice = clwave::choose_profile_for("sm_90"), .compute_units = 132};
  const element& f32 = element_of<float>();
  const auto plan_of = [&f32](const clwave::plan_target& on, const clwave::matrices& size) {
    return plan(clwave::transpose_problem{f32, f32, size}, on);
  };
  const call_plan square = plan_of(hopper, {4096, 4096});
  REQUIRE(square.kernels.size() == 1);
  CHECK(square.kernels[0].name == "transpose");
  CHECK(square.options.find("-Dclwave_PACKET_BYTES=16") != std::string::npos);
  CHECK(square.rejected.empty());
  const call_plan odd = plan_of(hopper, {4096, 4095});
  CHECK(odd.options.find("PACKET_BYTES") == std::string::npos);
  CHECK(odd.rejected.size() == 1);
  CHECK(plan(clwave::transpose_in_place_problem{f32, {64, 64}}, hopper).kernels[0].name ==
        "transpose_in_place");
  CHECK(plan_of(hopper, {1, 4096}).kernels[0].name == "copy_16_whole");
  CHECK(plan_of(hopper, {0, 4096}).kernels.empty());
  const clwave::plan_target cpu{.choice = clwave::choose_profile_for("cpu"), .compute_units = 2};
  CHECK(plan_of(cpu, {4096, 4096}).options.find("-Dclwave_STREAMING=1") != std::string::npos);
}

}  // namespace testing::transpose_test
