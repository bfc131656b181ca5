// Reads what a call's texts define.
#include "program/own_macros.hpp"

#include <algorithm>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <span>
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
};

// One text, cut up.
struct cut_text {
  std::string label;
  std::string whole;
  std::vector<piece> pieces;  // of `whole`
  std::vector<macro> macros;  // as they stand
  words names;                // of macros that are defined or undefined
};

std::size_t end_of_line(const std::vector<piece>& pieces, std::size_t at) {
  while (at < pieces.size() && pieces[at].kind != piece_kind::line_end) ++at;
  return at;
}

// The macro whose name is piece `at` of its directive.
macro read_macro(const std::vector<piece>& pieces, std::size_t at) {
  macro read{.line = pieces[at].line, .name = pieces[at].text, .parameters = {}, .body = {}};
  const std::size_t end = end_of_line(pieces, at);
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
  for (std::size_t at = 0; at < text.pieces.size(); ++at) {
    if (text.pieces[at].text != "#") continue;
    const std::size_t defined = macro_at(text.pieces, at), undefined = macro_at(text.pieces, at, "undef");
    if (defined < text.pieces.size()) {
      text.macros.push_back(read_macro(text.pieces, defined));
      text.names.insert(text.pieces[defined].text);
    } else if (undefined < text.pieces.size()) {
      text.names.insert(text.pieces[undefined].text);
    }
    at = end_of_line(text.pieces, at);
  }
}

// Adds a text, once. The pieces' texts stay where they are.
void add_cut(std::deque<cut_text>& texts, const own_text& text) {
  const std::string whole = joined(text.label, text.text);
  if (std::ranges::any_of(texts, [&](const cut_text& other) { return other.whole == whole; })) return;
  read_macros(texts.emplace_back(cut_text{text.label, whole, {}, {}, {}}));
}

std::deque<cut_text> cut(std::span<const own_text> all) {
  std::deque<cut_text> texts;
  for (const own_text& each : all) add_cut(texts, each);
  return texts;
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
  // Functions that may be overloaded are the compiler's to tell apart.
  const bool overloads = std::ranges::any_of(
      pieces, [](const piece& p) { return p.text == "overloadable" || p.text == "__overloadable__"; });
  int braces = 0, brackets = 0;
  bool is_enum = false, is_alias = false;  // another name of a type may be given twice
  for (std::size_t at = 0; at < pieces.size(); ++at) {
    const std::string_view word = pieces[at].text;
    if (word == "(") ++brackets;
    if (word == ")") --brackets;
    if (word == "enum" && braces == 0) is_enum = true;
    if (word == "typedef" && braces == 0) is_alias = true;
    if (word == "{") is_alias = false;
    if (word == ";" && braces == 0) is_enum = is_alias = false;
    if (word == "{") ++braces;
    if (word == "}") --braces;
    if (pieces[at].kind != piece_kind::word || brackets != 0 || at == 0 || is_keyword(word)) continue;
    const piece& before = pieces[at - 1];
    const std::string_view next = at + 1 < pieces.size() ? pieces[at + 1].text : "";
    const bool is_variable = (before.kind == piece_kind::word || before.text == "*" || before.text == "}") &&
                             next.size() == 1 && is_one_of(next[0], "=;[,") && !is_alias;
    const bool is_tag =
        (before.text == "struct" || before.text == "union" || before.text == "enum") && next == "{";
    const bool is_enumerator = is_enum && braces == 1 && (before.text == "{" || before.text == ",");
    const bool is_one = is_variable || is_tag || (!overloads && is_function(pieces, at));
    if ((braces == 0 && is_one) || is_enumerator) declared.push_back(places[at]);
  }
  return declared;
}

// Two texts that define one name.
void check_two(const cut_text& one, const cut_text& other) {
  for (const piece* name : declared_in(other)) {
    const auto same = [name](const piece* there) { return there->text == name->text; };
    if (std::ranges::none_of(declared_in(one), same)) continue;
    refuse_text(
        other.label, name->line, std::string(name->text) + " is declared in " + one.label + ", too",
        "give one of them another name, or both the same text of declarations: the texts of a call are one "
        "program");
  }
}

// ----------------------------------------------------------------------------- names of pieces

// The words that ## joins to one.
struct pasted {
  const cut_text* text;
  std::size_t line;
  std::vector<std::optional<std::string_view>> sides;  // nothing: a parameter
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
    pasted found{.text = &text, .line = by.line, .sides = {side(at)}};
    for (; is_paste(by.body, at + 1); at += 3) found.sides.push_back(side(at + 3));
    all.push_back(std::move(found));
  }
  return all;
}

// Whether a name is two or more words of the texts, joined as `by` joins them. An argument may be nothing, or
// what another ## has put together; one of several words is joined with what stands beside its first and
// last. With `only_begins` whether it is what such a whole begins with.
bool makes(const pasted& by, std::string_view name, const words& pieces, bool only_begins = false) {
  const std::size_t size = name.size();
  // For each place in the name, how many words can end there, as bits: none, one, more.
  using reached = std::vector<unsigned>;
  const auto one_more = [](unsigned counts) { return ((counts << 1) | (counts & 4)) & 7; };
  const auto is_word = [&](std::size_t from, std::size_t to) {
    const std::string_view part = name.substr(from, to - from);
    if (only_begins && to == size)
      return std::ranges::any_of(pieces, [&](std::string_view word) { return word.starts_with(part); });
    return pieces.contains(part) || part.find_first_not_of("0123456789") == std::string_view::npos;
  };
  const auto behind = [&](const reached& before, const std::optional<std::string_view>& side) {
    reached now(size + 1, 0);
    if (!side) now = before;
    if (only_begins) now[size] |= before[size];
    for (std::size_t from = 0; from < size; ++from) {
      const std::string_view rest = name.substr(from);
      if (side && before[from] != 0 && (rest.starts_with(*side) || (only_begins && side->starts_with(rest))))
        now[std::min(from + side->size(), size)] |= one_more(before[from]);
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

// The parameters of macros that ## joins with something, there or in a macro that they are given to.
class joined_parameters {
 public:
  explicit joined_parameters(const std::deque<cut_text>& texts) {
    for (const cut_text& text : texts) {
      for (const macro& each : text.macros) {
        for (std::size_t at = 0; at < each.body.size(); ++at) {
          if (is_joined(each.body, at)) add(each, each.body[at].text);
        }
      }
    }
    for (bool more = !joined_.empty(); more;) {
      more = false;
      for (const cut_text& text : texts) {
        for (const macro& each : text.macros)
          for_each_given(each.body, [&](const piece& word) { more |= add(each, word.text); });
      }
    }
  }

  // Calls f for each word or number that is given for such a parameter.
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
        const bool is_name = pieces[next].kind == piece_kind::word || pieces[next].kind == piece_kind::number;
        if (is_name && found->second.contains(argument)) f(pieces[next]);
      }
    }
  }

 private:
  // Whether the parameter is a new one.
  bool add(const macro& of, std::string_view word) {
    const auto place = std::ranges::find(of.parameters, word);
    if (place == of.parameters.end()) return false;
    return joined_[of.name].insert(static_cast<std::size_t>(place - of.parameters.begin())).second;
  }

  std::map<std::string_view, std::set<std::size_t>> joined_;
};

class paste_check {
 public:
  explicit paste_check(const std::deque<cut_text>& texts) {
    for (const cut_text& text : texts) {
      for (const macro& each : text.macros) {
        for (pasted& found : pasted_by(text, each)) {
          const auto is_same = [&found](const pasted& other) { return found.sides == other.sides; };
          if (std::ranges::none_of(pasted_, is_same)) pasted_.push_back(std::move(found));
        }
      }
      for (const piece& p : text.pieces)
        if (p.kind == piece_kind::word || p.kind == piece_kind::number) pieces_.insert(p.text);
    }
  }

  void check() const {
    for (const pasted& each : pasted_) check_names(each);
  }

 private:
  void check_names(const pasted& by) const {
    const auto check = [&](std::string_view name, bool only_begins = false) {
      if (makes(by, name, pieces_, only_begins))
        refuse_text(by.text->label, by.line,
                    "## could put together " + std::string(name) +
                        (only_begins ? ", with which no name of yours may begin"
                                     : ", which no text of yours may have"),
                    "give the pieces other names, or write the name out");
    };
    check(reserved_prefix, true);
    for (const std::string_view word : words_of_pragmas) check(word);
    for (const std::string_view word : refused_attributes) {
      check(word);
      check("__" + std::string(word) + "__");
    }
    for (const std::string_view word : {"__attribute__", "__attribute"}) check(word);
  }

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

void check_own_macros(std::span<const own_text> declared, std::span<const own_text> sources) {
  std::deque<cut_text> texts = cut(declared);
  if (std::ranges::all_of(texts, [](const cut_text& text) { return text.macros.empty(); })) return;
  check_attributes(texts);
  for (const own_text& each : sources) add_cut(texts, each);
  paste_check(texts).check();
}

void check_declared_once(std::span<const own_text> texts) {
  const std::deque<cut_text> all = cut(texts);
  for (std::size_t k = 1; k < all.size(); ++k) {
    for (std::size_t j = 0; j < k; ++j) check_two(all[j], all[k]);
  }
}

std::set<std::string> names_of_macros(const own_text& text) {
  const std::deque<cut_text> one = cut({&text, 1});
  std::set<std::string> names;
  for (const std::string_view name : one.front().names) names.emplace(name);
  return names;
}

std::set<std::size_t> joined_numbers(std::span<const own_text> seen, const own_text& text) {
  std::set<std::size_t> places;
  if (std::ranges::none_of(seen,
                           [](const own_text& each) { return each.text.find("##") != std::string::npos; }))
    return places;
  const std::deque<cut_text> declared = cut(seen), one = cut({&text, 1});
  joined_parameters(declared).for_each_given(one.front().pieces, [&](const piece& given) {
    if (given.kind == piece_kind::number)
      places.insert(static_cast<std::size_t>(given.text.data() - one.front().whole.data()));
  });
  return places;
}

}  // namespace clwave::detail
