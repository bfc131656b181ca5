// Reads the dictionary of a .npy header, strictly: a header that is only nearly right is of a damaged file.
#include "files/npy_header.hpp"

#include <algorithm>
#include <charconv>

#include "files/encodings.hpp"

namespace clwave::tool {
namespace {

class parser {
 public:
  explicit parser(std::string_view text) : left_(text) {}

  npy_header parse() {
    npy_header header;
    std::vector<std::string> seen;
    expect('{');
    while (!take('}')) {
      const std::string key = string("a key");
      if (std::find(seen.begin(), seen.end(), key) != seen.end()) wrong("has the key '" + key + "' twice");
      seen.push_back(key);
      expect(':');
      if (key == "descr") {
        peek();
        const std::string_view before = left_;
        if (peek() == '[')
          header.fields = fields(0);
        else
          header.dtype = dtype();
        header.descr = before.substr(0, before.size() - left_.size());
      } else if (key == "fortran_order") {
        header.fortran_order = boolean();
      } else if (key == "shape") {
        header.shape = shape();
      } else {
        wrong("has the key '" + key + "', which no .npy file has");
      }
      if (!take(',') && peek() != '}') wrong("has no comma after '" + key + "'");
    }
    peek();
    if (!left_.empty()) wrong("goes on after its end");
    for (const char* key : {"descr", "fortran_order", "shape"}) {
      if (std::find(seen.begin(), seen.end(), key) == seen.end()) wrong("has no '" + std::string(key) + "'");
    }
    return header;
  }

 private:
  [[noreturn]] static void wrong(const std::string& what) {
    throw wrong_content("its .npy header " + on_one_line(what));
  }

  // The next character that is no blank; 0 at the end.
  char peek() {
    left_.remove_prefix(std::min(left_.find_first_not_of(" \t\r\n"), left_.size()));
    return left_.empty() ? '\0' : left_.front();
  }
  bool take(char c) {
    if (peek() != c || left_.empty()) return false;
    left_.remove_prefix(1);
    return true;
  }
  void expect(char c) {
    if (take(c)) return;
    std::string message = "has no '";
    message += c;
    message += "' where one must stand";
    wrong(message);
  }

  // As Python writes strings: in names, what it cannot print, and what would end them, by a backslash.
  enum class backslash { means_next, is_wrong };
  std::string string(const char* what, backslash use = backslash::is_wrong) {
    const char quote = peek();
    if (quote != '\'' && quote != '"') wrong(std::string("has no quoted text where ") + what + " must stand");
    left_.remove_prefix(1);
    std::string text;
    while (!left_.empty() && left_.front() != quote) {
      const auto next = static_cast<unsigned char>(left_.front());
      left_.remove_prefix(1);
      if (next < ' ' || next == 0x7f || (next == '\\' && (use == backslash::is_wrong || !take_escaped(text))))
        wrong(std::string("has a text that cannot be read where ") + what + " must stand");
      if (next != '\\') text += static_cast<char>(next);
    }
    if (left_.empty()) wrong(std::string("has a text that does not end where ") + what + " must stand");
    left_.remove_prefix(1);
    return text;
  }

  // What stands behind a backslash. False for what Python's repr never writes there.
  bool take_escaped(std::string& text) {
    if (left_.empty()) return false;
    const char kind = left_.front();
    left_.remove_prefix(1);
    constexpr std::string_view names = "\\'\"nrt", characters = "\\'\"\n\r\t";
    if (const std::size_t at = names.find(kind); at != std::string_view::npos) {
      text += characters[at];
      return true;
    }
    const std::size_t digits = kind == 'x' ? 2 : kind == 'u' ? 4 : kind == 'U' ? 8 : 0;
    if (digits == 0 || left_.size() < digits) return false;
    std::uint32_t character = 0;
    const auto [stop, failed] = std::from_chars(left_.data(), left_.data() + digits, character, 16);
    if (failed != std::errc() || stop != left_.data() + digits) return false;
    left_.remove_prefix(digits);
    return append_utf8(text, character);
  }

  std::string dtype() {
    if (peek() == '(')
      throw wrong_content("its elements are arrays themselves",
                          "store it with their type and a longer shape");
    return string("the element type");
  }

  // Fields lie one behind the other: (name, type) or (name, type, shape), where a title may stand before the
  // name.
  std::vector<npy_field> fields(unsigned depth) {
    constexpr unsigned most_depth = 16;
    if (depth > most_depth) wrong("has structures in structures, too many to be read");
    std::vector<npy_field> all;
    std::uint64_t end = 0;
    expect('[');
    while (!take(']')) {
      npy_field field{.name = {}, .dtype = {}, .at = end};
      expect('(');
      if (take('(')) {
        string("a title", backslash::means_next);
        expect(',');
        field.name = string("a name", backslash::means_next);
        expect(')');
      } else {
        field.name = string("a name", backslash::means_next);
      }
      expect(',');
      if (peek() == '[') {
        for (const npy_field& each : fields(depth + 1)) field.n_bytes = each.at + each.n_bytes;
      } else {
        field.dtype = dtype();
        field.n_bytes = bytes_of(field.dtype);
      }
      if (take(',') && peek() != ')') {
        for (const std::uint64_t length : shape())
          if (__builtin_mul_overflow(field.n_bytes, length, &field.n_bytes)) wrong_field(field.name);
        field.dtype.clear();
      }
      expect(')');
      if (__builtin_add_overflow(end, field.n_bytes, &end)) wrong_field(field.name);
      all.push_back(std::move(field));
      if (!take(',') && peek() != ']') wrong("has no comma after a field");
    }
    if (all.empty()) wrong("has structures without fields");
    return all;
  }

  // Of a field that need not be a number: "<f4", "|S10", "<U5" of characters of 4 bytes, "<M8[ns]".
  static std::uint64_t bytes_of(const std::string& dtype) {
    constexpr std::string_view orders = "<>|=", kinds = "biufcSUVmM";
    std::uint64_t n_bytes = 0;
    if (dtype.size() < 3 || orders.find(dtype[0]) == std::string_view::npos ||
        kinds.find(dtype[1]) == std::string_view::npos)
      wrong_field(dtype);
    const char* const end = dtype.data() + dtype.size();
    const auto [stop, failed] = std::from_chars(dtype.data() + 2, end, n_bytes);
    const bool is_time = dtype[1] == 'm' || dtype[1] == 'M';
    const bool has_unit = is_time && stop != end && *stop == '[' && end[-1] == ']';
    if (failed != std::errc() || (stop != end && !has_unit) || n_bytes > std::uint64_t{1} << 32)
      wrong_field(dtype);
    return dtype[1] == 'U' ? n_bytes * 4 : n_bytes;
  }
  [[noreturn]] static void wrong_field(const std::string& name) {
    wrong("has a field '" + name + "' whose size cannot be read");
  }

  bool boolean() {
    peek();
    for (const bool value : {false, true}) {
      const std::string_view word = value ? "True" : "False";
      if (!left_.starts_with(word)) continue;
      left_.remove_prefix(word.size());
      if (const char next = peek(); next == ',' || next == '}') return value;
      break;
    }
    wrong("has a fortran_order that is neither True nor False");
  }

  std::vector<std::uint64_t> shape() {
    std::vector<std::uint64_t> lengths;
    bool comma = true;  // before the next length
    bool any_comma = false;
    if (!take('(')) wrong_shape();
    while (!take(')')) {
      std::uint64_t length = 0;
      peek();
      const auto [stop, failed] = std::from_chars(left_.data(), left_.data() + left_.size(), length);
      if (failed != std::errc() || !comma) wrong_shape();
      left_.remove_prefix(static_cast<std::size_t>(stop - left_.data()));
      if (!left_.empty() && left_.front() == 'L') left_.remove_prefix(1);  // as Python 2 wrote long integers
      lengths.push_back(length);
      comma = take(',');
      any_comma |= comma;
    }
    // "(3)" is a number to Python, and no tuple.
    if (lengths.size() == 1 && !any_comma) wrong_shape();
    return lengths;
  }
  [[noreturn]] static void wrong_shape() { wrong("has a shape that cannot be read"); }

  std::string_view left_;
};

}  // namespace

npy_header parse_npy_header(std::string_view text) { return parser(text).parse(); }

}  // namespace clwave::tool
