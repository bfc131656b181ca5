// What selections and calls by key share (cl_kernels/blocks/kept.cl): how much a tile of elements is, how
// keys are read, and when two neighbours are equal.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include <clwave/any_view.hpp>
#include <clwave/element.hpp>
#include <clwave/op.hpp>

#include "blocks/messages.hpp"
#include "program/program.hpp"

namespace clwave::detail {

// On a CPU: a tile that stays in a core's own caches. Processor time of copy_if, PoCL, 1e8 floats of which 50
// % are kept, 2026-11: 0.98 ns an element; with 16 KiB 1.10.
inline constexpr std::uint64_t cpu_tile_bytes = 64 << 10;

// The elements of a work-item of a GPU: as many, or as many bytes. Each has a bit in one word.
unsigned elements_of_item(std::size_t size, unsigned items);

// The words and modules for programs whose groups tell each other how many elements their tiles keep, by
// messages or between launches; for those of them that keep elements of the tiles of one input; and for those
// whose kernels are select's, too.
void add_counts_kept(program_spec& spec, const group_messages& messages);
void add_kept(program_spec& spec, const group_messages& messages, unsigned group_size);
void add_selection(program_spec& spec, const group_messages& messages, unsigned group_size);
// Of a selection whose elements are kept or not, as all are but partitions into three.
void add_two_ways(program_spec& spec, unsigned group_size);

// How a program reads keys that lie beside its values (cl_kernels/blocks/kept.cl).
struct key_shape {
  unsigned items = 1;    // packets of a work-item
  unsigned vector = 1;   // neighbouring keys loaded as one packet
  bool packets = false;  // by one access
};
// Where a work-item of a GPU takes so many keys.
key_shape shape_keys(const any_view& keys, unsigned elements);
// How many keys lie between the first one and the last packet's start before it.
std::uint32_t head_of_keys(const any_view& keys, const key_shape& shape);
// The same for keys of a type beside values, and for the operator that compares them.
void add_kept_keys(program_spec& spec, const element& key, const key_shape& shape, const op& same);

// The operator that compares neighbours: the caller's, or == where there is none.
const op& equality_of(const element& value, const op* same);
// Throws bad_call where neighbours cannot be compared so.
void check_equality(std::string_view caller, const target& on, const element& value, const op* same);
// The same, and where they cannot be keys beside values.
void check_run_keys(std::string_view caller, const target& on, const element& key, const op* same);

}  // namespace clwave::detail
