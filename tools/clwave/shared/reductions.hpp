// Reductions by their names on the command line, for the commands that run them and those that plan them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <clwave/reduce.hpp>

namespace CLI {
class App;
}  // namespace CLI

namespace clwave::tool {

// A reduction by its name on the command line.
struct named_fold {
  std::string_view name;
  const op* fold;
  const map* apply;
  bool sums = false;     // integers are accumulated in 64 bits
  bool indexed = false;  // argmin, argmax
  // What is made of the folded value at the end: of the sum the mean, of moments the deviation.
  enum class ending { none, mean, deviation } ending = ending::none;
};

// What an operator is for: a scan has no places in its results, and so takes neither argmin nor argmax. One
// value of a whole file can be more than a fold: its mean, its deviation.
enum class folds_for { reductions, scans, whole_files };

// --type, --op and --acc as given, and what they mean.
struct reduce_words {
  std::string type = "f32";
  std::string op = "sum";
  std::string accumulator;  // empty: by type and operator
  folds_for use = folds_for::reductions;
};
struct reduce_meaning {
  const element* type = nullptr;
  const named_fold* fold = nullptr;
  element accumulator;             // of the call: for argmin and argmax the value with its index
  const element* value = nullptr;  // of the result's value
  op own_fold;                     // of a deviation, which no operator of the library folds
  map own_map;                     // of a deviation, and of counts

  const op* operation() const { return own_fold.source.empty() ? fold->fold : &own_fold; }
  const map* applied() const { return own_map.source.empty() ? fold->apply : &own_map; }
};
// The value of n elements that were folded, of an accumulator's bytes: the bytes of `meaning.value`.
std::vector<unsigned char> ended(const reduce_meaning& meaning, std::vector<unsigned char> accumulator,
                                 std::uint64_t n);
// --help lists what `meaning_of` then takes.
void add_reduce_options(CLI::App& command, reduce_words& words, folds_for use);
// Of a command whose elements are a file's, whose type a raw file does not say.
std::string help_of_raw_type(bool ordered);
// Throws clwave::error (bad_call) for an unknown name, and one that the use does not have.
reduce_meaning meaning_of(const reduce_words& words);

}  // namespace clwave::tool
