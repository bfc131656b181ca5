// Chooses the devices that a file streams to, reads it for them, and says how far it is.
#include "drivers/streams.hpp"

#include <cstdio>

#include <CLI/CLI.hpp>

namespace clwave::tool {

void add_device_options(CLI::App& command, device_words& words) {
  CLI::Option* one = command.add_option("-d,--device", words.selector, "On this device (see clwave --help)");
  command
      .add_option("--devices", words.list,
                  "On several, as the file is read: such words with commas between them, or all")
      ->excludes(one);
}

chosen_devices::chosen_devices(const device_words& words)
    : first_(words.list.empty() ? words.selector : first_selector(words.list)),
      others_(words.list.empty() ? std::vector<further_device>() : further_devices(first_, words.list)),
      queues_{first_.queue()},
      names_(json::array({first_.device_name()})),
      places_(first_.device_name() + ", profile " + short_text_of(first_.choice)),
      is_list_(!words.list.empty()) {
  for (const further_device& each : others_) {
    queues_.push_back(each.made.queue());
    names_.push_back(each.device_name());
    places_ += "; " + each.device_name() + ", profile " + short_text_of(each.choice);
  }
}

file_stream::file_stream(const input_file& file, const std::string& doing)
    : file_(file),
      begun_(clock::now().time_since_epoch().count()),
      elements_{.n = file.n(),
                .type = &file.type(),
                .read = [this](std::uint64_t first, std::size_t n, void* into) { read(first, n, into); }},
      word_([this, doing] { return how_far(doing); }) {}

void file_stream::read(std::uint64_t first, std::size_t n, void* into) {
  if (!has_begun_.test_and_set()) begun_ = clock::now().time_since_epoch().count();
  const std::size_t size = file_.type().size;
  file_.read_at(first * size, into, n * size);
  bytes_read_ += n * size;
}

std::string file_stream::how_far(const std::string& doing) const {
  char share[32];
  std::snprintf(share, sizeof share, ": %.0f %% of ",
                100.0 * static_cast<double>(bytes_read_) / static_cast<double>(file_.bytes()));
  return doing + " " + file_.path() + share + binary_size(file_.bytes());
}

double file_stream::seconds() const {
  return std::chrono::duration<double>(clock::now().time_since_epoch() - clock::duration(begun_)).count();
}

}  // namespace clwave::tool
