// The types of the C interface: numbers for the built-in ones, and for structures that programs describe.
#include <array>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <shared_mutex>
#include <string>
#include <string_view>
#include <vector>

#include <clwave/element.hpp>
#include <clwave/lifetime.hpp>
#include <clwave/reduce.hpp>
#include <clwave/sort_order.hpp>

#include "c_interface/c_call.hpp"

namespace clwave::detail {
namespace {

constexpr unsigned n_scalars = CLWAVE_I128 + 1;
constexpr unsigned most_components = 16;
// By the lowest 8 bits of a built-in type's number.
constexpr std::array<std::string_view, n_scalars> scalar_names = {
    "",    "i8",  "i16", "i32",  "i64",  "u8",   "u16",  "u32", "u64",
    "f32", "f64", "f16", "bf16", "cf32", "cf64", "bool", "byte"};
constexpr std::size_t most_structure_bytes = 128;
// The numbers of described types begin here, behind all that built-in ones can have.
constexpr clwave_type first_described = 1 << 16;

// The built-in types by their numbers: scalar, and components of a vector; null where there is none.
using builtin_table = std::array<std::array<const element*, most_components + 1>, n_scalars>;

builtin_table make_builtin_types() {
  builtin_table all = {};
  for (std::size_t scalar = CLWAVE_I8; scalar <= CLWAVE_BYTE; ++scalar) {
    const std::string name(scalar_names[scalar]);
    all[scalar][0] = find_element(name);
    for (const unsigned n : {2u, 4u, 8u, 16u}) all[scalar][n] = find_element(name + "x" + std::to_string(n));
  }
  all[CLWAVE_NO_TYPE][0] = &no_type();
  all[CLWAVE_U128][0] = &element_of<u128>();
  all[CLWAVE_I128][0] = &element_of<i128>();
  return all;
}

const builtin_table& builtin_types() {
  static const builtin_table& all = *never_destroyed(make_builtin_types());
  return all;
}

// Types that programs described. They stay as long as the process, because views in C have a number alone.
class c_structure_list {
 public:
  clwave_type number_of(const element& type) {
    const std::unique_lock lock(mutex_);
    for (std::size_t i = 0; i < types_.size(); ++i)
      if (same(*types_[i], type)) return first_described + static_cast<clwave_type>(i);
    types_.reserve(types_.size() + 1);
    types_.push_back(never_destroyed(type));
    return first_described + static_cast<clwave_type>(types_.size() - 1);
  }
  const element* find(clwave_type type) {
    const std::shared_lock lock(mutex_);
    const std::size_t index = type - first_described;
    return type >= first_described && index < types_.size() ? types_[index] : nullptr;
  }

 private:
  static bool same(const element& a, const element& b) {
    return a.name == b.name && a.declaration == b.declaration && a.size == b.size;
  }

  std::shared_mutex mutex_;
  std::vector<const element*> types_;
};

c_structure_list& c_structures() {
  static c_structure_list& all = *new c_structure_list;
  return all;
}

const element* find_c_type(clwave_type type) {
  if (type >= first_described) return c_structures().find(type);
  const std::size_t scalar = type & 0xff, components = type >> 8;
  return scalar < n_scalars && components <= most_components ? builtin_types()[scalar][components] : nullptr;
}

}  // namespace

const element& type_of(clwave_type type) {
  const element* const found = find_c_type(type);
  if (found == nullptr) refuse_argument("there is no type of the number " + std::to_string(type));
  return *found;
}

clwave_type number_of_type(const element& structure) { return c_structures().number_of(structure); }

element indexed_type_of(const element& value) {
  if (!value.is_scalar_arithmetic())
    refuse_argument("only numbers have a smallest and a largest one, and no elements of type " + value.name);
  const bool stored =
      value.kind == element_kind::half_storage || value.kind == element_kind::bfloat16_storage;
  return indexed_element(stored ? element_of<float>() : value);
}

}  // namespace clwave::detail

using namespace clwave::detail;

clwave_type clwave_find_type(const char* name) {
  if (name == nullptr) return CLWAVE_NO_TYPE;
  // It allocates nothing but the table, of which a first call may have no memory.
  clwave_type found = CLWAVE_NO_TYPE;
  static_cast<void>(c_call("clwave_find_type", [&] {
    const clwave::element* const type = clwave::find_element(name);
    for (clwave_type scalar = CLWAVE_I8; type != nullptr && scalar < n_scalars; ++scalar)
      for (clwave_type n = 0; n <= most_components; ++n)
        if (builtin_types()[scalar][n] == type) found = scalar | n << 8;
  }));
  return found;
}

size_t clwave_type_size(clwave_type type) {
  std::size_t n_bytes = 0;
  static_cast<void>(c_call("clwave_type_size", [&] {
    const clwave::element* const found = find_c_type(type);
    if (found != nullptr) n_bytes = found->size;
  }));
  return n_bytes;
}

clwave_status clwave_describe_structure(const char* name, const char* declaration, size_t n_bytes,
                                        clwave_type* type) {
  return c_call("clwave_describe_structure", [&] {
    clwave_type& number = given(type, "type");
    number = CLWAVE_NO_TYPE;
    const std::string_view device_name(&given(name, "name"));
    const std::string_view text(&given(declaration, "declaration"));
    if (device_name.empty() || text.empty()) refuse_argument("a structure has a name and a text");
    if (n_bytes == 0 || n_bytes > most_structure_bytes)
      refuse_argument("a structure has 1 to " + std::to_string(most_structure_bytes) + " bytes, and not " +
                      std::to_string(n_bytes));
    number = c_structures().number_of(
        make_element(device_name, device_name, n_bytes, clwave::element_kind::structure, 1, text));
  });
}

clwave_status clwave_indexed_type(clwave_type of, clwave_type* type) {
  return c_call("clwave_indexed_type", [&] {
    clwave_type& number = given(type, "type");
    number = CLWAVE_NO_TYPE;
    number = number_of_type(indexed_type_of(type_of(of)));
  });
}
