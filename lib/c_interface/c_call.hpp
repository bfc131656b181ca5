// What every function of the C interface is made of: one place where exceptions become statuses, and the
// readers of arguments.
//
// A function of C reads its arguments into a primitive's problem, inside c_call or c_enqueue, and calls the
// untyped call of C++. Readers throw bad_call for what the types of C++ would not have let through.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>

#include <clwave/c/base.h>
#include <clwave/any_view.hpp>
#include <clwave/element.hpp>
#include <clwave/event.hpp>
#include <clwave/matrices.hpp>
#include <clwave/op.hpp>
#include <clwave/options.hpp>

// What the handles of C are.
struct clwave_op {
  clwave::op of;
};
struct clwave_map {
  clwave::map of;
};

namespace clwave::detail {

// Throws bad_call.
[[noreturn]] void refuse_argument(const std::string& message);
[[noreturn]] void refuse_null(std::string_view name);
// `size` is what a structure says its own is, `known` what it is here.
[[noreturn]] void refuse_size(std::string_view name, std::size_t size, std::size_t known);

// Keeps the exception that is being handled for clwave_last_error, as one of this function's. The answer is
// its status. To be called in a handler.
clwave_status keep_error(const char* function) noexcept;

// Does `work`; what it throws becomes the status, and this thread's last error.
template <class Work>
clwave_status c_call(const char* function, const Work& work) noexcept {
  try {
    work();
    return CLWAVE_OK;
  } catch (...) {
    return keep_error(function);
  }
}

// The options of C++; `with_event` says whether the caller wants one.
launch_options launch_of(const clwave_options* options, bool with_event);

// Gives the caller of C a reference to the event of a call that was told to make one.
void give_event(const event& made, cl_event* wanted);

// Does `work`, which gets the launch_options and returns the call's event, for a function that does not
// block.
template <class Work>
clwave_status c_enqueue(const char* function, const clwave_options* options, cl_event* wanted,
                        const Work& work) noexcept {
  if (wanted != nullptr) *wanted = nullptr;
  return c_call(function, [&] {
    const event made = work(launch_of(options, wanted != nullptr));
    if (wanted != nullptr) give_event(made, wanted);
  });
}

// Does `work`, which gets the launch_options, for a function that blocks.
template <class Work>
clwave_status c_block(const char* function, const clwave_options* options, const Work& work) noexcept {
  return c_call(function, [&] { work(launch_of(options, false)); });
}

// What a pointer points to.
template <class T>
const T& given(const T* argument, std::string_view name) {
  if (argument == nullptr) refuse_null(name);
  return *argument;
}
template <class T>
T& given(T* argument, std::string_view name) {
  if (argument == nullptr) refuse_null(name);
  return *argument;
}

// A structure that says its own size, as this library knows it: fields that an older program does not have
// are 0, and those that a newer program has must be 0. `first` is the size that the structure had in its
// first version. A field that is added begins behind the whole structure of the version before, never in its
// padding, because programs leave padding undefined.
template <class T>
T sized(const T& argument, std::string_view name, std::size_t first = sizeof(T)) {
  const std::size_t size = argument.size;
  const auto* bytes = reinterpret_cast<const unsigned char*>(&argument);
  if (size < first) refuse_size(name, size, sizeof(T));
  for (std::size_t at = sizeof(T); at < size; ++at)
    if (bytes[at] != 0) refuse_size(name, size, sizeof(T));
  T known = {};
  std::memcpy(&known, bytes, size < sizeof(T) ? size : sizeof(T));
  return known;
}

// The type of a number; CLWAVE_NO_TYPE is no_type(), which calls refuse, naming the operand.
const element& type_of(clwave_type type);
// The number of a structure, a new one where it has none yet.
clwave_type number_of_type(const element& structure);
// The type of an indexed value, as detail::widened and clwave::indexed have it.
element indexed_type_of(const element& value);

// Whether clwave_lazy_view gave a view, whatever one of its members was set to since.
bool is_of_lazy(const clwave_view& view);

// Of an operand that takes no count on the device, and is an array.
any_view view_of(const clwave_view* view, std::string_view name);
// Nothing for NULL.
std::optional<any_view> view_if_any(const clwave_view* view, std::string_view name);

// The operand of a call that takes a count on the device, and is an array. A problem made of it refers to it,
// so it lives until the call has returned.
class counted_input {
 public:
  counted_input(const clwave_view* view, std::string_view name);
  counted_input(const counted_input&) = delete;
  counted_input& operator=(const counted_input&) = delete;
  operator const any_view&() const { return all_; }  // NOLINT(google-explicit-constructor): it is a view

 private:
  any_view all_;
  any_view count_;
};

// `plus` and `identity` for NULL.
const op& fold_of(const clwave_op* given);
const map& map_of(const clwave_map* given);
// Null for NULL.
const op* op_if_any(const clwave_op* given);

// A number of elements, of which a 32-bit system has fewer.
std::size_t size_of(std::uint64_t n, std::string_view name);
matrices matrices_of(const clwave_matrices* size);
pitches pitches_of(const clwave_pitches* steps);

}  // namespace clwave::detail
