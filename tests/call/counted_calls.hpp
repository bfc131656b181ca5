// Calls with their count on the device beside the same calls with it on the host: what they share.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <limits>
#include <numeric>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <clwave/any_view.hpp>

#include "harness/captures.hpp"
#include "harness/devices.hpp"
#include "harness/emulated_rows.hpp"

namespace testing {

using bytes = std::vector<unsigned char>;

// Arrays that begin at odd places of their buffers.
struct arrays {
  arrays(const fixture& on, reference::random_engine& random, std::size_t most)
      : n(most), at(random.below(6)) {
    std::vector<float> floats(at + n);
    std::vector<int> keys(at + n), long_keys(at + n);
    std::vector<unsigned char> marks(at + n);
    std::vector<u32> places(at + n), lower(at + n), upper(at + n);
    for (std::size_t i = 0; i < at + n; ++i) {
      floats[i] = static_cast<float>(random.below(1000)) / 8 - 50;
      keys[i] = i > 0 && random.below(4) != 0 ? keys[i - 1] : static_cast<int>(random.below(5)) - 2;
      long_keys[i] = i > 0 && random.below(8000) != 0 ? long_keys[i - 1] : static_cast<int>(i);
      marks[i] = static_cast<unsigned char>(random.below(2));
      lower[i] = static_cast<u32>((i > at ? lower[i - 1] : 0) + random.below(3));
      upper[i] = static_cast<u32>((i > at ? upper[i - 1] : 1000) + random.below(4));
    }
    std::iota(places.begin() + static_cast<std::ptrdiff_t>(at), places.end(), 0);
    for (std::size_t k = n; k > 1; --k) std::swap(places[at + k - 1], places[at + random.below(k)]);
    x = on.buffer_of(floats);
    keyed = on.buffer_of(keys);
    long_keyed = on.buffer_of(long_keys);
    flags = on.buffer_of(marks);
    indices = on.buffer_of(places);
    rising = on.buffer_of(lower);
    rising_further = on.buffer_of(upper);
    for (cl::Buffer* each : {&wide, &out, &second}) {
      bytes poison((at + n + 1) * 16);
      for (unsigned char& byte : poison) byte = static_cast<unsigned char>(random());
      *each = on.buffer_of(poison);
    }
  }

  any_view of(const cl::Buffer& buffer, const element& type) const {
    return any_view(buffer(), n, at, &type);
  }

  std::size_t n, at;
  cl::Buffer x, keyed, long_keyed, flags, indices, rising, rising_further, wide, out, second;
};

// So many of a view's elements: as the host knows it, or as a number on the device says.
struct length {
  u64 n = 0;
  const any_view* count = nullptr;

  any_view first(any_view all) const {
    if (count == nullptr) all.n = n;
    all.count = count;
    return all;
  }
  any_view beside(any_view all) const {
    if (count == nullptr) all.n = n;
    return all;
  }
};

struct counted_call {
  std::string name;
  std::function<void(cl_command_queue, const arrays&, const length&, const any_view& kept)> run;
};

// What a call leaves, everywhere.
inline std::vector<bytes> left_by(const fixture& on, const counted_call& call, const arrays& a,
                                  const std::vector<bytes>& before, const length& l, const any_view& kept) {
  const cl::Buffer* outputs[] = {&a.out, &a.second};
  for (std::size_t k = 0; k < 2; ++k)
    on.queue.enqueueWriteBuffer(*outputs[k], CL_TRUE, 0, before[k].size(), before[k].data());
  constexpr u64 unwritten = 77;
  const cl::Buffer place = cl::Buffer(kept.buffer, true);
  on.queue.enqueueWriteBuffer(place, CL_TRUE, 0, sizeof unwritten, &unwritten);
  call.run(on.queue(), a, l, kept);
  std::vector<bytes> left;
  for (std::size_t k = 0; k < 2; ++k) left.push_back(on.read<unsigned char>(*outputs[k], before[k].size()));
  left.push_back(on.read<unsigned char>(place, 8));
  return left;
}

template <class Count>
any_view number_on(const fixture& on, std::vector<cl::Buffer>& kept, u64 n, std::size_t at) {
  std::vector<Count> numbers(at + 2, 12345);
  numbers[at] = static_cast<Count>(std::min<u64>(n, std::numeric_limits<Count>::max()));
  kept.push_back(on.buffer_of(numbers));
  return any_view(kept.back()(), 1, at, &element_of<Count>());
}

inline void check_counts(const fixture& on, reference::random_engine& random, std::size_t most,
                         const counted_call& call, const std::vector<u64>& counts) {
  CAPTURES(call.name, most);
  const arrays a(on, random, most);
  const std::vector<bytes> before{on.read<unsigned char>(a.out, (a.at + most + 1) * 16),
                                  on.read<unsigned char>(a.second, (a.at + most + 1) * 16)};
  const cl::Buffer place = on.buffer_of(std::vector<u64>{77});
  const any_view kept(place(), 1, 0, &element_of<u64>());
  for (const u64 n : counts) {
    CAPTURE(n);
    std::vector<cl::Buffer> numbers;
    const any_view count = random.below(2) == 0 ? number_on<u32>(on, numbers, n, random.below(3))
                                                : number_on<u64>(on, numbers, n, random.below(3));
    const auto expected = left_by(on, call, a, before, {std::min<u64>(n, most), nullptr}, kept);
    CHECK(left_by(on, call, a, before, {most, &count}, kept) == expected);
    // Once more: what the first call left in the workspace is no harm.
    CHECK(left_by(on, call, a, before, {most, &count}, kept) == expected);
  }
}

// Some of the calls, with counts from 0 past the room there is for elements.
inline void check_counts_of(const std::vector<counted_call>& calls) {
  fixture& on = default_fixture();
  reference::random_engine random;
  sample some(6);
  for (const counted_call& call : calls) {
    if (!some.takes_next()) continue;
    check_counts(on, random, 1, call, {0, 1, 5});
    check_counts(on, random, 1000, call, {0, 3, 999, 1000, 1001});
    const std::size_t most = 100'000 + random.below(100'000);
    check_counts(on, random, most, call,
                 {0, 1, random.below(20'000), 8192, 16384, random.below(most), most - 1, most, ~u64{0}});
  }
}

// The same on rows of the table, in fewer cases. `loops`: whether a call's groups take several blocks, for
// which there must be more elements.
template <class Loops>
void check_counts_on_rows(const std::vector<counted_call>& calls, Loops loops) {
  fixture& on = default_fixture();
  reference::random_engine random;
  for_each_profile([&](const clwave::profile& row) {
    if (!takes_row(on, random, std::string(row.name))) return;
    const fixture fresh(on.device());
    sample some(16);
    for (const counted_call& call : calls) {
      if (!some.takes_next()) continue;
      const std::size_t most = (loops(call) ? 250'000 : 30'000) + random.below(30'000);
      check_counts(fresh, random, most, call, {0, 1 + random.below(500), random.below(most), most});
    }
  });
}

}  // namespace testing
