// clwave scan FILE: the running folds of a file's elements, on a device; of one that does not fit there with
// its results, or on several devices, as it is read.
#include <cstring>
#include <optional>
#include <string>

#include <CLI/CLI.hpp>

#include <clwave/host_array_scan.hpp>
#include <clwave/scan.hpp>

#include "commands/file_command.hpp"
#include "drivers/session.hpp"
#include "drivers/streams.hpp"
#include "files/input_file.hpp"
#include "files/output_file.hpp"
#include "shared/output.hpp"
#include "shared/words.hpp"

namespace clwave::tool {
namespace {

struct scan_file_words : file_words {
  reduce_words call;
  bool exclusive = false;
};

// One call, whose time begins with the first element that is read. Gives the last result.
timed_value scan_streamed(const chosen_devices& on, const input_file& file, const reduce_meaning& meaning,
                          bool exclusive, output_file* written) {
  const file_stream stream(file, "scanning");
  const std::size_t size = meaning.value->size;
  timed_value last{.calls = 1};
  last.bytes.resize(size);
  const detail::host_results results{
      .n = file.n(),
      .type = meaning.value,
      .write = [&](std::uint64_t first, std::size_t n, const void* from) {
        if (written != nullptr) written->write_at(first * size, from, n * size);
        // Of one piece alone.
        if (first + n == file.n())
          std::memcpy(last.bytes.data(), static_cast<const unsigned char*>(from) + (n - 1) * size, size);
      }};
  detail::scan_host_array({.queues = on.queues(),
                           .in = &stream.elements(),
                           .out = &results,
                           .fold = meaning.operation(),
                           .apply = meaning.applied(),
                           .exclusive = exclusive,
                           .start = nullptr});
  last.seconds = stream.seconds();
  return last;
}

// Several calls, whose time is the median; the last result.
timed_value scan_on_device(const session& on, input_file& file, const reduce_meaning& meaning, bool exclusive,
                           output_file* written, const std::string& doing) {
  const cl::Buffer data = upload(on, file.bytes(), "reading " + file.path(),
                                 [&](void* into, std::size_t size) { file.read(into, size); });
  const timed_results scan(on, file.n() * meaning.value->size, [&](const cl::Buffer& results) {
    return clwave::scan(on.queue(), scan_problem{.in = {data(), file.n(), 0, meaning.type},
                                                 .out = {results(), file.n(), 0, meaning.value},
                                                 .fold = meaning.operation(),
                                                 .apply = meaning.applied(),
                                                 .exclusive = exclusive});
  });
  timed_value last{.seconds = scan.seconds(), .calls = scan.calls()};
  last.bytes.resize(meaning.value->size);
  scan.read(doing, [&](const void* from, std::size_t size) {
    if (written != nullptr) written->write(from, size);
    std::memcpy(last.bytes.data(), static_cast<const unsigned char*>(from) + size - last.bytes.size(),
                last.bytes.size());
  });
  return last;
}

int scan_file(scan_file_words words) {
  // All that can be wrong with the words and the files is found before any driver is asked.
  input_file file(words.path, words.call.type);
  words.call.type = file.type().name;
  const reduce_meaning meaning = meaning_of(words.call);
  std::optional<output_file> written;
  if (!words.output.empty()) written.emplace(words.output, *meaning.value, file.n());
  output_file* const to = written ? &*written : nullptr;

  const chosen_devices devices(words.devices);
  const session& on = devices.first();
  const std::uint64_t result_bytes = file.n() * meaning.value->size, all_bytes = file.bytes() + result_bytes;
  const bool streams = devices.is_list() || !fits(on, file.bytes()) || !fits(on, result_bytes) ||
                       !fits_in_memory(on, all_bytes);
  const timed_value last =
      streams ? scan_streamed(devices, file, meaning, words.exclusive, to)
              : scan_on_device(on, file, meaning, words.exclusive, to, words.doing_with_results());
  if (written) written->finish();
  const file_call call{.seconds = last.seconds,
                       .calls = last.calls,
                       .per_second = static_cast<double>(all_bytes) / last.seconds,
                       .streamed = streams};
  const bool any = file.n() > 0;
  json behind = record_of(meaning);
  behind["exclusive"] = words.exclusive;
  behind["output"] = words.output.empty() ? json() : json(words.output);
  return tell_file_call(words, devices, call,
                        {{"schema", "clwave-scan/1"},
                         {"n", file.n()},
                         {"last", any ? last.number(*meaning.value) : json()},
                         {"hex", any ? json(last.hex(*meaning.value)) : json()}},
                        behind, [&] {
                          if (any) out() << last.text(*meaning.value) << '\n';
                          std::string about = (words.exclusive ? "exclusive" : "inclusive") +
                                              std::string(" scan by ") + std::string(meaning.fold->name) +
                                              " of " + std::to_string(file.n()) + ' ' + meaning.type->name +
                                              ", accumulated in " + meaning.value->name;
                          if (any) about += "; the last result  (" + last.hex(*meaning.value) + ')';
                          if (written) about += "\nwritten to " + words.output;
                          return about;
                        });
}

void add_scan(CLI::App& app, int& exit) {
  const file_command command{
      .name = "scan",
      .does = "The running folds of a file's elements",
      .footer =
          "The elements of several dimensions are taken in the order in which the file has them. The last "
          "result "
          "and\n"
          "`clwave reduce` of the same floats may differ in bits: each has an order of its own. seconds: a "
          "call "
          "as the\n"
          "host sees it, data already on the device: the median of 3 to 21 calls after one to warm up. With "
          "--devices,\n"
          "and of a file that does not fit on the device with its results, one call that reads and writes, "
          "from "
          "the first\n"
          "byte read on; its results have the same bits."};
  add_file_command(app, exit, command, scan_file, [](CLI::App& added, scan_file_words& words) {
    add_reduce_of_file(added, words.call, folds_for::scans);
    added.add_flag("--exclusive", words.exclusive, "Of the elements before each place");
  });
}

const registered_commands scan_file_listed("scan_file", {add_scan});

}  // namespace
}  // namespace clwave::tool
