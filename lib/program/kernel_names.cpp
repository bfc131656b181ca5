// Finds the names in the kernel parts' texts.
#include "program/kernel_names.hpp"

#include <algorithm>

#include "program/text_pieces.hpp"

namespace clwave::detail {

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
}

void kernel_names::finish() {
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
    if (!is_parameter(name) && !is_keyword(name) && !is_arithmetic_type(name) && !begins_attribute(name) &&
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
    else if (at + 2 < pieces.size() && pieces[at + 2].kind == piece_kind::word && !begins_attribute(word) &&
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

}  // namespace clwave::detail
