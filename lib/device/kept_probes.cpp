// Writes and reads what probes found.
#include "device/kept_probes.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include <clwave/version.hpp>

#include "base/digits.hpp"
#include "base/disk_cache.hpp"
#include "base/system.hpp"
#include "base/user_files.hpp"
#include "device/device_facts.hpp"
#include "device/queries.hpp"
#include "device/vendor_facts.hpp"

namespace clwave::detail {
namespace {

// To be raised when what is made of the probes' results changes, and their source does not.
constexpr std::string_view format = "clwave probes 2\n";

// By which a user changes what a driver is, though its answers stay: the drivers that the loader takes, and
// settings of the drivers and of their compilers. Those that only name a folder to keep things in do not.
constexpr std::array prefixes{"OCL_ICD_", "OPENCL_", "CL_CONFIG_", "LD_",   "POCL_", "RUSTICL_", "MESA_",
                              "GALLIUM_", "CLVK_",   "AMD_",       "GPU_",  "HSA_",  "ROC",      "IGC_",
                              "NEO",      "CUDA_",   "NVIDIA_",    "LIBGL", "ZE_"};

bool changes_drivers(std::string_view variable) {
  const std::string_view name = variable.substr(0, variable.find('='));
  return name.find("CACHE") == std::string_view::npos &&
         std::ranges::any_of(prefixes, [&](std::string_view prefix) { return name.starts_with(prefix); });
}

void append(std::string& key, std::string_view text) {
  key.append(std::to_string(text.size())).append(" ").append(text).append("\n");
}

void append(std::string& key, const std::vector<unsigned char>& bytes) {
  append(key, {reinterpret_cast<const char*>(bytes.data()), bytes.size()});
}

// --- A fact in three lines: its value, where it came from, the source --------------------------------
template <class T>
void write(std::string& text, const fact<T>& each) {
  text.append(each ? std::to_string(static_cast<unsigned>(*each)) : "").append("\n");
  text.append(std::to_string(static_cast<unsigned>(each.from))).append("\n");
  text.append(each.source).append("\n");
}

class reader {
 public:
  explicit reader(std::string_view text) : left_(text) {}
  // False where the text is not of a fact; then the fact is spoiled.
  template <class T>
  bool read(fact<T>& into) {
    const std::string_view value = line(), from = line();
    into.source = line();
    const auto known = number_of(value);
    const auto where = number_of(from);
    if (!whole_ || !where || *where > static_cast<unsigned>(provenance::unknown)) return false;
    into.from = static_cast<provenance>(*where);
    if (known.has_value() != (into.from != provenance::unknown) || known.has_value() == value.empty())
      return false;
    // A number of lanes, or a yes or no.
    constexpr unsigned most = std::is_same_v<T, bool> ? 1 : 1024;
    if (known && *known > most) return false;
    into.value = known ? std::optional<T>(static_cast<T>(*known)) : std::nullopt;
    return true;
  }
  bool at_end() const { return whole_ && left_.empty(); }

 private:
  std::string_view line() {
    const std::size_t end = left_.find('\n');
    whole_ = whole_ && end != std::string_view::npos;
    const std::string_view text = left_.substr(0, end);
    left_.remove_prefix(whole_ ? end + 1 : left_.size());
    return text;
  }
  std::string_view left_;
  bool whole_ = true;
};

// All facts that probes decide.
template <class Facts, class F>
bool for_each_probed(Facts& facts, F f) {
  return f(facts.inline_ptx) && f(facts.amd_builtins) && f(facts.host_memory_reached) &&
         f(facts.lanes_measured) && f(facts.lanes_probed) && f(facts.sub_group_shuffle_relative) &&
         f(facts.finishes_loops);
}

}  // namespace

std::string key_of_probes(const device_facts& facts, std::string_view source_of_probes) {
  std::string key(format);
  append(key, CLWAVE_VERSION_STRING);
  append(key, source_of_probes);
  device_facts answers = facts;
  answers.clock_mhz = {};  // some drivers tell the present one
  answers.extra.clear();   // free memory is among them
  for (const printed_fact& each : print(answers)) {
    append(key, each.name);
    append(key, each.value);
    append(key, each.source);
  }
  const queries::driver ask(facts.device);
  append(key, ask_uuids(ask, facts));
  append(key, ask.bytes(CLWAVE_QUERY(CL_DEVICE_PARTITION_TYPE)).value_or({}));  // of a part of a device
  std::vector<std::string> variables = environment_variables(changes_drivers);
  std::ranges::sort(variables);
  for (const std::string& each : variables) append(key, each);
  return key;
}

bool take_kept_probes(device_facts& facts, const std::string& key) {
  const auto bytes = read_cached(key);
  if (!bytes) return false;
  reader from({reinterpret_cast<const char*>(bytes->data()), bytes->size()});
  device_facts probed = facts;
  if (!for_each_probed(probed, [&](auto& each) { return from.read(each); }) || !from.at_end()) return false;
  for_each_probed(probed, [](auto& each) {
    if (each.from == provenance::compile_probe || each.from == provenance::run_probe)
      each.source += "; of an earlier process";
    return true;
  });
  facts = std::move(probed);
  return true;
}

void keep_probes(const device_facts& facts, const std::string& key) {
  std::string text;
  for_each_probed(facts, [&](const auto& each) {
    write(text, each);
    return true;
  });
  write_cached(key, bytes_of(text));
}

}  // namespace clwave::detail
