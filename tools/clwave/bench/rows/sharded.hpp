// What rows of calls on shards share: arrays of floats in shards, on several devices or on what stands for
// them, and the groups in which a call on them is held against the same call on one device.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/opencl.hpp"

#include <clwave/sharded.hpp>

#include "bench/bench.hpp"

namespace clwave::tool::bench {

// Where a shard lies: a device, a sub-device, or one more queue of a device.
struct shard_place {
  cl::Context context;
  cl::Device device;
  cl::CommandQueue queue;
};

// An array of floats in shards of n elements each, one in each place; and as many such arrays as calls go
// round. Element i of all of them, in their order, is random element i of the first seed.
class cut_array {
 public:
  cut_array(const laboratory& lab, std::vector<shard_place> where, std::uint64_t n, std::size_t arrays);

  std::uint64_t n() const { return n_; }
  std::size_t shards() const { return where_.size(); }
  std::uint64_t size() const { return n_ * where_.size(); }  // of one array
  // The first element of an array, or of a shard of it, among those of all arrays.
  std::uint64_t first(std::size_t array, std::size_t shard = 0) const {
    return (array * where_.size() + shard) * n_;
  }
  const shard_place& place(std::size_t shard) const { return where_[shard]; }
  view<float> shard(std::size_t array, std::size_t shard) const { return {buffers_[shard], n_, array * n_}; }
  sharded<float> array(std::size_t which) const;

 private:
  std::vector<shard_place> where_;
  std::uint64_t n_;
  std::vector<cl::Buffer> buffers_;
};
using shared_array = std::shared_ptr<const cut_array>;

// A call that takes shards. Each function gives a contender that blocks; `bytes` is filled in.
struct sharded_work {
  std::string name;         // "reduce": the row is shards/reduce-2-devices/f32/16777216/clwave/host
  double bytes_of_element;  // read and written
  contender (*over_sharded)(laboratory&, const shared_array&);
  // The same of shard 0 alone, by the call that takes one view.
  contender (*on_one)(laboratory&, const shared_array&);
};

// Groups over 2, 4, 8 and all devices of the laboratory's platform and type; where there is one alone, over 2
// of its sub-devices, or 2 of its queues. Each has a row of one device that has the whole, and of one that
// has a share.
void add_sharded_groups(laboratory& lab, std::vector<group>& all, const sharded_work& work);

}  // namespace clwave::tool::bench
