// Beside Boost.Compute: its queue and vectors go into calls as they are, and its algorithms work on the
// results.
#include <iostream>
#include <vector>

#include <boost/compute/algorithm/copy.hpp>
#include <boost/compute/algorithm/sort.hpp>
#include <boost/compute/container/vector.hpp>

#include <clwave.hpp>

namespace compute = boost::compute;

int main() try {
  const compute::device device(clwave::select_device());
  const compute::context context(device);
  compute::command_queue queue(context, device);

  const std::vector<std::int32_t> host{5, 3, 9, 3, 5, 5, 1, 9, 3, 3};
  compute::vector<std::int32_t> x(host.begin(), host.end(), queue);
  std::cout << "sum " << clwave::reduce(queue, x) << ", of the first four "
            << clwave::reduce(queue, clwave::view(x.begin(), x.begin() + 4)) << '\n';

  // Boost.Compute sorts, and clwave counts what is the same.
  compute::sort(x.begin(), x.end(), queue);
  compute::vector<std::int32_t> values(x.size(), context);
  compute::vector<std::uint32_t> lengths(x.size(), context);
  const std::size_t runs = clwave::run_lengths(queue, x, values, lengths);

  std::vector<std::int32_t> value(runs);
  std::vector<std::uint32_t> length(runs);
  compute::copy(values.begin(), values.begin() + runs, value.begin(), queue);
  compute::copy(lengths.begin(), lengths.begin() + runs, length.begin(), queue);
  for (std::size_t k = 0; k < runs; ++k) std::cout << value[k] << " is there " << length[k] << " times\n";

  clwave::release(context);
} catch (const clwave::error& failed) {
  std::cerr << failed.what() << '\n';
  return 1;
}
