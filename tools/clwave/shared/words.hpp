// Words of the command line that several commands read: types and numbers.
#pragma once

#include <cstdint>
#include <string>

#include <clwave/any_view.hpp>
#include <clwave/element.hpp>
#include <clwave/lazy_view.hpp>
#include <clwave/matrices.hpp>

namespace CLI {
class App;
}  // namespace CLI

namespace clwave::tool {

// Throws clwave::error (bad_call), which ends the tool with exit code 2.
[[noreturn]] void refuse(const std::string& message, std::string advice = {});

// The element type "f32", "u8", ... Throws clwave::error (bad_call) for any other name.
const element& scalar_type_named(const std::string& name);

// "16M", "1Gi", "4096", "1e6": K, M and G are 2^10, 2^20 and 2^30. Throws clwave::error (bad_call).
std::uint64_t number_of_elements(const std::string& text);

// "2048x1536", or "2048x1536x8" for a batch of 8. Throws clwave::error (bad_call).
matrices matrices_of(const std::string& text);

// --n, which number_of_elements reads.
void add_n_option(CLI::App& command, std::string& n, const std::string& what = "elements");

// --count-on-device, and what a plan is told then: the count of an input, or of what an option `most` says
// how many there are at most. Null without.
void add_count_option(CLI::App& command, bool& on_device, const std::string& what = "elements",
                      const std::string& most = "--n");
const any_view* count_where(bool on_device);

// --input, and the input that a plan is told then: elements that lie nowhere in place of an array's. What it
// is made of is kept in the object, which must outlive the plan.
void add_input_option(CLI::App& command, std::string& kind);
class planned_input {
 public:
  planned_input(const std::string& kind, const any_view& array);
  const any_view& view() const { return view_; }

 private:
  any_lazy made_;
  any_view view_;
};

}  // namespace clwave::tool
