// Calls on arrays in shards, of all primitives that take such, for tests of what holds for each of them.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <numeric>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <clwave/ranks.hpp>
#include <clwave/reduce.hpp>
#include <clwave/sharded.hpp>
#include <clwave/sharded_statistics.hpp>

#include "distributed/thread_ranks.hpp"

// A tree may be without one of these primitives (removal_test.py).
#if __has_include(<clwave/sharded_scan.hpp>)
#include <clwave/ranks_scan.hpp>
#include <clwave/sharded_scan.hpp>
#define PARTS_ARE_SCANNED
#endif
#if __has_include(<clwave/sharded_histogram.hpp>)
#include <clwave/ranks_histogram.hpp>
#include <clwave/sharded_histogram.hpp>
#define PARTS_ARE_COUNTED
#endif
#if __has_include(<clwave/sharded_reduce_rows.hpp>)
#include <clwave/sharded_reduce_rows.hpp>
#define PARTS_HAVE_ROWS
#endif

namespace testing {

using number = std::uint32_t;
using numbers = std::vector<number>;
using shards_of_numbers = std::vector<clwave::sharded<number>::shard>;

inline clwave::sharded<number> all_of(const shards_of_numbers& shards) {
  clwave::sharded<number> all;
  for (const auto& each : shards) all.add(each);
  return all;
}

// Where a call's results go.
enum class sharded_output {
  returned,
  cut_alike,  // to an array that is cut as the input is
  in_place,   // to the input's
  together,   // to one buffer
};

// What a call is given.
struct sharded_arrays {
  std::vector<shards_of_numbers> in;  // x, and y where there are two
  shards_of_numbers out = {};         // where cut alike
  cl_command_queue queue = nullptr;   // where together
  cl_mem results = nullptr;
  clwave::wait_list after = {};
};

// In expected results: a number that may be any, as between an element and its index.
inline constexpr number undefined = 0xdeadbeef;

inline bool are_as_expected(const numbers& got, const numbers& expected) {
  return std::ranges::equal(got, expected, [](number a, number b) { return b == undefined || a == b; });
}

struct sharded_call_case {
  std::string name;
  std::size_t inputs;
  sharded_output output;
  std::size_t result_numbers;                                // where together
  std::function<numbers(const sharded_arrays& given)> call;  // what it returns
  // What it returns, or what is in the output then.
  std::function<numbers(const numbers& x, const numbers& y)> expected;
};

// Elements of these arrays, by turns one row of two channels, and rows shorter and longer than a tile.
inline constexpr std::size_t many_numbers = 40'000, short_rows = 5, long_rows = 2;
// Elements are below this.
inline constexpr number end_of_numbers = 1024;

namespace sharded_calls {

inline numbers first_place(const numbers& x, std::size_t begin, std::size_t end) {
  const auto least = std::min_element(x.begin() + static_cast<std::ptrdiff_t>(begin),
                                      x.begin() + static_cast<std::ptrdiff_t>(end));
  return {*least, static_cast<number>(least - x.begin() - static_cast<std::ptrdiff_t>(begin))};
}

inline numbers of(const clwave::indexed<number>& found) {
  return {found.value, static_cast<number>(found.index)};
}

inline numbers sum_of(const numbers& x) { return {std::accumulate(x.begin(), x.end(), number{0})}; }

inline numbers sums_upto(const numbers& x) {
  numbers all(x.size());
  std::partial_sum(x.begin(), x.end(), all.begin());
  return all;
}

inline numbers sums_before(const numbers& x) {
  numbers all(x.size());
  for (std::size_t i = 1; i < x.size(); ++i) all[i] = all[i - 1] + x[i - 1];
  return all;
}

// Each of so many ranks has its share of the shards; each returns the same.
inline numbers over_ranks(std::uint32_t ranks, const sharded_arrays& given,
                          const std::function<numbers(clwave::ranks& all, const sharded_arrays& own)>& call) {
  mailbox box(ranks);
  std::vector<numbers> got(ranks);
  const auto thrown = on_ranks(box, [&](clwave::ranks& all) {
    const auto share = [&](const shards_of_numbers& shards) {
      const std::size_t rank = all.rank(), first = rank * shards.size() / ranks,
                        end = (rank + 1) * shards.size() / ranks;
      shards_of_numbers own(shards.begin() + static_cast<std::ptrdiff_t>(first),
                            shards.begin() + static_cast<std::ptrdiff_t>(end));
      if (own.empty()) {  // a device has to be known
        own.push_back(shards[0]);
        own[0].erased.elements.n = 0;
      }
      return own;
    };
    sharded_arrays own = given;
    for (shards_of_numbers& each : own.in) each = share(each);
    own.out = given.out.empty() ? own.out : share(given.out);
    got[all.rank()] = call(all, own);
  });
  for (const std::string& each : thrown)
    if (!each.empty()) throw std::runtime_error(each);
  for (const numbers& each : got)
    if (each != got[0]) throw std::runtime_error("two ranks have different results");
  return got[0];
}

inline void add_folds(std::vector<sharded_call_case>& all) {
  const auto returned = sharded_output::returned;
  const auto sum = [](const numbers& x, const numbers&) { return sum_of(x); };
  const auto product = [](const numbers& x, const numbers& y) {
    return numbers{std::inner_product(x.begin(), x.end(), y.begin(), number{0})};
  };
  const auto least = [](const numbers& x, const numbers&) { return first_place(x, 0, x.size()); };
  all.push_back({"reduce", 1, returned, 0,
                 [](const sharded_arrays& a) { return numbers{clwave::reduce(all_of(a.in[0]))}; }, sum});
  all.push_back(
      {"dot", 2, returned, 0,
       [](const sharded_arrays& a) { return numbers{clwave::dot(all_of(a.in[0]), all_of(a.in[1]))}; },
       product});
  all.push_back({"argmin", 1, returned, 0,
                 [](const sharded_arrays& a) { return of(clwave::argmin(all_of(a.in[0]))); }, least});
  all.push_back({"minmax", 1, returned, 0,
                 [](const sharded_arrays& a) {
                   const auto [least_one, greatest] = clwave::minmax(all_of(a.in[0]));
                   return numbers{least_one, greatest};
                 },
                 [](const numbers& x, const numbers&) {
                   return numbers{*std::ranges::min_element(x), *std::ranges::max_element(x)};
                 }});
  for (const std::uint32_t ranks : {1u, 3u}) {
    const std::string over = " over " + std::to_string(ranks) + " ranks";
    all.push_back({"reduce" + over, 1, returned, 0,
                   [ranks](const sharded_arrays& a) {
                     return over_ranks(ranks, a, [](clwave::ranks& everyone, const sharded_arrays& own) {
                       return numbers{clwave::reduce(everyone, all_of(own.in[0]))};
                     });
                   },
                   sum});
    all.push_back({"dot" + over, 2, returned, 0,
                   [ranks](const sharded_arrays& a) {
                     return over_ranks(ranks, a, [](clwave::ranks& everyone, const sharded_arrays& own) {
                       return numbers{clwave::dot(everyone, all_of(own.in[0]), all_of(own.in[1]))};
                     });
                   },
                   product});
    all.push_back({"argmin" + over, 1, returned, 0,
                   [ranks](const sharded_arrays& a) {
                     return over_ranks(ranks, a, [](clwave::ranks& everyone, const sharded_arrays& own) {
                       return of(clwave::argmin(everyone, all_of(own.in[0])));
                     });
                   },
                   least});
  }
}

#ifdef PARTS_ARE_SCANNED
inline void add_scans(std::vector<sharded_call_case>& all) {
  const auto upto = [](const numbers& x, const numbers&) { return sums_upto(x); };
  const auto before = [](const numbers& x, const numbers&) { return sums_before(x); };
  for (const bool in_place : {false, true}) {
    const std::string where = in_place ? " in place" : "";
    const auto output = in_place ? sharded_output::in_place : sharded_output::cut_alike;
    const auto out = [in_place](const sharded_arrays& a) { return all_of(in_place ? a.in[0] : a.out); };
    all.push_back({"inclusive_scan" + where, 1, output, 0,
                   [out](const sharded_arrays& a) {
                     clwave::inclusive_scan(all_of(a.in[0]), out(a));
                     return numbers{};
                   },
                   upto});
    for (const std::uint32_t ranks : {1u, 3u})
      all.push_back({"exclusive_scan over " + std::to_string(ranks) + " ranks" + where, 1, output, 0,
                     [out, ranks](const sharded_arrays& a) {
                       return over_ranks(ranks, a, [out](clwave::ranks& everyone, const sharded_arrays& own) {
                         clwave::exclusive_scan(everyone, all_of(own.in[0]), out(own));
                         return numbers{};
                       });
                     },
                     before});
  }
}
#endif

#ifdef PARTS_ARE_COUNTED
inline void add_histograms(std::vector<sharded_call_case>& all) {
  constexpr number bins = 8, width = end_of_numbers / bins, channels = 2;
  const auto counts = [](const numbers& x, const numbers&) {
    numbers counted(bins * channels);
    for (std::size_t i = 0; i < x.size(); ++i) ++counted[(i % channels) * bins + x[i] / width];
    return counted;
  };
  all.push_back({"histogram", 1, sharded_output::together, bins * channels,
                 [](const sharded_arrays& a) {
                   clwave::histogram(a.queue, all_of(a.in[0]),
                                     clwave::view<number>{a.results, bins * channels},
                                     clwave::even{0, bins * width}, {.channels = channels, .after = a.after});
                   return numbers{};
                 },
                 counts});
  all.push_back({"histogram by edges", 1, sharded_output::together, bins * channels,
                 [](const sharded_arrays& a) {
                   std::array<number, bins + 1> edges{};
                   for (number k = 0; k <= bins; ++k) edges[k] = k * width;
                   clwave::histogram(a.queue, all_of(a.in[0]),
                                     clwave::view<number>{a.results, bins * channels}, edges,
                                     {.channels = channels, .after = a.after});
                   return numbers{};
                 },
                 counts});
  // A rank has whole pixels; shards may be cut anywhere.
  for (const std::uint32_t ranks : {1u, 3u})
    all.push_back({"histogram over " + std::to_string(ranks) + " ranks", 1, sharded_output::returned, 0,
                   [ranks](const sharded_arrays& a) {
                     return over_ranks(ranks, a, [](clwave::ranks& everyone, const sharded_arrays& own) {
                       numbers counted(bins);
                       clwave::histogram(everyone, all_of(own.in[0]), counted, clwave::even{0, bins * width});
                       return counted;
                     });
                   },
                   [](const numbers& x, const numbers&) {
                     numbers counted(bins);
                     for (const number each : x) ++counted[each / width];
                     return counted;
                   }});
}
#endif

#ifdef PARTS_HAVE_ROWS
inline void add_rows(std::vector<sharded_call_case>& all) {
  for (const std::size_t rows : {short_rows, long_rows}) {
    const std::string of_rows = " of " + std::to_string(rows);
    const clwave::matrices size{.rows = rows, .columns = many_numbers / rows};
    all.push_back({"reduce_rows" + of_rows, 1, sharded_output::together, rows,
                   [size](const sharded_arrays& a) {
                     clwave::reduce_rows(a.queue, all_of(a.in[0]), clwave::view<number>{a.results, size.rows},
                                         size, clwave::plus, {.after = a.after});
                     return numbers{};
                   },
                   [size](const numbers& x, const numbers&) {
                     numbers sums(size.rows);
                     for (std::size_t i = 0; i < x.size(); ++i) sums[i / size.columns] += x[i];
                     return sums;
                   }});
    all.push_back({"argmin_rows" + of_rows, 1, sharded_output::together, 4 * rows,
                   [size](const sharded_arrays& a) {
                     clwave::argmin_rows(a.queue, all_of(a.in[0]),
                                         clwave::view<clwave::indexed<number>>{a.results, size.rows}, size,
                                         {.after = a.after});
                     return numbers{};
                   },
                   [size](const numbers& x, const numbers&) {
                     numbers found;
                     for (std::size_t row = 0; row < size.rows; ++row) {
                       const numbers one = first_place(x, row * size.columns, (row + 1) * size.columns);
                       found.insert(found.end(), {one[0], undefined, one[1], 0});
                     }
                     return found;
                   }});
  }
}
#endif

}  // namespace sharded_calls

// All of them.
inline std::vector<sharded_call_case> sharded_call_cases() {
  std::vector<sharded_call_case> all;
  sharded_calls::add_folds(all);
#ifdef PARTS_ARE_SCANNED
  sharded_calls::add_scans(all);
#endif
#ifdef PARTS_ARE_COUNTED
  sharded_calls::add_histograms(all);
#endif
#ifdef PARTS_HAVE_ROWS
  sharded_calls::add_rows(all);
#endif
  return all;
}

}  // namespace testing
