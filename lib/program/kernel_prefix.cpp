// Puts the prefix before the names in kernel parts. All parts of a program come through here when it is made,
// so words are found by a hash and text is copied in stretches.
#include "program/kernel_prefix.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/digits.hpp"
#include "program/text_pieces.hpp"

namespace clwave::detail {
namespace {

// Functions of OpenCL C that kernels call, and names of its other functions that texts and kernels' variables
// may well have. One that kernels call and that is missing here is an undeclared clwave_NAME to the compiler.
constexpr std::array functions{"abs",
                               "all",
                               "any",
                               "atomic_add",
                               "atomic_cmpxchg",
                               "atomic_fetch_add_explicit",
                               "atomic_inc",
                               "atomic_load_explicit",
                               "atomic_max",
                               "atomic_min",
                               "atomic_or",
                               "atomic_store_explicit",
                               "atomic_work_item_fence",
                               "atomic_xchg",
                               "barrier",
                               "bitselect",
                               "clamp",
                               "clz",
                               "cross",
                               "degrees",
                               "distance",
                               "dot",
                               "fabs",
                               "fma",
                               "fmax",
                               "fmin",
                               "get_global_id",
                               "get_global_size",
                               "get_group_id",
                               "get_local_id",
                               "get_local_size",
                               "get_num_groups",
                               "get_sub_group_local_id",
                               "intel_sub_group_shuffle_up",
                               "isnan",
                               "length",
                               "mad",
                               "max",
                               "min",
                               "mix",
                               "mul_hi",
                               "normalize",
                               "popcount",
                               "radians",
                               "rotate",
                               "select",
                               "shuffle",
                               "sign",
                               "signbit",
                               "smoothstep",
                               "sqrt",
                               "step",
                               "sub_group_ballot",
                               "sub_group_barrier",
                               "sub_group_broadcast",
                               "sub_group_reduce_add",
                               "sub_group_shuffle_up"};

constexpr std::array scalars{"char", "uchar", "short", "ushort", "int",  "uint",
                             "long", "ulong", "float", "double", "half", "bool"};

// The language's other words.
constexpr std::array others{
    // Keywords, and types without vectors.
    "auto", "break", "case", "const", "continue", "default", "defined", "do", "else", "enum", "extern", "for",
    "goto", "if", "inline", "restrict", "return", "signed", "sizeof", "static", "struct", "switch", "typedef",
    "union", "unsigned", "void", "volatile", "while", "true", "false", "size_t", "ptrdiff_t", "intptr_t",
    "uintptr_t", "atomic_uint", "atomic_ulong", "memory_order_acq_rel", "memory_order_relaxed",
    "memory_scope_device",
    // Attributes, and what stands in pragmas.
    "aligned", "always_inline", "ext_vector_type", "intel_reqd_sub_group_size", "noinline", "overloadable",
    "packed", "reqd_work_group_size", "unroll",
    // Components of vectors.
    "lo", "hi", "even", "odd", "s0", "s1", "s2", "s3", "s4", "s5", "s6", "s7", "s8", "s9", "sa", "sb", "sc",
    "sd", "se", "sf", "s0123", "s4567", "s89ab", "scdef",
    // Members of clwave_indexed_float, which users' texts see, too.
    "value", "index"};

// By their first letters.
constexpr std::array families{"clwave_", "cl_", "CLK_", "vload", "vstore"};

enum class word_kind : std::uint8_t { none, function, scalar, other };

// Of a few letters: there are hundreds of words.
constexpr std::size_t hash_of(std::string_view word) {
  const auto letter = [&](std::size_t k) {
    return static_cast<std::size_t>(static_cast<unsigned char>(word[k]));
  };
  const std::size_t n = word.size();
  if (n == 0) return 0;
  return n * 7 + letter(0) * 31 + letter(n / 3) * 127 + letter(n / 2) * 41 + letter(n - 1) * 1031;
}

struct language {
  static constexpr std::size_t slots = 1024;
  std::array<std::string_view, slots> words{};
  std::array<word_kind, slots> kinds{};

  constexpr language() {
    for (const char* word : functions) add(word, word_kind::function);
    for (const char* word : scalars) add(word, word_kind::scalar);
    for (const char* word : others) add(word, word_kind::other);
  }
  constexpr void add(std::string_view word, word_kind kind) {
    const std::size_t at = place_of(word);
    words[at] = word;
    kinds[at] = kind;
  }
  // Where the word is, or would be.
  constexpr std::size_t place_of(std::string_view word) const {
    std::size_t at = hash_of(word) % slots;
    while (!words[at].empty() && words[at] != word) at = (at + 1) % slots;
    return at;
  }
  constexpr word_kind kind_of(std::string_view word) const { return kinds[place_of(word)]; }
};

constexpr language words_of_language;

// float, float4.
bool is_type(std::string_view word) {
  while (!word.empty() && is_digit(word.back())) word.remove_suffix(1);
  return !word.empty() && words_of_language.kind_of(word) == word_kind::scalar;
}

// convert_ and as_, which ## joins with a type, convert_float4_rtz, as_uint.
bool is_conversion_of_types(std::string_view word) {
  for (const std::string_view begin : {"convert_", "as_"}) {
    if (!word.starts_with(begin)) continue;
    const std::string_view type = word.substr(begin.size());
    if (type.empty() || is_type(type.substr(0, type.find('_')))) return true;
  }
  return false;
}

bool is_of_the_kernels(std::string_view word) {
  const char first = word[0];
  if (first == '_' || (word.size() == 1 && is_lower(first))) return false;
  if (words_of_language.kind_of(word) != word_kind::none || (is_digit(word.back()) && is_type(word)))
    return false;
  if (!is_one_of(first, "acvC")) return true;
  return !is_conversion_of_types(word) &&
         std::ranges::none_of(families, [&](const char* family) { return word.starts_with(family); });
}

// in_word, asked of every character.
constexpr std::array<bool, 256> letters = [] {
  std::array<bool, 256> all{};
  for (int c = 0; c < 256; ++c)
    all[c] = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
  return all;
}();
bool is_letter(char c) { return letters[static_cast<unsigned char>(c)]; }

class prefixer {
 public:
  explicit prefixer(std::string_view text) : text_(text) { result_.reserve(text.size() + text.size() / 2); }

  std::string write() {
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (is_letter(c)) {
        if (is_digit(c)) {
          while (at_ < text_.size() && (is_letter(text_[at_]) || text_[at_] == '.')) ++at_;
          joined_ = false;
        } else {
          take_word();
        }
      } else if (c == ' ' || c == '\r') {
        ++at_;
      } else if (c == '/' && (next() == '/' || next() == '*')) {
        pass_comment();
      } else if (c == '"' || c == '\'') {
        pass_quoted(c);
      } else if (c == '\n') {
        if (!goes_on()) {
          line_is_empty_ = true;
          parameters_.clear();
        }
        ++at_;
      } else if (c == '#' && line_is_empty_) {
        ++at_;
        take_directive();
      } else {
        if (c == '#') {
          joined_ = next() == '#';
          at_ += joined_ ? 2 : 1;
        } else {
          joined_ = joined_ && c == '\\';
          ++at_;
        }
        line_is_empty_ = false;
      }
    }
    result_.append(text_.substr(copied_));
    return std::move(result_);
  }

 private:
  // Whether the line that ends here is one with the next, whichever system wrote its end.
  bool goes_on() const {
    std::size_t end = at_;
    while (end > 0 && text_[end - 1] == '\r') --end;
    return end > 0 && text_[end - 1] == '\\';
  }

  char next() const { return at_ + 1 < text_.size() ? text_[at_ + 1] : '\0'; }

  std::string_view word() {
    const std::size_t begin = at_;
    while (at_ < text_.size() && is_letter(text_[at_])) ++at_;
    return text_.substr(begin, at_ - begin);
  }

  void put_prefix(std::size_t at) {
    result_.append(text_.substr(copied_, at - copied_)).append(reserved_prefix);
    copied_ = at;
  }

  void take_word() {
    const std::size_t begin = at_;
    const std::string_view taken = word();
    line_is_empty_ = false;
    const bool is_bare =
        joined_ || !is_of_the_kernels(taken) || std::ranges::find(parameters_, taken) != parameters_.end();
    joined_ = false;
    if (!is_bare) put_prefix(begin);
  }

  void pass_comment() {
    const bool is_line = next() == '/';
    const std::size_t end = text_.find(is_line ? "\n" : "*/", at_ + 2);
    at_ = end == std::string_view::npos ? text_.size() : is_line ? end : end + 2;
  }

  void pass_quoted(char quote) {
    ++at_;
    while (at_ < text_.size() && text_[at_] != quote && text_[at_] != '\n') at_ += text_[at_] == '\\' ? 2 : 1;
    if (at_ < text_.size() && text_[at_] == quote) ++at_;
    line_is_empty_ = false;
  }

  void take_directive() {
    line_is_empty_ = false;
    pass_blanks();
    const std::string_view name = word();
    if (name == "pragma" || name == "error" || name == "include") {
      at_ = std::min(text_.find('\n', at_), text_.size());
    } else if (name == "define") {
      pass_blanks();
      if (at_ < text_.size() && begins_word(text_[at_])) take_word();
      if (at_ < text_.size() && text_[at_] == '(') take_parameters();
    }
  }

  void pass_blanks() {
    while (at_ < text_.size() && text_[at_] == ' ') ++at_;
  }

  void take_parameters() {
    while (at_ < text_.size() && text_[at_] != ')' && text_[at_] != '\n') {
      if (begins_word(text_[at_]))
        parameters_.push_back(word());
      else
        ++at_;
    }
  }

  const std::string_view text_;
  std::string result_;
  std::size_t at_ = 0;
  std::size_t copied_ = 0;                    // what stands before it is in the result
  bool line_is_empty_ = true;                 // up to here
  bool joined_ = false;                       // by ## with what stood before
  std::vector<std::string_view> parameters_;  // of the macro that is being defined
};

}  // namespace

std::string with_prefix(std::string_view text) { return prefixer(text).write(); }

std::string prefixed(std::string_view name) {
  const bool is_name = !name.empty() && begins_word(name[0]) && std::ranges::all_of(name, in_word);
  return is_name && is_of_the_kernels(name) ? std::string(reserved_prefix).append(name) : std::string(name);
}

bool is_function_of_language(std::string_view name) {
  return words_of_language.kind_of(name) == word_kind::function;
}

}  // namespace clwave::detail
