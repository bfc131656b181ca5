// Of each row of a matrix the mean, and the place of its largest element; of each column the sum.
#include <iostream>
#include <vector>

#define CL_HPP_TARGET_OPENCL_VERSION 120
#define CL_HPP_MINIMUM_OPENCL_VERSION 120
#include <CL/opencl.hpp>

#include <clwave.hpp>

int main() try {
  const cl::Device device(clwave::select_device(), true);
  const cl::Context context(device);
  const cl::CommandQueue queue(context, device);

  const std::size_t rows = 3, columns = 4;
  std::vector<float> host = {1, 2, 3, 4, 8, 7, 6, 5, 0, 9, 0, 9};
  const cl::Buffer matrix(context, CL_MEM_COPY_HOST_PTR, host.size() * sizeof(float), host.data());
  const cl::Buffer of_rows(context, CL_MEM_READ_WRITE, rows * sizeof(float));
  const cl::Buffer places(context, CL_MEM_READ_WRITE, rows * sizeof(clwave::indexed<float>));
  const cl::Buffer of_columns(context, CL_MEM_READ_WRITE, columns * sizeof(float));
  const clwave::view<float> x{matrix, host.size()};

  const clwave::map share{.name = "share", .source = "x / n", .values = {{"n", static_cast<float>(columns)}}};
  clwave::transform_reduce_rows(queue, x, clwave::view<float>{of_rows, rows},
                                {.rows = rows, .columns = columns}, clwave::plus, share);
  clwave::argmax_rows(queue, x, clwave::view<clwave::indexed<float>>{places, rows},
                      {.rows = rows, .columns = columns});
  clwave::reduce_columns(queue, x, clwave::view<float>{of_columns, columns},
                         {.rows = rows, .columns = columns});

  std::vector<float> means(rows), sums(columns);
  std::vector<clwave::indexed<float>> largest(rows);
  queue.enqueueReadBuffer(of_rows, CL_TRUE, 0, rows * sizeof(float), means.data());
  queue.enqueueReadBuffer(places, CL_TRUE, 0, rows * sizeof(largest[0]), largest.data());
  queue.enqueueReadBuffer(of_columns, CL_TRUE, 0, columns * sizeof(float), sums.data());
  for (std::size_t r = 0; r < rows; ++r)
    std::cout << "row " << r << ": mean " << means[r] << ", largest " << largest[r].value << " at "
              << largest[r].index << '\n';
  for (const float sum : sums) std::cout << sum << ' ';
  std::cout << '\n';
  clwave::release(context);
} catch (const clwave::error& failed) {
  std::cerr << failed.what() << '\n';
  return 1;
}
