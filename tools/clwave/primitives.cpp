// Names on the command line, and what they stand for in the library.
#include "primitives.hpp"

#include <clwave.hpp>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <memory>
#include <sstream>
#include <vector>

#include <clwave/layout.hpp>
#include <clwave/plan.hpp>
#include <clwave/transpose.hpp>

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
    return clwave::plan(reduce_question{.in = *meaning.type,
                                        .accumulator = &meaning.accumulator,
                                        .n = number_of_elements(words->n),
                                        .fold = meaning.fold->fold,
                                        .apply = meaning.fold->apply,
                                        .out = meaning.accumulator},
                        on);
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

planned_primitive planned_copy() {
  struct words_of_copy {
    std::string type = "f32", to, n = "16M";
    bool saturate = false;
  };
  auto words = std::make_shared<words_of_copy>();
  const auto out_of = [words]() -> const element& {
    return scalar_type_named(words->to.empty() ? words->type : words->to);
  };
  planned_primitive made;
  made.name = "copy";
  made.help = "A copy of n elements, converting where the types differ";
  made.add_options = [words](CLI::App& command) {
    command.add_option("--type", words->type, "Type of the input")->capture_default_str();
    command.add_option("--to", words->to, "Type of the output (default: that of the input)");
    command.add_option("--n", words->n, "How many elements; K, M, G are 2^10, 2^20, 2^30")
        ->capture_default_str();
    command.add_flag("--saturate", words->saturate, "Integers beyond the output's range become its ends");
  };
  made.plan = [words, out_of](const plan_target& on) {
    return plan(copy_question{.in = scalar_type_named(words->type),
                              .out = out_of(),
                              .n = number_of_elements(words->n),
                              .saturate = words->saturate},
                on);
  };
  made.question = [words, out_of]() -> json {
    return {{"primitive", "copy"},
            {"n", number_of_elements(words->n)},
            {"type", scalar_type_named(words->type).name},
            {"to", out_of().name},
            {"saturate", words->saturate}};
  };
  return made;
}

planned_primitive planned_fill() {
  struct words_of_fill {
    std::string type = "f32", n = "16M";
  };
  auto words = std::make_shared<words_of_fill>();
  planned_primitive made;
  made.name = "fill";
  made.help = "n elements set to one value";
  made.add_options = [words](CLI::App& command) {
    command.add_option("--type", words->type, "Type of the elements")->capture_default_str();
    command.add_option("--n", words->n, "How many elements; K, M, G are 2^10, 2^20, 2^30")
        ->capture_default_str();
  };
  made.plan = [words](const plan_target& on) {
    const unsigned char zeros[16] = {};
    return plan(fill_question{scalar_type_named(words->type), number_of_elements(words->n), zeros}, on);
  };
  made.question = [words]() -> json {
    return {{"primitive", "fill"},
            {"n", number_of_elements(words->n)},
            {"type", scalar_type_named(words->type).name}};
  };
  return made;
}

// "2048x1536", or "2048x1536x8" for a batch of 8.
matrices matrices_of(const std::string& text) {
  std::vector<std::size_t> sides;
  std::stringstream words(text);
  for (std::string side; std::getline(words, side, 'x');) sides.push_back(number_of_elements(side));
  if (sides.size() < 2 || sides.size() > 3)
    refuse("\"" + text + "\" is no shape",
           "write rows x columns, as 2048x1536, or a batch of 8 as 2048x1536x8");
  return {.rows = sides[0], .columns = sides[1], .batch = sides.size() == 3 ? sides[2] : 1};
}

planned_primitive planned_transpose() {
  struct words_of_transpose {
    std::string type = "f32";
    std::string shape = "4096x4096";
    bool in_place = false;
  };
  auto words = std::make_shared<words_of_transpose>();
  planned_primitive transpose;
  transpose.name = "transpose";
  transpose.help = "A transpose of one matrix, or of a batch";
  transpose.add_options = [words](CLI::App& command) {
    command.add_option("--type", words->type, "Element type: i8 to i64, u8 to u64, f16, f32, f64, f32x4")
        ->capture_default_str();
    command.add_option("--shape", words->shape, "Rows x columns, or rows x columns x batch")
        ->capture_default_str();
    command.add_flag("--in-place", words->in_place, "Squares in their own place");
  };
  const auto type_of = [words]() -> const element& {
    const element* found = find_element(words->type);
    if (found == nullptr)
      refuse("\"" + words->type + "\" is no type", "use f32, u8, f64, f32x4 and the like");
    return *found;
  };
  transpose.plan = [words, type_of](const plan_target& on) {
    const asked_operand type = type_of();
    const matrices size = matrices_of(words->shape);
    return words->in_place ? clwave::plan(transpose_in_place_question{type, size}, on)
                           : clwave::plan(transpose_question{type, type, size}, on);
  };
  transpose.question = [words, type_of]() -> json {
    const matrices size = matrices_of(words->shape);
    return {{"primitive", "transpose"},   {"n", size.rows * size.columns * size.batch},
            {"type", type_of().name},     {"rows", size.rows},
            {"columns", size.columns},    {"batch", size.batch},
            {"in_place", words->in_place}};
  };
  return transpose;
}

// "4@0,4@4,8@8": the size and offset of each field.
std::vector<field> fields_of(const std::string& text) {
  std::vector<field> fields;
  std::stringstream words(text);
  for (std::string one; std::getline(words, one, ',');) {
    const std::size_t at = one.find('@');
    if (at == std::string::npos) refuse("\"" + one + "\" is no field", "write SIZE@OFFSET in bytes, as 4@8");
    fields.push_back({number_of_elements(one.substr(0, at)), number_of_elements(one.substr(at + 1))});
  }
  return fields;
}

planned_primitive planned_layout() {
  struct words_of_layout {
    std::string fields = "4@0,4@4,4@8";
    std::size_t size = 12;
    std::string n = "16M";
    std::size_t block = 0;
    bool back = false;
  };
  auto words = std::make_shared<words_of_layout>();
  planned_primitive made;
  made.name = "layout";
  made.help = "Structures taken apart into arrays, or put together";
  made.add_options = [words](CLI::App& command) {
    command.add_option("--fields", words->fields, "SIZE@OFFSET of each field, in bytes, comma between them")
        ->capture_default_str();
    command.add_option("--size", words->size, "Bytes of a structure")->capture_default_str();
    command.add_option("--n", words->n, "How many structures; K, M, G are 2^10, 2^20, 2^30")
        ->capture_default_str();
    command.add_option("--block", words->block, "Structures in a block; 0: one array for each field")
        ->capture_default_str();
    command.add_flag("--to-aos", words->back, "From arrays to structures");
  };
  made.plan = [words](const plan_target& on) {
    const layout fields{words->size, fields_of(words->fields)};
    const std::uint64_t n = number_of_elements(words->n);
    return words->block != 0
               ? clwave::plan(layout_blocks_question{&fields, n, words->block, !words->back}, on)
               : clwave::plan(layout_question{&fields, n, !words->back}, on);
  };
  made.question = [words]() -> json {
    return {{"primitive", "layout"}, {"n", number_of_elements(words->n)},
            {"size", words->size},   {"fields", words->fields},
            {"block", words->block}, {"to_aos", words->back}};
  };
  return made;
}

planned_primitive planned_gemm() {
  struct words_of_gemm {
    std::string type = "f32", result;
    std::string m = "4096", n = "4096", k = "4096", batches = "1";
    bool transpose_a = false, transpose_b = false, column_major = false, allow_tf32 = false;
    double beta = 0;
  };
  auto words = std::make_shared<words_of_gemm>();
  const auto result_of = [words]() -> const element& {
    return scalar_type_named(words->result.empty() ? words->type : words->result);
  };
  const auto size_of = [words] {
    return gemm_size{number_of_elements(words->m), number_of_elements(words->n),
                     number_of_elements(words->k)};
  };
  planned_primitive gemm;
  gemm.name = "gemm";
  gemm.help = "A matrix product, m x k by k x n";
  gemm.add_options = [words](CLI::App& command) {
    command.add_option("--type", words->type, "Element type of A and B: f32, f64, f16")
        ->capture_default_str();
    command.add_option("--result", words->result, "Element type of C: the same, or f32 for f16");
    command.add_option("--m", words->m, "Rows of C; K, M, G are 2^10, 2^20, 2^30")->capture_default_str();
    command.add_option("--n", words->n, "Columns of C")->capture_default_str();
    command.add_option("--k", words->k, "Length of the sums")->capture_default_str();
    command.add_option("--batches", words->batches, "How many such products")->capture_default_str();
    command.add_option("--beta", words->beta, "Factor of C as it was")->capture_default_str();
    command.add_flag("--transpose-a", words->transpose_a, "A is stored transposed");
    command.add_flag("--transpose-b", words->transpose_b, "B is stored transposed");
    command.add_flag("--column-major", words->column_major, "Columns are contiguous, not rows");
    command.add_flag("--allow-tf32", words->allow_tf32, "f32 may be rounded to tf32");
  };
  gemm.plan = [words, result_of, size_of](const plan_target& on) {
    gemm_options options;
    options.beta = words->beta;
    options.order = words->column_major ? matrix_order::column_major : matrix_order::row_major;
    options.transpose_a = words->transpose_a;
    options.transpose_b = words->transpose_b;
    options.batches = number_of_elements(words->batches);
    options.allow_tf32 = words->allow_tf32;
    return plan_gemm(on, scalar_type_named(words->type), result_of(), size_of(), options);
  };
  gemm.question = [words, result_of, size_of]() -> json {
    const gemm_size size = size_of();
    return {{"primitive", "gemm"},
            {"m", size.m},
            {"n", size.n},
            {"k", size.k},
            {"batches", number_of_elements(words->batches)},
            {"type", scalar_type_named(words->type).name},
            {"result", result_of().name},
            {"order", words->column_major ? "column_major" : "row_major"},
            {"transpose_a", words->transpose_a},
            {"transpose_b", words->transpose_b}};
  };
  return gemm;
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
    const std::vector<asked_operand> in(words->inputs, scalar_type_named(words->type));
    const map text{.name = "text", .source = words->text};
    return clwave::plan(transform_question{in, out_of(), number_of_elements(words->n), &text}, on);
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
    const broadcast_shape size{.rows = number_of_elements(words->rows),
                               .columns = number_of_elements(words->columns)};
    const per which = words->which == "row" ? per::row : per::column;
    const map text{.name = "text", .source = words->text};
    return clwave::plan(broadcast_question{type, type, type, size, which, &text}, on);
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
  all.push_back(planned_copy());
  all.push_back(planned_fill());
  all.push_back(planned_transpose());
  all.push_back(planned_layout());
  all.push_back(planned_gemm());
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
