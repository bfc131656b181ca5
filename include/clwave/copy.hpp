// copy and fill: moving elements at the width that is fastest on the device.
#pragma once

#include <array>
#include <cstring>

#include <clwave/element.hpp>
#include <clwave/event.hpp>
#include <clwave/view.hpp>

namespace clwave {

// How a converting copy rounds a float on its way to an integer or a narrower float, and whether a
// value outside the target's range saturates. `natural` is the type's own: towards zero to an integer,
// to nearest even to a float. Without saturation, out-of-range floats give unspecified integers and
// integers wrap. Saturation applies to integer targets (NaN gives 0); floats overflow to infinity.
enum class rounding { natural, nearest_even, toward_zero, upward, downward };

struct copy_options {
  wait_list after = {};
  bool saturate = false;
  rounding round = rounding::natural;
};

// A box of a pitched buffer: sizes and pitches in elements. A row has `width` elements, rows start
// `row_pitch` apart, slices of `height` rows `slice_pitch` apart.
struct box {
  std::size_t width = 0, height = 1, depth = 1;
};
struct pitches {
  std::size_t row = 0;    // 0: width of the box
  std::size_t slice = 0;  // 0: row pitch times height
};

}  // namespace clwave
