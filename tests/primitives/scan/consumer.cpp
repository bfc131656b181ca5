// Every function and template of scan.hpp, sharded_scan.hpp, host_array_scan.hpp and ranks_scan.hpp.
#include "every_call.hpp"

#include <cstdint>
#include <span>
#include <vector>

#include <clwave/host_array_scan.hpp>
#include <clwave/ranks_scan.hpp>
#include <clwave/scan.hpp>
#include <clwave/sharded_scan.hpp>

void calls_of_scan(const call_operands& on) {
  clwave::inclusive_scan(on.queue, on.x, on.y);
  clwave::inclusive_scan(on.queue, on.x, on.y, {.after = {on.before}});
  clwave::inclusive_scan(on.queue, on.x, on.y, clwave::max, {.after = {on.before}});
  clwave::inclusive_scan(on.queue, on.x);
  clwave::inclusive_scan(on.queue, on.x, clwave::max, {.start = 1.0f, .after = {on.before}});
  clwave::exclusive_scan(on.queue, on.x, {.after = {on.before}});
  clwave::exclusive_scan(on.queue, on.x, clwave::max);
  clwave::exclusive_scan(on.queue, on.x, on.y, {.start = 1.0f});
  clwave::exclusive_scan(on.queue, on.x, on.y, clwave::max, {.start = 1.0f});
  clwave::exclusive_scan(on.queue, on.x, on.y, clwave::max, {.with_event = false});
  clwave::transform_inclusive_scan(on.queue, on.x, on.y, clwave::plus, clwave::square);
  clwave::transform_exclusive_scan(on.queue, on.x, on.y, clwave::plus, clwave::abs,
                                   {.start = 1.0f, .workspace = on.bytes});
  clwave::transform_inclusive_scan(on.queue, on.x, clwave::plus, clwave::square, {.after = {on.before}});
  clwave::transform_exclusive_scan(on.queue, on.x, clwave::plus, clwave::square);
  const clwave::sharded<float> x{{on.queue, on.x}}, y{{on.queue, on.y}};
  clwave::inclusive_scan(x, y);
  clwave::inclusive_scan(x, y, clwave::max, {.after = {on.before}});
  clwave::exclusive_scan(x, y, {.after = {on.before}});
  clwave::exclusive_scan(x, y, clwave::plus, {.start = 2.0f});
  clwave::transform_inclusive_scan(x, y, clwave::max, clwave::square);
  clwave::transform_exclusive_scan(x, y, clwave::plus, clwave::square);
  one_rank all;
  clwave::inclusive_scan(all, x, y);
  clwave::inclusive_scan(all, x, y, clwave::max, {.after = {on.before}});
  clwave::exclusive_scan(all, x, y, {.after = {on.before}});
  clwave::exclusive_scan(all, x, y, clwave::plus, {.start = 2.0f});
  clwave::transform_inclusive_scan(all, x, y, clwave::max, clwave::square);
  clwave::transform_exclusive_scan(all, x, y, clwave::plus, clwave::square);
  std::vector<float> numbers(10);
  const clwave::host_array in(numbers);
  const clwave::host_output in_place(numbers, clwave::host_pages::pageable);
  const clwave::host_output<double> out(in_place.size(), [](std::uint64_t, std::span<const double>) {});
  clwave::inclusive_scan(on.queue, in, in_place);
  clwave::inclusive_scan(on.queue, in, in_place, clwave::max, {.after = {on.before}});
  clwave::exclusive_scan(on.queue, in, in_place, {.after = {on.before}});
  clwave::exclusive_scan({on.queue, on.queue}, in, out, clwave::max, {.start = 2.0});
  clwave::transform_inclusive_scan(on.queue, in, out, clwave::plus, clwave::square);
  clwave::transform_exclusive_scan(on.queue, in, in_place, clwave::plus, clwave::square);
  clwave::plan(clwave::scan_problem{.in = {on.f32, 1000}, .out = {on.f32, 1000}, .exclusive = true},
               on.target);
}
