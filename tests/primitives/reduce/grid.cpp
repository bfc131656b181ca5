// The correctness grid: types x operators x sizes x offsets x profiles, bit for bit against the reference,
// each case with guard bytes around its output.
//
//   clwave_grid [--part I/N] [--all-profiles | --profiles START]
//
// Profiles whose program for a call comes out the same, word for word, on this device would run the same
// code again: such a program is checked once, unless --all-profiles asks for every row. --profiles takes only
// rows whose name starts so.
#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

#include <clwave/reduce.hpp>

#include "families/reductions.hpp"
#include "grid.hpp"
#include "harness/operators.hpp"
#include "harness/reference.hpp"
#include "harness/signals.hpp"

// Three words: no packet and no vector has its size.
struct triple {
  float sum;
  std::uint32_t count, bits;
};
CLWAVE_STRUCTURE(triple, "triple", "typedef struct { float sum; uint count, bits; } triple;")

namespace {

using namespace testing;

// Arithmetic of an element as the reference does it: a half or a bfloat16 is a float.
template <class T>
auto number(T x) {
  if constexpr (std::is_same_v<T, clwave::half> || std::is_same_v<T, clwave::bfloat16>)
    return static_cast<float>(x);
  else
    return x;
}

template <class T>
std::vector<T> values(grid& g, spice kind) {
  return reference::random_values<T>(g.random(), longest + 2, kind);
}

// Factors near 1, so that a product of thousands neither vanishes nor overflows.
template <class T>
std::vector<T> factors(grid& g) {
  std::vector<T> data(longest + 2);
  for (T& x : data) {
    if constexpr (reference::is_whole<T>) {
      x = static_cast<reference::host_of<T>>(g.random()() | 1);  // odd: a product stays far from 0
    } else {
      const float step = static_cast<float>(static_cast<int>(g.random().below(64)) - 32) / 2048.0f;
      x = static_cast<T>((g.random().below(2) != 0 ? 1.0f : -1.0f) * (1.0f + step));
    }
  }
  return data;
}

template <class T, class Acc>
void check_sums(grid& g, const std::string& name) {
  const auto lift = [](T x, T, std::uint64_t) { return static_cast<Acc>(number(x)); };
  g.check<T, Acc>({name + " plus", clwave::plus, clwave::identity, lift, reference::wrapping_plus<Acc>},
                  values<T>(g, spice::finite));
}

template <class T, class Acc>
void check_orders(grid& g, const std::string& name) {
  const auto lift = [](T x, T, std::uint64_t) { return static_cast<Acc>(number(x)); };
  g.check<T, Acc>({name + " min", clwave::min, clwave::identity, lift, reference::minimum<Acc>},
                  values<T>(g, spice::infinities));
  g.check<T, Acc>({name + " max", clwave::max, clwave::identity, lift, reference::maximum<Acc>},
                  values<T>(g, spice::nans));
}

template <class T>
void check_indices(grid& g, const std::string& name) {
  using V = clwave::detail::widened<T>;
  using Acc = clwave::indexed<V>;
  const auto lift = [](T x, T, std::uint64_t i) { return Acc{static_cast<V>(number(x)), i}; };
  const auto better = [](bool least) {
    return [least](Acc a, Acc b) {
      const bool a_nan = a.value != a.value;
      const bool b_nan = b.value != b.value;
      if (a_nan || b_nan) return a_nan && (!b_nan || a.index < b.index) ? a : b;
      if (a.value == b.value) return a.index < b.index ? a : b;
      return (least ? a.value < b.value : a.value > b.value) ? a : b;
    };
  };
  // Few different values, so that ties decide.
  std::vector<T> ties(longest + 2);
  for (T& x : ties) x = static_cast<reference::host_of<T>>(static_cast<float>(g.random().below(50)));
  g.check<T, Acc>({name + " argmin", clwave::detail::argmin_op, clwave::identity, lift, better(true)}, ties);
  g.check<T, Acc>({name + " argmax", clwave::detail::argmax_op, clwave::identity, lift, better(false)},
                  values<T>(g, spice::nans));
}

template <class T, class Acc>
void check_products(grid& g, const std::string& name) {
  const auto lift = [](T x, T, std::uint64_t) { return static_cast<Acc>(number(x)); };
  g.check<T, Acc>(
      {name + " multiplies", clwave::multiplies, clwave::identity, lift, reference::wrapping_times<Acc>},
      factors<T>(g));
}

template <class T, class Acc>
void check_maps(grid& g, const std::string& name) {
  const auto square = [](T x, T, std::uint64_t) {
    return reference::wrapping_times<Acc>(static_cast<Acc>(number(x)), static_cast<Acc>(number(x)));
  };
  const auto magnitude = [](T x, T, std::uint64_t) {
    if constexpr (std::is_unsigned_v<T>)
      return static_cast<Acc>(x);
    else if constexpr (std::is_integral_v<T>)
      return static_cast<Acc>(x < 0 ? 0 - static_cast<std::uint64_t>(x) : static_cast<std::uint64_t>(x));
    else
      return static_cast<Acc>(std::fabs(number(x)));
  };
  const auto product = [](T x, T y, std::uint64_t) {
    return reference::wrapping_times<Acc>(static_cast<Acc>(number(x)), static_cast<Acc>(number(y)));
  };
  const auto plus = reference::wrapping_plus<Acc>;
  g.check<T, Acc>({name + " sum of squares", clwave::plus, clwave::square, square, plus},
                  values<T>(g, spice::ordinary));
  g.check<T, Acc>({name + " sum of abs", clwave::plus, clwave::abs, magnitude, plus},
                  values<T>(g, spice::finite));
  g.check<T, Acc>({name + " dot", clwave::plus, clwave::product, product, plus, true},
                  values<T>(g, spice::ordinary));
}

template <class T, class Acc>
void check_logic(grid& g, const std::string& name) {
  const auto lift = [](T x, T, std::uint64_t) { return static_cast<Acc>(number(x) != 0 ? 1 : 0); };
  std::vector<T> mostly(longest + 2, T(1));
  mostly[longest / 3] = T(0);
  std::vector<T> rarely(longest + 2, T(0));
  rarely[longest / 3] = T(3);
  g.check<T, Acc>(
      {name + " logical_and", clwave::logical_and, clwave::identity, lift, reference::minimum<Acc>}, mostly);
  g.check<T, Acc>({name + " logical_or", clwave::logical_or, clwave::identity, lift, reference::maximum<Acc>},
                  rarely);
}

template <class T>
void check_bits(grid& g, const std::string& name) {
  const auto lift = [](T x, T, std::uint64_t) { return x; };
  // Mostly ones (or zeros), so that a bit that goes astray shows.
  std::vector<T> high = values<T>(g, spice::ordinary);
  std::vector<T> low = high;
  for (std::size_t i = 0; i < high.size(); ++i) {
    const T mark = static_cast<T>(T{1} << g.random().below(8 * sizeof(T)));
    const bool marks = g.random().below(5000) == 0;
    high[i] = marks ? static_cast<T>(~mark) : static_cast<T>(-1);
    low[i] = marks ? mark : T(0);
  }
  g.check<T, T>({name + " bit_and", clwave::bit_and, clwave::identity, lift,
                 [](T a, T b) { return static_cast<T>(a & b); }},
                high);
  g.check<T, T>({name + " bit_or", clwave::bit_or, clwave::identity, lift,
                 [](T a, T b) { return static_cast<T>(a | b); }},
                low);
  g.check<T, T>({name + " bit_xor", clwave::bit_xor, clwave::identity, lift,
                 [](T a, T b) { return static_cast<T>(a ^ b); }},
                values<T>(g, spice::ordinary));
}

template <class T, class Acc = clwave::detail::widened<T>>
void check_everything(grid& g, const std::string& name) {
  check_sums<T, Acc>(g, name);
  check_products<T, Acc>(g, name);
  check_orders<T, Acc>(g, name);
  check_indices<T>(g, name);
  check_maps<T, Acc>(g, name);
  check_logic<T, Acc>(g, name);
  if constexpr (std::is_integral_v<T>) check_bits<T>(g, name);
}

void check_users_own(grid& g) {
  const clwave::op hypot2{.name = "hypot2", .source = "sqrt(a*a + b*b)", .identity = "0"};
  const auto as_is = [](auto x, auto, std::uint64_t) { return x; };
  g.check<float, float>({"f32 hypot2", hypot2, clwave::identity, as_is,
                         [](float a, float b) { return std::sqrt(a * a + b * b); }},
                        values<float>(g, spice::ordinary));

  const clwave::op decay{.name = "decay", .source = "0.5f * a + b", .identity = "0", .commutative = false};
  g.check<float, float>(
      {"f32 decay (ordered)", decay, clwave::identity, as_is, [](float a, float b) { return 0.5f * a + b; }},
      values<float>(g, spice::ordinary));

  const std::vector<affine> maps = random_affines(g.random(), longest + 2);
  g.check<affine, affine>({"affine then (ordered)", then, clwave::identity, as_is, compose}, maps);

  const clwave::op merge = function_op("merge_triples", "",
                                       "triple merge_triples(triple a, triple b) {\n"
                                       "  triple r = {a.sum + b.sum, a.count + b.count, a.bits ^ b.bits};\n"
                                       "  return r;\n}");
  std::vector<triple> triples(longest + 2);
  for (triple& t : triples)
    t = {reference::random_value<float>(g.random()), 1, static_cast<std::uint32_t>(g.random()())};
  g.check<triple, triple>({"triple merge", merge, clwave::identity, as_is,
                           [](triple a, triple b) {
                             return triple{a.sum + b.sum, a.count + b.count, a.bits ^ b.bits};
                           }},
                          triples);

  const clwave::map weighed{.name = "weighed", .source = "x * (float)(i % 7)"};
  g.check<float, float>({"f32 sum of x * (i % 7)", clwave::plus, weighed,
                         [](float x, float, std::uint64_t i) { return x * static_cast<float>(i % 7); },
                         reference::wrapping_plus<float>},
                        values<float>(g, spice::ordinary));
}

void check_vectors(grid& g) {
  std::vector<cl_float4> data(longest + 2);
  for (cl_float4& x : data) {
    for (float& component : x.s) component = reference::random_value<float>(g.random(), spice::finite);
  }
  const auto as_is = [](cl_float4 x, cl_float4, std::uint64_t) { return x; };
  const auto by_component = [](auto combine) {
    return [combine](cl_float4 a, cl_float4 b) {
      for (int k = 0; k < 4; ++k) a.s[k] = combine(a.s[k], b.s[k]);
      return a;
    };
  };
  g.check<cl_float4, cl_float4>(
      {"f32x4 plus", clwave::plus, clwave::identity, as_is, by_component(reference::wrapping_plus<float>)},
      data);
  g.check<cl_float4, cl_float4>(
      {"f32x4 min", clwave::min, clwave::identity, as_is, by_component(reference::minimum<float>)}, data);
}

// More results than one tile of the second level, so that several groups fold that level.
void check_long(grid& g) {
  const std::size_t second = clwave::fold_tile * clwave::fold_tile;
  g.check_lengths<std::uint8_t, float>("u8 into f32 plus, long",
                                       {second + 1, 2 * second + 5 * clwave::fold_tile + 77});
}

void check_all(grid& g) {
  check_everything<float>(g, "f32");
  check_everything<std::int32_t>(g, "i32");
  check_everything<std::uint8_t>(g, "u8");
  check_everything<clwave::half>(g, "f16");
  check_everything<std::uint64_t>(g, "u64");
  if (g.has_doubles()) check_everything<double>(g, "f64");

  check_sums<std::int8_t, std::int8_t>(g, "i8");
  check_products<std::int8_t, std::int8_t>(g, "i8");
  check_maps<std::int8_t, std::int32_t>(g, "i8 into i32");
  check_bits<std::int8_t>(g, "i8");
  check_sums<std::int16_t, std::int16_t>(g, "i16");
  check_orders<std::int16_t, std::int16_t>(g, "i16");
  check_products<clwave::u16, clwave::u16>(g, "u16");
  check_indices<clwave::u16>(g, "u16");
  check_sums<std::uint32_t, std::uint32_t>(g, "u32");
  check_orders<std::uint32_t, std::uint32_t>(g, "u32");
  check_sums<std::int64_t, std::int64_t>(g, "i64");
  check_orders<std::int64_t, std::int64_t>(g, "i64");
  check_indices<std::int64_t>(g, "i64");

  check_sums<std::uint8_t, std::uint32_t>(g, "u8 into u32");
  check_sums<std::uint8_t, std::uint64_t>(g, "u8 into u64");
  check_sums<std::int16_t, float>(g, "i16 into f32");
  check_sums<clwave::bfloat16, float>(g, "bf16 into f32");
  if (g.has_doubles()) {
    check_sums<float, double>(g, "f32 into f64");
    check_maps<float, double>(g, "f32 into f64");
    check_sums<std::uint32_t, double>(g, "u32 into f64");
  }
  check_users_own(g);
  check_vectors(g);
  check_long(g);
}

}  // namespace

int main(int count, char** words) try {
  unsigned part = 1, parts = 1;
  bool all_profiles = false;
  std::string start;
  for (int w = 1; w < count; ++w) {
    if (std::strcmp(words[w], "--all-profiles") == 0) {
      all_profiles = true;
    } else if (std::strcmp(words[w], "--profiles") == 0 && w + 1 < count) {
      start = words[++w];
    } else if (std::strcmp(words[w], "--part") == 0 && w + 1 < count &&
               std::sscanf(words[w + 1], "%u/%u", &part, &parts) == 2 && part >= 1 && part <= parts) {
      ++w;
    } else {
      std::fprintf(stderr, "usage: clwave_grid [--part I/N] [--all-profiles | --profiles START]\n");
      return 2;
    }
  }
  load_drivers_without_their_signal_handlers();
  // Thousands of programs, each used once: fetching their binaries for the cache would only take time.
  setenv("CLWAVE_CACHE_DIR", "off", 1);
  if (quickest()) {  // a third of the part
    part += parts * static_cast<unsigned>(reference::random_engine().below(3));
    parts *= 3;
  }
  grid g(part - 1, parts, all_profiles, start);
  check_all(g);
  const tally& total = g.total();
  std::printf(
      "%zu cases under %zu programs checked, %zu wrong (%zu profiles shared a program, %zu narrow ones "
      "left this row to another); %s\n",
      total.cases, total.programs, total.wrong, total.shared, total.turns, g.random().note().c_str());
  return total.cases > 0 && total.wrong == 0 ? 0 : 1;
} catch (const std::exception& trouble) {
  std::fprintf(stderr, "%s\n", trouble.what());
  return 1;
}
