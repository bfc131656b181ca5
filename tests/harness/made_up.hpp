// Facts of devices that are not there.
#pragma once

#include <utility>

#include <clwave/device.hpp>

namespace testing {

template <class T>
clwave::fact<T> made_up(T value) {
  return {std::move(value), clwave::provenance::assumed, "made up for the test"};
}

}  // namespace testing
