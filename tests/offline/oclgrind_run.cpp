// A few calls of each primitive with every size around a boundary, for races.py to run under oclgrind.
//   oclgrind_run         prints the parts there are
//   oclgrind_run PART    runs one; prints "ran ..." for each call; exits 1 on a wrong result
#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <exception>
#include <functional>
#include <initializer_list>
#include <map>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include <clwave.hpp>

#include "base/opencl.hpp"
#include "call/execute.hpp"
#include "primitives/reduce.hpp"
#include "primitives/scan.hpp"

// In place of the loader's: oclgrind 21.10 takes a fill, and any write of part of a buffer, for the whole of
// the buffer's contents, and what kernels write elsewhere in it for uninitialised from then on (its
// Uninitialized::hostMemoryStore allocates the buffer's shadow anew). A kernel's writes it follows.
cl_int clEnqueueFillBuffer(cl_command_queue command_queue, cl_mem buffer, const void* pattern,
                           std::size_t pattern_size, std::size_t offset, std::size_t size, cl_uint,
                           const cl_event*, cl_event* event) {
  const std::vector<cl_uchar> bytes(static_cast<const cl_uchar*>(pattern),
                                    static_cast<const cl_uchar*>(pattern) + pattern_size);
  const cl::CommandQueue on(command_queue, true);
  cl::Program program(on.getInfo<CL_QUEUE_CONTEXT>(),
                      "kernel void fill(global uchar *to, ulong offset, uchar byte) {\n"
                      "  to[offset + get_global_id(0)] = byte;\n"
                      "}\n");
  if (program.build() != CL_SUCCESS || bytes != std::vector<cl_uchar>(bytes.size(), bytes[0]))
    return CL_INVALID_VALUE;
  cl::Kernel fill(program, "fill");
  fill.setArg(0, cl::Buffer(buffer, true));
  fill.setArg(1, static_cast<cl_ulong>(offset));
  fill.setArg(2, bytes[0]);
  return clEnqueueNDRangeKernel(command_queue, fill(), 1, nullptr, &size, nullptr, 0, nullptr, event);
}

struct many {
  std::uint32_t words[9];
};
CLWAVE_STRUCTURE(many, "many", "typedef struct { uint words[9]; } many;")

namespace {

struct machine {
  cl::Device device{clwave::select_device(), true};
  cl::Context context{device};
  cl::CommandQueue queue{context, device};

  template <class T>
  cl::Buffer buffer(std::vector<T>& from) {
    return cl::Buffer(context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, from.size() * sizeof(T),
                      from.data());
  }
};

bool wrong = false;

void check(bool right, const char* what, std::size_t n) {
  std::printf("ran %s, n = %zu%s\n", what, n, right ? "" : ": WRONG");
  wrong |= !right;
}

// One lane set, one group's row, one tile, a few tiles; most of them less one or plus one.
const std::vector<std::size_t> sizes = {1, 2, 31, 33, 64, 1023, 1025, 8191, 8193, 3 * 8192 + 5};
// Of those where lanes are emulated step by step, which takes a second for each.
const std::vector<std::size_t> few_sizes = {1, 33, 1025, 8192 + 5};

// Small whole numbers: every order of adding them is exact.
template <class T>
std::vector<T> numbers(std::size_t n) {
  std::vector<T> all(n);
  for (std::size_t i = 0; i < n; ++i) all[i] = T(static_cast<float>((i * 7 + 3) % 5));
  return all;
}

template <class T, class Acc>
void sum(const char* what) {
  machine on;
  for (const std::size_t n : few_sizes) {
    std::vector<T> in = numbers<T>(n + 1);
    Acc expected = 0;
    for (std::size_t i = 1; i <= n; ++i) expected = static_cast<Acc>(expected + static_cast<Acc>(in[i]));
    const cl::Buffer buffer = on.buffer(in);
    // From element 1: below a packet's alignment.
    check(clwave::reduce<Acc>(on.queue, clwave::view<T>{buffer, n, 1}) == expected, what, n);
  }
}

void sum_aligned() {
  machine on;
  for (const std::size_t n : sizes) {
    std::vector<float> in = numbers<float>(n);
    float expected = 0;
    for (const float x : in) expected += x;
    const cl::Buffer buffer = on.buffer(in);
    check(clwave::reduce(on.queue, clwave::view<float>{buffer, n}) == expected, "sum f32", n);
  }
}

void argmax() {
  machine on;
  for (const std::size_t n : few_sizes) {
    std::vector<float> in = numbers<float>(n);
    in[n / 2] = 9;
    const cl::Buffer buffer = on.buffer(in);
    check(clwave::argmax(on.queue, clwave::view<float>{buffer, n}).index == n / 2, "argmax f32", n);
  }
}

void last() {
  const clwave::op take{.name = "last", .source = "b", .identity = "", .commutative = false};
  machine on;
  for (const std::size_t n : few_sizes) {
    std::vector<std::int32_t> in(n);
    for (std::size_t i = 0; i < n; ++i) in[i] = static_cast<std::int32_t>(i);
    const cl::Buffer buffer = on.buffer(in);
    check(clwave::reduce(on.queue, clwave::view<std::int32_t>{buffer, n}, take) == in.back(),
          "non-commutative", n);
  }
}

// An operator that branches on what it is given, so that a value that is no element is seen wherever a lane
// has one, also where nobody takes the result: oclgrind tells of branches on what was never written. On 0 the
// loop would go on for ever; it needs 10 turns for elements, and ends after 99.
void divisor(bool commutative) {
  const clwave::op common{.name = "divisor",
                          .source = "common_divisor(a, b, most)",
                          .identity = "",
                          .commutative = commutative,
                          .declarations =
                              "uint common_divisor(uint a, uint b, int most) {\n"
                              "  for (int turns = 0; a != b && turns < most; ++turns) {\n"
                              "    if (a > b) a -= b; else b -= a;\n"
                              "  }\n"
                              "  return a;\n"
                              "}",
                          .values = {{"most", 99}}};
  machine on;
  for (const std::size_t n : few_sizes) {
    std::vector<std::uint32_t> in(n);
    std::uint32_t expected = 0;
    for (std::size_t i = 0; i < n; ++i) {
      in[i] = 6 * static_cast<std::uint32_t>(1 + i * 7 % 5);
      expected = std::gcd(expected, in[i]);
    }
    const cl::Buffer buffer = on.buffer(in);
    check(clwave::reduce(on.queue, clwave::view<std::uint32_t>{buffer, n}, common) == expected,
          "greatest common divisor", n);
  }
}

// All levels in one launch, with tiles so small that groups share the second; oclgrind would get two. Bytes
// come in wide packets, so that a group has many teams.
template <class T>
void levels(const char* what) {
  machine on;
  clwave::detail::call_site site = clwave::detail::site_of(on.queue(), "reduce");
  site.on.choice.order = clwave::group_order::amd_fence;
  const std::size_t tile = std::max(16u, site.on.choice.lanes), second = tile * tile;
  for (const std::size_t n : {second + 1, 2 * second + tile + 3}) {
    std::vector<T> in = numbers<T>(n), out(1);
    T expected = 0;
    for (const T x : in) expected = static_cast<T>(expected + x);
    const cl::Buffer from = on.buffer(in), to = on.buffer(out);
    const clwave::element& value = clwave::element_of<T>();
    const clwave::reduce_question question{.in = value,
                                           .accumulator = &value,
                                           .n = n,
                                           .out = value,
                                           .sizes = {.tile = tile, .accumulators = tile}};
    const std::array<cl_mem, 2> buffers = {from(), to()};
    clwave::detail::carry_out(site, question, buffers, {}, true).wait();
    on.queue.enqueueReadBuffer(to, CL_TRUE, 0, sizeof(T), out.data());
    check(out[0] == expected, what, n);
  }
}

// All levels of a scan: in place, which takes three launches, and in one pass, where a group waits for
// messages. The order of groups is AMD's, whose fences races.py leaves out.
void scans() {
  machine on;
  for (const std::size_t n : {1, 33, 300}) {
    std::vector<float> in = numbers<float>(n), out(n);
    const cl::Buffer from = on.buffer(in), to = on.buffer(out);
    for (const bool exclusive : {false, true}) {
      for (const bool in_place : {false, true}) {
        clwave::detail::call_site site = clwave::detail::site_of(on.queue(), "scan");
        if (!in_place) site.on.choice.order = clwave::group_order::amd_fence;
        const clwave::element& value = clwave::element_of<float>();
        const clwave::scan_question question{
            .in = value,
            .out = value,
            .n = n,
            .exclusive = exclusive,
            .in_place = in_place,
            .sizes = clwave::detail::scan_sizes{.run = 4, .runs = 2, .strips = 2, .blocks = 2, .tiles = 4}};
        on.queue.enqueueWriteBuffer(to, CL_TRUE, 0, n * sizeof(float), in.data());
        const std::array<cl_mem, 2> buffers = {in_place ? to() : from(), to()};
        clwave::detail::carry_out(site, question, buffers, {}, true).wait();
        on.queue.enqueueReadBuffer(to, CL_TRUE, 0, n * sizeof(float), out.data());
        bool right = true;
        float sum = 0;
        for (std::size_t i = 0; i < n; ++i) {
          if (exclusive) right &= out[i] == sum;
          sum += in[i];
          if (!exclusive) right &= out[i] == sum;
        }
        check(right, exclusive ? "exclusive scan" : "inclusive scan", n);
      }
    }
  }
}

// So large that the parts of one tile fill the local memory they have, and a group folds two.
void structures() {
  const clwave::op add{.name = "add_each",
                       .source = "added(a, b)",
                       .identity = "",
                       .declarations =
                           "many added(many a, many b) {\n"
                           "  for (int k = 0; k < 9; ++k) a.words[k] += b.words[k];\n"
                           "  return a;\n}"};
  machine on;
  const std::size_t n = 3 * 8192 + 5;
  std::vector<many> in(n);
  many expected{};
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t k = 0; k < 9; ++k)
      expected.words[k] += in[i].words[k] = static_cast<std::uint32_t>(i * 9 + k);
  }
  const cl::Buffer buffer = on.buffer(in);
  const many sum = clwave::reduce(on.queue, clwave::view<many>{buffer, n}, add);
  check(std::memcmp(&sum, &expected, sizeof sum) == 0, "structures", n);
}

template <class From, class To>
void copy(const char* what, std::size_t in_offset, std::size_t out_offset) {
  machine on;
  for (const std::size_t n : sizes) {
    std::vector<From> in = numbers<From>(n + in_offset);
    std::vector<To> out(n + out_offset);
    const cl::Buffer source = on.buffer(in), target = on.buffer(out);
    clwave::copy(on.queue, clwave::view<From>{source, n, in_offset}, clwave::view<To>{target, n, out_offset})
        .wait();
    on.queue.enqueueReadBuffer(target, CL_TRUE, 0, out.size() * sizeof(To), out.data());
    bool right = true;
    for (std::size_t i = 0; i < n; ++i) right &= out[out_offset + i] == static_cast<To>(in[in_offset + i]);
    check(right, what, n);
  }
}

// Both buffers end with the box's last element, so that a step too far leaves them.
void box() {
  machine on;
  constexpr std::size_t rows = 9 * 3, in_row = 37, out_row = 40;
  for (const std::size_t width : {1, 7, 16, 33}) {
    std::vector<float> in(in_row * (rows - 1) + width), out(out_row * (rows - 1) + width);
    for (std::size_t i = 0; i < in.size(); ++i) in[i] = static_cast<float>(i + 1);
    std::vector<float> expected(out.size());
    for (std::size_t y = 0; y < rows; ++y) {
      for (std::size_t x = 0; x < width; ++x) expected[y * out_row + x] = in[y * in_row + x];
    }
    const cl::Buffer source = on.buffer(in), target = on.buffer(out);
    clwave::copy(on.queue, clwave::view<float>{source, in.size()}, clwave::view<float>{target, out.size()},
                 clwave::box{.width = width, .height = 9, .depth = 3}, clwave::pitches{.row = in_row},
                 clwave::pitches{.row = out_row})
        .wait();
    on.queue.enqueueReadBuffer(target, CL_TRUE, 0, out.size() * sizeof(float), out.data());
    check(out == expected, "copy of a box", width);
  }
}

void fill() {
  machine on;
  for (const std::size_t n : sizes) {
    std::vector<float> out(n + 1);
    const cl::Buffer target = on.buffer(out);
    clwave::fill(on.queue, clwave::view<float>{target, n, 1}, 2.5f).wait();
    on.queue.enqueueReadBuffer(target, CL_TRUE, 0, out.size() * sizeof(float), out.data());
    bool right = out[0] == 0;
    for (std::size_t i = 1; i <= n; ++i) right &= out[i] == 2.5f;
    check(right, "fill f32", n);
  }
}

// C = A B + beta C of sizes round a tile's, and thin ones with k cut. B's elements are all the same, so that
// a sum over A's row is the answer; all are small enough for halves to hold.
template <class T>
void products(const char* what, float beta, std::initializer_list<clwave::gemm_size> all) {
  machine on;
  for (const auto& [m, n, k] : all) {
    std::vector<T> a = numbers<T>(m * k), b(k * n, T(2.0f)), c(m * n, T(3.0f));
    const cl::Buffer left = on.buffer(a), right = on.buffer(b), out = on.buffer(c);
    clwave::gemm(on.queue, {m, n, k}, clwave::view<T>{left, a.size()}, clwave::view<T>{right, b.size()},
                 clwave::view<T>{out, c.size()}, {.beta = beta})
        .wait();
    on.queue.enqueueReadBuffer(out, CL_TRUE, 0, c.size() * sizeof(T), c.data());
    bool good = true;
    for (std::size_t i = 0; i < m; ++i) {
      float sum = 0;
      for (std::size_t l = 0; l < k; ++l) sum += static_cast<float>(a[i * k + l]);
      for (std::size_t j = 0; j < n; ++j) good &= static_cast<float>(c[i * n + j]) == 2 * sum + 3 * beta;
    }
    check(good, what, k);
  }
}

// Whole tiles, tiles at both edges, rows apart; packets and, from element 1, single units.
template <class T>
void turn(const char* what) {
  struct shape {
    std::size_t rows, columns, row, offset;
  };
  machine on;
  for (const shape& s :
       {shape{64, 64, 64, 0}, shape{68, 20, 24, 0}, shape{33, 65, 65, 1}, shape{1, 5, 5, 0}}) {
    std::vector<T> in(s.rows * s.row + s.offset), out(s.columns * s.rows + s.offset);
    for (std::size_t i = 0; i < in.size(); ++i) in[i] = static_cast<T>(i * 13 % 251);
    const cl::Buffer from = on.buffer(in), to = on.buffer(out);
    clwave::transpose(on.queue, clwave::view<T>{from, in.size() - s.offset, s.offset},
                      clwave::view<T>{to, out.size() - s.offset, s.offset},
                      {.rows = s.rows, .columns = s.columns}, {.row = s.row})
        .wait();
    on.queue.enqueueReadBuffer(to, CL_TRUE, 0, out.size() * sizeof(T), out.data());
    bool right = true;
    for (std::size_t i = 0; i < s.rows; ++i) {
      for (std::size_t j = 0; j < s.columns; ++j)
        right &= out[s.offset + j * s.rows + i] == in[s.offset + i * s.row + j];
    }
    check(right, what, s.columns);
  }
}

// Squares of one tile, of two by two with an edge, and at an odd place.
void turn_in_place() {
  machine on;
  for (const auto& [side, offset] : {std::pair<std::size_t, std::size_t>{64, 0}, {68, 0}, {65, 1}}) {
    std::vector<float> in(side * side + offset), out(in.size());
    for (std::size_t i = 0; i < in.size(); ++i) in[i] = static_cast<float>(i);
    const cl::Buffer squares = on.buffer(in);
    clwave::transpose_in_place(on.queue, clwave::view<float>{squares, side * side, offset},
                               {.rows = side, .columns = side})
        .wait();
    on.queue.enqueueReadBuffer(squares, CL_TRUE, 0, out.size() * sizeof(float), out.data());
    bool right = true;
    for (std::size_t i = 0; i < side; ++i) {
      for (std::size_t j = 0; j < side; ++j) right &= out[offset + j * side + i] == in[offset + i * side + j];
    }
    check(right, "transpose f32 in place", side);
  }
}

struct point {
  float x, y, z;
};

// Apart, then together again; from element 1, and in blocks.
void fields() {
  machine on;
  const clwave::layout three = clwave::layout_of(&point::x, &point::y, &point::z);
  for (const std::size_t n : {1, 33, 511, 1030}) {
    std::vector<point> in(n + 1), back(n + 1);
    for (std::size_t i = 0; i <= n; ++i) in[i] = {float(i), float(i) + 0.25f, float(i) + 0.5f};
    std::vector<float> x(n), y(n), z(n);
    const cl::Buffer from = on.buffer(in), to = on.buffer(back), xs = on.buffer(x), ys = on.buffer(y),
                     zs = on.buffer(z);
    const std::vector<clwave::soa_field> arrays = {clwave::view<float>{xs, n}, clwave::view<float>{ys, n},
                                                   clwave::view<float>{zs, n}};
    const std::size_t offset = n % 2;
    clwave::aos_to_soa(on.queue, clwave::view<point>{from, n, offset}, three, arrays).wait();
    clwave::soa_to_aos(on.queue, arrays, clwave::view<point>{to, n, offset}, three).wait();
    on.queue.enqueueReadBuffer(to, CL_TRUE, 0, back.size() * sizeof(point), back.data());
    check(std::memcmp(&back[offset], &in[offset], n * sizeof(point)) == 0, "3 floats apart and together", n);
  }
}

struct short_fields {
  std::uint16_t a;
  std::uint8_t b, c;
};

// Fields that words of several structures are made of; the arrays end with the last one's.
void shorts() {
  machine on;
  const clwave::layout three = clwave::layout_of(&short_fields::a, &short_fields::b, &short_fields::c);
  for (const std::size_t n : {1, 33, 511}) {
    std::vector<short_fields> in(n), back(n);
    for (std::size_t i = 0; i < n; ++i) {
      in[i] = {static_cast<std::uint16_t>(i * 77), static_cast<std::uint8_t>(i * 5),
               static_cast<std::uint8_t>(i * 3)};
    }
    std::vector<std::uint16_t> a(n);
    std::vector<std::uint8_t> b(n), c(n);
    const cl::Buffer from = on.buffer(in), to = on.buffer(back), as = on.buffer(a), bs = on.buffer(b),
                     cs = on.buffer(c);
    const std::vector<clwave::soa_field> arrays = {clwave::view<clwave::u16>{as, n},
                                                   clwave::view<std::uint8_t>{bs, n},
                                                   clwave::view<std::uint8_t>{cs, n}};
    clwave::aos_to_soa(on.queue, clwave::view<short_fields>{from, n}, three, arrays).wait();
    clwave::soa_to_aos(on.queue, arrays, clwave::view<short_fields>{to, n}, three).wait();
    on.queue.enqueueReadBuffer(to, CL_TRUE, 0, n * sizeof(short_fields), back.data());
    check(std::memcmp(back.data(), in.data(), n * sizeof(short_fields)) == 0, "short fields", n);
  }
}

// Fields of several sizes with padding, in blocks that do not divide a group's share.
void blocks() {
  machine on;
  const clwave::layout mixed{16, {{8, 0}, {2, 8}, {1, 10}, {4, 12}}};
  struct record {
    unsigned char bytes[16];
  };
  for (const std::size_t n : {1, 33, 517}) {
    std::vector<record> in(n), back(n);
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t b = 0; b < 16; ++b)
        in[i].bytes[b] = static_cast<unsigned char>(b == 11 ? 0 : i * 5 + b);
    }
    std::vector<std::uint8_t> apart(clwave::aosoa_bytes(mixed, n, 12));
    const cl::Buffer from = on.buffer(in), to = on.buffer(back), middle = on.buffer(apart);
    const clwave::view<std::uint8_t> bytes{middle, apart.size()};
    clwave::aos_to_aosoa(on.queue, clwave::view<record>{from, n}, mixed, bytes, 12).wait();
    clwave::aosoa_to_aos(on.queue, bytes, 12, clwave::view<record>{to, n}, mixed).wait();
    on.queue.enqueueReadBuffer(to, CL_TRUE, 0, n * sizeof(record), back.data());
    check(std::memcmp(back.data(), in.data(), n * sizeof(record)) == 0, "mixed fields in blocks", n);
  }
}

void elements() {
  const clwave::map axpy{.name = "axpy", .source = "alpha * x + y", .values = {{"alpha", 2}}};
  machine on;
  for (const std::size_t n : sizes) {
    const std::size_t offset = n % 2;  // odd ones by elements, even ones by packets
    std::vector<std::uint16_t> x = numbers<std::uint16_t>(n + offset);
    std::vector<float> y = numbers<float>(n + offset), out(n + offset);
    const cl::Buffer xs = on.buffer(x), ys = on.buffer(y), to = on.buffer(out);
    clwave::transform(on.queue, clwave::view<clwave::u16>{xs, n, offset}, clwave::view<float>{ys, n, offset},
                      clwave::view<float>{to, n, offset}, axpy)
        .wait();
    on.queue.enqueueReadBuffer(to, CL_TRUE, 0, out.size() * sizeof(float), out.data());
    bool right = true;
    for (std::size_t i = offset; i < out.size(); ++i) right &= out[i] == 2.0f * x[i] + y[i];
    check(right, "transform of u16 and f32", n);
  }
}

void rows_and_columns() {
  const clwave::map scale{.name = "scale", .source = "x * b * one", .values = {{"one", 1.0f}}};
  machine on;
  struct shape {
    std::size_t rows, columns, row;
  };
  for (const shape& s : {shape{1, 1, 1}, shape{3, 1028, 1032}, shape{5, 33, 35}, shape{300, 4, 4}}) {
    std::vector<float> in = numbers<float>(s.rows * s.row), out(in.size());
    for (const clwave::per which : {clwave::per::row, clwave::per::column}) {
      const bool by_row = which == clwave::per::row;
      std::vector<float> vector = numbers<float>(by_row ? s.rows : s.columns);
      const cl::Buffer from = on.buffer(in), values = on.buffer(vector), to = on.buffer(out);
      clwave::broadcast(on.queue, clwave::view<float>{from, in.size()},
                        clwave::view<float>{values, vector.size()}, clwave::view<float>{to, out.size()},
                        {.rows = s.rows, .columns = s.columns, .in_row = s.row, .out_row = s.row}, which,
                        scale)
          .wait();
      on.queue.enqueueReadBuffer(to, CL_TRUE, 0, out.size() * sizeof(float), out.data());
      bool right = true;
      for (std::size_t i = 0; i < s.rows; ++i) {
        for (std::size_t j = 0; j < s.columns; ++j)
          right &= out[i * s.row + j] == in[i * s.row + j] * vector[by_row ? i : j];
      }
      check(right, by_row ? "broadcast per row" : "broadcast per column", s.columns);
    }
  }
}

const std::map<std::string, std::function<void()>> parts = {
    {"sum", sum_aligned},
    {"sum-wide", [] { sum<float, double>("sum f32 in f64 from element 1"); }},
    {"sum-bytes", [] { sum<std::uint8_t, std::uint64_t>("sum u8 from element 1"); }},
    {"argmax", argmax},
    {"last", last},
    {"divisor", [] { divisor(true); }},
    {"divisor-in-order", [] { divisor(false); }},
    {"levels",
     [] {
       levels<float>("sum f32 of all levels in one launch");
       levels<std::uint8_t>("sum u8 of all levels in one launch");
     }},
    {"scan", scans},
    {"structures", structures},
    {"copy", [] { copy<float, float>("copy f32", 0, 0); }},
    {"copy-shifted", [] { copy<std::uint8_t, std::uint8_t>("copy u8 from 1 to 2", 1, 2); }},
    {"convert", [] { copy<float, std::int16_t>("copy f32 to i16", 0, 0); }},
    {"convert-head", [] { copy<float, std::int16_t>("copy f32 to i16 from 1 to 1", 1, 1); }},
    {"convert-elements", [] { copy<float, std::int16_t>("copy f32 to i16 from 1", 1, 0); }},
    {"box", box},
    {"fill", fill},
    {"gemm",
     [] {
       products<float>("gemm f32", 1, {{1, 1, 1}, {33, 35, 17}, {32, 8, 16}});
     }},
    // A tile that copies run on for, with an edge and more steps than stages; then with A and B the other
    // way.
    {"gemm-copies",
     [] {
       products<float>("gemm f32 by copies", 1, {{65, 8, 100}, {8, 60, 100}});
     }},
    // A whole tile and one with an edge; lines of whole packets and not.
    {"gemm-matrix",
     [] {
       products<clwave::half>("gemm f16", 0, {{32, 32, 104}, {17, 20, 35}});
     }},
    {"gemm-in-parts",
     [] {
       products<float>("gemm f32", 1, {{3, 2, 513}});
     }},
    {"transpose", [] { turn<float>("transpose f32"); }},
    {"transpose-bytes", [] { turn<std::uint8_t>("transpose u8"); }},
    {"transpose-in-place", turn_in_place},
    {"layout", fields},
    {"layout-shorts", shorts},
    {"layout-blocks", blocks},
    {"transform", elements},
    {"broadcast", rows_and_columns},
};

}  // namespace

int main(int count, char** words) {
  if (count == 1) {
    for (const auto& [name, part] : parts) std::puts(name.c_str());
    return 0;
  }
  try {
    parts.at(words[1])();
  } catch (const std::exception& e) {
    std::fprintf(stderr, "%s\n", e.what());
    return 1;
  }
  return wrong ? 1 : 0;
}
