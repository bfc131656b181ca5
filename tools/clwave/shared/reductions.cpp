// Reductions by their names on the command line, and what they stand for in the library.
#include "shared/reductions.hpp"

#include <algorithm>
#include <iterator>

#include <CLI/CLI.hpp>

#include "shared/words.hpp"

namespace clwave::tool {
namespace {

const op fold_argmin{.name = "argmin", .source = {}, .identity = {}, .kind = op_kind::argmin};
const op fold_argmax{.name = "argmax", .source = {}, .identity = {}, .kind = op_kind::argmax};

const named_fold folds[] = {
    {.name = "sum", .fold = &plus, .apply = &identity, .sums = true},
    {.name = "prod", .fold = &multiplies, .apply = &identity, .sums = true},
    {.name = "min", .fold = &min, .apply = &identity},
    {.name = "max", .fold = &max, .apply = &identity},
    {.name = "and", .fold = &bit_and, .apply = &identity},
    {.name = "or", .fold = &bit_or, .apply = &identity},
    {.name = "xor", .fold = &bit_xor, .apply = &identity},
    {.name = "argmin", .fold = &fold_argmin, .apply = &identity, .indexed = true},
    {.name = "argmax", .fold = &fold_argmax, .apply = &identity, .indexed = true},
    {.name = "sumsq", .fold = &plus, .apply = &square, .sums = true},
    {.name = "abs-sum", .fold = &plus, .apply = &abs, .sums = true},
};

// What the result is accumulated in unless --acc says otherwise.
const element& usual_accumulator(const element& type, bool sums) {
  if (type.kind == element_kind::half_storage || type.kind == element_kind::bfloat16_storage)
    return element_of<float>();
  if (sums && type.kind == element_kind::signed_integer) return element_of<std::int64_t>();
  if (sums && (type.kind == element_kind::unsigned_integer || type.kind == element_kind::boolean))
    return element_of<std::uint64_t>();
  return type;
}

bool is_taken(const named_fold& fold, folds_for use) { return use == folds_for::reductions || !fold.indexed; }

// "sum|prod|..."
std::string fold_names(folds_for use) {
  std::string names;
  for (const named_fold& fold : folds)
    if (is_taken(fold, use)) names += (names.empty() ? "" : "|") + std::string(fold.name);
  return names;
}

constexpr const char* ordered_types = "i8 to i64, u8 to u64, f16, bf16, f32, f64, bool";
constexpr const char* further_types = ", cf32, cf64, byte";

}  // namespace

std::string help_of_raw_type(bool ordered) {
  return std::string("Element type of a raw file, which must be given: ") + ordered_types +
         (ordered ? "" : further_types);
}

void add_reduce_options(CLI::App& command, reduce_words& words, folds_for use) {
  words.use = use;
  command.add_option("--type", words.type, std::string("Element type: ") + ordered_types + further_types)
      ->capture_default_str();
  command.add_option("--op", words.op, fold_names(use))->capture_default_str();
  command.add_option(
      "--acc", words.accumulator,
      "Accumulate in this type. Default: the element type; f32 for f16 and bf16; and i64 or u64 where\n"
      "integers and bools are added or multiplied, so that small ones do not wrap");
}

reduce_meaning meaning_of(const reduce_words& words) {
  reduce_meaning meaning;
  meaning.type = &scalar_type_named(words.type);
  const auto found = std::find_if(std::begin(folds), std::end(folds),
                                  [&](const named_fold& fold) { return fold.name == words.op; });
  if (found == std::end(folds))
    refuse("\"" + words.op + "\" is no operator", "use one of " + fold_names(words.use));
  if (!is_taken(*found, words.use))
    refuse("a scan takes no " + words.op, "use one of " + fold_names(words.use));
  meaning.fold = found;
  meaning.value = &usual_accumulator(*meaning.type, found->sums);
  if (!words.accumulator.empty()) {
    const element& asked = scalar_type_named(words.accumulator);
    if (found->indexed && &asked != meaning.value)
      refuse(words.op + " compares in " + meaning.value->name + " and takes no other --acc");
    meaning.value = &asked;
  }
  meaning.accumulator = found->indexed ? detail::indexed_element(*meaning.value) : *meaning.value;
  return meaning;
}

}  // namespace clwave::tool
