// Types and operators of a user's, for programs of several primitives.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <clwave/element.hpp>
#include <clwave/op.hpp>
#include <clwave/plan.hpp>

#include "offline_parts.hpp"

struct triple {
  float x, y, z;
};
CLWAVE_STRUCTURE(triple, "triple", "typedef struct { float x, y, z; } triple;")

namespace races {

// Elements of a program's input.
inline constexpr std::uint64_t many_elements = std::uint64_t{1} << 28;

inline const clwave::op componentwise{.name = "add3",
                                      .source = "add3(a, b)",
                                      .identity = "",
                                      .declarations =
                                          "triple add3(triple a, triple b) {\n"
                                          "  triple r = {a.x + b.x, a.y + b.y, a.z + b.z};\n"
                                          "  return r;\n}"};
inline const clwave::op last_of_two{.name = "last", .source = "b", .identity = "", .commutative = false};

// Values that come as arguments.
inline const clwave::map scaled{
    .name = "scaled", .source = "x * k + shift", .values = {{"k", 3}, {"shift", 0.25f}}};

// Programs of a primitive that folds: of a structure of 12 bytes, and by an operator that does not commute.
template <auto plan_of>
std::vector<program> programs_of_folds(const std::string& primitive) {
  return {{primitive + " structure of 12 bytes",
           [](const clwave::plan_target& on) {
             return plan_of(on, clwave::element_of<triple>(), componentwise);
           }},
          {primitive + " non-commutative f32", [](const clwave::plan_target& on) {
             return plan_of(on, clwave::element_of<float>(), last_of_two);
           }}};
}

}  // namespace races
