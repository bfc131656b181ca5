// The name of a program in the cache. Each primitive has one plain structure of all that its program is built
// from, its variant; the program's text is made from the variant alone, and the name visits all its members:
// what could change the text cannot be missing from the name.
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include <clwave/element.hpp>
#include <clwave/op.hpp>

namespace clwave::detail {

struct anything {
  template <class T>
  operator T() const;  // NOLINT(google-explicit-constructor): stands for a member of any type
};

template <class T, std::size_t... I>
constexpr bool takes(std::index_sequence<I...>) {
  return requires { T{(static_cast<void>(I), anything{})...}; };
}

// How many members a plain structure has.
template <class T, std::size_t N = 24>
constexpr std::size_t member_count() {
  static_assert(N > 0, "no plain structure, or one of too many members");
  if constexpr (takes<T>(std::make_index_sequence<N>{}))
    return N;
  else
    return member_count<T, N - 1>();
}

// References to all members of a plain structure, in order.
template <class T>
constexpr auto members_of(const T& v) {
  constexpr std::size_t n = member_count<T>();
  static_assert(n <= 20, "members_of has no line for so many members: add it");
  if constexpr (n == 1) {
    const auto& [a] = v;
    return std::tie(a);
  } else if constexpr (n == 2) {
    const auto& [a, b] = v;
    return std::tie(a, b);
  } else if constexpr (n == 3) {
    const auto& [a, b, c] = v;
    return std::tie(a, b, c);
  } else if constexpr (n == 4) {
    const auto& [a, b, c, d] = v;
    return std::tie(a, b, c, d);
  } else if constexpr (n == 5) {
    const auto& [a, b, c, d, e] = v;
    return std::tie(a, b, c, d, e);
  } else if constexpr (n == 6) {
    const auto& [a, b, c, d, e, f] = v;
    return std::tie(a, b, c, d, e, f);
  } else if constexpr (n == 7) {
    const auto& [a, b, c, d, e, f, g] = v;
    return std::tie(a, b, c, d, e, f, g);
  } else if constexpr (n == 8) {
    const auto& [a, b, c, d, e, f, g, h] = v;
    return std::tie(a, b, c, d, e, f, g, h);
  } else if constexpr (n == 9) {
    const auto& [a, b, c, d, e, f, g, h, i] = v;
    return std::tie(a, b, c, d, e, f, g, h, i);
  } else if constexpr (n == 10) {
    const auto& [a, b, c, d, e, f, g, h, i, j] = v;
    return std::tie(a, b, c, d, e, f, g, h, i, j);
  } else if constexpr (n == 11) {
    const auto& [a, b, c, d, e, f, g, h, i, j, k] = v;
    return std::tie(a, b, c, d, e, f, g, h, i, j, k);
  } else if constexpr (n == 12) {
    const auto& [a, b, c, d, e, f, g, h, i, j, k, l] = v;
    return std::tie(a, b, c, d, e, f, g, h, i, j, k, l);
  } else if constexpr (n == 13) {
    const auto& [a, b, c, d, e, f, g, h, i, j, k, l, m] = v;
    return std::tie(a, b, c, d, e, f, g, h, i, j, k, l, m);
  } else if constexpr (n == 14) {
    const auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, o] = v;
    return std::tie(a, b, c, d, e, f, g, h, i, j, k, l, m, o);
  } else if constexpr (n == 15) {
    const auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, o, p] = v;
    return std::tie(a, b, c, d, e, f, g, h, i, j, k, l, m, o, p);
  } else if constexpr (n == 16) {
    const auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, o, p, q] = v;
    return std::tie(a, b, c, d, e, f, g, h, i, j, k, l, m, o, p, q);
  } else if constexpr (n == 17) {
    const auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, o, p, q, r] = v;
    return std::tie(a, b, c, d, e, f, g, h, i, j, k, l, m, o, p, q, r);
  } else if constexpr (n == 18) {
    const auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, o, p, q, r, s] = v;
    return std::tie(a, b, c, d, e, f, g, h, i, j, k, l, m, o, p, q, r, s);
  } else if constexpr (n == 19) {
    const auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, o, p, q, r, s, t] = v;
    return std::tie(a, b, c, d, e, f, g, h, i, j, k, l, m, o, p, q, r, s, t);
  } else {
    const auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, o, p, q, r, s, t, u] = v;
    return std::tie(a, b, c, d, e, f, g, h, i, j, k, l, m, o, p, q, r, s, t, u);
  }
}

// A key while it is made, in each call: without a user's long text it needs no memory but its own.
class key_text {
 public:
  key_text() = default;
  key_text(const key_text&) = delete;
  key_text& operator=(const key_text&) = delete;

  void append(const void* bytes, std::size_t n) {
    if (n > near_.size() - n_near_ || !far_.empty()) {
      append_far(bytes, n);
    } else if (n != 0) {
      std::memcpy(near_.data() + n_near_, bytes, n);
      n_near_ += n;
    }
  }
  std::string_view view() const { return far_.empty() ? std::string_view(near_.data(), n_near_) : far_; }

 private:
  void append_far(const void* bytes, std::size_t n);

  std::array<char, 1024> near_;
  std::size_t n_near_ = 0;
  std::string far_;  // all of it, once it is longer
};

// Numbers as their bytes, texts and lists with their lengths: no two lists of members come out the same.
template <class T>
  requires(std::is_arithmetic_v<T> || std::is_enum_v<T>)
void append_key(key_text& key, const T& number) { key.append(&number, sizeof number); }

inline void append_key(key_text& key, std::string_view text) {
  append_key(key, text.size());
  key.append(text.data(), text.size());
}

inline void append_key(key_text& key, const std::string& text) { append_key(key, std::string_view(text)); }

// The names of types, operators and maps are not in it: they label errors, and nothing else. (A type's name
// on the device is.)
inline void append_key(key_text& key, const element& type) {
  const auto& [name, opencl_name, size, kind, components, declaration] = type;
  append_key(key, opencl_name);
  append_key(key, size);
  append_key(key, kind);
  append_key(key, components);
  append_key(key, declaration);
}

// Nor are the numbers of named values, which kernels take as arguments.
inline void append_key(key_text& key, const std::vector<named_value>& values) {
  append_key(key, values.size());
  for (const named_value& each : values) {
    append_key(key, each.name());
    append_key(key, each.type().opencl_name);
  }
}

inline void append_key(key_text& key, const op& fold) {
  const auto& [name, source, identity, commutative, declarations, values, kind] = fold;
  append_key(key, source);
  append_key(key, identity);
  append_key(key, commutative);
  append_key(key, declarations);
  append_key(key, values);
  append_key(key, kind);
}

inline void append_key(key_text& key, const map& apply) {
  const auto& [name, source, declarations, values, kind] = apply;
  append_key(key, source);
  append_key(key, declarations);
  append_key(key, values);
  append_key(key, kind);
}

template <class T>
  requires(std::is_aggregate_v<T>&& std::is_class_v<T>)
void append_key(key_text& key, const T& variant);

template <class T>
void append_key(key_text& key, const T* pointed) {
  append_key(key, *pointed);
}

template <class T>
void append_key(key_text& key, const std::optional<T>& one) {
  append_key(key, one.has_value());
  if (one) append_key(key, *one);
}

template <class T, std::size_t N>
void append_key(key_text& key, const std::array<T, N>& list) {
  for (const T& one : list) append_key(key, one);
}

template <class T>
void append_key(key_text& key, std::span<T> list) {
  append_key(key, list.size());
  for (const auto& one : list) append_key(key, one);
}

template <class T>
void append_key(key_text& key, const std::vector<T>& list) {
  append_key(key, std::span<const T>(list));
}

template <class T>
  requires(std::is_aggregate_v<T>&& std::is_class_v<T>)
void append_key(key_text& key, const T& variant) {
  std::apply([&key](const auto&... member) { (append_key(key, member), ...); }, detail::members_of(variant));
}

// Appends the key of a variant, which begins with its primitive's name.
template <class Variant>
void append_variant(key_text& key, const Variant& variant) {
  append_key(key, Variant::primitive);
  append_key(key, variant);
}

// The key of a variant alone.
template <class Variant>
std::string key_of(const Variant& variant) {
  key_text key;
  append_variant(key, variant);
  return std::string(key.view());
}

}  // namespace clwave::detail
