// What goes wrong is an exception that says what kind of failure it was, where, and what to do about it.
#include <functional>
#include <iostream>
#include <vector>

#define CL_HPP_TARGET_OPENCL_VERSION 120
#define CL_HPP_MINIMUM_OPENCL_VERSION 120
#include <CL/opencl.hpp>

#include <clwave.hpp>

namespace {

const char* name_of(clwave::failure kind) {
  switch (kind) {
    case clwave::failure::bad_call:
      return "a bad call";
    case clwave::failure::build:
      return "text that does not compile";
    case clwave::failure::device_absent:
      return "no such device";
    case clwave::failure::out_of_memory:
      return "out of memory: free something and call again";
    case clwave::failure::device_lost:
      return "the device failed: its context is of no use any more";
    default:
      return "another failure";
  }
}

void attempt(const char* what, const std::function<void()>& call) {
  try {
    call();
    std::cout << what << ": nothing was wrong\n";
  } catch (const clwave::error& failed) {
    std::cout << what << ": " << name_of(failed.kind());
    if (!failed.details().op.empty()) std::cout << ", of the operator " << failed.details().op;
    std::cout << '\n';
    // The whole: call, types, device, the compiler's lines with the place in your text, and what to do.
    std::cerr << failed.what() << "\n\n";
  }
}

}  // namespace

int main() {
  const cl::Device device(clwave::select_device(), true);
  const cl::Context context(device);
  const cl::CommandQueue queue(context, device);
  std::vector<float> host(1000, 1.0f);
  const cl::Buffer buffer(context, CL_MEM_COPY_HOST_PTR, host.size() * sizeof(float), host.data());
  const clwave::view<float> x{buffer, host.size()};

  attempt("more elements than the buffer has", [&] {
    clwave::reduce(queue, clwave::view<float>{buffer, 1001});
  });
  attempt("an operator with a slip",
          [&] { clwave::reduce(queue, x, clwave::op{.name = "slip", .source = "a +* b", .identity = "0"}); });
  attempt("a device that is not there", [&] { clwave::select_device("name~\"no such card\""); });
  // After each of them the queue and the context are as they were.
  attempt("a sum", [&] { clwave::reduce(queue, x); });
  clwave::release(context);
}
