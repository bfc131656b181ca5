// An array on the host, as large as its memory allows, streams through all devices that there are; and one
// that a function makes up, of which no more than pieces ever exist.
//
//   larger_than_a_device [GIBIBYTES]     of floats on the host; a sixteenth without a number
#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <iostream>
#include <memory>
#include <span>
#include <thread>
#include <vector>

#define CL_HPP_TARGET_OPENCL_VERSION 120
#define CL_HPP_MINIMUM_OPENCL_VERSION 120
#include <CL/opencl.hpp>

#include <clwave.hpp>

// A context and a queue of its own for each device.
struct place {
  explicit place(cl_device_id id) : device(id, true), context(device), queue(context, device) {}
  ~place() { clwave::release(context); }
  place(const place&) = delete;
  place& operator=(const place&) = delete;

  cl::Device device;
  cl::Context context;
  cl::CommandQueue queue;
};

float number_at(std::size_t i) { return static_cast<float>(i % 1000) / 1000; }

// By threads, for one would take minutes where the array is large.
void fill(std::span<float> numbers) {
  const std::size_t n_threads = std::max(1u, std::thread::hardware_concurrency());
  std::vector<std::jthread> threads;
  for (std::size_t t = 0; t < n_threads; ++t)
    threads.emplace_back(
        [numbers, begin = numbers.size() * t / n_threads, end = numbers.size() * (t + 1) / n_threads] {
          for (std::size_t i = begin; i < end; ++i) numbers[i] = number_at(i);
        });
}

float timed_sum(const char* where, const clwave::queues& on, const clwave::host_array<float>& numbers) {
  clwave::reduce(on, numbers);  // builds the programs
  const auto start = std::chrono::steady_clock::now();
  const float sum = clwave::reduce(on, numbers);
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
  std::cout << where << ": sum " << sum << ", " << static_cast<double>(numbers.size()) * 4e-9 / took.count()
            << " GB/s\n";
  return sum;
}

int main(int count, char** words) try {
  const double gibibytes = count > 1 ? std::atof(words[1]) : 1.0 / 16;
  const auto n = static_cast<std::size_t>(gibibytes * (1 << 28));
  const std::unique_ptr<float[]> memory(new float[n]);  // not set to 0 before it is filled
  const std::span<float> numbers(memory.get(), n);
  fill(numbers);

  std::vector<std::unique_ptr<place>> places;
  clwave::queues all;
  for (const clwave::device_place& each : clwave::devices()) {
    places.push_back(std::make_unique<place>(each.device));
    all.add(places.back()->queue);
  }
  const clwave::host_array array(numbers);
  const float of_one = timed_sum("one device", places[0]->queue, array);
  const float of_all = timed_sum("all devices", all, array);
  std::cout << "the same bits: " << (std::memcmp(&of_one, &of_all, sizeof of_one) == 0 ? "yes" : "no")
            << '\n';

  // A file, say. Several threads call this at once, each for another piece.
  const clwave::host_array<float> made(n, [](std::uint64_t first, std::span<float> into) {
    for (std::size_t i = 0; i < into.size(); ++i) into[i] = number_at(static_cast<std::size_t>(first) + i);
  });
  const float of_made = clwave::reduce(all, made);
  std::cout << "and of what is made up: "
            << (std::memcmp(&of_one, &of_made, sizeof of_one) == 0 ? "yes" : "no") << '\n';
  const auto most = clwave::argmax(all, made);
  std::cout << "the greatest is " << most.value << " at " << most.index << '\n';
} catch (const clwave::error& failed) {
  std::cerr << failed.what() << '\n';
  return 1;
}
