// Makes functions of the user's expressions.
#include "program/expressions.hpp"

#include <algorithm>
#include <array>
#include <initializer_list>
#include <iterator>
#include <set>
#include <utility>

#include "program/element_words.hpp"
#include "program/kernel_prefix.hpp"
#include "program/own_macros.hpp"
#include "program/text_pieces.hpp"
#include "program/user_text.hpp"

namespace clwave::detail {
namespace {

// The functions that make an integer of any number, and of vectors of as many components (convert.cl).
constexpr std::string_view to_integer = "clwave_to_";

void add_word_once(program_spec& spec, const std::string& name) {
  if (std::ranges::none_of(spec.words, [&](const auto& word) { return word.first == name; }))
    add_word(spec, name);
}

text_result result_of(program_spec& spec, const element* gives) {
  if (gives == nullptr) return {.type = "bool", .behind = ") != 0"};
  text_result result{.type = loaded_name(*gives)};
  if (is_structure(*gives)) return result;
  if (is_bool(*gives)) {
    result.behind = ") != 0";
    return result;
  }
  if (is_storage(*gives)) {
    add_word_once(spec, "ODD_FLOATS");
    add_modules(spec, {"blocks/convert.cl"});
    result.before = "clwave_to_odd_float((";
  } else if (is_integer(*gives) || is_byte(*gives)) {
    add_modules(spec, {"blocks/convert.cl"});
    result.before = std::string(to_integer) + result.type + "((";
  } else {
    result.before = "convert_" + result.type + "((";
  }
  result.behind = "))";
  return result;
}

bool has_doubles(const element& type) {
  return names_double(loaded_name(type)) || names_double(type.declaration);
}

// ------------------------------------------------------------------------------------------------- functions

// A label as it can stand between the quotes of a #line mark: users name their operators as they like.
std::string quotable(std::string label) {
  std::replace_if(
      label.begin(), label.end(),
      [](unsigned char c) { return c < 0x20 || c >= 0x7f || c == '"' || c == '\\' || c == '%'; }, '_');
  return label;
}

// clwave_operator_text for OPERATOR_TEXT.
std::string function_of(const user_text& text) {
  std::string name = "clwave_" + text.name;
  for (char& c : name) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return name;
}

// The expressions that have one text of declarations.
struct text_group {
  own_text declarations;
  std::vector<const user_text*> expressions = {};
};

std::vector<text_group> groups_of(const program_spec& spec) {
  std::vector<text_group> groups;
  const auto group_of = [&groups](const std::string& label, const std::string& text) {
    const auto found =
        std::ranges::find(groups, text, [](const text_group& group) { return group.declarations.text; });
    return found != groups.end() ? found : groups.insert(found, {.declarations = {label, text}});
  };
  for (const declaration& each : spec.declarations)
    if (each.of_text) group_of(each.label, each.text);
  for (const user_text& each : spec.user_texts)
    group_of(each.label, each.declarations)->expressions.push_back(&each);
  return groups;
}

// The directives of fitted declarations, which have the macros once more. Pragmas hold from where they stood.
std::string directives_of(const std::string& fitted) {
  std::string directives;
  for (std::size_t at = 0; at < fitted.size();) {
    const std::size_t end = std::min(fitted.find('\n', at), fitted.size());
    const std::string_view line = std::string_view(fitted).substr(at, end - at);
    if (line.find_first_not_of(' ') != std::string_view::npos && line[line.find_first_not_of(' ')] == '#' &&
        line.find("pragma") == std::string_view::npos)
      directives.append(line);
    directives += '\n';
    at = end + 1;
  }
  return directives;
}

class writer {
 public:
  explicit writer(const program_spec& spec) : spec_(spec), groups_(groups_of(spec)) {
    for (const declaration& each : spec.declarations)
      if (!each.ours && !each.of_text) types_.push_back({each.label, each.text});
  }

  std::string write() {
    check_defined_once();
    begin("operators");
    for (const std::string& type : integers()) {
      const std::size_t digits = type.find_first_of("0123456789");
      text_ += with_prefix("DEFINE_TO_INTEGER(" + std::string(to_integer) + type + ", " + type + ", " +
                           (digits == std::string::npos ? "NOTHING" : type.substr(digits)) + ")\n");
    }
    own_names of_types;
    for (const own_text& each : types_) add_own_names(of_types, each.label, each.text);
    const std::set<std::string> macros = macros_of(types_);
    save(macros, of_types);
    write_types(of_types);
    std::vector<declared> all;
    for (const text_group& group : groups_) all.push_back(write_declarations(group, of_types));
    write_names_of_types();
    for (std::size_t k = 0; k < groups_.size(); ++k) write_functions(groups_[k], all[k]);
    restore(macros, of_types);
    begin("operators");
    for (const user_text& each : spec_.user_texts)
      text_ += with_prefix("#define " + each.name + " " + call_of(each) + "\n");
    for (const auto& [name, text] : spec_.texts) text_ += with_prefix("#define " + name + " " + text + "\n");
    if (std::ranges::none_of(spec_.texts, [](const auto& each) { return each.first == "NAMED_VALUES(V)"; }))
      text_ += with_prefix("#define NAMED_VALUES(V)\n");
    return std::move(text_);
  }

 private:
  void begin(const std::string& label) { text_ += "#line 1 \"" + quotable(label) + "\"\n"; }

  // What a text leaves open ends here, and the compiler says so of its own lines.
  void end() { text_ += "typedef int clwave_end_of_text_" + std::to_string(n_ended_++) + ";\n"; }

  std::set<std::string> integers() const {
    std::set<std::string> types;
    for (const user_text& each : spec_.user_texts)
      if (each.result.before == std::string(to_integer) + each.result.type + "((")
        types.insert(each.result.type);
    return types;
  }

  void check_defined_once() const {
    std::vector<own_text> all = types_;
    for (const text_group& group : groups_) all.push_back(group.declarations);
    check_declared_once(all);
  }

  static std::set<std::string> macros_of(const std::vector<own_text>& texts) {
    std::set<std::string> all;
    for (const own_text& text : texts) all.merge(names_of_macros(text));
    return all;
  }

  // What a text has of the names of the language's functions: its own functions are renamed, its own macros
  // come in the place of a compiler's.
  static std::set<std::string> of_language(const own_names& own) {
    std::set<std::string> names;
    std::ranges::copy_if(own, std::inserter(names, names.end()), is_function_of_language);
    return names;
  }

  // The language's own functions are macros to some compilers, which must be there again behind a text that
  // has macros or functions of these names. Where a compiler does not know the pragma, a name that is none
  // means no harm.
  void save(const std::set<std::string>& macros, const own_names& own = {}) {
    std::set<std::string> replaced = of_language(own), all = macros;
    all.insert(replaced.begin(), replaced.end());
    for (const std::string& name : all) text_ += "#pragma push_macro(\"" + name + "\")\n";
    for (const std::string& name : replaced) {
      text_ += "#undef " + name + "\n";
      if (!macros.contains(name)) text_ += "#define " + name + " " + std::string(user_prefix) + name + "\n";
    }
  }
  void restore(const std::set<std::string>& macros, const own_names& own = {}) {
    std::set<std::string> all = of_language(own);
    all.insert(macros.begin(), macros.end());
    for (const std::string& name : all) text_ += "#undef " + name + "\n#pragma pop_macro(\"" + name + "\")\n";
  }

  void write_types(const own_names& own) {
    if (!types_.empty()) check_own_macros(types_, {});
    for (auto each = spec_.declarations.begin(); each != spec_.declarations.end(); ++each) {
      // Two types may have one declaration.
      const auto same = [&](const declaration& other) { return other.text == each->text; };
      if (each->of_text || std::any_of(spec_.declarations.begin(), each, same)) continue;
      begin(each->label);
      text_ += each->ours ? each->text : fit_declarations(each->label, each->text, own, types_);
      text_ += "\n";
      if (!each->ours) end();
    }
  }

  // What the expressions of a group see beside the functions, types and variables of all texts.
  struct declared {
    std::vector<own_text> seen;
    own_names own;
    own_names own_alone = {};  // without those of types
    std::set<std::string> macros = {};
    std::string directives = {};
  };

  // What the kernels call the structures of the user's.
  void write_names_of_types() {
    std::set<std::string> names;
    const auto add = [&names](const std::string& type) {
      if (type.starts_with(type_prefix)) names.insert(type);
    };
    for (const auto& [name, word] : spec_.words) add(word);
    for (const user_text& each : spec_.user_texts) {
      add(each.result.type);
      for (const text_name& operand : each.operands) add(operand.type);
    }
    if (!names.empty()) begin("operators");
    for (const std::string& name : names)
      text_ += "typedef " + name.substr(type_prefix.size()) + " " + name + ";\n";
  }

  declared write_declarations(const text_group& group, const own_names& of_types) {
    const own_text& text = group.declarations;
    declared all{types_, of_types};
    const bool is_of_type =
        std::ranges::any_of(types_, [&](const own_text& type) { return type.text == text.text; });
    const bool stands = !text.text.empty() && !is_of_type;
    if (stands) {
      all.seen.push_back(text);
      add_own_names(all.own, text.label, text.text);
      all.macros = macros_of({text});
      add_own_names(all.own_alone, text.label, text.text);
    }
    std::vector<own_text> sources;
    for (const user_text* each : group.expressions) sources.push_back({each->label, each->text});
    check_own_macros(all.seen, sources);
    if (!stands) return all;
    const std::string fitted = fit_declarations(text.label, text.text, all.own, all.seen);
    if (!all.macros.empty()) all.directives = directives_of(fitted);
    save(all.macros, all.own_alone);
    begin(text.label);
    text_ += fitted + "\n";
    end();
    restore(all.macros, all.own_alone);
    return all;
  }

  void write_functions(const text_group& group, const declared& all) {
    if (group.expressions.empty()) return;
    save(all.macros, all.own_alone);
    if (!all.directives.empty()) {
      begin(group.declarations.label);
      text_ += all.directives;
    }
    for (const user_text* each : group.expressions) write_function(*each, all.own, all.seen);
    restore(all.macros, all.own_alone);
  }

  void write_function(const user_text& of, const own_names& own, const std::vector<own_text>& seen) {
    std::string parameters;
    const auto add = [&parameters](const std::string& type, const std::string& name) {
      parameters.append(parameters.empty() ? "" : ", ").append(type).append(" ").append(name);
    };
    for (const text_name& each : of.operands) add(each.type, each.name);
    std::set<std::string> values;
    for (const text_name& each : of.values.named) {
      add(each.type, each.name);
      values.insert(each.name);
    }
    // A value's name means the value, whatever macro of a type or of the compiler has it.
    save(values);
    for (const std::string& name : values) text_ += "#undef " + name + "\n";
    begin(of.label);
    text_ += "static inline " + of.result.type + " " + function_of(of) + "(" +
             (parameters.empty() ? "void" : parameters) + ") { return " + of.result.before + "\n";
    begin(of.label);
    text_ += fit_expression(of, own, seen) + of.result.behind + "; }\n";
    end();
    restore(values);
  }

  static std::string call_of(const user_text& of) {
    std::string arguments;
    const auto add = [&arguments](std::string_view name) {
      arguments.append(arguments.empty() ? "" : ", ").append(name);
    };
    for (const text_name& each : of.operands) add(each.given.empty() ? each.name : each.given);
    for (const text_name& each : of.values.named)
      add(std::string(values_variable) + std::string(of.values.prefix) + each.name);
    return function_of(of) + "(" + arguments + ")";
  }

  const program_spec& spec_;
  const std::vector<text_group> groups_;
  std::vector<own_text> types_;
  std::string text_;
  unsigned n_ended_ = 0;
};

}  // namespace

void add_expression(program_spec& spec, const expression& of) {
  user_text text{.name = of.macro,
                 .label = of.label,
                 .text = of.source,
                 .values = {of.prefix, {}},
                 .declarations = of.declarations,
                 .result = result_of(spec, of.gives),
                 .doubles = names_double(of.source) || (of.gives != nullptr && has_doubles(*of.gives))};
  for (const text_operand& each : of.operands) {
    text.operands.push_back(
        {each.type != nullptr ? loaded_name(*each.type) : "ulong", each.name, each.given});
    text.doubles = text.doubles || (each.type != nullptr && has_doubles(*each.type));
  }
  for (const named_value& each : of.values) {
    text.values.named.push_back({each.type().opencl_name, each.name()});
    text.doubles = text.doubles || has_doubles(each.type());
  }
  spec.user_texts.push_back(std::move(text));
}

std::string texts_of_call(const program_spec& spec) { return writer(spec).write(); }

namespace {

// Of OpenCL C: also of vectors. Types of the user's are none.
bool is_whole_number(std::string_view type) {
  while (!type.empty() && type.back() >= '0' && type.back() <= '9') type.remove_suffix(1);
  constexpr std::array<std::string_view, 9> all{"bool", "char", "uchar", "short", "ushort",
                                                "int",  "uint", "long",  "ulong"};
  return std::ranges::find(all, type) != all.end();
}
bool is_floating(std::string_view type) {
  return type.starts_with("float") || type.starts_with("double") || type.starts_with("half");
}

bool is_one_of_marks(std::string_view mark, std::initializer_list<std::string_view> marks) {
  return std::ranges::find(marks, mark) != marks.end();
}

// Whether a piece is a whole number by itself: a literal, an operand or a value of such a type.
bool is_whole_number(const user_text& of, const piece& each) {
  if (each.kind == piece_kind::number)
    return each.text.find_first_of(".pP") == std::string_view::npos &&
           (each.text.starts_with("0x") || each.text.starts_with("0X") ||
            each.text.find_first_of("eEfF") == std::string_view::npos);
  if (each.kind != piece_kind::word) return false;
  for (const std::vector<text_name>* const names : {&of.operands, &of.values.named})
    for (const text_name& name : *names)
      if (name.name == each.text) return is_whole_number(name.type);
  return false;
}

}  // namespace

std::vector<std::string> remarks_on(const program_spec& spec) {
  std::vector<std::string> all;
  for (const user_text& each : spec.user_texts) {
    if (!is_floating(each.result.type)) continue;
    const std::string text = joined(each.label, each.text);
    std::vector<piece> pieces;
    for (const piece& some : pieces_of(each.label, text))
      if (some.kind != piece_kind::blank && some.kind != piece_kind::line_end) pieces.push_back(some);
    for (std::size_t k = 1; k + 1 < pieces.size(); ++k) {
      const piece &before = pieces[k - 1], &behind = pieces[k + 1];
      // A member, a cast, or the end of a product is another number than the word itself.
      const std::string_view left = k >= 2 ? pieces[k - 2].text : "",
                             right = k + 2 < pieces.size() ? pieces[k + 2].text : "";
      if (pieces[k].text != "/" || !is_whole_number(each, before) || !is_whole_number(each, behind) ||
          is_one_of_marks(left, {".", "->", ")", "*", "/", "%"}) || is_one_of_marks(right, {".", "->", "["}))
        continue;
      const std::string divisor(behind.text);
      all.push_back(each.label + ": " + std::string(before.text) + " / " + divisor +
                    " divides whole numbers, which drops the fraction; write " + std::string(before.text) +
                    " / (float)" + divisor + " to keep it");
    }
  }
  return all;
}

}  // namespace clwave::detail
