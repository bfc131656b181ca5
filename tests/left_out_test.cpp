// Which kernel parts a program does without: those in a condition that its words make false, and no others.
#include "program/left_out.hpp"

#include <map>
#include <sstream>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <clwave/plan.hpp>
#include <clwave/reduce.hpp>

#include "devices.hpp"
#include "program/embedded_kernels.hpp"

namespace {

using clwave::detail::embedded_kernel_parts;
using clwave::detail::is_left_out;
using clwave::detail::kernel_part;
using clwave::detail::program_spec;

program_spec spec_with(std::vector<std::pair<std::string, std::string>> words) {
  program_spec spec;
  spec.primitive = "reduce";
  spec.words = std::move(words);
  spec.texts = {{"OWN_TEXT", "a + b"}};
  spec.user_texts = {{"USER_TEXT", "label", "x", {}}};
  return spec;
}

bool left_out(const std::string& part) {
  return is_left_out(part, spec_with({{"GROUP_SIZE", "64"}, {"VALUE", "float"}, {"EMPTY", ""}}));
}

TEST_CASE("a part is left out where its condition is false") {
  for (const char* condition : {"#ifdef SORTS",
                                "#if defined(SORTS)",
                                "#if defined SORTS",
                                "#ifndef VALUE",
                                "#if !defined(VALUE)",
                                "#if GROUP_SIZE == 1",
                                "#if GROUP_SIZE > 64",
                                "#if GROUP_SIZE < 64",
                                "#if GROUP_SIZE != 64",
                                "#if GROUP_SIZE <= 63",
                                "#if 65 <= GROUP_SIZE",
                                "#if defined(VALUE) && GROUP_SIZE == 1",
                                "#if defined(SORTS) || GROUP_SIZE == 1",
                                "#if (defined(SORTS) || defined(SCANS)) && defined(VALUE)",
                                "#if defined(SORTS) && LANES > 1",
                                "#if LANES > 1 && defined(SORTS)",
                                "#if !(defined(VALUE) || LANES == 4)",
                                "#ifdef PRIMITIVE_SORT",
                                "#if defined(SORTS) \\\n    && defined(VALUE)",
                                "  #ifdef SORTS",
                                "#if defined(SORTS)  // why",
                                "#if defined(SORTS) /* why */"}) {
    CAPTURE(condition);
    CHECK(left_out(std::string(condition) + "\nint x;\n#endif\n"));
    CHECK(left_out("// A part.\n\n// More.\n" + std::string(condition) +
                   "\r\nint x;\r\n#endif  // of it\r\n\r\n"));
  }
}

TEST_CASE("a part is not left out where its condition is true, or not known") {
  for (const char* condition :
       {"#ifdef VALUE", "#if defined(VALUE)", "#ifndef SORTS", "#if GROUP_SIZE == 64", "#if GROUP_SIZE > 1",
        "#if GROUP_SIZE >= 64", "#ifdef PRIMITIVE_REDUCE", "#ifdef OWN_TEXT", "#ifdef USER_TEXT",
        "#ifdef EMPTY", "#if defined(SORTS) || defined(VALUE)",
        // Words that the target gives, names of compilers, numbers that are names, and what is no condition.
        "#ifdef EMULATE_LANES", "#ifdef USE_FP64", "#ifdef REGISTERS", "#ifdef __clang__",
        "#ifdef cl_khr_subgroups", "#if LANES == 1", "#if EXCHANGE == EXCHANGE_NONE",
        "#if defined(SORTS) || LANES == 1", "#if VALUE == 3", "#if GROUP_SIZE % 2 == 1",
        "#if GROUP_SIZE == 1 + 1", "#if defined(SORTS", "#if defined(SORTS))", "#if", "#if 0 0",
        "#if SOMETHING(SORTS)", "#if defined(SORTS) & defined(SCANS)"}) {
    CAPTURE(condition);
    CHECK_FALSE(left_out(std::string(condition) + "\nint x;\n#endif\n"));
  }
}

TEST_CASE("a part is not left out for a condition that is not all of it") {
  for (const char* part :
       {"", "// nothing\n", "int x;\n", "int y;\n#ifdef SORTS\nint x;\n#endif\n",
        "#ifdef SORTS\nint x;\n#endif\nint y;\n", "#ifdef SORTS\nint x;\n#else\nint y;\n#endif\n",
        "#ifdef SORTS\nint x;\n#elif 1\nint y;\n#endif\n",
        "#ifdef SORTS\nint x;\n#endif\n#ifdef VALUE\nint y;\n#endif\n", "#ifdef SORTS\nint x;\n",
        "#ifdef SORTS\n#ifdef VALUE\nint x;\n#endif\n"}) {
    CAPTURE(part);
    CHECK_FALSE(left_out(part));
  }
  CHECK(left_out("#ifdef SORTS\n#ifdef VALUE\nint x;\n#else\nint y;\n#endif\n#endif\n"));
}

// The names that parts define, where they stand in the conditions that whole parts are in, would be taken for
// words that the host did not give.
TEST_CASE("no part stands in a condition on what another part defines") {
  std::map<std::string, std::string> defined;  // and by which part
  for (const kernel_part& part : embedded_kernel_parts()) {
    std::istringstream lines{std::string(part.text)};
    for (std::string line; std::getline(lines, line);) {
      std::istringstream words(line);
      std::string directive, name;
      if (words >> directive >> name && directive == "#define")
        defined[name.substr(0, name.find('('))] = part.name;
    }
  }
  REQUIRE(defined.size() > 100);
  std::size_t looked_at = 0;
  for (const kernel_part& part : embedded_kernel_parts()) {
    std::istringstream lines{std::string(part.text)};
    std::string line;
    while (std::getline(lines, line) && (line.empty() || line.starts_with("//"))) {
    }
    for (std::string more; line.ends_with('\\') && std::getline(lines, more);) line += more;
    if (!line.starts_with("#if")) continue;
    for (std::size_t at = 0; at < line.size();) {
      std::size_t end = at;
      while (end < line.size() && (std::isalnum(static_cast<unsigned char>(line[end])) || line[end] == '_'))
        ++end;
      const std::string name = line.substr(at, end - at);
      at = std::max(end, at + 1);
      // What two parts agree on, of constants that the host's words are compared with, is decided by nobody.
      if (name.empty() || name == "if" || name == "ifdef" || name == "defined" ||
          name.starts_with("EXCHANGE_") || name.starts_with("ORDER_") || name.starts_with("DEVICE_"))
        continue;
      CAPTURE(part.name);
      CAPTURE(name);
      CHECK_FALSE(defined.contains(name));
      ++looked_at;
    }
  }
  CHECK(looked_at > 40);
}

TEST_CASE("a reduction goes to the compiler without what other primitives are made of") {
  const clwave::element& f32 = clwave::element_of<float>();
  const auto source_on = [&](const char* row) {
    return plan(clwave::reduce_problem{{f32, 1 << 20}, &f32}, {.choice = clwave::choose_profile_for(row)})
        .source;
  };
  const auto has = [](const std::string& source, const std::string& part) {
    return source.find("#line 1 \"" + part + "\"") != std::string::npos;
  };
  const std::string gpu = source_on("sm_90"), cpu = source_on("cpu");
  for (const char* part : {"device/target.cl", "device/lanes_amd.cl", "blocks/value.cl", "blocks/fold.cl",
                           "primitives/reduce.cl"}) {
    CAPTURE(part);
    CHECK(has(gpu, part));
    CHECK(has(cpu, part));
  }
  for (const char* part : {"primitives/sort.cl", "primitives/gemm.cl", "blocks/select_tile.cl",
                           "blocks/scan_tile.cl", "device/target_matrix.cl", "device/message.cl"}) {
    CAPTURE(part);
    CHECK_FALSE(has(gpu, part));
    CHECK_FALSE(has(cpu, part));
  }
  CHECK(has(gpu, "blocks/fold_tiles.cl"));
  CHECK_FALSE(has(cpu, "blocks/fold_tiles.cl"));
  CHECK(has(cpu, "blocks/fold_serial.cl"));
  CHECK_FALSE(has(gpu, "blocks/fold_serial.cl"));
  std::size_t all = 0;
  for (const kernel_part& part : embedded_kernel_parts()) all += part.text.size();
  CHECK(gpu.size() < all / 3);
}

}  // namespace
