/// @file
/// aos_to_soa, soa_to_aos: an array of structures to a structure of arrays and back. aos_to_aosoa,
/// aosoa_to_aos: to and from blocks, each of which is a structure of arrays (AoSoA).
///
/// A structure is described once, by its fields' sizes and offsets or by the members of its type. Only bytes
/// move; any padding, any order and any size of fields from 1 to 16 bytes will do. A GPU stages the
/// structures in local memory, so that both sides are met in runs of neighbouring bytes: an array of 12-byte
/// structures read in place wastes two thirds of each access on older devices, and instructions on all. One
/// launch; no workspace. The same bits on every device. Kernels: cl_kernels/primitives/layout.cl. What each
/// way to such structures costs: "Kepler architecture and program optimisation", part 8.
///
/// Threads may call these functions at the same time, on one queue or on several. The queue may be
/// in-order or out-of-order, with profiling or without; a call flushes neither it nor any other. A child of
/// fork() is refused. In full: event.hpp.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <type_traits>
#include <vector>

#include <clwave/any_view.hpp>
#include <clwave/element.hpp>
#include <clwave/event.hpp>
#include <clwave/export.hpp>
#include <clwave/options.hpp>
#include <clwave/view.hpp>

namespace clwave {

/// A field: how many bytes (1 to 16), and where in the structure.
struct field {
  std::size_t size = 0;    ///< bytes
  std::size_t offset = 0;  ///< bytes from the structure's begin
};

/// A structure: its size with padding (at most 1024 bytes), and 1 to 16 of its fields, which may not overlap.
/// Fields left out are not moved.
struct layout {
  std::size_t size = 0;       ///< bytes from one structure to the next
  std::vector<field> fields;  ///< in the order that the arrays have
};

/// The layout of T from pointers to its members, in the order they are to have. T has a default constructor.
///
///     struct point { float x, y, z; };
///     const clwave::layout fields = clwave::layout_of(&point::x, &point::y, &point::z);
template <std::default_initializable T, class... Member>
layout layout_of(Member T::*... members) {
  static_assert(std::is_trivially_copyable_v<T>);
  const T object{};
  const auto* begin = reinterpret_cast<const unsigned char*>(&object);
  return {sizeof(T),
          {{sizeof(Member), static_cast<std::size_t>(
                                reinterpret_cast<const unsigned char*>(&(object.*members)) - begin)}...}};
}

/// The layout of a type registered by CLWAVE_LAYOUT.
template <class T>
struct layout_traits;

/// A type that CLWAVE_LAYOUT has registered.
template <class T>
concept has_layout = requires {
  { layout_traits<T>::describe() } -> std::convertible_to<const layout&>;
};

/// Registers a type's members, at global scope, so that calls need not name its layout.
///
///     CLWAVE_LAYOUT(point, &point::x, &point::y, &point::z)
#define CLWAVE_LAYOUT(type, ...)                                                      \
  template <>                                                                         \
  struct clwave::layout_traits<type> {                                                \
    static const ::clwave::layout& describe() {                                       \
      static const ::clwave::layout& fields =                                         \
          *::clwave::detail::never_destroyed(::clwave::layout_of<type>(__VA_ARGS__)); \
      return fields;                                                                  \
    }                                                                                 \
  };

namespace detail {

// A view whose elements are moved alone, so that their type need not be one that devices know.
template <viewable R>
any_view erase_moved(const R& range) {
  using T = viewed<R>;
  static const element& type =
      *never_destroyed(make_element("moved", "", sizeof(T), element_kind::opaque, 1));
  const view<const T> of(range);
  return {of.buffer(), of.size(), of.offset(), &type};
}

}  // namespace detail

/// One array of a structure of arrays: a view of elements as large as the field.
class soa_field {
 public:
  /// The elements of a view or range, of any type of 1 to 16 bytes.
  template <viewable View>
  soa_field(const View& values)  // NOLINT(google-explicit-constructor): lists of views are what calls take
      : values_(detail::erase_moved(values)), is_const_(std::is_const_v<typename View::value_type>) {}

  /// The view, without its type.
  const any_view& values() const { return values_; }
  /// Whether the view was one of const elements: calls that write such an array throw bad_call.
  bool is_const() const { return is_const_; }

 private:
  any_view values_;
  bool is_const_;
};

/// aos_to_soa or soa_to_aos, whose types are said at run time: what the calls take, and what plan() is asked,
/// then without buffers. Refers to all that is pointed to. Views of single bytes stand for the structures or
/// elements whose bytes they are.
struct layout_problem {
  const layout* fields = nullptr;  ///< of a structure
  bool to_soa = true;              ///< false: soa_to_aos
  any_view structures;             ///< of elements as large as `fields` says
  /// One for each field, as long as there are structures or longer; of those in one buffer `buffer` is the
  /// same. For plans: none, and they follow one another in one buffer, each from the next multiple of 128
  /// bytes on.
  std::vector<any_view> arrays = {};
};

/// aos_to_aosoa or aosoa_to_aos, whose types are said at run time: what the calls take, and what plan() is
/// asked, then without buffers. Refers to all that is pointed to.
struct layout_blocks_problem {
  const layout* fields = nullptr;  ///< of a structure
  bool to_soa = true;              ///< false: aosoa_to_aos
  any_view structures;             ///< of elements as large as `fields` says
  any_view blocks;                 ///< bytes: as many as aosoa_bytes says, or more
  std::uint64_t block = 1;         ///< structures of a block
};

/// What a call would do: its launches, their arguments, the source and the workspace (plan.hpp). Enqueues
/// nothing. Throws clwave::error (bad_call) for a problem that the call would refuse.
CLWAVE_EXPORT call_plan plan(const layout_problem& asked, const plan_target& on);
/// What a call would do: its launches, their arguments, the source and the workspace (plan.hpp). Enqueues
/// nothing. Throws clwave::error (bad_call) for a problem that the call would refuse.
CLWAVE_EXPORT call_plan plan(const layout_blocks_problem& asked, const plan_target& on);

/// Array of structures to structure of arrays, or back, of types that are said at run time. Does not block:
/// returns the event of its last command, started after `options.after`. Throws clwave::error: bad_call
/// before anything is enqueued (types or sizes that do not go together, overlaps that are not allowed, a view
/// past its buffer, an object of another context), build, out_of_memory.
CLWAVE_EXPORT event move_fields(cl_command_queue queue, const layout_problem& asked,
                                const launch_options& options = {});
/// Array of structures to blocks that are structures of arrays, or back, of types that are said at run time.
/// Does not block: returns the event of its last command, started after `options.after`. Throws
/// clwave::error: bad_call before anything is enqueued (types or sizes that do not go together, overlaps that
/// are not allowed, a view past its buffer, an object of another context), build, out_of_memory.
CLWAVE_EXPORT event move_blocks(cl_command_queue queue, const layout_blocks_problem& asked,
                                const launch_options& options = {});

namespace detail {

// The arrays of a call that writes them or does not. Throws bad_call where it does and one is of const
// elements.
CLWAVE_EXPORT std::vector<any_view> views_of(const std::vector<soa_field>& arrays, bool writes);

}  // namespace detail

/// How many bytes n structures take in blocks of `block`: each block has `block` values of the first field,
/// then as many of the second, and so on, without padding; the last block is as large as the others.
CLWAVE_EXPORT std::size_t aosoa_bytes(const layout& fields, std::size_t n, std::size_t block);

/// Array of structures to structure of arrays: field f of structure i becomes value i of array f. One array
/// for each field, in the layout's order, of elements of the field's size and at least as many as there are
/// structures; they may lie in one buffer or in up to 8. Nothing may overlap. Both sides may start at any
/// element; accesses are widest where all start at multiples of 16 bytes.
///
/// Does not block: returns the event of its command, started after `options.after`. No structures: nothing is
/// launched; the event ends with what it had to await. Sizes are 64-bit. Throws clwave::error: bad_call
/// before anything is enqueued (a layout that cannot be, too few or too short arrays, views that overlap, a
/// buffer of another context), build, out_of_memory.
///
///     clwave::aos_to_soa(queue, points, clwave::layout_of(&point::x, &point::y, &point::z), {xs, ys, zs});
///     clwave::aos_to_soa(queue, points, {xs, ys, zs});   // with CLWAVE_LAYOUT(point, ...)
template <queue_like Queue, view_argument Structures>
event aos_to_soa(const Queue& queue, const Structures& structures, const layout& fields,
                 const std::vector<soa_field>& arrays, const launch_options& options = {}) {
  return move_fields(handle_of<cl_command_queue>(queue),
                     {.fields = &fields,
                      .structures = detail::erase_moved(structures),
                      .arrays = detail::views_of(arrays, true)},
                     options);
}
/// Array of structures to structure of arrays, by the layout of the structures' type that CLWAVE_LAYOUT has
/// registered: field f of structure i becomes value i of array f. One array for each field, of elements of
/// its size, as long as there are structures or longer; nothing may overlap. Does not block: returns the
/// event of its last command, started after `options.after`. Throws clwave::error: bad_call before anything
/// is enqueued (too few or too short arrays, views that overlap, a buffer of another context), build,
/// out_of_memory.
template <queue_like Queue, viewable Structures>
  requires has_layout<viewed<Structures>> event aos_to_soa(const Queue& queue, const Structures& structures,
                                                           const std::vector<soa_field>& arrays,
                                                           const launch_options& options = {}) {
    return aos_to_soa(queue, structures, layout_traits<viewed<Structures>>::describe(), arrays, options);
  }

/// Structure of arrays to array of structures: value i of array f becomes field f of structure i. Writes
/// whole structures; their bytes that belong to no field become 0. One array for each field, in the layout's
/// order, of elements of its size, as long as there are structures or longer; they may lie in one buffer or
/// in up to 8. Nothing may overlap. Does not block: returns the event of its last command, started after
/// `options.after`. No structures: nothing is launched. No workspace. Throws clwave::error: bad_call before
/// anything is enqueued (a layout that cannot be, too few or too short arrays, views that overlap, a buffer
/// of another context), build, out_of_memory.
template <queue_like Queue, view_argument Structures>
event soa_to_aos(const Queue& queue, const std::vector<soa_field>& arrays, const Structures& structures,
                 const layout& fields, const launch_options& options = {}) {
  static_assert(detail::is_output<Structures>::value);
  return move_fields(handle_of<cl_command_queue>(queue),
                     {.fields = &fields,
                      .to_soa = false,
                      .structures = detail::erase_moved(structures),
                      .arrays = detail::views_of(arrays, false)},
                     options);
}
/// Structure of arrays to array of structures, by the layout of the structures' type that CLWAVE_LAYOUT has
/// registered: value i of array f becomes field f of structure i, and bytes that belong to no field become 0.
/// Nothing may overlap. Does not block: returns the event of its last command, started after `options.after`.
/// Throws clwave::error: bad_call before anything is enqueued (too few or too short arrays, views that
/// overlap, a buffer of another context), build, out_of_memory.
template <queue_like Queue, viewable Structures>
  requires has_layout<viewed<Structures>> event soa_to_aos(const Queue& queue,
                                                           const std::vector<soa_field>& arrays,
                                                           const Structures& structures,
                                                           const launch_options& options = {}) {
    return soa_to_aos(queue, arrays, structures, layout_traits<viewed<Structures>>::describe(), options);
  }

/// Array of structures to blocks of `block` structures, as aosoa_bytes says; any length from 1 on. `blocks`
/// is a view of bytes. Places of the last block that belong to no structure are not touched. Nothing may
/// overlap. Does not block: returns the event of its last command, started after `options.after`. No
/// structures: nothing is launched. No workspace. Throws clwave::error: bad_call before anything is enqueued
/// (a layout that cannot be, blocks of 0 structures, too few bytes, views that overlap, a buffer of another
/// context), build, out_of_memory.
///
///     const auto fields = clwave::layout_of(&point::x, &point::y, &point::z);
///     clwave::aos_to_aosoa(queue, points, fields, bytes, 32);  // of aosoa_bytes(fields, n, 32) or more
template <queue_like Queue, view_argument Structures, view_argument Bytes>
  requires(sizeof(viewed<Bytes>) == 1)
event aos_to_aosoa(const Queue& queue, const Structures& structures, const layout& fields,
                   const Bytes& blocks, std::size_t block, const launch_options& options = {}) {
  static_assert(detail::is_output<Bytes>::value);
  return move_blocks(handle_of<cl_command_queue>(queue),
                     {.fields = &fields,
                      .structures = detail::erase_moved(structures),
                      .blocks = detail::erase_moved(blocks),
                      .block = block},
                     options);
}
/// The way back: blocks of `block` structures to an array of structures, whose bytes that belong to no field
/// become 0. Nothing may overlap. Does not block: returns the event of its last command, started after
/// `options.after`. No structures: nothing is launched. No workspace. Throws clwave::error: bad_call before
/// anything is enqueued (a layout that cannot be, blocks of 0 structures, too few bytes, views that overlap,
/// a buffer of another context), build, out_of_memory.
template <queue_like Queue, view_argument Bytes, view_argument Structures>
  requires(sizeof(viewed<Bytes>) == 1)
event aosoa_to_aos(const Queue& queue, const Bytes& blocks, std::size_t block, const Structures& structures,
                   const layout& fields, const launch_options& options = {}) {
  static_assert(detail::is_output<Structures>::value);
  return move_blocks(handle_of<cl_command_queue>(queue),
                     {.fields = &fields,
                      .to_soa = false,
                      .structures = detail::erase_moved(structures),
                      .blocks = detail::erase_moved(blocks),
                      .block = block},
                     options);
}

}  // namespace clwave
