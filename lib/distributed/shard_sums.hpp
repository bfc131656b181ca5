// Sums over shards of which the host folds what the devices leave: each device folds all tiles, of any level,
// that lie whole in its shard, and no device waits for another one.
#pragma once

#include <clwave/sharded.hpp>

namespace clwave::detail {

// Whether the call is such a sum, as far as can be told without its devices.
bool may_sum_shards(const sharded_reduce_problem& call);
// False where nothing was done: some device has other bits than the host. Else blocks until the result is
// there. What it throws names the shard.
bool sum_shards(const sharded_reduce_problem& call, void* result);

}  // namespace clwave::detail
