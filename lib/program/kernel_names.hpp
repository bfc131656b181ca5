// The names that the kernel parts have, which no text of a user may meet.
#pragma once

#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace clwave::detail {

// The names in the kernel parts' texts.
class kernel_names {
 public:
  // Reads one more part.
  void add(std::string_view part);
  // To be called when all parts are read, before anything is asked.
  void finish();

  // Whether the name is a macro to the parts (they define it, ask for it, or it is in capitals, as the words
  // of the option line): such a name a user's text may neither define nor undefine.
  bool is_word(std::string_view name) const;
  // Whether a part defines the name at all: macro, function, type, or one put together from its pieces
  // (packet_16).
  bool defines(std::string_view name) const;
  // Whether the name stands in a part: a macro of that name would change the part.
  bool uses(std::string_view name) const;

  std::span<const std::string> all() const { return sorted_; }  // what `defines` says yes to, whole names
  const std::set<std::string, std::less<>>& used() const { return used_; }  // what `uses` says yes to

 private:
  void add_definitions(std::string_view text);
  void add_quoted(std::string_view text);
  std::set<std::string, std::less<>> words_, defined_, prefixes_, suffixes_, used_;
  std::vector<std::string> sorted_;
};

// Of the parts that a program is composed of now (source.cpp).
const kernel_names& names_of_kernels();

}  // namespace clwave::detail
