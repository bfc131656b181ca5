// The width and colours of standard output, and a line on standard error while something takes long.
#include "shared/terminal.hpp"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <thread>

#include "base/environment.hpp"
#include "shared/output.hpp"
#include "system/system.hpp"

namespace clwave::tool {
namespace {

constexpr std::size_t least_columns = 40;
constexpr std::size_t columns_of_files = 100;

bool output_is_terminal() { return output_descriptor() >= 0 && is_terminal(output_descriptor()); }

bool has_colours() {
  static const bool has = [] {
    const char* terminal = detail::environment("TERM");
    return output_is_terminal() && detail::environment("NO_COLOR") == nullptr &&
           (terminal == nullptr || std::string_view(terminal) != "dumb");
  }();
  return has;
}

}  // namespace

std::size_t output_columns() {
  static const std::size_t columns = [] {
    if (const char* said = detail::environment("COLUMNS")) {
      const long number = std::strtol(said, nullptr, 10);
      if (number > 0) return std::max(least_columns, static_cast<std::size_t>(number));
    }
    const std::size_t seen = output_is_terminal() ? terminal_columns(output_descriptor()) : 0;
    return seen > 0 ? std::max(least_columns, seen) : columns_of_files;
  }();
  return columns;
}

std::string painted(style as, std::string_view text) {
  if (!has_colours()) return std::string(text);
  return (as == style::heading ? "\033[1m" : "\033[2m") + std::string(text) + "\033[0m";
}

std::string wrapped(std::string_view text, std::size_t indent, std::size_t column) {
  const std::size_t width = output_columns();
  std::string lines;
  bool begun = false;  // the line has a word
  while (!text.empty()) {
    const std::size_t blanks = std::min(text.find_first_not_of(' '), text.size());
    text.remove_prefix(blanks);
    const std::size_t size = std::min(text.find(' '), text.size());
    if (size == 0) break;
    if (begun && column + 1 + size > width) {
      lines += "\n" + std::string(indent, ' ');
      column = indent;
    } else if (begun) {
      lines += ' ';
      ++column;
    }
    lines += text.substr(0, size);
    column += size;
    begun = true;
    text.remove_prefix(size);
  }
  return lines;
}

std::string binary_size(std::uint64_t bytes) {
  static constexpr const char* units[] = {"KiB", "MiB", "GiB", "TiB"};
  if (bytes < 1024) return {};
  double amount = static_cast<double>(bytes) / 1024;
  std::size_t unit = 0;
  for (; amount >= 1024 && unit + 1 < std::size(units); ++unit) amount /= 1024;
  char text[32] = {};
  std::snprintf(text, sizeof text, amount < 100 ? "%.3g %s" : "%.0f %s", amount, units[unit]);
  return text;
}

struct waiting::line {
  explicit line(std::function<std::string()> text) : what(std::move(text)), shower([this] { show(); }) {}

  void show() {
    using namespace std::chrono_literals;
    const auto start = std::chrono::steady_clock::now();
    std::unique_lock hold(lock);
    for (auto next = start + 2s; !end.wait_until(hold, next, [this] { return over; }); next += 1s) {
      const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(next - start).count();
      std::fprintf(stderr, "\r\033[K%s, %lld s", what().c_str(), static_cast<long long>(seconds));
      shown = true;
    }
    if (shown) std::fputs("\r\033[K", stderr);
  }

  std::function<std::string()> what;
  std::mutex lock;
  std::condition_variable end;
  bool over = false;
  bool shown = false;
  std::thread shower;  // last: it uses the others
};

waiting::waiting(std::string what) {
  if (!what.empty() && errors_go_to_terminal())
    line_ = std::make_unique<line>([text = std::move(what)] { return text; });
}

waiting::waiting(std::function<std::string()> what) {
  if (errors_go_to_terminal()) line_ = std::make_unique<line>(std::move(what));
}

waiting::~waiting() {
  if (!line_) return;
  {
    const std::lock_guard hold(line_->lock);
    line_->over = true;
  }
  line_->end.notify_one();
  line_->shower.join();
}

}  // namespace clwave::tool
