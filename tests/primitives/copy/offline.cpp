// copy, copy_ranges and fill: bytes, converted elements, boxes and ranges.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <clwave/copy.hpp>
#include <clwave/profile.hpp>

#include "harness/own_site.hpp"
#include "offline_parts.hpp"
#include "own_types.hpp"
#include "primitives/copy.hpp"

namespace races::runs_of_copy {
namespace {

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
                 clwave::box{.width = width, .height = 9, .depth = 3},
                 {.in = {.row = in_row}, .out = {.row = out_row}})
        .wait();
    on.queue.enqueueReadBuffer(target, CL_TRUE, 0, out.size() * sizeof(float), out.data());
    check(out == expected, "copy of a box", width);
  }
}

// Ranges of elements of `size` bytes in groups as small as can be; one of them is long, some are empty, one
// is bad. Both buffers end with the last element.
void ranges_of(std::size_t size, std::size_t ranges) {
  machine on;
  testing::own_site site(on.queue(), "copy_ranges");
  site.row.copy.group_size = site.on.choice.lanes;
  const std::size_t n = 1000, apart = 9, reach = ranges * apart + 2 * n;
  std::vector<std::uint8_t> in((n + 1) * size), out((reach + 1) * size, 7);
  for (std::size_t i = 0; i < in.size(); ++i) in[i] = static_cast<std::uint8_t>(i * 2654435761u >> 24);
  std::vector<std::uint32_t> starts(ranges), lengths(ranges), out_starts(ranges);
  for (std::size_t k = 0; k < ranges; ++k) {
    lengths[k] = static_cast<std::uint32_t>(k * 7 % 10);
    starts[k] = static_cast<std::uint32_t>(n - lengths[k] - k % 40);
    out_starts[k] = static_cast<std::uint32_t>(k * apart);
  }
  const std::size_t last = ranges - 1;
  starts[last] = 0;
  lengths[last] = static_cast<std::uint32_t>(n);
  out_starts[last] = static_cast<std::uint32_t>(reach - n);
  if (ranges > 2) starts[1] = static_cast<std::uint32_t>(n + 1);
  std::vector<std::uint8_t> expected = out;
  for (std::size_t k = 0; k < ranges; ++k) {
    if (k == 1 && ranges > 2) continue;
    std::copy_n(in.data() + (1 + starts[k]) * size, lengths[k] * size,
                expected.data() + (1 + out_starts[k]) * size);
  }
  std::vector<std::uint64_t> bad(1, 99);
  const cl::Buffer source = on.buffer(in), target = on.buffer(out), from = on.buffer(starts),
                   sizes_of = on.buffer(lengths), to = on.buffer(out_starts), count = on.buffer(bad);
  const clwave::element moved =
      clwave::detail::make_element("moved", "", size, clwave::element_kind::opaque, 1);
  const clwave::element& number = clwave::element_of<std::uint32_t>();
  const clwave::copy_ranges_problem problem{.in = {moved, n, 1},
                                            .starts = clwave::any_view(number, ranges),
                                            .lengths = clwave::any_view(number, ranges),
                                            .out = {moved, reach, 1},
                                            .out_starts = clwave::any_view(number, ranges),
                                            .bad = clwave::any_view(clwave::element_of<std::uint64_t>(), 1)};
  site.run(problem, {source(), from(), sizes_of(), target(), to(), count()});
  on.queue.enqueueReadBuffer(target, CL_TRUE, 0, out.size(), out.data());
  on.queue.enqueueReadBuffer(count, CL_TRUE, 0, 8, bad.data());
  check(out == expected && bad[0] == (ranges > 2 ? 1u : 0u), "copy of ranges", ranges);
}

void ranges() {
  for (const std::size_t size : {1, 2, 4, 8, 12, 16}) {
    ranges_of(size, 20);
    ranges_of(size, 300);
  }
  ranges_of(1, 1);
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

const registered listed(
    "copy",
    {{.parts =
          {
              {"copy", [] { copy<float, float>("copy f32", 0, 0); }},
              {"copy-shifted", [] { copy<std::uint8_t, std::uint8_t>("copy u8 from 1 to 2", 1, 2); }},
              {"convert", [] { copy<float, std::int16_t>("copy f32 to i16", 0, 0); }},
              {"convert-head", [] { copy<float, std::int16_t>("copy f32 to i16 from 1 to 1", 1, 1); }},
              {"convert-elements", [] { copy<float, std::int16_t>("copy f32 to i16 from 1", 1, 0); }},
              {"box", box},
              {"ranges", ranges},
              {"fill", fill},
          },
      .programs = {
          {"copy f32",
           [](auto& on) {
             return plan(clwave::copy_problem{{clwave::element_of<float>(), many_elements},
                                              {clwave::element_of<float>(), many_elements}},
                         on);
           }},
          {"copy f32 to f16",
           [](auto& on) {
             return plan(clwave::copy_problem{{clwave::element_of<float>(), many_elements},
                                              {clwave::element_of<clwave::half>(), many_elements}},
                         on);
           }},
          {"copy f16 to f32",
           [](auto& on) {
             return plan(clwave::copy_problem{{clwave::element_of<clwave::half>(), many_elements},
                                              {clwave::element_of<float>(), many_elements}},
                         on);
           }},
          {"copy f32 to u8 saturated",
           [](auto& on) {
             return plan(clwave::copy_problem{{clwave::element_of<float>(), many_elements},
                                              {clwave::element_of<std::uint8_t>(), many_elements},
                                              true,
                                              clwave::rounding::nearest_even},
                         on);
           }},
          {"copy shifted bytes",
           [](auto& on) {
             const clwave::element& byte = clwave::element_of<std::uint8_t>();
             return plan(clwave::copy_problem{{byte, many_elements, 1}, {byte, many_elements, 2}}, on);
           }},
          {"copy box f32",
           [](auto& on) {
             return plan(clwave::box_problem{clwave::element_of<float>(),
                                             clwave::element_of<float>(),
                                             {.width = 1000, .height = 1000},
                                             {.row = 1024},
                                             {.row = 1000}},
                         on);
           }},
          {"copy f64 to f32",
           [](auto& on) {
             return plan(clwave::copy_problem{{clwave::element_of<double>(), many_elements},
                                              {clwave::element_of<float>(), many_elements}},
                         on);
           }},
          {"fill f32",
           [](auto& on) {
             const float value = 1;
             return plan(clwave::fill_problem{{clwave::element_of<float>(), many_elements}, &value}, on);
           }},
      }}});

}  // namespace
}  // namespace races::runs_of_copy
