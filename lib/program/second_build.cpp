// Makes a first build's output ready for the second.
#include "program/second_build.hpp"

#include <atomic>

#include "device/distrust.hpp"

namespace clwave::detail {
namespace {

std::atomic<bool> all_fail{false};

}  // namespace

std::optional<std::string> text_for_second_build(std::string_view first, const beyond_compiler& how) {
  // The driver counts the text's end in.
  while (first.ends_with('\0')) first.remove_suffix(1);
  if (how.target.empty() || first.find('\0') != std::string_view::npos) return std::nullopt;
  const std::string directive = "\n.target " + std::string(how.compiled_for);
  const std::size_t at = first.find(directive);
  if (at == std::string_view::npos) return std::nullopt;
  std::size_t next = at + directive.size();
  // No other target whose name begins so.
  if (next < first.size() && first[next] != ' ' && first[next] != ',' && first[next] != '\n' &&
      first[next] != '\r')
    return std::nullopt;
  std::string text(first.substr(0, at));
  text.append("\n.target ").append(how.target);
  for (std::size_t mark = first.find(instruction_mark, next); mark != std::string_view::npos;
       mark = first.find(instruction_mark, next)) {
    text.append(first.substr(next, mark - next));
    next = mark + instruction_mark.size();
  }
  return text.append(first.substr(next));
}

bool built_without_marks(target& on, cl_device_id device, const error& trouble) {
  if (dynamic_cast<const second_build_error*>(&trouble) == nullptr) return false;
  refuse_second_builds(device);
  on.choice.beyond = beyond_state::refused;
  return true;
}

void fail_second_builds(bool all) { all_fail = all; }

bool second_builds_fail() { return all_fail; }

}  // namespace clwave::detail
