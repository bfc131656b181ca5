// Reductions by their names on the command line, and what they stand for in the library.
#include "shared/reductions.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
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
    {.name = "count", .fold = &plus, .apply = &identity, .sums = true},
    {.name = "mean", .fold = &plus, .apply = &identity, .ending = named_fold::ending::mean},
    {.name = "std", .fold = &plus, .apply = &identity, .ending = named_fold::ending::deviation},
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

bool is_taken(const named_fold& fold, folds_for use) {
  return use == folds_for::whole_files ||
         (fold.ending == named_fold::ending::none && (use == folds_for::reductions || !fold.indexed));
}

// How many elements are other than 0: what is folded is 1 of each of these.
void mean_count(reduce_meaning& meaning) {
  const bool pairs = meaning.type->kind == element_kind::complex;
  meaning.own_map = {.name = "is not 0", .source = pairs ? "x.x != 0 || x.y != 0" : "x != 0"};
  meaning.value = &element_of<std::uint64_t>();
}

// The mean and the sum of the squared distances from it, in one pass: two sets are put together as Chan,
// Golub and LeVeque have it (1979).
void mean_deviation(reduce_meaning& meaning) {
  const bool wide = meaning.value->size == sizeof(double);
  const std::string real = wide ? "double" : "float";
  meaning.accumulator = {.name = "moments",
                         .opencl_name = "moments",
                         .size = 2 * meaning.value->size + sizeof(std::uint64_t),
                         .kind = element_kind::structure,
                         .declaration = "typedef struct { " + real + " mean, squares; ulong n; } moments;"};
  meaning.own_map = {.name = "moments of one",
                     .source = "moments_of_one(x)",
                     .declarations = "moments moments_of_one(" + real +
                                     " x) {\n"
                                     "  const moments one = {x, 0, 1};\n"
                                     "  return one;\n"
                                     "}\n"};
  meaning.own_fold = {
      .name = "moments of both",
      .source = "moments_of_both(a, b)",
      .identity = "moments_of_none()",
      .declarations =
          "moments moments_of_none(void) {\n"
          "  const moments none = {0, 0, 0};\n"
          "  return none;\n"
          "}\n"
          "moments moments_of_both(moments a, moments b) {\n"
          "  if (a.n == 0) return b;\n"
          "  if (b.n == 0) return a;\n"
          "  const REAL n = a.n + b.n, share = b.n / n, distance = b.mean - a.mean;\n"
          "  const moments both = {a.mean + distance * share,\n"
          "                        a.squares + b.squares + distance * distance * a.n * share,\n"
          "                        a.n + b.n};\n"
          "  return both;\n"
          "}\n"};
  std::string& text = meaning.own_fold.declarations;
  text.replace(text.find("REAL"), 4, real);
}

template <class T>
T read_at(const std::vector<unsigned char>& bytes, std::size_t at) {
  T value;
  std::memcpy(&value, bytes.data() + at, sizeof value);
  return value;
}

template <class T>
std::vector<unsigned char> ended_as(const named_fold& fold, const std::vector<unsigned char>& from,
                                    std::uint64_t n) {
  std::vector<unsigned char> value(from.begin(), from.end());
  const auto divided = [&](std::size_t at) {
    return static_cast<T>(read_at<T>(from, at) / static_cast<T>(n));
  };
  if (fold.ending == named_fold::ending::mean) {
    // A complex mean is that of both parts.
    for (std::size_t at = 0; at < from.size(); at += sizeof(T)) {
      const T part = divided(at);
      std::memcpy(value.data() + at, &part, sizeof part);
    }
  } else {
    const T deviation = std::sqrt(divided(sizeof(T)));
    value.resize(sizeof(T));
    std::memcpy(value.data(), &deviation, sizeof deviation);
  }
  return value;
}

// "sum, prod, ..."
std::string fold_names(folds_for use) {
  std::string names;
  for (const named_fold& fold : folds)
    if (is_taken(fold, use)) names += (names.empty() ? "" : ", ") + std::string(fold.name);
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
      "integers and bools are added or multiplied, so that small ones do not wrap" +
          std::string(use == folds_for::whole_files ? "; f64 for mean and std" : ""));
}

std::vector<unsigned char> ended(const reduce_meaning& meaning, std::vector<unsigned char> accumulator,
                                 std::uint64_t n) {
  if (meaning.fold->ending == named_fold::ending::none) return accumulator;
  const bool wide = meaning.value->size == sizeof(double) * meaning.value->components;
  return wide ? ended_as<double>(*meaning.fold, accumulator, n)
              : ended_as<float>(*meaning.fold, accumulator, n);
}

reduce_meaning meaning_of(const reduce_words& words) {
  reduce_meaning meaning;
  meaning.type = &scalar_type_named(words.type);
  const auto found = std::find_if(std::begin(folds), std::end(folds),
                                  [&](const named_fold& fold) { return fold.name == words.op; });
  if (found == std::end(folds))
    refuse("\"" + words.op + "\" is no operator", "use one of " + fold_names(words.use));
  if (!is_taken(*found, words.use))
    refuse((words.use == folds_for::scans ? "a scan takes no " : "only clwave reduce FILE has ") + words.op,
           "use one of " + fold_names(words.use));
  meaning.fold = found;
  meaning.value = &usual_accumulator(*meaning.type, found->sums);
  if (words.op == "count") mean_count(meaning);
  if (found->ending != named_fold::ending::none) {
    const bool pairs = meaning.type->kind == element_kind::complex;
    if (pairs && found->ending == named_fold::ending::deviation)
      refuse("complex numbers have no std here", "store their parts or absolute values");
    meaning.value = pairs ? find_element("cf64") : &element_of<double>();
  }
  if (!words.accumulator.empty()) {
    const element& asked = scalar_type_named(words.accumulator);
    if (found->indexed && &asked != meaning.value)
      refuse(words.op + " compares in " + meaning.value->name + " and takes no other --acc");
    meaning.value = &asked;
  }
  const bool is_right =
      meaning.value->kind ==
          (meaning.type->kind == element_kind::complex ? element_kind::complex : element_kind::floating) &&
      meaning.value->size / meaning.value->components >= sizeof(float);
  if (found->ending != named_fold::ending::none && !is_right)
    refuse("a " + words.op + " is of f32 or f64, not of " + meaning.value->name);
  meaning.accumulator = found->indexed ? detail::indexed_element(*meaning.value) : *meaning.value;
  if (found->ending == named_fold::ending::deviation) mean_deviation(meaning);
  return meaning;
}

}  // namespace clwave::tool
