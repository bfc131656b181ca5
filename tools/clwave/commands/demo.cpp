// clwave demo: reduces real input on the device, and checks every value on the host.
#include <algorithm>
#include <chrono>
#include <cinttypes>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <memory>

#include <CLI/CLI.hpp>

#include "commands/host_check.hpp"
#include "drivers/session.hpp"
#include "files/input_file.hpp"
#include "shared/output.hpp"
#include "system/system.hpp"

namespace clwave::tool {
namespace {

struct demo_words {
  std::string path, type, selector;
};

// Data on the host to check against and on the device to reduce.
struct demo_input {
  std::string name;
  host_elements host;
  cl::Buffer device;
};

demo_input put_on_device(const session& on, std::string name, host_elements host) {
  std::size_t at = 0;
  cl::Buffer device = upload(on, host.bytes.size(), name, [&](void* into, std::size_t size) {
    std::memcpy(into, host.bytes.data() + at, size);
    at += size;
  });
  return {std::move(name), std::move(host), std::move(device)};
}

demo_input read_input(const session& on, const std::string& path, const std::string& type) {
  input_file file(path, type);
  check_fits(on, file.bytes(), path);
  host_elements host{&file.type(), file.n(), std::vector<unsigned char>(file.bytes())};
  file.read(host.bytes.data(), host.bytes.size());
  return put_on_device(on, std::filesystem::path(path).filename().string(), std::move(host));
}

// Floats in [-1, 1), 24 random bits each.
demo_input random_floats(const session& on) {
  // Two buffers of it must fit, since the copy is measured on it.
  const std::uint64_t most =
      std::min(on.facts->max_allocation.value_or(1u << 28), on.facts->global_memory.value_or(1u << 30) / 4);
  const std::uint64_t n = std::min<std::uint64_t>(64 << 20, most / sizeof(float));
  host_elements host{&element_of<float>(), n, std::vector<unsigned char>(n * sizeof(float))};
  std::uint64_t state = 0x9e3779b97f4a7c15u;
  for (std::uint64_t i = 0; i < n; ++i) {
    state ^= state << 13;  // G. Marsaglia's xorshift64: the same floats in every run
    state ^= state >> 7;
    state ^= state << 17;
    const float value = static_cast<float>(static_cast<std::int64_t>(state >> 40) - (1 << 23)) / (1 << 23);
    std::memcpy(host.bytes.data() + i * sizeof value, &value, sizeof value);
  }
  return put_on_device(on, "random floats", std::move(host));
}

// Nanoseconds between the ends of a command by the driver's clock; 0 where it has none: Mesa's rusticl 22.3
// says so of every command.
std::uint64_t driver_time(const cl::Event& done) {
  cl_int code = CL_SUCCESS;
  const auto start = done.getProfilingInfo<CL_PROFILING_COMMAND_START>(&code);
  detail::check(code, "read the time of the copy");
  const auto end = done.getProfilingInfo<CL_PROFILING_COMMAND_END>(&code);
  detail::check(code, "read the time of the copy");
  return end > start ? end - start : 0;
}

struct measured_copies {
  double bytes_per_s;
  bool by_host;  // by the host's clock, for the driver has none
};

// Bytes read and written a second by clEnqueueCopyBuffer: what the device's memory gives.
measured_copies copy_speed(const session& on, const cl::Buffer& from, std::uint64_t bytes) {
  cl_int code = CL_SUCCESS;
  const cl::CommandQueue timed(
      clCreateCommandQueue(on.context(), on.facts->device, CL_QUEUE_PROFILING_ENABLE, &code));
  detail::check(code, "make a queue that measures");
  const cl::Buffer to(on.context, CL_MEM_READ_WRITE, bytes, nullptr, &code);
  detail::check(code, "make a buffer to copy into");
  std::vector<double> times, host_times;
  bool by_host = false;
  for (int call = 0; call < 10; ++call) {
    cl::Event done;
    const auto begin = std::chrono::steady_clock::now();
    detail::check(timed.enqueueCopyBuffer(from, to, 0, 0, bytes, nullptr, &done), "copy");
    detail::check(done.wait(), "copy");
    const std::chrono::duration<double> host_time = std::chrono::steady_clock::now() - begin;
    if (call == 0) continue;  // the first one touches new memory
    const std::uint64_t ns = driver_time(done);
    by_host = by_host || ns == 0;
    times.push_back(static_cast<double>(ns) * 1e-9);
    host_times.push_back(host_time.count());
  }
  return {2.0 * static_cast<double>(bytes) / median(by_host ? host_times : times), by_host};
}

// The file of the OpenCL driver in use; failing that, of the loader. Both are surely there.
std::string driver_file(const session& on) {
  std::string file = on.drivers.file_of_platform(on.facts->platform_name.value_or(""));
  if (!file.empty()) return file;
  file = file_of_loader();
  if (file.empty()) throw error(failure::internal, "the OpenCL driver's own file was not found");
  return file;
}

std::string size_text(std::uint64_t n) {
  if (n >= (1u << 20) && n % (1u << 20) == 0) return std::to_string(n >> 20) + " Mi";
  return std::to_string(n);
}

// One row for each operator. False if a value is wrong.
bool reduce_and_check(const session& on, const demo_input& input, double copy_bytes_per_s) {
  bool all_right = true;
  for (const char* name : {"sum", "min", "max"}) {
    reduce_words words;
    words.type = input.host.type->name;
    words.op = name;
    const reduce_meaning meaning = meaning_of(words);
    const timed_value result = run_reduce(on, input.device, input.host.n, meaning);
    const std::string wrong = what_is_wrong(input.host, meaning, result);
    const double bytes_per_s = static_cast<double>(input.host.bytes.size()) / result.seconds;
    const std::string types =
        words.type + (meaning.value->name == words.type ? "" : " to " + meaning.value->name);
    print("%-24s %12s %-10s %-4s %22s  %-6s %10.1f us %8.1f GB/s %4.0f %%\n", input.name.c_str(),
          size_text(input.host.n).c_str(), types.c_str(), name, result.text(*meaning.value).c_str(),
          wrong.empty() ? "ok" : "WRONG", result.seconds * 1e6, bytes_per_s * 1e-9,
          100 * bytes_per_s / copy_bytes_per_s);
    if (!wrong.empty()) {
      complain(std::string("wrong result: ") + name + " of " + input.name + ": " + wrong);
      all_right = false;
    }
  }
  return all_right;
}

int demonstrate(const demo_words& words) {
  if (!words.path.empty())
    input_file(words.path, words.type);  // a wrong file is refused before any driver is asked
  const session on(words.selector);
  print("device %s; profile %s: %s\n", on.device_name().c_str(), short_text_of(on.choice).c_str(),
        on.choice.why.c_str());
  const demo_input floats = random_floats(on);
  const measured_copies copies = copy_speed(on, floats.device, floats.host.bytes.size());
  const double speed = copies.bytes_per_s;
  print("copy speed: %.1f GB/s read and written (clEnqueueCopyBuffer, %s bytes, median of 9%s)\n\n",
        speed * 1e-9, size_text(floats.host.bytes.size()).c_str(),
        copies.by_host ? ", by the host's clock, for the driver's events have no times" : "");
  print("%-24s %12s %-10s %-4s %22s  %-6s %13s %13s %6s\n", "input", "n", "type", "op", "value", "check",
        "time", "read", "of copy");
  bool all_right = true;
  if (!words.path.empty()) {
    all_right = reduce_and_check(on, read_input(on, words.path, words.type), speed);
  } else {
    all_right = reduce_and_check(on, read_input(on, driver_file(on), "u8"), speed);
    all_right &= reduce_and_check(on, floats, speed);
  }
  if (!all_right) return exit_wrong_result;
  print(
      "\nEvery value agrees with a plain loop on the host: integers, min and max exactly, float sums within\n"
      "the error their fold order can make. Times are of the blocking call, value back on the host.\n");
  return exit_ok;
}

}  // namespace

void add_demo(CLI::App& app, int& exit) {
  CLI::App* command =
      app.add_subcommand("demo", "Reduces real input, checks each value, and shows the speed");
  auto words = std::make_shared<demo_words>();
  command->add_option(
      "FILE", words->path,
      "A .npy file, or raw elements (--type). Default: the OpenCL driver's own library, and random floats");
  command->add_option("--type", words->type, "Element type of a raw FILE, which must be given");
  command->add_option("-d,--device", words->selector, "On this device (see clwave --help)");
  command->callback([words, &exit] { exit = demonstrate(*words); });
}

}  // namespace clwave::tool
