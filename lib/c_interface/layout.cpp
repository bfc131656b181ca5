// Layouts from C: a shell over layout.hpp's untyped calls.
#include <cstddef>
#include <cstdint>

#include <clwave/c/moves.h>
#include <clwave/layout.hpp>

#include "c_interface/c_call.hpp"

namespace clwave::detail {
namespace {

layout layout_from_c(const clwave_layout* fields) {
  const clwave_layout& all = given(fields, "layout");
  layout made{.size = size_of(all.n_bytes, "layout->n_bytes"), .fields = {}};
  if (all.n_fields != 0) given(all.fields, "layout->fields");
  for (std::size_t i = 0; i < all.n_fields; ++i)
    made.fields.push_back({.size = size_of(all.fields[i].n_bytes, "layout->fields->n_bytes"),
                           .offset = size_of(all.fields[i].offset, "layout->fields->offset")});
  return made;
}

event move_fields_from_c(cl_command_queue queue, bool to_soa, const clwave_view* structures,
                         const clwave_layout* fields, const clwave_view* arrays,
                         const launch_options& launch) {
  const layout made = layout_from_c(fields);
  layout_problem asked{
      .fields = &made, .to_soa = to_soa, .structures = view_of(structures, "structures"), .arrays = {}};
  given(arrays, "arrays");
  for (std::size_t i = 0; i < made.fields.size(); ++i) asked.arrays.push_back(view_of(arrays + i, "arrays"));
  return move_fields(queue, asked, launch);
}

event move_blocks_from_c(cl_command_queue queue, bool to_soa, const clwave_view* structures,
                         const clwave_layout* fields, const clwave_view* blocks, std::uint64_t block,
                         const launch_options& launch) {
  const layout made = layout_from_c(fields);
  return move_blocks(queue,
                     layout_blocks_problem{.fields = &made,
                                           .to_soa = to_soa,
                                           .structures = view_of(structures, "structures"),
                                           .blocks = view_of(blocks, "blocks"),
                                           .block = block},
                     launch);
}

}  // namespace
}  // namespace clwave::detail

using namespace clwave::detail;

clwave_status clwave_aos_to_soa(cl_command_queue queue, const clwave_view* structures,
                                const clwave_layout* layout, const clwave_view* arrays,
                                const clwave_options* options, cl_event* event) {
  return c_enqueue("clwave_aos_to_soa", options, event, [&](const clwave::launch_options& launch) {
    return move_fields_from_c(queue, true, structures, layout, arrays, launch);
  });
}

clwave_status clwave_soa_to_aos(cl_command_queue queue, const clwave_view* arrays,
                                const clwave_layout* layout, const clwave_view* structures,
                                const clwave_options* options, cl_event* event) {
  return c_enqueue("clwave_soa_to_aos", options, event, [&](const clwave::launch_options& launch) {
    return move_fields_from_c(queue, false, structures, layout, arrays, launch);
  });
}

clwave_status clwave_aos_to_aosoa(cl_command_queue queue, const clwave_view* structures,
                                  const clwave_layout* layout, const clwave_view* blocks, uint64_t block,
                                  const clwave_options* options, cl_event* event) {
  return c_enqueue("clwave_aos_to_aosoa", options, event, [&](const clwave::launch_options& launch) {
    return move_blocks_from_c(queue, true, structures, layout, blocks, block, launch);
  });
}

clwave_status clwave_aosoa_to_aos(cl_command_queue queue, const clwave_view* blocks, uint64_t block,
                                  const clwave_layout* layout, const clwave_view* structures,
                                  const clwave_options* options, cl_event* event) {
  return c_enqueue("clwave_aosoa_to_aos", options, event, [&](const clwave::launch_options& launch) {
    return move_blocks_from_c(queue, false, structures, layout, blocks, block, launch);
  });
}

clwave_status clwave_aosoa_bytes(const clwave_layout* layout, uint64_t n, uint64_t block, uint64_t* n_bytes) {
  return c_call("clwave_aosoa_bytes", [&] {
    std::uint64_t& found = given(n_bytes, "n_bytes");
    found = clwave::aosoa_bytes(layout_from_c(layout), size_of(n, "n"), size_of(block, "block"));
  });
}
