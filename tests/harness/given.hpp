// Options of calls from what a test varies: an order, an operator, keys, a launch.
#pragma once

#include <utility>

#include <clwave/options.hpp>
#include <clwave/sort_order.hpp>

namespace testing {

// Becomes the options of whichever call it is given to. What that call has no field for must not be set.
struct given {
  given(const clwave::launch_options& of) : launch(of) {}  // NOLINT(google-explicit-constructor)
  given(const clwave::sort_order& by) : order(by) {}       // NOLINT(google-explicit-constructor)
  given(const clwave::op& by) : less(by) {}                // NOLINT(google-explicit-constructor)
  given(const clwave::key_list& by) : keys(by) {}          // NOLINT(google-explicit-constructor)
  given(given by, const clwave::launch_options& of) : given(std::move(by)) { launch = of; }
  // A sort_key is a list of one.
  given(const clwave::sort_key& by, const clwave::launch_options& of) : given(clwave::key_list(by), of) {}

  template <clwave::call_options Options>
  operator Options() const {  // NOLINT(google-explicit-constructor)
    Options all;
    if constexpr (requires { all.last_bit; }) {
      all.descending = order.descending;
      all.first_bit = order.first_bit;
      all.last_bit = order.last_bit;
    }
    if constexpr (requires { all.less; }) all.less = less;
    if constexpr (requires { all.keys; }) all.keys = keys;
    all.after = launch.after;
    all.with_event = launch.with_event;
    all.workspace = launch.workspace;
    return all;
  }

  clwave::sort_order order = {};
  clwave::op less = {};
  clwave::key_list keys = {};
  clwave::launch_options launch = {};
};

// An aggregate of options with the launch of a test.
template <clwave::call_options Options>
Options launched(Options own, const clwave::launch_options& of) {
  own.after = of.after;
  own.with_event = of.with_event;
  own.workspace = of.workspace;
  return own;
}

}  // namespace testing
