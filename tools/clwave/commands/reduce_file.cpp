// clwave reduce FILE: folds a file's elements on a device; one that no buffer holds, or on several devices,
// as it is read.
#include <atomic>
#include <chrono>
#include <cstdio>
#include <memory>
#include <vector>

#include <CLI/CLI.hpp>

#include <clwave/host_array.hpp>

#include "drivers/session.hpp"
#include "files/input_file.hpp"
#include "shared/output.hpp"
#include "shared/terminal.hpp"

namespace clwave::tool {
namespace {

struct reduce_file_words {
  std::string path, selector, devices;
  reduce_words call;
  bool as_json = false;
};

// One call, whose time begins with the first element that is read.
timed_value reduce_streamed(const std::vector<cl_command_queue>& queues, const input_file& file,
                            const reduce_meaning& meaning) {
  using clock = std::chrono::steady_clock;
  std::atomic<std::uint64_t> bytes_read{0};
  std::atomic<clock::rep> begun{clock::now().time_since_epoch().count()};
  std::atomic_flag has_begun = ATOMIC_FLAG_INIT;
  const waiting word([&] {
    char text[64];
    std::snprintf(text, sizeof text, ": %.0f %% of ",
                  100.0 * static_cast<double>(bytes_read) / static_cast<double>(file.bytes()));
    return "reducing " + file.path() + text + binary_size(file.bytes());
  });
  const std::size_t element_bytes = meaning.type->size;
  const detail::host_elements x{
      .n = file.n(), .type = meaning.type, .read = [&](std::uint64_t first, std::size_t count, void* into) {
        if (!has_begun.test_and_set()) begun = clock::now().time_since_epoch().count();
        file.read_at(first * element_bytes, into, count * element_bytes);
        bytes_read += count * element_bytes;
      }};
  timed_value result{.calls = 1};
  result.bytes.resize(meaning.accumulator.size);
  detail::reduce_host_array({.queues = queues,
                             .x = &x,
                             .y = nullptr,
                             .accumulator = &meaning.accumulator,
                             .folded = meaning.value,
                             .fold = meaning.fold->fold,
                             .apply = meaning.fold->apply},
                            result.bytes.data());
  const clock::duration took = clock::now().time_since_epoch() - clock::duration(begun);
  result.seconds = std::chrono::duration<double>(took).count();
  return result;
}

timed_value reduce_on_device(const session& on, input_file& file, const reduce_meaning& meaning) {
  const cl::Buffer data = upload(on, file.bytes(), "reading " + file.path(),
                                 [&](void* into, std::size_t size) { file.read(into, size); });
  timed_value result = run_reduce(on, data, file.n(), meaning);
  if (!result.same_bits)
    throw stop(exit_wrong_result, "wrong result: two calls on the same input differ in their bits");
  return result;
}

int reduce_file(reduce_file_words words) {
  // All that can be wrong with the words and the file is found before any driver is asked.
  input_file file(words.path, words.call.type);
  words.call.type = file.type().name;
  const reduce_meaning meaning = meaning_of(words.call);
  if (!words.devices.empty()) words.selector = first_selector(words.devices);

  const session on(words.selector);
  std::vector<further_device> others;
  if (!words.devices.empty()) others = further_devices(on, words.devices);
  const bool streams = !words.devices.empty() || !fits(on, file.bytes());
  std::vector<cl_command_queue> queues{on.queue()};
  json names = json::array({on.device_name()});
  std::string places = on.device_name() + ", profile " + short_text_of(on.choice);
  for (const further_device& each : others) {
    queues.push_back(each.made.queue());
    names.push_back(each.device_name());
    places += "; " + each.device_name() + ", profile " + short_text_of(each.choice);
  }
  const timed_value result =
      streams ? reduce_streamed(queues, file, meaning) : reduce_on_device(on, file, meaning);
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
    all["streamed"] = streams;
    all["devices"] = names;
    out() << text_of(all) << '\n';
    return exit_ok;
  }
  out() << meaning.fold->name << " of " << file.n() << ' ' << meaning.type->name << ", accumulated in "
        << meaning.value->name << ": " << result.text(*meaning.value) << "  (" << result.hex(*meaning.value)
        << ')';
  if (meaning.fold->indexed) out() << " at index " << result.index();
  char speed[80];
  if (streams)
    std::snprintf(speed, sizeof speed, "%.3f s, %.1f GB/s (one call, as it was read)", result.seconds,
                  gb_per_s);
  else
    std::snprintf(speed, sizeof speed, "%.1f us, %.1f GB/s (median of %u calls)", result.seconds * 1e6,
                  gb_per_s, result.calls);
  out() << '\n' << speed << " on " << places << '\n';
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
  CLI::Option* one =
      command->add_option("-d,--device", words->selector, "On this device (see clwave --help)");
  command
      ->add_option("--devices", words->devices,
                   "On several, as the file is read: such words with commas between them, or all")
      ->excludes(one);
  command->add_flag("--json", words->as_json, "As JSON, schema clwave-reduce/1");
  command->footer(
      "seconds: the blocking call as the host sees it, data already on the device: the median of 3 to 21 "
      "calls\n"
      "after one to warm up, whose bits must all agree. With --devices, and of a file that is larger than "
      "the\n"
      "device's largest buffer, one call that reads the file, from the first byte read on. hex: the bits of "
      "the\n"
      "value, most significant first. NaN and infinities are the JSON strings \"nan\", \"inf\" and "
      "\"-inf\".");
  command->callback([words, &exit] { exit = reduce_file(*words); });
}

const registered_commands reduce_file_listed("reduce_file", {add_reduce});

}  // namespace
}  // namespace clwave::tool
