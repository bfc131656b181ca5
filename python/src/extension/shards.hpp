// One array in shards on several queues: clwave.Sharded.
#pragma once

#include <cstdint>
#include <vector>

#include <nanobind/nanobind.h>

#include <clwave/sharded.hpp>

#include "handles.hpp"

namespace clwave_python {

struct sharded {
  std::vector<array> shards;  // at least one, and all of one type

  std::uint64_t n() const;
  // What the library's calls take. The arrays must be kept while they run.
  std::vector<clwave::detail::erased_shard> erased(const char* operand) const;
};

// The object of the first shard's queue, as a call takes it.
nb::object queue_of(const sharded& of);

// Throws bad_call for arguments that calls on shards do not have; None was left out.
void refuse_beside_shards(nb::handle argument, const char* name);

}  // namespace clwave_python
