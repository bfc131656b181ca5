// Sorts by keys of texts, and of numbers of 128 bits.
#include "every_call.hpp"

#include <vector>

#include <clwave/segmented_sort.hpp>
#include <clwave/sort.hpp>

void calls_of_key_sort(const call_operands& on) {
  const clwave::view<std::uint32_t> indices{on.buffer, 8, 40};
  const clwave::sort_key key =
      clwave::by<float>({.name = "magnitude", .source = "fabs(x)"}, {.descending = true});
  const clwave::key_list several(std::vector<clwave::sort_key>{key, key});
  clwave::sort(on.queue, on.x, on.y, {.keys = key});
  clwave::sort(on.queue, on.x, on.x, {.keys = {key, key, key}, .with_event = false});
  clwave::sort_by_key(on.queue, on.bytes.subview(0, 16), on.x, on.bytes.subview(16, 16), on.y,
                      {.keys = several});
  clwave::argsort(on.queue, on.x.subview(0, 8), indices, {.keys = several});
  clwave::plan(clwave::sort_problem{.keys = {on.f32, 1000}, .keys_out = on.f32, .by = several.keys()},
               on.target);
  const clwave::view<std::uint8_t> bytes = on.bytes.subview(0, 16), others = on.bytes.subview(16, 16);
  clwave::segmented_sort(on.queue, on.x, on.borders, on.y, {.keys = key});
  clwave::segmented_sort(on.queue, on.x, on.borders, on.x, {.keys = {key, key}, .with_event = false});
  clwave::segmented_sort(on.queue, on.x, on.borders, on.y, on.count, {.keys = several});
  clwave::checked_segmented_sort(on.queue, on.x, on.borders, on.y, {.keys = {key, key}});
  clwave::segmented_sort_by_key(on.queue, bytes, on.y, on.borders, others, on.y, {.keys = key});
  clwave::segmented_sort_by_key(on.queue, bytes, on.y, on.borders, others, on.y, on.count, {.keys = several});
  clwave::checked_segmented_sort_by_key(on.queue, bytes, on.y, on.borders, others, on.y,
                                        {.keys = {key, key}});
  clwave::plan(clwave::sort_problem{.keys = {on.f32, 1000},
                                    .keys_out = on.f32,
                                    .by = several.keys(),
                                    .offsets = clwave::any_view(clwave::element_of<std::uint32_t>(), 11)},
               on.target);
  const clwave::view<clwave::u128> wide{on.buffer, 2}, wide_out{on.buffer, 2, 2};
  const clwave::view<clwave::i128> with_sign{on.buffer, 4};
  clwave::sort(on.queue, wide, wide_out, {.descending = true, .with_event = false});
  clwave::sort_by_key(on.queue, wide, on.x.subview(0, 2), wide_out, on.y.subview(0, 2));
  clwave::argsort(on.queue, with_sign, indices.subview(0, 4));
  const clwave::element& u128 = clwave::element_of<clwave::u128>();
  clwave::plan(clwave::sort_problem{.keys = {u128, 1000}, .keys_out = u128}, on.target);
}
