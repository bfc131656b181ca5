// Writes programs as JSON.
#include "program/program_log.hpp"

#include <string_view>

#include <clwave/device.hpp>
#include <clwave/version.hpp>

#include "base/environment.hpp"
#include "base/user_files.hpp"

namespace clwave::detail {
namespace {

// JSON's text, an object or list inside another or at the top.
class json_line {
 public:
  void open(char bracket) {
    separate();
    text_ += bracket;
    first_ = true;
  }
  void close(char bracket) {
    text_ += bracket;
    first_ = false;
  }
  void name(std::string_view name) {
    add(name);
    text_ += ':';
    first_ = true;
  }
  void add(std::string_view text) {
    separate();
    text_ += '"';
    for (const char c : text) {
      const auto byte = static_cast<unsigned char>(c);
      if (c == '"' || c == '\\') {
        text_.append({'\\', c});
      } else if (byte < 0x20) {
        constexpr std::string_view digits = "0123456789abcdef";
        text_.append("\\u00").append({digits[byte >> 4], digits[byte & 15]});
      } else {
        text_ += c;
      }
    }
    text_ += '"';
  }
  void add_number(unsigned number) {
    separate();
    text_ += std::to_string(number);
  }
  void add_flag(bool flag) {
    separate();
    text_ += flag ? "true" : "false";
  }
  const std::string& text() const { return text_; }

 private:
  void separate() {
    if (!first_) text_ += ',';
    first_ = false;
  }
  std::string text_;
  bool first_ = true;
};

}  // namespace

std::string line_of_program(const program_spec& spec, const target& on) {
  json_line line;
  const auto member = [&line](std::string_view name, std::string_view text) {
    line.name(name);
    line.add(text);
  };
  const auto pairs = [&line](std::string_view name, const auto& all) {
    line.name(name);
    line.open('[');
    for (const auto& [first, second] : all) {
      line.open('[');
      line.add(first);
      line.add(second);
      line.close(']');
    }
    line.close(']');
  };
  const auto names = [&line](std::string_view name, const std::vector<text_name>& all) {
    line.name(name);
    line.open('[');
    for (const text_name& each : all) {
      line.open('[');
      line.add(each.type);
      line.add(each.name);
      line.close(']');
    }
    line.close(']');
  };
  line.open('{');
  member("clwave", CLWAVE_VERSION_STRING);
  member("device", on.facts->name.value_or(""));
  member("profile", on.choice.profile->name);
  member("primitive", spec.primitive);
  member("types", spec.types);
  member("op", spec.op);
  line.name("registers");
  line.add_number(spec.registers);
  line.name("marked");
  line.add_flag(spec.marked);
  line.name("modules");
  line.open('[');
  for (const std::string& each : spec.modules) line.add(each);
  line.close(']');
  pairs("words", spec.words);
  pairs("texts", spec.texts);
  line.name("declarations");
  line.open('[');
  for (const declaration& each : spec.declarations) {
    line.open('{');
    member("label", each.label);
    member("text", each.text);
    line.name("ours");
    line.add_flag(each.ours);
    line.name("of_text");
    line.add_flag(each.of_text);
    line.close('}');
  }
  line.close(']');
  line.name("user_texts");
  line.open('[');
  for (const user_text& each : spec.user_texts) {
    line.open('{');
    member("name", each.name);
    member("label", each.label);
    member("text", each.text);
    member("declarations", each.declarations);
    names("operands", each.operands);
    member("prefix", each.values.prefix);
    names("values", each.values.named);
    line.name("gives");
    line.open('[');
    for (const std::string& part : {each.result.type, each.result.before, each.result.behind}) line.add(part);
    line.close(']');
    line.name("doubles");
    line.add_flag(each.doubles);
    line.close('}');
  }
  line.close(']');
  line.close('}');
  return line.text();
}

void log_program(const program_spec& spec, const target& on) {
  if (const char* path = environment("CLWAVE_CALL_LOG"))
    append_to_file(path, bytes_of(line_of_program(spec, on) + "\n"));
}

}  // namespace clwave::detail
