// select: all kinds, in one pass and in three launches; and groups that find no messages.
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <clwave/profile.hpp>
#include <clwave/select.hpp>

#include "harness/own_site.hpp"
#include "offline_parts.hpp"
#include "primitives/select.hpp"

namespace races::runs_of_select {
namespace {

using clwave::select_kind;

bool keeps(select_kind kind, const std::vector<float>& in, std::size_t i) {
  const bool compares =
      kind == select_kind::unique || kind == select_kind::unique_by_key || kind == select_kind::run_lengths;
  return compares ? i == 0 || in[i] != in[i - 1] : in[i] > 0;
}

// The order of groups is AMD's, whose fences races.py leaves out, or none. `backwards`: races.py gives the
// groups their tiles from the last to the first. Each finds no messages, looks again, and counts the tiles
// before its own itself. There are more of these than lanes, and a run that is longer than a set's tiles.
void selections_of(std::size_t n, bool backwards = false) {
  static const clwave::map positive{.name = "positive", .source = "x > 0"};
  static const clwave::map odd{.name = "odd", .source = "i % 2"};
  machine on;
  const unsigned lanes = clwave::detail::site_of(on.queue(), "select").on.choice.lanes;
  if (backwards) n = (lanes + 2) * lanes - 3;
  std::vector<float> in = numbers<float>(n);
  for (std::size_t i = 0; i < n; ++i) in[i] = in[i - i % 3];  // runs of 3
  for (std::size_t i = lanes + 5; backwards && i < n; ++i) in[i] = 9;
  std::vector<std::uint8_t> flags(n);
  for (std::size_t i = 0; i < n; ++i) flags[i] = keeps(select_kind::copy_if, in, i);
  const cl::Buffer from = on.buffer(in), flags_there = on.buffer(flags);
  for (const select_kind kind : {select_kind::copy_if, select_kind::copy_flagged, select_kind::partition,
                                 select_kind::partition_copy, select_kind::unique, select_kind::unique_by_key,
                                 select_kind::run_lengths, select_kind::partition_three}) {
    for (const bool one_pass : {false, true}) {
      if (backwards &&
          (!one_pass || (kind != select_kind::copy_if && kind != select_kind::partition &&
                         kind != select_kind::run_lengths && kind != select_kind::partition_three)))
        continue;
      std::vector<float> out(n), right;
      std::vector<std::uint64_t> count(2);
      const cl::Buffer to = on.buffer(out), total = on.buffer(count);
      for (std::size_t i = 0; i < n; ++i)
        if (keeps(kind, in, i)) right.push_back(in[i]);
      const std::size_t kept = right.size();
      for (std::size_t i = 0; kind == select_kind::partition && i < n; ++i)
        if (!keeps(kind, in, i)) right.push_back(in[i]);
      testing::own_site site(on.queue(), "select");
      site.on.choice.order = one_pass ? clwave::group_order::amd_fence : clwave::group_order::two_launches;
      site.on.compute_units =
          backwards ? 1000 : 1;  // a partition's groups run together, or it counts by shares
      if (backwards) {
        site.row.select = {.group_size = lanes, .items = 1};
        site.row.scan.looks = 2;
        site.row.scan.in_order_of_start = kind == select_kind::copy_if;
      }
      const clwave::element& value = clwave::element_of<float>();
      clwave::select_problem problem{
          .kind = kind, .in = {value, n}, .out = {value, n}, .predicate = &positive};
      std::vector<cl_mem> buffers{from(), to(), total()};
      if (kind == select_kind::copy_flagged) {
        problem.flags = {clwave::element_of<std::uint8_t>(), n};
        buffers.insert(buffers.begin() + 1, flags_there());
      }
      // Keys that carry themselves.
      const bool carries = kind == select_kind::unique_by_key;
      std::vector<float> carried(n);
      const cl::Buffer second = on.buffer(carried);
      if (carries) {
        problem.values = problem.second_out = {value, n};
        buffers = {from(), from(), to(), second(), total()};
      }
      if (kind == select_kind::run_lengths) {
        problem.second_out = {clwave::element_of<std::uint32_t>(), n};
        buffers = {from(), to(), second(), total()};
      }
      if (kind == select_kind::partition_copy) {
        problem.second_out = {value, n};
        buffers = {from(), to(), second(), total()};
      }
      // Of those that are left some go second, and the rest third.
      const bool three = kind == select_kind::partition_three;
      std::vector<float> rest(n), right_rest;
      const cl::Buffer third = on.buffer(rest);
      if (three) {
        problem.second_out = problem.third_out = {value, n};
        problem.second_predicate = &odd;
        buffers = {from(), to(), second(), third(), total()};
      }
      site.run(problem, buffers);
      // The others, behind which nothing is written.
      const bool splits = kind == select_kind::partition_copy || three;
      std::vector<float> others(n), right_others;
      for (std::size_t i = 0; splits && i < n; ++i)
        if (!keeps(kind, in, i)) (three && i % 2 == 0 ? right_rest : right_others).push_back(in[i]);
      const std::size_t are_others = right_others.size();
      right_rest.resize(n);
      if (three) on.queue.enqueueReadBuffer(third, CL_TRUE, 0, n * sizeof(float), rest.data());
      if (splits) on.queue.enqueueReadBuffer(second, CL_TRUE, 0, n * sizeof(float), others.data());
      right_others.resize(n);
      const bool measures = kind == select_kind::run_lengths;
      std::vector<std::uint32_t> lengths(n), right_lengths;
      if (measures) on.queue.enqueueReadBuffer(second, CL_TRUE, 0, n * 4, lengths.data());
      for (std::size_t i = 0; measures && i < n; ++i) {
        if (keeps(kind, in, i)) right_lengths.push_back(0);
        ++right_lengths.back();
      }
      lengths.resize(right_lengths.size());
      if (carries) on.queue.enqueueReadBuffer(second, CL_TRUE, 0, n * sizeof(float), carried.data());
      on.queue.enqueueReadBuffer(to, CL_TRUE, 0, n * sizeof(float), out.data());
      on.queue.enqueueReadBuffer(total, CL_TRUE, 0, 16, count.data());
      out.resize(right.size());
      carried.resize(kept);
      check(count[0] == kept && out == right && (!carries || carried == right) && lengths == right_lengths &&
                others == right_others && rest == right_rest && (!three || count[1] == are_others),
            one_pass ? "selection in one pass" : "selection", n);
    }
  }
}

void selections() {
  for (const std::size_t n : {1, 1000, 2 * 4096 + 7}) selections_of(n);
}

const registered listed("select", {{.parts = {
                                        {"select", selections},
                                        {"select-backwards", [] { selections_of(0, true); }},
                                    }}});

}  // namespace
}  // namespace races::runs_of_select
