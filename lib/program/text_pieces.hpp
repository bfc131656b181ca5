// OpenCL C as words and marks, as far as it takes to check a user's texts.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace clwave::detail {

// The language's letters and digits, not the locale's.
bool is_lower(char c);
bool begins_word(char c);
bool in_word(char c);
bool is_one_of(char c, std::string_view set);

// Calls f(line without its end) for each line of a text. No streams here: they swallow a failure to allocate,
// and a source cut short would be built and kept.
template <class F>
void for_each_line(std::string_view text, const F& f) {
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    f(text.substr(0, end));
    if (end == std::string_view::npos) return;
    text.remove_prefix(end + 1);
  }
}

bool is_keyword(std::string_view word);
// __attribute__, which parameters of its own follow.
bool begins_attribute(std::string_view word);
// float, uint4, double16, ...
bool is_arithmetic_type(std::string_view word);
// convert_int, convert_float4_rtz, ...
bool is_conversion(std::string_view word);
// A double of the language by a name, which has another name with _F behind it as a float: M_PI.
bool is_double_constant(std::string_view word);
// 1.5, .5, 1e3, 0x1p-3: without a suffix.
bool is_floating_literal(std::string_view number);
// What operators and maps are written in: a, b, x, y, z, i.
bool is_parameter(std::string_view word);

// Throws bad_call that names label and line.
[[noreturn]] void refuse_text(const std::string& label, std::size_t line, const std::string& message,
                              std::string advice = {});

// A piece of a text. A directive's pieces are told from others, and its end is a piece of its own.
enum class piece_kind { word, number, quoted, mark, blank, line_end };

struct piece {
  piece_kind kind;
  std::string_view text;
  std::size_t line;
  bool is_line_comment = false;  // a blank that was one from // on
};

// A text whose lines end in \n and whose continued lines are joined; those that went come back as empty lines
// behind, so that what follows keeps its number.
std::string joined(const std::string& label, std::string_view text);

// Cuts a joined text into pieces, which refer to it. Comments are blanks.
std::vector<piece> pieces_of(const std::string& label, std::string_view text);

// Whether the piece at `at` is the name of a function that is defined there.
bool is_function(const std::vector<piece>& pieces, std::size_t at);

// The place of the name that a #define, or the directive of that name, at piece `at` is about; past the end
// where there is none.
std::size_t macro_at(const std::vector<piece>& pieces, std::size_t at, std::string_view directive = "define");
// The parameters of the macro whose name that is; __VA_ARGS__ for those that it does not name.
std::vector<std::string_view> macro_parameters(const std::vector<piece>& pieces, std::size_t name);
// Whether ## joins the piece at `at` with the one before or behind it.
bool is_joined(const std::vector<piece>& pieces, std::size_t at);
// The place from `at` on that has no blank.
std::size_t skip_blanks(const std::vector<piece>& pieces, std::size_t at);

}  // namespace clwave::detail
