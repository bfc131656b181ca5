// A user's texts: behind all pragmas, never in the way of the kernels' names, refused with their line where
// they could change the kernels.
#include "program/user_text.hpp"

#include <array>
#include <bit>
#include <cctype>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include <doctest/doctest.h>

#include <clwave/error.hpp>
#include <clwave/plan.hpp>
#include <clwave/reduce.hpp>

#include "harness/captures.hpp"
#include "harness/devices.hpp"
#include "harness/kernel_words.hpp"
#include "harness/refusals.hpp"
#include "program/compiler_log.hpp"
#include "program/program.hpp"

namespace testing::user_text_test {

// Names that the kernels have too.
struct packet {
  float wide, words;
};

struct two_numbers {
  u32 k, j;
};

}  // namespace testing::user_text_test

CLWAVE_STRUCTURE(testing::user_text_test::packet, "packet", "typedef struct { float wide, words; } packet;")
CLWAVE_STRUCTURE(testing::user_text_test::two_numbers, "two_numbers",
                 "typedef struct { uint k, j; } two_numbers;")

namespace testing::user_text_test {
namespace {

constexpr std::array rows{"", "cpu", "sm_90", "gfx90a", "gfx1030", "gpu"};

// A sum with these declarations; 0 where they are refused is no sum of ones.
float sum_with(const std::string& declarations, const std::string& source = "a + b") {
  const fixture& on = default_fixture();
  const std::vector<float> ones(100, 1.0f);
  const cl::Buffer buffer = on.buffer_of(ones);
  return clwave::reduce(
      on.queue, view<float>{buffer, ones.size()},
      clwave::op{.name = "own", .source = source, .identity = "0", .declarations = declarations});
}

// Whether the device's compiler takes macros with `...`, which OpenCL C does not have: Clang does, NVIDIA's
// refuses them.
bool takes_variadic_macros() {
  const fixture& on = default_fixture();
  const cl::Program program(on.context,
                            "#define GIVEN(p, ...) (p, ##__VA_ARGS__)\n"
                            "kernel void f(global int *to) { *to = GIVEN(1, 2); }");
  return program.build("-cl-std=CL1.2") == CL_SUCCESS;  // by its default NVIDIA's takes them
}

TEST_CASE("pragmas: none of the kernels' stands behind a user's text") {
  const clwave::op fold{.name = "own",
                        .source = "helper(a, b)",
                        .identity = "0",
                        .declarations = "float helper(float a, float b) { return a + b; }"};
  for_each_profile([&](const clwave::profile& row) {
    const element& f64 = element_of<double>();
    const auto plan = clwave::plan(clwave::reduce_problem{{f64, 1 << 20}, &f64, &fold},
                                   {.choice = clwave::choose_profile_for(row.name), .compute_units = 8});
    const std::size_t text = plan.source.find("float helper");
    REQUIRE(text != std::string::npos);
    CHECK(plan.source.find("#pragma OPENCL FP_CONTRACT OFF") < text);
    CHECK(plan.source.find("#pragma OPENCL EXTENSION cl_khr_fp64") < text);
    CHECK(plan.source.find("#pragma OPENCL", text) == std::string::npos);
  });
}

// A product that no compiler fuses into the sum behind it.
template <class T>
T separate_product(T a, T b) {
  const volatile T product = a * b;
  return product;
}

template <class T>
void check_helper(const char* type, const char* suffix) {
  const fixture& on = default_fixture();
  reference::random_engine random;
  std::vector<T> values(20003);
  for (T& v : values) v = static_cast<T>(static_cast<std::int32_t>(random())) / T(1 << 20);
  const cl::Buffer buffer = on.buffer_of(values);
  const std::string name(type);
  const std::string helper =
      name + " mul_add(" + name + " p, " + name + " q, " + name + " r) {\n  return p * q + r;\n}\n";
  const clwave::op fold{.name = "by a helper",
                        .source = std::string("mul_add(a, 0.7") + suffix + ", b)",
                        .identity = "0",
                        .declarations = helper};
  const T factor = static_cast<T>(suffix[0] == 'f' ? 0.7f : 0.7);
  const auto combine = [&](T a, T b) { return separate_product(a, factor) + b; };
  const T expected = reference::fold_reference<T>(
      values.size(), [&](std::size_t i) { return values[i]; }, combine, false);
  for (const std::string row : forced_rows(rows)) {
    CHECK(clwave::reduce(on.queue, view<T>{buffer, values.size()}, fold) == expected);
  }
}

TEST_CASE("pragmas: helpers of the user are not contracted") {
  check_helper<float>("float", "f");
  if (default_fixture().has_doubles()) check_helper<double>("double", "");
}

// ------------------------------------------------------------------------------------------- names

void check_use(const std::string& declarations) { CHECK(sum_with(declarations) == 100.0f); }

TEST_CASE("names: every name of the kernels may be a function, a type, a macro or a variable of the user's") {
  declare_names_of_every_kind(check_use);
}

TEST_CASE("names: users' own words work, whatever the kernels call theirs") {
  CHECK(sum_with("float combine(float p, float q) { return p + q; }", "combine(a, b)") == 100.0f);
  CHECK(sum_with("float fold(float wide, float lift) { return wide + lift; }\n#define first fold",
                 "first(a, b)") == 100.0f);
  CHECK(sum_with("typedef struct { float value; } canonical;\n"
                 "float lanes_fold(float p, float q) { canonical c = {p}; return c.value + q; }",
                 "lanes_fold(a, b)") == 100.0f);
  CHECK(sum_with("__attribute__((always_inline)) float constructor(float section) { return section; }",
                 "a + constructor(b)") == 100.0f);
  CHECK(sum_with("typedef struct __attribute__((packed)) { char first; float value; } own;\n"
                 "float of(float p) { own all = {1, p}; return all.value + (sizeof(own) - 5); }",
                 "a + of(b)") == 100.0f);
  CHECK(sum_with(
            "#define EACH(k, n) for (int k = 0; k < n; ++k) {\n#define UNLESS(p) if (!(p)) {\n#define END }\n"
            "float same(float p) { EACH(k, 3) UNLESS(k > 1) p += 1; END END return p - 2; }",
            "a + same(b)") == 100.0f);
  CHECK(sum_with("enum { VECTOR = 5, LANES };\n", "a + b + (LANES - VECTOR - 1)") == 100.0f);
  CHECK(sum_with("#define OWN(p, q) \\\n  ((p) + \\\n   (q))\n/* a } */ // and \" one\n", "OWN(a, b)") ==
        100.0f);
  CHECK(sum_with("", "a + b /* https://of.mine */") == 100.0f);
  CHECK(sum_with("", "a + b + ('/' - '/') + (sizeof(\"//\") - 3)") == 100.0f);
  // A function of the language's name is the text's own.
  CHECK(sum_with("float max(float p, float q) { return p + q; }\nfloat step(float p) { return max(p, 0); }",
                 "max(step(a), b)") == 100.0f);
  CHECK(sum_with("#define FIRST(f) add_##f(1, 0) - 1 + f\nfloat add_min(float p, float q) { return p + q; }\n"
                 "float min(float p, float q) { return p + q; }",
                 "FIRST(min)(a, b)") == 100.0f);
  CHECK(sum_with("#ifdef CLWAVE_NOT_SET\n#error not here\n#else\n#define min(p, q) ((p) + (q))\n#endif",
                 "min(a, b)") == 100.0f);

  const fixture& on = default_fixture();
  const std::vector<packet> packets(1000, packet{1, 2});
  const clwave::op add{
      .name = "add", .source = "(packet){a.wide + b.wide, a.words + b.words}", .identity = "(packet){0, 0}"};
  for (const std::string row : forced_rows(rows)) {
    const packet sum = clwave::reduce(on.queue, view<packet>{on.buffer_of(packets), packets.size()}, add);
    CHECK(sum.wide == 1000.0f);
    CHECK(sum.words == 2000.0f);
  }
}

// ----------------------------------------------------------------------------------------- refusals

TEST_CASE("texts: what could change the kernels is refused with its line") {
  const std::string nul("float f;\n\0 ", 11);
  const std::vector<std::array<std::string, 3>> cases{
      {"#undef clwave_ACC", "line 1", "clwave_ACC"},
      {"\n#define clwave_ACC int", "line 2", "begin with clwave_ are reserved"},
      {"  #  define /* x */ clwave_GROUP_SIZE 3", "line 1", "clwave_GROUP_SIZE"},
      {"\n\n# undef \\\n clwave_OPERATOR_TEXT", "line 3", "clwave_OPERATOR_TEXT"},
      {"\n#ifdef clwave_ACC\n#endif", "line 2", "clwave_ACC"},
      {"\nfloat clwave_packet(float v) { return v; }", "line 2", "begin with clwave_ are reserved"},
      {"float f(void) { return clwave_given.clwave_op_k; }", "line 1", "clwave_given"},
      {"#define OWN(p) clwave_##p", "line 1", "clwave_"},
      {"#define float double", "line 1", "float"},
      {"#define a 2", "line 1", "stands for an element"},
      {"%:undef ACC", "line 1", "another spelling"},
      {"?\?=undef ACC", "line 1", "another spelling"},
      {"#pragma OPENCL FP_CONTRACT ON", "line 1", "#pragma"},
      {"\n#pragma clang fp contract(fast)", "line 2", "#pragma"},
      {"_Pragma(\"OPENCL FP_CONTRACT ON\")", "line 1", "_Pragma"},
      {"#line 7", "line 1", "#line"},
      {"#include \"mine.h\"", "line 1", "#include"},
      {"\nfloat f() {", "line 2", "is not closed"},
      {"float f() { return (1; }", "line 1", "closes none"},
      {"}", "line 1", "closes none"},
      {"float f;\n/* open", "line 2", "no end"},
      {"\n\"open", "line 2", "quote"},
      {"float f; \\", "line 1", "backslash"},
      {"float f; \\\n", "line 1", "backslash"},
      {"#define X 1 \\ \n 2", "line 1", "backslash"},
      {"\n#if 0", "line 2", "no #endif"},
      {"#endif", "line 1", "without #if"},
      {"#else", "line 1", "without #if"},
      {nul, "line 2", "number 0"},
      {"float \\u0041CC;", "line 1", "backslash"},
      {"\n" + std::string(40000, 'x'), "line 2", "40000 characters"},
      {"\n__attribute__((constructor)) void f(void) {}", "line 2", "constructor"},
      {"void f(void) __attribute__((noinline, __destructor__));", "line 1", "destructor"},
      {"#define FIRST __attribute__((constructor))\nFIRST void f(void) {}", "line 1", "constructor"},
      {"int a_list[2] __attribute__((aligned(8), section(\"x\")));", "line 1", "section"},
  };
  for (const auto& refused : cases) {
    const auto& [text, line, part] = refused;
    CAPTURE(refused[0]);
    const std::string why = refusal([&] { sum_with(refused[0]); });
    CAPTURE(why);
    CHECK(contains(why, "operator own, " + line));
    CHECK(contains(why, part));
  }
  const std::vector<std::array<std::string, 2>> expressions{{"a) + (b", "closes none"},
                                                            {"(a + b", "is not closed"},
                                                            {"a + b;", "semicolon"},
                                                            {"a + b // sum", "comment"},
                                                            {"a + b /* sum", "no end"},
                                                            {"a +\n#undef OWN\n b", "directive"},
                                                            {"a + clwave_combine(a, b)", "reserved"},
                                                            {"a + b \\", "backslash"},
                                                            {"a + '", "quote"},
                                                            {std::string("a + b\0", 6), "number 0"},
                                                            {"a + b }; float f() { return 0", "closes none"}};
  for (const auto& refused : expressions) {
    const auto& [text, part] = refused;
    CAPTURE(refused[0]);
    const std::string why = refusal([&] { sum_with("", refused[0]); });
    CAPTURE(why);
    CHECK(contains(why, "operator own, line"));
    CHECK(contains(why, part));
  }
}

TEST_CASE("texts: a compiler's lines are in the user's own words and lines") {
  try {
    sum_with("#define TWICE(v) \\\n  (2 * (v))\n\nfloat packet(float v) {\n  return missing_name;\n}");
    FAIL("it was built all the same");
  } catch (const clwave::error& thrown) {
    CAPTURE(thrown.details().log);
    CHECK(contains(thrown.details().log, "operator own:5"));
    CHECK_FALSE(contains(thrown.details().log, clwave::detail::user_prefix));
  }
  // What a text leaves open is an error of its own, and not of what stands behind it.
  for (const char* open : {"__kernel", "static", "struct own { int x; }", "float f(float v)"}) {
    CAPTURE(open);
    try {
      sum_with(open);
      FAIL("it was built all the same");
    } catch (const clwave::error& thrown) {
      CAPTURE(thrown.details().log);
      CHECK(contains(thrown.details().log, "operator own:"));
    }
  }
  // Of an expression, too.
  try {
    sum_with("", "a +\nb +\nmissing_name");
    FAIL("it was built all the same");
  } catch (const clwave::error& thrown) {
    CAPTURE(thrown.details().log);
    CHECK(contains(thrown.details().log, "operator own:3"));
  }
}

// ------------------------------------------------------------------------------------------ macros

TEST_CASE("macros: what ## puts together is a name like others") {
  CHECK(sum_with("#define MAKES(T) T add_##T(T p, T q) { return p + q; }\nMAKES(float)\nMAKES(int)",
                 "add_float(a, add_int(0, 0)) + b") == 100.0f);
  // What it joins may be a name of the kernels' (v), and so may a macro's parameter (packet, in).
  CHECK(sum_with("__constant float ones[4] = {1, 1, 1, 1};\n#define OWN(in, packet) v##in##packet(0, ones)\n"
                 "float first(float p) { return p * OWN(load, 4).y; }",
                 "a + first(b)") == 100.0f);
  CHECK(sum_with("#define JOINED(p, q) p##q\n#define OWN(p, q) JOINED(p, q)\n#define wide 4\n"
                 "float same(float p) { OWN(float, wide) w = p; return w.x; }",
                 "a + same(b)") == 100.0f);
  if (takes_variadic_macros())
    CHECK(sum_with("float sum_of(float p, float q) { return p + q; }\n"
                   "#define SUMMED(p, ...) sum_of(p, ##__VA_ARGS__)",
                   "SUMMED(a, b)") == 100.0f);
}

TEST_CASE("macros: what ## could put together and no text may have is refused with its line") {
  const std::string joined = "#define JOINED(p, q) p##q\n#define OWN(p, q) JOINED(p, q)\n";
  const std::vector<std::array<std::string, 4>> cases{
      {"\n#define OWN(p) float clwa##p(float v) { return v; }\nOWN(ve_fold)", "a + b", "line 2", "clwave_"},
      {"#define OWN(p, q) clwave##p##q\nfloat OWN(_, fold)(float v) { return v; }", "a + b", "line 1",
       "clwave_"},
      {joined, "a + b + OWN(clw, OWN(ave_, ACC))", "line 1", "clwave_"},
      // Words that are refused where they stand as a whole.
      {"#define OWN(p) _Pra##p(\"OPENCL FP_CONTRACT ON\")\nOWN(gma)", "a + b", "line 1", "_Pragma"},
      {"\n#define OWN con##structor\n__attribute__((OWN)) void f(void) {}", "a + b", "line 2", "constructor"},
      {"#define OWN constructor\n__attribute__((OWN)) void f(void) {}", "a + b", "line 1", "constructor"},
      {"#define OWN section(\"x\")\nfloat f __attribute__((OWN));", "a + b", "line 1", "section"}};
  for (const auto& each : cases) {
    const std::string &declarations = each[0], &source = each[1], &line = each[2], &part = each[3];
    CAPTURES(declarations, source);
    const std::string why = refusal([&] { sum_with(declarations, source); });
    CAPTURE(why);
    CHECK(contains(why, "operator own, " + line));
    CHECK(contains(why, part));
  }
  // Names of the kernels', as they stand in their files.
  CHECK(sum_with(joined + "#define MAKES(p) float add_##p(float v) { return v; }\nMAKES(packet)\n"
                          "float OWN(lanes, _fold)(float v) { return add_packet(v); }",
                 "a + lanes_fold(b)") == 100.0f);
  // A value is a parameter of the expression's function, and has its name there.
  const fixture& on = default_fixture();
  const cl::Buffer two = on.buffer_of(std::vector<float>{2.0f});
  CHECK(clwave::transform_reduce(on.queue, view<float>{two, 1}, clwave::plus,
                                 {.name = "own",
                                  .source = "x * OWN(wei, ght)",
                                  .declarations = joined,
                                  .values = {{"weight", 3.0f}}}) == 6.0f);
}

// The sum of 100 structures of 1 and 5 by a map, beside an operator's declarations.
u64 sum_beside(const std::string& of_operator, const std::string& map, const std::string& of_map = "",
               const std::string& sum = "a + b") {
  const fixture& on = default_fixture();
  const std::vector<two_numbers> all(100, two_numbers{1, 5});
  const cl::Buffer buffer = on.buffer_of(all);
  return clwave::transform_reduce<u64>(
      on.queue, view<two_numbers>{buffer, all.size()},
      clwave::op{.name = "own", .source = sum, .identity = "0", .declarations = of_operator},
      clwave::map{.name = "mapped", .source = map, .declarations = of_map});
}

TEST_CASE("macros: those of one text reach no other one, and not the kernels") {
  // What the map means without them: a member, functions of the language, whatever compilers have for these.
  for (const auto& [declarations, map, expected] :
       std::vector<std::tuple<const char*, const char*, unsigned>>{
           {"#define k j", "x.k", 1},
           {"#define min(p, q) max(p, q)", "min(x.k, x.j)", 1},
           {"#define popcount(p) 7", "popcount(x.j)", 2},
           {"#define abs_diff(p, q) 9", "abs_diff(x.k, x.j)", 4},
           {"#define x_of(v) 9\n#define uint2 int2", "((uint2)(x.k, x.j)).y", 5},
           {"#undef min", "min(x.k, x.j)", 1},
           {"#undef barrier\n#define barrier(p) 7\n#define get_local_id(p) 3\n#define get_group_id(p) 0",
            "x.j", 5},
           {"#define isnan(p) 1\n#define signbit(p) 1\n#define convert(p) 3", "isnan((float)x.k) + x.j", 5},
           {"ulong min(ulong p, ulong q) { return p + q; }", "min(x.k, x.j)", 1}}) {
    CAPTURE(declarations);
    if (std::string_view(declarations).find("uint2") != std::string_view::npos) {
      refuses("a word of OpenCL C", [&] { sum_beside(declarations, map); });
      continue;
    }
    for (const std::string row : forced_rows({"", "sm_90"})) {
      CHECK(sum_beside(declarations, map) == 100 * expected);
    }
  }
  // Each text has its own, of whatever kind.
  for (const auto& [of_operator, of_map, map] : std::vector<std::array<const char*, 3>>{
           {"#define SCALE 1", "\n#define SCALE 3", "x.k * SCALE"},
           {"#define SCALE 1", "\n#ifndef SCALE\n#define SCALE 3\n#endif", "x.k * SCALE"},
           {"#define SCALE 1", "\n#define SCALE 9\n#undef SCALE", "x.k * 3"},
           {"#define scaled(p) (p)", "\n#define scaled(q) (3 * (q))", "scaled(x.k)"},
           {"#define scaled(p) (p)", "\nuint scaled(uint p) { return 3 * p; }", "scaled(x.k)"},
           {"uint scaled(uint p) { return p; }", "#define scaled(p) (3 * (p))", "scaled(x.k)"},
           {"#define scale 1", "\n__constant uint scale = 3;", "x.k * scale"},
           {"#define scale 1", "\nenum { none, scale = 3 };", "x.k * scale"},
           {"#define scaled float", "\ntypedef struct { uint of; } scaled;", "((scaled){x.k}).of * 3"},
           {"#define T ulong\nT once(T p) { return p; }", "#define T uint\nT thrice(T p) { return 3 * p; }",
            "thrice(x.k)"}}) {
    CAPTURES(of_operator, of_map);
    CHECK(sum_beside(of_operator, map, of_map) == 300);
  }
  CHECK(sum_beside("#define SUM(p, q) ((p) + (q))", "SUM(x.j, 2)", "#define SUM(p, q) ((p) - (q))",
                   "SUM(a, b)") == 300);
}

TEST_CASE("declarations: equal ones stand once, and of different ones no two declare one name") {
  const std::string helpers =
      "ulong added(ulong p, ulong q) { return p + q; }\nulong twice(ulong p) { return 2 * p; }\n"
      "constant ulong none = 0;\n#define TWICE(p) (2 * (p))";
  CHECK(sum_beside(helpers, "twice(x.k) + none", helpers, "added(a, b)") == 200);
  CHECK(sum_beside(helpers, "TWICE(x.k)", helpers, "added(a, b) + TWICE(none)") == 200);
  for (const auto& [of_operator, of_map, name] : std::vector<std::array<const char*, 3>>{
           {"float f(float p) { return p; }", "float f(float p) { return 3 * p; }", "f is declared"},
           {"float f(float p) { return p; }", "\nconstant float f = 3;", "f is declared"},
           {"constant float t[] = {1};", "\nconstant float t[] = {1}, u = 3;", "t is declared"},
           {"typedef struct { float v; } own;", "\ntypedef struct { float v, w; } own;", "own is declared"},
           {"struct own { float v; };", "\nstruct own { float v, w; };", "own is declared"},
           {"enum { one, two };", "\nenum { three = 3, two = 2 };", "two is declared"},
           {"typedef struct { float v; } two_numbers;", "", "two_numbers is declared"}}) {
    CAPTURES(of_operator, of_map);
    const std::string why = refusal([&] { sum_beside(of_operator, "x.k", of_map); });
    CAPTURE(why);
    CHECK(contains(why, name));
    CHECK(contains(why, "operator own, line 1"));
    CHECK(contains(why, of_map[0] == '\0' ? "in type two_numbers, too" : "in map mapped, too"));
  }
  // What one declares the other one sees, but not the macros.
  CHECK(sum_beside("", "twice(x.k)", helpers, "added(a, b)") == 200);
  CHECK(contains(refusal([&] { sum_beside("", "x.k", helpers, "TWICE(a)"); }), "in: TWICE(a)"));
  // A name that both give to one type, and functions that may be overloaded, are the compiler's to judge.
  CHECK(sum_beside("typedef uint own;\nown f(own p) { return p; }", "(own)x.k", "typedef uint own;") == 100);
  CHECK(sum_beside("uint __attribute__((overloadable)) f(uint p) { return 1; }", "f(1.0f)",
                   "uint __attribute__((overloadable)) f(float p) { return 3; }") == 300);
}

// NVIDIA's compiler warns of one, and its assembler refuses it.
TEST_CASE("declarations: a function that there is not is refused in the user's line") {
  const std::string source = "#line 1 \"operator own\"\nTWICE(a);\n";
  const std::string warned = "operator own:1:1: warning: implicit declaration of function 'TWICE'\n";
  const auto refused = clwave::detail::first_refusal(
      warned + "ptxas fatal   : Unresolved extern function 'TWICE'\n", source, {});
  REQUIRE(refused);
  CHECK(refused->message == "operator own:1:1: implicit declaration of function 'TWICE', in: TWICE(a);");
  CHECK(refused->place == "operator own:1:1");
  const auto worse =
      clwave::detail::first_refusal(warned + "operator own:1:9: error: expected expression\n", source, {});
  REQUIRE(worse);
  CHECK(worse->message == "operator own:1:9: expected expression, in: TWICE(a);");
  CHECK_FALSE(clwave::detail::first_refusal("operator own:1:1: warning: unused variable\n", source, {}));
}

TEST_CASE("expressions: what one opens or closes stays within it") {
  // Macros may have brackets of their own. What they leave open is an error in the user's lines.
  for (const char* source :
       {"a + b OPENS", "a + b CLOSES", "a + b CLOSES; } float another(float v) { return (v", "a + b ENDS",
        "a + b ENDS_TWICE"}) {
    CAPTURE(source);
    try {
      sum_with("#define OPENS (\n#define CLOSES )\n#define ENDS )); }\n#define ENDS_TWICE )); } }", source);
      FAIL("it was built all the same");
    } catch (const clwave::error& thrown) {
      CAPTURE(std::string(thrown.what()));
      CHECK(contains(thrown.what(), "operator own"));
      // A compiler may stumble on into the kernels, but says first where it began. What is refused before one
      // sees it has no log.
      const std::string& log = thrown.details().log;
      CHECK((log.empty() || log.find("operator own") < log.find("primitives/reduce.cl")));
    }
  }
  // A comma is the language's, and so is an assignment to what the expression is given.
  CHECK(sum_with("", "(a += b, a)") == 100.0f);
  CHECK(sum_with("", "a, a + b") == 100.0f);
}

// ------------------------------------------------------------------------------------------- types

TEST_CASE("a type's name must be an identifier") {
  const element odd = called_by_two_words();
  const element& f32 = element_of<float>();
  const clwave::plan_target on{.choice = clwave::choose_profile_for("sm_90"), .compute_units = 8};
  const clwave::map one{.name = "one", .source = "1.0f"};
  refuses("identifier", [&] { plan(clwave::reduce_problem{{odd, 10}, &f32, &clwave::plus, &one}, on); });
}

TEST_CASE("a name means one type in a call") {
  const types_called_pair types;
  const element &floats = types.floats, &ints = types.ints, &padded = types.padded;
  const clwave::plan_target on{.choice = clwave::choose_profile_for("sm_90"), .compute_units = 8};
  const clwave::map low{.name = "low", .source = "x"};
  const clwave::op o{.name = "o", .source = "a", .identity = ""};
  for (const element* other : {&ints, &padded})
    types.check_refused(*other, [&] { plan(clwave::reduce_problem{{floats, 10}, other, &o, &low}, on); });
  CHECK(refusal([&] { plan(clwave::reduce_problem{{floats, 10}, &floats, &o, &low}, on); }) == "");
}

}  // namespace
}  // namespace testing::user_text_test
