// What a compiler's log says, by the names and lines of the kernel parts and of the user's texts.
#pragma once

#include <optional>
#include <string>

#include "program/program.hpp"

namespace clwave::detail {

// A compiler's log in which lines of the whole source ("<kernel>:915:") are named by part and true line:
// NVIDIA's compiler does not heed #line marks.
std::string name_lines(const std::string& log, const std::string& source);

// What a compiler first refuses in a text of the user's.
struct refused_text {
  std::string message;  // a sentence, with the line of the text
  std::string place;    // "map twice:1:5"
};

// Nothing where all that a log with named lines refuses is in clwave's own parts.
std::optional<refused_text> first_refusal(const std::string& log, const std::string& source,
                                          const program_spec& spec);

// What stands behind the declaration of a structure: that it has so many bytes on the device, too. Where it
// has not, a compiler's log has both sizes.
std::string check_of_size(const std::string& structure, std::size_t bytes);
// The part's name.
std::string label_of_size(const std::string& structure);

}  // namespace clwave::detail
