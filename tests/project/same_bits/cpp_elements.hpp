// Functions of indices and of neighbours, random numbers, other orders, and transforms of some elements, from
// C++.
#pragma once

#include "calls.h"

#include <string>
#include <type_traits>

#include <clwave/gather.hpp>
#include <clwave/random.hpp>
#include <clwave/transform.hpp>

#include "cpp_operands.hpp"

template <class T>
T number_of_input(const call& of, std::size_t i) {
  T made;
  std::memcpy(&made, of.in[i].host, sizeof made);
  return made;
}

// Those of any elements; false for other calls.
template <class T>
bool moved(const call& one, const texts& with) {
  const std::string name = one.name;
  const auto to = out<T>(one);
  if (name == "reverse")
    clwave::reverse(queue, in<T>(one, 0), to);
  else if (name == "rotate")
    clwave::rotate(queue, in<T>(one, 0), to, number(&one, "first"));
  else if (name == "shuffle")
    clwave::shuffle(queue, in<T>(one, 0), to, number(&one, "seed"));
  else if (name == "transform_if")
    clwave::transform_if(queue, in<T>(one, 0), to, with.apply, with.predicate);
  else
    return false;
  return true;
}

template <class T>
void of_numbers(const call& one, const texts& with) {
  const std::string name = one.name;
  const auto to = out<T>(one);
  if (name == "generate") {
    clwave::generate(queue, to, with.apply);
  } else if (name == "iota") {
    clwave::iota(queue, to);
  } else if (name == "iota_from") {
    clwave::iota(queue, to, number_of_input<T>(one, 0));
  } else if (name == "iota_by") {
    clwave::iota(queue, to, number_of_input<T>(one, 0), number_of_input<T>(one, 1));
  } else if (name == "random") {
    clwave::random(
        queue, to, number(&one, "seed"),
        {.kind = number(&one, "normal") != 0 ? clwave::random_kind::normal : clwave::random_kind::uniform,
         .below = number(&one, "below"),
         .stream = static_cast<std::uint32_t>(number(&one, "stream")),
         .first = number(&one, "first")});
  } else if (name == "random_permutation") {
    if constexpr (std::is_same_v<T, std::uint32_t> || std::is_same_v<T, std::uint64_t>)
      clwave::random_permutation(queue, to, number(&one, "seed"));
    else
      stop("no permutation of the type", one.out[0].type);
  } else if (name == "replace_if") {
    copy_first_input(&one);
    clwave::replace_if(queue, to, with.predicate, *value<T>(one));
  } else if (name == "adjacent_difference_in_place") {
    copy_first_input(&one);
    if (with.has_map)
      clwave::adjacent_difference(queue, to, to, with.apply);
    else
      clwave::adjacent_difference(queue, to, to);
  } else {
    for_second(one.out[0].type, [&](auto second) {
      const auto differences = out<typename decltype(second)::type>(one);
      if (with.has_map)
        clwave::adjacent_difference(queue, in<T>(one, 0), differences, with.apply);
      else
        clwave::adjacent_difference(queue, in<T>(one, 0), differences);
    });
  }
}

inline void elements(const call& one, const texts& with) {
  const char* const type = one.n_in != 0 ? one.in[0].type : one.out[0].type;
  for_element(type, [&](auto of) {
    using T = typename decltype(of)::type;
    if (moved<T>(one, with)) return;
    if constexpr (std::is_same_v<T, cf32> || std::is_same_v<T, bool> || std::is_same_v<T, sample>)
      stop("no instantiation for the type", type);
    else
      of_numbers<T>(one, with);
  });
}
