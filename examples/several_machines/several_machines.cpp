// One array over all processes that mpirun starts, each with a shard of another length on its own device: all
// get the sum that one device gives of the whole array, to the bit.
//
//     mpirun -n 3 several_machines
#include <chrono>
#include <cstring>
#include <iostream>
#include <vector>

#define CL_HPP_TARGET_OPENCL_VERSION 120
#define CL_HPP_MINIMUM_OPENCL_VERSION 120
#include <CL/opencl.hpp>

#include <clwave.hpp>
#include <clwave/mpi.hpp>

// Numbers from `first` on, on the device.
struct numbers {
  numbers(const cl::Context& context, std::size_t first, std::size_t count) : n(count) {
    std::vector<float> values(n);
    for (std::size_t i = 0; i < n; ++i) values[i] = 1.0f / static_cast<float>(first + i + 1);
    buffer = cl::Buffer(context, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, n * sizeof(float), values.data());
  }
  clwave::view<float> view() const { return {buffer, n}; }

  std::size_t n;
  cl::Buffer buffer;
};

void run() {
  // A rank that does not answer for a minute is an error on all others.
  clwave::mpi_ranks all(MPI_COMM_WORLD, std::chrono::minutes(1));
  const cl::Device device(clwave::select_device(), true);
  const cl::Context context(device);
  const cl::CommandQueue queue(context, device);

  // The ranks before this one have 100'001, 100'002 and so on.
  const std::size_t rank = all.rank(), n = 100'001 + rank;
  const std::size_t first = rank * 100'001 + rank * (rank - 1) / 2;
  const numbers own(context, first, n);
  const clwave::sharded<float> array{{queue, own.view()}};
  const float sum = clwave::reduce(all, array);
  const auto least = clwave::argmin(all, array);

  const std::size_t ranks = all.size(), total = ranks * 100'001 + ranks * (ranks - 1) / 2;
  if (rank == 0) {
    const numbers whole(context, 0, total);
    const float sum_on_one = clwave::reduce(queue, whole.view());
    std::cout << "sum " << sum << " of " << total << " numbers of " << ranks << " ranks\n"
              << "the same bits on one device: "
              << (std::memcmp(&sum, &sum_on_one, sizeof sum) == 0 ? "yes" : "no") << '\n'
              << "the least is at " << least.index << std::endl;
  }
  clwave::release(context);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  try {
    run();
  } catch (const clwave::error& failed) {
    std::cerr << failed.what() << '\n';
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  MPI_Finalize();
}
