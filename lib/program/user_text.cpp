// Keeps a user's texts apart from the kernels.
#include "program/user_text.hpp"

#include <algorithm>
#include <set>
#include <vector>

#include <clwave/error.hpp>

#include "program/own_macros.hpp"
#include "program/text_pieces.hpp"

namespace clwave::detail {
namespace {

// A text on its way into the source.
class fitter {
 public:
  // `expression` is null where the text is none.
  fitter(const std::string& label, const own_names& own, std::span<const own_text> seen,
         const user_text* expression)
      : label_(label), own_(own), seen_(seen), expression_(expression) {}

  std::string fit(std::string_view text) {
    const std::string whole = joined(label_, text);
    check_lines(whole);
    const std::vector<piece> pieces = pieces_of(label_, whole);
    if (expression_ != nullptr) check_comments(pieces);
    if (!(expression_ != nullptr ? expression_->doubles : names_double(text))) find_literals(pieces, whole);
    find_loose(pieces);
    const auto says_nothing = [](const piece& p) {
      return p.kind == piece_kind::blank || p.kind == piece_kind::line_end;
    };
    if (expression_ != nullptr && std::ranges::all_of(pieces, says_nothing))
      refuse_text(label_, 1, "an expression of blanks alone");
    bool line_is_empty = true;
    for (std::size_t at = 0; at < pieces.size(); ++at) {
      const piece& p = pieces[at];
      if (p.kind == piece_kind::line_end) {
        fitted_ += "\n";
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

  // Clang takes time by the square of a line's length to show an error in it, and at last crashes.
  void check_lines(std::string_view whole) const {
    constexpr std::size_t most = 32768;
    for (std::size_t line = 1; !whole.empty(); ++line) {
      const std::size_t length = std::min(whole.find('\n'), whole.size());
      if (length > most)
        refuse_text(label_, line, "a line of " + std::to_string(length) + " characters",
                    "break it: compilers take " + std::to_string(most));
      whole.remove_prefix(std::min(length + 1, whole.size()));
    }
  }

  void check_comments(const std::vector<piece>& pieces) const {
    const auto found = std::ranges::find_if(pieces, &piece::is_line_comment);
    if (found != pieces.end())
      refuse_text(label_, found->line, "a // comment in an expression",
                  "put helper functions into .declarations");
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

  // Which numbers get an f, and that the language's own constants become those of floats. What ## joins is
  // part of another word.
  void find_literals(const std::vector<piece>& pieces, std::string_view whole) {
    const std::set<std::size_t> given = joined_numbers(seen_, {label_, std::string(whole)});
    for (std::size_t at = 0; at < pieces.size(); ++at) {
      const auto place = static_cast<std::size_t>(pieces[at].text.data() - whole.data());
      if (pieces[at].kind == piece_kind::number && is_floating_literal(pieces[at].text) &&
          !is_joined(pieces, at) && !given.contains(place))
        floats_.insert(pieces[at].text.data());
    }
    makes_floats_ = true;
  }

  void take(const piece& p) {
    if (p.kind == piece_kind::word) {
      take_word(p);
      return;
    }
    if (p.kind == piece_kind::mark) take_mark(p);
    fitted_ += p.text;
    if (floats_.contains(p.text.data())) fitted_ += 'f';
  }

  bool is_value(std::string_view word) const {
    return expression_ != nullptr &&
           std::ranges::any_of(expression_->values.named,
                               [&](const text_name& each) { return each.name == word; });
  }

  void take_word(const piece& p) {
    if (std::ranges::find(words_of_pragmas, p.text) != words_of_pragmas.end())
      refuse_text(label_, p.line, std::string(p.text) + " in a text of your own",
                  "write #pragma unroll on a line of its own in .declarations");
    check_reserved(p);
    check_attribute(p, open_.size());
    if (makes_floats_ && is_double_constant(p.text) && !own_.contains(p.text) && !is_value(p.text)) {
      fitted_.append(p.text).append("_F");
      return;
    }
    fitted_ += p.text;
  }

  // The type of what argmin finds is one that texts may name.
  void check_reserved(const piece& p) const {
    if (p.text.starts_with(reserved_prefix) && !p.text.starts_with(indexed_prefix))
      refuse_text(label_, p.line,
                  "the name " + std::string(p.text) + ": those that begin with clwave_ are reserved",
                  "give it another name");
  }

  // `depth`: of brackets that are open.
  void check_attribute(const piece& p, std::size_t depth) {
    const std::string_view word = p.text;
    if (begins_attribute(word)) {
      attribute_depth_ = depth;
      return;
    }
    if (!attribute_depth_) return;
    if (depth <= *attribute_depth_) {
      attribute_depth_.reset();
      return;
    }
    if (is_refused_attribute(word))
      refuse_text(label_, p.line, "the attribute " + std::string(word) + " in a text of your own",
                  "leave it out: kernels have nothing to run as they are loaded");
  }

  void take_mark(const piece& p) {
    const char c = p.text[0];
    if (c == '#' && expression_ != nullptr)
      refuse_text(label_, p.line, "a preprocessor directive in an expression",
                  "put helper functions into .declarations");
    if (c == ';' && expression_ != nullptr && open_.empty())
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
    if (expression_ != nullptr)
      refuse_text(label_, line, "a preprocessor directive in an expression",
                  "put helper functions into .declarations");
    std::size_t end = at;
    while (end < pieces.size() && pieces[end].kind != piece_kind::line_end) ++end;
    const std::size_t name_at = skip_blanks(pieces, at + 1);
    if (name_at >= end) return end - 1;  // a # alone does nothing
    const std::string_view name = pieces[name_at].text;
    std::vector<piece> rest;
    for (std::size_t k = name_at + 1; k < end; ++k) {
      if (pieces[k].kind != piece_kind::blank) rest.push_back(pieces[k]);
    }
    if (name == "define" || name == "undef") {
      check_macro(std::string(name), rest, line);
      std::size_t depth = 0;
      for (const piece& p : rest) {
        if (p.kind == piece_kind::word) check_attribute(p, depth);
        if (p.text == "(") ++depth;
        if (p.text == ")" && depth > 0) --depth;
      }
      attribute_depth_.reset();
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
    // What ## joins is no name yet (own_macros.hpp), but where it is a parameter.
    std::vector<std::string_view> parameters;
    if (const std::size_t macro = macro_at(pieces, at); macro < end)
      parameters = macro_parameters(pieces, macro);
    const auto is_name = [&](std::size_t k) {
      return !is_joined(pieces, k) || std::ranges::find(parameters, pieces[k].text) != parameters.end();
    };
    for (std::size_t k = name_at + 1; k < end; ++k) {
      if (words_are_names && pieces[k].kind == piece_kind::word && is_name(k)) {
        take_word(pieces[k]);
      } else {
        if (words_are_names) check_reserved(pieces[k]);
        fitted_ += pieces[k].text;
      }
      if (name == "define" && floats_.contains(pieces[k].text.data())) fitted_ += 'f';
    }
    return end - 1;
  }

  void check_macro(const std::string& directive, const std::vector<piece>& rest, std::size_t line) const {
    if (rest.empty() || rest[0].kind != piece_kind::word)
      refuse_text(label_, line, "#" + directive + " without a name");
    const std::string name(rest[0].text);
    const std::string what = "#" + directive + " of " + name;
    if (is_keyword(name) || is_arithmetic_type(name) || is_conversion(name))
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
  const own_names& own_;
  std::span<const own_text> seen_;
  const user_text* expression_;
  bool makes_floats_ = false;
  std::set<const char*> floats_;                // where the literals begin that get an f
  bool loose_ = false;                          // a macro of the text has brackets of its own
  std::optional<std::size_t> attribute_depth_;  // of brackets open where an attribute began
  std::string fitted_;
  std::vector<opened> open_;
  std::vector<condition> conditions_;
};

}  // namespace

std::string name_in_source(const element& type) {
  const bool is_users =
      type.kind == element_kind::structure && !type.opencl_name.starts_with(reserved_prefix);
  return is_users ? std::string(type_prefix) + type.opencl_name : type.opencl_name;
}

bool is_refused_attribute(std::string_view word) {
  if (word.starts_with("__") && word.ends_with("__") && word.size() > 4)
    word = word.substr(2, word.size() - 4);
  return std::ranges::find(refused_attributes, word) != refused_attributes.end();
}

void add_own_names(own_names& own, const std::string& label, std::string_view text) {
  const std::string whole = joined(label, text);
  const std::vector<piece> pieces = pieces_of(label, whole);
  int braces = 0;
  for (std::size_t at = 0; at < pieces.size(); ++at) {
    if (pieces[at].text == "{") ++braces;
    if (pieces[at].text == "}") --braces;
    if (braces == 0 && is_function(pieces, at)) own.emplace(pieces[at].text);
    if (const std::size_t macro = macro_at(pieces, at); macro < pieces.size())
      own.emplace(pieces[macro].text);
  }
}

std::string fit_declarations(const std::string& label, std::string_view text, const own_names& own,
                             std::span<const own_text> seen) {
  return fitter(label, own, seen, nullptr).fit(text);
}

std::string fit_expression(const user_text& of, const own_names& own, std::span<const own_text> seen) {
  return fitter(of.label, own, seen, &of).fit(of.text);
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

}  // namespace clwave::detail
