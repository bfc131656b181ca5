// transpose: tiles and edges, by packets and by single units, out of place and in place.
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include <clwave/transpose.hpp>

#include "offline_parts.hpp"

struct pixel {
  std::uint8_t red, green, blue;
  bool operator==(const pixel&) const = default;
};
CLWAVE_STRUCTURE(pixel, "pixel", "typedef struct { uchar red, green, blue; } pixel;")

namespace races::runs_of_transpose {
namespace {

template <class T>
T numbered(std::size_t i) {
  return static_cast<T>(i * 13 % 251);
}
template <>
pixel numbered(std::size_t i) {
  return {numbered<std::uint8_t>(i), static_cast<std::uint8_t>(i / 251), 7};
}

// Whole tiles, tiles at both edges, rows apart; packets and, from element 1, single units, also in whole
// lines of a CPU's cache.
template <class T>
void turn(const char* what) {
  struct shape {
    std::size_t rows, columns, row, offset;
  };
  machine on;
  for (const shape& s : {shape{64, 64, 64, 0}, shape{64, 256, 256, 0}, shape{68, 20, 24, 0},
                         shape{33, 65, 65, 1}, shape{66, 67, 67, 1}, shape{1, 5, 5, 0}}) {
    std::vector<T> in(s.rows * s.row + s.offset), out(s.columns * s.rows + s.offset);
    for (std::size_t i = 0; i < in.size(); ++i) in[i] = numbered<T>(i);
    const cl::Buffer from = on.buffer(in), to = on.buffer(out);
    clwave::transpose(on.queue, clwave::view<T>{from, in.size() - s.offset, s.offset},
                      clwave::view<T>{to, out.size() - s.offset, s.offset},
                      {.rows = s.rows, .columns = s.columns}, {.in = {.row = s.row}})
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

const registered listed(
    "transpose",
    {{.parts =
          {
              {"transpose", [] { turn<float>("transpose f32"); }},
              {"transpose-bytes", [] { turn<std::uint8_t>("transpose u8"); }},
              {"transpose-u16", [] { turn<clwave::u16>("transpose u16"); }},
              {"transpose-words", [] { turn<pixel>("transpose of 3 bytes"); }},
              {"transpose-in-place", turn_in_place},
          },
      .programs = {
          {"transpose of 3 bytes", [](auto& on) {
             const clwave::element& type = clwave::element_of<pixel>();
             return clwave::plan(clwave::transpose_problem{type, type, {.rows = 4096, .columns = 4096}}, on);
           }}}}});

}  // namespace
}  // namespace races::runs_of_transpose
