// How the driver is asked about a device: each answer becomes a fact that names the query it came from, and a
// refusal becomes an unknown one that names the driver's code.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <clwave/device.hpp>
#include <clwave/error.hpp>

namespace clwave::detail::queries {

// A constant with its name, so that a fact's source is spelled as the code spells it.
struct query {
  cl_device_info number;
  const char* name;
};
#define CLWAVE_QUERY(constant) (clwave::detail::queries::query{constant, #constant})

inline std::string describe(query q) {
  char number[16] = {};
  std::snprintf(number, sizeof number, " (0x%04X)", static_cast<unsigned>(q.number));
  return q.name + std::string(number);
}

template <class T>
fact<T> known(T value, provenance from, std::string source) {
  return {std::move(value), from, std::move(source)};
}

template <class T>
fact<T> not_known(std::string reason) {
  return {std::nullopt, provenance::unknown, std::move(reason)};
}

// Bytes as the driver wrote them; a driver may answer 4 or 8 for the same number.
inline std::optional<std::uint64_t> integer_of(std::span<const unsigned char> bytes) {
  std::uint32_t narrow = 0;
  std::uint64_t wide = 0;
  if (bytes.size() == sizeof narrow) {
    std::memcpy(&narrow, bytes.data(), sizeof narrow);
    return narrow;
  }
  if (bytes.size() == sizeof wide) {
    std::memcpy(&wide, bytes.data(), sizeof wide);
    return wide;
  }
  return std::nullopt;
}

// Asks one device. Every answer is a fact; a refusal is an unknown with the driver's code.
class driver {
 public:
  explicit driver(cl_device_id device) : device_(device) {}

  fact<std::vector<unsigned char>> bytes(query q) const {
    std::size_t size = 0;
    cl_int code = clGetDeviceInfo(device_, q.number, 0, nullptr, &size);
    std::vector<unsigned char> answer(size);
    if (code == CL_SUCCESS && size > 0) {
      code = clGetDeviceInfo(device_, q.number, size, answer.data(), nullptr);
    }
    if (code != CL_SUCCESS) {
      return not_known<std::vector<unsigned char>>(describe(q) + ": " + name_of_code(code));
    }
    return known(std::move(answer), provenance::query, describe(q));
  }

  template <class T>
  fact<T> number(query q) const {
    const auto answer = bytes(q);
    if (!answer) return not_known<T>(answer.source);
    const auto value = integer_of(*answer);
    if (!value)
      return not_known<T>(answer.source + ": an answer of " + std::to_string(answer->size()) + " bytes");
    return known(static_cast<T>(*value), provenance::query, answer.source);
  }

  fact<std::string> text(query q) const {
    const auto answer = bytes(q);
    if (!answer) return not_known<std::string>(answer.source);
    std::string value(answer->begin(), std::find(answer->begin(), answer->end(), '\0'));
    // Drivers pad names with blanks.
    value.erase(0, value.find_first_not_of(' '));
    value.erase(value.find_last_not_of(' ') + 1);
    return known(std::move(value), provenance::query, answer.source);
  }

  fact<bool> all_bits(query q, std::uint64_t mask) const {
    const auto answer = number<std::uint64_t>(q);
    if (!answer) return not_known<bool>(answer.source);
    return known((*answer & mask) == mask, provenance::query, answer.source);
  }

  fact<bool> flag(query q) const {
    const auto answer = number<std::uint64_t>(q);
    if (!answer) return not_known<bool>(answer.source);
    return known(*answer != 0, provenance::query, answer.source);
  }

  template <class T>
  fact<std::vector<T>> list(query q) const {
    const auto answer = bytes(q);
    if (!answer) return not_known<std::vector<T>>(answer.source);
    std::vector<T> values(answer->size() / sizeof(T));
    if (!values.empty()) std::memcpy(values.data(), answer->data(), values.size() * sizeof(T));
    return known(std::move(values), provenance::query, answer.source);
  }

 private:
  cl_device_id device_;
};

}  // namespace clwave::detail::queries
