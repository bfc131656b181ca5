// Folds, scans and histograms of arrays in shards, of host arrays and of ranks: the bits of one call.
#include <memory>

#include "families.hpp"
#include "folds.hpp"
#include "histogram_cases.hpp"

#include "distributed/cut_arrays.hpp"
#include "distributed/thread_ranks.hpp"
#include "families/scan_reference.hpp"

namespace differential {
namespace {

using testing::lengths;

// Queues of all contexts, of which shards have the same ones now and then.
struct queue_pool {
  explicit queue_pool(session& s) {
    for (const auto& on : session::contexts())
      for (int k = 0; k < 2; ++k) all.emplace_back(on.get(), s.queue_of(*on));
  }
  std::vector<std::pair<const fixture*, cl::CommandQueue>> all;
};

// An array in shards, each in a buffer of its own.
template <class T>
class shards {
 public:
  // `queues` says where, for each shard. Outputs have no values.
  shards(session& s, const queue_pool& pool, const std::vector<std::size_t>& queues, const lengths& cut,
         const std::vector<T>* values)
      : queues_(queues), pool_(pool) {
    std::size_t begin = 0;
    for (std::size_t k = 0; k < cut.size(); ++k) {
      const fixture& on = *pool.all[queues[k]].first;
      const auto n = static_cast<std::size_t>(cut[k]);
      if (values != nullptr) {
        const auto first = values->begin() + static_cast<std::ptrdiff_t>(begin);
        shards_.push_back(
            std::make_unique<place<T>>(s, on, std::vector<T>(first, first + static_cast<std::ptrdiff_t>(n))));
      } else {
        shards_.push_back(std::make_unique<place<T>>(s, on, n));
      }
      begin += n;
    }
  }

  // Those from `first` to before `end`.
  clwave::sharded<T> array(session::waits& after, std::size_t first, std::size_t end) const {
    clwave::sharded<T> all;
    for (std::size_t k = first; k < end; ++k)
      all.add({pool_.all[queues_[k]].second, shards_[k]->elements(), after[shards_[k].get()]});
    return all;
  }
  clwave::sharded<T> array(session::waits& after) const { return array(after, 0, shards_.size()); }

  void expect(const std::vector<T>& values) {
    std::size_t i = 0;
    for (const auto& each : shards_)
      for (std::size_t k = 0; k < each->size(); ++k) each->expect(k, values[i++]);
  }
  void add_to(std::vector<held*>& operands, std::vector<cl::CommandQueue>& queues) const {
    for (std::size_t k = 0; k < shards_.size(); ++k) {
      operands.push_back(shards_[k].get());
      queues.push_back(pool_.all[queues_[k]].second);
    }
  }

 private:
  std::vector<std::size_t> queues_;
  const queue_pool& pool_;
  std::vector<std::unique_ptr<place<T>>> shards_;
};

std::vector<std::size_t> draw_queues(session& s, const queue_pool& pool, std::size_t n) {
  std::vector<std::size_t> queues(n);
  for (auto& each : queues) each = s.below(pool.all.size());
  if (s.one_in(4)) std::fill(queues.begin(), queues.end(), queues[0]);
  return queues;
}

clwave::queues draw_host_queues(session& s, const queue_pool& pool) {
  clwave::queues all;
  for (std::size_t k = 0; k < 1 + s.below(3); ++k) all.add(pool.all[s.below(pool.all.size())].second);
  return all;
}

lengths draw_cut(session& s, std::uint64_t n, std::size_t tile) {
  if (s.one_in(4)) return {n};
  return testing::random_cut(s.random, n, tile);
}

// Which shards each rank has: from first to before end, one at least.
std::vector<std::size_t> draw_ranks(session& s, std::size_t n_shards) {
  const std::size_t ranks = std::min<std::size_t>(n_shards, 1 + s.below(4));
  std::vector<std::size_t> ends;
  for (std::size_t k = 1; k < n_shards; ++k) ends.push_back(k);
  std::shuffle(ends.begin(), ends.end(), s.random);
  ends.resize(ranks - 1);
  ends.push_back(0);
  ends.push_back(n_shards);
  std::sort(ends.begin(), ends.end());
  return ends;
}

// Calls of all ranks at once.
void on_ranks(session& s, const std::vector<std::size_t>& ends,
              const std::function<void(clwave::ranks&, std::size_t first, std::size_t end)>& call) {
  testing::mailbox box(static_cast<std::uint32_t>(ends.size() - 1));
  const auto thrown =
      testing::on_ranks(box, [&](clwave::ranks& all) { call(all, ends[all.rank()], ends[all.rank() + 1]); });
  for (const std::string& each : thrown)
    if (!each.empty()) s.found("a rank throws " + each);
}

// What has the array.
enum class carrier : unsigned char { shards, host, ranks };
constexpr const char* carriers[] = {" of shards", " of a host array", " of ranks"};

template <class A>
void check_value(session& s, const A& got, const A& right, std::size_t n, const lengths& cut) {
  if (reference::same_bits(got, right)) return;
  if constexpr (requires { got.index; })
    s.found("index " + std::to_string(got.index) + " instead of " + std::to_string(right.index) + " of " +
            std::to_string(n) + " elements, cut " + testing::text_of(cut));
  else
    s.found(reference::show_bits(got) + " instead of " + reference::show_bits(right) + " of " +
            std::to_string(n) + " elements, cut " + testing::text_of(cut));
}

// A value that all have of an array.
template <class T, class A, class Shards, class Host, class Ranks>
void fold_once(session& s, const queue_pool& pool, carrier how, const std::vector<T>& x, const A& right,
               const Shards& of_shards, const Host& of_host, const Ranks& of_ranks) {
  const lengths cut = how == carrier::host ? lengths{x.size()} : draw_cut(s, x.size(), clwave::fold_tile);
  if (how == carrier::host) {
    ++s.calls;
    const clwave::queues over = draw_host_queues(s, pool);
    if (s.flip())
      check_value(s, of_host(over, clwave::host_array<T>(x)), right, x.size(), cut);
    else
      check_value(s,
                  of_host(over, clwave::host_array<T>(x.size(),
                                                      [&x](std::uint64_t first, std::span<T> into) {
                                                        std::copy_n(
                                                            x.begin() + static_cast<std::ptrdiff_t>(first),
                                                            into.size(), into.begin());
                                                      })),
                  right, x.size(), cut);
    return;
  }
  const shards<T> in(s, pool, draw_queues(s, pool, cut.size()), cut, &x);
  const std::vector<std::size_t> ends = draw_ranks(s, cut.size());
  std::vector<held*> operands;
  std::vector<cl::CommandQueue> queues;
  in.add_to(operands, queues);
  s.make_distributed(operands, queues, [&](session::waits& after) {
    if (how == carrier::shards) return check_value(s, of_shards(in.array(after)), right, x.size(), cut);
    std::vector<clwave::sharded<T>> arrays;
    for (std::size_t k = 0; k + 1 < ends.size(); ++k) arrays.push_back(in.array(after, ends[k], ends[k + 1]));
    std::vector<A> values(arrays.size());
    on_ranks(s, ends, [&](clwave::ranks& all, std::size_t, std::size_t) {
      values[all.rank()] = of_ranks(all, arrays[all.rank()]);
    });
    for (const A& each : values) check_value(s, each, right, x.size(), cut);
  });
}

template <class T, class A>
void fold_elements(session& s, carrier how) {
  const operation<A> fold = draw_operation<A>(s);
  const mapping<T, A> apply = draw_mapping<T, A>(s, fold);
  s.what =
      describe<folded<T, A>>("transform_reduce", fold.text, apply.text) + carriers[static_cast<int>(how)];
  const queue_pool pool(s);
  for (unsigned v = 0; s.goes_on(v); ++v) {
    std::size_t n = s.size(60000);
    if (!fold.identity) n = std::max<std::size_t>(n, 1);
    const std::vector<T> x = draw_values<T>(s, n);
    const A right =
        n == 0
            ? *fold.identity
            : canonical_of(reference::fold_reference<A>(
                  n, [&](std::size_t i) { return apply.host(x[i], i); }, fold.host, !fold.text.commutative));
    fold_once<T, A>(
        s, pool, how, x, right,
        [&](const auto& in) { return clwave::transform_reduce<A>(in, fold.text, apply.text); },
        [&](const auto& over, const auto& in) {
          return clwave::transform_reduce<A>(over, in, fold.text, apply.text);
        },
        [&](auto& all, const auto& in) {
          return clwave::transform_reduce<A>(all, in, fold.text, apply.text);
        });
  }
}

template <class T>
void find_extremes(session& s, carrier how) {
  using N = clwave::detail::widened<T>;
  const bool least = s.flip();
  s.what = (least ? "argmin of " : "argmax of ") + name_of<T>() + carriers[static_cast<int>(how)];
  const queue_pool pool(s);
  for (unsigned v = 0; s.goes_on(v); ++v) {
    const std::vector<T> x = draw_values<T>(s, std::max<std::size_t>(s.size(60000), 1));
    const auto right = extreme<N>(
        x.size(), [&](std::size_t i) { return static_cast<N>(number(x[i])); }, least);
    fold_once<T, clwave::indexed<N>>(
        s, pool, how, x, right,
        [&](const auto& in) { return least ? clwave::argmin(in) : clwave::argmax(in); },
        [&](const auto& over, const auto& in) {
          return least ? clwave::argmin(over, in) : clwave::argmax(over, in);
        },
        [&](auto& all, const auto& in) { return least ? clwave::argmin(all, in) : clwave::argmax(all, in); });
  }
}

template <class T, class A>
void fold_rows(session& s) {
  const operation<A> fold = draw_operation<A>(s);
  const mapping<T, A> apply = draw_mapping<T, A>(s, fold);
  s.what = describe<folded<T, A>>("reduce_rows", fold.text, apply.text) + " of shards";
  const queue_pool pool(s);
  for (unsigned v = 0; s.goes_on(v); ++v) {
    const clwave::matrices size{.rows = 1 + s.below(s.flip() ? 4 : 300),
                                .columns = 1 + s.below(s.flip() ? 200 : 20000)};
    if (size.rows * size.columns > 200000) continue;
    const std::vector<T> x = draw_values<T>(s, size.rows * size.columns);
    const lengths cut = draw_cut(s, x.size(), clwave::fold_tile);
    const shards<T> in(s, pool, draw_queues(s, pool, cut.size()), cut, &x);
    const auto& home = pool.all[s.below(pool.all.size())];
    place<A> out(s, *home.first, size.rows + s.below(3));
    for (std::size_t r = 0; r < size.rows; ++r)
      out.expect(r, canonical_of(reference::fold_reference<A>(
                        size.columns, [&](std::size_t i) { return apply.host(x[r * size.columns + i], i); },
                        fold.host, !fold.text.commutative)));
    std::vector<held*> operands{&out};
    std::vector<cl::CommandQueue> queues{home.second};
    in.add_to(operands, queues);
    const bool waits = s.one_in(3);
    s.make_distributed(operands, queues, [&](session::waits& after) {
      clwave::wait_list before;
      if (waits) before.add(clwave::fill(home.second, out.elements(0), A{}).get());
      clwave::transform_reduce_rows(home.second, in.array(after), out.elements(), size, fold.text, apply.text,
                                    {.after = before});
    });
  }
}

template <class T, class A>
void scan_elements(session& s, carrier how) {
  const operation<A> fold = draw_operation<A>(s);
  const mapping<T, A> apply = draw_mapping<T, A>(s, fold);
  const bool exclusive = s.flip(), started = s.one_in(3) || (exclusive && !fold.identity);
  std::optional<A> start;
  if (started) start = fold.of_truth ? fold.identity : std::optional<A>(draw_values<A>(s, 1)[0]);
  const clwave::scan_options<A> options{.start = start};
  s.what = describe<folded<T, A>>(exclusive ? "exclusive scan" : "inclusive scan", fold.text, apply.text) +
           (started ? ", started," : "") + carriers[static_cast<int>(how)];
  const queue_pool pool(s);
  for (unsigned v = 0; s.goes_on(v); ++v) {
    const std::size_t n = s.size(60000);
    const std::vector<T> x = draw_values<T>(s, n);
    std::vector<A> right = reference::scan_reference<A>(
        n, [&](std::size_t i) { return apply.host(x[i], i); }, fold.host, exclusive, start,
        fold.identity.value_or(A{}));
    for (A& each : right) each = canonical_of(each);
    const auto call = [&](const auto&... where) {
      if (exclusive)
        clwave::transform_exclusive_scan(where..., fold.text, apply.text, options);
      else
        clwave::transform_inclusive_scan(where..., fold.text, apply.text, options);
    };
    if (how == carrier::host) {
      ++s.calls;
      std::vector<A> results(n);
      call(draw_host_queues(s, pool), clwave::host_array<T>(x), clwave::host_output<A>(results));
      for (std::size_t i = 0; i < n; ++i)
        if (!reference::same_bits(results[i], right[i]))
          s.found("result " + std::to_string(i) + " of " + std::to_string(n) + " is " +
                  reference::show_bits(results[i]) + " instead of " + reference::show_bits(right[i]));
      continue;
    }
    const lengths cut = draw_cut(s, n, std::size_t{1} << 14);
    const std::vector<std::size_t> at = draw_queues(s, pool, cut.size());
    const bool in_place = std::is_same_v<T, A> && s.one_in(3);
    shards<T> in(s, pool, at, cut, &x);
    shards<A> out(s, pool, at, in_place ? lengths{} : cut, nullptr);
    if constexpr (std::is_same_v<T, A>) {
      if (in_place) in.expect(right);
    }
    if (!in_place) out.expect(right);
    const std::vector<std::size_t> ends = draw_ranks(s, cut.size());
    std::vector<held*> operands;
    std::vector<cl::CommandQueue> queues;
    in.add_to(operands, queues);
    out.add_to(operands, queues);
    s.make_distributed(operands, queues, [&](session::waits& after) {
      const auto results = [&](std::size_t first, std::size_t end) {
        if constexpr (std::is_same_v<T, A>) {
          if (in_place) return in.array(after, first, end);
        }
        return out.array(after, first, end);
      };
      if (how == carrier::shards) return call(in.array(after), results(0, cut.size()));
      std::vector<clwave::sharded<T>> from;
      std::vector<clwave::sharded<A>> to;
      for (std::size_t k = 0; k + 1 < ends.size(); ++k) {
        from.push_back(in.array(after, ends[k], ends[k + 1]));
        to.push_back(results(ends[k], ends[k + 1]));
      }
      on_ranks(s, ends, [&](clwave::ranks& all, std::size_t, std::size_t) {
        const std::size_t r = all.rank();
        if (exclusive)
          clwave::transform_exclusive_scan(all, from[r], to[r], fold.text, apply.text, options);
        else
          clwave::transform_inclusive_scan(all, from[r], to[r], fold.text, apply.text, options);
      });
    });
  }
}

template <class T>
void count_elements(session& s, bool of_shards) {
  bin_case<T> first = draw_bins<T>(s);
  first.on_device = false;
  const unsigned channels = s.one_in(3) ? 1 + static_cast<unsigned>(s.below(4)) : 1;
  s.what = "histogram of " + name_of<T>() + ", " + first.name() + ", " + std::to_string(channels) +
           " channels" + carriers[of_shards ? 0 : 1];
  const clwave::histogram_options shape{.channels = channels};
  const queue_pool pool(s);
  for (unsigned v = 0; s.goes_on(v); ++v) {
    const bin_case<T> bins = first.another(s);
    const std::vector<T> x = bins.values(s, s.size(60000) / channels * channels);
    const auto right = bins.template counted<std::uint32_t>(x, channels);
    if (!of_shards) {
      ++s.calls;
      std::vector<std::uint32_t> counts(right.size(), 7);
      if (bins.even)
        clwave::histogram(draw_host_queues(s, pool), clwave::host_array<T>(x), counts, bins.bounds(), shape);
      else
        clwave::histogram(draw_host_queues(s, pool), clwave::host_array<T>(x), counts, bins.edges, shape);
      if (counts != right) s.found("counts are wrong: " + testing::difference(counts, right));
      continue;
    }
    const lengths cut = draw_cut(s, x.size(), 4096);
    const shards<T> in(s, pool, draw_queues(s, pool, cut.size()), cut, &x);
    const auto& home = pool.all[s.below(pool.all.size())];
    place<std::uint32_t> counts(s, *home.first, right.size());
    counts.expect(right);
    std::vector<held*> operands{&counts};
    std::vector<cl::CommandQueue> queues{home.second};
    in.add_to(operands, queues);
    s.make_distributed(operands, queues, [&](session::waits& after) {
      if (bins.even)
        clwave::histogram(home.second, in.array(after), counts.elements(), bins.bounds(), shape);
      else
        clwave::histogram(home.second, in.array(after), counts.elements(), bins.edges, shape);
    });
  }
}

using sharded_types =
    types<folded<float, float>, folded<double, float>, folded<double, double>, folded<half, float>,
          folded<std::int32_t, std::int32_t>, folded<std::uint8_t, std::uint32_t>, folded<affine, affine>,
          folded<df_text, df_text>, folded<df_weighted, df_weighted>>;

}  // namespace

void sharded_folds(session& s) {
  const auto how = static_cast<carrier>(s.below(3));
  if (s.one_in(5)) {
    with_one_of(s, types<float, half, std::int32_t>{},
                [&]<class T>(std::type_identity<T>) { find_extremes<T>(s, how); });
    return;
  }
  const bool rows = s.one_in(4);
  with_one_of(s, sharded_types{}, [&]<class P>(std::type_identity<P>) {
    if (rows)
      fold_rows<typename P::element, typename P::accumulator>(s);
    else
      fold_elements<typename P::element, typename P::accumulator>(s, how);
  });
}

void sharded_scans(session& s) {
  const auto how = static_cast<carrier>(s.below(3));
  with_one_of(s, sharded_types{}, [&]<class P>(std::type_identity<P>) {
    scan_elements<typename P::element, typename P::accumulator>(s, how);
  });
}

void sharded_histograms(session& s) {
  const bool of_shards = s.flip();
  with_one_of(s, types<std::uint8_t, float, double, half>{},
              [&]<class T>(std::type_identity<T>) { count_elements<T>(s, of_shards); });
}

}  // namespace differential
