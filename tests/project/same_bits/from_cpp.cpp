// Replays calls through the typed templates of C++: each line of types goes to an instantiation of its own.
#include "calls.h"

#include <cstdint>
#include <exception>
#include <string>
#include <type_traits>
#include <vector>

#include <clwave/bounds.hpp>
#include <clwave/cache.hpp>
#include <clwave/copy.hpp>
#include <clwave/device.hpp>
#include <clwave/gather.hpp>
#include <clwave/gemm.hpp>
#include <clwave/histogram.hpp>
#include <clwave/merge.hpp>
#include <clwave/reduce.hpp>
#include <clwave/reduce_by_key.hpp>
#include <clwave/reduce_columns.hpp>
#include <clwave/reduce_rows.hpp>
#include <clwave/scan.hpp>
#include <clwave/scan_by_key.hpp>
#include <clwave/segmented_reduce.hpp>
#include <clwave/segmented_scan.hpp>
#include <clwave/segmented_sort.hpp>
#include <clwave/select.hpp>
#include <clwave/set_operations.hpp>
#include <clwave/sort.hpp>
#include <clwave/top_k.hpp>
#include <clwave/transform.hpp>
#include <clwave/transpose.hpp>

#include "cpp_elements.hpp"
#include "cpp_operands.hpp"
#include "cpp_statistics.hpp"

namespace {

// A fold of all elements. Where nothing else is asked for, the accumulator is the one that C++ chooses.
void reduce(const call& one, const texts& with, bool two) {
  for_element(one.in[0].type, [&](auto of) {
    using T = typename decltype(of)::type;
    if constexpr (std::is_same_v<T, sample> || std::is_same_v<T, bool>) {
      stop("no instantiation for the type", one.in[0].type);
    } else {
      for_accumulator<T>(one.out[0].type, [&](auto wide) {
        using A = typename decltype(wide)::type;
        if constexpr (std::is_same_v<A, clwave::half> || std::is_same_v<A, clwave::bfloat16>) {
          stop("no value of this type", one.out[0].type);
        } else {
          using Chosen = std::conditional_t<
              std::is_same_v<clwave::detail::accumulator_of<void, T>, A> && std::is_same_v<A, T>, void, A>;
          const clwave::view<const T> x = in<T>(one, 0);
          A made;
          clwave::reduce_options<A> options;
          options.start = value<A>(one);
          if (std::string(one.name) == "dot")
            made = clwave::dot<Chosen>(queue, x, in<T>(one, 1), options);
          else if (two)
            made = clwave::transform_reduce<Chosen>(queue, clwave::zip(x, in<T>(one, 1)), with.fold,
                                                    with.apply, options);
          else if (with.has_map)
            made = clwave::transform_reduce<Chosen>(queue, x, with.fold, with.apply, options);
          else
            made = clwave::reduce<Chosen>(queue, x, with.fold, options);
          give(&one.out[0], &made);
        }
      });
    }
  });
}

void arg_extreme(const call& one, bool largest) {
  for_number(one.in[0].type, [&](auto of) {
    using T = typename decltype(of)::type;
    const auto made = largest ? clwave::argmax(queue, in<T>(one, 0)) : clwave::argmin(queue, in<T>(one, 0));
    give(&one.out[0], &made.value);
    give(&one.out[1], &made.index);
  });
}

// Calls `with` with the input's and the accumulator's type, where an expression may combine any elements.
template <class With>
void for_fold(const call& one, std::size_t input, const With& with) {
  for_element(one.in[input].type, [&](auto of) {
    using T = typename decltype(of)::type;
    for_accumulator<T>(one.out[one.n_out - 1].type, [&](auto wide) { with(of, wide); });
  });
}

void folds_of_parts(const call& one, const texts& with) {
  const clwave::matrices size{.rows = number(&one, "rows"), .columns = number(&one, "columns")};
  for_fold(one, 0, [&](auto of, auto wide) {
    using T = typename decltype(of)::type;
    using A = typename decltype(wide)::type;
    const std::string name = one.name;
    clwave::reduce_options<A> options;
    options.start = value<A>(one);
    if (name == "reduce_into")
      clwave::transform_reduce(queue, in<T>(one, 0), out<A>(one), with.fold, with.apply, options);
    else if (name == "reduce_rows")
      clwave::transform_reduce_rows(queue, in<T>(one, 0), out<A>(one), size, with.fold, with.apply);
    else if (name == "reduce_columns")
      clwave::transform_reduce_columns(queue, in<T>(one, 0), out<A>(one), size, with.fold, with.apply);
    else
      clwave::transform_segmented_reduce(queue, in<T>(one, 0), in<std::uint32_t>(one, 1), out<A>(one),
                                         with.fold, with.apply);
  });
}

void scans(const call& one, const texts& with) {
  for_fold(one, 0, [&](auto of, auto wide) {
    using T = typename decltype(of)::type;
    using A = typename decltype(wide)::type;
    clwave::scan_options<A> options;
    options.start = value<A>(one);
    const std::string name = one.name;
    const auto x = in<T>(one, 0);
    const auto to = out<A>(one);
    if (name == "inclusive_scan")
      clwave::transform_inclusive_scan(queue, x, to, with.fold, with.apply, options);
    else if (name == "exclusive_scan")
      clwave::transform_exclusive_scan(queue, x, to, with.fold, with.apply, options);
    else if (name == "segmented_inclusive_scan")
      clwave::transform_segmented_inclusive_scan(queue, x, in<std::uint32_t>(one, 1), to, with.fold,
                                                 with.apply, options);
    else
      clwave::transform_segmented_exclusive_scan(queue, x, in<std::uint32_t>(one, 1), to, with.fold,
                                                 with.apply, options);
  });
}

// Keys, with values that are accumulated in their own type.
void by_key(call& one, const texts& with) {
  for_number(one.in[0].type, [&](auto first) {
    using K = typename decltype(first)::type;
    for_second(one.in[1].type, [&](auto second) {
      using V = typename decltype(second)::type;
      const auto keys = in<K>(one, 0);
      const auto values = in<V>(one, 1);
      const std::string name = one.name;
      clwave::scan_options<V> options;
      options.start = value<V>(one);
      if (name == "reduce_by_key") {
        one.out[0].n = one.out[1].n =
            with.same ? clwave::transform_reduce_by_key(queue, keys, values, out<K>(one), out<V>(one, 1),
                                                        with.fold, with.apply, *with.same)
                      : clwave::transform_reduce_by_key(queue, keys, values, out<K>(one), out<V>(one, 1),
                                                        with.fold, with.apply);
      } else if (name == "unique_by_key") {
        one.out[0].n = one.out[1].n =
            with.same ? clwave::unique_by_key(queue, keys, values, out<K>(one), out<V>(one, 1), *with.same)
                      : clwave::unique_by_key(queue, keys, values, out<K>(one), out<V>(one, 1));
      } else if (name == "inclusive_scan_by_key") {
        if (with.same)
          clwave::transform_inclusive_scan_by_key(queue, keys, values, out<V>(one), with.fold, with.apply,
                                                  *with.same, options);
        else
          clwave::transform_inclusive_scan_by_key(queue, keys, values, out<V>(one), with.fold, with.apply,
                                                  options);
      } else if (name == "exclusive_scan_by_key") {
        if (with.same)
          clwave::transform_exclusive_scan_by_key(queue, keys, values, out<V>(one), with.fold, with.apply,
                                                  *with.same, options);
        else
          clwave::transform_exclusive_scan_by_key(queue, keys, values, out<V>(one), with.fold, with.apply,
                                                  options);
      } else if (name == "sort_by_key") {
        clwave::sort_by_key(queue, keys, values, out<K>(one), out<V>(one, 1),
                            order<clwave::sort_options>(one, with));
      } else if (name == "segmented_sort_by_key") {
        clwave::segmented_sort_by_key(queue, keys, values, in<std::uint32_t>(one, 2), out<K>(one),
                                      out<V>(one, 1), order<clwave::sort_options>(one, with));
      } else {
        clwave::merge_by_key(queue, keys, values, in<K>(one, 2), in<V>(one, 3), out<K>(one), out<V>(one, 1),
                             order<clwave::ordered_options>(one, with));
      }
    });
  });
}

void selections(call& one, const texts& with) {
  for_element(one.in[0].type, [&](auto of) {
    using T = typename decltype(of)::type;
    const auto x = in<T>(one, 0);
    const auto to = out<T>(one);
    const std::string name = one.name;
    std::uint64_t n = 0;
    if (name == "copy_if") {
      n = clwave::copy_if(queue, x, to, with.apply);
    } else if (name == "copy_flagged") {
      n = clwave::copy_flagged(queue, x, in<std::uint8_t>(one, 1), to);
    } else if (name == "partition") {
      n = clwave::partition(queue, x, to, with.apply);
      give(&one.out[1], &n);
      n = one.out[0].n;
    } else if (name == "partition_copy") {
      n = clwave::partition_copy(queue, x, to, out<T>(one, 1), with.apply);
      one.out[1].n = one.in[0].n - n;
    } else if (name == "unique") {
      if constexpr (std::is_same_v<T, sample>)
        n = clwave::unique(queue, x, to, *with.same);
      else
        n = with.same ? clwave::unique(queue, x, to, *with.same) : clwave::unique(queue, x, to);
    } else if (name == "run_lengths") {
      n = one.out[1].n = with.same ? clwave::run_lengths(queue, x, to, out<std::uint64_t>(one, 1), *with.same)
                                   : clwave::run_lengths(queue, x, to, out<std::uint64_t>(one, 1));
    } else {
      n = 1 + (with.same ? clwave::run_offsets(queue, x, out<std::uint64_t>(one), *with.same)
                         : clwave::run_offsets(queue, x, out<std::uint64_t>(one)));
    }
    one.out[0].n = n;
  });
}

void sorts(const call& one, const texts& with) {
  for_element(one.in[0].type, [&](auto of) {
    using T = typename decltype(of)::type;
    const auto x = in<T>(one, 0);
    const std::string name = one.name;
    if (name == "sort")
      clwave::sort(queue, x, out<T>(one), order<clwave::sort_options>(one, with));
    else if (name == "argsort")
      clwave::argsort(queue, x, out<std::uint32_t>(one), order<clwave::sort_options>(one, with));
    else
      clwave::segmented_sort(queue, x, in<std::uint32_t>(one, 1), out<T>(one),
                             order<clwave::sort_options>(one, with));
  });
}

void sorted_ranges(call& one, const texts& with) {
  for_element(one.in[0].type, [&](auto of) {
    using T = typename decltype(of)::type;
    const auto a = in<T>(one, 0);
    const std::string name = one.name;
    if (name == "top_k") {
      if constexpr (!std::is_same_v<T, cf32> && !std::is_same_v<T, sample>)
        clwave::top_k(queue, a, out<T>(one), out<std::uint32_t>(one, 1), one.out[0].n,
                      {.descending = number(&one, "descending") != 0});
      return;
    }
    const auto b = in<T>(one, 1);
    const auto how = order<clwave::ordered_options>(one, with);
    if (name == "merge") {
      clwave::merge(queue, a, b, out<T>(one), how);
    } else if (name == "lower_bound") {
      clwave::lower_bound(queue, a, b, out<std::uint32_t>(one), how);
    } else if (name == "upper_bound") {
      clwave::upper_bound(queue, a, b, out<std::uint32_t>(one), how);
    } else {
      const auto to = out<T>(one);
      one.out[0].n = name == "set_union"          ? clwave::set_union(queue, a, b, to, how)
                     : name == "set_intersection" ? clwave::set_intersection(queue, a, b, to, how)
                     : name == "set_difference"   ? clwave::set_difference(queue, a, b, to, how)
                                                  : clwave::set_symmetric_difference(queue, a, b, to, how);
    }
  });
}

void moves(const call& one, const texts& with) {
  const std::size_t rows = number(&one, "rows"), columns = number(&one, "columns");
  for_element(one.in[0].type, [&](auto of) {
    using T = typename decltype(of)::type;
    const auto x = in<T>(one, 0);
    const std::string name = one.name;
    if (name == "gather") {
      clwave::gather_options<T> options;
      options.outside = value<T>(one);
      if (with.has_map)
        clwave::transform_gather(queue, x, in<std::uint32_t>(one, 1), out<T>(one), with.apply, options);
      else
        clwave::gather(queue, x, in<std::uint32_t>(one, 1), out<T>(one), options);
    } else if (name == "scatter") {
      if (with.has_map)
        clwave::transform_scatter(queue, x, in<std::uint32_t>(one, 1), out<T>(one), with.apply,
                                  {.distinct = true});
      else
        clwave::scatter(queue, x, in<std::uint32_t>(one, 1), out<T>(one), {.distinct = true});
    } else if (name == "fill") {
      clwave::fill(queue, out<T>(one), *value<T>(one));
    } else if (name == "transpose") {
      clwave::transpose(queue, x, out<T>(one), {.rows = rows, .columns = columns});
    } else if (name == "broadcast") {
      clwave::broadcast(queue, x, in<T>(one, 1), out<T>(one), {.rows = rows, .columns = columns},
                        number(&one, "per_row") != 0 ? clwave::per::row : clwave::per::column, with.apply);
    } else if constexpr (std::is_same_v<T, cf32> || std::is_same_v<T, sample>) {
      if (name == "transform")
        clwave::transform(queue, x, out<T>(one), with.apply);
      else if (name == "transform_two")
        clwave::transform(queue, x, in<T>(one, 1), out<T>(one), with.apply);
      else
        stop("no instantiation for the type", one.in[0].type);
    } else if (name == "histogram") {
      clwave::histogram(
          queue, x, out<std::uint64_t>(one),
          clwave::even{std::strtod(field(&one, "low"), nullptr), std::strtod(field(&one, "high"), nullptr)});
    } else if (name == "histogram_between") {
      if constexpr (!std::is_same_v<T, bool>) {
        std::vector<T> edges(one.in[1].n);
        if (!edges.empty()) std::memcpy(static_cast<void*>(edges.data()), one.in[1].host, one.in[1].n_bytes);
        clwave::histogram(queue, x, out<std::uint64_t>(one), edges);
      }
    } else {
      for_second(one.out[0].type, [&](auto to) {
        using U = typename decltype(to)::type;
        if (name == "copy")
          clwave::copy(queue, x, out<U>(one), {.saturate = number(&one, "saturate") != 0});
        else if (name == "transform")
          clwave::transform(queue, x, out<U>(one), with.apply);
        else
          clwave::transform(queue, x, in<T>(one, 1), out<U>(one), with.apply);
      });
    }
  });
}

void gemm(const call& one) {
  for_type<float, double, clwave::half, clwave::bfloat16>(one.in[0].type, [&](auto of) {
    using T = typename decltype(of)::type;
    clwave::gemm_options options;
    options.alpha = 1.5;
    options.same_bits = true;
    clwave::gemm(queue, {.m = number(&one, "m"), .n = number(&one, "n"), .k = number(&one, "inner")},
                 in<T>(one, 0), in<T>(one, 1), out<T>(one), options);
  });
}

void perform(call* to) {
  call& one = *to;
  const texts with(one);
  const std::string name = one.name;
  const auto is_among = [&](std::initializer_list<const char*> names) {
    for (const char* each : names)
      if (name == each) return true;
    return false;
  };
  if (is_among({"reduce", "dot", "reduce_two"}))
    reduce(one, with, name == "reduce_two");
  else if (is_among({"argmin", "argmax"}))
    arg_extreme(one, name == "argmax");
  else if (is_among({"reduce_into", "reduce_rows", "reduce_columns", "segmented_reduce"}))
    folds_of_parts(one, with);
  else if (is_among(
               {"inclusive_scan", "exclusive_scan", "segmented_inclusive_scan", "segmented_exclusive_scan"}))
    scans(one, with);
  else if (name.ends_with("_by_key"))
    by_key(one, with);
  else if (is_among({"copy_if", "copy_flagged", "partition", "partition_copy", "unique", "run_lengths",
                     "run_offsets"}))
    selections(one, with);
  else if (is_among({"sort", "argsort", "segmented_sort"}))
    sorts(one, with);
  else if (is_among({"top_k", "merge", "lower_bound", "upper_bound"}) || name.starts_with("set_"))
    sorted_ranges(one, with);
  else if (is_among({"copy", "fill", "gather", "scatter", "transform", "transform_two", "broadcast",
                     "transpose", "histogram", "histogram_between"}))
    moves(one, with);
  else if (name == "gemm")
    gemm(one);
  else if (is_among({"count_if", "count_two", "minmax", "mean_and_variance", "minmax_rows", "minmax_columns",
                     "segmented_minmax", "mean_and_variance_rows", "mean_and_variance_columns",
                     "segmented_mean_and_variance"}))
    statistics(one, with);
  else if (is_among({"find_if", "any_of", "all_of", "none_of", "mismatch", "equal", "is_sorted"}))
    searches(one, with);
  else if (is_among({"generate", "iota", "iota_from", "iota_by", "adjacent_difference",
                     "adjacent_difference_in_place", "reverse", "rotate", "transform_if", "replace_if",
                     "random", "random_permutation", "shuffle"}))
    elements(one, with);
  else
    stop("no such call", one.name);
}

}  // namespace

int main(int argc, char** argv) {
  try {
    const int code = replay(argc, argv, clwave::select_device(""), perform);
    clwave::release(context);
    clReleaseContext(context);
    return code;
  } catch (const std::exception& failed) {
    stop("from_cpp", failed.what());
  }
}
