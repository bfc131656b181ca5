// Text for people: as wide as their terminal, coloured only there, and sizes in the unit they think in; and
// word of what takes long.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

namespace clwave::tool {

// The columns of a line of standard output: COLUMNS, else the terminal's own, else 100. At least 40.
std::size_t output_columns();

enum class style { heading, faint };

// The text as it is, unless standard output is a terminal and NO_COLOR is not set.
std::string painted(style as, std::string_view text);

// The text broken at blanks so that no line passes the width; lines after the first begin with `indent`
// blanks, and the first begins behind `column` others. A word longer than a line stays whole.
std::string wrapped(std::string_view text, std::size_t indent, std::size_t column);

// "8.46 GiB", "32 MiB", "1.5 KiB"; empty below 1 KiB.
std::string binary_size(std::uint64_t bytes);

// While it exists, and once two seconds have gone by: "what, 3 s" on a line of standard error, each second
// anew, removed at the end. Nothing where standard error is no terminal, or the text empty. Not to be made
// before a fork whose child does more than exec.
class waiting {
 public:
  explicit waiting(std::string what);
  // What changes meanwhile: asked each second, by a thread of its own.
  explicit waiting(std::function<std::string()> what);
  ~waiting();
  waiting(const waiting&) = delete;
  waiting& operator=(const waiting&) = delete;

 private:
  struct line;
  std::unique_ptr<line> line_;  // none where nothing is shown
};

}  // namespace clwave::tool
