// The words that a text has most often. The host cuts the text into words and gives each a number; the device
// sorts these, counts equal neighbours, and takes the best counts. How many different words there are only
// the device knows: no call waits for that number, and the host reads nothing but the names and counts of the
// best.
#include <cctype>
#include <cstdint>
#include <fstream>
#include <functional>
#include <iostream>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#define CL_HPP_TARGET_OPENCL_VERSION 120
#define CL_HPP_MINIMUM_OPENCL_VERSION 120
#include <CL/opencl.hpp>

#include <clwave.hpp>

namespace {

std::vector<std::string> words_of(const std::string& text) {
  std::vector<std::string> words(1);
  for (const char c : text) {
    if (std::isalpha(static_cast<unsigned char>(c)) != 0)
      words.back() += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    else if (!words.back().empty())
      words.emplace_back();
  }
  if (words.back().empty()) words.pop_back();
  return words;
}

}  // namespace

int main(int argc, char** argv) try {
  std::string text = "the wave and the shore: the wave comes, and the shore stays, and the wave goes";
  if (argc > 1) {
    std::ifstream file(argv[1]);
    text.assign(std::istreambuf_iterator<char>(file), {});
  }
  const std::vector<std::string> words = words_of(text);
  // Of two words with one number, of 2^64, one would be counted as the other.
  std::vector<std::uint64_t> numbers;
  for (const std::string& word : words) numbers.push_back(std::hash<std::string_view>()(word));
  const std::size_t n = words.size(), most = 3;
  if (n == 0) {
    std::cerr << "no words\n";
    return 1;
  }

  const cl::Device device(clwave::select_device(), true);
  const cl::Context context(device);
  const cl::CommandQueue queue(context, device);
  const auto buffer = [&](std::size_t bytes) { return cl::Buffer(context, CL_MEM_READ_WRITE, bytes); };
  const cl::Buffer a = buffer(8 * n), b = buffer(4 * n), c = buffer(8 * n), d = buffer(4 * n),
                   e = buffer(4 * n), how_many = buffer(8), f = buffer(4 * most), g = buffer(4 * most),
                   h = buffer(4 * most);
  const clwave::view<std::uint64_t> keys{a, n}, different{c, n}, count{how_many, 1};
  const clwave::view<std::uint32_t> places{b, n}, first_places{d, n}, lengths{e, n}, best{f, most},
      runs{g, most}, names{h, most};
  queue.enqueueWriteBuffer(a, CL_TRUE, 0, 8 * n, numbers.data());

  clwave::iota(queue, places);
  clwave::sort_by_key(queue, keys, places);  // stable: of equal words the first one stays the first
  clwave::unique_by_key(queue, keys, places, different, first_places, count);
  clwave::run_lengths(queue, keys, different, lengths, count);
  clwave::fill(queue, best, 0u);  // where there are fewer different words, these stay
  clwave::top_k(queue, lengths.first(count), best, runs, most);
  clwave::gather(queue, first_places, runs, names);

  std::vector<std::uint32_t> counts(most), where(most);
  queue.enqueueReadBuffer(f, CL_FALSE, 0, 4 * most, counts.data());
  queue.enqueueReadBuffer(h, CL_TRUE, 0, 4 * most, where.data());
  for (std::size_t k = 0; k < most && counts[k] > 0; ++k)
    std::cout << counts[k] << " " << words[where[k]] << '\n';
  clwave::release(context);
} catch (const clwave::error& failed) {
  std::cerr << failed.what() << '\n';
  return 1;
}
