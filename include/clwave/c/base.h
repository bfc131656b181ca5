/// @file
/// What all calls from C share: statuses and errors, types, views, options, operators, maps, and what is not
/// of a queue. clwave.h says what holds for all of them.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// These three are for the preprocessor alone, so that C takes them as well.
#include <clwave/export.hpp>
#include <clwave/opencl.hpp>
#include <clwave/version.hpp>

#ifdef __cplusplus
extern "C" {
#endif

/// How a call ended: well, or by one of the failures that clwave::failure has in C++.
typedef enum clwave_status {
  CLWAVE_OK = 0,                   ///< all is well
  CLWAVE_ERROR_INTERNAL = 1,       ///< a defect of clwave
  CLWAVE_ERROR_BAD_CALL = 2,       ///< the caller's arguments
  CLWAVE_ERROR_NO_DEVICE = 3,      ///< no OpenCL device at all
  CLWAVE_ERROR_DEVICE_ABSENT = 4,  ///< no device matches the selector
  CLWAVE_ERROR_BUILD = 5,          ///< the device's compiler refused the source
  CLWAVE_ERROR_OUT_OF_MEMORY = 6,  ///< device or host memory
  CLWAVE_ERROR_DEVICE_LOST = 7,    ///< the driver failed a command, or the device is gone
  CLWAVE_ERROR_DRIVER = 8          ///< another OpenCL call failed, or the driver is known to compute wrongly
} clwave_status;

/// All that is known of an error. Texts that are not known are "", never NULL.
typedef struct clwave_error {
  size_t size;            ///< of this structure, as the library has it
  clwave_status status;   ///< what the call returned
  cl_int code;            ///< OpenCL's code, or CL_SUCCESS where no OpenCL call failed
  const char* function;   ///< the function of C that failed: "clwave_reduce"
  const char* message;    ///< all of it in lines for people; what follows are its parts
  const char* primitive;  ///< "reduce"
  const char* types;      ///< "f32 -> f64"
  const char* op;         ///< "plus"
  const char* device;     ///< the device's name
  const char* profile;    ///< of the device table: "sm_90"
  const char* options;    ///< the build options
  const char* log;        ///< the compiler's lines
  const char* advice;     ///< what to do about it
  const char* place;      ///< in a text of yours that a compiler refused: "map twice:1:5"
} clwave_error;

/// The last error of a call in this thread; its status is CLWAVE_OK where there was none yet. Calls that end
/// well do not change it. It belongs to the library, and is good until the thread's next call that fails.
CLWAVE_EXPORT const clwave_error* clwave_last_error(void);

/// In words: "bad call". It is never NULL, and stays as long as the process.
CLWAVE_EXPORT const char* clwave_status_name(clwave_status status);

/// The library's version, "0.3.0": that of the headers is CLWAVE_VERSION_STRING.
CLWAVE_EXPORT const char* clwave_version(void);

/// The library's version as a number, as CLWAVE_VERSION has that of the headers: 300.
CLWAVE_EXPORT uint32_t clwave_version_number(void);

/// An element type: one of the numbers below, or what clwave_describe_structure gave. Vectors of 2, 4, 8 and
/// 16 numbers are `CLWAVE_F32 | 4 << 8`, for which there are names. element.hpp says what each type holds,
/// and what texts of OpenCL C see of it.
typedef uint32_t clwave_type;

/// The numbers of the built-in types.
enum clwave_builtin_type {
  CLWAVE_NO_TYPE = 0,  ///< no type, which every call refuses
  CLWAVE_I8 = 1,       ///< int8_t, char in texts
  CLWAVE_I16 = 2,      ///< int16_t, short
  CLWAVE_I32 = 3,      ///< int32_t, int
  CLWAVE_I64 = 4,      ///< int64_t, long
  CLWAVE_U8 = 5,       ///< uint8_t, uchar
  CLWAVE_U16 = 6,      ///< uint16_t, ushort
  CLWAVE_U32 = 7,      ///< uint32_t, uint
  CLWAVE_U64 = 8,      ///< uint64_t, ulong
  CLWAVE_F32 = 9,      ///< float
  CLWAVE_F64 = 10,     ///< double
  CLWAVE_F16 = 11,     ///< cl_half, a float in texts
  CLWAVE_BF16 = 12,    ///< the upper 16 bits of a float, a float in texts
  CLWAVE_CF32 = 13,    ///< float complex, float2 in texts
  CLWAVE_CF64 = 14,    ///< double complex, double2 in texts
  CLWAVE_BOOL = 15,    ///< bool, uchar in texts: 0 or 1
  CLWAVE_BYTE = 16,    ///< 8 bits without arithmetic
  CLWAVE_U128 = 17,    ///< 128 bits, the lower 64 first; in texts a structure of low and high
  CLWAVE_I128 = 18,    ///< 128 bits with a sign, the lower 64 first; in texts a structure of low and high

  CLWAVE_LAZY = 65535,  ///< no type of elements: what a view of clwave_lazy_view has (lazy.h)

  CLWAVE_I8X2 = CLWAVE_I8 | 2 << 8,      ///< cl_char2
  CLWAVE_I8X4 = CLWAVE_I8 | 4 << 8,      ///< cl_char4
  CLWAVE_I8X8 = CLWAVE_I8 | 8 << 8,      ///< cl_char8
  CLWAVE_I8X16 = CLWAVE_I8 | 16 << 8,    ///< cl_char16
  CLWAVE_I16X2 = CLWAVE_I16 | 2 << 8,    ///< cl_short2
  CLWAVE_I16X4 = CLWAVE_I16 | 4 << 8,    ///< cl_short4
  CLWAVE_I16X8 = CLWAVE_I16 | 8 << 8,    ///< cl_short8
  CLWAVE_I16X16 = CLWAVE_I16 | 16 << 8,  ///< cl_short16
  CLWAVE_I32X2 = CLWAVE_I32 | 2 << 8,    ///< cl_int2
  CLWAVE_I32X4 = CLWAVE_I32 | 4 << 8,    ///< cl_int4
  CLWAVE_I32X8 = CLWAVE_I32 | 8 << 8,    ///< cl_int8
  CLWAVE_I32X16 = CLWAVE_I32 | 16 << 8,  ///< cl_int16
  CLWAVE_I64X2 = CLWAVE_I64 | 2 << 8,    ///< cl_long2
  CLWAVE_I64X4 = CLWAVE_I64 | 4 << 8,    ///< cl_long4
  CLWAVE_I64X8 = CLWAVE_I64 | 8 << 8,    ///< cl_long8
  CLWAVE_I64X16 = CLWAVE_I64 | 16 << 8,  ///< cl_long16
  CLWAVE_U8X2 = CLWAVE_U8 | 2 << 8,      ///< cl_uchar2
  CLWAVE_U8X4 = CLWAVE_U8 | 4 << 8,      ///< cl_uchar4
  CLWAVE_U8X8 = CLWAVE_U8 | 8 << 8,      ///< cl_uchar8
  CLWAVE_U8X16 = CLWAVE_U8 | 16 << 8,    ///< cl_uchar16
  CLWAVE_U16X2 = CLWAVE_U16 | 2 << 8,    ///< cl_ushort2
  CLWAVE_U16X4 = CLWAVE_U16 | 4 << 8,    ///< cl_ushort4
  CLWAVE_U16X8 = CLWAVE_U16 | 8 << 8,    ///< cl_ushort8
  CLWAVE_U16X16 = CLWAVE_U16 | 16 << 8,  ///< cl_ushort16
  CLWAVE_U32X2 = CLWAVE_U32 | 2 << 8,    ///< cl_uint2
  CLWAVE_U32X4 = CLWAVE_U32 | 4 << 8,    ///< cl_uint4
  CLWAVE_U32X8 = CLWAVE_U32 | 8 << 8,    ///< cl_uint8
  CLWAVE_U32X16 = CLWAVE_U32 | 16 << 8,  ///< cl_uint16
  CLWAVE_U64X2 = CLWAVE_U64 | 2 << 8,    ///< cl_ulong2
  CLWAVE_U64X4 = CLWAVE_U64 | 4 << 8,    ///< cl_ulong4
  CLWAVE_U64X8 = CLWAVE_U64 | 8 << 8,    ///< cl_ulong8
  CLWAVE_U64X16 = CLWAVE_U64 | 16 << 8,  ///< cl_ulong16
  CLWAVE_F32X2 = CLWAVE_F32 | 2 << 8,    ///< cl_float2
  CLWAVE_F32X4 = CLWAVE_F32 | 4 << 8,    ///< cl_float4
  CLWAVE_F32X8 = CLWAVE_F32 | 8 << 8,    ///< cl_float8
  CLWAVE_F32X16 = CLWAVE_F32 | 16 << 8,  ///< cl_float16
  CLWAVE_F64X2 = CLWAVE_F64 | 2 << 8,    ///< cl_double2
  CLWAVE_F64X4 = CLWAVE_F64 | 4 << 8,    ///< cl_double4
  CLWAVE_F64X8 = CLWAVE_F64 | 8 << 8,    ///< cl_double8
  CLWAVE_F64X16 = CLWAVE_F64 | 16 << 8   ///< cl_double16
};

/// The built-in type of a name: "f32", "i64", "f32x4", or OpenCL's own "float", "long", "float4".
/// CLWAVE_NO_TYPE where there is none, and for NULL; that is no error.
CLWAVE_EXPORT clwave_type clwave_find_type(const char* name);

/// How many bytes an element of the type has; 0 where there is no such type, which is no error.
CLWAVE_EXPORT size_t clwave_type_size(clwave_type type);

/// Describes a structure of yours: its name on the device, an identifier; its text in OpenCL C; and its size
/// on the host, in bytes, 1 to 128. Size and layout must be the same on both sides; the device's size is
/// checked as the first program with it is built. Gives a number for it, which is good as long as the process
/// runs, and the same description gives the same number again. There is nothing to release.
///
///     clwave_type point;
///     clwave_describe_structure("point", "typedef struct { float x, y, z; } point;", sizeof(struct point),
///                               &point);
CLWAVE_EXPORT clwave_status clwave_describe_structure(const char* name, const char* declaration,
                                                      size_t n_bytes, clwave_type* type);

/// The type of the results of CLWAVE_ARGMIN and CLWAVE_ARGMAX over elements of a scalar type: a structure of
/// an element and its index, `struct { T value; uint64_t index; }`, where T is float for halves and bfloat16.
CLWAVE_EXPORT clwave_status clwave_indexed_type(clwave_type of, clwave_type* type);

/// `n` elements of a type, from element `offset` of a buffer on. Owns nothing. Calls check that the buffer
/// has these elements.
///
/// Where `count` is not NULL, the elements are the first of these `n`: as many as a number on the device says
/// when the call runs, and all of them where it is larger. It is one element of CLWAVE_U32 or CLWAVE_U64,
/// whose buffer must live until the work on it is done; the structure itself is read by the call alone. The
/// host never reads the number, so that a call can go on with what an earlier one has counted:
///
///     clwave_copy_if(queue, &x, &kept, &count, positive, NULL, NULL);  // only the device knows how many
///     clwave_view first = kept;
///     first.count = &count;
///     clwave_inclusive_scan(queue, &first, &sums, NULL, NULL, NULL, NULL, NULL);
///
/// Such a call gives the bits that it gives for a view of so many elements, and neither reads nor writes what
/// lies behind them. What it enqueues, its checks and its workspace go by all `n` elements. Counts are taken
/// for
///  - the input, of two the first one, of clwave_reduce, clwave_transform_reduce, clwave_dot and their
///    ..._to_host, by operators that have an identity, which is the result where there are no elements (or by
///    any with a start value); and of clwave_count_if, clwave_minmax and clwave_mean_and_variance;
///  - the first input of clwave_transform, clwave_transform_to and clwave_transform_if, the elements of
///    clwave_replace_if, the output of clwave_generate and clwave_iota, and the indices of gathers and
///    scatters;
///  - the input of clwave_inclusive_scan and clwave_exclusive_scan, of selections and runs, of histograms,
///    and of clwave_top_k, which writes as many as there are where these are fewer;
///  - the keys of clwave_reduce_by_key, clwave_inclusive_scan_by_key, clwave_exclusive_scan_by_key, and their
///    ..._to_host;
///  - the input of searches of one input: clwave_find_if, clwave_any_of, clwave_all_of, clwave_none_of and
///    clwave_is_sorted;
///  - the keys of clwave_sort, clwave_sort_by_key and clwave_argsort;
///  - either range of merges and set operations, whose values are as many as there may be;
///  - the offsets of calls of segments, where the number is one of segments: the call reads one offset more,
///    and `n` is one more than there may be segments.
///
/// For all else they are refused with CLWAVE_ERROR_BAD_CALL, which names the operand.
///
/// A view whose type is CLWAVE_LAZY is of elements that lie nowhere (lazy.h): clwave_lazy_view fills all its
/// members.
typedef struct clwave_view {
  cl_mem buffer;                    ///< that the elements lie in
  uint64_t n;                       ///< how many there are
  uint64_t offset;                  ///< of the first one in the buffer, in elements
  clwave_type type;                 ///< of the elements
  const struct clwave_view* count;  ///< where on the device their number lies; NULL: there are `n`
} clwave_view;

/// What a call waits for, and what memory it works in. Calls take NULL for none of it.
typedef struct clwave_options {
  size_t size;  ///< sizeof(clwave_options)
  /// Events that the call starts after, of the queue's context; those that are NULL are left out. Without
  /// any, the call starts after all that its queue held; on an out-of-order queue a call that does not block
  /// starts at once.
  const cl_event* after;
  size_t n_after;  ///< how many events there are
  /// Device memory for the call to work in, where it needs some; NULL: what the library keeps. Too little is
  /// refused, and the message says how much is needed. The memory is the call's until its work is done.
  cl_mem workspace;
  uint64_t workspace_offset;  ///< in bytes, from the buffer's begin on
  uint64_t workspace_bytes;   ///< how many; 0 with the offset 0: the whole buffer
} clwave_options;

/// A number that a text names, and that may be another one in each call without a new build.
typedef struct clwave_value {
  const char* name;    ///< the identifier in the text
  clwave_type type;    ///< a number of 8 to 64 bits, a half or bfloat16 (floats in texts), or a vector of at
                       ///< most 32 bytes
  const void* number;  ///< of that type; it is copied
} clwave_value;

/// A binary operator as OpenCL C text in `a` and `b`. All texts are copied; those that are NULL are empty.
/// op.hpp says what texts may have in them, and how literals and conversions go.
typedef struct clwave_op_text {
  size_t size;                 ///< sizeof(clwave_op_text)
  const char* name;            ///< for errors and caches: any short text
  const char* source;          ///< an expression in a and b: "sqrt(a*a + b*b)"
  const char* identity;        ///< the result for no elements, an expression; empty: there is none
  const char* declarations;    ///< functions and constants that the expression uses
  const clwave_value* values;  ///< numbers that the texts name, at most 16
  size_t n_values;             ///< how many values there are
  bool keeps_order;            ///< for an operator that does not commute: elements are combined in order
} clwave_op_text;

/// A function of one element `x` (of more inputs `x`, `y` and `z`) and of its index `i`, as OpenCL C text.
/// All texts are copied; those that are NULL are empty.
typedef struct clwave_map_text {
  size_t size;                 ///< sizeof(clwave_map_text)
  const char* name;            ///< for errors and caches: any short text
  const char* source;          ///< an expression: "alpha * x + y"
  const char* declarations;    ///< functions and constants that the expression uses
  const clwave_value* values;  ///< numbers that the text names, at most 16
  size_t n_values;             ///< how many values there are
} clwave_map_text;

/// An operator that combines two values, compares two neighbours, or says which of two comes first.
typedef struct clwave_op clwave_op;
/// A function of an element: also a predicate, true where it is not 0, and what a sort's key is made by.
typedef struct clwave_map clwave_map;

/// clwave's own operators; op.hpp says what each does.
typedef enum clwave_builtin_op {
  CLWAVE_PLUS = 1,           ///< a + b
  CLWAVE_MULTIPLIES = 2,     ///< a * b
  CLWAVE_MIN = 3,            ///< the smaller one; NaN where either is
  CLWAVE_MAX = 4,            ///< the larger one; NaN where either is
  CLWAVE_BIT_AND = 5,        ///< a & b
  CLWAVE_BIT_OR = 6,         ///< a | b
  CLWAVE_BIT_XOR = 7,        ///< a ^ b
  CLWAVE_LOGICAL_AND = 8,    ///< 1 where both are other than 0, else 0
  CLWAVE_LOGICAL_OR = 9,     ///< 1 where one is other than 0, else 0
  CLWAVE_ARGMIN = 10,        ///< the smallest element and its index, into clwave_indexed_type
  CLWAVE_ARGMAX = 11,        ///< the largest element and its index, into clwave_indexed_type
  CLWAVE_OP_32 = 0x7fffffff  ///< no operator: makes the enumeration 32 bits wide
} clwave_builtin_op;

/// clwave's own maps; op.hpp says what each does.
typedef enum clwave_builtin_map {
  CLWAVE_IDENTITY = 1,        ///< x
  CLWAVE_ABS = 2,             ///< the magnitude of x
  CLWAVE_SQUARE = 3,          ///< x * x
  CLWAVE_PRODUCT = 4,         ///< x * y, of two inputs
  CLWAVE_MAP_32 = 0x7fffffff  ///< no map: makes the enumeration 32 bits wide
} clwave_builtin_map;

/// An operator of clwave's own, which belongs to the library and is not to be released; NULL for a number
/// that none has. Calls take NULL for CLWAVE_PLUS where they combine, for == where they compare neighbours,
/// and for the order of numbers where they sort.
CLWAVE_EXPORT const clwave_op* clwave_op_builtin(clwave_builtin_op which);

/// A map of clwave's own, which belongs to the library and is not to be released; NULL for a number that none
/// has. Calls take NULL for CLWAVE_IDENTITY, but clwave_transform and clwave_broadcast.
CLWAVE_EXPORT const clwave_map* clwave_map_builtin(clwave_builtin_map which);

/// Makes an operator of a text. Asks no device: what is wrong with the text, the calls say that get it.
CLWAVE_EXPORT clwave_status clwave_op_create(const clwave_op_text* text, clwave_op** op);

/// Makes a map of a text. Asks no device: what is wrong with the text, the calls say that get it.
CLWAVE_EXPORT clwave_status clwave_map_create(const clwave_map_text* text, clwave_map** map);

/// Gives a value of the operator's text another number for the calls to come. `type` is to be the one that
/// the value has: of another type, it is another program. Refused where the text was made without this value.
CLWAVE_EXPORT clwave_status clwave_op_set_value(clwave_op* op, const clwave_value* value);

/// Gives a value of the map's text another number for the calls to come. `type` is to be the one that the
/// value has: of another type, it is another program. Refused where the text was made without this value.
CLWAVE_EXPORT clwave_status clwave_map_set_value(clwave_map* map, const clwave_value* value);

/// Frees an operator. Work that was given to a queue does not need it. NULL is left alone.
CLWAVE_EXPORT void clwave_op_release(clwave_op* op);

/// Frees a map. Work that was given to a queue does not need it. NULL is left alone.
CLWAVE_EXPORT void clwave_map_release(clwave_map* map);

/// `batch` matrices of `rows` by `columns` elements, row after row.
typedef struct clwave_matrices {
  uint64_t rows;     ///< of each matrix
  uint64_t columns;  ///< of each matrix
  uint64_t batch;    ///< matrices; 0 stands for 1
} clwave_matrices;

/// How far apart the rows and the slices (or matrices) of a box begin, in elements. Calls take NULL for those
/// that follow one another without gaps.
typedef struct clwave_pitches {
  uint64_t row;    ///< 0: the width of the box
  uint64_t slice;  ///< 0: `row` times the height of the box
} clwave_pitches;

/// Chooses a device: "gpu", "cpu", "0:1" (platform and device), "sm_90", name~"text", and NULL or "" for
/// CLWAVE_DEVICE if it is set, else the first GPU, else the first device (device.hpp has all forms). The
/// device is one of its platform's own, which need no release.
CLWAVE_EXPORT clwave_status clwave_select_device(const char* selector, cl_device_id* device);

/// Blocks until all events have ended, and flushes their queues. Returns what went wrong for the first one
/// that failed. Events that are NULL are left out; `events` may be NULL where `n` is 0.
CLWAVE_EXPORT clwave_status clwave_wait(const cl_event* events, size_t n);

/// Drops all that the library caches for a context, its reference to the context included (cache.hpp). Call
/// it before the context's last clReleaseContext.
CLWAVE_EXPORT clwave_status clwave_release_context(cl_context context);

/// Frees memory that the library caches and no call uses; programs of living contexts stay (cache.hpp).
CLWAVE_EXPORT clwave_status clwave_trim(void);

#ifdef __cplusplus
}
#endif
