// Sums of results on the host: with the bits of a device that keeps denormals, and sooner than any device
// begins.
#pragma once

#include <cstddef>
#include <cstdint>

#include <clwave/element.hpp>
#include <clwave/op.hpp>
#include <clwave/reduce.hpp>

#include "device/device_facts.hpp"

namespace clwave::detail {

// Whether the host can take the place of devices that fold results of this type.
bool host_sums_take(const op& fold, const element& type);
// Whether it gives the bits of this one.
bool host_sums_are_those_of(const device_facts& device, const element& type);

// Folds n > 0 values, one tile at most, in the order of reduce.hpp.
void sum_tile_on_host(const element& type, const fold_sizes& sizes, const std::byte* values, std::uint64_t n,
                      std::byte* result);
// As it leaves: a NaN becomes the one quiet NaN.
void make_canonical_on_host(const element& type, std::byte* value);

}  // namespace clwave::detail
