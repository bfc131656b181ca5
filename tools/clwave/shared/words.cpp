// Words of the command line that several commands read.
#include "shared/words.hpp"

#include <cctype>
#include <cmath>
#include <cstdlib>
#include <sstream>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>

#include <clwave/error.hpp>

namespace clwave::tool {

void refuse(const std::string& message, std::string advice) {
  throw error(failure::bad_call, message, CL_SUCCESS, {.advice = std::move(advice)});
}

void add_n_option(CLI::App& command, std::string& n, const std::string& what) {
  command.add_option("--n", n, "How many " + what + "; K, M, G are 2^10, 2^20, 2^30")->capture_default_str();
}

void add_count_option(CLI::App& command, bool& on_device, const std::string& what, const std::string& most) {
  command.add_flag("--count-on-device", on_device,
                   "The device says how many " + what + " there are, and " + most + " how many at most");
}

const any_view* count_where(bool on_device) {
  static const any_view count(element_of<std::uint64_t>(), 1);
  return on_device ? &count : nullptr;
}

void add_input_option(CLI::App& command, std::string& kind) {
  command
      .add_option(
          "--input", kind,
          "What the input is, if no array: gather_of, strided, reversed, generate, or a zip of 4 views")
      ->check(CLI::IsMember({"array", "gather_of", "strided", "reversed", "generate", "zip"}))
      ->capture_default_str();
}

planned_input::planned_input(const std::string& kind, const any_view& array) : view_(array) {
  if (kind == "array") return;
  const auto n = array.n;
  if (kind == "gather_of") {
    made_.sources = {{.of = array, .n = n, .indices = any_view(element_of<std::uint32_t>(), n)}};
  } else if (kind == "strided") {
    any_view whole = array;
    whole.n *= 3;
    made_.sources = {{.of = whole, .n = n, .step = 3}};
  } else if (kind == "reversed") {
    made_.sources = {{.of = array, .n = n, .first = n == 0 ? 0 : n - 1, .step = -1}};
  } else if (kind == "generate") {
    made_.apply = map{.name = "generate", .source = "i"};
  } else {
    made_.sources = std::vector<any_source>(4, {.of = array, .n = n});
    made_.apply = map{.name = "zip", .source = "x * y + z * w"};
  }
  const any_view* const count = view_.count;
  detail::make_lazy(view_, n, *array.type, made_);
  view_.count = count;
}

const element& scalar_type_named(const std::string& name) {
  const element* found = find_element(name);
  if (found == nullptr || (found->components != 1 && found->kind != element_kind::complex))
    refuse("\"" + name + "\" is no scalar type",
           "use one of i8 i16 i32 i64 u8 u16 u32 u64 f16 bf16 f32 f64 cf32 cf64 bool byte");
  return *found;
}

std::uint64_t number_of_elements(const std::string& text) {
  char* end = nullptr;
  const long double number = std::strtold(text.c_str(), &end);
  std::string unit = end;
  for (char& c : unit) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  if (unit.size() == 2 && unit[1] == 'I') unit.pop_back();
  const std::size_t power = unit.empty() ? 0 : std::string("KMGT").find(unit) + 1;
  const long double n = std::ldexp(number, static_cast<int>(10 * power));
  const bool starts_as_number = !text.empty() && text.front() >= '0' && text.front() <= '9';
  // strtold also reads hexadecimal, which nobody means here.
  const bool plain = text.find_first_of("xX") == std::string::npos;
  if (!starts_as_number || !plain || unit.size() > 1 || (power == 0 && !unit.empty()) || n != std::floor(n) ||
      n >= 0x1p63L)
    refuse("\"" + text + "\" is no number of elements", "write 4096, 16M (2^20 each), 1Gi or 1e6");
  return static_cast<std::uint64_t>(n);
}

matrices matrices_of(const std::string& text) {
  std::vector<std::size_t> sides;
  std::stringstream words(text);
  for (std::string side; std::getline(words, side, 'x');) sides.push_back(number_of_elements(side));
  if (sides.size() < 2 || sides.size() > 3)
    refuse("\"" + text + "\" is no shape",
           "write rows x columns, as 2048x1536, or a batch of 8 as 2048x1536x8");
  return {.rows = sides[0], .columns = sides[1], .batch = sides.size() == 3 ? sides[2] : 1};
}

}  // namespace clwave::tool
