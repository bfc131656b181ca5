// Cuts OpenCL C into words and marks.
#include "program/text_pieces.hpp"

#include <algorithm>
#include <array>

#include <clwave/error.hpp>

#include "base/digits.hpp"

namespace clwave::detail {
namespace {

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\v' || c == '\f'; }

constexpr std::array keywords{
    "auto",      "break",    "case",       "const",      "continue", "default", "do",         "else",
    "enum",      "extern",   "for",        "goto",       "if",       "inline",  "register",   "restrict",
    "return",    "signed",   "sizeof",     "static",     "struct",   "switch",  "typedef",    "union",
    "unsigned",  "void",     "volatile",   "while",      "global",   "local",   "constant",   "private",
    "generic",   "kernel",   "defined",    "read_only",  "__global", "__local", "__constant", "__private",
    "__generic", "__kernel", "write_only", "read_write", "uniform",  "pipe",    "true",       "false",
    "bool",      "size_t",   "ptrdiff_t",  "intptr_t",   "uintptr_t"};

constexpr std::array double_constants{"M_E",        "M_LOG2E", "M_LOG10E", "M_LN2",  "M_LN10",
                                      "M_PI",       "M_PI_2",  "M_PI_4",   "M_1_PI", "M_2_PI",
                                      "M_2_SQRTPI", "M_SQRT2", "M_SQRT1_2"};

// What texts are told that they are written in.
constexpr std::array parameters{"a", "b", "x", "y", "z", "i"};

// Whether parameters in brackets and a body follow the piece at `at`.
bool has_body(const std::vector<piece>& pieces, std::size_t at) {
  const auto next = [&](std::size_t k) {
    while (k < pieces.size() &&
           (pieces[k].kind == piece_kind::blank || pieces[k].kind == piece_kind::line_end))
      ++k;
    return k;
  };
  at = next(at + 1);
  if (at >= pieces.size() || pieces[at].text != "(") return false;
  for (int open = 0; at < pieces.size(); ++at) {
    if (pieces[at].text == "(") ++open;
    if (pieces[at].text == ")" && --open == 0) break;
  }
  at = next(at + 1);
  return at < pieces.size() && pieces[at].text == "{";
}

}  // namespace

bool is_lower(char c) { return c >= 'a' && c <= 'z'; }
bool begins_word(char c) { return is_lower(c) || (c >= 'A' && c <= 'Z') || c == '_'; }
bool in_word(char c) { return begins_word(c) || is_digit(c); }
bool is_one_of(char c, std::string_view set) { return set.find(c) != std::string_view::npos; }

bool is_keyword(std::string_view word) { return std::ranges::find(keywords, word) != keywords.end(); }

bool begins_attribute(std::string_view word) { return word == "__attribute__" || word == "__attribute"; }

bool is_arithmetic_type(std::string_view word) {
  constexpr std::array scalars{"char", "uchar", "short", "ushort", "int", "uint",
                               "long", "ulong", "float", "double", "half"};
  const std::size_t digit = word.find_first_of("0123456789");
  const std::string_view size = digit == std::string_view::npos ? "" : word.substr(digit);
  return std::ranges::find(scalars, word.substr(0, digit)) != scalars.end() &&
         (size.empty() || size == "2" || size == "3" || size == "4" || size == "8" || size == "16");
}

bool is_conversion(std::string_view word) { return word.starts_with("convert_"); }

bool is_double_constant(std::string_view word) {
  return std::ranges::find(double_constants, word) != double_constants.end();
}

bool is_floating_literal(std::string_view number) {
  const bool is_hexadecimal = number.starts_with("0x") || number.starts_with("0X");
  if (is_hexadecimal) number.remove_prefix(2);
  const auto take = [&number](std::string_view set) {
    const std::size_t count = std::min(number.find_first_not_of(set), number.size());
    number.remove_prefix(count);
    return count;
  };
  const std::string_view digits = is_hexadecimal ? "0123456789abcdefABCDEF" : "0123456789";
  std::size_t n_digits = take(digits);
  const bool has_point = number.starts_with('.');
  if (has_point) number.remove_prefix(1);
  n_digits += take(digits);
  if (n_digits == 0) return false;
  if (number.empty()) return has_point && !is_hexadecimal;
  if (!is_one_of(number[0], is_hexadecimal ? "pP" : "eE")) return false;
  number.remove_prefix(1);
  if (!number.empty() && is_one_of(number[0], "+-")) number.remove_prefix(1);
  return take("0123456789") != 0 && number.empty();
}

bool is_parameter(std::string_view word) { return std::ranges::find(parameters, word) != parameters.end(); }

void refuse_text(const std::string& label, std::size_t line, const std::string& message, std::string advice) {
  throw error(failure::bad_call, label + ", line " + std::to_string(line) + ": " + message, CL_SUCCESS,
              {.advice = std::move(advice)});
}

std::string joined(const std::string& label, std::string_view text) {
  std::string whole;
  whole.reserve(text.size() + 1);
  std::size_t line = 1;
  std::size_t owed = 0;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char c = text[at];
    if (c == '\0') refuse_text(label, line, "the text holds a character of number 0");
    if (c == '\r' || c == '\n') {
      if (c == '\r' && at + 1 < text.size() && text[at + 1] == '\n') ++at;
      whole.append(1 + owed, '\n');
      owed = 0;
      ++line;
    } else if (c == '\\') {
      const std::size_t next = text.find_first_not_of(" \t\v\f", at + 1);
      const bool at_end = next == std::string_view::npos;
      if (at_end) refuse_text(label, line, "a backslash at the end would join the text with what follows it");
      if (text[next] != '\n' && text[next] != '\r') {
        whole += c;
        continue;
      }
      if (next != at + 1)
        refuse_text(label, line, "blanks after a backslash at the end of a line: compilers differ there");
      at = text[next] == '\r' && next + 1 < text.size() && text[next + 1] == '\n' ? next + 1 : next;
      if (at + 1 == text.size())
        refuse_text(label, line, "a backslash at the end would join the text with what follows it");
      ++owed;
      ++line;
    } else {
      whole += c;
    }
  }
  whole.append(owed, '\n');
  return whole;
}

std::vector<piece> pieces_of(const std::string& label, std::string_view text) {
  std::vector<piece> pieces;
  std::size_t line = 1;
  const auto add = [&](piece_kind kind, std::size_t from, std::size_t to) {
    pieces.push_back({kind, text.substr(from, to - from), line});
  };
  for (std::size_t at = 0; at < text.size();) {
    const std::string_view rest = text.substr(at);
    const char c = rest[0];
    if (c == '\n') {
      add(piece_kind::line_end, at, at + 1);
      ++line;
      ++at;
    } else if (is_blank(c)) {
      const std::size_t end = std::min(text.find_first_not_of(" \t\v\f", at), text.size());
      add(piece_kind::blank, at, end);
      at = end;
    } else if (rest.starts_with("//")) {
      at = std::min(text.find('\n', at), text.size());
      pieces.push_back({piece_kind::blank, " ", line, true});
    } else if (rest.starts_with("/*")) {
      const std::size_t end = text.find("*/", at + 2);
      if (end == std::string_view::npos) refuse_text(label, line, "the comment has no end");
      pieces.push_back({piece_kind::blank, " ", line});
      for (; at < end; ++at) {
        if (text[at] != '\n') continue;
        // A line of its own: inside a directive it is none, but a comment there over several lines is refused
        // by the caller.
        add(piece_kind::line_end, at, at + 1);
        ++line;
      }
      at = end + 2;
    } else if (begins_word(c)) {
      std::size_t end = at;
      while (end < text.size() && in_word(text[end])) ++end;
      add(piece_kind::word, at, end);
      at = end;
    } else if (is_digit(c) || (c == '.' && rest.size() > 1 && is_digit(rest[1]))) {
      std::size_t end = at + 1;
      while (end < text.size() &&
             (in_word(text[end]) || text[end] == '.' ||
              ((text[end] == '+' || text[end] == '-') && is_one_of(text[end - 1], "eEpP"))))
        ++end;
      add(piece_kind::number, at, end);
      at = end;
    } else if (c == '"' || c == '\'') {
      std::size_t end = at + 1;
      while (end < text.size() && text[end] != c && text[end] != '\n') end += text[end] == '\\' ? 2 : 1;
      if (end >= text.size() || text[end] == '\n')
        refuse_text(label, line, std::string("the quote ") + c + " has no end on its line");
      add(piece_kind::quoted, at, end + 1);
      at = end + 1;
    } else {
      if (c == '\\') refuse_text(label, line, "a backslash outside quotes that ends no line");
      if (static_cast<unsigned char>(c) < 0x20)
        refuse_text(label, line,
                    "the text holds a character of number " + std::to_string(static_cast<int>(c)));
      for (const std::string_view digraph : {"<:", ":>", "<%", "%>", "%:"}) {
        if (rest.starts_with(digraph))
          refuse_text(label, line, std::string(digraph) + " is another spelling of a bracket or of #",
                      "write the bracket itself, or a blank between the two");
      }
      if (rest.starts_with("??") && rest.size() > 2 && is_one_of(rest[2], "=/'()!<>-"))
        refuse_text(label, line, std::string(rest.substr(0, 3)) + " is another spelling of one character",
                    "write that character, or a blank between");
      add(piece_kind::mark, at, at + 1);
      ++at;
    }
  }
  return pieces;
}

std::size_t skip_blanks(const std::vector<piece>& pieces, std::size_t at) {
  while (at < pieces.size() && pieces[at].kind == piece_kind::blank) ++at;
  return at;
}

std::size_t macro_at(const std::vector<piece>& pieces, std::size_t at, std::string_view directive) {
  if (pieces[at].text != "#") return pieces.size();
  at = skip_blanks(pieces, at + 1);
  if (at >= pieces.size() || pieces[at].text != directive) return pieces.size();
  at = skip_blanks(pieces, at + 1);
  return at < pieces.size() && pieces[at].kind == piece_kind::word ? at : pieces.size();
}

std::vector<std::string_view> macro_parameters(const std::vector<piece>& pieces, std::size_t name) {
  std::vector<std::string_view> parameters;
  if (name + 1 >= pieces.size() || pieces[name + 1].text != "(") return parameters;
  bool is_named = false;  // what stands before the dots of args...
  for (std::size_t at = name + 2; at < pieces.size() && pieces[at].text != ")"; ++at) {
    const piece& p = pieces[at];
    if (p.kind == piece_kind::word) parameters.push_back(p.text);
    if (p.text == "." && !is_named) parameters.emplace_back("__VA_ARGS__");
    is_named = p.kind == piece_kind::word || p.text == "." || (is_named && p.kind == piece_kind::blank);
  }
  return parameters;
}

bool is_joined(const std::vector<piece>& pieces, std::size_t at) {
  const std::size_t next = skip_blanks(pieces, at + 1);
  if (next + 1 < pieces.size() && pieces[next].text == "#" && pieces[next + 1].text == "#") return true;
  while (at > 0 && pieces[at - 1].kind == piece_kind::blank) --at;
  return at >= 2 && pieces[at - 1].text == "#" && pieces[at - 2].text == "#";
}

// A body follows the parameters of a loop in a macro and of an attribute, too.
bool is_function(const std::vector<piece>& pieces, std::size_t at) {
  return pieces[at].kind == piece_kind::word && !is_keyword(pieces[at].text) &&
         !begins_attribute(pieces[at].text) && has_body(pieces, at);
}

}  // namespace clwave::detail
