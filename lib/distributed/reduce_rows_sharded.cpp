// Folds of rows in sharded: each shard's whole rows are folded where they lie, rows that a cut goes through
// are arrays in shards of their own, and the results of all go where they are to be.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <clwave/sharded_reduce_rows.hpp>

#include "blocks/matrix_fold.hpp"
#include "call/call.hpp"
#include "call/execute.hpp"
#include "call/markers.hpp"
#include "call/operands.hpp"
#include "call/planning.hpp"
#include "distributed/chain.hpp"
#include "distributed/cuts.hpp"
#include "distributed/gathering.hpp"
#include "distributed/shard.hpp"
#include "distributed/sharded_reduction.hpp"
#include "primitives/reduce_rows.hpp"

namespace clwave::detail {
namespace {

// A row that no shard has whole: an array in shards of its own.
class cut_row {
 public:
  // Checks the row's shards, of which there are `before` others of the call. Nothing is enqueued.
  cut_row(const sharded_rows_problem& call, std::vector<erased_shard> shards, std::size_t before)
      : shards_(std::move(shards)),
        call_{.x = shards_,
              .y = {},
              .accumulator = call.out.type,
              .folded = call.folded,
              .fold = call.fold,
              .apply = call.apply,
              .sizes = call.sizes,
              .rows = call.rows.empty() ? call.rows : call.rows.subspan(before, shards_.size()),
              .before = before,
              .of = call.in.size()},
        fold_(call_),
        result_(call.out.type->size) {}
  cut_row(const cut_row&) = delete;
  cut_row& operator=(const cut_row&) = delete;

  // Builds all programs of run(). Nothing is enqueued.
  void prepare() { fold_.prepare(); }
  // Blocks until the result is there.
  void run() { fold_.run(result_.data()); }
  const std::byte* result() const { return result_.data(); }

 private:
  std::vector<erased_shard> shards_;
  sharded_reduce_problem call_;
  sharded_reduction fold_;
  std::vector<std::byte> result_;
};

class sharded_rows {
 public:
  // Checks all shards and the output. Nothing is enqueued.
  explicit sharded_rows(const sharded_rows_problem& call);
  void run();

 private:
  struct shard {
    std::optional<any_view> in = {};             // where its first whole row begins
    ready_call<reduce_rows_variant> folds = {};  // of its whole rows
    parcel results = {};                         // of them, where the shard is not at home
  };

  void check_home();
  void check_shard(std::size_t k);
  void find_cut_rows();
  bool is_alone();
  void make_places();
  any_view out_from(const whole_tiles& rows) const;
  void make_ready();
  void start(std::size_t k);
  void bring_home();

  std::uint64_t row_length() const { return call_.size.columns; }
  std::size_t result_bytes() const { return call_.out.type->size; }
  std::uint64_t out_byte(std::uint64_t row) const { return (call_.out.offset + row) * result_bytes(); }

  const sharded_rows_problem& call_;
  std::uint64_t n_rows_ = 0;  // of all matrices
  operand_bytes out_bytes_ = {};
  const shard_lengths lengths_;
  cuts cuts_;  // into rows
  std::vector<std::unique_ptr<cut_row>> cut_rows_;
  std::uint64_t cut_results_ = 0;  // where at home theirs lie
  std::vector<shard> shards_;
  gathering all_;  // goes first: it waits for what reads the others
};

// ----------------------------------------------------------------------------------------- what is checked

sharded_rows::sharded_rows(const sharded_rows_problem& call)
    : call_(call),
      lengths_(lengths_of(reduce_rows_variant::primitive, call.in)),
      shards_(call.in.size()),
      all_(call.in.size()) {
  n_rows_ = results_of(reduce_rows_variant::primitive, call.size.rows, call.size);
  if (counting{reduce_rows_variant::primitive, "the matrices"}.times(n_rows_, row_length()) != lengths_.n)
    refuse(reduce_rows_variant::primitive, "all shards together have " + std::to_string(lengths_.n) +
                                               " elements, " + std::to_string(n_rows_) + " rows of " +
                                               std::to_string(row_length()) + " have " +
                                               std::to_string(n_rows_ * row_length()));
  all_.do_at_home([this] { check_home(); });
  cuts_ = cut_at(lengths_.each, std::max<std::uint64_t>(row_length(), 1));
  all_.for_each_shard([this](std::size_t k) { check_shard(k); });
  find_cut_rows();
}

void sharded_rows::check_home() {
  all_.set_home(site_of(call_.queue, reduce_rows_variant::primitive));
  const call_operand out[] = {
      {.view = call_.out, .use = access::writes, .name = "the output", .reach = n_rows_}};
  const checked_operands checked = check_operands(all_.home(), reduce_rows_variant::primitive, out);
  if (n_rows_ > 0) {
    out_bytes_ = checked.bytes(0);
    out_bytes_.end = out_bytes_.first + n_rows_ * result_bytes();
  }
  check_events(all_.home(), call_.after, reduce_rows_variant::primitive);
}

void sharded_rows::check_shard(std::size_t k) {
  const erased_shard& in = call_.in[k];
  all_.set_shard(k, reduce_rows_variant::primitive, in, call_.rows);
  check_events(all_.site(k), in.after, reduce_rows_variant::primitive);
  const auto check = [&](const any_view& view) {
    return all_.check_input(reduce_rows_variant::primitive, k, {.view = view, .name = "the input"},
                            out_bytes_, "the output");
  };
  check(in.elements);
  any_view rows = in.elements;
  rows.offset += static_cast<std::size_t>(cuts_.whole[k].from);
  rows.n = static_cast<std::size_t>(cuts_.whole[k].n);
  shards_[k].in = check(rows);
}

void sharded_rows::find_cut_rows() {
  std::size_t f = 0;
  while (f < cuts_.fragments.size()) {
    const fragment& first = cuts_.fragments[f];
    std::vector<erased_shard> shards;
    for (; f < cuts_.fragments.size() && cuts_.fragments[f].cut == first.cut; ++f) {
      const fragment& each = cuts_.fragments[f];
      // Shards between them are empty.
      while (first.shard + shards.size() <= each.shard) {
        shards.push_back(call_.in[first.shard + shards.size()]);
        shards.back().elements.n = 0;
      }
      shards.back().elements.n = static_cast<std::size_t>(each.n);
      shards.back().elements.offset += static_cast<std::size_t>(each.from);
    }
    cut_rows_.push_back(std::make_unique<cut_row>(call_, std::move(shards), first.shard));
  }
}

// Matrices in one shard where the results are to be are any other input; so are those without elements.
bool sharded_rows::is_alone() {
  reduce_rows_problem whole{.in = {nullptr, 0, 0, call_.value},
                            .out = call_.out,
                            .size = call_.size,
                            .steps = {},
                            .fold = call_.fold,
                            .apply = call_.apply,
                            .sizes = call_.sizes};
  const std::size_t k = lengths_.longest();
  const bool has_some = lengths_.n > 0;
  if (!lengths_.in_one() || (has_some && !all_.at_home(k))) return false;
  if (has_some) whole.in = call_.in[k].elements;
  all_.do_at_home([&] {
    const wait_list* const given = has_some ? &call_.in[k].after : nullptr;
    reduce_rows(call_.queue, whole, launch_options{.after = waits_of(all_.home(), {given, &call_.after})})
        .wait();
  });
  return true;
}

// ----------------------------------------------------------------------------------------- what is prepared

// Where everything goes, before there is memory for it.
void sharded_rows::make_places() {
  cut_results_ = all_.take_at_home(cut_rows_.size(), result_bytes());
  for (std::size_t k = 0; k < shards_.size(); ++k) {
    shard& own = shards_[k];
    const std::uint64_t rows = cuts_.whole[k].count;
    if (all_.at_home(k) || rows == 0) continue;
    own.results = all_.take(k, rows, result_bytes(), all_.take_at_home(rows, result_bytes()));
  }
}

// The output from the result of the first of those rows on.
any_view sharded_rows::out_from(const whole_tiles& rows) const {
  any_view view = call_.out;
  view.offset += static_cast<std::size_t>(rows.first);
  view.n = static_cast<std::size_t>(rows.count);
  const call_operand all[] = {{.view = view, .use = access::writes, .name = "the output"}};
  return check_operands(all_.home(), reduce_rows_variant::primitive, all)[0];
}

void sharded_rows::make_ready() {
  all_.for_each_shard([this](std::size_t k) {
    shard& own = shards_[k];
    const whole_tiles& rows = cuts_.whole[k];
    if (rows.count == 0) return;
    // At home results go where they are to be.
    const any_view out =
        all_.at_home(k) ? out_from(rows) : any_view(*call_.out.type, 0, own.results.at / result_bytes());
    own.folds = fit(all_.site(k), reduce_rows_problem{.in = *own.in,
                                                      .out = out,
                                                      .size = {.rows = static_cast<std::size_t>(rows.count),
                                                               .columns = call_.size.columns},
                                                      .fold = call_.fold,
                                                      .apply = call_.apply,
                                                      .sizes = call_.sizes});
  });
  for (const auto& each : cut_rows_) each->prepare();
}

// ------------------------------------------------------------------------------------------ what is enqueued

void sharded_rows::start(std::size_t k) {
  const shard& own = shards_[k];
  const std::uint64_t rows = cuts_.whole[k].count;
  if (rows == 0) return;
  // At home the output is written here, too.
  const wait_list* const of_output = all_.at_home(k) ? &call_.after : nullptr;
  chain& commands = all_.start(k, {&call_.in[k].after, of_output});
  const bool at_home = all_.at_home(k);
  commands.run(own.folds, {call_.in[k].elements.buffer, at_home ? call_.out.buffer : all_.memory(k)});
  if (!at_home) all_.send(own.results);
  commands.flush();
}

// The results of rows that were folded elsewhere: through memory of the call's own, since the host may not be
// allowed to write the caller's.
void sharded_rows::bring_home() {
  chain& commands = all_.start_at_home(call_.after);
  const auto place = [&](std::uint64_t at, std::uint64_t first_row, std::uint64_t rows) {
    commands.copy(all_.memory(), at, call_.out.buffer, out_byte(first_row), rows * result_bytes());
  };
  all_.bring_home();
  for (std::size_t k = 0; k < shards_.size(); ++k) {
    const whole_tiles& rows = cuts_.whole[k];
    if (rows.count > 0 && !all_.at_home(k)) place(shards_[k].results.home, rows.first, rows.count);
  }
  for (std::size_t c = 0; c < cut_rows_.size(); ++c) {
    const std::uint64_t at = cut_results_ + c * result_bytes();
    commands.write(cut_rows_[c]->result(), all_.memory(), at, result_bytes());
    place(at, cuts_.cut[c].number, 1);
  }
  all_.finish_at_home();
}

void sharded_rows::run() {
  if (is_alone()) return;
  make_places();
  make_ready();
  all_.run([this](std::size_t k) { start(k); }, [this] { bring_home(); },
           [this] {
             for (const auto& each : cut_rows_) each->run();
           });
}

}  // namespace

void reduce_rows_sharded(const sharded_rows_problem& call) { sharded_rows(call).run(); }

}  // namespace clwave::detail
