// The structures that the C interface's minmax and mean_and_variance fold.
#include "c_interface/c_statistics.hpp"

#include <string>
#include <string_view>

#include <clwave/c/folds.h>
#include <clwave/statistics.hpp>

#include "c_interface/c_call.hpp"

static_assert(sizeof(clwave_moments_f32) == sizeof(clwave::moments<float>) &&
              sizeof(clwave_moments_f64) == sizeof(clwave::moments<double>));

namespace clwave::detail {
namespace {

bool is_stored_in_16_bits(const element& type) {
  return type.kind == element_kind::half_storage || type.kind == element_kind::bfloat16_storage;
}

void check_measured(const element& type, std::string_view call) {
  const bool is_number =
      type.components == 1 &&
      (type.kind == element_kind::signed_integer || type.kind == element_kind::unsigned_integer ||
       type.kind == element_kind::floating || is_stored_in_16_bits(type));
  if (!is_number)
    refuse_argument(std::string(call) + " takes numbers of 1 to 8 bytes, and no elements of type " +
                    (type.name.empty() ? "none" : type.name));
}

bool is_this_structure(const element& out, const element& structure) {
  return out.name == structure.name && out.declaration == structure.declaration && out.size == structure.size;
}

}  // namespace

c_statistic minmax_from_c(const element& value) {
  check_measured(value, "minmax");
  const element& compared = is_stored_in_16_bits(value) ? element_of<float>() : value;
  return {min_and_max_element(compared), minmax_op(compared), minmax_map(compared)};
}

c_statistic moments_from_c(const element& in, const element& value) {
  check_measured(in, "mean_and_variance");
  if (&value != &element_of<float>() && &value != &element_of<double>())
    refuse_argument("moments are of CLWAVE_F32 or of CLWAVE_F64, and not of type " + value.name);
  return {moments_element(value), moments_op(value), moments_map(value)};
}

c_statistic minmax_into(const element& in, const element& out) {
  c_statistic how = minmax_from_c(in);
  if (!is_this_structure(out, how.type))
    refuse_argument("`out` is of type " + out.name + ", and not of what clwave_minmax_type gives for " +
                    in.name);
  return how;
}

c_statistic moments_into(const element& in, const element& out) {
  const bool wide = is_this_structure(out, moments_element(element_of<double>()));
  if (!wide && !is_this_structure(out, moments_element(element_of<float>())))
    refuse_argument("`out` is of type " + out.name +
                    ", and not of what clwave_moments_type gives for CLWAVE_F32 or CLWAVE_F64");
  return moments_from_c(in, wide ? element_of<double>() : element_of<float>());
}

}  // namespace clwave::detail
