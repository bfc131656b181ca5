// Names on the command line, and what they stand for in the library.
#include "primitives.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <memory>
#include <vector>

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

[[noreturn]] void refuse(const std::string& message, std::string advice = {}) {
  throw error(failure::bad_call, message, CL_SUCCESS, {.advice = std::move(advice)});
}

// What the result is accumulated in unless --acc says otherwise.
const element& usual_accumulator(const element& type, bool sums) {
  if (type.kind == element_kind::half_storage) return element_of<float>();
  if (sums && type.kind == element_kind::signed_integer) return element_of<std::int64_t>();
  if (sums && type.kind == element_kind::unsigned_integer) return element_of<std::uint64_t>();
  return type;
}

planned_primitive planned_reduce() {
  struct words_of_reduce {
    reduce_words call;
    std::string n = "16M";
  };
  auto words = std::make_shared<words_of_reduce>();
  planned_primitive reduce;
  reduce.name = "reduce";
  reduce.help = "A reduction of n elements into one";
  reduce.add_options = [words](CLI::App& command) {
    add_reduce_options(command, words->call);
    command.add_option("--n", words->n, "How many elements; K, M, G are 2^10, 2^20, 2^30")
        ->capture_default_str();
  };
  reduce.plan = [words](const plan_target& on) {
    const reduce_meaning meaning = meaning_of(words->call);
    return plan_reduce(on, *meaning.type, meaning.accumulator, number_of_elements(words->n),
                       *meaning.fold->fold, *meaning.fold->apply);
  };
  reduce.question = [words]() -> json {
    const reduce_meaning meaning = meaning_of(words->call);
    return {
        {"primitive", "reduce"},      {"n", number_of_elements(words->n)},
        {"type", meaning.type->name}, {"op", meaning.fold->name},
        {"acc", meaning.value->name}, {"fold", {{"tile", fold_tile}, {"accumulators", fold_accumulators}}}};
  };
  return reduce;
}

planned_primitive planned_transform() {
  struct words_of_transform {
    std::string type = "f32", to, text = "x * 2", n = "16M";
    unsigned inputs = 1;
  };
  auto words = std::make_shared<words_of_transform>();
  const auto out_of = [words]() -> const element& {
    return scalar_type_named(words->to.empty() ? words->type : words->to);
  };
  planned_primitive transform;
  transform.name = "transform";
  transform.help = "A function of the elements at the same place";
  transform.add_options = [words](CLI::App& command) {
    command.add_option("--type", words->type, "Type of the inputs")->capture_default_str();
    command.add_option("--to", words->to, "Type of the output (default: that of the inputs)");
    command.add_option("--inputs", words->inputs, "How many inputs: x, y and z")
        ->capture_default_str()
        ->check(CLI::Range(1u, 3u));
    command.add_option("--text", words->text, "OpenCL C in x, y, z and the index i")->capture_default_str();
    command.add_option("--n", words->n, "How many elements; K, M, G are 2^10, 2^20, 2^30")
        ->capture_default_str();
  };
  transform.plan = [words, out_of](const plan_target& on) {
    const std::vector<const element*> in(words->inputs, &scalar_type_named(words->type));
    return plan_transform(on, in, out_of(), number_of_elements(words->n),
                          {.name = "text", .source = words->text});
  };
  transform.question = [words, out_of]() -> json {
    return {{"primitive", "transform"},
            {"n", number_of_elements(words->n)},
            {"type", scalar_type_named(words->type).name},
            {"to", out_of().name},
            {"inputs", words->inputs},
            {"text", words->text}};
  };
  return transform;
}

planned_primitive planned_broadcast() {
  struct words_of_broadcast {
    std::string type = "f32", text = "x + b", which = "column", rows = "4K", columns = "4K";
  };
  auto words = std::make_shared<words_of_broadcast>();
  planned_primitive broadcast;
  broadcast.name = "broadcast";
  broadcast.help = "A function of a matrix's elements and a value for each row or column";
  broadcast.add_options = [words](CLI::App& command) {
    command.add_option("--type", words->type, "Type of all")->capture_default_str();
    command.add_option("--text", words->text, "OpenCL C in x and b")->capture_default_str();
    command.add_option("--per", words->which, "row or column")
        ->capture_default_str()
        ->check(CLI::IsMember({"row", "column"}));
    command.add_option("--rows", words->rows, "Rows of the matrix")->capture_default_str();
    command.add_option("--columns", words->columns, "Columns of the matrix")->capture_default_str();
  };
  broadcast.plan = [words](const plan_target& on) {
    const element& type = scalar_type_named(words->type);
    return plan_broadcast(
        on, type, type, type,
        {.rows = number_of_elements(words->rows), .columns = number_of_elements(words->columns)},
        words->which == "row" ? per::row : per::column, {.name = "text", .source = words->text});
  };
  broadcast.question = [words]() -> json {
    return {{"primitive", "broadcast"},
            {"rows", number_of_elements(words->rows)},
            {"columns", number_of_elements(words->columns)},
            {"type", scalar_type_named(words->type).name},
            {"per", words->which},
            {"text", words->text}};
  };
  return broadcast;
}

}  // namespace

std::vector<planned_primitive> planned_primitives() {
  std::vector<planned_primitive> all;
  all.push_back(planned_reduce());
  all.push_back(planned_transform());
  all.push_back(planned_broadcast());
  return all;
}

std::string fold_names() {
  std::string names;
  for (const named_fold& fold : folds) names += (names.empty() ? "" : "|") + std::string(fold.name);
  return names;
}

void add_reduce_options(CLI::App& command, reduce_words& words) {
  command.add_option("--type", words.type, "Element type: i8 to i64, u8 to u64, f16, f32, f64")
      ->capture_default_str();
  command.add_option("--op", words.op, fold_names())->capture_default_str();
  command.add_option("--acc", words.accumulator,
                     "Accumulate in this type. Default: the element type; f32 for f16; and i64 or u64 where\n"
                     "integers are added or multiplied, so that small ones do not wrap");
}

const element& scalar_type_named(const std::string& name) {
  const element* found = find_element(name);
  if (found == nullptr || found->components != 1)
    refuse("\"" + name + "\" is no scalar type", "use one of i8 i16 i32 i64 u8 u16 u32 u64 f16 f32 f64");
  return *found;
}

reduce_meaning meaning_of(const reduce_words& words) {
  reduce_meaning meaning;
  meaning.type = &scalar_type_named(words.type);
  const auto found = std::find_if(std::begin(folds), std::end(folds),
                                  [&](const named_fold& fold) { return fold.name == words.op; });
  if (found == std::end(folds)) refuse("\"" + words.op + "\" is no operator", "use one of " + fold_names());
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

std::uint64_t number_of_elements(const std::string& text) {
  char* end = nullptr;
  const long double number = std::strtold(text.c_str(), &end);
  std::string unit = end;
  for (char& c : unit) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  if (unit.size() == 2 && unit[1] == 'I') unit.pop_back();
  const std::size_t power = unit.empty() ? 0 : std::string("KMGT").find(unit) + 1;
  const long double n = std::ldexp(number, static_cast<int>(10 * power));
  const bool starts_as_number = !text.empty() && text.front() >= '0' && text.front() <= '9';
  // strtold also reads hexadecimal, which nobody means here.
  const bool plain = text.find_first_of("xX") == std::string::npos;
  if (!starts_as_number || !plain || unit.size() > 1 || (power == 0 && !unit.empty()) || n != std::floor(n) ||
      n >= 0x1p63L)
    refuse("\"" + text + "\" is no number of elements", "write 4096, 16M (2^20 each), 1Gi or 1e6");
  return static_cast<std::uint64_t>(n);
}

}  // namespace clwave::tool
