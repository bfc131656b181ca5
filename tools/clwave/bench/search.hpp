// The search of `clwave tune`: from a row's numbers to neighbours, while they are faster.
#pragma once

#include <string>

#include "bench/bench.hpp"
#include "device/tuning.hpp"

namespace clwave::tool::bench {
using detail::tunable_numbers;

struct search_end {
  exit_code code = exit_ok;
  json record = json::object();  // of clwave-tune/1
  std::string text = {};         // for people
  std::string complaint = {};    // why the code is what it is
};

// Measures, and saves what is faster than the row. `shows`: each candidate is told on stderr.
search_end search_tuning(laboratory& lab, const std::string& primitive, const std::string& type,
                         const tuned_work& what, double budget_s, bool shows);

json record_of(const tunable_numbers& numbers);

// "12.3"
std::string rounded(double value, int digits = 1);

}  // namespace clwave::tool::bench
