// detail::short_list: elements in itself and on the heap, and what of it stays where it is.
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include "base/short_list.hpp"

namespace testing::short_list_test {
namespace {

using list = clwave::detail::short_list<int, 2>;

std::vector<int> elements(const list& of) { return {of.begin(), of.end()}; }

}  // namespace

TEST_CASE("a short list holds what is added, as copies and moved lists do") {
  for (int n = 0; n <= 9; ++n) {
    CAPTURE(n);
    list all;
    std::vector<int> expected;
    for (int k = 0; k < n; ++k) {
      CHECK(all.emplace_back(k) == k);
      expected.push_back(k);
    }
    CHECK(elements(all) == expected);
    CHECK(all.size() == expected.size());
    CHECK(all.empty() == expected.empty());
    if (n > 0) {
      CHECK(all.front() == 0);
      CHECK(all.back() == n - 1);
    }
    const list copy = all;
    list moved = std::move(all);
    CHECK(elements(copy) == expected);
    CHECK(elements(moved) == expected);
    moved.emplace_back(n);
    expected.push_back(n);
    CHECK(elements(moved) == expected);
  }
}

TEST_CASE("elements of a short list stay where they are while those are added that there is room for") {
  for (const std::size_t room : {1, 2, 3, 8}) {
    for (const std::size_t before : {0, 1, 2, 5}) {
      list all;
      for (std::size_t k = 0; k < before; ++k) all.emplace_back(static_cast<int>(k));
      all.reserve(before + room);
      const int* const first = &all.emplace_back(7);
      for (std::size_t k = 1; k < room; ++k) all.emplace_back(8);
      CHECK(first == &all[before]);
      CHECK(all.size() == before + room);
      CHECK(*first == 7);
      for (std::size_t k = 0; k < before; ++k) CHECK(all[k] == static_cast<int>(k));
    }
  }
}

}  // namespace testing::short_list_test
