// clwave scan FILE: the running folds of a file's elements, on a device.
#include <cstdio>
#include <cstring>
#include <memory>
#include <optional>
#include <vector>

#include <CLI/CLI.hpp>

#include <clwave/scan.hpp>

#include "drivers/session.hpp"
#include "files/input_file.hpp"
#include "files/output_file.hpp"
#include "shared/output.hpp"
#include "shared/words.hpp"

namespace clwave::tool {
namespace {

struct scan_file_words {
  std::string path, output, selector;
  reduce_words call;
  bool exclusive = false, as_json = false;
};

int scan_file(scan_file_words words) {
  // All that can be wrong with the words and the files is found before any driver is asked.
  input_file file(words.path, words.call.type);
  words.call.type = file.type().name;
  const reduce_meaning meaning = meaning_of(words.call);
  if (meaning.fold->indexed) refuse("a scan takes no " + words.call.op);
  std::optional<output_file> written;
  if (!words.output.empty()) written.emplace(words.output, *meaning.value, file.n());

  const session on(words.selector);
  const std::uint64_t all_bytes = file.bytes() + file.n() * meaning.value->size;
  check_memory(on, all_bytes);
  const cl::Buffer data = upload(on, file.bytes(), "reading " + words.path,
                                 [&](void* into, std::size_t size) { file.read(into, size); });
  const timed_results scan(on, file.n() * meaning.value->size, [&](const cl::Buffer& results) {
    return detail::scan(on.queue(),
                        {.in = {data(), file.n(), 0, meaning.type},
                         .out = {results(), file.n(), 0, meaning.value},
                         .fold = meaning.fold->fold,
                         .apply = meaning.fold->apply,
                         .exclusive = words.exclusive,
                         .start = nullptr},
                        {});
  });
  timed_value last;
  last.bytes.resize(meaning.value->size);
  scan.read(words.output.empty() ? "reading results" : "writing " + words.output, [&](const void* from,
                                                                                      std::size_t size) {
    if (written) written->write(from, size);
    std::memcpy(last.bytes.data(), static_cast<const unsigned char*>(from) + size - last.bytes.size(),
                last.bytes.size());
  });
  if (written) written->finish();
  const double gb_per_s = static_cast<double>(all_bytes) / scan.seconds() / 1e9;

  if (words.as_json) {
    json all = {{"schema", "clwave-scan/1"}, {"n", file.n()}};
    all["last"] = file.n() > 0 ? last.number(*meaning.value) : json();
    all["hex"] = file.n() > 0 ? json(last.hex(*meaning.value)) : json();
    all["seconds"] = scan.seconds();
    all["gb_per_s"] = gb_per_s;
    all["calls"] = scan.calls();
    all["device"] = on.device_name();
    all["profile"] = on.choice.row->name;
    all["op"] = meaning.fold->name;
    all["type"] = meaning.type->name;
    all["acc"] = meaning.value->name;
    all["exclusive"] = words.exclusive;
    all["output"] = words.output.empty() ? json() : json(words.output);
    out() << text_of(all) << '\n';
    return exit_ok;
  }
  out() << (words.exclusive ? "exclusive" : "inclusive") << " scan by " << meaning.fold->name << " of "
        << file.n() << ' ' << meaning.type->name << ", accumulated in " << meaning.value->name;
  if (file.n() > 0)
    out() << "; the last result: " << last.text(*meaning.value) << "  (" << last.hex(*meaning.value) << ')';
  if (written) out() << "\nwritten to " << words.output;
  char speed[80];
  std::snprintf(speed, sizeof speed, "%.1f us, %.1f GB/s (median of %u calls)", scan.seconds() * 1e6,
                gb_per_s, scan.calls());
  out() << '\n' << speed << " on " << on.device_name() << ", profile " << short_text_of(on.choice) << '\n';
  return exit_ok;
}

void add_scan(CLI::App& app, int& exit) {
  CLI::App* command = app.add_subcommand("scan", "The running folds of a file's elements");
  auto words = std::make_shared<scan_file_words>();
  words->call.type.clear();  // so that a .npy file's own type is not contradicted
  command->add_option("FILE", words->path, "A .npy file, or raw little-endian elements (--type)")->required();
  command->add_option("-o,--output", words->output,
                      "Write the results to this .npy file, which they replace when all are there");
  add_reduce_options(*command, words->call);
  command->get_option("--type")->description(
      "Element type of a raw file, which must be given: i8 to i64, u8 to u64, f16, f32, f64");
  command->add_flag("--exclusive", words->exclusive, "Of the elements before each place");
  command->add_option("-d,--device", words->selector, "On this device (see clwave --help)");
  command->add_flag("--json", words->as_json, "As JSON, schema clwave-scan/1");
  command->footer(
      "The elements of several dimensions are taken in the order in which the file has them. The last result "
      "and\n"
      "`clwave reduce` of the same floats may differ in bits: each has an order of its own. seconds: a call "
      "as the\n"
      "host sees it, data already on the device: the median of 3 to 21 calls after one to warm up.");
  command->callback([words, &exit] { exit = scan_file(*words); });
}

const registered_commands scan_file_listed("scan_file", {add_scan});

}  // namespace
}  // namespace clwave::tool
