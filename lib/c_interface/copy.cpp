// Copies and fills from C: a shell over copy.hpp's untyped calls.
#include <cstddef>
#include <string>

#include <clwave/c/moves.h>
#include <clwave/copy.hpp>

#include "c_interface/c_call.hpp"

namespace clwave::detail {
namespace {

rounding rounding_of(clwave_rounding how) {
  switch (how) {
    case CLWAVE_ROUND_NATURAL:
      return rounding::natural;
    case CLWAVE_ROUND_NEAREST_EVEN:
      return rounding::nearest_even;
    case CLWAVE_ROUND_TOWARD_ZERO:
      return rounding::toward_zero;
    case CLWAVE_ROUND_UPWARD:
      return rounding::upward;
    case CLWAVE_ROUND_DOWNWARD:
      return rounding::downward;
    case CLWAVE_ROUND_32:
      break;
  }
  refuse_argument("`rounding` is " + std::to_string(how) + ", which is none");
}

box box_of(const clwave_box* size) {
  const clwave_box& all = given(size, "box");
  return {.width = size_of(all.width, "box->width"),
          .height = all.height == 0 ? 1 : size_of(all.height, "box->height"),
          .depth = all.depth == 0 ? 1 : size_of(all.depth, "box->depth")};
}

copy_ranges_problem ranges_of(const clwave_view* in, const clwave_view* starts, const clwave_view* lengths,
                              const clwave_view* out, const clwave_view* out_starts) {
  return {.in = view_of(in, "in"),
          .starts = view_of(starts, "starts"),
          .lengths = view_of(lengths, "lengths"),
          .out = view_of(out, "out"),
          .out_starts = view_of(out_starts, "out_starts")};
}

}  // namespace
}  // namespace clwave::detail

using namespace clwave::detail;

clwave_status clwave_copy(cl_command_queue queue, const clwave_view* in, const clwave_view* out,
                          bool saturate, clwave_rounding rounding, const clwave_options* options,
                          cl_event* event) {
  return c_enqueue("clwave_copy", options, event, [&](const clwave::launch_options& launch) {
    return clwave::copy(queue,
                        clwave::copy_problem{.in = view_of(in, "in"),
                                             .out = view_of(out, "out"),
                                             .saturate = saturate,
                                             .round = rounding_of(rounding)},
                        launch);
  });
}

clwave_status clwave_copy_box(cl_command_queue queue, const clwave_view* in, const clwave_view* out,
                              const clwave_box* box, const clwave_pitches* in_pitches,
                              const clwave_pitches* out_pitches, const clwave_options* options,
                              cl_event* event) {
  return c_enqueue("clwave_copy_box", options, event, [&](const clwave::launch_options& launch) {
    return clwave::copy(queue,
                        clwave::box_problem{.in = view_of(in, "in"),
                                            .out = view_of(out, "out"),
                                            .size = box_of(box),
                                            .in_pitches = pitches_of(in_pitches),
                                            .out_pitches = pitches_of(out_pitches)},
                        launch);
  });
}

clwave_status clwave_copy_ranges(cl_command_queue queue, const clwave_view* in, const clwave_view* starts,
                                 const clwave_view* lengths, const clwave_view* out,
                                 const clwave_view* out_starts, const clwave_view* bad,
                                 const clwave_options* options, cl_event* event) {
  return c_enqueue("clwave_copy_ranges", options, event, [&](const clwave::launch_options& launch) {
    clwave::copy_ranges_problem asked = ranges_of(in, starts, lengths, out, out_starts);
    asked.bad = view_if_any(bad, "bad");
    return clwave::copy_ranges(queue, asked, launch);
  });
}

clwave_status clwave_checked_copy_ranges(cl_command_queue queue, const clwave_view* in,
                                         const clwave_view* starts, const clwave_view* lengths,
                                         const clwave_view* out, const clwave_view* out_starts,
                                         const clwave_options* options) {
  return c_block("clwave_checked_copy_ranges", options, [&](const clwave::launch_options& launch) {
    clwave::checked_copy_ranges(queue, ranges_of(in, starts, lengths, out, out_starts), launch);
  });
}

clwave_status clwave_fill(cl_command_queue queue, const clwave_view* out, const void* value,
                          const clwave_options* options, cl_event* event) {
  return c_enqueue("clwave_fill", options, event, [&](const clwave::launch_options& launch) {
    if (value == nullptr) refuse_null("value");
    return clwave::fill(queue, clwave::fill_problem{.out = view_of(out, "out"), .value = value}, launch);
  });
}
