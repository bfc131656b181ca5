// What the commands on a file share: its words, and the one record of the call that was measured.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include <CLI/CLI.hpp>

#include "drivers/streams.hpp"
#include "files/input_file.hpp"
#include "shared/records.hpp"
#include "shared/reductions.hpp"

namespace clwave::tool {

// As given. Commands add their own.
struct file_words {
  std::string path, output;
  device_words devices;
  bool as_json = false;

  // What a terminal shows while results come.
  std::string doing_with_results() const { return output.empty() ? "reading results" : "writing " + output; }
};

// What --help says of a command.
struct file_command {
  std::string name, does, footer;
  const char* output =
      "Write the results to this .npy file, which they replace when all are there";  // null: none
  bool takes_list = true;                                                            // of devices
  const char* file = help_of_file;
  const char* schema = nullptr;  // of its record, where that is not the command's name
};

// A call on a file, as it was measured.
struct file_call {
  double seconds = 0;
  unsigned calls = 1;
  double per_second = 0;  // bytes, or keys
  bool of_keys = false;
  std::optional<bool> streamed = {};  // nothing: the command has no such way, nor several devices
};

// The options before and after a command's own.
CLI::App* begin_file_command(CLI::App& app, const file_command& command, file_words& words);
void end_file_command(CLI::App& added, const file_command& command, file_words& words);

// Adds a command whose words are its own behind those of all; `add_options` adds these.
template <class Words, class AddOptions>
void add_file_command(CLI::App& app, int& exit, const file_command& command, int (*run)(Words),
                      const AddOptions& add_options) {
  auto words = std::make_shared<Words>();
  CLI::App* const added = begin_file_command(app, command, *words);
  add_options(*added, *words);
  end_file_command(*added, command, *words);
  added->callback([words, run, &exit] { exit = run(*words); });
}

// Tells of a call, and returns the exit status: as JSON, with the record's members before and behind those of
// all commands; or for people, whose lines `people` prints before it returns what the call was.
int tell_file_call(const file_words& words, const chosen_devices& devices, const file_call& call, json before,
                   const json& behind, const std::function<std::string()>& people);

// The words of a reduction of a file's elements, whose type a .npy says itself.
void add_reduce_of_file(CLI::App& added, reduce_words& words, folds_for use);
// The record's members of it.
json record_of(const reduce_meaning& meaning);

}  // namespace clwave::tool
