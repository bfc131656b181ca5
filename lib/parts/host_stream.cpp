// Copies pieces of an array of the host to a device, and folds them there.
#include "parts/host_stream.hpp"

#include <cstring>
#include <utility>

#include "blocks/fold.hpp"
#include "call/execute.hpp"
#include "call/planning.hpp"
#include "parts/chain.hpp"
#include "primitives/reduce.hpp"

namespace clwave::detail {
namespace {

constexpr std::string_view primitive = "reduce";

}  // namespace

host_stream::host_stream(const host_call& call, cl_command_queue queue)
    : call_(call), site_(site_of(queue, primitive)) {
  static_cast<void>(question_of(site_, call_on({nullptr, 0, 0, &value()}, {nullptr, 0, 0, &value()})));
}

reduce_call host_stream::call_on(const operand& x, const operand& y) const {
  reduce_call all{.in = x,
                  .in2 = {},
                  .accumulator = call_.accumulator,
                  .fold = call_.fold,
                  .apply = call_.apply,
                  .sizes = call_.sizes};
  if (inputs() == 2) all.in2 = y;
  return all;
}

bool host_stream::is_staged(std::size_t k) const {
  const host_elements& from = input(k);
  if (from.memory == nullptr || call_.streaming.always_copies) return true;
  return from.pages != host_pages::page_locked && !is_cpu(site_.on);
}

void host_stream::open(std::uint64_t piece_n) {
  layout_of_arrays device;
  std::uint64_t host = 0;
  const auto stage = [&host](std::uint64_t n_bytes) {
    return std::exchange(host, round_up(host + n_bytes, 128));
  };
  for (std::size_t k = 0; k < inputs(); ++k) {
    elements_[k] = device.add(piece_n, value().size);
    if (is_staged(k)) staged_[k] = stage(piece_n * value().size);
  }
  const std::uint64_t tiles = blocks_of(piece_n, call_.sizes.tile);
  results_ = device.add(tiles, call_.folded->size);
  staged_results_ = stage(tiles * call_.folded->size);
  device_bytes_ = device.own_bytes();
  host_bytes_ = host;
  static_cast<void>(fit(site_, question_of_piece({0, piece_n})));
  copying_ = site_.kept->take_queue(site_.device);
  copying_site_ = site_;
  copying_site_.queue = copying_();
  copying_site_.in_order = true;
}

reduce_question host_stream::question_of_piece(const host_piece& piece) const {
  const auto at = [](std::uint64_t place, const element& type) {
    return asked_operand(type, place / type.size);
  };
  reduce_question question{.in = at(elements_[0], value()),
                           .accumulator = call_.accumulator,
                           .n = piece.n,
                           .fold = call_.fold,
                           .apply = call_.apply,
                           .sizes = call_.sizes};
  if (inputs() == 2) question.in2 = at(elements_[1], value());
  question.out = at(results_, *call_.folded);
  question.piece_at = piece.first;
  return question;
}

// The device's memory is taken for the queue that copies to it: what other queues still use is not given.
host_stream::slot::slot(host_stream& of)
    : of_(of),
      device_(of.copying_site_, static_cast<std::size_t>(of.device_bytes_)),
      host_(of.site_.kept->take_staging(of.site_.device, static_cast<std::size_t>(of.host_bytes_))) {}

void host_stream::slot::fold(const host_piece& piece, std::byte* results) {
  const std::size_t element_bytes = of_.value().size;
  const std::uint64_t result_bytes = blocks_of(piece.n, of_.call_.sizes.tile) * of_.call_.folded->size;
  const auto ready = fit(of_.site_, of_.question_of_piece(piece));
  // Whichever fails, both have ended before the memory goes.
  chain copying(of_.copying_site_), folding(of_.site_);
  {
    const std::lock_guard lock(of_.enqueueing_);
    copying.starts_after({});
    copying.starts_also_after(device_.cleared());
    for (std::size_t k = 0; k < of_.inputs(); ++k) {
      const auto* const from = of_.is_staged(k) ? staged(k)
                                                : static_cast<const unsigned char*>(of_.input(k).memory) +
                                                      piece.first * element_bytes;
      copying.write(from, device_.buffer(), of_.elements_[k], piece.n * element_bytes,
                    "write a piece of the array");
    }
    copying.flush();
    wait_list copied;
    copied.add(copying.last());
    folding.starts_after(copied);
    const std::array<cl_mem, 3> buffers{device_.buffer(), device_.buffer(), device_.buffer()};
    folding.goes_on_with(enqueue(of_.site_, ready, std::span<const cl_mem>(buffers).first(of_.inputs() + 1),
                                 folding.next_after(), true));
    folding.read(device_.buffer(), of_.results_, result_bytes, at(of_.staged_results_),
                 "read the results of a piece");
    folding.flush();
  }
  copying.finish();
  folding.finish();
  std::memcpy(results, at(of_.staged_results_), static_cast<std::size_t>(result_bytes));
}

void host_stream::slot::give_back() {
  device_.not_in_use();
  of_.site_.kept->give_back_staging(std::move(host_));
}

}  // namespace clwave::detail
