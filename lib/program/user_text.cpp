// Reads OpenCL C as far as it takes to keep a user's texts apart from the kernels.
#include "program/user_text.hpp"

#include <algorithm>
#include <array>
#include <vector>

#include <clwave/error.hpp>

namespace clwave {
namespace {

// The language's letters and digits, not the locale's.
bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_lower(char c) { return c >= 'a' && c <= 'z'; }
bool begins_word(char c) { return is_lower(c) || (c >= 'A' && c <= 'Z') || c == '_'; }
bool in_word(char c) { return begins_word(c) || is_digit(c); }
bool is_one_of(char c, std::string_view set) { return set.find(c) != std::string_view::npos; }
bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\v' || c == '\f'; }

constexpr std::array keywords{
    "auto",      "break",    "case",       "const",      "continue", "default", "do",         "else",
    "enum",      "extern",   "for",        "goto",       "if",       "inline",  "register",   "restrict",
    "return",    "signed",   "sizeof",     "static",     "struct",   "switch",  "typedef",    "union",
    "unsigned",  "void",     "volatile",   "while",      "global",   "local",   "constant",   "private",
    "generic",   "kernel",   "defined",    "read_only",  "__global", "__local", "__constant", "__private",
    "__generic", "__kernel", "write_only", "read_write", "uniform",  "pipe",    "true",       "false",
    "bool",      "size_t",   "ptrdiff_t",  "intptr_t",   "uintptr_t"};

bool is_keyword(std::string_view word) { return std::ranges::find(keywords, word) != keywords.end(); }

// float, uint4, double16, ...
bool is_arithmetic_type(std::string_view word) {
  constexpr std::array scalars{"char", "uchar", "short", "ushort", "int", "uint",
                               "long", "ulong", "float", "double", "half"};
  const std::size_t digit = word.find_first_of("0123456789");
  const std::string_view size = digit == std::string_view::npos ? "" : word.substr(digit);
  return std::ranges::find(scalars, word.substr(0, digit)) != scalars.end() &&
         (size.empty() || size == "2" || size == "3" || size == "4" || size == "8" || size == "16");
}

// What texts are told that they are written in.
constexpr std::array parameters{"a", "b", "x", "y", "z", "i"};

bool is_parameter(std::string_view word) { return std::ranges::find(parameters, word) != parameters.end(); }

[[noreturn]] void refuse_text(const std::string& label, std::size_t line, const std::string& message,
                              std::string advice = {}) {
  throw error(failure::bad_call, label + ", line " + std::to_string(line) + ": " + message, CL_SUCCESS,
              {.advice = std::move(advice)});
}

// A piece of a text. A directive's pieces are told from others, and its end is a piece of its own.
enum class piece_kind { word, number, quoted, mark, blank, line_end };

struct piece {
  piece_kind kind;
  std::string_view text;
  std::size_t line;
};

// A text whose lines end in \n and whose continued lines are joined; those that went come back as empty lines
// behind, so that what follows keeps its number.
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

// Cuts a joined text into pieces. Comments are blanks.
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
      pieces.push_back({piece_kind::blank, " ", line});
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

// Whether a body follows the word and its parameters.
bool is_function(const std::vector<piece>& pieces, std::size_t at) {
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

std::size_t skip(const std::vector<piece>& pieces, std::size_t at) {
  while (at < pieces.size() && pieces[at].kind == piece_kind::blank) ++at;
  return at;
}

// The place of the name that a #define at piece `at` defines; past the end where there is none.
std::size_t macro_at(const std::vector<piece>& pieces, std::size_t at) {
  if (pieces[at].text != "#") return pieces.size();
  at = skip(pieces, at + 1);
  if (at >= pieces.size() || pieces[at].text != "define") return pieces.size();
  at = skip(pieces, at + 1);
  return at < pieces.size() && pieces[at].kind == piece_kind::word ? at : pieces.size();
}

// A text on its way into the source.
class fitter {
 public:
  fitter(const std::string& label, const kernel_names& kernels, const own_names& own, bool expression)
      : label_(label), kernels_(kernels), own_(own), expression_(expression) {}

  std::string fit(std::string_view text) {
    const std::string whole = joined(label_, text);
    if (expression_ && whole.find("//") != std::string::npos) no_comment(whole);
    const std::vector<piece> pieces = pieces_of(label_, whole);
    find_loose(pieces);
    bool line_is_empty = true;
    for (std::size_t at = 0; at < pieces.size(); ++at) {
      const piece& p = pieces[at];
      if (p.kind == piece_kind::line_end) {
        fitted_ += expression_ ? ' ' : '\n';
        line_is_empty = true;
        continue;
      }
      if (p.kind == piece_kind::mark && p.text == "#" && line_is_empty) {
        at = directive(pieces, at);
        continue;
      }
      if (p.kind != piece_kind::blank) line_is_empty = false;
      take(p);
    }
    if (!conditions_.empty())
      refuse_text(label_, conditions_.back().line, "the condition has no #endif in this text");
    if (!open_.empty() && !loose_)
      refuse_text(label_, open_.back().line,
                  "the bracket " + std::string(1, open_.back().bracket) + " is not closed in this text");
    return std::move(fitted_);
  }

 private:
  struct opened {
    char bracket;
    std::size_t line;
  };
  struct condition {
    std::size_t line;
    std::vector<opened> before;
  };

  [[noreturn]] void no_comment(const std::string& whole) const {
    const std::size_t at = whole.find("//");
    refuse_text(label_,
                1 + static_cast<std::size_t>(
                        std::count(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(at), '\n')),
                "a // comment in an expression", "put helper functions into .declarations");
  }

  // A macro whose body has brackets of its own says nothing of the text's.
  void find_loose(const std::vector<piece>& pieces) {
    for (std::size_t at = 0; at < pieces.size(); ++at) {
      int depth = 0;
      for (std::size_t next = macro_at(pieces, at);
           next < pieces.size() && pieces[next].kind != piece_kind::line_end; ++next) {
        if (pieces[next].kind != piece_kind::mark) continue;
        if (is_one_of(pieces[next].text[0], "([{")) ++depth;
        if (is_one_of(pieces[next].text[0], ")]}")) --depth;
      }
      loose_ = loose_ || depth != 0;
    }
  }

  void take(const piece& p) {
    if (p.kind == piece_kind::word) {
      take_word(p);
      return;
    }
    if (p.kind == piece_kind::mark) take_mark(p);
    fitted_ += p.text;
  }

  void take_word(const piece& p) {
    if (p.text == "_Pragma" || p.text == "__pragma")
      refuse_text(label_, p.line, std::string(p.text) + " in a text of your own",
                  "write #pragma unroll on a line of its own in .declarations");
    if (kernels_.defines(p.text) || (own_.contains(p.text) && kernels_.uses(p.text) && !is_parameter(p.text)))
      fitted_ += user_prefix;
    fitted_ += p.text;
  }

  void take_mark(const piece& p) {
    const char c = p.text[0];
    if (c == '#' && expression_)
      refuse_text(label_, p.line, "a preprocessor directive in an expression",
                  "put helper functions into .declarations");
    if (c == ';' && expression_ && open_.empty())
      refuse_text(label_, p.line, "a semicolon in an expression",
                  "put statements into a function in .declarations");
    if (c == '(' || c == '[' || c == '{') {
      open_.push_back({c, p.line});
    } else if (c == ')' || c == ']' || c == '}') {
      const char wanted = c == ')' ? '(' : c == ']' ? '[' : '{';
      if (!open_.empty() && open_.back().bracket == wanted) {
        open_.pop_back();
      } else if (!loose_) {
        refuse_text(label_, p.line,
                    std::string("the bracket ") + c + " closes none that this text has opened");
      }
    }
  }

  // Checks and copies the directive that begins at piece `at`; returns the place of its last piece.
  std::size_t directive(const std::vector<piece>& pieces, std::size_t at) {
    const std::size_t line = pieces[at].line;
    if (expression_)
      refuse_text(label_, line, "a preprocessor directive in an expression",
                  "put helper functions into .declarations");
    std::size_t end = at;
    while (end < pieces.size() && pieces[end].kind != piece_kind::line_end) ++end;
    const std::size_t name_at = skip(pieces, at + 1);
    if (name_at >= end) return end - 1;  // a # alone does nothing
    const std::string_view name = pieces[name_at].text;
    std::vector<piece> rest;
    for (std::size_t k = name_at + 1; k < end; ++k) {
      if (pieces[k].kind != piece_kind::blank) rest.push_back(pieces[k]);
    }
    if (name == "define" || name == "undef") {
      check_macro(std::string(name), rest, line);
    } else if (name == "pragma") {
      check_pragma(rest, line);
    } else if (name == "if" || name == "ifdef" || name == "ifndef") {
      conditions_.push_back({line, open_});
    } else if (name == "else" || name == "elif") {
      if (conditions_.empty())
        refuse_text(label_, line, "#" + std::string(name) + " without #if in this text");
      open_ = conditions_.back().before;
    } else if (name == "endif") {
      if (conditions_.empty()) refuse_text(label_, line, "#endif without #if in this text");
      conditions_.pop_back();
    } else if (name != "error" && name != "warning") {
      refuse_text(label_, line, "the directive #" + std::string(name) + " in a text of your own",
                  "put the text itself into .declarations");
    }
    fitted_ += "#" + std::string(name);
    const bool words_are_names = name != "pragma" && name != "error" && name != "warning";
    for (std::size_t k = name_at + 1; k < end; ++k) {
      if (words_are_names && pieces[k].kind == piece_kind::word)
        take_word(pieces[k]);
      else
        fitted_ += pieces[k].text;
    }
    return end - 1;
  }

  void check_macro(const std::string& directive, const std::vector<piece>& rest, std::size_t line) const {
    if (rest.empty() || rest[0].kind != piece_kind::word)
      refuse_text(label_, line, "#" + directive + " without a name");
    const std::string name(rest[0].text);
    const std::string what = "#" + directive + " of " + name;
    if (kernels_.is_word(name))
      refuse_text(label_, line, what + ", a word of clwave's own kernels", "give the macro another name");
    if (is_keyword(name) || is_arithmetic_type(name))
      refuse_text(label_, line, what + ", a word of OpenCL C", "give the macro another name");
    if (is_parameter(name))
      refuse_text(label_, line, what + ", which stands for an element in operators and maps",
                  "give the macro another name");
  }

  void check_pragma(const std::vector<piece>& rest, std::size_t line) const {
    const auto is = [&rest](std::size_t at, std::string_view word) {
      return at < rest.size() && rest[at].text == word;
    };
    const bool unrolls = is(0, "unroll") || is(0, "nounroll");
    const bool extends =
        is(0, "OPENCL") && is(1, "EXTENSION") && is(3, ":") && is(4, "enable") && rest.size() == 5;
    if (!unrolls && !extends)
      refuse_text(label_, line, "this #pragma could change how clwave's own code is compiled",
                  "#pragma unroll and #pragma OPENCL EXTENSION name : enable may be used");
  }

  const std::string& label_;
  const kernel_names& kernels_;
  const own_names& own_;
  bool expression_;
  bool loose_ = false;  // a macro of the text has brackets of its own
  std::string fitted_;
  std::vector<opened> open_;
  std::vector<condition> conditions_;
};

}  // namespace

// --------------------------------------------------------------------------- the kernels' names

void kernel_names::add(std::string_view part) {
  const std::string whole = joined("a kernel part", part);
  std::string code;    // outside directives
  std::string bodies;  // of macros
  std::size_t begin = 0;
  while (begin < whole.size()) {
    std::size_t end = std::min(whole.find('\n', begin), whole.size());
    const std::string_view line = std::string_view(whole).substr(begin, end - begin);
    begin = end + 1;
    const std::size_t first = line.find_first_not_of(" \t");
    if (first == std::string_view::npos || line[first] != '#') {
      code.append(line).append("\n");
      continue;
    }
    std::vector<piece> pieces = pieces_of("a kernel part", line.substr(first + 1));
    std::erase_if(pieces, [](const piece& p) { return p.kind == piece_kind::blank; });
    if (pieces.empty()) continue;
    const std::string_view directive = pieces[0].text;
    const bool asks =
        directive == "if" || directive == "ifdef" || directive == "ifndef" || directive == "elif";
    const bool names = directive == "define" || directive == "undef";
    // Branches open the same brackets again: marks that add_definitions reads.
    if (directive.starts_with("if")) code += "@+\n";
    if (directive == "else" || directive == "elif") code += "@|\n";
    if (directive == "endif") code += "@-\n";
    for (std::size_t k = 1; (asks || names) && k < pieces.size(); ++k) {
      add_quoted(pieces[k].text);
      if (pieces[k].kind != piece_kind::word || pieces[k].text == "defined") continue;
      used_.emplace(pieces[k].text);
      if (asks || k == 1) words_.emplace(pieces[k].text);
      if (names && k == 1) defined_.emplace(pieces[k].text);
    }
    if (directive != "define") continue;
    for (std::size_t k = 1; k + 3 < pieces.size(); ++k) {
      if (pieces[k + 1].text != "#" || pieces[k + 2].text != "#") continue;
      // name##_packet, packet_##width: the side that is no argument of the macro is what such names share.
      // Arguments are short or one of the macro's first words; a piece of a name has an underscore at the
      // seam.
      if (pieces[k].text.ends_with('_')) prefixes_.emplace(pieces[k].text);
      if (pieces[k + 3].text.starts_with('_')) suffixes_.emplace(pieces[k + 3].text);
    }
    const std::size_t body = line.find_first_of(" \t", line.find(pieces[1].text));
    if (body != std::string_view::npos) bodies.append(line.substr(body)).append("\n;\n");
  }
  add_definitions(code);
  add_definitions(bodies);
  // The words of the option line and of the texts, which no part defines, are in capitals, as macros are.
  for (const std::string& name : used_) {
    if (std::ranges::none_of(name, is_lower) && name.size() > 1 && !name.starts_with("CLK_") &&
        !name.starts_with("__")) {
      words_.insert(name);
      defined_.insert(name);
    }
  }
  sorted_.assign(defined_.begin(), defined_.end());
}

// A pragma's words may stand in quotes, and macros in it are expanded all the same.
void kernel_names::add_quoted(std::string_view text) {
  if (!text.starts_with('"')) return;
  for (std::size_t at = 0; at < text.size();) {
    std::size_t end = at;
    while (end < text.size() && in_word(text[end])) ++end;
    if (end > at && begins_word(text[at])) used_.emplace(text.substr(at, end - at));
    at = std::max(end, at + 1);
  }
}

void kernel_names::add_definitions(std::string_view text) {
  std::vector<piece> pieces = pieces_of("a kernel part", text);
  std::erase_if(pieces,
                [](const piece& p) { return p.kind == piece_kind::blank || p.kind == piece_kind::line_end; });
  int depth = 0;
  std::vector<int> before = {0};
  bool is_type = false;
  const auto define = [this](std::string_view name) {
    if (!is_parameter(name) && !is_keyword(name) && !is_arithmetic_type(name) && name != "__attribute__" &&
        name != "unroll" && name != "__asm__" && !name.starts_with("__builtin_"))
      defined_.emplace(name);
  };
  for (std::size_t at = 0; at < pieces.size(); ++at) {
    const std::string_view word = pieces[at].text;
    if (pieces[at].kind == piece_kind::word) used_.emplace(word);
    if (word == "@" && at + 1 < pieces.size()) {
      const char mark = pieces[++at].text[0];
      if (mark == '+') before.push_back(depth);
      if (mark == '|') depth = before.back();
      if (mark == '-' && before.size() > 1) before.pop_back();
      continue;
    }
    if (word == "{") ++depth;
    if (word == "}") --depth;
    if (depth != 0) continue;
    if (word == "typedef") is_type = true;
    const std::string_view next = at + 1 < pieces.size() ? pieces[at + 1].text : ";";
    if (pieces[at].kind == piece_kind::word && is_type && (next == ";" || next == "[")) define(word);
    if (word == ";") is_type = false;
    if (pieces[at].kind != piece_kind::word || is_type || next != "(") continue;
    // A function where a body follows its parameters; else a macro that is told a name first.
    std::size_t end = at + 1;
    for (int open = 0; end < pieces.size(); ++end) {
      if (pieces[end].text == "(") ++open;
      if (pieces[end].text == ")" && --open == 0) break;
    }
    if (end + 1 < pieces.size() && pieces[end + 1].text == "{")
      define(word);
    else if (at + 2 < pieces.size() && pieces[at + 2].kind == piece_kind::word && word != "__attribute__" &&
             !is_keyword(word))
      define(pieces[at + 2].text);
    for (std::size_t k = at + 1; k <= end && k < pieces.size(); ++k) {
      if (pieces[k].kind == piece_kind::word) used_.emplace(pieces[k].text);
    }
    at = end;
  }
}

bool kernel_names::is_word(std::string_view name) const { return words_.contains(name); }

bool kernel_names::defines(std::string_view name) const {
  if (defined_.contains(name)) return true;
  // Families of the language's own functions are nobody's.
  for (const std::string_view family : {"get_", "convert_", "as_", "atomic_", "__"}) {
    if (name.starts_with(family)) return false;
  }
  return std::ranges::any_of(prefixes_, [&](const std::string& p) { return name.starts_with(p); }) ||
         std::ranges::any_of(suffixes_, [&](const std::string& s) { return name.ends_with(s); });
}

bool kernel_names::uses(std::string_view name) const { return used_.contains(name); }

// -------------------------------------------------------------------------------- the user's texts

std::string name_in_source(const element& type) {
  if (type.kind != element_kind::structure || !names_of_kernels().defines(type.opencl_name))
    return type.opencl_name;
  return std::string(user_prefix) + type.opencl_name;
}

void add_own_names(own_names& own, const std::string& label, std::string_view text) {
  const std::string whole = joined(label, text);
  const std::vector<piece> pieces = pieces_of(label, whole);
  int braces = 0;
  for (std::size_t at = 0; at < pieces.size(); ++at) {
    if (pieces[at].text == "{") ++braces;
    if (pieces[at].text == "}") --braces;
    if (pieces[at].kind == piece_kind::word && braces == 0 && is_function(pieces, at))
      own.emplace(pieces[at].text);
    if (const std::size_t macro = macro_at(pieces, at); macro < pieces.size())
      own.emplace(pieces[macro].text);
  }
}

std::string fit_declarations(const std::string& label, std::string_view text, const kernel_names& kernels,
                             const own_names& own) {
  return fitter(label, kernels, own, false).fit(text);
}

std::string fit_expression(const std::string& label, std::string_view text, const kernel_names& kernels,
                           const own_names& own) {
  return fitter(label, kernels, own, true).fit(text);
}

bool names_double(std::string_view text) {
  if (text.find("double") == std::string_view::npos) return false;
  const std::string label = "a text";
  const std::string whole = joined(label, text);
  return std::ranges::any_of(pieces_of(label, whole), [](const piece& p) {
    std::string_view word = p.text;
    if (word.starts_with("convert_")) word.remove_prefix(8);
    if (word.starts_with("as_")) word.remove_prefix(3);
    word = word.substr(0, word.find('_'));  // convert_double_rtz
    return p.kind == piece_kind::word && word.starts_with("double") && is_arithmetic_type(word);
  });
}

bool is_identifier(std::string_view text) {
  return !text.empty() && begins_word(text[0]) && std::ranges::all_of(text, in_word) && !is_keyword(text);
}

void check_elements(std::string_view primitive, std::span<const element* const> types) {
  const auto no = [&](const std::string& message, std::string advice) {
    throw error(failure::bad_call, message, CL_SUCCESS,
                {.primitive = std::string(primitive), .advice = std::move(advice)});
  };
  for (const element* e : types) {
    // A bool is a byte in the source; its name is a keyword, and in no text.
    if (e->kind != element_kind::boolean && !is_identifier(e->opencl_name))
      no("the type " + e->name + "'s OpenCL name must be one identifier, not \"" + e->opencl_name + "\"", {});
  }
  for (std::size_t k = 1; k < types.size(); ++k) {
    for (std::size_t j = 0; j < k; ++j) {
      const element &a = *types[j], &b = *types[k];
      if (a.opencl_name != b.opencl_name || (a.size == b.size && a.kind == b.kind &&
                                             a.components == b.components && a.declaration == b.declaration))
        continue;
      no("two types of one call are both called " + a.opencl_name + ": " + a.name + ", of " +
             std::to_string(a.size) + " bytes, declared \"" + a.declaration + "\", and " + b.name + ", of " +
             std::to_string(b.size) + " bytes, declared \"" + b.declaration + "\"",
         "give one of them another name");
    }
  }
}

}  // namespace clwave
