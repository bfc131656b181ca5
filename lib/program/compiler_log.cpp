#include "program/compiler_log.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <string_view>
#include <utility>
#include <vector>

#include "program/text_pieces.hpp"
#include "program/user_text.hpp"

namespace clwave::detail {
namespace {

// A number as a compiler prints it, and how long it is.
std::pair<unsigned long, std::size_t> number_at(std::string_view text) {
  unsigned long number = 0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), number);
  return {code == std::errc() ? number : 0, static_cast<std::size_t>(end - text.data())};
}

// A line of the whole source, and what the #line marks before it say it is.
struct source_line {
  std::string_view text;
  std::string_view part = "source";
  unsigned long number = 0;

  std::string place() const { return std::string(part) + ":" + std::to_string(number); }
};
template <class F>
void for_each_source_line(std::string_view source, const F& f) {
  source_line line;
  for_each_line(source, [&](std::string_view text) {
    line.text = text;
    ++line.number;
    f(line);
    constexpr std::string_view mark = "#line ";
    if (!text.starts_with(mark)) return;
    const auto [next, length] = number_at(text.substr(mark.size()));
    line.number = next - 1;
    line.part = text.substr(mark.size() + length);
    const std::size_t open = line.part.find('"'), close = line.part.rfind('"');
    line.part = open < close ? line.part.substr(open + 1, close - open - 1) : line.part;
  });
}

constexpr std::string_view size_label = "size of ";

constexpr std::string_view identity_label = "identity of ";  // of an operator, whose part's name follows

// Whether a part is a text of the user's: an expression with its declarations, or a structure.
bool is_text_of_user(std::string_view part) {
  for (const std::string_view kind : std::array{std::string_view("operator "), std::string_view("map "),
                                                std::string_view("type "), identity_label})
    if (part.starts_with(kind)) return true;
  return false;
}

// A place in a log's line, and what is said of it.
struct logged {
  std::string_view part;
  unsigned long line = 0, column = 0;
  std::string_view message = {};
};

// What compilers write before what they refuse; and before a call of a function that is not declared, where
// that is left to an assembler, whose refusal names no line (NVIDIA's).
constexpr std::string_view error_mark = "error: ", undeclared_mark = "warning: implicit declaration";

// What a line of a log says of a part: "error: map twice:1:5: unknown" or "map twice:1:5: error: unknown".
std::optional<logged> said_of(std::string_view line, std::string_view part,
                              std::string_view mark = error_mark) {
  const std::size_t at = line.find(part);
  if (at == std::string_view::npos || line.substr(0, at).ends_with(identity_label)) return {};
  logged said{.part = part};
  std::string_view rest = line.substr(at + part.size());
  for (unsigned long* each : {&said.line, &said.column}) {
    if (!rest.starts_with(':')) return {};
    const auto [number, length] = number_at(rest.substr(1));
    if (number == 0) return {};
    *each = number;
    rest.remove_prefix(1 + length);
  }
  const std::size_t before = line.substr(0, at).find(mark), behind = rest.find(mark);
  if (before == std::string_view::npos && behind == std::string_view::npos) return {};
  said.message = behind != std::string_view::npos ? rest.substr(rest.find(' ', behind) + 1)
                                                  : rest.substr(rest.find_first_not_of(": "));
  return said;
}

// Whether what the message names in quotes stands in a line at the place.
bool stands_there(const logged& said, std::string_view line) {
  const std::size_t open = said.message.find('\''), close = said.message.find('\'', open + 1);
  if (open == std::string_view::npos || close == std::string_view::npos) return false;
  return line.substr(said.column - 1).starts_with(said.message.substr(open + 1, close - open - 1));
}

// A line of the source as the user wrote it: without what clwave has put behind it.
std::string_view as_written(std::string_view line, const program_spec& spec) {
  std::string_view written;
  for (const user_text& each : spec.user_texts)
    for_each_line(each.text, [&](std::string_view own) {
      if (line.starts_with(own) && own.size() > written.size()) written = own;
    });
  if (written.empty()) written = line;
  written.remove_prefix(std::min(written.find_first_not_of(' '), written.size()));
  return written;
}

// The numbers in brackets of a line: "... char [16] with ... char [12]".
std::vector<unsigned long> bracketed(std::string_view line) {
  std::vector<unsigned long> numbers;
  for (std::size_t at = line.find('['); at != std::string_view::npos; at = line.find('[', at + 1))
    if (const auto [number, length] = number_at(line.substr(at + 1)); length > 0) numbers.push_back(number);
  return numbers;
}

// What is wrong with the size of a structure, where that is what a line of the log refuses.
std::optional<refused_text> refused_size(std::string_view line, const std::string& log,
                                         std::string_view part) {
  if (!said_of(line, part)) return {};
  const std::string structure(part.substr(size_label.size()));
  refused_text refused{
      .message = "the structure " + structure + " has another size on the device than on the host",
      .place = "type " + structure};
  for_each_line(log, [&](std::string_view each) {
    if (each.find("incompatible pointer types") == std::string_view::npos ||
        each.find(part) == std::string_view::npos)
      return;
    if (const auto sizes = bracketed(each); sizes.size() == 2)
      refused.message = "the structure " + structure + " has " + std::to_string(sizes[1]) +
                        " bytes on the device and " + std::to_string(sizes[0]) + " on the host";
  });
  return refused;
}

}  // namespace

std::string name_lines(const std::string& log, const std::string& source) {
  constexpr std::string_view whole = "<kernel>:";
  std::string named;
  if (log.find(whole) == std::string::npos) {
    named = log;
  } else {
    // For each line of the source, what its #line marks say it is.
    std::vector<std::string> names = {""};
    for_each_source_line(source, [&](const source_line& line) { names.push_back(line.place()); });
    std::size_t from = 0;
    for (std::size_t at = log.find(whole); at != std::string::npos; at = log.find(whole, from)) {
      named += log.substr(from, at - from);
      const auto [place, length] = number_at(std::string_view(log).substr(at + whole.size()));
      from = at + whole.size() + length;
      named += place > 0 && place < names.size() ? names[place] : log.substr(at, from - at);
    }
    named += log.substr(from);
  }
  // Users know their names without what was put before them.
  for (const std::string_view prefix : {user_prefix, type_prefix}) {
    for (std::size_t at = named.find(prefix); at != std::string::npos; at = named.find(prefix, at))
      named.erase(at, prefix.size());
  }
  return named;
}

namespace {

// The first line of a log with that mark in a text of the user's.
std::optional<refused_text> first_refusal(const std::string& log, const std::vector<source_line>& lines,
                                          const program_spec& spec, std::string_view mark) {
  std::optional<refused_text> refused;
  for_each_line(log, [&](std::string_view line) {
    if (refused) return;
    // Several lines of a part may have one number: those of the declarations, of the expression, and of the
    // function that clwave makes of it. The one that has what the message names is meant.
    const source_line* place = nullptr;
    logged what;
    int best = -1;
    for (const source_line& of : lines) {
      if (of.part.starts_with(size_label)) {
        if (!refused) refused = refused_size(line, log, of.part);
        continue;
      }
      const auto said = said_of(line, of.part, mark);
      if (!said || said->line != of.number || said->column > of.text.size() + 1) continue;
      const int fits = stands_there(*said, of.text)                        ? 2
                       : of.text.find("clwave_") == std::string_view::npos ? 1
                                                                           : 0;
      if (fits <= best) continue;
      best = fits;
      place = &of;
      what = *said;
    }
    if (place == nullptr) return;
    const std::string at = place->place() + ":" + std::to_string(what.column);
    refused = {.message = at + ": " + std::string(what.message) +
                          ", in: " + std::string(as_written(place->text, spec)),
               .place = at};
  });
  return refused;
}

}  // namespace

std::optional<refused_text> first_refusal(const std::string& log, const std::string& source,
                                          const program_spec& spec) {
  std::vector<source_line> lines;
  for_each_source_line(source, [&](const source_line& line) {
    if (is_text_of_user(line.part) || line.part.starts_with(size_label)) lines.push_back(line);
  });
  if (auto refused = first_refusal(log, lines, spec, error_mark)) return refused;
  return first_refusal(log, lines, spec, undeclared_mark);
}

std::string label_of_size(const std::string& structure) { return std::string(size_label) + structure; }

std::string check_of_size(const std::string& structure, std::size_t bytes) {
  const std::string size = std::to_string(bytes);
  // Compilers name neither number where the first line stops them, and both in a warning about the second.
  return "typedef char clwave_size_of_" + structure + "[sizeof(" + structure + ") == " + size +
         " ? 1 : -1];\n" + "static inline void clwave_compare_" + structure + "(void) { char (*host)[" +
         size + "] = (char (*)[sizeof(" + structure + ")])0; (void)host; }";
}

}  // namespace clwave::detail
