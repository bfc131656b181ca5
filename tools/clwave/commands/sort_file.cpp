// clwave sort FILE: a file's elements in order, on a device.
#include <cstdio>
#include <memory>
#include <optional>

#include <CLI/CLI.hpp>

#include <clwave/sort.hpp>

#include "drivers/session.hpp"
#include "files/input_file.hpp"
#include "files/output_file.hpp"
#include "shared/output.hpp"
#include "shared/words.hpp"

namespace clwave::tool {
namespace {

struct sort_file_words {
  std::string path, output, selector, type;
  bool descending = false, indices = false, as_json = false;
};

int sort_file(const sort_file_words& words) {
  // All that can be wrong with the words and the files is found before any driver is asked.
  input_file file(words.path, words.type);
  const element& key = file.type();
  const element& result = words.indices ? element_of<std::uint64_t>() : key;
  std::optional<output_file> written;
  if (!words.output.empty()) written.emplace(words.output, result, file.n());

  const session on(words.selector);
  const std::uint64_t out_bytes = file.n() * result.size;
  // With as much again to work in, and as an argsort two copies of the keys.
  check_memory(on, file.bytes() * (words.indices ? 3 : 2) + 2 * out_bytes);
  const cl::Buffer data = upload(on, file.bytes(), "reading " + words.path,
                                 [&](void* into, std::size_t size) { file.read(into, size); });
  const timed_results sort(on, out_bytes, [&](const cl::Buffer& results) {
    detail::sort_call call{.keys = {data(), file.n(), 0, &key}, .order = {.descending = words.descending}};
    const detail::operand out{results(), file.n(), 0, &result};
    (words.indices ? call.values_out : call.keys_out) = out;
    return detail::sort_keys(on.queue(), call, {});
  });
  sort.read(words.output.empty() ? "reading results" : "writing " + words.output,
            [&](const void* from, std::size_t size) {
              if (written) written->write(from, size);
            });
  if (written) written->finish();
  const double keys_per_s = static_cast<double>(file.n()) / sort.seconds();

  if (words.as_json) {
    json all = {{"schema", "clwave-sort/1"}, {"n", file.n()}};
    all["seconds"] = sort.seconds();
    all["keys_per_s"] = keys_per_s;
    all["calls"] = sort.calls();
    all["device"] = on.device_name();
    all["profile"] = on.choice.row->name;
    all["type"] = key.name;
    all["descending"] = words.descending;
    all["indices"] = words.indices;
    all["output"] = words.output.empty() ? json() : json(words.output);
    out() << text_of(all) << '\n';
    return exit_ok;
  }
  out() << (words.indices ? "indices of " : "") << file.n() << ' ' << key.name << " in "
        << (words.descending ? "falling" : "rising") << " order";
  if (written) out() << ", written to " << words.output;
  char speed[80];
  std::snprintf(speed, sizeof speed, "%.1f us, %.1f million keys/s (median of %u calls)",
                sort.seconds() * 1e6, keys_per_s / 1e6, sort.calls());
  out() << '\n' << speed << " on " << on.device_name() << ", profile " << short_text_of(on.choice) << '\n';
  return exit_ok;
}

void add_sort(CLI::App& app, int& exit) {
  CLI::App* command = app.add_subcommand("sort", "A file's elements in order");
  auto words = std::make_shared<sort_file_words>();
  command->add_option("FILE", words->path, "A .npy file, or raw little-endian elements (--type)")->required();
  command->add_option("-o,--output", words->output,
                      "Write the results to this .npy file, which they replace when all are there");
  command->add_option("--type", words->type,
                      "Element type of a raw file, which must be given: i8 to i64, u8 to u64, f16, f32, f64");
  command->add_flag("--descending", words->descending, "The largest first");
  command->add_flag("--indices", words->indices, "Where in the file the sorted elements lie, as u64");
  command->add_option("-d,--device", words->selector, "On this device (see clwave --help)");
  command->add_flag("--json", words->as_json, "As JSON, schema clwave-sort/1");
  command->footer(
      "Stable. NaNs come behind all numbers, descending before them. Elements of several dimensions are "
      "taken "
      "in the\n"
      "order in which the file has them. seconds: a call as the host sees it, data already on the device: "
      "the\n"
      "median of 3 to 21 calls after one to warm up.");
  command->callback([words, &exit] { exit = sort_file(*words); });
}

const registered_commands sort_file_listed("sort_file", {add_sort});

}  // namespace
}  // namespace clwave::tool
