// Inputs that are no arrays: every call that takes them against the same call of an array with these
// elements, all bytes.
#if __has_include(<clwave/gather.hpp>) && __has_include(<clwave/histogram.hpp>) && \
    __has_include(<clwave/reduce_columns.hpp>) && __has_include(<clwave/reduce_rows.hpp>) && \
    __has_include(<clwave/scan.hpp>) && __has_include(<clwave/select.hpp>) && \
    __has_include(<clwave/sort.hpp>) && __has_include(<clwave/transform.hpp>)
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <functional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include <clwave.hpp>

#include "harness/captures.hpp"
#include "harness/devices.hpp"
#include "harness/emulated_rows.hpp"

namespace testing::lazy_inputs_test {

struct reading {
  float value;
  std::int32_t place;
  std::uint8_t marks[4];
};

}  // namespace testing::lazy_inputs_test

CLWAVE_STRUCTURE(testing::lazy_inputs_test::reading, "reading",
                 "typedef struct { float value; int place; uchar marks[4]; } reading;")

namespace testing::lazy_inputs_test {
namespace {

using clwave::lazy_view;

// Nothing keeps a pointer to a view that is gone.
static_assert(std::is_constructible_v<any_view, const lazy_view<float>&>);
static_assert(!std::is_constructible_v<any_view, lazy_view<float>>);
static_assert(!std::is_constructible_v<any_view, clwave::counted_view<float>>);
using shard = clwave::sharded<float>::shard;
static_assert(std::is_constructible_v<shard, cl_command_queue, view<float>>);
static_assert(!std::is_constructible_v<shard, cl_command_queue, lazy_view<float>>);
static_assert(!std::is_constructible_v<shard, cl_command_queue, clwave::counted_view<float>>);
static_assert(!std::is_constructible_v<clwave::workspace_view, clwave::counted_view<float>>);

// The same bits.
template <class T>
bool same(const std::vector<T>& a, const std::vector<T>& b) {
  return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0);
}
template <class T>
bool same(const T& a, const T& b) {
  return std::memcmp(&a, &b, sizeof a) == 0;
}

// What lies nowhere, and an array with the same elements.
template <class T>
struct pair_of {
  std::string name;
  lazy_view<T> lazy;
  std::vector<T> elements;
};

// Views that begin at odd places of their buffers.
struct arrays {
  arrays(const fixture& on, random_engine& random, std::size_t most) : n(most), at(1 + random.below(5)) {
    const std::size_t all = at + n;
    x.resize(all), y.resize(all), few.resize(all), far.resize(all), pointing.resize(all);
    for (float& each : x) each = static_cast<float>(random.below(1000)) / 8 - 50;
    for (std::int16_t& each : y) each = static_cast<std::int16_t>(random());
    for (std::uint8_t& each : few) each = static_cast<std::uint8_t>(random.below(3));
    // One in eight points outside, some far.
    for (u32& each : pointing) each = static_cast<u32>(random.below(n + n / 8 + 1));
    for (u64& each : far) each = random.below(16) == 0 ? random() : random.below(n + 1);
    x_buffer = on.buffer_of(x), y_buffer = on.buffer_of(y), few_buffer = on.buffer_of(few);
    pointing_buffer = on.buffer_of(pointing), far_buffer = on.buffer_of(far);
  }

  view<const float> x_view() const { return {x_buffer, n, at}; }
  view<const std::int16_t> y_view() const { return {y_buffer, n, at}; }
  view<const std::uint8_t> few_view() const { return {few_buffer, n, at}; }

  std::vector<pair_of<float>> pairs(random_engine& random) const {
    std::vector<pair_of<float>> all;
    const float outside = 7.25f;
    std::vector<float> gathered, by_far, stepped, backwards, mixed, of_index;
    const std::size_t step = 1 + random.below(5);
    const float t = static_cast<float>(random.below(100));
    for (std::size_t i = at; i < at + n; ++i) {
      gathered.push_back(pointing[i] < n ? x[at + pointing[i]] : outside);
      by_far.push_back(far[i] < n ? x[at + static_cast<std::size_t>(far[i])] : 0.0f);
      if ((i - at) % step == 0) stepped.push_back(x[i]);
      backwards.push_back(x[at + n - 1 - (i - at)]);
      // The same operations in the same order, each rounded.
      const float product = static_cast<float>(y[i]) * static_cast<float>(few[i]);
      mixed.push_back(x[i] > t
                          ? product
                          : static_cast<float>(i - at) + (pointing[i] < n ? x[at + pointing[i]] : outside));
      of_index.push_back(static_cast<float>((i - at) % 1000) * 0.5f);
    }
    const view<const u32> indices{pointing_buffer, n, at};
    all.push_back({"gather_of", clwave::gather_of(x_view(), indices, outside), gathered});
    all.push_back(
        {"gather_of, 64 bits", clwave::gather_of(x_view(), view<const u64>{far_buffer, n, at}), by_far});
    all.push_back({"strided", clwave::strided(x_view(), step), stepped});
    all.push_back({"reversed", clwave::reversed(x_view()), backwards});
    const map mix{
        .name = "mix", .source = "x > t ? (float)y * (float)z : (float)i + w", .values = {{"t", t}}};
    all.push_back(
        {"zip of four",
         clwave::transformed<float>(
             clwave::zip(x_view(), y_view(), few_view(), clwave::gather_of(x_view(), indices, outside)), mix),
         mixed});
    all.push_back(
        {"generate", clwave::generate<float>(n, {.name = "g", .source = "(i % 1000) * 0.5f"}), of_index});
    return all;
  }

  std::size_t n, at;
  std::vector<float> x;
  std::vector<std::int16_t> y;
  std::vector<std::uint8_t> few;
  std::vector<u32> pointing;
  std::vector<u64> far;
  cl::Buffer x_buffer, y_buffer, few_buffer, pointing_buffer, far_buffer;
};

// A call on an input: all bytes that it leaves, of a lazy view as of a view.
using bytes = std::vector<unsigned char>;
struct call_on {
  std::string name;
  std::function<bytes(const fixture&, const lazy_view<float>&)> lazy;
  std::function<bytes(const fixture&, const view<float>&)> array;
};

template <class T>
bytes bytes_of(const T& value) {
  bytes all(sizeof value);
  std::memcpy(all.data(), &value, sizeof value);
  return all;
}

bytes joined(bytes first, const bytes& second) {
  first.insert(first.end(), second.begin(), second.end());
  return first;
}

// Runs f(input, output) and gives the whole output, which was poison before.
template <class T, class Input, class F>
bytes left_by(const fixture& on, const Input& in, std::size_t n, const F& f) {
  const bytes poison(n * sizeof(T) + 64, 0xa5);
  const cl::Buffer out = on.buffer_of(poison);
  f(in, view<T>{out, n});
  return on.read<unsigned char>(out, poison.size());
}

template <class F>
call_on made(std::string name, const F& f) {
  return {std::move(name), f, f};
}

std::vector<call_on> calls() {
  static const map odd{.name = "odd", .source = "x > 5 || i % 7 == 0"};
  static const map twice{.name = "twice", .source = "x * 2 + i"};
  // Keeps order: a + b of what comes first.
  static const clwave::op later{
      .name = "later", .source = "b != 0 ? b : a", .identity = "0", .commutative = false};
  std::vector<call_on> all;
  const auto add = [&](std::string name, const auto& f) { all.push_back(made(std::move(name), f)); };
  // Calls that return a value: f(queue, input).
  const auto value = [&](std::string name, const auto& f) {
    add(std::move(name), [f](const fixture& on, const auto& in) { return bytes_of(f(on.queue, in)); });
  };
  // Calls that write n elements of a type, as many as the input has where n is 0: f(queue, input, output).
  const auto written = [&]<class T>(std::string name, T, std::size_t n, const auto& f) {
    add(std::move(name), [f, n](const fixture& on, const auto& in) {
      return left_by<T>(on, in, n == 0 ? in.size() : n,
                        [&](const auto& x, const auto& out) { f(on.queue, x, out); });
    });
  };
  value("reduce", [](const auto& q, const auto& in) { return clwave::reduce(q, in); });
  add("reduce into double", [](const fixture& on, const auto& in) {
    return on.has_doubles() ? bytes_of(clwave::reduce<double>(on.queue, in)) : bytes();
  });
  value("reduce, not commutative",
        [](const auto& q, const auto& in) { return clwave::reduce(q, in, later); });
  written("transform_reduce", float{}, 1, [](const auto& q, const auto& x, const auto& out) {
    clwave::transform_reduce(q, x, out, clwave::max, twice);
  });
  value("future",
        [](const auto& q, const auto& in) { return clwave::reduce_async(q, in, {.start = 3.0f}).get(); });
  value("count_if", [](const auto& q, const auto& in) { return clwave::count_if(q, in, odd); });
  add("minmax", [](const fixture& on, const auto& in) {
    const auto ends = clwave::minmax(on.queue, in);
    return joined(bytes_of(ends.min), bytes_of(ends.max));
  });
  value("mean_and_variance", [](const auto& q, const auto& in) { return clwave::mean_and_variance(q, in); });
  add("argmin", [](const fixture& on, const auto& in) {
    const auto least = clwave::argmin(on.queue, in);
    return joined(bytes_of(least.value), bytes_of(least.index));
  });
  written("inclusive_scan", float{}, 0,
          [](const auto& q, const auto& x, const auto& out) { clwave::inclusive_scan(q, x, out); });
  written("transform_exclusive_scan", u64{}, 0, [](const auto& q, const auto& x, const auto& out) {
    clwave::transform_exclusive_scan(q, x, out, clwave::plus, odd, {.start = u64{5}});
  });
  const auto selected = [&](std::string name, const auto& f) {
    add(std::move(name), [f](const fixture& on, const auto& in) {
      const cl::Buffer count = on.buffer_of(std::vector<u64>{77});
      const bytes kept = left_by<float>(on, in, in.size(), [&](const auto& x, const auto& out) {
        f(on.queue, x, out, view<u64>{count, 1});
      });
      return joined(kept, on.read<unsigned char>(count, 8));
    });
  };
  selected("copy_if", [](const auto& q, const auto& x, const auto& out, const auto& count) {
    clwave::copy_if(q, x, out, count, odd);
  });
  selected("partition", [](const auto& q, const auto& x, const auto& out, const auto& count) {
    clwave::partition(q, x, out, count, odd);
  });
  selected("unique", [](const auto& q, const auto& x, const auto& out, const auto& count) {
    clwave::unique(q, x, out, count);
  });
  const auto counted = [](const auto& q, const auto& x, const auto& counts) {
    clwave::histogram(q, x, counts, clwave::even{-50, 60});
  };
  written("histogram", u32{}, 16, counted);
  written("histogram of many bins", u64{}, 100000, counted);
  written("transform", float{}, 0,
          [](const auto& q, const auto& x, const auto& out) { clwave::transform(q, x, out, twice); });
  written("transform into bytes", std::uint8_t{}, 0, [](const auto& q, const auto& x, const auto& out) {
    clwave::transform(q, x, out, clwave::identity);
  });
  const auto matrix = [&](std::string name, std::size_t columns, bool of_rows) {
    add(std::move(name), [columns, of_rows](const fixture& on, const auto& in) {
      const clwave::matrices size{.rows = in.size() / columns, .columns = columns};
      if (size.rows == 0) return bytes();
      return left_by<float>(on, in, of_rows ? size.rows : columns, [&](const auto& x, const auto& out) {
        if (of_rows)
          clwave::reduce_rows(on.queue, x, out, size, clwave::plus);
        else
          clwave::reduce_columns(on.queue, x, out, size, clwave::plus);
      });
    });
  };
  matrix("reduce_rows of 7", 7, true);
  matrix("reduce_rows of 1500", 1500, true);
  matrix("reduce_rows of 9000", 9000, true);
  matrix("reduce_columns", 29, false);
  return all;
}

void compare(const fixture& on, random_engine& random, std::size_t n, std::size_t one_of) {
  const arrays data(on, random, n);
  for (const pair_of<float>& pair : data.pairs(random)) {
    REQUIRE(pair.lazy.size() == pair.elements.size());
    const cl::Buffer array = on.buffer_of(pair.elements);
    for (const call_on& call : calls()) {
      // As many programs as a driver's compiler has time for, the same ones for all sizes.
      if (std::hash<std::string>()(pair.name + call.name + std::to_string(random.seed())) % one_of != 0)
        continue;
      CAPTURES(n, pair.name, call.name);
      const bytes of_array = call.array(on, view<float>{array, pair.elements.size()});
      // The second call finds the program.
      CHECK(call.lazy(on, pair.lazy) == of_array);
      CHECK(call.lazy(on, pair.lazy) == of_array);
    }
  }
}

TEST_CASE_FIXTURE(on_device, "calls of elements that lie nowhere give what calls of arrays do") {
  MESSAGE("seed " << random.seed());
  for (const std::size_t n : {1u, 3u, 1000u, 8193u, 150001u}) compare(on, random, n, quick() ? 8 : 2);
}

TEST_CASE_FIXTURE(on_device, "on every profile") {
  MESSAGE("seed " << random.seed());
  for_each_profile([&](const clwave::profile& row) {
    if (!takes_row(on, random, std::string(row.name))) return;
    compare(on, random, 9000 + random.below(30000), quick() ? 24 : 5);
  });
}

TEST_CASE_FIXTURE(on_device, "no elements") {
  const cl::Buffer one = on.buffer_of(std::vector<float>{1});
  const view<float> none{one, 0};
  const view<u32> no_indices{one, 0};
  CHECK(clwave::reduce(on.queue, clwave::strided(none, 3)) == 0);
  CHECK(clwave::reduce(on.queue, clwave::reversed(none)) == 0);
  CHECK(clwave::reduce(on.queue, clwave::gather_of(none, no_indices)) == 0);
  CHECK(clwave::reduce(on.queue, clwave::generate<float>(0, {.name = "g", .source = "i"})) == 0);
  // Indices into nothing are all outside.
  const cl::Buffer indices = on.buffer_of(std::vector<u32>{0, 1, 5});
  CHECK(clwave::reduce(on.queue, clwave::gather_of(none, view<u32>{indices, 3}, 2.0f)) == 6);
}

// Elements of any bytes, NaNs with payloads and bools that are neither 0 nor 1 among them: all bits of what
// is only read stay, as those of an array's do.
template <class T>
void keeps() {
  const fixture& on = default_fixture();
  random_engine random;
  constexpr std::size_t n = 5000, size = sizeof(T);
  bytes elements(n * size), gathered(n * size, 0);
  for (unsigned char& byte : elements) byte = static_cast<unsigned char>(random());
  std::vector<u32> indices(n);
  for (std::size_t i = 0; i < n; ++i) {
    indices[i] = static_cast<u32>(random.below(n + n / 8));
    if (indices[i] < n) std::memcpy(&gathered[i * size], &elements[indices[i] * size], size);
  }
  const cl::Buffer x = on.buffer_of(elements), array = on.buffer_of(gathered), places = on.buffer_of(indices);
  const auto lazy = clwave::gather_of(view<T>{x, n}, view<u32>{places, n});
  const map some{.name = "some", .source = "i % 3 != 0"};
  const auto kept_of = [&](const auto& in) {
    return left_by<T>(on, in, n, [&](const auto& from, const auto& out) {
      CHECK(clwave::copy_if(on.queue, from, out, some) == n - (n + 2) / 3);
    });
  };
  CHECK(kept_of(lazy) == kept_of(view<T>{array, n}));
  const auto copied = [&](const auto& in) {
    return left_by<T>(on, in, n, [&](const auto& from, const auto& out) {
      clwave::transform(on.queue, from, out, clwave::identity);
    });
  };
  CHECK(copied(lazy) == copied(view<T>{array, n}));
  // A copy of so many elements moves all bits, too.
  const cl::Buffer number = on.buffer_of(std::vector<u64>{n});
  const bytes moved = left_by<T>(on, view<T>{x, n}, n, [&](const auto& from, const auto& out) {
    clwave::copy(on.queue, from.first(view<u64>{number, 1}), out);
  });
  CHECK(bytes(moved.begin(), moved.begin() + n * size) == elements);
}

TEST_CASE("elements of every kind") {
  keeps<half>();
  keeps<bfloat16>();
  keeps<bool>();
  keeps<std::uint8_t>();
  keeps<float>();
  keeps<reading>();
  keeps<cl_float4>();
}

TEST_CASE_FIXTURE(on_device, "what a function gives is of the input's type before the call sees it") {
  const map third{.name = "third", .source = "i / 3.0f"};
  const auto halves = clwave::generate<half>(1000, third);
  const auto whole = clwave::generate<std::int32_t>(1000, third);
  double of_halves = 0, of_whole = 0;
  for (std::size_t i = 0; i < 1000; ++i) {
    const float value = static_cast<float>(i) / 3.0f;
    of_halves += static_cast<double>(static_cast<float>(half(value)));
    of_whole += static_cast<std::int32_t>(value);
  }
  // All sums of these are exact in a float.
  CHECK(static_cast<double>(clwave::reduce(on.queue, halves)) == doctest::Approx(of_halves).epsilon(1e-6));
  CHECK(clwave::reduce(on.queue, whole) == static_cast<std::int32_t>(of_whole));
  const bytes got = left_by<float>(on, halves, 1000, [&](const auto& x, const auto& out) {
    clwave::transform(on.queue, x, out, clwave::identity);
  });
  std::vector<float> rounded;
  for (std::size_t i = 0; i < 1000; ++i)
    rounded.push_back(static_cast<float>(half(static_cast<float>(i) / 3.0f)));
  CHECK(std::memcmp(got.data(), rounded.data(), 4000) == 0);
  // A bool is other than 0.
  const auto truths = clwave::generate<bool>(1000, {.name = "odd", .source = "i & 2"});
  CHECK(clwave::reduce<u64>(on.queue, truths) == 500);
}

TEST_CASE_FIXTURE(on_device, "a transform of zipped inputs") {
  // Two of one type are the zip that reductions take.
  const cl::Buffer three = on.buffer_of(std::vector<float>(300, 3)),
                   two = on.buffer_of(std::vector<float>(300, 2));
  const view<float> threes{three, 300}, twos{two, 300};
  const map less{.name = "less", .source = "x - y"};
  const bytes differences = left_by<float>(on, threes, 300, [&](const auto& in, const auto& out) {
    clwave::transform(on.queue, clwave::zip(in, twos), out, less);
  });
  CHECK(std::memcmp(differences.data() + 4 * 299, bytes_of(1.0f).data(), 4) == 0);
  CHECK(clwave::reduce(on.queue, clwave::transformed<float>(clwave::zip(threes, twos), less)) == 300);
  for (const std::size_t n : {std::size_t{5}, std::size_t{70001}}) {
    const arrays data(on, random, n);
    const auto x = data.x_view();
    const auto wanted = [&](std::size_t i) {
      const float f = data.x[data.at + i];
      return ((f + static_cast<float>(data.y[data.at + i])) - static_cast<float>(data.few[data.at + i])) * f +
             f;
    };
    const bytes got = left_by<float>(on, x, n, [&](const auto& in, const auto& out) {
      clwave::transform(on.queue, clwave::zip(in, data.y_view(), data.few_view(), in, in), out,
                        {.name = "five", .source = "(x0 + x1 - x2) * x3 + x4"});
    });
    bool right = true;
    for (std::size_t i = 0; i < n; ++i)
      right = right && std::memcmp(got.data() + 4 * i, bytes_of(wanted(i)).data(), 4) == 0;
    CHECK(right);
    CHECK(got[4 * n] == 0xa5);
    const bytes eight = left_by<float>(on, x, n, [&](const auto& in, const auto& out) {
      clwave::transform(on.queue, clwave::zip(in, in, in, in, in, in, in, in), out,
                        {.name = "last", .source = "x7"});
    });
    CHECK(std::memcmp(eight.data(), data.x.data() + data.at, 4 * n) == 0);
  }
}

TEST_CASE_FIXTURE(on_device, "what they are made of is waited for, on an out-of-order queue") {
  const cl::CommandQueue queue = on.new_queue(CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
  const std::vector<float> before(3000, 1), after(3000, 2);
  const cl::Buffer x = on.buffer_of(before), sums = on.buffer_of(before);
  cl::UserEvent first(on.context);
  const cl::Event written = on.write_after(queue, x, after.data(), 4 * after.size(), {first});
  const clwave::event done = clwave::inclusive_scan(queue, clwave::reversed(view<float>{x, 3000}),
                                                    view<float>{sums, 3000}, {.after = {written}});
  queue.flush();
  first.setStatus(CL_COMPLETE);
  done.wait();
  CHECK(on.read<float>(sums, 3000).back() == 6000);
}

}  // namespace
}  // namespace testing::lazy_inputs_test

#endif
