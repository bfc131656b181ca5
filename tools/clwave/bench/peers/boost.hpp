// Boost.Compute as a peer: what its contenders share.
#pragma once

#include "bench/bench.hpp"

#ifdef CLWAVE_BENCH_BOOST
#include <boost/compute/command_queue.hpp>
#include <boost/compute/iterator/buffer_iterator.hpp>
#endif

namespace clwave::tool::bench {

inline contender without_boost() { return skipped("Boost.Compute was not found when clwave was configured"); }

#ifdef CLWAVE_BENCH_BOOST
namespace compute = boost::compute;

template <class T>
compute::buffer_iterator<T> boost_at(const cl::Buffer& buffer, std::uint64_t first) {
  return {compute::buffer(buffer()), static_cast<std::size_t>(first)};
}
#endif

}  // namespace clwave::tool::bench
