// Architectures as published: tables and names. Pure text; what is in no table stays unknown.
#include "device/architecture.hpp"

#include <algorithm>
#include <cctype>
#include <iterator>

#include <clwave/device.hpp>

#include "base/digits.hpp"

namespace clwave::detail {
namespace {

constexpr nvidia_architecture nvidia_table[] = {
    {20, 20, "Fermi", 32},        {21, 21, "Fermi", 48},        {30, 37, "Kepler", 192},
    {50, 53, "Maxwell", 128},     {60, 60, "Pascal", 64},       {61, 62, "Pascal", 128},
    {70, 72, "Volta", 64},        {75, 75, "Turing", 64},       {80, 80, "Ampere", 64},
    {86, 87, "Ampere", 128},      {89, 89, "Ada", 128},         {90, 90, "Hopper", 128},
    {100, 103, "Blackwell", 128}, {110, 110, "Blackwell", 128}, {120, 121, "Blackwell", 128},
};

// Single numbers stand before the ranges they are exceptions to.
constexpr amd_architecture amd_table[] = {
    {0x600, 0x602, "GCN1", 64, 4, 16},   {0x700, 0x705, "GCN2", 64, 4, 16},
    {0x801, 0x810, "GCN3/4", 64, 4, 16}, {0x908, 0x908, "CDNA1", 64, 4, 16},
    {0x90a, 0x90a, "CDNA2", 64, 4, 16},  {0x90c, 0x90c, "GCN5", 64, 4, 16},
    {0x900, 0x909, "GCN5", 64, 4, 16},   {0x940, 0x942, "CDNA3", 64, 4, 16},
    {0x950, 0x950, "CDNA4", 64, 4, 16},  {0x1010, 0x1013, "RDNA1", 0, 2, 32},
    {0x1030, 0x1036, "RDNA2", 0, 2, 32}, {0x1100, 0x1103, "RDNA3", 0, 2, 32},
    {0x1150, 0x1153, "RDNA3", 0, 2, 32}, {0x1200, 0x1201, "RDNA4", 0, 2, 32},
};

constexpr unsigned ip(unsigned arch, unsigned release) { return arch << 8 | release; }

constexpr intel_architecture intel_table[] = {
    {ip(9, 0), ip(9, 0), "Gen9", "Skylake and kin"}, {ip(11, 0), ip(11, 0), "Gen11", "Ice Lake"},
    {ip(12, 0), ip(12, 0), "Xe", "Tiger Lake"},      {ip(12, 10), ip(12, 10), "Xe", "DG1"},
    {ip(12, 55), ip(12, 57), "Xe", "Alchemist"},     {ip(12, 60), ip(12, 61), "Xe-HPC", "Ponte Vecchio"},
    {ip(12, 70), ip(12, 71), "Xe", "Meteor Lake"},   {ip(12, 74), ip(12, 74), "Xe", "Arrow Lake-H"},
    {ip(20, 1), ip(20, 2), "Xe2", "Battlemage"},     {ip(20, 4), ip(20, 4), "Xe2", "Lunar Lake"},
    {ip(30, 0), ip(30, 1), "Xe3", "Panther Lake"},
};

// Code names that drivers used before they named the ISA, and that Mesa still uses.
struct code_name {
  std::string_view name;
  unsigned gfx;
};
constexpr code_name code_names[] = {
    {"tahiti", 0x600},    {"pitcairn", 0x601},  {"capeverde", 0x601},  {"verde", 0x601},
    {"oland", 0x602},     {"hainan", 0x602},    {"kaveri", 0x700},     {"spectre", 0x700},
    {"spooky", 0x700},    {"hawaii", 0x701},    {"kabini", 0x703},     {"kalindi", 0x703},
    {"mullins", 0x703},   {"bonaire", 0x704},   {"carrizo", 0x801},    {"iceland", 0x802},
    {"tonga", 0x802},     {"fiji", 0x803},      {"ellesmere", 0x803},  {"baffin", 0x803},
    {"lexa", 0x803},      {"polaris10", 0x803}, {"polaris11", 0x803},  {"polaris12", 0x803},
    {"vegam", 0x803},     {"stoney", 0x810},    {"vega10", 0x900},     {"raven", 0x902},
    {"vega12", 0x904},    {"vega20", 0x906},    {"arcturus", 0x908},   {"raven2", 0x909},
    {"aldebaran", 0x90a}, {"renoir", 0x90c},    {"navi10", 0x1010},    {"navi12", 0x1011},
    {"navi14", 0x1012},   {"navi21", 0x1030},   {"navi22", 0x1031},    {"navi23", 0x1032},
    {"vangogh", 0x1033},  {"navi24", 0x1034},   {"rembrandt", 0x1035}, {"raphael", 0x1036},
    {"navi31", 0x1100},   {"navi32", 0x1101},   {"navi33", 0x1102},    {"navi44", 0x1200},
    {"navi48", 0x1201},
};

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0; }

bool is_hex(char c) { return is_digit(c) || (c >= 'a' && c <= 'f'); }

// What follows "gfx": "90a:xnack-", "1030", "906+sram-ecc", "11-generic", "10-3-generic".
std::optional<unsigned> parse_after_gfx(std::string_view text) {
  const std::size_t size = std::distance(text.begin(), std::find_if_not(text.begin(), text.end(), is_word));
  const std::string_view digits = text.substr(0, size);
  const std::string_view rest = text.substr(size);
  if (!std::all_of(digits.begin(), digits.end(), is_hex)) return std::nullopt;

  // A generic target names the major version, perhaps a minor one, and no stepping: its lowest member.
  if (size == 1 || (size == 2 && is_digit(digits[1]))) {
    if (!is_digit(digits[0])) return std::nullopt;
    const auto major = number_of(digits, 16);
    if (rest.starts_with("-generic")) return *major << 8;
    if (rest.size() > 2 && rest[0] == '-' && is_hex(rest[1]) && rest.substr(2).starts_with("-generic")) {
      return *major << 8 | *number_of(rest.substr(1, 1), 16) << 4;
    }
    return std::nullopt;
  }

  // The major version is decimal, minor and stepping are one hex digit each.
  if (size != 3 && size != 4) return std::nullopt;
  const std::string_view major = digits.substr(0, size - 2);
  if (!std::all_of(major.begin(), major.end(), is_digit) || major.front() == '0') return std::nullopt;
  const auto gfx = number_of(digits, 16);
  return *gfx >= 0x600 ? gfx : std::nullopt;
}

template <class Row, std::size_t count>
const Row* find_range(const Row (&table)[count], unsigned number, unsigned Row::*first, unsigned Row::*last) {
  const auto found = std::find_if(std::begin(table), std::end(table), [&](const Row& row) {
    return row.*first <= number && number <= row.*last;
  });
  return found == std::end(table) ? nullptr : found;
}

}  // namespace

const nvidia_architecture* find_nvidia_architecture(unsigned sm) {
  return find_range(nvidia_table, sm, &nvidia_architecture::first_sm, &nvidia_architecture::last_sm);
}

const amd_architecture* find_amd_architecture(unsigned gfx) {
  return find_range(amd_table, gfx, &amd_architecture::first_gfx, &amd_architecture::last_gfx);
}

const intel_architecture* find_intel_architecture(unsigned release) {
  return find_range(intel_table, release, &intel_architecture::first_release,
                    &intel_architecture::last_release);
}

std::string amd_gfx_name(unsigned gfx) {
  char digits[8] = {};
  const auto written = std::to_chars(std::begin(digits), std::end(digits), gfx, 16);
  return "gfx" + std::string(digits, written.ptr);
}

std::string intel_ip_name(std::uint32_t ip_version) {
  return std::to_string(ip_version >> 22) + "." + std::to_string(ip_version >> 14 & 0xff) + "." +
         std::to_string(ip_version & 0x3fff);
}

std::optional<unsigned> parse_cuda_sm(std::string_view name) {
  if (!name.starts_with("sm_")) return std::nullopt;
  name.remove_prefix(3);
  // The letter promises instructions of this one chip, or of its family; it changes no number.
  if (name.ends_with('a') || name.ends_with('f')) name.remove_suffix(1);
  if (name.size() < 2 || name.size() > 3 || name.front() == '0') return std::nullopt;
  return number_of(name, 10);
}

std::string to_lower(std::string_view text) {
  std::string lower(text);
  std::transform(lower.begin(), lower.end(), lower.begin(),
                 [](char c) { return static_cast<char>(std::tolower(static_cast<unsigned char>(c))); });
  return lower;
}

}  // namespace clwave::detail

namespace clwave {
using namespace detail;

std::optional<unsigned> parse_amd_gfx(std::string_view device_name) {
  const std::string name = to_lower(device_name);
  // Whole words only, from left to right: "navi21" is a code name, "Tongariro" is none.
  for (auto word = name.begin(); word != name.end();) {
    word = std::find_if(word, name.end(), is_word);
    const auto end = std::find_if_not(word, name.end(), is_word);
    const std::string_view text(word, end);
    if (text.starts_with("gfx")) {
      if (const auto gfx = parse_after_gfx(std::string_view(word + 3, name.end()))) return gfx;
    }
    const auto known = std::find_if(std::begin(code_names), std::end(code_names),
                                    [&](const code_name& c) { return c.name == text; });
    if (known != std::end(code_names)) return known->gfx;
    word = end;
  }
  return std::nullopt;
}

}  // namespace clwave
