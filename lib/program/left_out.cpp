// Reads the condition that a kernel part stands in.
#include "program/left_out.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "program/text_pieces.hpp"

namespace clwave::detail {
namespace {

constexpr std::string_view label = "a kernel part";

// Words of the option line that a program's target decides, and not its description (option_line).
constexpr std::array target_words{"DEVICE",   "CUDA_SM",     "AMD_GFX",  "EMULATE_LANES", "LANES",
                                  "EXCHANGE", "GROUP_ORDER", "USE_FP64", "REGISTERS"};

// The host's words are in capitals. Other names are the compilers' own.
bool is_of_the_host(std::string_view name) {
  return !name.starts_with('_') && std::ranges::none_of(name, is_lower) &&
         std::ranges::find(target_words, name) == target_words.end();
}

// A line of code; empty for one that has only blanks or a comment.
std::string_view code_of(std::string_view line) {
  const std::size_t first = line.find_first_not_of(" \t\r");
  if (first == std::string_view::npos || line.substr(first).starts_with("//")) return {};
  line.remove_prefix(first);
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

// The condition that a part stands in, from its first line of code to its last; empty where it stands in
// none. Continued lines are joined.
std::string condition_of(std::string_view part) {
  std::string condition;
  int depth = 0;
  bool begun = false, ended = false;
  while (!part.empty()) {
    const std::size_t end = std::min(part.find('\n'), part.size());
    const std::string_view code = code_of(part.substr(0, end));
    part.remove_prefix(std::min(end + 1, part.size()));
    if (code.empty()) continue;
    if (ended || (!begun && !code.starts_with("#if"))) return {};
    if (!begun) {
      begun = true;
      condition = code;
      while (condition.ends_with('\\')) {
        condition.back() = ' ';
        const std::size_t next = std::min(part.find('\n'), part.size());
        condition += code_of(part.substr(0, next));
        part.remove_prefix(std::min(next + 1, part.size()));
      }
    }
    if (code.starts_with("#if")) ++depth;
    if (depth == 1 && (code.starts_with("#else") || code.starts_with("#elif"))) return {};
    if (code.starts_with("#endif")) ended = --depth == 0;
  }
  return ended ? condition : std::string();
}

// What the host's words say of a condition: nothing where they do not decide it.
using decided = std::optional<bool>;

class condition {
 public:
  condition(std::span<const piece> pieces, const program_spec& spec) : left_(pieces), spec_(spec) {}

  decided read() {
    const decided all = either();
    return left_.empty() ? all : std::nullopt;  // something that is not known here
  }

 private:
  std::string_view next() const { return left_.empty() ? std::string_view() : left_.front().text; }
  bool takes(std::string_view marks) {
    for (std::size_t k = 0; k < marks.size(); ++k) {
      if (k >= left_.size() || left_[k].text != marks.substr(k, 1)) return false;
    }
    left_ = left_.subspan(marks.size());
    return true;
  }
  std::string_view take() {
    const std::string_view text = next();
    if (!left_.empty()) left_ = left_.subspan(1);
    return text;
  }

  decided either() {
    decided result = both();
    while (takes("||")) {
      const decided other = both();
      if (result == true || other == true)
        result = true;
      else if (!result || !other)
        result = std::nullopt;
    }
    return result;
  }
  decided both() {
    decided result = one();
    while (takes("&&")) {
      const decided other = one();
      if (result == false || other == false)
        result = false;
      else if (!result || !other)
        result = std::nullopt;
    }
    return result;
  }
  decided one() {
    if (takes("!")) {
      const decided not_this = one();
      return not_this ? decided(!*not_this) : std::nullopt;
    }
    if (takes("(")) {
      const decided inner = either();
      return takes(")") ? inner : std::nullopt;
    }
    if (next() == "defined") {
      take();
      const bool brackets = takes("(");
      const decided has = is_defined(take());
      if (brackets && !takes(")")) return std::nullopt;
      return has;
    }
    const auto left = number(take());
    for (const std::string_view mark : {"==", "!=", ">=", "<=", ">", "<"}) {
      if (!takes(mark)) continue;
      const auto right = number(take());
      if (!left || !right) return std::nullopt;
      if (mark == "==") return *left == *right;
      if (mark == "!=") return *left != *right;
      if (mark == ">=") return *left >= *right;
      if (mark == "<=") return *left <= *right;
      return mark == ">" ? *left > *right : *left < *right;
    }
    return std::nullopt;
  }

  const std::string* word(std::string_view name) const {
    const auto found = std::ranges::find(spec_.words, name, [](const auto& each) { return each.first; });
    return found != spec_.words.end() ? &found->second : nullptr;
  }
  decided is_defined(std::string_view name) const {
    if (!is_of_the_host(name)) return std::nullopt;
    const auto is_name = [&](const auto& each) { return each.first == name; };
    return word(name) != nullptr || name == primitive_word(spec_.primitive) ||
           std::ranges::any_of(spec_.texts, is_name) ||
           std::ranges::any_of(spec_.user_texts, [&](const user_text& each) { return each.name == name; });
  }
  std::optional<long> number(std::string_view text) const {
    if (const std::string* value = word(text)) text = *value;
    long result = 0;
    const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), result);
    if (code != std::errc() || end != text.data() + text.size()) return std::nullopt;
    return result;
  }

  std::span<const piece> left_;
  const program_spec& spec_;
};

}  // namespace

bool is_left_out(std::string_view part, const program_spec& spec) {
  const std::string line = condition_of(part);
  std::vector<piece> pieces = pieces_of(std::string(label), line);
  std::erase_if(pieces, [](const piece& p) { return p.kind == piece_kind::blank; });
  // #ifdef NAME, #ifndef NAME, #if ...
  if (pieces.size() < 3) return false;
  const std::string_view directive = pieces[1].text;
  const std::span<const piece> rest = std::span(pieces).subspan(2);
  decided holds;
  if (directive == "if") {
    holds = condition(rest, spec).read();
  } else {
    std::vector<piece> asked = {{piece_kind::word, "defined", 1}, rest[0]};
    holds = condition(asked, spec).read();
    if (holds && directive == "ifndef") holds = !*holds;
  }
  return holds == false;
}

}  // namespace clwave::detail
