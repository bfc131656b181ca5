// Random reductions with hostile values, bit for bit against the reference:
//
//   clwave_random_bits [--cases N] [--programs N] [--profiles START]
//
// A case is (operator, type, map, n, offset, row) and its values. Programs are what takes time on a CPU, so a
// few (call, row) are drawn, each row of the table standing in a shuffled list before any stands there again,
// and many sizes, places and values on each. CLWAVE_TEST_SEED brings a run back; without it each run draws
// others.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <string>
#include <vector>

#include <clwave.hpp>

#include "families/reductions.hpp"
#include "harness/devices.hpp"
#include "harness/reference.hpp"
#include "harness/signals.hpp"

namespace {

using reference::canonical;
using reference::random_engine;

constexpr unsigned char poison = 0xa5;
constexpr std::size_t room = std::size_t{1} << 20;  // elements of an input
constexpr std::size_t guard = 2;                    // elements on either side of each result

struct tally {
  std::size_t cases = 0, wrong = 0, programs = 0, elements = 0;
};

// A value that breaks things: for floats any bits, NaNs of both kinds with payloads, infinities, zeros of
// both signs, denormals, the largest and the least; for integers their ends.
template <class T>
T hostile(random_engine& random, unsigned kind) {
  if constexpr (std::is_integral_v<T>) {
    return reference::random_value<T>(random);
  } else {
    using format = reference::detail::float_format<T>;
    using bits = typename format::bits;
    constexpr unsigned width = 8 * sizeof(bits);
    constexpr auto fraction = static_cast<bits>((std::uint64_t{1} << format::fraction_bits) - 1);
    constexpr auto exponent = static_cast<bits>((~bits{0} >> 1) & static_cast<bits>(~fraction));
    const auto sign = static_cast<bits>((random() & 1) << (width - 1));
    const auto some = static_cast<bits>(random());
    const auto made = [sign](bits word) { return std::bit_cast<T>(static_cast<bits>(sign | word)); };
    switch (kind) {
      case 0:  // sums stay finite
        return reference::random_value<T>(random, reference::spice::finite);
      case 1:  // any bits at all
        return std::bit_cast<T>(some);
      case 2:  // a mark here and there
        if (random.below(64) != 0) return reference::random_value<T>(random, reference::spice::finite);
        break;
      case 3:  // nothing but denormals and zeros
        return made(random.below(8) == 0 ? bits{0} : static_cast<bits>(some & fraction));
      default:  // mostly finite, some infinity
        if (random.below(500) != 0) return reference::random_value<T>(random, reference::spice::ordinary);
        return made(exponent);
    }
    switch (random.below(6)) {
      case 0:
        return made(exponent);
      case 1:
        return made(static_cast<bits>(exponent | (some & fraction) | 1));
      case 2:
        return made(0);
      case 3:
        return made(static_cast<bits>(some & fraction));
      case 4:
        return made(static_cast<bits>(exponent - 1));  // the largest
      default:
        return made(1);
    }
  }
}

template <class T>
auto number(T x) {
  if constexpr (std::is_same_v<T, clwave::half>)
    return static_cast<float>(x);
  else
    return x;
}

// One more than a lane set, a group, a row of columns, a tile, less than it; mostly small.
std::size_t random_size(random_engine& random) {
  constexpr std::size_t marks[] = {1, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 8192, 16384, 24576};
  switch (random.below(16)) {
    case 0:
      return 1 + random.below(4 * clwave::fold_tile);
    case 1:
      return random.below(64) == 0 ? 100000 + random.below(room - 200000) : 1 + random.below(5000);
    case 2:
    case 3:
    case 4:
      return 1 + random.below(1100);
    case 5:
    case 6:
    case 7:
      return std::max<std::size_t>(marks[random.below(std::size(marks))] + random.below(3), 2) - 1;
    default:
      return 1 + random.below(130);
  }
}

class session {
 public:
  session(std::size_t cases, std::size_t programs, std::string_view start) : programs_(programs) {
    for (const clwave::profile& row : clwave::profiles())
      if (row.name.starts_with(start)) rows_.push_back(&row);
    if (rows_.empty()) throw std::runtime_error("no such rows");
    std::shuffle(rows_.begin(), rows_.end(), random_);
    cases_each_ = (cases + programs - 1) / programs;
  }

  // Draws one of the calls and the next row, and checks as many cases as are a program's.
  void run(const std::vector<std::function<void()>>& calls) {
    std::vector<const std::function<void()>*> order;
    for (const auto& each : calls) order.push_back(&each);
    while (total_.programs < programs_) {
      if (total_.programs % order.size() == 0) std::shuffle(order.begin(), order.end(), random_);
      const clwave::profile& row = *rows_[total_.programs % rows_.size()];
      const testing::forced_profile forced{std::string(row.name)};
      row_ = row.name;
      (*order[total_.programs % order.size()])();
      ++total_.programs;
    }
  }

  template <class T, class Acc, class Lift, class Combine>
  void check(const std::string& name, const clwave::op& fold, const clwave::map& apply, const Lift& lift,
             const Combine& combine, bool two_inputs = false) {
    std::vector<T> data(room + 64);
    const unsigned kind = static_cast<unsigned>(random_.below(5));
    if constexpr (std::is_same_v<T, affine>) {
      for (T& x : data) x = {static_cast<std::uint32_t>(random_()), static_cast<std::uint32_t>(random_())};
    } else {
      for (T& x : data) x = hostile<T>(random_, kind);
    }
    const cl::Buffer in = on_.buffer_of(data);
    struct one {
      std::size_t n, offset;
    };
    std::vector<one> cases(cases_each_);
    const std::size_t stride = 1 + guard;
    const std::vector<unsigned char> before((stride * cases.size() + guard) * sizeof(Acc), poison);
    const cl::Buffer out = on_.buffer_of(before);
    // On a packet's boundary in most, for the other program takes its own time to be built.
    const bool aligned = random_.below(3) != 0;
    for (std::size_t k = 0; k < cases.size(); ++k) {
      one& c = cases[k];
      c.n = random_size(random_);
      c.offset = random_.below(data.size() - c.n - 1);
      if (aligned) c.offset = c.offset / 16 * 16;
      const clwave::view<T> x(in, c.n, c.offset);
      const clwave::view<Acc> result(out, 1, stride * k + guard);
      if (two_inputs)
        clwave::transform_reduce(on_.queue, clwave::zip(x, clwave::view<T>(in, c.n, c.offset + 1)), result,
                                 fold, apply, {.with_event = false});
      else
        clwave::transform_reduce(on_.queue, x, result, fold, apply, {.with_event = false});
    }
    const auto after = on_.read<unsigned char>(out, before.size());
    for (std::size_t k = 0; k < cases.size(); ++k) {
      const one& c = cases[k];
      const Acc expected = canonical(reference::fold_reference<Acc>(
          c.n,
          [&](std::size_t i) {
            return lift(data[c.offset + i], data[c.offset + i + (two_inputs ? 1 : 0)], i);
          },
          combine, !fold.commutative));
      ++total_.cases;
      total_.elements += c.n;
      const unsigned char* slot = after.data() + (stride * k + guard) * sizeof(Acc);
      Acc got;
      std::memcpy(&got, slot, sizeof(Acc));
      bool guarded = true;
      for (std::size_t b = 0; b < guard * sizeof(Acc); ++b)
        guarded = guarded && *(slot - b - 1) == poison &&
                  *(slot + sizeof(Acc) + b % (guard * sizeof(Acc))) == poison;
      if (guarded && reference::same_bits(got, expected)) continue;
      if (++total_.wrong > 20) continue;  // enough to see what is wrong
      std::printf("WRONG %s, profile %s, n %zu, offset %zu, values of kind %u: %s, expected %s%s; %s\n",
                  name.c_str(), row_.c_str(), c.n, c.offset, kind, reference::show_bits(got).c_str(),
                  reference::show_bits(expected).c_str(), guarded ? "" : ", guard bytes written",
                  random_.note().c_str());
    }
    std::printf("%-24s on %-16s %zu cases, %zu wrong so far\n", name.c_str(), row_.c_str(), total_.cases,
                total_.wrong);
    std::fflush(stdout);
  }

  bool has_doubles() const { return on_.has_doubles(); }
  const tally& total() const { return total_; }
  const random_engine& random() const { return random_; }
  std::size_t rows() const { return rows_.size(); }

 private:
  testing::fixture on_;
  random_engine random_;
  std::vector<const clwave::profile*> rows_;
  std::string row_;
  std::size_t programs_, cases_each_ = 0;
  tally total_;
};

// Adds the built-in operators and maps of one type.
template <class T, class Acc = clwave::detail::widened<T>>
void add_type(session& s, std::vector<std::function<void()>>& calls, const std::string& name) {
  static const auto lift = [](T x, T, std::uint64_t) { return static_cast<Acc>(number(x)); };
  const auto add = [&](const std::string& op_name, const clwave::op& fold, auto combine) {
    calls.push_back([&s, name, op_name, &fold, combine] {
      s.check<T, Acc>(name + " " + op_name, fold, clwave::identity, lift, combine);
    });
  };
  add("plus", clwave::plus, reference::wrapping_plus<Acc>);
  add("multiplies", clwave::multiplies, reference::wrapping_times<Acc>);
  add("min", clwave::min, reference::minimum<Acc>);
  add("max", clwave::max, reference::maximum<Acc>);
  if constexpr (std::is_integral_v<T>) {
    add("bit_and", clwave::bit_and, [](Acc a, Acc b) { return static_cast<Acc>(a & b); });
    add("bit_or", clwave::bit_or, [](Acc a, Acc b) { return static_cast<Acc>(a | b); });
    add("bit_xor", clwave::bit_xor, [](Acc a, Acc b) { return static_cast<Acc>(a ^ b); });
  }
  static const auto truth = [](T x, T, std::uint64_t) { return static_cast<Acc>(number(x) != 0 ? 1 : 0); };
  calls.push_back([&s, name] {
    s.check<T, Acc>(name + " logical_and", clwave::logical_and, clwave::identity, truth,
                    reference::minimum<Acc>);
  });
  calls.push_back([&s, name] {
    s.check<T, Acc>(
        name + " dot", clwave::plus, clwave::product,
        [](T x, T y, std::uint64_t) {
          return reference::wrapping_times<Acc>(static_cast<Acc>(number(x)), static_cast<Acc>(number(y)));
        },
        reference::wrapping_plus<Acc>, true);
  });
  using V = clwave::detail::widened<T>;
  for (const bool least : {true, false}) {
    calls.push_back([&s, name, least] {
      using Indexed = clwave::indexed<V>;
      s.check<T, Indexed>(
          name + (least ? " argmin" : " argmax"),
          least ? clwave::detail::argmin_op : clwave::detail::argmax_op, clwave::identity,
          [](T x, T, std::uint64_t i) {
            return Indexed{static_cast<V>(number(x)), i};
          },
          [least](Indexed a, Indexed b) {
            const bool a_nan = a.value != a.value, b_nan = b.value != b.value;
            if (a_nan || b_nan) return a_nan && (!b_nan || a.index < b.index) ? a : b;
            if (a.value == b.value) return a.index < b.index ? a : b;
            return (least ? a.value < b.value : a.value > b.value) ? a : b;
          });
    });
  }
}

template <class T, class Acc>
void add_sum(session& s, std::vector<std::function<void()>>& calls, const std::string& name) {
  calls.push_back([&s, name] {
    s.check<T, Acc>(
        name + " plus", clwave::plus, clwave::identity,
        [](T x, T, std::uint64_t) { return static_cast<Acc>(number(x)); }, reference::wrapping_plus<Acc>);
  });
}

void add_users_own(session& s, std::vector<std::function<void()>>& calls) {
  static const auto as_is = [](auto x, auto, std::uint64_t) { return x; };
  static const clwave::op gap{.name = "gap", .source = "a > b ? a - b : b - a", .identity = "0"};
  calls.push_back([&s] {
    s.check<std::uint32_t, std::uint32_t>(
        "u32 gap", gap, clwave::identity, as_is,
        [](std::uint32_t a, std::uint32_t b) { return a > b ? a - b : b - a; });
  });
  static const clwave::op decay{
      .name = "decay", .source = "0.5f * a + b", .identity = "0", .commutative = false};
  calls.push_back([&s] {
    s.check<float, float>("f32 decay (ordered)", decay, clwave::identity, as_is,
                          [](float a, float b) { return 0.5f * a + b; });
  });
  calls.push_back([&s] {
    s.check<affine, affine>("affine then (ordered)", testing::then, clwave::identity, as_is,
                            testing::compose);
  });
  static const clwave::map weighed{.name = "weighed", .source = "x * (float)(i % 7)"};
  calls.push_back([&s] {
    s.check<float, float>(
        "f32 sum of x * (i % 7)", clwave::plus, weighed,
        [](float x, float, std::uint64_t i) { return x * static_cast<float>(i % 7); },
        reference::wrapping_plus<float>);
  });
}

}  // namespace

int main(int count, char** words) try {
  std::size_t cases = 100000, programs = 60;
  std::string start;
  for (int w = 1; w < count; ++w) {
    if (std::strcmp(words[w], "--cases") == 0 && w + 1 < count) {
      cases = std::strtoull(words[++w], nullptr, 10);
    } else if (std::strcmp(words[w], "--programs") == 0 && w + 1 < count) {
      programs = std::max(1ull, std::strtoull(words[++w], nullptr, 10));
    } else if (std::strcmp(words[w], "--profiles") == 0 && w + 1 < count) {
      start = words[++w];
    } else {
      std::fprintf(stderr, "usage: clwave_random_bits [--cases N] [--programs N] [--profiles START]\n");
      return 2;
    }
  }
  testing::load_drivers_without_their_signal_handlers();
  // Each program is used in this run alone.
  setenv("CLWAVE_CACHE_DIR", "off", 1);
  session s(cases, programs, start);
  std::vector<std::function<void()>> calls;
  add_type<float>(s, calls, "f32");
  add_type<std::int32_t>(s, calls, "i32");
  add_type<std::uint8_t>(s, calls, "u8");
  add_type<std::int64_t>(s, calls, "i64");
  add_type<clwave::half>(s, calls, "f16");
  if (s.has_doubles()) {
    add_type<double>(s, calls, "f64");
    add_sum<float, double>(s, calls, "f32 into f64");
  }
  add_sum<std::uint8_t, std::uint32_t>(s, calls, "u8 into u32");
  add_sum<std::int16_t, float>(s, calls, "i16 into f32");
  add_sum<std::int8_t, std::int64_t>(s, calls, "i8 into i64");
  add_users_own(s, calls);
  std::printf("%s\n", s.random().note().c_str());
  s.run(calls);
  const tally& total = s.total();
  std::printf("%zu cases of %zu elements, %zu draws of a call and one of %zu rows: %zu wrong; %s\n",
              total.cases, total.elements, total.programs, s.rows(), total.wrong, s.random().note().c_str());
  return total.cases >= cases && total.wrong == 0 ? 0 : 1;
} catch (const std::exception& trouble) {
  std::fprintf(stderr, "%s\n", trouble.what());
  return 1;
}
