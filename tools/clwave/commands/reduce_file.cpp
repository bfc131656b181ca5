// clwave reduce FILE: folds a file's elements on a device; one that no buffer holds, or on several devices,
// as it is read.
#include <string>
#include <utility>

#include <CLI/CLI.hpp>

#include <clwave/host_array.hpp>

#include "commands/file_command.hpp"
#include "drivers/session.hpp"
#include "drivers/streams.hpp"
#include "files/input_file.hpp"
#include "shared/output.hpp"

namespace clwave::tool {
namespace {

struct reduce_file_words : file_words {
  reduce_words call;
};

// One call, whose time begins with the first element that is read.
timed_value reduce_streamed(const chosen_devices& on, const input_file& file, const reduce_meaning& meaning) {
  const file_stream stream(file, "reducing");
  timed_value result{.calls = 1};
  result.bytes.resize(meaning.accumulator.size);
  detail::reduce_host_array({.queues = on.queues(),
                             .x = &stream.elements(),
                             .y = nullptr,
                             .accumulator = &meaning.accumulator,
                             .folded = meaning.own_fold.source.empty() ? meaning.value : &meaning.accumulator,
                             .fold = meaning.operation(),
                             .apply = meaning.applied()},
                            result.bytes.data());
  result.seconds = stream.seconds();
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
  const bool by_place = words.call.op == "argmin" || words.call.op == "argmax";
  input_file file(words.path, words.call.type,
                  by_place ? input_file::as::numbers : input_file::as::any_order);
  words.call.type = file.type().name;
  const reduce_meaning meaning = meaning_of(words.call);
  const chosen_devices devices(words.devices);
  const session& on = devices.first();
  const bool streams = devices.is_list() || !fits(on, file.bytes());
  timed_value result =
      streams ? reduce_streamed(devices, file, meaning) : reduce_on_device(on, file, meaning);
  result.bytes = ended(meaning, std::move(result.bytes), file.n());
  const file_call call{.seconds = result.seconds,
                       .calls = result.calls,
                       .per_second = static_cast<double>(file.bytes()) / result.seconds,
                       .streamed = streams};
  json before = {{"schema", "clwave-reduce/1"},
                 {"value", result.number(*meaning.value)},
                 {"hex", result.hex(*meaning.value)}};
  if (meaning.fold->indexed) before["index"] = result.index();
  before["n"] = file.n();
  return tell_file_call(words, devices, call, std::move(before), record_of(meaning), [&] {
    out() << result.text(*meaning.value);
    if (meaning.fold->indexed) out() << " at index " << result.index();
    out() << '\n';
    return std::string(meaning.fold->name) + " of " + std::to_string(file.n()) + ' ' + meaning.type->name +
           ", accumulated in " + meaning.value->name + "  (" + result.hex(*meaning.value) + ')' +
           (file.is_fortran() ? ", in the order of the file, which is Fortran's" : "");
  });
}

void add_reduce(CLI::App& app, int& exit) {
  const file_command command{
      .name = "reduce",
      .does = "Folds the elements of a file into one value",
      .footer =
          "seconds: the blocking call as the host sees it, data already on the device: the median of 3 to 21 "
          "calls\n"
          "after one to warm up, whose bits must all agree. With --devices, and of a file that is larger "
          "than "
          "the\n"
          "device's largest buffer, one call that reads the file, from the first byte read on. hex: the bits "
          "of "
          "the\n"
          "value, most significant first. NaN and infinities are the JSON strings \"nan\", \"inf\" and "
          "\"-inf\".\n"
          "count: how many elements are other than 0. std: of all n, as numpy.std has it. The value goes to "
          "standard\n"
          "output, and all else to standard error. Example: clwave reduce data.npy --op mean",
      .output = nullptr};
  add_file_command(app, exit, command, reduce_file, [](CLI::App& added, reduce_file_words& words) {
    add_reduce_of_file(added, words.call, folds_for::whole_files);
  });
}

const registered_commands reduce_file_listed("reduce_file", {add_reduce});

}  // namespace
}  // namespace clwave::tool
