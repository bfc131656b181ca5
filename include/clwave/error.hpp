/// @file
/// Errors: exceptions that say what happened, where, on which device, and what to do.
///
/// An error is a value: threads may read one at the same time. No queue and no driver is asked, so nothing
/// is flushed, and all of it works in a child of fork() too.
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>

#include <clwave/export.hpp>
#include <clwave/opencl.hpp>

namespace clwave {

/// What kind of failure it was; tools make their exit code of it.
enum class failure {
  internal,       ///< a defect of clwave
  bad_call,       ///< the caller's arguments; nothing was enqueued, but by calls named checked_...
  no_device,      ///< no OpenCL device at all
  device_absent,  ///< no device matches the selector
  build,          ///< the device's compiler refused the source
  out_of_memory,  ///< device or host memory
  device_lost,    ///< the driver failed a command, or the device is gone
  driver,         ///< any other OpenCL call failed, or the driver is known to compute wrongly
};

/// The words for the parts of an error. All optional; empty ones are left out of what().
struct error_details {
  std::string primitive = {};  ///< "reduce"
  std::string types = {};      ///< "f32 -> f64"
  std::string op = {};         ///< "plus"
  std::string device = {};     ///< the device's name
  std::string profile = {};    ///< of the device table: "sm_90"
  std::string options = {};    ///< the build options
  std::string log = {};        ///< the compiler's lines, with the kernel part's true file and line
  std::string advice = {};     ///< what to do about it
  std::string place = {};      ///< in a text of yours that a compiler refused: "map twice:1:5"
};

/// What every call throws. what() is the whole of it in lines for people: the message, the OpenCL code by its
/// name, and all details that are not empty; where `place` says what is wrong with a text of yours, without
/// the build options and the log.
class CLWAVE_EXPORT_TYPE error : public std::runtime_error {
 public:
  /// An error of that kind; the message is one sentence without the details, which what() adds.
  CLWAVE_EXPORT error(failure kind, std::string_view message, cl_int code = CL_SUCCESS,
                      error_details details = {});

  /// What kind of failure it was: what a program decides by.
  failure kind() const noexcept { return kind_; }
  /// The OpenCL code of the failed call; CL_SUCCESS where none failed.
  cl_int code() const noexcept { return code_; }
  /// The parts of what(), one by one; those that are not known are empty.
  const error_details& details() const noexcept { return details_; }

 private:
  failure kind_;
  cl_int code_;
  error_details details_;
};

/// "CL_OUT_OF_RESOURCES" for -5; "OpenCL error -1234" for what is in no table.
CLWAVE_EXPORT std::string name_of_code(cl_int code);

}  // namespace clwave
