// Scans of arrays of the host: pieces of whole stretches stream to the devices. Each stays where it is until
// what stands before it comes from the piece before, and its results go back.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include <clwave/host_array_scan.hpp>

#include "call/call.hpp"
#include "call/execute.hpp"
#include "call/operands.hpp"
#include "call/planning.hpp"
#include "distributed/chain.hpp"
#include "distributed/host_pieces.hpp"
#include "distributed/scan_steps.hpp"

namespace clwave::detail {
namespace {

class host_scan {
 public:
  // Checks all, and builds the programs. Nothing is enqueued.
  explicit host_scan(const host_scan_problem& call);
  void run();

 private:
  // Where in a slot's memory what is made of a piece lies, in bytes: on the device, and in page-locked
  // memory.
  struct places {
    std::uint64_t results = 0, tiles = 0, stretches = 0;
    std::uint64_t staged_results = 0, staged_before = 0;
    bool stages_results = false;
  };

  // A piece on its way through a queue's device. Whatever fails, all commands have ended before the memory
  // goes.
  struct passage {
    passage(std::size_t number, const host_stream& on, host_stream::slot& through, const host_piece& what)
        : k(number),
          with(through),
          piece(what),
          copying(on.copying_site()),
          working(on.site()),
          leaving(on.leaving_site()) {}
    std::size_t k;
    host_stream::slot& with;
    const host_piece& piece;
    chain copying, working, leaving;
  };

  void check_output() const;
  ready_call<scan_variant> fit_step(std::size_t k, const host_piece& piece, scan_step step) const;
  void enqueue_step(passage& of, scan_step step, std::initializer_list<cl_mem> buffers) const;
  void scan_piece(std::size_t k, host_stream::slot& with, const host_piece& piece);
  void fold_tiles(passage& of) const;
  void find_what_stands_before(passage& of);
  void bring_results(passage& of) const;
  void give_results(const passage& of) const;

  // Where the value behind those of a piece's stretches lies.
  std::uint64_t behind_stretches(std::size_t k, const host_piece& piece) const {
    return places_[k].stretches + blocks_of(piece.n, stretch()) * result().size;
  }
  std::byte* memory_of(const host_piece& piece) const {
    return static_cast<std::byte*>(call_.out->memory) + piece.first * result().size;
  }
  const element& value() const { return steps_.value(); }
  const element& result() const { return steps_.result(); }
  std::uint64_t stretch() const { return steps_.stretch(); }

  const host_scan_problem& call_;
  const streamed_arrays arrays_;
  const scan_steps steps_;
  host_pieces pieces_;
  std::vector<places> places_;     // on each queue
  std::vector<std::byte> before_;  // what stands before the piece whose turn it is
};

// ----------------------------------------------------------------------------------------- what is checked

host_scan::host_scan(const host_scan_problem& call)
    : call_(call),
      arrays_{.primitive = scan_variant::primitive, .x = call.in, .sizes = call.streaming},
      steps_(call, arrays_.value(), *call.out->type),
      pieces_(arrays_, call.queues,
              [this](const call_site& site) {
                check_element(site, value(), scan_variant::primitive, "the input");
                check_element(site, result(), scan_variant::primitive, "the output");
                scan_problem whole = steps_.on_elements(value(), result());
                whole.in.n = arrays_.n();
                static_cast<void>(describe(whole, site.on));
              }),
      before_(call.out->type->size) {
  check_output();
  if (arrays_.n() == 0) return;
  places_.resize(call.queues.size());
  pieces_.cut(stretch(), stretch() * std::max(value().size, result().size), [&](std::size_t k) {
    host_stream& on = pieces_.stream(k);
    const std::uint64_t n = pieces_.first().n, size = result().size;
    places& at = places_[k];
    at.results = on.add(n, result());
    at.tiles = on.add(blocks_of(n, steps_.tile()), result());
    at.stretches = on.add(blocks_of(n, stretch()) + 1, result());
    at.staged_before = on.add_staged(size);
    at.stages_results = on.is_staged(call.out->memory, call.out->pages);
    if (at.stages_results) at.staged_results = on.add_staged(n * size);
    on.open_way_back();
    for (const scan_step step :
         {scan_step::folds, scan_step::tiles, scan_step::stretches, scan_step::results})
      static_cast<void>(fit_step(k, pieces_.first(), step));
  });
}

void host_scan::check_output() const {
  const host_results& out = *call_.out;
  if (out.n != arrays_.n())
    refuse(scan_variant::primitive,
           "the input has " + std::to_string(arrays_.n()) + " elements, the output " + std::to_string(out.n));
  if (out.n > 0 && out.memory == nullptr && !out.write) refuse(scan_variant::primitive, "the output is null");
  const bool in_place = out.memory == call_.in->memory && result().size == value().size;
  if (call_.in->memory != nullptr && out.memory != nullptr && !in_place &&
      overlap(call_.in->memory, out.n * value().size, out.memory, out.n * result().size))
    refuse(scan_variant::primitive, "the input and the output overlap");
}

// ------------------------------------------------------------------------------------------ what is enqueued

ready_call<scan_variant> host_scan::fit_step(std::size_t k, const host_piece& piece, scan_step step) const {
  const host_stream& on = pieces_.stream(k);
  const places& at = places_[k];
  const std::size_t size = result().size;
  any_view in = on.elements(0);
  in.n = piece.n;
  return steps_.fit_step(on.site(), steps_.on_elements(in, any_view(result(), piece.n, at.results / size)),
                         {.step = step,
                          .at = piece.first,
                          .whole = arrays_.n(),
                          .tiles_at = at.tiles / size,
                          .stretches_at = at.stretches / size});
}

void host_scan::enqueue_step(passage& of, scan_step step, std::initializer_list<cl_mem> buffers) const {
  of.working.run(fit_step(of.k, of.piece, step), buffers);
}

void host_scan::fold_tiles(passage& of) const {
  of.with.send(of.piece, of.copying);
  // Not enqueued before: on an in-order queue a fold that waits for its elements holds up the piece whose
  // turn it is.
  of.copying.finish();
  of.working.starts_also_after(of.copying.last());
  const cl_mem memory = of.with.buffer();
  enqueue_step(of, scan_step::folds, {memory, memory});
  enqueue_step(of, scan_step::tiles, {memory});
  of.working.flush();
}

// It is the piece's turn.
void host_scan::find_what_stands_before(passage& of) {
  const std::uint64_t at = behind_stretches(of.k, of.piece);
  unsigned char* const staged = of.with.staged(places_[of.k].staged_before);
  if (of.piece.number > 0) {
    std::memcpy(staged, before_.data(), before_.size());
    of.working.write(staged, of.with.buffer(), at, before_.size(), "write what stands before a piece");
  }
  enqueue_step(of, scan_step::stretches, {of.with.buffer()});
  if (pieces_.is_last(of.piece)) return;
  of.working.read(of.with.buffer(), at, before_.size(), staged, "read what stands before the next piece");
  of.working.flush();
  of.working.finish();
  std::memcpy(before_.data(), staged, before_.size());
}

void host_scan::bring_results(passage& of) const {
  const places& at = places_[of.k];
  const cl_mem memory = of.with.buffer();
  enqueue_step(of, scan_step::results, {memory, memory, memory});
  of.working.flush();
  of.leaving.starts_also_after(of.working.last());
  void* const to =
      at.stages_results ? of.with.staged(at.staged_results) : static_cast<void*>(memory_of(of.piece));
  of.leaving.read(memory, at.results, of.piece.n * result().size, to, "read the results of a piece");
  of.leaving.flush();
  of.working.finish();
  of.leaving.finish();
}

// What the user's function throws goes on as it is.
void host_scan::give_results(const passage& of) const {
  const places& at = places_[of.k];
  if (!at.stages_results) return;
  const unsigned char* const results = of.with.staged(at.staged_results);
  const auto count = static_cast<std::size_t>(of.piece.n);
  if (call_.out->memory == nullptr)
    call_.out->write(of.piece.first, count, results);
  else
    std::memcpy(memory_of(of.piece), results, count * result().size);
}

void host_scan::scan_piece(std::size_t k, host_stream::slot& with, const host_piece& piece) {
  passage of(k, pieces_.stream(k), with, piece);
  pieces_.at_queue(k, [&] { fold_tiles(of); });
  if (!pieces_.wait_for_turn(piece)) return;
  pieces_.at_queue(k, [&] { find_what_stands_before(of); });
  pieces_.pass_turn();
  pieces_.at_queue(k, [&] { bring_results(of); });
  give_results(of);
}

void host_scan::run() {
  if (arrays_.n() == 0) return;
  pieces_.run([this](std::size_t k, host_stream::slot& with, const host_piece& piece) {
    scan_piece(k, with, piece);
  });
  pieces_.give_back();
}

}  // namespace

void scan_host_array(const host_scan_problem& call) { host_scan(call).run(); }

}  // namespace clwave::detail
