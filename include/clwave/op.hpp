/// @file
/// Operators that combine two values, and maps applied to each element before it is combined.
///
/// Operators and maps are values: threads may give one to calls at the same time, as long as none changes
/// it. No queue and no driver is asked here, so nothing is flushed, and it works in a child of fork() too.
#pragma once

#include <concepts>
#include <string>
#include <type_traits>
#include <vector>

#include <clwave/lifetime.hpp>
#include <clwave/named_value.hpp>
#include <clwave/options.hpp>
#include <clwave/view.hpp>

namespace clwave {

/// Which of clwave's own operators; their text follows from the type. Sums and products wrap for integers.
/// min and max are IEEE 754-2019 minimum and maximum for floats: a NaN anywhere gives NaN, and -0 is less
/// than +0. The logical ones take an element as element != 0 and give 0 or 1. For vectors (float4) all but
/// argmin and argmax work component by component. Complex numbers have sums and products (element.hpp),
/// std::byte has bit operators, and bool has all but plus: count by a wider accumulator,
/// `reduce<std::uint64_t>`.
enum class op_kind {
  user,         ///< none of them: the text is yours
  plus,         ///< a + b
  multiplies,   ///< a * b
  min,          ///< the smaller one; NaN where either is
  max,          ///< the larger one; NaN where either is
  bit_and,      ///< a & b
  bit_or,       ///< a | b
  bit_xor,      ///< a ^ b
  logical_and,  ///< 1 where both are other than 0, else 0
  logical_or,   ///< 1 where one is other than 0, else 0
  argmin,       ///< the smaller of two indexed values, the earlier one on ties
  argmax        ///< the larger of two indexed values, the earlier one on ties
};

/// A binary operator. Yours is OpenCL C text in `a` and `b`:
///
///     clwave::op hypot2{.name = "hypot2", .source = "sqrt(a*a + b*b)", .identity = "0"};
///
/// `a` always stands before `b` in the input. It should be associative; where rounding makes it
/// only nearly so, the fixed fold order still gives the same bits everywhere (reduce.hpp).
///
/// Texts and declarations, here and in maps: each text becomes a function of its own behind its declarations,
/// and what it gives is converted to the type that it is for: integers wrap; a float out of an integer's
/// range becomes the nearest value in it, NaN 0. The names of clwave's kernels begin with clwave_; yours may
/// be any others. Refused (bad_call, with the line) are names that begin so, also where `##` could put one
/// together, and what could change the kernels: a `#define` of a word of OpenCL C, `#include`, `#line`,
/// pragmas other than unroll and extensions, brackets, comments, quotes or conditions without their ends.
/// Products and sums are not fused.
///
/// The same declarations of two texts stand once. Different ones of one call are one program, in which no two
/// may declare a function, a variable, a type or an enumerator of one name (bad_call); each may use what the
/// other has. But macros are each text's own, and reach no other one; those of a structure's declaration are
/// for all texts of the call.
///
/// A floating literal without a suffix (1.5), and a constant such as M_PI, is a double where the text's own
/// elements, values or result are doubles, or structures or vectors with such in them, or the text itself
/// names double; else it is a float, on every device. That is so in whatever program the text lands: of
/// shards, host arrays and ranks, and of an operator beside a map or keys of doubles. Declarations are a text
/// of their own, whose literals are doubles where they name double, whoever uses them.
///
/// Values are numbers that the text names, and that come as kernel arguments with each call. Their names and
/// types belong to the program, their numbers do not: calls that differ in numbers alone share one program,
/// so a new number builds nothing. The type is that of the number given: 2 is an int, 2.0f a float, and a
/// half is a float in the text. Names are identifiers. Refused are a, b, x, y, z and i, the words of OpenCL
/// C, and names that begin with clwave_ or __; an operator or map has at most 16 values. An operator's text
/// and identity see the operator's values, and a map's text those of the map. Declarations see none: the text
/// passes them (`mixed(alpha, a, b)`). The call copies the numbers before it returns.
///
///     clwave::map axpy{.name = "axpy", .source = "alpha * x + y", .values = {{"alpha", 2.5f}}};
///     axpy.values[0] = {"alpha", 3.0f};  // for the next call: the same program
///
/// It sees elements (as the map gives them) and results of itself, and nothing else: no zeros, no identity,
/// no memory that nobody wrote. So it may loop, divide or index by what it is given, if it can for any two of
/// those. It must not count on which two: lanes of a device work in step, and those whose result nobody takes
/// combine what they have, an element with itself or elements out of order.
struct op {
  std::string name;               ///< for plans, errors and caches: any short text
  std::string source;             ///< an expression in a and b, of the accumulation type
  std::string identity = {};      ///< the result for no elements, an expression; "": empty input throws
  bool commutative = true;        ///< false: contiguous runs are folded in index order
  std::string declarations = {};  ///< functions and constants the expression uses
  std::vector<named_value> values = {};  ///< what `source` and `identity` name besides a and b
  op_kind kind = op_kind::user;          ///< yours stays as it is
};

/// a + b: the default of all folds.
inline const op& plus =
    *detail::never_destroyed(op{.name = "plus", .source = {}, .identity = {}, .kind = op_kind::plus});
/// a * b; of complex numbers the complex product.
inline const op& multiplies = *detail::never_destroyed(
    op{.name = "multiplies", .source = {}, .identity = {}, .kind = op_kind::multiplies});
/// The smallest element: NaN where there is a NaN, and -0 is less than +0.
inline const op& min =
    *detail::never_destroyed(op{.name = "min", .source = {}, .identity = {}, .kind = op_kind::min});
/// The largest element: NaN where there is a NaN, and +0 is more than -0.
inline const op& max =
    *detail::never_destroyed(op{.name = "max", .source = {}, .identity = {}, .kind = op_kind::max});
/// a & b, of integers, bool and std::byte.
inline const op& bit_and =
    *detail::never_destroyed(op{.name = "bit_and", .source = {}, .identity = {}, .kind = op_kind::bit_and});
/// a | b, of integers, bool and std::byte.
inline const op& bit_or =
    *detail::never_destroyed(op{.name = "bit_or", .source = {}, .identity = {}, .kind = op_kind::bit_or});
/// a ^ b, of integers, bool and std::byte.
inline const op& bit_xor =
    *detail::never_destroyed(op{.name = "bit_xor", .source = {}, .identity = {}, .kind = op_kind::bit_xor});
/// 1 where all elements are other than 0, else 0; for no elements 1.
inline const op& logical_and = *detail::never_destroyed(
    op{.name = "logical_and", .source = {}, .identity = {}, .kind = op_kind::logical_and});
/// 1 where an element is other than 0, else 0; for no elements 0.
inline const op& logical_or = *detail::never_destroyed(
    op{.name = "logical_or", .source = {}, .identity = {}, .kind = op_kind::logical_or});

/// Which of clwave's own maps; their text follows from the types.
enum class map_kind {
  user,      ///< none of them: the text is yours
  identity,  ///< x
  abs,       ///< the magnitude of x
  square,    ///< x * x
  product    ///< x * y
};

/// A function of one element `x` (of two inputs: `x` and `y`), and of its index `i` (ulong). Yours is
/// an OpenCL C expression of what the input's type is in texts (element.hpp); its value is converted to the
/// accumulation type. clwave's own convert first: the square of a float accumulated in double is exact.
struct map {
  std::string name;                      ///< for plans, errors and caches: any short text
  std::string source;                    ///< an expression in x, y, z or b as the call says, and in i
  std::string declarations = {};         ///< functions and constants the expression uses
  std::vector<named_value> values = {};  ///< what `source` names besides elements
  map_kind kind = map_kind::user;        ///< yours stays as it is
};

/// x itself, converted to the type of the result.
inline const map& identity =
    *detail::never_destroyed(map{.name = "identity", .source = {}, .kind = map_kind::identity});
/// The magnitude of x; that of the least integer, which is too large for its type, is that integer. Not of
/// complex numbers, whose magnitude is real.
inline const map& abs = *detail::never_destroyed(map{.name = "abs", .source = {}, .kind = map_kind::abs});
/// x * x.
inline const map& square =
    *detail::never_destroyed(map{.name = "square", .source = {}, .kind = map_kind::square});
/// x * y, of two zipped inputs.
inline const map& product =
    *detail::never_destroyed(map{.name = "product", .source = {}, .kind = map_kind::product});

namespace detail {

// Instantiated where something that is neither a view nor options stands in place of an operator or a map.
template <class T, class Right>
struct written_in_opencl : std::true_type {
  static_assert(std::same_as<Right, map>,
                "operators are OpenCL C expressions: clwave::op{.name = \"sum\", .source = \"a + b\"}");
  static_assert(std::same_as<Right, op>,
                "functions are OpenCL C expressions: clwave::map{.name = \"twice\", .source = \"2 * x\"}");
};

template <class T, class Right>
concept in_place_of =
    !viewable<T> && !memory_without_view<T> && !call_options<T> && written_in_opencl<T, Right>::value;

}  // namespace detail

/// What calls take as an operator: an op. A lambda, a function object or a string does not compile, and the
/// compiler says what to write. Calls have it as a template parameter with a default, so that `{}` and
/// `{.after = {e}}` are options where an operator may be left out.
template <class T>
concept operator_argument = std::same_as<T, op> || detail::in_place_of<T, op>;

/// What calls take as a function of elements: a map. A lambda, a function object or a string does not
/// compile, and the compiler says what to write.
template <class T>
concept map_argument = std::same_as<T, map> || detail::in_place_of<T, map>;

}  // namespace clwave
