// clwave reduce FILE: folds a file's elements on a device.
#include <cstdio>
#include <memory>

#include <CLI/CLI.hpp>

#include "drivers/session.hpp"
#include "files/input_file.hpp"
#include "shared/output.hpp"

namespace clwave::tool {
namespace {

struct reduce_file_words {
  std::string path, selector;
  reduce_words call;
  bool as_json = false;
};

int reduce_file(reduce_file_words words) {
  // All that can be wrong with the words and the file is found before any driver is asked.
  input_file file(words.path, words.call.type);
  words.call.type = file.type().name;
  const reduce_meaning meaning = meaning_of(words.call);

  const session on(words.selector);
  const cl::Buffer data = upload(on, file.bytes(), "reading " + words.path,
                                 [&](void* into, std::size_t size) { file.read(into, size); });
  const timed_value result = run_reduce(on, data, file.n(), meaning);
  if (!result.same_bits)
    throw stop(exit_wrong_result, "wrong result: two calls on the same input differ in their bits");
  const double gb_per_s = static_cast<double>(file.bytes()) / result.seconds / 1e9;

  if (words.as_json) {
    json all = {{"schema", "clwave-reduce/1"},
                {"value", result.number(*meaning.value)},
                {"hex", result.hex(*meaning.value)}};
    if (meaning.fold->indexed) all["index"] = result.index();
    all["n"] = file.n();
    all["seconds"] = result.seconds;
    all["gb_per_s"] = gb_per_s;
    all["calls"] = result.calls;
    all["device"] = on.device_name();
    all["profile"] = on.choice.row->name;
    all["op"] = meaning.fold->name;
    all["type"] = meaning.type->name;
    all["acc"] = meaning.value->name;
    out() << text_of(all) << '\n';
    return exit_ok;
  }
  out() << meaning.fold->name << " of " << file.n() << ' ' << meaning.type->name << ", accumulated in "
        << meaning.value->name << ": " << result.text(*meaning.value) << "  (" << result.hex(*meaning.value)
        << ')';
  if (meaning.fold->indexed) out() << " at index " << result.index();
  char speed[80];
  std::snprintf(speed, sizeof speed, "%.1f us, %.1f GB/s (median of %u calls)", result.seconds * 1e6,
                gb_per_s, result.calls);
  out() << '\n' << speed << " on " << on.device_name() << ", profile " << short_text_of(on.choice) << '\n';
  return exit_ok;
}

void add_reduce(CLI::App& app, int& exit) {
  CLI::App* command = app.add_subcommand("reduce", "Folds the elements of a file into one value");
  auto words = std::make_shared<reduce_file_words>();
  words->call.type.clear();  // so that a .npy file's own type is not contradicted
  command->add_option("FILE", words->path, "A .npy file, or raw little-endian elements (--type)")->required();
  add_reduce_options(*command, words->call);
  command->get_option("--type")->description(
      "Element type of a raw file, which must be given: i8 to i64, u8 to u64, f16, f32, f64");
  command->add_option("-d,--device", words->selector, "On this device (see clwave --help)");
  command->add_flag("--json", words->as_json, "As JSON, schema clwave-reduce/1");
  command->footer(
      "seconds: the blocking call as the host sees it, data already on the device: the median of 3 to 21 "
      "calls\n"
      "after one to warm up, whose bits must all agree. hex: the bits of the value, most significant first.\n"
      "NaN and infinities are the JSON strings \"nan\", \"inf\" and \"-inf\".");
  command->callback([words, &exit] { exit = reduce_file(*words); });
}

const registered_commands reduce_file_listed("reduce_file", {add_reduce});

}  // namespace
}  // namespace clwave::tool
