// clwave sort FILE: a file's elements in order, on a device; structures by their fields, rows by their
// columns.
#include <algorithm>
#include <cstring>
#include <optional>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include <clwave/sort.hpp>

#include "commands/file_command.hpp"
#include "drivers/session.hpp"
#include "drivers/streams.hpp"
#include "files/encodings.hpp"
#include "files/input_file.hpp"
#include "files/output_file.hpp"
#include "shared/output.hpp"
#include "shared/reductions.hpp"
#include "shared/words.hpp"

namespace clwave::tool {
namespace {

struct sort_file_words : file_words {
  std::string type;
  std::vector<std::string> keys;
  bool descending = false, indices = false;
};

// A number at a place of a record, as OpenCL C: of its words, which may be smaller. Its name is for plans and
// errors, where a field's own may have any characters and any length.
map number_at(unsigned word_bytes, const npy_field& field, const element& type) {
  const std::string name = "the field at byte " + std::to_string(field.at);
  const std::size_t n = type.size / word_bytes;
  std::string words;
  for (std::size_t k = 0; k < n; ++k)
    words += (k == 0 ? "x.words[" : ", x.words[") + std::to_string(field.at / word_bytes + k) + "]";
  if (n > 1)
    words = std::string("(") +
            (word_bytes == 4   ? "uint"
             : word_bytes == 2 ? "ushort"
                               : "uchar") +
            std::to_string(n) + ")(" + words + ")";
  // A half is loaded: devices need not have the type.
  if (type.kind == element_kind::half_storage)
    return {.name = name,
            .source = "half_of(as_ushort(" + words + "))",
            .declarations = "float half_of(ushort bits) { return vload_half(0, (const half *)&bits); }"};
  if (type.kind == element_kind::bfloat16_storage)
    return {.name = name, .source = "as_float((uint)as_ushort(" + words + ") << 16)"};
  return {.name = name, .source = "as_" + type.opencl_name + "(" + words + ")"};
}

std::string names_of(const std::vector<npy_field>& fields) {
  std::string all;
  for (const npy_field& each : fields)
    if (!each.name.empty()) all += (all.empty() ? "" : ", ") + on_one_line(each.name);
  return all;
}

// What is sorted: the file's elements, or of wide records, of which the device gets nothing else, their keys.
struct sorted_elements {
  element type;
  bool is_wide = false;
  std::vector<npy_field> of_file = {};  // of wide records the fields that are keys
};

// The place of a wide record's key: 8 bytes behind that of the one before, whatever its type.
npy_field place_of_key(sorted_elements& sorted, const npy_field& field) {
  constexpr std::uint64_t key_bytes = 8;
  npy_field place = field;
  place.at = sorted.of_file.size() * key_bytes;
  sorted.of_file.push_back(field);
  return place;
}

// What a word of --key says: a field's name, or of numbers a text, and behind it the direction.
sort_key key_of(const input_file& file, sorted_elements& sorted, std::string word, bool descending) {
  const auto field_named = [&](const std::string& name) {
    return std::ranges::find(file.fields(), name, &npy_field::name);
  };
  for (const bool down : {false, true}) {
    const std::string direction = down ? ":descending" : ":ascending";
    // A field's name may end so, too.
    if (!word.ends_with(direction) || field_named(word) != file.fields().end()) continue;
    word.resize(word.size() - direction.size());
    descending = down;
    break;
  }
  const sort_order order{.descending = descending};
  if (file.fields().empty()) return {{.name = word, .source = word}, &file.type(), order};
  const auto field = field_named(word);
  if (field == file.fields().end() || word.empty())
    refuse(file.path() + " has no field or column '" + word + "'", "it has " + names_of(file.fields()));
  const element* type = element_of_dtype(field->dtype);
  if (type == nullptr || type->kind == element_kind::complex)
    refuse("the field '" + word + "' of " + file.path() + " is no number to sort by",
           "fields are integers of 8 to 64 bits, floats of 16, 32 and 64 bits, bfloat16, or bool, and "
           "little-endian");
  const npy_field place = sorted.is_wide ? place_of_key(sorted, *field) : *field;
  return {number_at(sorted.is_wide ? 1 : file.word_bytes(), place, *type), type, order};
}

// The keys of wide records, side by side.
std::vector<unsigned char> keys_alone(const input_file& file, const sorted_elements& sorted) {
  const waiting word("reading the keys");
  std::vector<unsigned char> keys(file.n() * sorted.type.size);
  unsigned char* next = keys.data();
  for (std::uint64_t k = 0; k < file.n(); ++k, next += sorted.type.size)
    for (std::size_t f = 0; f < sorted.of_file.size(); ++f)
      file.read_at(k * file.type().size + sorted.of_file[f].at, next + 8 * f, sorted.of_file[f].n_bytes);
  return keys;
}

int sort_file(sort_file_words words) {
  // All that can be wrong with the words and the files is found before any driver is asked.
  const bool by_keys = !words.keys.empty();
  input_file file(words.path, words.type,
                  !by_keys        ? input_file::as::numbers
                  : words.indices ? input_file::as::wide_records
                                  : input_file::as::records);
  if (file.type().kind == element_kind::complex)
    refuse("complex numbers have no order", "store their parts or absolute values");
  constexpr std::size_t most_bytes = 128;
  sorted_elements sorted{.type = file.type(), .is_wide = file.type().size > most_bytes};
  std::vector<sort_key> keys;
  for (const std::string& each : words.keys) keys.push_back(key_of(file, sorted, each, words.descending));
  if (sorted.is_wide) {
    const std::string n_bytes = std::to_string(8 * keys.size());
    sorted.type = {.name = "record",
                   .opencl_name = "record",
                   .size = 8 * keys.size(),
                   .kind = element_kind::structure,
                   .declaration = "typedef struct { uchar words[" + n_bytes + "]; } record;"};
  }
  const element& key = file.type();
  const element& result = words.indices ? element_of<std::uint64_t>() : key;
  std::optional<output_file> written;
  // Elements are written as the file has them: a bool is a byte to the sort alone.
  if (!words.output.empty() && !words.indices && !file.descr().empty())
    written.emplace(words.output, file.descr(),
                    file.fields().empty() ? std::vector<std::uint64_t>{file.n()} : file.shape());
  else if (!words.output.empty())
    written.emplace(words.output, result, file.n());

  const chosen_devices devices(words.devices);
  const session& on = devices.first();
  const std::uint64_t out_bytes = file.n() * result.size;
  // With as much again to work in, and as an argsort two copies of the keys; by keys two of these, and of
  // indices.
  constexpr std::uint64_t keys_and_indices = 32;
  const std::uint64_t sorted_bytes = file.n() * sorted.type.size;
  check_memory(on, by_keys ? sorted_bytes + out_bytes + file.n() * keys_and_indices
                           : file.bytes() * (words.indices ? 3 : 2) + 2 * out_bytes);
  std::vector<unsigned char> wide_keys;
  if (sorted.is_wide) wide_keys = keys_alone(file, sorted);
  std::size_t wide_keys_at = 0;
  const cl::Buffer data =
      upload(on, sorted_bytes, "reading " + file.path(), [&](void* into, std::size_t size) {
        if (!sorted.is_wide) return file.read(into, size);
        std::memcpy(into, wide_keys.data() + wide_keys_at, size);
        wide_keys_at += size;
      });
  const timed_results sort(on, out_bytes, [&](const cl::Buffer& results) {
    const any_view in{data(), file.n(), 0, &sorted.type}, out{results(), file.n(), 0, &result};
    sort_problem problem{.keys = in, .order = {.descending = !by_keys && words.descending}, .by = keys};
    (words.indices ? problem.values_out : problem.keys_out) = out;
    return clwave::sort(on.queue(), problem);
  });
  sort.read(words.doing_with_results(), [&](const void* from, std::size_t size) {
    if (written) written->write(from, size);
  });
  if (written) written->finish();
  const file_call call{.seconds = sort.seconds(),
                       .calls = sort.calls(),
                       .per_second = static_cast<double>(file.n()) / sort.seconds(),
                       .of_keys = true};
  const json behind = {{"type", key.name},
                       {"descending", words.descending},
                       {"indices", words.indices},
                       {"keys", words.keys},
                       {"output", words.output.empty() ? json() : json(words.output)}};
  return tell_file_call(words, devices, call, {{"schema", "clwave-sort/1"}, {"n", file.n()}}, behind, [&] {
    std::string about = (words.indices ? "indices of " : "") + std::to_string(file.n()) + ' ' + key.name +
                        (file.fields().empty() ? " in " : "s in ") +
                        (words.descending ? "falling" : "rising") + " order";
    for (std::size_t k = 0; k < keys.size(); ++k) about += (k == 0 ? " of " : ", ") + words.keys[k];
    if (!by_keys && file.shape().size() > 1)
      about += ", all of its " + std::to_string(file.shape().size()) +
               " dimensions in one; rows stay whole by --key COLUMN";
    if (written) about += "; written to " + words.output;
    return about;
  });
}

void add_sort(CLI::App& app, int& exit) {
  const file_command command{
      .name = "sort",
      .does = "A file's elements in order",
      .footer =
          "Stable. NaNs come behind all numbers, descending before them. Elements of several dimensions are "
          "taken "
          "in the\n"
          "order in which the file has them. seconds: a call as the host sees it, data already on the "
          "device: "
          "the\n"
          "median of 3 to 21 calls after one to warm up.\n"
          "Structures and rows have up to 128 bytes, with --indices any number. Example: clwave sort "
          "points.npy "
          "--key cell --key "
          "mass:descending -o sorted.npy",
      .takes_list = false};
  add_file_command(app, exit, command, sort_file, [](CLI::App& added, sort_file_words& words) {
    added.add_option("--type", words.type, help_of_raw_type(/*ordered=*/true));
    added
        .add_option(
            "--key", words.keys,
            "What to sort by: the name of a structure's field; the number of a matrix's column, whose "
            "rows are sorted; of numbers OpenCL C in x, of their type. With :descending or :ascending "
            "behind it. Repeat for what decides among equals, up to 8 in all")
        ->allow_extra_args(false);
    added.add_flag("--descending", words.descending,
                   "The largest first; of keys, of all that do not say otherwise");
    added.add_flag("--indices", words.indices, "Where in the file the sorted elements lie, as u64");
  });
}

const registered_commands sort_file_listed("sort_file", {add_sort});

}  // namespace
}  // namespace clwave::tool
