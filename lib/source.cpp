// Joins the kernel parts into the one .cl source, and writes the option line.
#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <fstream>
#include <map>
#include <set>
#include <sstream>

#include <clwave/error.hpp>

#include "embedded_kernels.hpp"
#include "environment.hpp"
#include "program.hpp"

namespace clwave {
namespace {

// The text of one part: from CLWAVE_KERNEL_DIR if that is set, else as embedded.
std::string part_text(std::string_view name) {
  if (const char* directory = environment("CLWAVE_KERNEL_DIR")) {
    const std::string path = std::string(directory) + "/" + std::string(name);
    std::ifstream file(path, std::ios::binary);
    std::string text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
    if (!file.is_open() || file.bad())
      throw error(failure::bad_call, "cannot read the kernel part " + path, CL_SUCCESS,
                  {.advice = "CLWAVE_KERNEL_DIR must hold all of cl_kernels/*.cl"});
    return text;
  }
  for (const kernel_part& part : embedded_kernel_parts()) {
    if (part.name == name) return std::string(part.text);
  }
  throw error(failure::internal, "no kernel part " + std::string(name) + " is embedded");
}

// Appends a part, its includes expanded where they stand.
void append_part(std::string& source, std::string_view name) {
  const std::string text = part_text(name);
  source += "#line 1 \"" + std::string(name) + "\"\n";
  std::size_t line_number = 0;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    ++line_number;
    constexpr std::string_view include = "#include \"";
    if (line.starts_with(include)) {
      append_part(source, line.substr(include.size(), line.rfind('"') - include.size()));
      source += "#line " + std::to_string(line_number + 1) + " \"" + std::string(name) + "\"\n";
    } else {
      source += line + "\n";
    }
  }
}

// A user's text as one line of a macro. A line comment would swallow the rest of the expansion, and a
// directive cannot stand inside one.
std::string one_line(const std::string& name, const std::string& text) {
  if (text.find("//") != std::string::npos || text.find('#') != std::string::npos)
    throw error(failure::bad_call, name + " holds a // comment or a preprocessor directive: " + text,
                CL_SUCCESS, {.advice = "write an expression; put helper functions into .declarations"});
  std::string line = text;
  std::replace_if(
      line.begin(), line.end(), [](char c) { return c == '\n' || c == '\r' || c == '\\'; }, ' ');
  return line;
}

// A label as it can stand between the quotes of a #line mark: users name their operators as they like.
std::string quotable(std::string label) {
  std::replace_if(
      label.begin(), label.end(),
      [](unsigned char c) { return c < 0x20 || c >= 0x7f || c == '"' || c == '\\' || c == '%'; }, '_');
  return label;
}

std::string upper(std::string_view word) {
  std::string result(word);
  std::transform(result.begin(), result.end(), result.begin(),
                 [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  return result;
}

std::string_view device_word(const target& on) {
  if (on.choice.emulated) return "DEVICE_LOCAL";
  switch (on.choice.exchange) {
    case lane_exchange::none:
      return "DEVICE_CPU";
    case lane_exchange::sub_group:
      return "DEVICE_SUBGROUP";
    default:
      break;
  }
  switch (on.choice.row->family) {
    case device_family::nvidia:
      return "DEVICE_NVIDIA";
    case device_family::amd:
      return "DEVICE_AMD";
    case device_family::cpu:
      return "DEVICE_CPU";
    default:
      return "DEVICE_LOCAL";
  }
}

std::string_view exchange_word(lane_exchange exchange) {
  switch (exchange) {
    case lane_exchange::shuffle_sync:
      return "EXCHANGE_SHUFFLE_SYNC";
    case lane_exchange::shuffle:
      return "EXCHANGE_SHUFFLE";
    case lane_exchange::dpp_row_bcast:
      return "EXCHANGE_DPP_ROW_BCAST";
    case lane_exchange::dpp_permlanex16:
      return "EXCHANGE_DPP_PERMLANEX16";
    case lane_exchange::swizzle:
      return "EXCHANGE_SWIZZLE";
    case lane_exchange::sub_group:
      return "EXCHANGE_SUB_GROUP";
    case lane_exchange::local_memory:
      return "EXCHANGE_LOCAL_MEMORY";
    case lane_exchange::none:
      return "EXCHANGE_NONE";
  }
  return "EXCHANGE_LOCAL_MEMORY";
}

std::string_view order_word(group_order order) {
  switch (order) {
    case group_order::ptx_fence:
      return "ORDER_PTX_FENCE";
    case group_order::amd_fence:
      return "ORDER_AMD_FENCE";
    case group_order::opencl_atomics:
      return "ORDER_OPENCL_ATOMICS";
    case group_order::two_launches:
      return "ORDER_TWO_LAUNCHES";
  }
  return "ORDER_TWO_LAUNCHES";
}

// CUDA_SM or AMD_GFX: the device's own, or the row's where that was forced, so that a forced row runs its own
// code on a newer device of its family.
unsigned architecture_number(const target& on, const fact<unsigned>& own) {
  const bool rows = on.choice.forced && !on.choice.emulated;
  const bool same_family =
      on.facts == nullptr || on.facts->family.value_or(device_family::generic) == on.choice.row->family;
  return own && !(rows && same_family) ? *own : on.choice.row->since;
}

// The language version a program needs: 1.2 unless it uses sub-groups or OpenCL's own atomics.
std::string_view language(const target& on) {
  if (on.choice.order != group_order::opencl_atomics && on.choice.exchange != lane_exchange::sub_group)
    return "CL1.2";
  const std::string version = on.facts != nullptr ? on.facts->device_version.value_or("") : "";
  return version.starts_with("OpenCL 3") ? "CL3.0" : "CL2.0";
}

}  // namespace

std::string compose_source(const program_spec& spec) {
  std::string source;
  for (const declaration& d : spec.declarations)
    source += "#line 1 \"" + quotable(d.label) + "\"\n" + d.text + "\n";
  source += "#line 1 \"operators\"\n";
  for (const auto& [name, text] : spec.texts) source += "#define " + name + " " + one_line(name, text) + "\n";
  append_part(source, "clwave.cl");
  return source;
}

std::string name_lines(const std::string& log, const std::string& source) {
  constexpr std::string_view whole = "<kernel>:";
  if (log.find(whole) == std::string::npos) return log;
  // For each line of the source, what its #line marks say it is.
  std::vector<std::string> names = {""};
  std::string part = "source";
  unsigned long number = 0;
  std::istringstream lines(source);
  for (std::string line; std::getline(lines, line);) {
    names.push_back(part + ":" + std::to_string(++number));
    constexpr std::string_view mark = "#line ";
    if (!line.starts_with(mark)) continue;
    char* end = nullptr;
    number = std::strtoul(line.c_str() + mark.size(), &end, 10) - 1;
    part = std::string(end);
    std::erase(part, '"');
    part.erase(0, part.find_first_not_of(' '));
  }
  std::string named;
  std::size_t from = 0;
  for (std::size_t at = log.find(whole); at != std::string::npos; at = log.find(whole, from)) {
    named += log.substr(from, at - from);
    char* end = nullptr;
    const unsigned long place = std::strtoul(log.c_str() + at + whole.size(), &end, 10);
    from = static_cast<std::size_t>(end - log.c_str());
    named += place > 0 && place < names.size() ? names[place] : log.substr(at, from - at);
  }
  return named + log.substr(from);
}

std::string option_line(const program_spec& spec, const target& on) {
  std::string line = "-cl-std=" + std::string(language(on));
  const auto define = [&line](std::string_view name, std::string_view word) {
    line += " -D" + std::string(name) + (word.empty() ? "" : "=" + std::string(word));
  };
  define("DEVICE", device_word(on));
  if (device_word(on) == "DEVICE_NVIDIA" || on.choice.order == group_order::ptx_fence) {
    const unsigned sm = architecture_number(on, on.facts != nullptr ? on.facts->cuda_sm : fact<unsigned>());
    define("CUDA_SM", std::to_string(sm));
  }
  if (device_word(on) == "DEVICE_AMD" || on.choice.order == group_order::amd_fence) {
    const unsigned gfx = architecture_number(on, on.facts != nullptr ? on.facts->amd_gfx : fact<unsigned>());
    std::ostringstream hex;
    hex << "0x" << std::hex << gfx;
    define("AMD_GFX", hex.str());
  }
  if (on.choice.emulated) define("EMULATE_LANES", "1");
  define("LANES", std::to_string(on.choice.lanes));
  define("EXCHANGE", exchange_word(on.choice.exchange));
  define("GROUP_ORDER", order_word(on.choice.order));
  define("PRIMITIVE_" + upper(spec.primitive), "1");
  for (const auto& [name, word] : spec.words) define(name, word);
  // Fewer registers mean more groups on a unit; NVIDIA's compiler is the one that can be told.
  if (spec.registers != 0 && device_word(on) == "DEVICE_NVIDIA") {
    define("REGISTERS", std::to_string(spec.registers));
    line += " -cl-nv-maxrregcount=" + std::to_string(spec.registers);
  }
  // Division and square root round alike everywhere only where the device is asked to.
  if (on.facts != nullptr && on.facts->correctly_rounded_divide_sqrt.value_or(false))
    line += " -cl-fp32-correctly-rounded-divide-sqrt";
  return line;
}

}  // namespace clwave
