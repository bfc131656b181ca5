// What rows of calls on parts share: arrays of floats in pieces, on several devices or on what stands for
// them, and the groups in which a call on them is held against the same call on one device.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/opencl.hpp"

#include <clwave/parts.hpp>

#include "bench/bench.hpp"

namespace clwave::tool::bench {

// Where a piece lies: a device, a sub-device, or one more queue of a device.
struct piece_place {
  cl::Context context;
  cl::Device device;
  cl::CommandQueue queue;
};

// An array of floats in pieces of n elements each, one in each place; and as many such arrays as calls go
// round. Element i of all of them, in their order, is random element i of the first seed.
class cut_array {
 public:
  cut_array(const laboratory& lab, std::vector<piece_place> where, std::uint64_t n, std::size_t arrays);

  std::uint64_t n() const { return n_; }
  std::size_t pieces() const { return where_.size(); }
  std::uint64_t size() const { return n_ * where_.size(); }  // of one array
  // The first element of an array, or of a piece of it, among those of all arrays.
  std::uint64_t first(std::size_t array, std::size_t piece = 0) const {
    return (array * where_.size() + piece) * n_;
  }
  const piece_place& place(std::size_t piece) const { return where_[piece]; }
  view<float> piece(std::size_t array, std::size_t piece) const { return {buffers_[piece], n_, array * n_}; }
  parts<float> array(std::size_t which) const;

 private:
  std::vector<piece_place> where_;
  std::uint64_t n_;
  std::vector<cl::Buffer> buffers_;
};
using shared_array = std::shared_ptr<const cut_array>;

// A call that takes parts. Each function gives a contender that blocks; `bytes` is filled in.
struct parts_work {
  std::string name;         // "reduce": the row is parts/reduce-2-devices/f32/16777216/clwave/host
  double bytes_of_element;  // read and written
  contender (*over_parts)(laboratory&, const shared_array&);
  // The same of piece 0 alone, by the call that takes one view.
  contender (*on_one)(laboratory&, const shared_array&);
};

// Groups over 2, 4, 8 and all devices of the laboratory's platform and type; where there is one alone, over 2
// of its sub-devices, or 2 of its queues. Each has a row of one device that has the whole, and of one that
// has a share.
void add_parts_groups(laboratory& lab, std::vector<group>& all, const parts_work& work);

}  // namespace clwave::tool::bench
