// Every function and template of the public headers, so that a compiler sees them all and a linker finds what
// the library is to offer.
#include "every_call.hpp"

#include <cstdint>
#include <vector>

#include <clwave.hpp>

struct consumer_point {
  float x, y;
};
CLWAVE_STRUCTURE(consumer_point, "consumer_point", "typedef struct { float x, y; } consumer_point;")
CLWAVE_LAYOUT(consumer_point, &consumer_point::x, &consumer_point::y)

namespace {

using clwave::view;

void reductions(cl_command_queue queue, cl_mem buffer, const clwave::event& before) {
  const view<float> x{buffer, 10};
  const view<float> y{buffer, 10, 20};
  const view<clwave::half> halves{buffer, 10};
  const view<clwave::u16> words{buffer, 10};
  const clwave::op longest{.name = "longest", .source = "sqrt(a * a + b * b)", .identity = "0"};
  const clwave::map above{.name = "above", .source = "x > 0.5f ? 1u : 0u"};
  clwave::reduce(queue, x);
  clwave::reduce<double>(queue, x, clwave::plus, {.after = {before}});
  clwave::reduce(queue, halves, clwave::max);
  clwave::reduce(queue, words, clwave::bit_or);
  clwave::reduce(queue, x, y, longest, {.after = {before}, .with_event = false});
  clwave::transform_reduce<std::uint64_t>(queue, x, clwave::plus, above);
  clwave::transform_reduce(queue, clwave::zip(x, y), x.subview(0, 1), clwave::plus, clwave::product);
  clwave::dot(queue, x, y);
  clwave::argmin(queue, x);
  clwave::argmax(queue, halves);
  clwave::later<float> sum = clwave::reduce_later(queue, x);
  clwave::later<double> squares = clwave::transform_reduce_later<double>(
      queue, x, clwave::plus, clwave::square, {.after = {sum.event()}});
  clwave::later<float> product = clwave::dot_later(queue, x, y, {.workspace = buffer});
  clwave::later<clwave::indexed<float>> least = clwave::argmin_later(queue, x);
  least = clwave::argmax_later(queue, halves);
  if (sum.valid() && sum.done() && least.get().index != 0)
    static_cast<void>(static_cast<float>(squares.get()) > product.get());
}

void movements(cl_command_queue queue, cl_mem buffer) {
  const view<float> x{buffer, 10};
  const view<float> y{buffer, 10, 20};
  const view<std::uint8_t> bytes{buffer, 80};
  const view<consumer_point> points{buffer, 5};
  const clwave::layout fields = clwave::layout_of(&consumer_point::x, &consumer_point::y);
  clwave::copy(queue, x, bytes.subview(40, 10), {.saturate = true, .round = clwave::rounding::nearest_even});
  clwave::copy(queue, x, y, {.with_event = false});
  clwave::copy(queue, x, y, {.width = 2, .height = 2}, {.row = 4}, {});
  clwave::fill(queue, x, 1.5f);
  clwave::fill(queue, points, {1, 2});
  clwave::transpose(queue, x, y, {.rows = 2, .columns = 5});
  clwave::transpose_in_place(queue, x, {.rows = 3, .columns = 3});
  clwave::aos_to_soa(queue, points, fields, {x, y});
  clwave::aos_to_soa(queue, points, {x, y});
  clwave::soa_to_aos(queue, {x, y}, points, fields);
  clwave::soa_to_aos(queue, {x, y}, points);
  clwave::aos_to_aosoa(queue, points, fields, bytes, 32);
  clwave::aosoa_to_aos(queue, bytes, 32, points, fields);
  static_cast<void>(clwave::aosoa_bytes(fields, 5, 32));
}

void arithmetic(cl_command_queue queue, cl_mem buffer) {
  const view<float> x{buffer, 16};
  const view<float> y{buffer, 16, 16};
  const view<float> z{buffer, 16, 32};
  const view<std::uint8_t> bytes{buffer, 80};
  const clwave::map mix{.name = "mix", .source = "x + y * z * k", .values = {{"k", 2.0f}}};
  clwave::gemm(queue, {4, 4, 4}, x, y, z, {.alpha = 2, .beta = 1, .transpose_b = true, .stride_b = 0},
               {.with_event = false, .workspace = bytes});
  clwave::gemm(queue, {4, 4, 4}, x, y, z, {.workspace = buffer});
  clwave::reduce_rows(queue, x, y, {.rows = 4, .columns = 3}, clwave::max, {.row = 4}, {.workspace = bytes});
  clwave::transform_reduce_rows(queue, x, y, {.rows = 4, .columns = 4}, clwave::plus, clwave::square);
  clwave::argmin_rows(queue, x, view<clwave::indexed<float>>{buffer, 4, 8}, {.rows = 4, .columns = 4});
  clwave::argmax_rows(queue, x, view<clwave::indexed<float>>{buffer, 4, 8}, {.rows = 4, .columns = 4});
  clwave::reduce_columns(queue, x, y, {.rows = 4, .columns = 3}, clwave::max, {.row = 4},
                         {.workspace = bytes});
  clwave::transform_reduce_columns(queue, x, y, {.rows = 4, .columns = 4}, clwave::plus, clwave::square);
  clwave::argmin_columns(queue, x, view<clwave::indexed<float>>{buffer, 4, 8}, {.rows = 4, .columns = 4});
  clwave::argmax_columns(queue, x, view<clwave::indexed<float>>{buffer, 4, 8}, {.rows = 4, .columns = 4});
  const view<std::uint32_t> borders{buffer, 4, 60};
  const view<std::uint64_t> bad{buffer, 1, 29};
  const view<clwave::indexed<float>> places{buffer, 3, 8};
  clwave::segmented_reduce(queue, x, borders, y);
  clwave::segmented_reduce(queue, x, borders, y, bad, clwave::max, {.workspace = bytes});
  clwave::transform_segmented_reduce(queue, x, borders, y, clwave::plus, clwave::square);
  clwave::transform_segmented_reduce(queue, x, borders, y, bad, clwave::plus, clwave::square);
  clwave::checked_segmented_reduce(queue, x, borders, y);
  clwave::segmented_argmin(queue, x, borders, places);
  clwave::segmented_argmax(queue, x, borders, places);
  clwave::inclusive_scan(queue, x, y);
  clwave::exclusive_scan(queue, x, y, clwave::max, {.start = 1.0f});
  clwave::exclusive_scan(queue, x, y, clwave::max, {.with_event = false});
  clwave::transform_inclusive_scan(queue, x, y, clwave::plus, clwave::square);
  clwave::transform_exclusive_scan(queue, x, y, clwave::plus, clwave::abs, {.start = 1.0f},
                                   {.workspace = bytes});
  clwave::segmented_inclusive_scan(queue, x, borders, y);
  clwave::segmented_inclusive_scan(queue, x, borders, y, bad, clwave::max);
  clwave::segmented_exclusive_scan(queue, x, borders, y, clwave::plus, {.start = 1.0f}, {.workspace = bytes});
  clwave::segmented_exclusive_scan(queue, x, borders, y, bad);
  clwave::transform_segmented_inclusive_scan(queue, x, borders, y, clwave::plus, clwave::square);
  clwave::transform_segmented_inclusive_scan(queue, x, borders, y, bad, clwave::plus, clwave::square);
  clwave::transform_segmented_exclusive_scan(queue, x, borders, y, clwave::plus, clwave::square, {},
                                             {.with_event = false});
  clwave::transform_segmented_exclusive_scan(queue, x, borders, y, bad, clwave::plus, clwave::square);
  const view<std::uint64_t> count{buffer, 1, 30};
  const clwave::op near{.name = "near", .source = "fabs(a - b) < 0.5f", .identity = {}};
  const clwave::op same{.name = "same", .source = "a == b", .identity = {}};
  clwave::copy_if(queue, x, y, count, clwave::identity);
  clwave::copy_flagged(queue, x, bytes.subview(0, 16), y, count, {.with_event = false});
  clwave::partition(queue, x, y, count, clwave::identity, {.workspace = bytes});
  clwave::unique(queue, x, y, count);
  clwave::unique(queue, x, y, count, near);
  const clwave::view<unsigned char> sixteen = bytes.subview(0, 16), others = bytes.subview(16, 16);
  clwave::unique_by_key(queue, x, sixteen, y, others, count);
  clwave::unique_by_key(queue, x, sixteen, y, others, count, near);
  clwave::reduce_by_key(queue, sixteen, x, others, y, count);
  clwave::reduce_by_key(queue, sixteen, x, others, y, count, clwave::max, same);
  clwave::transform_reduce_by_key(queue, sixteen, x, others, y, count, clwave::plus, clwave::square);
  clwave::transform_reduce_by_key(queue, sixteen, x, others, y, count, clwave::plus, clwave::square, same);
  const view<std::uint32_t> lengths{buffer, 8, 40};
  const view<std::uint64_t> offsets{buffer, 5, 20};
  clwave::run_lengths(queue, x, y, lengths, count);
  clwave::run_lengths(queue, x, y, offsets, count, near);
  clwave::run_offsets(queue, x, offsets, count);
  clwave::run_offsets(queue, x, offsets, count, near);
  clwave::sort(queue, x, y);
  clwave::sort(queue, x, x, {.descending = true, .first_bit = 3, .last_bit = 20}, {.with_event = false});
  clwave::sort_by_key(queue, sixteen, x, others, y);
  clwave::argsort(queue, x.subview(0, 8), lengths);
  const std::uint64_t kept =
      clwave::copy_if(queue, x, y, clwave::identity) +
      clwave::copy_flagged(queue, x, bytes.subview(0, 16), y) +
      clwave::partition(queue, x, y, clwave::identity) + clwave::unique(queue, x, y) +
      clwave::unique(queue, x, y, near) + clwave::run_lengths(queue, x, y, lengths) +
      clwave::run_lengths(queue, x, y, lengths, near) + clwave::run_offsets(queue, x, offsets) +
      clwave::run_offsets(queue, x, offsets, near) + clwave::unique_by_key(queue, x, sixteen, y, others) +
      clwave::unique_by_key(queue, x, sixteen, y, others, near) +
      clwave::reduce_by_key(queue, sixteen, x, others, y) +
      clwave::reduce_by_key(queue, sixteen, x, others, y, clwave::max, same) +
      clwave::transform_reduce_by_key(queue, sixteen, x, others, y, clwave::plus, clwave::square) +
      clwave::transform_reduce_by_key(queue, sixteen, x, others, y, clwave::plus, clwave::square, same);
  static_cast<void>(kept);
  clwave::transform(queue, x, y, clwave::square);
  clwave::transform(queue, x, y, z, clwave::product);
  clwave::transform(queue, x, y, z, z, mix);
  clwave::broadcast(queue, x, y, z, {.rows = 4, .columns = 4}, clwave::per::row,
                    {.name = "bias", .source = "x + b"});
}

void plans(const clwave::device_facts& facts) {
  const clwave::plan_target on{.facts = &facts, .choice = clwave::choose_profile(facts)};
  const clwave::element& f32 = clwave::element_of<float>();
  const float one = 1;
  const clwave::profile& row = *on.choice.row;
  const clwave::layout& fields = clwave::layout_traits<consumer_point>::describe();
  clwave::plan(clwave::reduce_question{.in = f32, .accumulator = &f32, .n = 1000}, on);
  clwave::plan(clwave::copy_question{f32, *clwave::find_element("u8"), 1000}, on);
  clwave::plan(clwave::box_question{f32, f32, {.width = 2, .height = 2}}, on);
  clwave::plan(clwave::fill_question{f32, 1000, &one}, on);
  clwave::plan(clwave::transpose_question{f32, f32, {.rows = 2, .columns = 5}}, on);
  clwave::plan(clwave::transpose_in_place_question{f32, {.rows = 3, .columns = 3}}, on);
  clwave::plan(clwave::layout_question{.fields = &fields, .n = 1000}, on);
  clwave::plan(clwave::layout_blocks_question{.fields = &fields, .n = 1000, .block = 32}, on);
  clwave::plan(clwave::gemm_question{f32, f32, f32, {4, 4, 4}}, on);
  clwave::plan(clwave::select_question{.in = f32, .out = f32, .n = 1000}, on);
  clwave::plan(
      clwave::reduce_by_key_question{
          .keys = f32, .values = f32, .keys_out = f32, .values_out = f32, .n = 1000},
      on);
  clwave::plan(clwave::sort_question{.keys = f32, .keys_out = f32, .n = 1000}, on);
  clwave::plan(clwave::reduce_rows_question{.in = f32, .out = f32, .size = {.rows = 4, .columns = 5}}, on);
  clwave::plan(clwave::reduce_columns_question{.in = f32, .out = f32, .size = {.rows = 4, .columns = 5}}, on);
  clwave::plan(
      clwave::segmented_reduce_question{
          .in = f32, .offsets = clwave::element_of<std::uint32_t>(), .out = f32, .n = 1000, .segments = 10},
      on);
  clwave::plan(clwave::scan_question{.in = f32, .out = f32, .n = 1000, .exclusive = true}, on);
  clwave::plan(
      clwave::segmented_scan_question{
          .in = f32, .offsets = clwave::element_of<std::uint32_t>(), .out = f32, .n = 1000, .segments = 10},
      on);
  clwave::plan(
      clwave::transform_question{.in = {f32, {f32, 1}}, .out = f32, .n = 1000, .apply = &clwave::product},
      on);
  clwave::plan(clwave::broadcast_question{.in = f32,
                                          .vector = f32,
                                          .out = f32,
                                          .size = {.rows = 4, .columns = 4},
                                          .which = clwave::per::row,
                                          .apply = &clwave::identity},
               on);
  clwave::choose_profile_for("sm_90");
  static_cast<void>(clwave::find_profile("cpu") != nullptr && !clwave::profiles().empty());
  static_cast<void>(clwave::gemm_of(row).f32.empty());
  for (const clwave::tuning* numbers :
       {&clwave::transpose_tuning(row), &clwave::layout_tuning(row), &clwave::fill_tuning(row),
        &clwave::transform_tuning(row), &clwave::broadcast_tuning(row)})
    static_cast<void>(numbers->items);
  clwave::name_of(row.exchange);
  clwave::name_of(row.order);
  clwave::name_of(row.family);
  clwave::name_of(clwave::matrix_unit::none);
  clwave::name_of(clwave::provenance::query);
  clwave::name_of_code(CL_SUCCESS);
  clwave::parse_amd_gfx("gfx90a");
  clwave::print(facts);
}

}  // namespace

void every_call(cl_device_id device, cl_command_queue queue) {
  const cl_mem buffer = nullptr;
  const clwave::event none;
  clwave::event other = none;
  other.wait();
  static_cast<void>(other.done());
  const std::vector<clwave::event> both{none, other};
  const clwave::wait_list list(both);
  reductions(queue, buffer, none);
  movements(queue, buffer);
  arithmetic(queue, buffer);
  plans(clwave::facts_of(device));
  static_cast<void>(clwave::devices().size());
  static_cast<void>(static_cast<float>(clwave::half(1.0f)) > clwave::u16{3});
  cl_context context = nullptr;
  clwave::release(context);
  clwave::trim();
  throw clwave::error(clwave::failure::internal, "nothing was left to call", CL_SUCCESS,
                      {.op = "every_call"});
}
