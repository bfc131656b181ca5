// Reads the macros of a call's texts.
#include "program/own_macros.hpp"

#include <algorithm>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "program/text_pieces.hpp"

namespace clwave::detail {
namespace {

using words = std::set<std::string_view>;

// What a #define says.
struct macro {
  std::size_t line;
  std::string_view name;
  std::vector<std::string_view> parameters;
  std::vector<piece> body;  // without blanks
  std::string whole;        // from its name on, with one blank for each run of them
};

// One text, cut up.
struct cut_text {
  std::string label;
  std::string whole;
  std::vector<piece> pieces;                                   // of `whole`
  std::vector<macro> macros;                                   // as they stand
  std::map<std::string_view, std::vector<const macro*>> left;  // those behind each name's last #undef, if any
};

std::size_t end_of_line(const std::vector<piece>& pieces, std::size_t at) {
  while (at < pieces.size() && pieces[at].kind != piece_kind::line_end) ++at;
  return at;
}

// The macro whose name is piece `at` of its directive.
macro read_macro(const std::vector<piece>& pieces, std::size_t at) {
  macro read{.line = pieces[at].line, .name = pieces[at].text, .parameters = {}, .body = {}, .whole = {}};
  const std::size_t end = end_of_line(pieces, at);
  for (std::size_t k = at; k < end; ++k) {
    const bool is_blank = pieces[k].kind == piece_kind::blank;
    if (!is_blank)
      read.whole += pieces[k].text;
    else if (!read.whole.ends_with(' '))
      read.whole += ' ';
  }
  if (read.whole.ends_with(' ')) read.whole.pop_back();
  read.parameters = macro_parameters(pieces, at);
  ++at;
  if (at < end && pieces[at].text == "(") {
    while (at < end && pieces[at].text != ")") ++at;
    ++at;
  }
  for (; at < end; ++at) {
    if (pieces[at].kind != piece_kind::blank) read.body.push_back(pieces[at]);
  }
  return read;
}

void read_macros(cut_text& text) {
  text.pieces = pieces_of(text.label, text.whole);
  struct step {
    std::string_view name;
    std::optional<std::size_t> defined;
  };
  std::vector<step> steps;
  for (std::size_t at = 0; at < text.pieces.size(); ++at) {
    if (text.pieces[at].text != "#") continue;
    const std::size_t defined = macro_at(text.pieces, at), undefined = macro_at(text.pieces, at, "undef");
    if (defined < text.pieces.size()) {
      steps.push_back({text.pieces[defined].text, text.macros.size()});
      text.macros.push_back(read_macro(text.pieces, defined));
    } else if (undefined < text.pieces.size()) {
      steps.push_back({text.pieces[undefined].text, std::nullopt});
    }
    at = end_of_line(text.pieces, at);
  }
  for (const step& each : steps) {
    std::vector<const macro*>& left = text.left[each.name];
    if (each.defined)
      left.push_back(&text.macros[*each.defined]);
    else
      left.clear();
  }
}

// The functions, variables, types and enumerators that a text declares outside of all braces, in the words of
// C. Of a list of variables it is the first one and the last.
std::vector<const piece*> declared_in(const cut_text& text) {
  std::vector<const piece*> declared;
  std::vector<piece> pieces;
  std::vector<const piece*> places;
  for (std::size_t at = 0; at < text.pieces.size(); ++at) {
    if (text.pieces[at].text == "#") at = end_of_line(text.pieces, at);
    if (at == text.pieces.size()) break;
    if (text.pieces[at].kind == piece_kind::blank || text.pieces[at].kind == piece_kind::line_end) continue;
    pieces.push_back(text.pieces[at]);
    places.push_back(&text.pieces[at]);
  }
  int braces = 0, brackets = 0;
  bool is_enum = false;
  for (std::size_t at = 0; at < pieces.size(); ++at) {
    const std::string_view word = pieces[at].text;
    if (word == "(") ++brackets;
    if (word == ")") --brackets;
    if (word == "enum" && braces == 0) is_enum = true;
    if (word == ";" && braces == 0) is_enum = false;
    if (word == "{") ++braces;
    if (word == "}") --braces;
    if (pieces[at].kind != piece_kind::word || brackets != 0 || at == 0 || is_keyword(word)) continue;
    const piece& before = pieces[at - 1];
    const std::string_view next = at + 1 < pieces.size() ? pieces[at + 1].text : "";
    const bool is_variable = (before.kind == piece_kind::word || before.text == "*" || before.text == "}") &&
                             next.size() == 1 && is_one_of(next[0], "=;[,");
    const bool is_enumerator = is_enum && braces == 1 && (before.text == "{" || before.text == ",");
    if ((braces == 0 && (is_variable || is_function(pieces, at))) || is_enumerator)
      declared.push_back(places[at]);
  }
  return declared;
}

constexpr const char* one_program = "give one of them another name: the texts of a call are one program";

// Two texts that say two things of one name.
void check_two(const cut_text& one, const cut_text& other) {
  const auto same = [](const macro* p, const macro* q) { return p->whole == q->whole; };
  for (const auto& [name, left] : one.left) {
    const auto there = other.left.find(name);
    if (there == other.left.end() || std::ranges::equal(left, there->second, same)) continue;
    // Where it is left by one alone, that one's line.
    const bool is_other = !there->second.empty();
    refuse_text(
        is_other ? other.label : one.label, (is_other ? there->second : left).back()->line,
        "the macro " + std::string(name) + " is another one in " + (is_other ? one.label : other.label),
        one_program);
  }
}

// A name that one text declares and another has as a macro.
void check_declared(const cut_text& one, const cut_text& other) {
  for (const piece* name : declared_in(one)) {
    const auto there = other.left.find(name->text);
    if (there == other.left.end() || there->second.empty() || one.left.contains(name->text)) continue;
    refuse_text(one.label, name->line, std::string(name->text) + " is a macro in " + other.label,
                one_program);
  }
}

// ----------------------------------------------------------------------------- names of pieces

// The words that ## joins to one.
struct pasted {
  const cut_text* text;
  std::size_t line;
  std::vector<std::optional<std::string_view>> sides;  // nothing: a parameter
  bool begins_function;
};

bool is_paste(const std::vector<piece>& body, std::size_t at) {
  return at + 2 < body.size() && body[at].text == "#" && body[at + 1].text == "#";
}

std::vector<pasted> pasted_by(const cut_text& text, const macro& by) {
  std::vector<pasted> all;
  const auto side = [&](std::size_t at) -> std::optional<std::string_view> {
    if (std::ranges::find(by.parameters, by.body[at].text) != by.parameters.end()) return std::nullopt;
    return by.body[at].text;
  };
  for (std::size_t at = 0; at < by.body.size(); ++at) {
    if (!is_paste(by.body, at + 1)) continue;
    pasted found{.text = &text, .line = by.line, .sides = {side(at)}, .begins_function = false};
    for (; is_paste(by.body, at + 1); at += 3) found.sides.push_back(side(at + 3));
    found.begins_function = has_body(by.body, at);
    all.push_back(std::move(found));
  }
  return all;
}

// Whether a name is two or more words of the texts, joined as `by` joins them. An argument may be nothing, or
// what another ## has put together; one of several words is joined with what stands beside its first and
// last.
bool makes(const pasted& by, std::string_view name, const words& pieces) {
  const std::size_t size = name.size();
  // For each place in the name, how many words can end there, as bits: none, one, more.
  using reached = std::vector<unsigned>;
  const auto one_more = [](unsigned counts) { return ((counts << 1) | (counts & 4)) & 7; };
  const auto is_word = [&](std::size_t from, std::size_t to) {
    const std::string_view part = name.substr(from, to - from);
    return pieces.contains(part) || part.find_first_not_of("0123456789") == std::string_view::npos;
  };
  const auto behind = [&](const reached& before, const std::optional<std::string_view>& side) {
    reached now(size + 1, 0);
    if (!side) now = before;
    for (std::size_t from = 0; from < size; ++from) {
      if (side && before[from] != 0 && name.substr(from).starts_with(*side))
        now[from + side->size()] |= one_more(before[from]);
      for (std::size_t to = from + 1; !side && now[from] != 0 && to <= size; ++to) {
        if (is_word(from, to)) now[to] |= one_more(now[from]);
      }
    }
    return now;
  };
  reached begun(size + 1, 0);  // where joined words that began before this side end
  for (std::size_t k = 0; k < by.sides.size(); ++k) {
    const bool is_last = k + 1 == by.sides.size();
    const bool any_begun = std::ranges::any_of(begun, [](unsigned counts) { return counts != 0; });
    if (any_begun) begun = behind(begun, by.sides[k]);
    if (any_begun && (is_last || !by.sides[k]) && (begun[size] & 4) != 0) return true;
    if (k != 0 && by.sides[k]) continue;
    reached fresh(size + 1, 0);
    fresh[0] = 1;
    fresh = behind(fresh, by.sides[k]);
    for (std::size_t at = 0; at <= size; ++at) begun[at] |= fresh[at];
  }
  return false;
}

// The parameters of macros that are joined with something: there, which takes an argument as it stands, or in
// a macro that they are given to, which takes what becomes of it.
class joined_parameters {
 public:
  explicit joined_parameters(const std::deque<cut_text>& texts) {
    for (const cut_text& text : texts) {
      for (const macro& each : text.macros) {
        for (std::size_t at = 0; at < each.body.size(); ++at) {
          if (is_joined(each.body, at)) add(each, each.body[at].text, true);
        }
      }
    }
    for (bool more = !joined_.empty(); more;) {
      more = false;
      for (const cut_text& text : texts) {
        for (const macro& each : text.macros)
          for_each_given(each.body, [&](const piece& word, bool) { more |= add(each, word.text, false); });
      }
    }
  }

  // Calls f(word, whether it is joined as it stands) for each word that is given for such a parameter.
  template <class F>
  void for_each_given(const std::vector<piece>& pieces, F f) const {
    for (std::size_t at = 0; at < pieces.size(); ++at) {
      const auto found = joined_.find(pieces[at].text);
      if (found == joined_.end()) continue;
      std::size_t next = skip_blanks(pieces, at + 1);
      if (next >= pieces.size() || pieces[next].text != "(") continue;
      std::size_t argument = 0;
      for (int open = 0; next < pieces.size(); ++next) {
        if (pieces[next].text == "(") ++open;
        if (pieces[next].text == ")" && --open == 0) break;
        if (pieces[next].text == "," && open == 1) ++argument;
        const auto joined = found->second.find(argument);
        if (pieces[next].kind == piece_kind::word && joined != found->second.end())
          f(pieces[next], joined->second);
      }
    }
  }

 private:
  // Whether the parameter is a new one.
  bool add(const macro& of, std::string_view word, bool as_it_stands) {
    const auto place = std::ranges::find(of.parameters, word);
    if (place == of.parameters.end()) return false;
    return joined_[of.name].emplace(place - of.parameters.begin(), as_it_stands).second;
  }

  std::map<std::string_view, std::map<std::size_t, bool>> joined_;
};

class paste_check {
 public:
  paste_check(const std::deque<cut_text>& texts, const kernel_names& kernels, const own_names& own)
      : texts_(texts), kernels_(kernels), own_(own) {
    for (const cut_text& text : texts) {
      for (const macro& each : text.macros) {
        for (pasted& found : pasted_by(text, each)) {
          const auto is_same = [&found](const pasted& other) {
            return found.sides == other.sides && found.begins_function == other.begins_function;
          };
          if (std::ranges::none_of(pasted_, is_same)) pasted_.push_back(std::move(found));
        }
      }
    }
  }

  void check(const program_spec& spec) {
    if (pasted_.empty()) return;
    for (const pasted& each : pasted_) check_ends(each);
    const joined_parameters joined(texts_);
    for (const cut_text& text : texts_) {
      joined.for_each_given(text.pieces, [&](const piece& word, bool as_it_stands) {
        if (!is_parameter_of_a_macro(text, word) && (as_it_stands || !is_macro(word.text)))
          check_argument(text, word);
      });
    }
    for (const cut_text& text : texts_) {
      for (const piece& p : text.pieces)
        if (p.kind == piece_kind::word || p.kind == piece_kind::number) pieces_.insert(p.text);
    }
    for (const pasted& each : pasted_) check_names(each, spec);
  }

 private:
  bool is_parameter_of_a_macro(const cut_text& text, const piece& word) const {
    return std::ranges::any_of(text.macros, [&](const macro& each) {
      return each.line == word.line && std::ranges::find(each.parameters, word.text) != each.parameters.end();
    });
  }

  bool is_macro(std::string_view word) const {
    return std::ranges::any_of(texts_, [&](const cut_text& text) { return text.left.contains(word); });
  }

  // With its prefix, which it has as an argument, the whole would be another name.
  void check_argument(const cut_text& text, const piece& word) const {
    if (gets_prefix(word.text, kernels_, own_))
      refuse_text(
          text.label, word.line,
          "## joins " + std::string(word.text) + ", a name that clwave's kernels have too, with another",
          "give it another name, or write out what the macro puts together");
  }

  // Of the kernels' names that ## puts together there are only the ends: packet_16.
  void check_ends(const pasted& by) const {
    for (const bool is_last : {false, true}) {
      const std::optional<std::string_view>& side = is_last ? by.sides.back() : by.sides.front();
      if (side && kernels_.defines(is_last ? "clwave0" + std::string(*side) : std::string(*side) + "clwave0"))
        refuse_text(by.text->label, by.line,
                    "## joins " + std::string(*side) + ", with which names of clwave's kernels " +
                        (is_last ? "end" : "begin"),
                    "give it another name");
    }
  }

  void check_names(const pasted& by, const program_spec& spec) const {
    const auto check = [&](std::string_view name, const char* what) {
      if (makes(by, name, pieces_))
        refuse_text(by.text->label, by.line, "## could put together " + std::string(name) + ", " + what,
                    "give the pieces other names, or write the name out");
    };
    for (const std::string& name : kernels_.all()) check(name, "a name that clwave's kernels have too");
    for (const std::string_view word : pieces_) {
      if (gets_prefix(word, kernels_, own_)) check(word, "a name that clwave's kernels have too");
    }
    if (by.begins_function) {
      for (const std::string& name : kernels_.used()) check(name, "a function that clwave's kernels use");
    }
    for (const user_text& expression : spec.user_texts) {
      for (const std::string& value : expression.values.names) check(value, "the name of a value");
    }
    constexpr const char* refused = "which no text of yours may have";
    for (const std::string_view word : words_of_pragmas) check(word, refused);
    for (const std::string_view word : refused_attributes) {
      check(word, refused);
      check("__" + std::string(word) + "__", refused);
    }
    for (const std::string_view word : {"__attribute__", "__attribute"}) check(word, refused);
  }

  const std::deque<cut_text>& texts_;
  const kernel_names& kernels_;
  const own_names& own_;
  std::vector<pasted> pasted_;
  words pieces_;
};

// A macro in an attribute could be one of those that texts do not have.
void check_attributes(const std::deque<cut_text>& texts) {
  const auto has_attribute = [](const cut_text& text) {
    return std::ranges::any_of(text.pieces, [](const piece& p) { return begins_attribute(p.text); });
  };
  if (!std::ranges::any_of(texts, has_attribute)) return;
  for (const cut_text& text : texts) {
    for (const macro& each : text.macros) {
      if (each.body.empty() || (each.body.size() > 1 && each.body[1].text != "(")) continue;
      if (is_refused_attribute(each.body[0].text))
        refuse_text(text.label, each.line,
                    "the macro " + std::string(each.name) + " could be the attribute " +
                        std::string(each.body[0].text),
                    "give what it names another name");
    }
  }
}

}  // namespace

void check_own_macros(const program_spec& spec, const kernel_names& kernels, const own_names& own) {
  std::deque<cut_text> texts;  // in which the pieces' texts stay where they are
  std::size_t n_declarations = 0;
  const auto add = [&texts](const std::string& label, std::string_view text) {
    const std::string whole = joined(label, text);
    if (std::ranges::any_of(texts, [&](const cut_text& other) { return other.whole == whole; })) return;
    read_macros(texts.emplace_back(cut_text{label, whole, {}, {}, {}}));
  };
  for (const declaration& each : spec.declarations)
    if (!each.ours) add(each.label, each.text);
  n_declarations = texts.size();
  const bool any = std::ranges::any_of(texts, [](const cut_text& text) { return !text.macros.empty(); });
  if (!any) return;
  for (std::size_t k = 0; k < n_declarations; ++k) {
    for (std::size_t j = 0; j < n_declarations; ++j) {
      if (j < k) check_two(texts[j], texts[k]);
      if (j != k) check_declared(texts[j], texts[k]);
    }
  }
  check_attributes(texts);
  for (const user_text& each : spec.user_texts) add(each.label, each.text);
  paste_check(texts, kernels, own).check(spec);
}

}  // namespace clwave::detail
