// The operand of the C interface's calls that take an input which is no array.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

#include <clwave/c/base.h>
#include <clwave/any_view.hpp>
#include <clwave/element.hpp>
#include <clwave/lazy_view.hpp>
#include <clwave/op.hpp>

#include "c_interface/c_call.hpp"

namespace clwave::detail {

// What a call takes beside arrays of a known size and lazy inputs.
enum class c_input { no_count, counted, counted_or_zip };

// An array, with a count on the device or not, or a lazy input. A problem made of it refers to it, so it
// lives until the call has returned.
class lazy_input {
 public:
  lazy_input(const clwave_view* view, std::string_view name, c_input takes = c_input::counted);
  lazy_input(const lazy_input&) = delete;
  lazy_input& operator=(const lazy_input&) = delete;
  operator const any_view&() const { return all_; }  // NOLINT(google-explicit-constructor): it is a view

  // How many sources there are that no map makes an element of; 0 of an array.
  std::size_t sources_alone() const { return made_.apply ? 0 : made_.sources.size(); }
  // Makes elements of them.
  void make_by(const map& apply, const element& type);

 private:
  std::optional<counted_input> counted_;
  any_lazy made_;
  any_view all_;
};

}  // namespace clwave::detail
