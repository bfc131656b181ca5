// The calls of all primitives, and those functions of the public headers that are no primitive's.
#include "every_call.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <clwave.hpp>

namespace {

void rows(const clwave::profile& row) {
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
}

const clwave::map positive{.name = "positive", .source = "x > 0"};

// One array in two pieces.
void reduce_sharded(const call_operands& on) {
  clwave::sharded<float> x{{on.queue, on.x, {on.before}}, {on.queue, clwave::view<const float>(on.y)}};
  const clwave::sharded<float> y = x;
  x.add({on.queue, on.x});
  clwave::reduce(x);
  clwave::reduce(x, {.after = {on.before}});
  clwave::reduce<double>(x, clwave::max);
  clwave::transform_reduce(x, clwave::plus, clwave::square);
  clwave::transform_reduce<double>(clwave::zip(x, y), clwave::plus, clwave::product);
  clwave::dot(x, y);
  static_cast<void>(clwave::argmin(x).index + clwave::argmax(y).index + x.count() + x.size());
  static_cast<void>(clwave::count_if(x, positive) + clwave::mean_and_variance<double>(x).n);
  static_cast<void>(clwave::minmax(x).min < clwave::minmax(y, {.after = {on.before}}).max);
  const std::vector<cl_device_id> devices(2);
  const std::vector<double> speeds(2, 1.0);
  static_cast<void>(clwave::split(x.size(), devices).size() + clwave::split(100, speeds).size());
}

void reduce_ranks(const call_operands& on) {
  one_rank all;
  const clwave::sharded<float> x{{on.queue, on.x}}, y = x;
  clwave::reduce(all, x);
  clwave::reduce(all, x, {.after = {on.before}});
  clwave::reduce<double>(all, x, clwave::max);
  clwave::transform_reduce(all, x, clwave::plus, clwave::square);
  clwave::transform_reduce<double>(all, clwave::zip(x, y), clwave::plus, clwave::product);
  clwave::dot(all, x, y);
  static_cast<void>(clwave::argmin(all, x).index + clwave::argmax(all, y).index);
  static_cast<void>(clwave::count_if(all, x, positive) + clwave::mean_and_variance(all, x).n);
  static_cast<void>(clwave::minmax(all, x).min);
}

// Arrays of the host, in memory and read.
void reduce_host_arrays(const call_operands& on) {
  const std::vector<float> numbers(10);
  const clwave::host_array x(numbers, clwave::host_pages::page_locked);
  const clwave::host_array<float> y(x.size(), [](std::uint64_t, std::span<float>) {});
  clwave::queues over{on.queue, on.queue};
  over.add(on.queue);
  clwave::reduce(on.queue, x, {.after = {on.before}});
  clwave::reduce<double>({on.queue, on.queue}, x, clwave::max);
  clwave::transform_reduce(over, x, clwave::plus, clwave::square);
  clwave::transform_reduce<double>(over, clwave::zip(x, y), clwave::plus, clwave::product);
  clwave::dot(over, x, y);
  static_cast<void>(clwave::argmin(over, x).index + clwave::argmax(over, y).index + over.handles().size());
  static_cast<void>(clwave::count_if(over, x, positive) + clwave::mean_and_variance(on.queue, y).n);
  static_cast<void>(clwave::minmax({on.queue, on.queue}, x).min);
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
  const clwave::device_facts& facts = clwave::facts_of(device);
  const clwave::plan_target target{.facts = &facts, .choice = clwave::choose_profile(facts)};
  const call_operands on{.queue = queue, .buffer = buffer, .before = none, .target = target};
#define X(name) calls_of_##name(on);
  CONSUMER_PRIMITIVES
#undef X
  rows(*target.choice.profile);
  reduce_sharded(on);
  reduce_ranks(on);
  reduce_host_arrays(on);
  clwave::name_of(clwave::provenance::query);
  clwave::name_of_code(CL_SUCCESS);
  clwave::parse_amd_gfx("gfx90a");
  clwave::print(facts);
  static_cast<void>(clwave::devices().size());
  static_cast<void>(static_cast<float>(clwave::half(1.0f)) > clwave::u16{3});
  cl_context context = nullptr;
  clwave::release(context);
  clwave::trim();
  throw clwave::error(clwave::failure::internal, "nothing was left to call", CL_SUCCESS,
                      {.op = "every_call"});
}
