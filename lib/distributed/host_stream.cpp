// Copies pieces of arrays of the host to a device.
#include "distributed/host_stream.hpp"

#include <cstring>
#include <utility>

#include "call/planning.hpp"

namespace clwave::detail {

void fetch(const host_elements& from, std::uint64_t first, std::uint64_t n, void* into) {
  const auto count = static_cast<std::size_t>(n);
  if (from.memory == nullptr)
    from.read(first, count, into);
  else
    std::memcpy(into, static_cast<const unsigned char*>(from.memory) + first * from.type->size,
                count * from.type->size);
}

host_stream::host_stream(const streamed_arrays& arrays, cl_command_queue queue)
    : arrays_(arrays), site_(site_of(queue, arrays.primitive)) {}

bool host_stream::is_staged(const void* memory, host_pages pages) const {
  if (memory == nullptr || arrays_.sizes.always_copies) return true;
  return pages != host_pages::page_locked && !is_cpu(site_.on);
}

std::uint64_t host_stream::add_staged(std::uint64_t n_bytes) {
  return std::exchange(staged_bytes_, round_up(staged_bytes_ + n_bytes, 128));
}

void host_stream::open_queue(cl::CommandQueue& queue, call_site& site) const {
  queue = site_.kept->take_queue(site_.device);
  site = site_;
  site.queue = queue();
  site.in_order = true;
}

void host_stream::open(std::uint64_t piece_n) {
  const element& value = arrays_.value();
  for (std::size_t k = 0; k < arrays_.inputs(); ++k) {
    elements_[k] = add(piece_n, value);
    if (is_staged(k)) staged_[k] = add_staged(piece_n * value.size);
  }
  open_queue(copying_, copying_site_);
}

void host_stream::give_back() {
  for (cl::CommandQueue* const each : {&copying_, &leaving_})
    if ((*each)() != nullptr) site_.kept->give_back_queue(site_.device, std::move(*each));
}

// The device's memory is taken for the queue that copies to it: what other queues still use is not given.
host_stream::slot::slot(host_stream& of)
    : of_(of), device_(of.copying_site_, static_cast<std::size_t>(of.device_.own_bytes())) {
  if (of.staged_bytes_ > 0)
    host_ = of.site_.kept->take_staging(of.site_.device, static_cast<std::size_t>(of.staged_bytes_));
}

void host_stream::slot::fetch(const host_piece& piece) {
  for (std::size_t k = 0; k < of_.arrays_.inputs(); ++k)
    if (of_.is_staged(k)) detail::fetch(of_.arrays_.input(k), piece.first, piece.n, staged(of_.staged_[k]));
}

void host_stream::slot::send(const host_piece& piece, chain& copying) {
  const std::size_t size = of_.arrays_.value().size;
  is_new_ = false;
  copying.starts_also_after(device_.cleared().get());
  for (std::size_t k = 0; k < of_.arrays_.inputs(); ++k) {
    const auto* const from =
        of_.is_staged(k)
            ? staged(of_.staged_[k])
            : static_cast<const unsigned char*>(of_.arrays_.input(k).memory) + piece.first * size;
    copying.write(from, buffer(), of_.elements_[k], piece.n * size, "write a piece of the array");
  }
  copying.flush();
}

void host_stream::slot::give_back() {
  device_.not_in_use();
  if (host_ != nullptr) of_.site_.kept->give_back_staging(std::move(host_));
}

}  // namespace clwave::detail
