// The right answers to reductions of the pools, in clwave's fold order and in any.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <map>
#include <thread>
#include <tuple>
#include <type_traits>

#include "bench/random.hpp"
#include "bench/rows/reduce.hpp"

namespace clwave::tool::bench {
namespace {

template <class F>
void in_parallel(std::size_t n, const F& work) {
  const std::size_t threads =
      std::min<std::size_t>(std::max(1u, std::thread::hardware_concurrency()), n / 16 + 1);
  std::vector<std::thread> all;
  for (std::size_t t = 0; t < threads; ++t)
    all.emplace_back([&, t] {
      for (std::size_t i = n * t / threads; i < n * (t + 1) / threads; ++i) work(i);
    });
  for (std::thread& t : all) t.join();
}

// One tile of the fold orders of include/clwave/reduce.hpp: `ordered`, of an operator that does not commute.
template <class Acc, class At>
Acc fold_one_tile(std::uint64_t first, std::uint64_t n, bool ordered, const At& at) {
  std::array<Acc, fold_accumulators> level{};
  std::size_t used = std::min<std::uint64_t>(n, fold_accumulators);
  if (ordered) {
    constexpr std::uint64_t rows = fold_tile / fold_accumulators;
    used = (n + rows - 1) / rows;
    for (std::uint64_t i = 0; i < n; ++i)
      level[i / rows] =
          i % rows == 0 ? static_cast<Acc>(at(first + i)) : static_cast<Acc>(level[i / rows] + at(first + i));
  } else {
    for (std::size_t j = 0; j < used; ++j) level[j] = static_cast<Acc>(at(first + j));
    for (std::uint64_t from = fold_accumulators; from < n; from += fold_accumulators) {
      const std::size_t count = std::min<std::uint64_t>(n - from, fold_accumulators);
      for (std::size_t j = 0; j < count; ++j) level[j] = static_cast<Acc>(level[j] + at(first + from + j));
    }
  }
  std::size_t count = used;
  while (count > 1) {
    for (std::size_t j = 0; j < count / 2; ++j) level[j] = static_cast<Acc>(level[2 * j] + level[2 * j + 1]);
    if (count % 2 == 1) level[count / 2] = level[count - 1];
    count = (count + 1) / 2;
  }
  return level[0];
}

template <class Acc, class At>
Acc fold_sum(std::uint64_t n, bool ordered, const At& at) {
  std::vector<Acc> tiles((n + fold_tile - 1) / fold_tile);
  in_parallel(tiles.size(), [&](std::size_t t) {
    tiles[t] =
        fold_one_tile<Acc>(t * fold_tile, std::min<std::uint64_t>(fold_tile, n - t * fold_tile), ordered, at);
  });
  // The tiles' results are a shorter input, folded the same way.
  while (tiles.size() > 1) {
    std::vector<Acc> next((tiles.size() + fold_tile - 1) / fold_tile);
    for (std::size_t t = 0; t < next.size(); ++t)
      next[t] = fold_one_tile<Acc>(t * fold_tile, std::min(fold_tile, tiles.size() - t * fold_tile), ordered,
                                   [&](std::uint64_t i) { return tiles[i]; });
    tiles = std::move(next);
  }
  return tiles[0];
}

template <class T>
std::vector<unsigned char> bytes_of_value(T value) {
  std::vector<unsigned char> bytes(sizeof value);
  std::memcpy(bytes.data(), &value, sizeof value);
  return bytes;
}

// A sum in clwave's order, its value in double, and the error that any order can make: at the worst
// n values of a random walk of at most sqrt(n) each are rounded once.
template <class Acc, class At>
answer sum_answer(std::uint64_t n, const At& at, bool ordered = false) {
  answer a;
  const Acc folded = fold_sum<Acc>(n, ordered, at);
  a.bits = bytes_of_value(folded);
  a.value = static_cast<double>(folded);
  if constexpr (std::is_same_v<Acc, float>) {
    a.value = fold_sum<double>(n, ordered, at);
    a.tolerance = 0x1p-23 * static_cast<double>(n);
  } else if constexpr (std::is_same_v<Acc, double>) {
    a.tolerance = 0x1p-52 * static_cast<double>(n);
  }
  return a;
}

answer max_answer(std::uint64_t n, std::uint64_t first, std::uint32_t seed, bool indexed) {
  constexpr std::uint64_t piece = 1 << 16;
  std::vector<std::pair<float, std::uint64_t>> best((n + piece - 1) / piece, {-2.0f, 0});
  in_parallel(best.size(), [&](std::size_t p) {
    for (std::uint64_t i = p * piece; i < std::min(n, (p + 1) * piece); ++i) {
      const float x = random_of<float>::at(first + i, seed);
      if (x > best[p].first) best[p] = {x, i};
    }
  });
  std::pair<float, std::uint64_t> all = best[0];
  for (const auto& b : best) {
    if (b.first > all.first) all = b;
  }
  answer a;
  a.bits = bytes_of_value(all.first);
  a.value = double{all.first};
  if (indexed) {
    const auto index = bytes_of_value(all.second);
    a.bits.insert(a.bits.end(), index.begin(), index.end());
  }
  return a;
}

answer make_answer(const reduction& what, std::uint64_t n, std::uint64_t first, std::uint32_t seed) {
  const auto at = [&]<class T>(std::type_identity<T>) {
    return [first, seed](std::uint64_t i) { return random_of<T>::at(first + i, seed); };
  };
  if (what.op == "max" || what.op == "argmax") return max_answer(n, first, seed, what.op == "argmax");
  if (what.op == "dot")
    return sum_answer<float>(n, [&](std::uint64_t i) {
      return random_of<float>::at(first + i, seed) * random_of<float>::at(first + i, second_seed);
    });
  if (what.type == "f32")
    return sum_answer<float>(n, at(std::type_identity<float>()), what.op == "sum-ordered");
  if (what.type == "f64") return sum_answer<double>(n, at(std::type_identity<double>()));
  if (what.type == "f16-f32") return sum_answer<float>(n, at(std::type_identity<half>()));
  if (what.type == "i32") {
    // Wraps, as the device's integers do; unsigned, where that is defined.
    answer a = sum_answer<std::uint32_t>(n, [&](std::uint64_t i) {
      return static_cast<std::uint32_t>(random_of<std::int32_t>::at(first + i, seed));
    });
    a.value = static_cast<double>(static_cast<std::int32_t>(static_cast<std::uint32_t>(a.value)));
    return a;
  }
  return sum_answer<std::uint32_t>(n, at(std::type_identity<std::uint8_t>()));
}

template <class T>
double value_at(const void* bytes) {
  T value;
  std::memcpy(&value, bytes, sizeof value);
  return static_cast<double>(value);
}

}  // namespace

const answer& answer_of(const reduction& what, std::uint64_t n, std::uint64_t first, std::uint32_t seed) {
  using key = std::tuple<std::string, std::string, std::uint64_t, std::uint64_t, std::uint32_t>;
  static std::map<key, answer> known;
  const auto [it, is_new] = known.try_emplace(key{what.op, what.type, n, first, seed});
  if (is_new) it->second = make_answer(what, n, first, seed);
  return it->second;
}

std::string compare(const answer& right, const reduction& what, const void* value, const std::uint64_t* index,
                    bool exact) {
  const std::size_t size = what.type == "f64" ? 8 : 4;
  const double got = what.type == "f64"      ? value_at<double>(value)
                     : what.type == "i32"    ? value_at<std::int32_t>(value)
                     : what.type == "u8-u32" ? value_at<std::uint32_t>(value)
                                             : value_at<float>(value);
  const bool value_right = exact || right.tolerance == 0 ? std::memcmp(value, right.bits.data(), size) == 0
                                                         : std::abs(got - right.value) <= right.tolerance;
  if (!value_right) {
    char text[160];
    std::snprintf(text, sizeof text, "the value is %.17g and should be %.17g%s", got, right.value,
                  exact ? ", in the bits of clwave's order" : "");
    return text;
  }
  if (index != nullptr) {
    std::uint64_t should = 0;
    std::memcpy(&should, right.bits.data() + size, sizeof should);
    if (*index != should)
      return "the index is " + std::to_string(*index) + " and should be " + std::to_string(should);
  }
  return {};
}

std::size_t size_of_input(const reduction& what) { return find_element(input_type(what.type))->size; }

double bytes_of(const reduce_task& task) {
  const double inputs = task.what.op == "dot" ? 2 : 1;
  return inputs * static_cast<double>(task.at.n * size_of_input(task.what));
}

void check_result_at(laboratory& lab, contender& c, const reduce_task& task, const cl::Buffer& out,
                     bool exact) {
  c.spoil = [&lab, out] { lab.spoil(out, 16); };
  c.wrong = [&lab, out, task, exact](std::size_t place) {
    std::array<unsigned char, 16> got{};
    detail::check(lab.on.queue.enqueueReadBuffer(out, CL_TRUE, 0, got.size(), got.data()), "read the result");
    std::uint64_t index = 0;
    std::memcpy(&index, got.data() + 8, sizeof index);
    const answer& right =
        answer_of(task.what, task.at.n, place * task.at.stride + first_of(task.what), first_seed);
    return compare(right, task.what, got.data(), task.what.op == "argmax" ? &index : nullptr, exact);
  };
}

}  // namespace clwave::tool::bench
