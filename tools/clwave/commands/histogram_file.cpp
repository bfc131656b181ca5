// clwave histogram FILE: how many of a file's elements fall into each of some even bins, on a device; of a
// file that no buffer holds, or on several devices, as it is read.
#include "commands/histogram_file.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <optional>
#include <string>
#include <system_error>
#include <vector>

#include <CLI/CLI.hpp>

#include <clwave/histogram.hpp>
#include <clwave/host_array.hpp>
#include <clwave/host_array_histogram.hpp>
#include <clwave/reduce.hpp>

#include "commands/file_command.hpp"
#include "drivers/session.hpp"
#include "drivers/streams.hpp"
#include "files/input_file.hpp"
#include "files/output_file.hpp"
#include "primitives/histogram.hpp"
#include "program/element_words.hpp"
#include "shared/output.hpp"
#include "shared/reductions.hpp"
#include "shared/terminal.hpp"
#include "shared/words.hpp"

namespace clwave::tool {

bound bound_of(const std::string& text) {
  const char* const first = text.data();
  const char* const last = first + text.size();
  const auto whole = [&](auto number) -> std::optional<bound> {
    const auto [end, code] = std::from_chars(first, last, number);
    return code == std::errc() && end == last ? std::optional<bound>(number) : std::nullopt;
  };
  if (const auto number = whole(std::int64_t{})) return *number;
  if (const auto number = whole(std::uint64_t{})) return *number;
  char* end = nullptr;
  const bound number = std::strtod(first, &end);
  if (text.empty() || end != last || !number.is_finite()) refuse("\"" + text + "\" is no number");
  return number;
}

namespace {

struct histogram_file_words : file_words {
  std::string type, bins;
  std::vector<std::string> range;
  unsigned channels = 1;
};

// Where even bins lie, and how many of them there are.
struct bins_of_file {
  even bounds;
  double lo = 0, hi = 0;  // for people
  std::uint64_t bins = 0;
};

constexpr std::uint64_t usual_bins = 16;

// Folds a file's elements, wherever they are, to a value of the accumulator's type.
using file_fold =
    std::function<void(const op& fold, const map& apply, const element& accumulator, void* result)>;

// The least or the largest element that is finite, of all; an infinity where there is none.
template <class T>
T end_of(const file_fold& folded, const op& fold) {
  const map finite{
      .name = "finite",
      .source = fold.kind == op_kind::min ? "isfinite(x) ? x : INFINITY" : "isfinite(x) ? x : -INFINITY"};
  const bool floats = std::is_floating_point_v<T>;
  T end{};
  folded(fold, floats ? finite : identity, element_of<T>(), &end);
  return end;
}

// From the least element to behind the largest one.
template <class T>
bins_of_file bins_of_elements(const file_fold& folded, const input_file& file) {
  bins_of_file found;
  T least = 0, largest = 0;
  if (file.n() > 0) {
    least = end_of<T>(folded, min);
    largest = end_of<T>(folded, max);
  }
  found.lo = static_cast<double>(least);
  if constexpr (std::is_floating_point_v<T>) {
    if (!std::isfinite(found.lo)) least = largest = 0;
    found.lo = static_cast<double>(least);
    found.hi = static_cast<double>(largest);
    if (found.lo == found.hi) {
      found.lo -= 0.5;
      found.hi += 0.5;
    }
    found.hi = std::nextafter(found.hi, INFINITY);
    found.bounds = {found.lo, found.hi};
    found.bins = usual_bins;
  } else {
    found.hi = static_cast<double>(largest) + 1;
    // Behind the largest number of 64 bits there is none, but a double.
    const bool last = largest == std::numeric_limits<T>::max();
    found.bounds = {least, last ? bound(found.hi) : bound(static_cast<T>(largest + 1))};
    const std::uint64_t width = static_cast<std::uint64_t>(largest) - static_cast<std::uint64_t>(least);
    found.bins = std::min(width, usual_bins - 1) + 1;
  }
  return found;
}

bins_of_file bins_for(const histogram_file_words& words, const input_file& file, const file_fold& folded) {
  bins_of_file found;
  if (!words.range.empty()) {
    found.bounds = {bound_of(words.range[0]), bound_of(words.range[1])};
    found.lo = std::strtod(words.range[0].c_str(), nullptr);
    found.hi = std::strtod(words.range[1].c_str(), nullptr);
    found.bins = usual_bins;
  } else if (detail::is_storage(file.type())) {
    found = bins_of_elements<float>(folded, file);
  } else if (detail::is_bool(file.type())) {
    found = {.bounds = {0, 2}, .lo = 0, .hi = 2, .bins = 2};
  } else {
    found = detail::with_scalar(detail::scalar_name(file.type()), [&](auto zero) {
      using number = decltype(zero);
      if constexpr (std::is_same_v<number, std::uint16_t>)
        return bins_of_elements<std::uint32_t>(folded, file);
      else
        return bins_of_elements<number>(folded, file);
    });
  }
  if (!words.bins.empty()) found.bins = number_of_elements(words.bins);
  return found;
}

std::string edge_text(double edge) {
  char text[32];
  std::snprintf(text, sizeof text, "%.6g", edge);
  return text;
}

// A line with a bar for each bin, or for some neighbouring ones where they are many.
void print_bars(const std::vector<std::uint64_t>& counts, const bins_of_file& of, unsigned channels) {
  constexpr std::uint64_t most_lines = 64;
  const std::uint64_t each = (of.bins + most_lines - 1) / most_lines;
  std::vector<std::uint64_t> sums;
  for (std::uint64_t k = 0; k < channels * of.bins; ++k) {
    if (k % of.bins % each == 0) sums.push_back(0);
    sums.back() += counts[k];
  }
  const std::uint64_t lines = sums.size() / channels;
  const std::uint64_t largest = std::max<std::uint64_t>(*std::max_element(sums.begin(), sums.end()), 1);
  std::size_t edge_width = 0;
  const auto edge = [&](std::uint64_t line) {
    const double share = static_cast<double>(std::min(line * each, of.bins)) / static_cast<double>(of.bins);
    return edge_text(of.lo + share * (of.hi - of.lo));
  };
  for (std::uint64_t line = 0; line <= lines; ++line) edge_width = std::max(edge_width, edge(line).size());
  const std::size_t count_width = std::to_string(largest).size();
  const std::size_t used = edge_width + count_width + 6, columns = output_columns();
  const std::size_t room = columns > used + 10 ? columns - used : 10;
  for (unsigned channel = 0; channel < channels; ++channel) {
    if (channels > 1) out() << "channel " << channel << ":\n";
    for (std::uint64_t line = 0; line < lines; ++line) {
      const std::uint64_t count = sums[channel * lines + line];
      const double share = static_cast<double>(count) / static_cast<double>(largest);
      // What is there shows.
      const auto bar = static_cast<std::size_t>(std::ceil(share * static_cast<double>(room)));
      const std::string left = edge(line), number = std::to_string(count);
      out() << "  " << std::string(edge_width - left.size(), ' ') << left << "  "
            << std::string(count_width - number.size(), ' ') << number << (bar > 0 ? "  " : "")
            << std::string(bar, '#') << '\n';
    }
    const std::string last = edge(lines);
    out() << "  " << std::string(edge_width - last.size(), ' ') << last << '\n';
  }
}

// The folds of a file's elements that lie on a device.
file_fold folds_on_device(const session& on, const cl::Buffer& data, const input_file& file) {
  return [&on, data, &file](const op& fold, const map& apply, const element& type, void* result) {
    reduce(
        on.queue(),
        reduce_problem{
            .in = {data(), file.n(), 0, &file.type()}, .accumulator = &type, .fold = &fold, .apply = &apply},
        result);
  };
}

// Each reads the whole file.
file_fold folds_streamed(const chosen_devices& on, const input_file& file) {
  return [&on, &file](const op& fold, const map& apply, const element& type, void* result) {
    const file_stream stream(file, "finding the range of");
    detail::reduce_host_array({.queues = on.queues(),
                               .x = &stream.elements(),
                               .y = nullptr,
                               .accumulator = &type,
                               .folded = &type,
                               .fold = &fold,
                               .apply = &apply},
                              result);
  };
}

struct timed_counts {
  std::vector<std::uint64_t> counts = {};
  double seconds = 0;
  unsigned calls = 1;
};

timed_counts count_on_device(const session& on, const cl::Buffer& data, const input_file& file,
                             const bins_of_file& of, unsigned channels) {
  const element& count = element_of<std::uint64_t>();
  const std::uint64_t n_counts = of.bins * channels;
  const timed_results histogram(on, n_counts * count.size, [&](const cl::Buffer& results) {
    return clwave::histogram(on.queue(), histogram_problem{.in = {data(), file.n(), 0, &file.type()},
                                                           .counts = {results(), n_counts, 0, &count},
                                                           .bounds = of.bounds,
                                                           .channels = channels});
  });
  timed_counts found{.seconds = histogram.seconds(), .calls = histogram.calls()};
  found.counts.reserve(n_counts);
  histogram.read("reading results", [&](const void* from, std::size_t size) {
    const std::size_t had = found.counts.size();
    found.counts.resize(had + size / sizeof(std::uint64_t));
    std::memcpy(found.counts.data() + had, from, size);
  });
  return found;
}

// One call, whose time begins with the first element that is read.
timed_counts count_streamed(const chosen_devices& on, const input_file& file, const bins_of_file& of,
                            unsigned channels) {
  timed_counts found;
  found.counts.resize(of.bins * channels);
  const file_stream stream(file, "counting");
  detail::histogram_host_array({.queues = on.queues(),
                                .in = &stream.elements(),
                                .counts = found.counts.data(),
                                .n_counts = found.counts.size(),
                                .count_type = &element_of<std::uint64_t>(),
                                .bins = of.bounds,
                                .channels = channels});
  found.seconds = stream.seconds();
  return found;
}

int histogram_file(histogram_file_words words) {
  // All that can be wrong with the words and the files is found before any driver is asked.
  input_file file(words.path, words.type,
                  words.channels > 1 ? input_file::as::numbers : input_file::as::any_order);
  if (file.type().kind == element_kind::complex)
    refuse("complex numbers have no order, and so no bins", "store their parts or absolute values");
  if (!words.bins.empty()) number_of_elements(words.bins);
  for (const std::string& end : words.range) bound_of(end);

  const chosen_devices devices(words.devices);
  const session& on = devices.first();
  const bool streams = devices.is_list() || !fits(on, file.bytes());
  cl::Buffer data;
  if (!streams)
    data = upload(on, file.bytes(), "reading " + file.path(),
                  [&](void* into, std::size_t size) { file.read(into, size); });
  const bins_of_file of =
      bins_for(words, file, streams ? folds_streamed(devices, file) : folds_on_device(on, data, file));
  // Before there is memory for their counts.
  const std::uint64_t n_counts =
      std::min(of.bins, ~std::uint64_t{0} / std::max(words.channels, 1u)) * words.channels;
  detail::check_histogram({.in = {file.type(), file.n()},
                           .counts = {element_of<std::uint64_t>(), n_counts},
                           .bounds = of.bounds,
                           .channels = words.channels});
  std::optional<output_file> written;
  if (!words.output.empty())
    written.emplace(words.output, element_of<std::uint64_t>(), of.bins * words.channels);
  const timed_counts found = streams ? count_streamed(devices, file, of, words.channels)
                                     : count_on_device(on, data, file, of, words.channels);
  const std::vector<std::uint64_t>& counts = found.counts;
  if (written) {
    written->write(counts.data(), counts.size() * sizeof(std::uint64_t));
    written->finish();
  }
  std::uint64_t inside = 0;
  for (const std::uint64_t each : counts) inside += each;
  const file_call call{.seconds = found.seconds,
                       .calls = found.calls,
                       .per_second = static_cast<double>(file.bytes()) / found.seconds,
                       .streamed = streams};
  constexpr std::uint64_t most_shown = 4096;
  const json before = {{"schema", "clwave-histogram/1"},
                       {"n", file.n()},
                       {"bins", of.bins},
                       {"channels", words.channels},
                       {"range", {of.lo, of.hi}},
                       {"counts", counts.size() <= most_shown ? json(counts) : json()},
                       {"outside", file.n() - inside}};
  const json behind = {{"type", file.type().name},
                       {"output", words.output.empty() ? json() : json(words.output)}};
  return tell_file_call(words, devices, call, before, behind, [&] {
    print_bars(counts, of, words.channels);
    std::string about = std::to_string(file.n()) + ' ' + file.type().name + " in " + std::to_string(of.bins) +
                        (of.bins == 1 ? " bin" : " bins");
    if (file.n() != inside) about += ", " + std::to_string(file.n() - inside) + " outside";
    if (written) about += ", counts written to " + words.output;
    return about;
  });
}

void add_histogram(CLI::App& app, int& exit) {
  const file_command command{
      .name = "histogram",
      .does = "How many of a file's elements fall into each bin",
      .footer =
          "A bin has the elements from its own edge to before the next one's; NaNs and what lies outside "
          "count "
          "nowhere.\n"
          "A line stands for one bin, or for some neighbours where there are more than 64. seconds: a call "
          "as "
          "the host\n"
          "sees it, data already on the device: the median of 3 to 21 calls after one to warm up. With "
          "--devices, "
          "and of\n"
          "a file that is larger than the device's largest buffer, one call that reads the file, from the "
          "first "
          "byte\n"
          "read on; where no --range is given, the file is read twice before that.",
      .output = "Write the counts, as u64, to this .npy file, which they replace when all are there"};
  add_file_command(app, exit, command, histogram_file, [](CLI::App& added, histogram_file_words& words) {
    added.add_option("--type", words.type, help_of_raw_type(/*ordered=*/true));
    added.add_option("--bins", words.bins,
                     "How many bins, to 16M (default: 16, or one for each whole number)");
    added
        .add_option("--range", words.range,
                    "LO HI: bins of one width from LO to before HI (default: from the least to the largest "
                    "element)")
        ->expected(2);
    added
        .add_option("--channels", words.channels, "Channels of a pixel, each with counts of its own, 1 to 4")
        ->capture_default_str();
  });
}

const registered_commands histogram_file_listed("histogram_file", {add_histogram});

}  // namespace
}  // namespace clwave::tool
