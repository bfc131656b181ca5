// clwave rows FILE and clwave columns FILE: the fold of each row, of each column, of a file's matrix.
#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include <clwave/reduce_columns.hpp>
#include <clwave/reduce_rows.hpp>

#include "commands/file_command.hpp"
#include "drivers/session.hpp"
#include "drivers/streams.hpp"
#include "files/input_file.hpp"
#include "files/output_file.hpp"
#include "shared/output.hpp"
#include "shared/words.hpp"

namespace clwave::tool {
namespace {

struct matrix_file_words : file_words {
  std::string shape;
  reduce_words call;
  bool of_columns = false;
};

// How many results are shown where there are many.
constexpr std::size_t most_shown = 16;

// The file's last two dimensions are rows and columns, those before them a batch.
matrices size_of(const input_file& file, const std::string& asked) {
  if (!asked.empty()) {
    const matrices size = matrices_of(asked);
    std::uint64_t n = 0;
    if (__builtin_mul_overflow(size.rows, size.columns, &n) || __builtin_mul_overflow(n, size.batch, &n) ||
        n != file.n())
      refuse(file.path() + " has " + std::to_string(file.n()) + " elements, not " + asked);
    return size;
  }
  const std::vector<std::uint64_t>& shape = file.shape();
  if (shape.size() < 2)
    refuse(file.path() + " has no rows and columns: it is of " + std::to_string(shape.size()) +
               (shape.size() == 1 ? " dimension" : " dimensions"),
           "say its shape, e.g. --shape 1000x512");
  matrices size{.rows = shape[shape.size() - 2], .columns = shape.back()};
  for (std::size_t d = 0; d + 2 < shape.size(); ++d) size.batch *= shape[d];
  return size;
}

int fold_matrix(matrix_file_words words) {
  // All that can be wrong with the words and the files is found before any driver is asked.
  input_file file(words.path, words.call.type);
  words.call.type = file.type().name;
  const reduce_meaning meaning = meaning_of(words.call);
  const matrices size = size_of(file, words.shape);
  const std::uint64_t n = (words.of_columns ? size.columns : size.rows) * size.batch;
  std::optional<output_file> written;
  if (!words.output.empty()) {
    if (meaning.fold->indexed)
      refuse("a .npy has no place for both the value and the index of " + words.call.op);
    written.emplace(words.output, *meaning.value, n);
  }

  const chosen_devices devices(words.devices);
  const session& on = devices.first();
  const std::uint64_t result_bytes = n * meaning.accumulator.size;
  check_memory(on, file.bytes() + result_bytes);
  const cl::Buffer data = upload(on, file.bytes(), "reading " + file.path(),
                                 [&](void* into, std::size_t bytes) { file.read(into, bytes); });
  const timed_results folds(on, result_bytes, [&](const cl::Buffer& results) {
    const any_view in{data(), file.n(), 0, meaning.type}, out{results(), n, 0, &meaning.accumulator};
    const op* const fold = meaning.operation();
    const map* const apply = meaning.applied();
    if (words.of_columns)
      return reduce_columns(
          on.queue(),
          reduce_columns_problem{.in = in, .out = out, .size = size, .fold = fold, .apply = apply});
    return reduce_rows(on.queue(),
                       reduce_rows_problem{.in = in, .out = out, .size = size, .fold = fold, .apply = apply});
  });
  std::vector<timed_value> shown;
  folds.read(words.doing_with_results(), [&](const void* from, std::size_t bytes) {
    if (written) written->write(from, bytes);
    const auto* next = static_cast<const unsigned char*>(from);
    for (std::size_t at = 0; at < bytes && shown.size() < most_shown; at += meaning.accumulator.size)
      shown.emplace_back().bytes.assign(next + at, next + at + meaning.accumulator.size);
  });
  if (written) written->finish();
  const file_call call{.seconds = folds.seconds(),
                       .calls = folds.calls(),
                       .per_second = static_cast<double>(file.bytes()) / folds.seconds()};
  const char* const what = words.of_columns ? "columns" : "rows";
  json first = json::array(), index = json::array();
  for (const timed_value& value : shown) {
    first.push_back(value.number(*meaning.value));
    if (meaning.fold->indexed) index.push_back(value.index());
  }
  json before = {{"schema", "clwave-matrix/1"}, {"of", what},          {"rows", size.rows},
                 {"columns", size.columns},     {"batch", size.batch}, {"first", first}};
  if (meaning.fold->indexed) before["index"] = index;
  before["results"] = n;
  json behind = record_of(meaning);
  behind["output"] = words.output.empty() ? json() : json(words.output);
  return tell_file_call(words, devices, call, std::move(before), behind, [&] {
    for (const timed_value& each : shown) {
      out() << each.text(*meaning.value);
      if (meaning.fold->indexed) out() << " at " << each.index();
      out() << '\n';
    }
    std::string about = std::string(meaning.fold->name) + " of each of " + std::to_string(n) + ' ' + what +
                        " of " + std::to_string(words.of_columns ? size.rows : size.columns) + ' ' +
                        meaning.type->name + ", accumulated in " + meaning.value->name;
    if (n > shown.size())
      about += "; the first " + std::to_string(shown.size()) + (written ? "" : ": all go to a file, with -o");
    if (written) about += "\nwritten to " + words.output;
    return about;
  });
}

template <bool OfColumns>
void add_matrix_fold(CLI::App& app, int& exit) {
  const std::string what = OfColumns ? "column" : "row";
  const file_command command{
      .name = what + "s",
      .does = "The fold of each " + what + " of a file's matrix into one value",
      .footer =
          "The last two dimensions are rows and columns, those before them a batch. Each result has the "
          "bits of `clwave\n"
          "reduce` of its " +
          what +
          " alone. seconds: a call as the host sees it, data already on the "
          "device: the median\n"
          "of 3 to 21 calls after one to warm up.",
      .takes_list = false,
      .file = "A .npy file of two dimensions or more, or raw little-endian elements (--type, --shape)",
      .schema = "matrix"};
  add_file_command(app, exit, command, fold_matrix, [](CLI::App& added, matrix_file_words& words) {
    words.of_columns = OfColumns;
    added.add_option("--shape", words.shape,
                     "Rows x columns, or rows x columns x batch, instead of the file's");
    add_reduce_of_file(added, words.call, folds_for::reductions);
  });
}

const registered_commands matrix_file_listed("matrix_file", {add_matrix_fold<false>, add_matrix_fold<true>});

}  // namespace
}  // namespace clwave::tool
