// Selections from C: a shell over select.hpp's untyped calls.
#include <cstdint>

#include <clwave/c/selections.h>
#include <clwave/select.hpp>

#include "c_interface/c_call.hpp"
#include "c_interface/c_lazy.hpp"

namespace clwave::detail {
namespace {

// A selection; `predicate` and `same` are NULL where it has none.
select_problem select_problem_from_c(select_kind kind, const any_view& in, const any_view& out,
                                     const clwave_map* predicate, const clwave_op* same) {
  return {.kind = kind, .in = in, .out = out, .predicate = &map_of(predicate), .same = op_if_any(same)};
}

select_problem copy_if_from_c(const any_view& in, const clwave_view* out, const clwave_map* predicate) {
  return select_problem_from_c(select_kind::copy_if, in, view_of(out, "out"), predicate, nullptr);
}

select_problem copy_flagged_from_c(const any_view& in, const clwave_view* flags, const clwave_view* out) {
  select_problem asked =
      select_problem_from_c(select_kind::copy_flagged, in, view_of(out, "out"), nullptr, nullptr);
  asked.flags = view_of(flags, "flags");
  return asked;
}

select_problem copy_stencil_from_c(const any_view& in, const clwave_view* flags, const clwave_view* out,
                                   const clwave_map* predicate) {
  select_problem asked = copy_flagged_from_c(in, flags, out);
  asked.kind = select_kind::copy_flagged_if;
  asked.predicate = &given(predicate, "predicate").of;
  return asked;
}

select_problem partition_from_c(const any_view& in, const clwave_view* out, const clwave_map* predicate) {
  return select_problem_from_c(select_kind::partition, in, view_of(out, "out"), predicate, nullptr);
}

select_problem partition_copy_from_c(const any_view& in, const clwave_view* out, const clwave_view* others,
                                     const clwave_map* predicate) {
  select_problem asked =
      select_problem_from_c(select_kind::partition_copy, in, view_of(out, "out"), predicate, nullptr);
  asked.second_out = view_of(others, "others");
  return asked;
}

select_problem partition_three_from_c(const any_view& in, const clwave_view* first, const clwave_view* second,
                                      const clwave_view* rest, const clwave_map* is_first,
                                      const clwave_map* is_second) {
  select_problem asked =
      select_problem_from_c(select_kind::partition_three, in, view_of(first, "first"), is_first, nullptr);
  asked.second_out = view_of(second, "second");
  asked.third_out = view_of(rest, "rest");
  asked.second_predicate = &given(is_second, "is_second").of;
  return asked;
}

select_problem unique_from_c(const any_view& in, const clwave_view* out, const clwave_op* same) {
  return select_problem_from_c(select_kind::unique, in, view_of(out, "out"), nullptr, same);
}

select_problem unique_by_key_from_c(const any_view& keys, const clwave_view* values,
                                    const clwave_view* keys_out, const clwave_view* values_out,
                                    const clwave_op* same) {
  select_problem asked =
      select_problem_from_c(select_kind::unique_by_key, keys, view_of(keys_out, "keys_out"), nullptr, same);
  asked.values = view_of(values, "values");
  asked.second_out = view_of(values_out, "values_out");
  return asked;
}

select_problem run_lengths_from_c(const any_view& in, const clwave_view* values_out,
                                  const clwave_view* lengths_out, const clwave_op* same) {
  select_problem asked =
      select_problem_from_c(select_kind::run_lengths, in, view_of(values_out, "values_out"), nullptr, same);
  asked.second_out = view_of(lengths_out, "lengths_out");
  return asked;
}

select_problem run_offsets_from_c(const any_view& in, const clwave_view* offsets_out, const clwave_op* same) {
  return select_problem_from_c(select_kind::run_offsets, in, view_of(offsets_out, "offsets_out"), nullptr,
                               same);
}

event select_to_device(cl_command_queue queue, select_problem asked, const clwave_view* count,
                       const launch_options& launch) {
  asked.count = view_of(count, "count");
  return clwave::select(queue, asked, launch);
}

}  // namespace
}  // namespace clwave::detail

using namespace clwave::detail;

clwave_status clwave_copy_if(cl_command_queue queue, const clwave_view* in, const clwave_view* out,
                             const clwave_view* count, const clwave_map* predicate,
                             const clwave_options* options, cl_event* event) {
  return c_enqueue("clwave_copy_if", options, event, [&](const clwave::launch_options& launch) {
    const lazy_input from(in, "in");
    return select_to_device(queue, copy_if_from_c(from, out, predicate), count, launch);
  });
}

clwave_status clwave_copy_if_to_host(cl_command_queue queue, const clwave_view* in, const clwave_view* out,
                                     const clwave_map* predicate, uint64_t* count,
                                     const clwave_options* options) {
  return c_block("clwave_copy_if_to_host", options, [&](const clwave::launch_options& launch) {
    const lazy_input from(in, "in");
    std::uint64_t& found = given(count, "count");
    found = clwave::select_to_host(queue, copy_if_from_c(from, out, predicate), launch);
  });
}

clwave_status clwave_copy_flagged(cl_command_queue queue, const clwave_view* in, const clwave_view* flags,
                                  const clwave_view* out, const clwave_view* count,
                                  const clwave_options* options, cl_event* event) {
  return c_enqueue("clwave_copy_flagged", options, event, [&](const clwave::launch_options& launch) {
    const lazy_input from(in, "in");
    return select_to_device(queue, copy_flagged_from_c(from, flags, out), count, launch);
  });
}

clwave_status clwave_copy_flagged_to_host(cl_command_queue queue, const clwave_view* in,
                                          const clwave_view* flags, const clwave_view* out, uint64_t* count,
                                          const clwave_options* options) {
  return c_block("clwave_copy_flagged_to_host", options, [&](const clwave::launch_options& launch) {
    const lazy_input from(in, "in");
    std::uint64_t& found = given(count, "count");
    found = clwave::select_to_host(queue, copy_flagged_from_c(from, flags, out), launch);
  });
}

clwave_status clwave_copy_flagged_if(cl_command_queue queue, const clwave_view* in, const clwave_view* flags,
                                     const clwave_view* out, const clwave_view* count,
                                     const clwave_map* predicate, const clwave_options* options,
                                     cl_event* event) {
  return c_enqueue("clwave_copy_flagged_if", options, event, [&](const clwave::launch_options& launch) {
    const lazy_input from(in, "in");
    return select_to_device(queue, copy_stencil_from_c(from, flags, out, predicate), count, launch);
  });
}

clwave_status clwave_copy_flagged_if_to_host(cl_command_queue queue, const clwave_view* in,
                                             const clwave_view* flags, const clwave_view* out,
                                             const clwave_map* predicate, uint64_t* count,
                                             const clwave_options* options) {
  return c_block("clwave_copy_flagged_if_to_host", options, [&](const clwave::launch_options& launch) {
    const lazy_input from(in, "in");
    std::uint64_t& found = given(count, "count");
    found = clwave::select_to_host(queue, copy_stencil_from_c(from, flags, out, predicate), launch);
  });
}

clwave_status clwave_partition(cl_command_queue queue, const clwave_view* in, const clwave_view* out,
                               const clwave_view* count, const clwave_map* predicate,
                               const clwave_options* options, cl_event* event) {
  return c_enqueue("clwave_partition", options, event, [&](const clwave::launch_options& launch) {
    const lazy_input from(in, "in");
    return select_to_device(queue, partition_from_c(from, out, predicate), count, launch);
  });
}

clwave_status clwave_partition_to_host(cl_command_queue queue, const clwave_view* in, const clwave_view* out,
                                       const clwave_map* predicate, uint64_t* count,
                                       const clwave_options* options) {
  return c_block("clwave_partition_to_host", options, [&](const clwave::launch_options& launch) {
    const lazy_input from(in, "in");
    std::uint64_t& found = given(count, "count");
    found = clwave::select_to_host(queue, partition_from_c(from, out, predicate), launch);
  });
}

clwave_status clwave_partition_copy(cl_command_queue queue, const clwave_view* in, const clwave_view* out,
                                    const clwave_view* others, const clwave_view* count,
                                    const clwave_map* predicate, const clwave_options* options,
                                    cl_event* event) {
  return c_enqueue("clwave_partition_copy", options, event, [&](const clwave::launch_options& launch) {
    const lazy_input from(in, "in");
    return select_to_device(queue, partition_copy_from_c(from, out, others, predicate), count, launch);
  });
}

clwave_status clwave_partition_copy_to_host(cl_command_queue queue, const clwave_view* in,
                                            const clwave_view* out, const clwave_view* others,
                                            const clwave_map* predicate, uint64_t* count,
                                            const clwave_options* options) {
  return c_block("clwave_partition_copy_to_host", options, [&](const clwave::launch_options& launch) {
    const lazy_input from(in, "in");
    std::uint64_t& found = given(count, "count");
    found = clwave::select_to_host(queue, partition_copy_from_c(from, out, others, predicate), launch);
  });
}

clwave_status clwave_partition_three(cl_command_queue queue, const clwave_view* in, const clwave_view* first,
                                     const clwave_view* second, const clwave_view* rest,
                                     const clwave_view* counts, const clwave_map* is_first,
                                     const clwave_map* is_second, const clwave_options* options,
                                     cl_event* event) {
  return c_enqueue("clwave_partition_three", options, event, [&](const clwave::launch_options& launch) {
    const lazy_input from(in, "in");
    return select_to_device(queue, partition_three_from_c(from, first, second, rest, is_first, is_second),
                            counts, launch);
  });
}

clwave_status clwave_unique(cl_command_queue queue, const clwave_view* in, const clwave_view* out,
                            const clwave_view* count, const clwave_op* same, const clwave_options* options,
                            cl_event* event) {
  return c_enqueue("clwave_unique", options, event, [&](const clwave::launch_options& launch) {
    const lazy_input from(in, "in");
    return select_to_device(queue, unique_from_c(from, out, same), count, launch);
  });
}

clwave_status clwave_unique_to_host(cl_command_queue queue, const clwave_view* in, const clwave_view* out,
                                    const clwave_op* same, uint64_t* count, const clwave_options* options) {
  return c_block("clwave_unique_to_host", options, [&](const clwave::launch_options& launch) {
    const lazy_input from(in, "in");
    std::uint64_t& found = given(count, "count");
    found = clwave::select_to_host(queue, unique_from_c(from, out, same), launch);
  });
}

clwave_status clwave_unique_by_key(cl_command_queue queue, const clwave_view* keys, const clwave_view* values,
                                   const clwave_view* keys_out, const clwave_view* values_out,
                                   const clwave_view* count, const clwave_op* same,
                                   const clwave_options* options, cl_event* event) {
  return c_enqueue("clwave_unique_by_key", options, event, [&](const clwave::launch_options& launch) {
    const lazy_input from(keys, "keys");
    return select_to_device(queue, unique_by_key_from_c(from, values, keys_out, values_out, same), count,
                            launch);
  });
}

clwave_status clwave_unique_by_key_to_host(cl_command_queue queue, const clwave_view* keys,
                                           const clwave_view* values, const clwave_view* keys_out,
                                           const clwave_view* values_out, const clwave_op* same,
                                           uint64_t* count, const clwave_options* options) {
  return c_block("clwave_unique_by_key_to_host", options, [&](const clwave::launch_options& launch) {
    const lazy_input from(keys, "keys");
    std::uint64_t& found = given(count, "count");
    found =
        clwave::select_to_host(queue, unique_by_key_from_c(from, values, keys_out, values_out, same), launch);
  });
}

clwave_status clwave_run_lengths(cl_command_queue queue, const clwave_view* in, const clwave_view* values_out,
                                 const clwave_view* lengths_out, const clwave_view* count,
                                 const clwave_op* same, const clwave_options* options, cl_event* event) {
  return c_enqueue("clwave_run_lengths", options, event, [&](const clwave::launch_options& launch) {
    const lazy_input from(in, "in");
    return select_to_device(queue, run_lengths_from_c(from, values_out, lengths_out, same), count, launch);
  });
}

clwave_status clwave_run_lengths_to_host(cl_command_queue queue, const clwave_view* in,
                                         const clwave_view* values_out, const clwave_view* lengths_out,
                                         const clwave_op* same, uint64_t* count,
                                         const clwave_options* options) {
  return c_block("clwave_run_lengths_to_host", options, [&](const clwave::launch_options& launch) {
    const lazy_input from(in, "in");
    std::uint64_t& found = given(count, "count");
    found = clwave::select_to_host(queue, run_lengths_from_c(from, values_out, lengths_out, same), launch);
  });
}

clwave_status clwave_run_offsets(cl_command_queue queue, const clwave_view* in,
                                 const clwave_view* offsets_out, const clwave_view* count,
                                 const clwave_op* same, const clwave_options* options, cl_event* event) {
  return c_enqueue("clwave_run_offsets", options, event, [&](const clwave::launch_options& launch) {
    const lazy_input from(in, "in");
    return select_to_device(queue, run_offsets_from_c(from, offsets_out, same), count, launch);
  });
}

clwave_status clwave_run_offsets_to_host(cl_command_queue queue, const clwave_view* in,
                                         const clwave_view* offsets_out, const clwave_op* same,
                                         uint64_t* count, const clwave_options* options) {
  return c_block("clwave_run_offsets_to_host", options, [&](const clwave::launch_options& launch) {
    const lazy_input from(in, "in");
    std::uint64_t& found = given(count, "count");
    found = clwave::select_to_host(queue, run_offsets_from_c(from, offsets_out, same), launch);
  });
}
