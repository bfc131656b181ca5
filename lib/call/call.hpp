// What every call does first: reads its queue, and checks what it waits for.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string_view>

#include <clwave/event.hpp>
#include <clwave/view.hpp>

#include "program/lanes_check.hpp"
#include "program/program.hpp"

namespace clwave {

class context_entry;

// Where a call runs.
struct call_site {
  cl_command_queue queue = nullptr;
  cl_context context = nullptr;
  cl_device_id device = nullptr;
  bool in_order = true;
  target on;  // the device's facts and the profile chosen for it
  // Held while the call runs, so that release() in another thread takes nothing from under it.
  std::shared_ptr<context_entry> kept;
};

// The work-items of a group in a shape of any primitive.
template <class Shape>
unsigned group_size_of(const Shape& shape) {
  if constexpr (requires { shape.launch; })
    return shape.launch.group_size;
  else
    return shape.group_size;
}

// The program for `key` on a target, from what is kept for the call's context (program_cache::get).
std::shared_ptr<program> get_program(const call_site& site, const target& on, std::string_view key,
                                     const std::function<program_spec()>& make_spec);

// A call's shape, and the program for it.
template <class Shape>
struct fitted {
  Shape shape;
  std::shared_ptr<program> code;
};

// Shapes a call by make_shape(target) and gets the program of key(shape) and spec(shape). Where a compiled
// kernel of kernels(shape) takes smaller groups than the shape has, the call is shaped again within that
// limit, which the program remembers for later calls. Where one runs other lanes than the row's, the device
// takes another row from then on. An empty name is no kernel.
template <class MakeShape, class Key, class Spec, class Kernels>
auto fit(const call_site& site, MakeShape make_shape, Key key, Spec spec, Kernels kernels) {
  target on = site.on;
  for (;;) {
    auto shape = make_shape(on);
    std::shared_ptr<program> code;
    try {
      code = get_program(site, on, key(shape), [&] { return spec(shape); });
    } catch (const error& trouble) {
      if (built_for_other_lanes(on, site.device, trouble)) continue;
      throw;
    }
    const std::array<std::string_view, 2> names = kernels(shape);
    if (runs_other_lanes(on, site.device, *code, group_size_of(shape), names)) continue;
    if (!too_large(on, site.device, *code, group_size_of(shape), names))
      return fitted<decltype(shape)>{std::move(shape), std::move(code)};
  }
}

// Asks the queue. Throws bad_call for a null or dead queue.
call_site site_of(cl_command_queue queue, std::string_view primitive);

// The events that a call waits for. Throws bad_call for one of another context than the queue's, and
// device_lost (or out_of_memory) for one that has ended in an error.
std::span<const cl_event> check_events(const call_site& site, const wait_list& after,
                                       std::string_view primitive);

// Throws bad_call.
[[noreturn]] void refuse(std::string_view primitive, std::string_view message, std::string_view advice = {});

// Throws what it means that a handle of the caller's did not answer: it may be dead, or the driver in
// trouble.
[[noreturn]] void no_answer(cl_int code, std::string_view primitive, std::string_view name,
                            std::string_view kind_of_object);

}  // namespace clwave
