// What the tests of gathers and scatters share: elements of every size between others, and what calls must
// make of them.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include <doctest/doctest.h>

#include <clwave/gather.hpp>

#include "harness/captures.hpp"
#include "harness/devices.hpp"
#include "harness/reference.hpp"

namespace testing {

inline element moved_element(std::size_t size) {
  return clwave::detail::make_element("moved", "", size, clwave::element_kind::opaque, 1);
}

// A gather or a scatter of elements of `size` bytes by n indices into `reach` of them, whose operands begin
// at odd places.
struct moved_elements {
  std::size_t size = 1, n = 0, reach = 0;
  bool scatter = false, outside = false, counts = false;
};

// Calls by these indices, those of which is_used(i) says that they do anything; `complete` adds to the
// problem what else it has.
template <class Index, class IsUsed, class Complete>
void check_moved_elements(const fixture& on, random_engine& random, const moved_elements& c,
                          const std::vector<Index>& indices, const IsUsed& is_used,
                          const Complete& complete) {
  CAPTURES(c.size, c.n, c.reach, c.scatter, sizeof(Index));
  using bytes = std::vector<unsigned char>;
  using reference::random_bytes;
  const element type = moved_element(c.size);
  const std::size_t x_n = c.scatter ? c.n : c.reach, out_n = c.scatter ? c.reach : c.n;
  const std::size_t x_first = random.below(6), index_first = random.below(6), out_first = random.below(6);
  const bytes x = random_bytes((x_first + x_n + 2) * c.size);
  bytes out = random_bytes((out_first + out_n + 130) * c.size);
  std::vector<Index> placed(index_first);
  placed.insert(placed.end(), indices.begin(), indices.end());
  const bytes outside = random_bytes(c.size), zeros(c.size);
  const cl::Buffer xs = on.buffer_of(x), at = on.buffer_of(placed), to = on.buffer_of(out);
  const guarded_buffer<u64> bad(on, 1);
  clwave::gather_problem problem{.in = any_view(xs(), x_n, x_first, &type),
                                 .indices = any_view(at(), c.n, index_first, &element_of<Index>()),
                                 .out = any_view(to(), out_n, out_first, &type),
                                 .scatter = c.scatter,
                                 .outside = c.outside ? outside.data() : nullptr};
  if (c.counts) problem.bad = any_view(bad.view());
  complete(problem);
  clwave::gather(on.queue(), problem).wait();

  u64 are_outside = 0;
  const auto element_at = [&](const bytes& all, std::size_t i) { return all.data() + i * c.size; };
  // Of elements that several indices name, any one may be left.
  std::vector<std::vector<std::size_t>> candidates(c.scatter ? out_n : 0);
  for (std::size_t i = 0; i < c.n; ++i) {
    if (!is_used(i)) continue;
    const bool is_inside = indices[i] < c.reach;
    are_outside += is_inside ? 0 : 1;
    if (!c.scatter) {
      const unsigned char* from = is_inside ? element_at(x, x_first + static_cast<std::size_t>(indices[i]))
                                            : (c.outside ? outside : zeros).data();
      std::memcpy(out.data() + (out_first + i) * c.size, from, c.size);
    } else if (is_inside) {
      candidates[static_cast<std::size_t>(indices[i])].push_back(i);
    }
  }
  const bytes now = on.read<unsigned char>(to, out.size());
  std::size_t torn = 0;
  for (std::size_t k = 0; k < candidates.size(); ++k) {
    if (candidates[k].empty()) continue;
    const unsigned char* result = element_at(now, out_first + k);
    torn += std::none_of(
                candidates[k].begin(), candidates[k].end(),
                [&](std::size_t i) { return std::memcmp(result, element_at(x, x_first + i), c.size) == 0; })
                ? 1
                : 0;
    std::memcpy(out.data() + (out_first + k) * c.size, result, c.size);
  }
  CHECK(torn == 0);
  CHECK(now == out);
  if (c.counts) CHECK(bad.first() == are_outside);
  CHECK((c.counts ? bad.guards_intact() : bad.intact()));
}

// Reorders n elements of `size` bytes from odd places on, into poisoned memory. `problem` says how, and
// source_of(i) which element then lies at place i.
template <class SourceOf>
void check_reordered(const fixture& on, random_engine& random, std::size_t size, std::size_t n,
                     clwave::reorder_problem problem, const SourceOf& source_of) {
  CAPTURES(size, n);
  const element type = moved_element(size);
  const std::size_t x_first = random.below(6), out_first = random.below(6);
  const std::vector<unsigned char> x = reference::random_bytes((x_first + n + 2) * size);
  std::vector<unsigned char> out = reference::random_bytes((out_first + n + 70) * size);
  const cl::Buffer xs = on.buffer_of(x), to = on.buffer_of(out);
  problem.in = any_view(xs(), n, x_first, &type);
  problem.out = any_view(to(), n, out_first, &type);
  clwave::reorder(on.queue(), problem).wait();
  for (std::size_t i = 0; i < n; ++i)
    std::memcpy(out.data() + (out_first + i) * size, x.data() + (x_first + source_of(i)) * size, size);
  CHECK(on.read<unsigned char>(to, out.size()) == out);
}

}  // namespace testing
