// The order of numbers, or of a text, on the command line, and two ranges in it.
#pragma once

#include <cstdint>
#include <string>

#include <CLI/CLI.hpp>

#include <clwave/op.hpp>

#include "primitives/planned_primitive.hpp"
#include "shared/words.hpp"

namespace clwave::tool {

struct order_words {
  std::string type = "u32", text;
  bool descending = false;

  const element& of() const { return scalar_type_named(type); }
  op less() const { return {.name = "text", .source = text, .identity = {}}; }
  // Problems refer to `less`.
  template <class Problem>
  void set_order(Problem& problem, const op& less) const {
    problem.order.descending = descending;
    if (!text.empty()) problem.less = &less;
  }
  void add_to(json& problem) const {
    problem["type"] = of().name;
    problem["descending"] = descending;
    if (!text.empty()) problem["text"] = text;
  }
};

inline void add_order_options(CLI::App& command, order_words& words, const char* elements = "elements") {
  command.add_option("--type", words.type, std::string("Type of the ") + elements)->capture_default_str();
  CLI::Option* text = command.add_option(
      "--text", words.text, "OpenCL C in a and b: whether a comes before b (default: the order of numbers)");
  command.add_flag("--descending", words.descending, "The largest number first")->excludes(text);
}

struct two_ranges_words : order_words {
  std::string n = "16M", second_n;
  bool counted = false;

  std::uint64_t first() const { return number_of_elements(n); }
  std::uint64_t second() const { return number_of_elements(second_n.empty() ? n : second_n); }
  template <class Problem>
  void set_ranges(Problem& problem, const op& less) const {
    problem.a = {of(), first()};
    problem.b = {of(), second()};
    problem.a.count = problem.b.count = count_where(counted);
    set_order(problem, less);
  }
  void add_to(json& problem) const {
    problem["n"] = first();
    problem["second_n"] = second();
    order_words::add_to(problem);
    problem["count_on_device"] = counted;
  }
};

inline void add_range_options(CLI::App& command, two_ranges_words& words) {
  add_order_options(command, words);
  add_n_option(command, words.n, "elements of the first range");
  add_count_option(command, words.counted, "elements in each range");
  command.add_option("--second-n", words.second_n, "Elements of the second range (default: as many)");
}

}  // namespace clwave::tool
