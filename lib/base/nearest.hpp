// The names that a mistyped one was most likely meant to be.
#pragma once

#include <algorithm>
#include <cctype>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace clwave::detail {

// How many letters to insert, delete, replace or swap with their neighbour make `a` of `b`, without regard to
// case.
inline std::size_t edit_distance(std::string_view a, std::string_view b) {
  const auto same = [](char x, char y) {
    return std::tolower(static_cast<unsigned char>(x)) == std::tolower(static_cast<unsigned char>(y));
  };
  // Rows of the table of distances between beginnings: two before, one before, and this one.
  std::vector<std::size_t> older(b.size() + 1);
  std::vector<std::size_t> old(b.size() + 1);
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::swap(older, old);
    std::swap(old, row);
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      row[j] = std::min({old[j] + 1, row[j - 1] + 1, old[j - 1] + (same(a[i - 1], b[j - 1]) ? 0 : 1)});
      if (i > 1 && j > 1 && same(a[i - 1], b[j - 2]) && same(a[i - 2], b[j - 1]))
        row[j] = std::min(row[j], older[j - 2] + 1);
    }
  }
  return row[b.size()];
}

// The nearest of the names, at most `most`, nearest first; none that differs in half of its letters or more.
inline std::vector<std::string> nearest(std::string_view word, const std::vector<std::string>& names,
                                        std::size_t most = 1) {
  std::vector<std::pair<std::size_t, std::string>> found;
  for (const std::string& name : names) {
    const std::size_t distance = edit_distance(word, name);
    if (2 * distance < std::max(word.size(), name.size())) found.emplace_back(distance, name);
  }
  std::stable_sort(found.begin(), found.end(),
                   [](const auto& x, const auto& y) { return x.first < y.first; });
  std::vector<std::string> best;
  for (const auto& each : found)
    if (best.size() < most && std::ranges::find(best, each.second) == best.end()) best.push_back(each.second);
  return best;
}

// "; did you mean info?", or nothing where no name is near.
inline std::string did_you_mean(std::string_view word, const std::vector<std::string>& names,
                                std::size_t most = 1) {
  std::string text;
  for (const std::string& name : nearest(word, names, most))
    text += (text.empty() ? "did you mean " : ", ") + name;
  return text.empty() ? text : "; " + text + "?";
}

}  // namespace clwave::detail
