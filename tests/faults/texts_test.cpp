// Texts of a user's that nobody means: expressions and declarations put together at random of what a language
// has that could harm. Each is refused with the user's words in the error, or compiles and gives the same
// result however often it is built; and the next call is right.
#include <cstdio>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <doctest/doctest.h>

#include <clwave.hpp>

#include "harness/captures.hpp"
#include "harness/devices.hpp"
#include "harness/environment.hpp"
#include "harness/parts.hpp"
#include "harness/quick.hpp"
#include "harness/reference.hpp"
#include "harness/refusals.hpp"
#include "program/embedded_kernels.hpp"
#include "program/user_text.hpp"

namespace {

using clwave::failure;
using reference::random_engine;
using testing::default_fixture;
using testing::fixture;

// The kernels' own words: macros, functions and types.
std::vector<std::string> words_of_kernels() {
  std::vector<std::string> words;
  for (const clwave::detail::kernel_part& part : clwave::detail::embedded_kernel_parts()) {
    const std::string_view text = part.text;
    for (std::size_t at = text.find("#define "); at != std::string_view::npos;
         at = text.find("#define ", at + 1)) {
      const std::size_t begin = at + 8;
      words.emplace_back(text.substr(begin, text.find_first_of(" (\n", begin) - begin));
    }
  }
  return words;
}

const std::vector<std::string>& fragments() {
  static const std::vector<std::string> all = [] {
    std::vector<std::string> pieces{"(",
                                    ")",
                                    "{",
                                    "}",
                                    "[",
                                    "]",
                                    ";",
                                    ",",
                                    "\"",
                                    "'",
                                    "\\",
                                    "\\\n",
                                    "\n",
                                    "\r\n",
                                    "\t",
                                    "\v",
                                    "\f",
                                    "/*",
                                    "*/",
                                    "//",
                                    "/* x */",
                                    "#error no\n",
                                    "\n#error no\n",
                                    "\n#define a 2\n",
                                    "\n#undef ACC\n",
                                    "\n#include \"x\"\n",
                                    "\n#pragma once\n",
                                    "\n#pragma OPENCL FP_CONTRACT ON\n",
                                    "\n#line 1 \"y\"\n",
                                    "\n#if 0\n",
                                    "\n#endif\n",
                                    "\n#else\n",
                                    "#",
                                    "##",
                                    "%:",
                                    "?\?/",
                                    "_Pragma(\"x\")",
                                    "__kernel",
                                    "__kernel void k(void) {}",
                                    "kernel",
                                    "__global float *p",
                                    "__local int",
                                    "barrier(1);",
                                    "return 0",
                                    "goto end",
                                    "asm(\"nop\")",
                                    "__asm__(\"\")",
                                    "__attribute__((constructor))",
                                    "typedef int float4;",
                                    "struct {",
                                    "static",
                                    "inline",
                                    "extern int x;",
                                    "sizeof(",
                                    "a",
                                    "b",
                                    "x",
                                    "i",
                                    "own",
                                    "0",
                                    "1",
                                    "-1",
                                    "1.0",
                                    "1e400",
                                    "0x",
                                    "08",
                                    "1u << 40",
                                    "a + b",
                                    "x + 1",
                                    "a / 0",
                                    "x % 0",
                                    "(a, b)",
                                    "a ? b",
                                    ": b",
                                    "a = b",
                                    "a++",
                                    "&a",
                                    "*a",
                                    "a.x",
                                    "a->x",
                                    "\xc3\xa9",
                                    "\xff\xfe",
                                    "\xef\xbb\xbf",
                                    "\xe2\x80\xae",
                                    "\xe2\x81\xa6",
                                    "\xf0\x9f\x98\x80",
                                    "\x01",
                                    "\x1b[31m",
                                    "\x7f",
                                    std::string("\0", 1),
                                    "\\u0041",
                                    "$",
                                    "@",
                                    "`",
                                    "float f(float v) { return v; }",
                                    "float f(float v)",
                                    "int n = 3;",
                                    "__constant int t[3] = {1, 2, 3};",
                                    "enum { A = 1 };",
                                    "void f(void) { f(); }",
                                    "while (1) ;",
                                    "u8\"x\"",
                                    "R\"(x)\""};
    pieces.insert(pieces.end(), {std::string(300, '('), std::string(300, '-'), std::string(5000, 'a'),
                                 std::string(3000, '\n')});
    const std::vector<std::string> own = words_of_kernels();
    pieces.insert(pieces.end(), own.begin(), own.end());
    return pieces;
  }();
  return all;
}

// A text of so many pieces around or inside one that is right.
std::string hostile(const std::string& good, random_engine& random) {
  std::string text = random.below(4) == 0 ? std::string() : good;
  for (std::size_t k = random.below(3) + 1; k > 0; --k) {
    // Every other one of the language's, every other one of the kernels' words, which are more.
    const std::size_t at = random.below(random.below(2) == 0 ? 100 : fragments().size());
    const std::string piece = (random.below(2) == 0 ? " " : "") + fragments()[at];
    text.insert(random.below(text.size() + 1), piece + (random.below(2) == 0 ? " " : ""));
  }
  if (random.below(200) == 0) text += std::string(1 << 20, random.below(2) == 0 ? ' ' : 'z');
  return text;
}

// The same with what means nothing in OpenCL C before and behind it.
std::string harmless(const std::string& good, random_engine& random) {
  constexpr const char* nothing[] = {" ",   "\n", "\t", "\\\n ", "/* the user's own */", "/* \xc3\xa9 */",
                                     "\r\n"};
  return nothing[random.below(std::size(nothing))] + good + nothing[random.below(std::size(nothing))];
}

constexpr std::size_t n = 100;

// The calls that take texts, of all primitives.
const std::vector<testing::text_call>& calls_with_texts() {
  static const std::vector<testing::text_call> all = [] {
    std::vector<testing::text_call> calls;
    for (const testing::primitive_parts& part : testing::all_parts())
      calls.insert(calls.end(), part.texts.begin(), part.texts.end());
    return calls;
  }();
  return all;
}

// A call with a user's text.
struct attempt {
  std::string what;
  const testing::text_call* call;
  testing::own_text own;
};

attempt random_attempt(std::string (*make)(const std::string& good, random_engine&), random_engine& random) {
  const testing::text_call& call = calls_with_texts()[random.below(calls_with_texts().size())];
  const bool in_declarations = random.below(3) == 0;
  const testing::own_text own{
      .name = make == hostile && random.below(10) == 0 ? hostile("own", random) : "own",
      .source = in_declarations ? call.good : make(call.good, random),
      .identity = call.takes_identity && random.below(4) == 0 ? make("0", random) : "0",
      .declarations = in_declarations ? make("float helper(float v) { return v; }\n", random) : ""};
  return {call.name + ": " + own.source + " | " + own.identity + " | " + own.declarations, &call, own};
}

TEST_CASE("hostile texts are refused in the user's words, or mean the same each time") {
  fixture on;
  const testing::environment no_cache("CLWAVE_CACHE_DIR", "off");
  random_engine random;
  std::vector<float> ones(n, 1.0f);
  const cl::Buffer in = on.buffer_of(ones);
  const std::size_t n_texts = testing::quick() ? 50 : 500;
  std::size_t refused = 0, not_built = 0, compiled = 0, elsewhere = 0;
  for (std::size_t k = 0; k < n_texts; ++k) {
    const bool builds = k % 10 == 0;
    const attempt each = random_attempt(builds ? harmless : hostile, random);
    CAPTURES(each.what.substr(0, 2000), k);
    const auto outcome = [&]() -> std::optional<std::vector<float>> {
      try {
        return each.call->call(on, in, each.own);
      } catch (const clwave::error& thrown) {
        const std::string what = thrown.what();
        const bool built = thrown.kind() != failure::build;
        CAPTURE(what.substr(0, 3000));
        CHECK((!built || thrown.kind() == failure::bad_call));
        CHECK_FALSE(builds);
        CHECK_FALSE(testing::contains(what, clwave::detail::user_prefix));
        ++(built ? refused : not_built);
        // In the user's words; "operators" is what stands beside them.
        const std::string& log = thrown.details().log;
        const bool names_it = testing::contains(log, "operator") || testing::contains(log, "map ");
        if (!built && !names_it) {
          ++elsewhere;
          std::printf("in a line of the kernels: %.300s\n%.1000s\n", each.what.c_str(), log.c_str());
        }
        return std::nullopt;
      }
    };
    const auto first = outcome();
    if (first) {
      ++compiled;
      clwave::release(on.context);
      const auto second = outcome();
      CHECK(second.has_value());
      if (second) CHECK(std::memcmp(first->data(), second->data(), 4 * first->size()) == 0);
    }
    if (k % 20 == 0) CHECK(clwave::reduce(on.queue, clwave::view<float>{in, n}) == 100.0f);
  }
  CHECK(clwave::reduce(on.queue, clwave::view<float>{in, n}) == 100.0f);
  std::printf("%zu hostile texts: %zu refused, %zu not built, %zu compiled, the same twice\n", n_texts,
              refused, not_built, compiled);
  std::printf("%zu of those that were not built are shown in a line of the kernels\n", elsewhere);
  CHECK(elsewhere <= n_texts / 100);
  CHECK(refused > n_texts / 10);
}

}  // namespace
