// What tests of selections share: inputs in runs, structures, and what a call with two outputs leaves.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include <clwave/op.hpp>
#include <clwave/view.hpp>

#include "harness/captures.hpp"
#include "harness/changed_kernels.hpp"
#include "harness/devices.hpp"
#include "harness/reference.hpp"

namespace testing {

struct person {  // of an odd size
  u32 key, words[2];
  bool operator==(const person&) const = default;
};
struct parcel {  // larger than a packet
  u64 key, words[4];
  bool operator==(const parcel&) const = default;
};

}  // namespace testing

CLWAVE_STRUCTURE(testing::person, "person", "typedef struct { uint key, words[2]; } person;")
CLWAVE_STRUCTURE(testing::parcel, "parcel", "typedef struct { ulong key, words[4]; } parcel;")

namespace testing {

template <class T>
std::vector<unsigned char> bytes_of(const std::vector<T>& values) {
  const auto* first = reinterpret_cast<const unsigned char*>(values.data());
  return {first, first + values.size() * sizeof(T)};
}

// Numbers in runs of up to `longest`.
template <class T>
std::vector<T> runs_of(reference::random_engine& random, std::size_t n, std::size_t longest) {
  std::vector<T> values;
  while (values.size() < n) {
    const T value = static_cast<T>(random() % 7);
    for (std::size_t k = random() % longest + 1; k > 0 && values.size() < n; --k) values.push_back(value);
  }
  return values;
}

template <class T>
std::vector<T> random_bits(reference::random_engine& random, std::size_t n) {
  std::vector<T> values(n);
  for (T& value : values) {
    const u64 bits[] = {random(), random(), random(), random(), random()};
    static_assert(sizeof(T) <= sizeof bits);
    std::memcpy(static_cast<void*>(&value), bits, sizeof value);
  }
  return values;
}

// Calls sort(in, out), views of elements: apart, where they begin `offset` elements into their buffer, and in
// place. The results have the bytes of `right`, and nothing else is written.
template <class T, class Sort>
void check_apart_and_in_place(const fixture& on, const std::vector<T>& elements,
                              const std::vector<unsigned char>& right, const Sort& sort,
                              std::size_t offset = 3) {
  const std::size_t n = elements.size();
  std::vector<T> shifted(offset);
  shifted.insert(shifted.end(), elements.begin(), elements.end());
  const cl::Buffer in = on.buffer_of(shifted);
  const guarded_buffer<T> out(on, n), in_place(on, n);
  sort(clwave::view<const T>{in, n, offset}, out.view());
  CHECK(bytes_of(out.read_guarded()) == right);
  CHECK(bytes_of(on.read<T>(in, n + offset)) == bytes_of(shifted));
  if (n == 0) return;
  on.queue.enqueueCopyBuffer(in, in_place.buffer(), offset * sizeof(T), guarded_buffer<T>::guard * sizeof(T),
                             n * sizeof(T));
  sort(in_place.view(), in_place.view());
  CHECK(bytes_of(in_place.read_guarded()) == right);
}

// What a call leaves: the kept elements, behind them the others where they are stored.
template <class T>
struct selection {
  std::vector<T> stored;
  std::size_t kept = 0;
};

template <class T, class Keeps>
selection<T> selected(const std::vector<T>& values, std::size_t offset, const Keeps& keeps, bool split) {
  selection<T> all;
  for (std::size_t i = offset; i < values.size(); ++i)
    if (keeps(i)) all.stored.push_back(values[i]);
  all.kept = all.stored.size();
  for (std::size_t i = offset; split && i < values.size(); ++i)
    if (!keeps(i)) all.stored.push_back(values[i]);
  return all;
}

// Calls call(in, out, count), and once more without a count, with room for `capacity` results. Guards stand
// around the results, and behind those that there are nothing is written.
template <class T, class Call>
void check_results(const fixture& on, const std::vector<T>& values, std::size_t offset,
                   const selection<T>& expected, std::size_t capacity, const Call& call) {
  const std::size_t n = values.size() - offset;
  CAPTURES(n, offset, capacity);
  const cl::Buffer in = on.buffer_of(values);
  const guarded_buffer<T> out(on, capacity);
  const guarded_buffer<u64> count(on, 1);
  const std::vector<T> before = out.read();
  call(clwave::view<T>{in, n, offset}, out.view(), count.view());
  CHECK(count.first() == expected.kept);
  std::vector<T> right = before;
  std::copy_n(expected.stored.begin(), std::min(expected.stored.size(), capacity), right.begin());
  CHECK(bytes_of(out.read_guarded()) == bytes_of(right));
}

// Calls call(first, second, count), outputs with room for so many results each. The first results of each are
// there as far as it reaches, the count is `counted`, and nothing else is written.
template <class First, class Second, class Call>
void check_outputs(const fixture& on, const std::vector<First>& first, const std::vector<Second>& second,
                   std::pair<std::size_t, std::size_t> room, u64 counted, const Call& call) {
  CAPTURES(first.size(), second.size(), room.first, room.second);
  const guarded_buffer<First> firsts(on, room.first);
  const guarded_buffer<Second> seconds(on, room.second);
  const guarded_buffer<u64> count(on, 1);
  std::vector<First> right = firsts.read();
  std::vector<Second> right_second = seconds.read();
  call(firsts.view(), seconds.view(), count.view());
  CHECK(count.first() == counted);
  std::copy_n(first.begin(), std::min(first.size(), room.first), right.begin());
  std::copy_n(second.begin(), std::min(second.size(), room.second), right_second.begin());
  CHECK(bytes_of(firsts.read_guarded()) == bytes_of(right));
  CHECK(bytes_of(seconds.read_guarded()) == bytes_of(right_second));
}

// The same of results in pairs, which are there as far as both outputs reach.
template <class First, class Second, class Call>
void check_two_outputs(const fixture& on, const std::vector<First>& first, const std::vector<Second>& second,
                       std::pair<std::size_t, std::size_t> room, const Call& call) {
  const std::size_t stored = std::min({first.size(), room.first, room.second});
  check_outputs(on, std::vector<First>(first.begin(), first.begin() + stored),
                std::vector<Second>(second.begin(), second.begin() + stored), room, first.size(), call);
}

// Runs with kernels of which some tiles' groups post neither what they count nor later what all tiles up to
// them count: those for which the text `silent` is true.
inline void with_silent_tiles(const std::string& silent, bool first_message,
                              const std::function<void()>& run) {
  const std::string post = "if (own_id_anew() == 0 && tile + 1 < tiles";
  const std::string text = post + (first_message ? ") post_count(messages, tile, call, own"
                                                 : ") post_count(messages, tile, call, kept_together");
  with_changed_kernels("primitives/select_one_pass.cl", text,
                       post + " && !(" + silent + ")" + text.substr(post.size()), run);
}

// Runs check(fresh) under a row, with a fixture of its own, whose programs are built anew.
template <class Check>
std::function<void()> freshly(const char* row, const Check& check) {
  return [row, &check] {
    const fixture fresh;
    const forced_profile forced(row);
    check(fresh);
  };
}

// The same where most tiles' groups keep silent, or every second one, or the last one is the first to start;
// lanes are a GPU's row.
template <class Check>
void whoever_keeps_silent(const Check& check, const char* lanes = "sm_90") {
  with_silent_tiles("tile + 1 < tiles", true, freshly(lanes, check));
  with_silent_tiles("tile % 2 == 0", false, freshly("cpu", check));
  with_changed_kernels("primitives/select_one_pass.cl", "return *number;", "return tiles - 1 - *number;",
                       freshly("cpu", check));
}

}  // namespace testing
