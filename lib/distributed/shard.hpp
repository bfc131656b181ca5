// What calls on shards share: the memory that they work in, and errors that name a shard.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <clwave/element.hpp>
#include <clwave/error.hpp>
#include <clwave/sharded.hpp>
#include <clwave/view.hpp>

#include "base/opencl.hpp"
#include "base/rounding.hpp"
#include "call/call.hpp"
#include "call/workspace.hpp"

namespace clwave::detail {

// Arrays that lie one behind another in a block of workspace, each from a multiple of its elements and of 128
// bytes on.
class layout_of_arrays {
 public:
  std::uint64_t add(std::uint64_t n, std::size_t element_bytes) {
    const std::uint64_t first = round_up(end_, std::lcm<std::uint64_t>(128, element_bytes));
    end_ = first + n * element_bytes;
    return first;
  }
  std::uint64_t own_bytes() const { return end_ - workspace::own_at; }

 private:
  std::uint64_t end_ = workspace::own_at;
};

// How many elements shards have.
struct shard_lengths {
  std::vector<std::uint64_t> each = {};
  std::uint64_t n = 0;  // together
  // The first shard of most elements.
  std::size_t longest() const {
    return static_cast<std::size_t>(std::ranges::max_element(each) - each.begin());
  }
  // Whether that has all there are.
  bool in_one() const { return each[longest()] == n; }
};

// Refuses a call on no shards, of which no device is known, and on too many elements.
shard_lengths lengths_of(std::string_view primitive, std::span<const erased_shard> shards);

// n elements from that byte of a buffer on.
any_view array_at(cl_mem buffer, std::uint64_t first_byte, std::uint64_t n, const element& type);

// What went wrong, told with the device, and with a shard's number.
error with_device(const error& trouble, const call_site& site);
error of_shard(const error& trouble, std::size_t k, std::size_t count, const call_site& site);

// Does something on a device of no shard. What it throws names the device.
template <class Do>
auto for_site(const call_site& site, const Do& what) {
  try {
    return what();
  } catch (const error& trouble) {
    throw with_device(trouble, site);
  }
}

// Does something for shard `k` of `count`. What it throws names the shard and the site's device.
template <class Do>
auto for_shard(std::size_t k, std::size_t count, const call_site& site, const Do& what) {
  try {
    return what();
  } catch (const error& trouble) {
    throw of_shard(trouble, k, count, site);
  }
}

}  // namespace clwave::detail
