// Folds and scans by key, histograms and the best elements of inputs whose number of elements lies on the
// device, as counted_test.cpp has other calls.
#include <clwave/any_view.hpp>

#if __has_include(<clwave/reduce_by_key.hpp>) && __has_include(<clwave/scan_by_key.hpp>) && \
    __has_include(<clwave/histogram.hpp>) && __has_include(<clwave/top_k.hpp>) && \
    __has_include(<clwave/sort.hpp>) && __has_include(<clwave/transform.hpp>)

#include <clwave/histogram.hpp>
#include <clwave/reduce_by_key.hpp>
#include <clwave/scan_by_key.hpp>
#include <clwave/sort.hpp>
#include <clwave/top_k.hpp>
#include <clwave/transform.hpp>

#include "call/counted_calls.hpp"

namespace testing::counted_runs_test {
namespace {

const doctest::test_suite lanes("lanes");

const clwave::op subtract{
    .name = "subtract", .source = "a * 0.5f - b", .identity = "0", .commutative = false};

counted_call folds_of(std::string name, const clwave::op& fold, bool long_runs, std::size_t room = 0) {
  return {std::move(name), [&fold, long_runs, room](cl_command_queue queue, const arrays& a, const length& l,
                                                    const any_view& kept) {
            clwave::reduce_by_key_problem problem{
                .keys = l.first(a.of(long_runs ? a.long_keyed : a.keyed, element_of<int>())),
                .values = l.beside(a.of(a.x, element_of<float>())),
                .keys_out = a.of(a.out, element_of<int>()),
                .values_out = a.of(a.second, element_of<float>()),
                .count = kept,
                .fold = &fold};
            if (room != 0) problem.keys_out.n = std::min<u64>(room, a.n);
            clwave::reduce_by_key(queue, problem);
          }};
}

template <class Value>
counted_call scans_of(std::string name, const clwave::op& fold, bool long_runs, bool exclusive,
                      bool in_place) {
  return {std::move(name), [&fold, long_runs, exclusive, in_place](cl_command_queue queue, const arrays& a,
                                                                   const length& l, const any_view&) {
            const cl::Buffer& from = in_place ? a.out : std::is_same_v<Value, float> ? a.x : a.wide;
            clwave::scan_by_key(
                queue, clwave::scan_by_key_problem{
                           .keys = l.first(a.of(long_runs ? a.long_keyed : a.keyed, element_of<int>())),
                           .values = l.beside(a.of(from, element_of<Value>())),
                           .out = l.beside(a.of(a.out, element_of<Value>())),
                           .fold = &fold,
                           .exclusive = exclusive});
          }};
}

template <class Key, class Count>
counted_call histogram_of(std::string name, const cl::Buffer arrays::*keys, std::size_t most_bins,
                          clwave::even bounds, unsigned channels = 1) {
  return {std::move(name), [=](cl_command_queue queue, const arrays& a, const length& l, const any_view&) {
            any_view in = l.first(a.of(a.*keys, element_of<Key>()));
            in.n -= in.n % channels;  // of the host's elements; on the device those behind are left out
            const std::size_t bins = std::min(most_bins, a.n);
            const any_view counts(a.out(), bins * channels, 1, &element_of<Count>());
            clwave::histogram(queue, clwave::histogram_problem{
                                         .in = in, .counts = counts, .bounds = bounds, .channels = channels});
          }};
}

template <class Key>
counted_call best_of(std::string name, const cl::Buffer arrays::*keys, u64 k, bool descending) {
  return {std::move(name), [=](cl_command_queue queue, const arrays& a, const length& l, const any_view&) {
            const any_view in = l.first(a.of(a.*keys, element_of<Key>()));
            clwave::top_k(queue, clwave::top_k_problem{.in = in,
                                                       .values = a.of(a.out, element_of<Key>()),
                                                       .indices = a.of(a.second, element_of<u32>()),
                                                       .k = std::min(k, in.n),
                                                       .descending = descending});
          }};
}

const clwave::op far_first{.name = "far first", .source = "fabs(a) > fabs(b)"};

// By an operator, or by a key, or by two of them.
counted_call sort_of(std::string name, unsigned keys, bool indices, bool values, bool in_place = false) {
  return {std::move(name), [=](cl_command_queue queue, const arrays& a, const length& l, const any_view&) {
            static const clwave::key_list one{clwave::by<float>({.name = "far", .source = "fabs(x)"})};
            static const clwave::key_list two{
                clwave::by<int>({.name = "whole", .source = "(int)x / 8"}, {.descending = true}),
                clwave::by<float>({.name = "itself", .source = "x"})};
            const element& number = element_of<float>();
            clwave::sort_problem problem{.keys = l.first(a.of(a.x, number))};
            if (in_place) {
              const cl::CommandQueue on(queue, true);
              on.enqueueCopyBuffer(a.x, a.out, 0, 0, a.x.getInfo<CL_MEM_SIZE>());
              problem.keys = l.first(a.of(a.out, number));
            }
            if (!indices) problem.keys_out = a.of(a.out, number);
            if (values) problem.values = l.beside(a.of(a.keyed, element_of<int>()));
            if (values) problem.values_out = a.of(a.second, element_of<int>());
            if (indices) problem.values_out = a.of(a.second, element_of<u32>());
            if (keys == 0) problem.less = &far_first;
            if (keys != 0) problem.by = (keys == 1 ? one : two).keys();
            clwave::sort(queue, problem);
          }};
}

std::vector<counted_call> counted_calls() {
  return {folds_of("reduce_by_key", clwave::plus, false),
          folds_of("reduce_by_key of long runs", clwave::plus, true),
          folds_of("reduce_by_key without room for all", clwave::min, false, 700),
          folds_of("reduce_by_key by a user's operator", subtract, true),
          scans_of<float>("scan_by_key", clwave::plus, false, false, false),
          scans_of<float>("scan_by_key of long runs", clwave::plus, true, true, false),
          scans_of<float>("scan_by_key by a user's operator, in place", subtract, true, false, true),
          scans_of<u64>("scan_by_key of 8 bytes", clwave::plus, false, true, false),
          histogram_of<unsigned char, u32>("histogram of bytes", &arrays::wide, 256, {0, 256}),
          histogram_of<float, u64>("histogram of floats", &arrays::x, 100, {-50, 75}),
          histogram_of<u32, u32>("histogram of many bins", &arrays::indices, 20'000, {0, 200'000}),
          histogram_of<unsigned char, u32>("histogram of channels", &arrays::wide, 16, {0, 256}, 3),
          sort_of("merge_sort", 0, false, false),
          sort_of("merge_sort in place, with values", 0, false, true, true),
          sort_of("argsort by an operator", 0, true, false),
          sort_of("key_sort", 1, false, false),
          sort_of("key_sort in place, with values", 2, false, true, true),
          sort_of("argsort by two keys", 2, true, false),
          {"generate",
           [](cl_command_queue queue, const arrays& a, const length& l, const any_view&) {
             const clwave::map squares{.name = "squares", .source = "i * i"};
             clwave::transform(queue,
                               {.in = {}, .out = l.first(a.of(a.out, element_of<u32>())), .apply = &squares});
           }},
          best_of<float>("top_k", &arrays::x, 100, true),
          best_of<u32>("top_k of one", &arrays::indices, 1, false),
          best_of<int>("top_k of equal keys", &arrays::keyed, 1000, false),
          best_of<u16>("top_k of most elements", &arrays::wide, 90'000, true)};
}

}  // namespace

TEST_CASE("folds by key and their like with a count on the device give the bytes of the host's count") {
  check_counts_of(counted_calls());
}

TEST_CASE(
    "folds by key and their like with a count on the device give the host's bytes on rows of the table") {
  check_counts_on_rows(counted_calls(), [](const counted_call& call) {
    return call.name.starts_with("top_k") || call.name.starts_with("scan_by_key") ||
           call.name.starts_with("generate") || call.name.find("sort") != std::string::npos;
  });
}

}  // namespace testing::counted_runs_test

#endif
