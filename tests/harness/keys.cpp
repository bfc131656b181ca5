// Random elements, operators and maps of which keys are made.
#include "harness/keys.hpp"

#include <cstdint>
#include <string_view>
#include <vector>

namespace testing {

using namespace clwave;

namespace {

constexpr std::array<std::string_view, 5> texts{"a", "b", "a|1", "double a", ""};

// Of few names and types, so that lists differ in a name, a type or their order alone, or in numbers and
// nothing else.
std::vector<named_value> random_values(dice& d) {
  static const std::array<std::string_view, 3> names{"k", "kk", "l"};
  std::vector<named_value> values;
  for (unsigned k = d.below(3); k > 0; --k) {
    const std::string name(names[(values.size() + d.below(2)) % 3]);
    if (!values.empty() && values[0].name() == name) continue;
    if (d.flip())
      values.emplace_back(name, d.below(100));
    else
      values.emplace_back(name, static_cast<float>(d.below(100)));
  }
  return values;
}

}  // namespace

element random_element(dice& d) {
  static const std::array<const element*, 8> built_in{
      &element_of<float>(),        &element_of<double>(),      &element_of<std::int32_t>(),
      &element_of<std::uint8_t>(), &element_of<std::int8_t>(), &element_of<half>(),
      &element_of<cl_float4>(),    &element_of<cl_int4>()};
  if (d.flip()) return *d.one_of(built_in);
  static const std::array<std::string_view, 3> names{"pair", "packet", "other"};
  static const std::array<std::string_view, 3> declarations{"typedef struct { float a, b; } pair;",
                                                            "typedef struct { double a; } pair;",
                                                            "typedef struct { int a, b; } packet;"};
  return {.name = std::string(d.one_of(texts)),
          .opencl_name = std::string(d.one_of(names)),
          .size = d.flip() ? 8u : 16u,
          .kind = d.flip() ? element_kind::structure : element_kind::opaque,
          .components = 1,
          .declaration = std::string(d.one_of(declarations))};
}

op random_op(dice& d) {
  static const std::array<const op*, 5> built_in{&plus, &min, &bit_xor, &logical_and, &multiplies};
  op fold = *d.one_of(built_in);
  if (d.flip()) fold.kind = op_kind::user;
  fold.name = d.one_of(texts);
  fold.source = d.one_of(texts);
  fold.identity = d.one_of(texts);
  fold.declarations = d.one_of(texts);
  fold.commutative = d.flip();
  if (d.flip()) fold.values = random_values(d);
  return fold;
}

map random_map(dice& d) {
  static const std::array<map_kind, 5> kinds{map_kind::user, map_kind::identity, map_kind::abs,
                                             map_kind::square, map_kind::product};
  return {.name = std::string(d.one_of(texts)),
          .source = std::string(d.one_of(texts)),
          .declarations = std::string(d.one_of(texts)),
          .values = d.flip() ? random_values(d) : std::vector<named_value>(),
          .kind = d.one_of(kinds)};
}

}  // namespace testing
