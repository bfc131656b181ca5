// Texts of a user's that look as if they could do harm and mean something plain, for operators and maps of
// many primitives: the results are those of a loop on the host.
#include <algorithm>
#include <cstdio>
#include <functional>
#include <numeric>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include <clwave.hpp>

#include "harness/devices.hpp"
#include "harness/kernel_words.hpp"
#include "harness/parts.hpp"
#include "harness/quick.hpp"
#include "harness/reference.hpp"

namespace {

using clwave::view;
using reference::random_engine;
using testing::fixture;
using testing::own_text;
using floats = std::vector<float>;
using words = std::vector<std::string>;

constexpr std::size_t n = 3000;
constexpr std::size_t rows = 30, columns = n / rows;

// ------------------------------------------------------------------------------------------------ meanings

// A call with a text of the user's, which here is the words of a plain expression, and the loop that gives
// the same. Elements are small whole numbers, so that sums are exact in any order.
struct meaning {
  std::string name;
  words plain;
  std::function<floats(const fixture& on, const cl::Buffer& x, const own_text& own)> call;
  std::function<floats(const floats& x)> expected;
};

clwave::op op_of(const own_text& own) {
  return {.name = own.name, .source = own.source, .identity = own.identity, .declarations = own.declarations};
}
clwave::map map_of(const own_text& own) {
  return {.name = own.name, .source = own.source, .declarations = own.declarations};
}

// Those of a call that writes so many floats to a buffer.
template <class Call>
auto writes(std::size_t n_out, const Call& call) {
  return [n_out, call](const fixture& on, const cl::Buffer& x, const own_text& own) {
    const cl::Buffer out = on.buffer_of(floats(n_out));
    call(on.queue, view<float>{x, n}, view<float>{out, n_out}, own).wait();
    return on.read<float>(out, n_out);
  };
}

floats sorted(floats x) {
  std::stable_sort(x.begin(), x.end());
  return x;
}

// The keys of reductions and scans by key, and the offsets of segments: runs of seven.
std::vector<std::uint32_t> runs_of_seven() {
  std::vector<std::uint32_t> keys(n);
  for (std::size_t i = 0; i < n; ++i) keys[i] = static_cast<std::uint32_t>(i / 7);
  return keys;
}
constexpr std::size_t n_runs = (n + 6) / 7;

template <class Combine>
floats fold_of_runs(const floats& x, const Combine& combine) {
  floats all;
  for (std::size_t i = 0; i < n; ++i)
    i % 7 == 0 ? all.push_back(x[i]) : void(all.back() = combine(all.back(), x[i]));
  return all;
}

using queue = cl::CommandQueue;
using in_view = view<float>;
using out_view = view<float>;

std::vector<meaning> folds() {
  const auto sum = [](float a, float b) { return a + b; };
  const auto larger = [](float a, float b) { return std::max(a, b); };
  return {{"reduce",
           {"a", "+", "b"},
           [](const fixture& on, const cl::Buffer& x, const own_text& own) {
             return floats{clwave::reduce(on.queue, in_view{x, n}, op_of(own))};
           },
           [](const floats& x) { return floats{std::accumulate(x.begin(), x.end(), 0.0f)}; }},
          {"transform_reduce, by a map",
           {"x", "*", "3", "-", "40"},
           [](const fixture& on, const cl::Buffer& x, const own_text& own) {
             return floats{clwave::transform_reduce(on.queue, in_view{x, n}, clwave::min, map_of(own))};
           },
           [](const floats& x) { return floats{*std::min_element(x.begin(), x.end()) * 3 - 40}; }},
          {"inclusive_scan",
           {"a", "<", "b", "?", "b", ":", "a"},
           writes(n, [](const queue& q, const in_view& x, const out_view& out,
                        const own_text& own) { return clwave::inclusive_scan(q, x, out, op_of(own)); }),
           [larger](floats x) {
             std::partial_sum(x.begin(), x.end(), x.begin(), larger);
             return x;
           }},
          {"exclusive_scan",
           {"a", "+", "b"},
           writes(n, [](const queue& q, const in_view& x, const out_view& out,
                        const own_text& own) { return clwave::exclusive_scan(q, x, out, op_of(own)); }),
           [](floats x) {
             std::exclusive_scan(x.begin(), x.end(), x.begin(), 0.0f);
             return x;
           }},
          {"segmented_reduce",
           {"a", "+", "b"},
           [](const fixture& on, const cl::Buffer& x, const own_text& own) {
             std::vector<std::uint32_t> offsets(n_runs + 1);
             for (std::size_t k = 0; k <= n_runs; ++k)
               offsets[k] = static_cast<std::uint32_t>(std::min<std::size_t>(7 * k, n));
             const cl::Buffer out = on.buffer_of(floats(n_runs)), at = on.buffer_of(offsets);
             clwave::segmented_reduce(on.queue, in_view{x, n}, view<std::uint32_t>{at, n_runs + 1},
                                      out_view{out, n_runs}, op_of(own))
                 .wait();
             return on.read<float>(out, n_runs);
           },
           [sum](const floats& x) { return fold_of_runs(x, sum); }},
          {"reduce_by_key",
           {"a", ">", "b", "?", "a", ":", "b"},
           [](const fixture& on, const cl::Buffer& x, const own_text& own) {
             const cl::Buffer keys = on.buffer_of(runs_of_seven()), keys_out = on.buffer_of(runs_of_seven()),
                              out = on.buffer_of(floats(n_runs));
             const auto count = clwave::reduce_by_key(on.queue, view<std::uint32_t>{keys, n}, in_view{x, n},
                                                      view<std::uint32_t>{keys_out, n_runs},
                                                      out_view{out, n_runs}, op_of(own));
             CHECK(count == n_runs);
             return on.read<float>(out, n_runs);
           },
           [larger](const floats& x) { return fold_of_runs(x, larger); }},
          {"reduce_rows",
           {"a", "+", "b"},
           writes(rows,
                  [](const queue& q, const in_view& x, const out_view& out, const own_text& own) {
                    return clwave::reduce_rows(q, x, out, {.rows = rows, .columns = columns}, op_of(own));
                  }),
           [](const floats& x) {
             floats all(rows);
             for (std::size_t i = 0; i < n; ++i) all[i / columns] += x[i];
             return all;
           }}};
}

std::vector<meaning> others() {
  return {
      {"transform",
       {"x", "*", "3", "-", "1"},
       writes(n, [](const queue& q, const in_view& x, const out_view& out,
                    const own_text& own) { return clwave::transform(q, x, out, map_of(own)); }),
       [](floats x) {
         for (float& each : x) each = each * 3 - 1;
         return x;
       }},
      {"transform of two inputs",
       {"x", "-", "2", "*", "y", "+", "(", "float", ")", "i"},
       writes(n, [](const queue& q, const in_view& x, const out_view& out,
                    const own_text& own) { return clwave::transform(q, x, x, out, map_of(own)); }),
       [](floats x) {
         for (std::size_t i = 0; i < n; ++i) x[i] = x[i] - 2 * x[i] + static_cast<float>(i);
         return x;
       }},
      {"copy_if",
       {"x", ">", "50"},
       [](const fixture& on, const cl::Buffer& x, const own_text& own) {
         const cl::Buffer out = on.buffer_of(floats(n));
         const auto count = clwave::copy_if(on.queue, in_view{x, n}, out_view{out, n}, map_of(own));
         return on.read<float>(out, count);
       },
       [](floats x) {
         std::erase_if(x, [](float each) { return !(each > 50); });
         return x;
       }},
      {"unique",
       {"a", "/", "10", "<", "5", "&&", "b", "/", "10", "<", "5"},
       [](const fixture& on, const cl::Buffer& x, const own_text& own) {
         const cl::Buffer out = on.buffer_of(floats(n));
         const auto count = clwave::unique(on.queue, in_view{x, n}, out_view{out, n}, op_of(own));
         return on.read<float>(out, count);
       },
       [](const floats& x) {
         floats kept{x[0]};
         for (std::size_t i = 1; i < n; ++i)
           if (!(x[i - 1] < 50 && x[i] < 50)) kept.push_back(x[i]);
         return kept;
       }},
      {"sort by an operator",
       {"a", ">", "b"},
       writes(n, [](const queue& q, const in_view& x, const out_view& out,
                    const own_text& own) { return clwave::sort(q, x, out, {.less = op_of(own)}); }),
       [](floats x) {
         std::stable_sort(x.begin(), x.end(), std::greater<>());
         return x;
       }},
      {"argsort by an operator",
       {"a", "<", "b"},
       [](const fixture& on, const cl::Buffer& x, const own_text& own) {
         const cl::Buffer out = on.buffer_of(std::vector<std::uint32_t>(n));
         clwave::argsort(on.queue, in_view{x, n}, view<std::uint32_t>{out, n}, {.less = op_of(own)}).wait();
         const auto places = on.read<std::uint32_t>(out, n);
         return floats(places.begin(), places.end());
       },
       [](const floats& x) {
         floats places(n);
         std::iota(places.begin(), places.end(), 0.0f);
         std::stable_sort(places.begin(), places.end(), [&](float a, float b) {
           return x[static_cast<std::size_t>(a)] < x[static_cast<std::size_t>(b)];
         });
         return places;
       }},
      {"sort by keys",
       {"x", "<", "40", "?", "-", "1", "-", "x", ":", "x", "-", "(", "float", ")", "i"},
       writes(n,
              [](const queue& q, const in_view& x, const out_view& out, const own_text& own) {
                const clwave::sort_key key = clwave::by<float>(map_of(own));
                return clwave::sort(q, x, out,
                                    {.keys = {clwave::by<bool>({.name = "half", .source = "x > 60"}), key}});
              }),
       // No key is -0, which sort puts before +0 and a comparison on the host does not.
       [](const floats& x) {
         const auto key = [&](std::size_t i) {
           return std::pair(x[i] > 60, x[i] < 40 ? -1 - x[i] : x[i] - static_cast<float>(i));
         };
         std::vector<std::size_t> places(n);
         std::iota(places.begin(), places.end(), std::size_t{0});
         std::stable_sort(places.begin(), places.end(),
                          [&](std::size_t a, std::size_t b) { return key(a) < key(b); });
         floats all;
         for (const std::size_t i : places) all.push_back(x[i]);
         return all;
       }},
      {"merge",
       {"a", "<", "b"},
       [](const fixture& on, const cl::Buffer& x, const own_text& own) {
         const floats range = sorted(on.read<float>(x, n));
         const cl::Buffer a = on.buffer_of(range), out = on.buffer_of(floats(2 * n));
         clwave::merge(on.queue, in_view{a, n}, in_view{a, n}, out_view{out, 2 * n}, {.less = op_of(own)})
             .wait();
         return on.read<float>(out, 2 * n);
       },
       [](floats x) {
         x.insert(x.end(), x.begin(), x.begin() + n);
         return sorted(x);
       }},
      {"lower_bound",
       {"a", "<", "b"},
       [](const fixture& on, const cl::Buffer& x, const own_text& own) {
         const floats range = sorted(on.read<float>(x, n));
         const cl::Buffer in = on.buffer_of(range), out = on.buffer_of(std::vector<std::uint32_t>(n));
         clwave::lower_bound(on.queue, in_view{in, n}, in_view{x, n}, view<std::uint32_t>{out, n},
                             {.less = op_of(own)})
             .wait();
         const auto places = on.read<std::uint32_t>(out, n);
         return floats(places.begin(), places.end());
       },
       [](const floats& x) {
         const floats range = sorted(x);
         floats places;
         for (const float each : x)
           places.push_back(
               static_cast<float>(std::lower_bound(range.begin(), range.end(), each) - range.begin()));
         return places;
       }}};
}

// -------------------------------------------------------------------------------------------------- texts

const std::string& one_of(const words& all, random_engine& random) { return all[random.below(all.size())]; }

// What may stand between two words, and says nothing.
std::string nothing(random_engine& random) {
  static const words all{" ",
                         "  ",
                         "\t",
                         "\n",
                         "\r\n",
                         " \\\n ",
                         " /* ) ] } ' \" */ ",
                         " /* #error no\n#undef ACC\n */ ",
                         " /* // */ ",
                         " /* \xc3\xa9 \xe2\x80\xae \xff */ ",
                         " /* *\\\n/ ",
                         " /\\\n* __kernel */ ",
                         std::string(2000, ' '),
                         std::string(500, '\n'),
                         " /* " + std::string(5000, 'x') + "\n" + std::string(5000, '(') + " */ "};
  return one_of(all, random);
}

// The words in another writing.
std::string written(const words& plain, random_engine& random) {
  std::string text;
  for (const std::string& word : plain) text += nothing(random) + word;
  return text + nothing(random);
}

// Declarations that nothing uses, or by which nothing changes.
std::string idle(const std::string& name, random_engine& random) {
  const words all{
      "float " + name + "(float v) { return -v; }\n",
      "typedef struct { float value; } " + name + ";\n",
      "enum { " + name + " = 5 };\n",
      "__constant char quoted_of_mine[] = \"*/ } ) #define ACC \\\" \\\\ // \";\n",
      "__constant char characters_of_mine[] = {'\"', '\\'', '}', '#'};\n",
      "#if 0\n#error this is not compiled\n#elif defined(NOT_DEFINED_BY_ANYBODY)\n#error nor this\n#endif\n",
      "#ifndef CLWAVE_NOT_SET\n// } /* \" ' \\\n ) ]\n#endif\n",
      "#define OPENS_OF_MINE (\n#define CLOSES_OF_MINE )\n",
      "#pragma OPENCL EXTENSION cl_khr_byte_addressable_store : enable\n",
      "/\\\n/ a comment } \\\n that goes on ) \n",
      ";;\n"};
  return one_of(all, random);
}

// A text that means the plain one.
own_text harmless(const words& plain, random_engine& random) {
  // Not what the text itself calls its operands: there they hide a function of that name, as in any C.
  static const std::set<std::string> operands{"a", "b", "x", "y", "i"};
  static const words names = [] {
    words all;
    for (const std::string& name : testing::names_in_kernels())
      if (!operands.contains(name) && !testing::of_the_language(name) &&
          !testing::functions_of_the_language.contains(name))
        all.push_back(name);
    return all;
  }();
  own_text own{
      .name =
          one_of({"own", "\"", "*/", "a\nb", "#error", "\\", "//", "\xc3\xa9", "reduce", "%s", "';"}, random),
      .source = written(plain, random),
      .identity = nothing(random) + "0" + nothing(random),
      .declarations = ""};
  const std::string& name = one_of(names, random);
  const bool is_fold = std::find(plain.begin(), plain.end(), "a") != plain.end();
  const std::string parameters = is_fold ? "(float a, float b)" : "(float x, float y, ulong i)";
  const std::string arguments = is_fold ? "(a, b)" : "(x, 0, i)";
  const bool has_y = std::find(plain.begin(), plain.end(), "y") != plain.end();
  switch (random.below(5)) {
    case 0:  // a function whose name the kernels have
      if (has_y) break;
      own.declarations = "float " + name + parameters + " { return" + own.source + "; }\n";
      own.source = name + arguments;
      break;
    case 1:  // a macro with brackets of its own
      own.declarations = "#define OPENS_AND (\n#define AND_CLOSES )\n";
      own.source = "OPENS_AND" + own.source + "AND_CLOSES";
      break;
    case 2:
      own.source = std::string(200, '(') + own.source + std::string(200, ')');
      break;
    case 3:
      own.declarations = idle(name, random);
      break;
    default:
      break;
  }
  return own;
}

TEST_CASE("texts that look hostile and mean something plain give what they mean, in many primitives") {
  fixture on;
  random_engine random;
  std::vector<meaning> all = folds();
  for (const meaning& each : others()) all.push_back(each);
  floats x(n);
  for (float& each : x) each = static_cast<float>(random.below(100));
  const cl::Buffer in = on.buffer_of(x);
  const std::size_t n_texts = testing::quick() ? 2 * all.size() : 15 * all.size();
  for (std::size_t k = 0; k < n_texts; ++k) {
    const meaning& each = all[k % all.size()];
    const own_text own = harmless(each.plain, random);
    INFO(each.name, ": ", own.name, " | ", own.source.substr(0, 2000), " | ",
         own.declarations.substr(0, 2000));
    CAPTURE(k);
    CHECK(each.call(on, in, own) == each.expected(x));
  }
  CHECK(on.read<float>(in, n) == x);
  std::printf("%zu texts of %zu calls give what they mean\n", n_texts, all.size());
}

}  // namespace
