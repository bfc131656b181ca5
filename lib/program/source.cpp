// Joins the kernel parts into the one .cl source, and writes the option line.
#include <algorithm>
#include <array>
#include <charconv>
#include <cstdlib>
#include <fstream>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <clwave/error.hpp>

#include "base/environment.hpp"
#include "device/device_facts.hpp"
#include "program/embedded_kernels.hpp"
#include "program/expressions.hpp"
#include "program/kernel_prefix.hpp"
#include "program/program.hpp"
#include "program/text_pieces.hpp"
#include "program/user_text.hpp"

namespace clwave::detail {
namespace {

// Where other parts than the embedded ones are; null if nowhere.
const char* kernel_folder() { return environment("CLWAVE_KERNEL_DIR"); }

// A part's file in CLWAVE_KERNEL_DIR.
std::string read_part(std::string_view name) {
  const std::string path = std::string(kernel_folder()) + "/" + std::string(name);
  std::ifstream file(path, std::ios::binary);
  std::string text;
  std::array<char, 4096> piece;
  // Piece by piece into a string of ours: a stream keeps to itself that there was no memory.
  while (file.read(piece.data(), piece.size()) || file.gcount() > 0)
    text.append(piece.data(), static_cast<std::size_t>(file.gcount()));
  if (!file.is_open() || file.bad())
    throw error(failure::bad_call, "cannot read the kernel part " + path, CL_SUCCESS,
                {.advice = "CLWAVE_KERNEL_DIR must hold all of cl_kernels/*.cl"});
  return text;
}

// The place of an embedded part in their list.
std::size_t embedded_part(std::string_view name) {
  const std::span<const kernel_part> parts = embedded_kernel_parts();
  const auto found = std::ranges::find(parts, name, &kernel_part::name);
  if (found == parts.end())
    throw error(failure::internal, "no kernel part " + std::string(name) + " is embedded");
  return static_cast<std::size_t>(found - parts.begin());
}

// An embedded part with the prefix before its names, put there once.
const std::string& embedded_with_prefix(std::size_t part) {
  static std::mutex mutex;
  // Never destroyed: a call may come from a destructor at the program's end.
  static auto& texts = *new std::vector<std::string>(embedded_kernel_parts().size());
  const std::lock_guard lock(mutex);
  if (texts[part].empty()) texts[part] = with_prefix(embedded_kernel_parts()[part].text);
  return texts[part];
}

// The name in a line #include "name"; empty for other lines.
std::string_view included(std::string_view line) {
  constexpr std::string_view include = "#include \"";
  if (!line.starts_with(include)) return {};
  return line.substr(include.size(), line.rfind('"') - include.size());
}

constexpr std::string_view spine = "clwave.cl";

// What the spine includes where a call's own texts stand.
constexpr std::string_view own_texts = "texts of the call";

void append_part(std::string& source, std::string_view name, const program_spec& spec,
                 std::string_view texts);

// Appends a part's lines, its includes expanded where they stand; the texts of the call stand where the spine
// says.
void append_lines(std::string& source, std::string_view name, std::string_view text, const program_spec& spec,
                  std::string_view texts) {
  source.append("#line 1 \"").append(name).append("\"\n");
  std::size_t line_number = 0;
  for_each_line(text, [&](std::string_view line) {
    ++line_number;
    const std::string_view other = included(line);
    if (other.empty()) {
      source.append(line).append("\n");
      return;
    }
    const std::size_t before = source.size();
    if (other == own_texts)
      source += texts;
    else
      append_part(source, other, spec, texts);
    if (source.size() == before)
      source += "\n";
    else
      source.append("#line ")
          .append(std::to_string(line_number + 1))
          .append(" \"")
          .append(name)
          .append("\"\n");
  });
}

// What all programs have: what devices are, how elements lie in memory, and how work is divided.
constexpr std::array<std::string_view, 12> modules_of_all{
    "device/target.cl",      "device/target_instructions.cl",
    "blocks/element.cl",     "blocks/named_values.cl",
    "blocks/count.cl",       "device/lanes_nvidia.cl",
    "device/lanes_amd.cl",   "device/lanes_subgroup.cl",
    "device/lanes_local.cl", "device/memory.cl",
    "blocks/group.cl",       "blocks/shares.cl"};

bool has_module(const program_spec& spec, std::string_view name) {
  return name == spine || std::ranges::find(modules_of_all, name) != modules_of_all.end() ||
         std::ranges::find(spec.modules, name) != spec.modules.end();
}

// Nothing of a part that is none of the program's modules.
void append_part(std::string& source, std::string_view name, const program_spec& spec,
                 std::string_view texts) {
  if (!has_module(spec, name)) return;
  if (kernel_folder() != nullptr)
    append_lines(source, name, with_prefix(read_part(name)), spec, texts);
  else
    append_lines(source, name, embedded_with_prefix(embedded_part(name)), spec, texts);
}

// Not by the locale's letters.
std::string upper(std::string_view word) {
  std::string result(word);
  for (char& c : result) {
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
  }
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
  switch (on.choice.profile->family) {
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
  const bool same_family = on.facts == nullptr || family_of(*on.facts) == on.choice.profile->family;
  return own && !(rows && same_family) ? *own : on.choice.profile->since;
}

// The option for the language version of a program: 1.2, or 2.0 and later where it uses sub-groups or
// OpenCL's own atomics, as far as the device's compiler knows it (choose_profile asks for no more: Intel's
// sub-groups are there in 1.2, too). OpenCL 1.0 has no such option.
std::string_view language_option(const target& on) {
  const unsigned known = on.facts != nullptr ? language_of(*on.facts) : 0;  // 0: all there are
  const bool needs_2 =
      on.choice.order == group_order::opencl_atomics || on.choice.exchange == lane_exchange::sub_group;
  if (needs_2 && known >= 300) return "-cl-std=CL3.0";
  if (needs_2 && (known >= 200 || known == 0)) return "-cl-std=CL2.0";
  if (known >= 120 || known == 0) return "-cl-std=CL1.2";
  return known >= 110 ? "-cl-std=CL1.1" : "";
}

}  // namespace

std::vector<std::string> modules_of(const program_spec& spec) {
  std::vector<std::string> all;
  const std::string text = kernel_folder() != nullptr
                               ? read_part(spine)
                               : std::string(embedded_kernel_parts()[embedded_part(spine)].text);
  for_each_line(text, [&](std::string_view line) {
    const std::string_view name = included(line);
    if (!name.empty() && name != own_texts && has_module(spec, name)) all.emplace_back(name);
  });
  for (const std::string& each : spec.modules)
    if (std::ranges::find(all, each) == all.end())
      throw error(failure::internal, "no kernel file " + each + " in " + std::string(spine));
  return all;
}

std::string compose_source(const program_spec& spec) {
  const std::string texts = texts_of_call(spec);
  std::string source;
  append_part(source, spine, spec, texts);
  return source;
}

std::string primitive_word(std::string_view primitive) { return "PRIMITIVE_" + upper(primitive); }

std::string hexadecimal(std::uint64_t number) {
  std::array<char, 16> digits;
  return {digits.data(), std::to_chars(digits.data(), digits.data() + digits.size(), number, 16).ptr};
}

bool uses_doubles(const program_spec& spec) {
  const auto in_words = [](const auto& word) { return names_double(word.second); };
  return std::ranges::any_of(spec.words, in_words) || std::ranges::any_of(spec.texts, in_words) ||
         std::ranges::any_of(
             spec.user_texts,
             [](const user_text& t) { return names_double(t.text) || names_double(t.declarations); }) ||
         std::ranges::any_of(spec.declarations, [](const declaration& d) { return names_double(d.text); });
}

built_target built_for(const target& on) {
  built_target built;
  built.device = device_word(on);
  built.exchange = on.choice.exchange;
  built.order = on.choice.order;
  built.lanes = on.choice.lanes;
  built.emulated = on.choice.emulated;
  built.language = language_option(on);
  if (built.device == "DEVICE_NVIDIA" || on.choice.order == group_order::ptx_fence)
    built.cuda_sm = architecture_number(on, on.facts != nullptr ? on.facts->cuda_sm : fact<unsigned>());
  if (built.device == "DEVICE_AMD" || on.choice.order == group_order::amd_fence)
    built.amd_gfx = architecture_number(on, on.facts != nullptr ? on.facts->amd_gfx : fact<unsigned>());
  // NVIDIA's compiler is the one that can be told, and says so.
  built.limits_registers =
      built.device == "DEVICE_NVIDIA" &&
      (on.facts == nullptr || !on.facts->extensions || has_extension(*on.facts, "cl_nv_compiler_options"));
  // OpenCL 1.1 has no such option.
  const unsigned known = on.facts != nullptr ? language_of(*on.facts) : 0;
  built.rounds_division = on.facts != nullptr && on.facts->correctly_rounded_divide_sqrt.value_or(false) &&
                          (known == 0 || known >= 120);
  built.optimises = !(on.choice.emulated && on.facts != nullptr && miscompiles_emulated_lanes(*on.facts));
  return built;
}

std::string option_line(const program_spec& spec, const built_target& on) {
  std::string line(on.language);
  const auto define = [&line](std::string_view name, std::string_view word) {
    line += (line.empty() ? "-D" : " -D") + prefixed(name) + (word.empty() ? "" : "=" + prefixed(word));
  };
  define(on.device, "1");
  if (on.cuda_sm != 0) define("CUDA_SM", std::to_string(on.cuda_sm));
  if (on.amd_gfx != 0) define("AMD_GFX", "0x" + hexadecimal(on.amd_gfx));
  if (on.emulated) define("EMULATE_LANES", "1");
  define("LANES", std::to_string(on.lanes));
  define(exchange_word(on.exchange), "1");
  define(order_word(on.order), "1");
  define(primitive_word(spec.primitive), "1");
  for (const auto& [name, word] : spec.words) define(name, word);
  if (uses_doubles(spec)) define("USE_FP64", "1");
  // Fewer registers mean more groups on a compute unit.
  if (spec.registers != 0 && on.limits_registers) {
    define("REGISTERS", std::to_string(spec.registers));
    line += " -cl-nv-maxrregcount=" + std::to_string(spec.registers);
  }
  // Division and square root round alike everywhere only where the device is asked to.
  if (on.rounds_division) line += " -cl-fp32-correctly-rounded-divide-sqrt";
  if (!on.optimises) line += " -cl-opt-disable";
  return line;
}

std::string option_line(const program_spec& spec, const target& on) {
  return option_line(spec, built_for(on));
}

}  // namespace clwave::detail
