// One array over all devices that there are, or over two contexts where there is one device: its sum has the
// bits of a sum on one device, and no more than results of tiles leave a device.
#include <cstring>
#include <iostream>
#include <memory>
#include <vector>

#define CL_HPP_TARGET_OPENCL_VERSION 120
#define CL_HPP_MINIMUM_OPENCL_VERSION 120
#include <CL/opencl.hpp>

#include <clwave.hpp>

// A context and a queue of its own for each device, and a shard of the array on it.
struct place {
  place(cl_device_id id, const float* numbers, std::size_t n)
      : device(id, true),
        context(device),
        queue(context, device),
        numbers(context, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, n * sizeof(float),
                const_cast<float*>(numbers)) {}
  ~place() { clwave::release(context); }
  place(const place&) = delete;
  place& operator=(const place&) = delete;

  cl::Device device;
  cl::Context context;
  cl::CommandQueue queue;
  cl::Buffer numbers;
};

int main() try {
  constexpr std::size_t n = 1'000'000;
  std::vector<float> numbers(n);
  for (std::size_t i = 0; i < n; ++i) numbers[i] = 1.0f / static_cast<float>(i + 1);
  numbers[777'777] = 0.0f;

  std::vector<cl_device_id> devices;
  for (const clwave::device_place& each : clwave::devices()) devices.push_back(each.device);
  if (devices.size() == 1) devices.push_back(devices[0]);

  // How much each gets: whole tiles, by its speed.
  const std::vector<std::uint64_t> lengths = clwave::split(n, devices);
  std::vector<std::unique_ptr<place>> places;
  clwave::sharded<float> array;
  std::size_t begin = 0;
  for (std::size_t k = 0; k < devices.size(); ++k) {
    if (lengths[k] == 0) continue;
    const place& on = *places.emplace_back(std::make_unique<place>(devices[k], &numbers[begin], lengths[k]));
    array.add({on.queue, clwave::view<float>{on.numbers, lengths[k]}});
    begin += lengths[k];
  }
  const float sum = clwave::reduce(array);
  std::cout << "sum " << sum << " of " << array.count() << " shards\n";

  const place one(devices[0], numbers.data(), n);
  const float sum_on_one = clwave::reduce(one.queue, clwave::view<float>{one.numbers, n});
  std::cout << "the same bits on one device: "
            << (std::memcmp(&sum, &sum_on_one, sizeof sum) == 0 ? "yes" : "no") << '\n';

  const auto least = clwave::argmin(array);
  std::cout << "the least is " << least.value << " at " << least.index << '\n';
} catch (const clwave::error& failed) {
  std::cerr << failed.what() << '\n';
  return 1;
}
