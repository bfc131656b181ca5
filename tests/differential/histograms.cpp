// Histograms against exact bins of the host.
#include "histogram_cases.hpp"

#include "families.hpp"

namespace differential {
namespace {

template <class T, class Count>
void count_elements(session& s) {
  const bin_case<T> first = draw_bins<T>(s);
  const unsigned channels = s.one_in(3) ? 1 + static_cast<unsigned>(s.below(4)) : 1;
  s.what = "histogram of " + name_of<T>() + ", counts " + name_of<Count>() + ", " + first.name() + ", " +
           std::to_string(channels) + " channels";
  for (unsigned v = 0; s.goes_on(v); ++v) {
    const bin_case<T> bins = first.another(s);
    const std::size_t n = s.size(40000) / channels * channels;
    const std::vector<T> x = bins.values(s, n);
    place<T> in(s, x), edges(s, bins.on_device ? bins.edges : std::vector<T>{});
    place<Count> counts(s, bins.n * channels);
    counts.expect(bins.template counted<Count>(x, channels));
    s.make({&in, &edges, &counts}, [&](const auto& queue, const auto& options) {
      const auto how = testing::launched(clwave::histogram_options{.channels = channels}, options);
      if (bins.even) return clwave::histogram(queue, in.input(), counts.elements(), bins.bounds(), how);
      if (bins.on_device) return clwave::histogram(queue, in.input(), counts.elements(), edges.input(), how);
      return clwave::histogram(queue, in.input(), counts.elements(), bins.edges, how);
    });
  }
}

}  // namespace

void histograms(session& s) {
  with_one_of(s, bin_types{}, [&]<class T>(std::type_identity<T>) {
    if (s.flip())
      count_elements<T, std::uint32_t>(s);
    else
      count_elements<T, std::uint64_t>(s);
  });
}

}  // namespace differential
