// Keeps a private copy of standard output and points the public one to stderr.
#include "shared/output.hpp"

#include <array>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <streambuf>
#include <string>

#include "shared/common.hpp"
#include "system/system.hpp"

namespace clwave::tool {
namespace {

// A stream's buffer on a descriptor. After a write that failed, every later one fails too.
class descriptor_buffer : public std::streambuf {
 public:
  explicit descriptor_buffer(int descriptor) : file_(descriptor) { empty(); }

 protected:
  int_type overflow(int_type c) override {
    if (sync() != 0) return traits_type::eof();
    if (!traits_type::eq_int_type(c, traits_type::eof())) sputc(traits_type::to_char_type(c));
    return traits_type::not_eof(c);
  }
  int sync() override {
    for (const char* next = pbase(); next < pptr();) {
      const std::ptrdiff_t wrote = file_.write_some(next, static_cast<std::size_t>(pptr() - next));
      if (wrote <= 0) {
        empty();
        return -1;
      }
      next += wrote;
    }
    empty();
    return 0;
  }

 private:
  void empty() { setp(bytes_.data(), bytes_.data() + bytes_.size()); }
  detail::file_descriptor file_;
  std::array<char, 65536> bytes_;
};

int private_descriptor = -1;
bool leaving = false;

// Runs where somebody else called exit(): the tool itself only does so after setting `leaving`.
void ended_by_another() {
  if (leaving) return;
  flush_output();
  complain("a driver or another library ended the process before clwave was done");
  std::_Exit(exit_driver_failed);
}

}  // namespace

void take_standard_output() {
  private_descriptor = move_standard_output();
  std::atexit(ended_by_another);
}

std::ostream& out() {
  // Never destroyed: the tool's end flushes it.
  static std::ostream& stream = *new std::ostream(new descriptor_buffer(private_descriptor));
  return stream;
}

void print(const char* format, ...) {
  std::va_list arguments;
  std::va_list again;
  va_start(arguments, format);
  va_copy(again, arguments);
  const int length = std::vsnprintf(nullptr, 0, format, arguments);
  va_end(arguments);
  std::string text(length > 0 ? static_cast<std::size_t>(length) + 1 : 1, '\0');
  std::vsnprintf(text.data(), text.size(), format, again);
  va_end(again);
  out().write(text.data(), static_cast<std::streamsize>(text.size() - 1));
}

int output_descriptor() { return private_descriptor; }

bool flush_output() { return static_cast<bool>(out().flush()); }

void leave(int code) {
  std::fflush(stderr);
  std::_Exit(code);
}

void leave_through_drivers(int code) {
  leaving = true;
  std::exit(code);
}

}  // namespace clwave::tool
