// The last error of each thread, and the readers of what all functions of the C interface take.
#include "c_interface/c_call.hpp"

#include <exception>
#include <limits>
#include <new>
#include <utility>

#include <clwave/error.hpp>
#include <clwave/view.hpp>

#include "base/opencl.hpp"

namespace clwave::detail {
namespace {

clwave_status status_of(failure kind) {
  switch (kind) {
    case failure::internal:
      return CLWAVE_ERROR_INTERNAL;
    case failure::bad_call:
      return CLWAVE_ERROR_BAD_CALL;
    case failure::no_device:
      return CLWAVE_ERROR_NO_DEVICE;
    case failure::device_absent:
      return CLWAVE_ERROR_DEVICE_ABSENT;
    case failure::build:
      return CLWAVE_ERROR_BUILD;
    case failure::out_of_memory:
      return CLWAVE_ERROR_OUT_OF_MEMORY;
    case failure::device_lost:
      return CLWAVE_ERROR_DEVICE_LOST;
    case failure::driver:
      return CLWAVE_ERROR_DRIVER;
  }
  return CLWAVE_ERROR_INTERNAL;
}

// An error without details, whose message lives as long as the process.
constexpr clwave_error plain_error(clwave_status status, const char* function, const char* message) {
  return {sizeof(clwave_error), status, CL_SUCCESS, function, message, "", "", "", "", "", "", "", "", ""};
}

constexpr clwave_error no_c_error = plain_error(CLWAVE_OK, "", "");

// An error, and what C sees of it. It is not moved, since the latter points into the former.
struct c_error_record {
  c_error_record(const char* function, error failed) : of(std::move(failed)) {
    const error_details& all = of.details();
    seen = {sizeof(clwave_error),
            status_of(of.kind()),
            of.code(),
            function,
            of.what(),
            all.primitive.c_str(),
            all.types.c_str(),
            all.op.c_str(),
            all.device.c_str(),
            all.profile.c_str(),
            all.options.c_str(),
            all.log.c_str(),
            all.advice.c_str(),
            all.place.c_str()};
  }
  c_error_record(const c_error_record&) = delete;
  c_error_record& operator=(const c_error_record&) = delete;

  error of;
  clwave_error seen;
};

// These have no destructors, so that calls may fail in destructors of the end of a thread or of the process,
// too.
thread_local c_error_record* kept_c_error = nullptr;
thread_local clwave_error c_error_without_memory = no_c_error;
thread_local const clwave_error* last_c_error = &no_c_error;

// Frees at the end of a thread what it kept.
struct c_error_freed_at_end {
  ~c_error_freed_at_end() {
    last_c_error = &no_c_error;
    delete std::exchange(kept_c_error, nullptr);
  }
};

clwave_status keep_c_error(const char* function, const error& failed) {
  thread_local const c_error_freed_at_end end;
  static_cast<void>(end);
  auto* const next = new c_error_record(function, failed);
  delete std::exchange(kept_c_error, next);
  last_c_error = &next->seen;
  return last_c_error->status;
}

}  // namespace

void refuse_argument(const std::string& message) { throw error(failure::bad_call, message); }

void refuse_null(std::string_view name) { refuse_argument("`" + std::string(name) + "` is NULL"); }

void refuse_size(std::string_view name, std::size_t size, std::size_t known) {
  const std::string field = "`" + std::string(name) + "->size`";
  if (size > known)
    refuse_argument(field + " is " + std::to_string(size) +
                    ", and fields are set that this library, which has " + std::to_string(known) +
                    " bytes there, does not know: it is older than the program");
  refuse_argument(field + " is " + std::to_string(size) + " instead of " + std::to_string(known) +
                  ", what sizeof gives for the structure");
}

clwave_status keep_error(const char* function) noexcept {
  try {
    try {
      throw;
    } catch (const error& failed) {
      return keep_c_error(function, failed);
    } catch (const std::bad_alloc&) {
      return keep_c_error(function, error(failure::out_of_memory, "the host has no memory left"));
    } catch (const std::exception& failed) {
      return keep_c_error(function, error(failure::internal, failed.what()));
    } catch (...) {
      return keep_c_error(function, error(failure::internal, "an exception of an unknown type"));
    }
  } catch (...) {  // no memory to keep it
    c_error_without_memory = plain_error(CLWAVE_ERROR_OUT_OF_MEMORY, function, "the host has no memory left");
    last_c_error = &c_error_without_memory;
    return CLWAVE_ERROR_OUT_OF_MEMORY;
  }
}

launch_options launch_of(const clwave_options* options, bool with_event) {
  launch_options launch{.with_event = with_event};
  if (options == nullptr) return launch;
  const clwave_options all = sized(*options, "options");
  if (all.n_after != 0 && all.after == nullptr) refuse_null("options->after");
  for (std::size_t i = 0; i < all.n_after; ++i) launch.after.add(all.after[i]);
  if (all.workspace == nullptr) {
    if (all.workspace_offset != 0 || all.workspace_bytes != 0) refuse_null("options->workspace");
  } else if (all.workspace_offset == 0 && all.workspace_bytes == 0) {
    launch.workspace = all.workspace;
  } else {
    launch.workspace =
        view<std::uint8_t>(all.workspace, size_of(all.workspace_bytes, "options->workspace_bytes"),
                           size_of(all.workspace_offset, "options->workspace_offset"));
  }
  return launch;
}

void give_event(const event& made, cl_event* wanted) {
  const cl_event handle = made.get();
  check(clRetainEvent(handle), "retain the call's event", doing::own_object);
  *wanted = handle;
}

namespace {

any_view all_of_view(const clwave_view& view) {
  return {view.buffer, view.n, view.offset, &type_of(view.type)};
}

void refuse_lazy(const clwave_view* view, std::string_view name) {
  if (is_of_lazy(given(view, name)))
    refuse_argument("this call takes no elements that lie nowhere for `" + std::string(name) +
                    "`: clwave_transform makes an array of them");
}

}  // namespace

any_view view_of(const clwave_view* view, std::string_view name) {
  refuse_lazy(view, name);
  if (view->count != nullptr)
    refuse_argument("this call takes no count on the device for `" + std::string(name) +
                    "`: read the count, and give a view of so many elements");
  return all_of_view(*view);
}

std::optional<any_view> view_if_any(const clwave_view* view, std::string_view name) {
  if (view == nullptr) return {};
  return view_of(view, name);
}

counted_input::counted_input(const clwave_view* view, std::string_view name) {
  refuse_lazy(view, name);
  all_ = all_of_view(*view);
  if (view->count == nullptr) return;
  count_ = view_of(view->count, std::string(name) + "->count");
  all_.count = &count_;
}

const op& fold_of(const clwave_op* given) { return given != nullptr ? given->of : plus; }
const map& map_of(const clwave_map* given) { return given != nullptr ? given->of : identity; }
const op* op_if_any(const clwave_op* given) { return given != nullptr ? &given->of : nullptr; }

std::size_t size_of(std::uint64_t n, std::string_view name) {
  if (n > std::numeric_limits<std::size_t>::max())
    refuse_argument("`" + std::string(name) + "` is " + std::to_string(n) +
                    ", more than this system can address");
  return static_cast<std::size_t>(n);
}

matrices matrices_of(const clwave_matrices* size) {
  const clwave_matrices& all = given(size, "matrices");
  return {.rows = size_of(all.rows, "matrices->rows"),
          .columns = size_of(all.columns, "matrices->columns"),
          .batch = all.batch == 0 ? 1 : size_of(all.batch, "matrices->batch")};
}

pitches pitches_of(const clwave_pitches* steps) {
  if (steps == nullptr) return {};
  return {.row = size_of(steps->row, "pitches->row"), .slice = size_of(steps->slice, "pitches->slice")};
}

}  // namespace clwave::detail

using namespace clwave::detail;

const clwave_error* clwave_last_error(void) { return last_c_error; }

const char* clwave_status_name(clwave_status status) {
  switch (status) {
    case CLWAVE_OK:
      return "no error";
    case CLWAVE_ERROR_INTERNAL:
      return "a defect of clwave";
    case CLWAVE_ERROR_BAD_CALL:
      return "bad call";
    case CLWAVE_ERROR_NO_DEVICE:
      return "no device";
    case CLWAVE_ERROR_DEVICE_ABSENT:
      return "no such device";
    case CLWAVE_ERROR_BUILD:
      return "the build failed";
    case CLWAVE_ERROR_OUT_OF_MEMORY:
      return "out of memory";
    case CLWAVE_ERROR_DEVICE_LOST:
      return "device lost";
    case CLWAVE_ERROR_DRIVER:
      return "the driver failed";
  }
  return "no status of clwave";
}
