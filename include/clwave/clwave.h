/// @file
/// All of clwave for programs in C, and for languages that call C: plain C11, and C++ takes it, too.
///
///     float numbers[1000] = {...}, sum;
///     clwave_view x = {.buffer = buffer, .n = 1000, .type = CLWAVE_F32};
///     if (clwave_reduce_to_host(queue, &x, NULL, CLWAVE_F32, NULL, &sum, NULL) != CLWAVE_OK)
///       fprintf(stderr, "%s\n", clwave_last_error()->message);
///
/// Each call is one of the C++ library's, under its name with clwave_ before it, and does what that does: the
/// headers of C++ (reduce.hpp, sort.hpp, ...) have the algorithms, the orders of combination, and how much
/// memory each call works in. This header and those that it includes say what is different in C.
///
/// Queues, buffers and events are plain OpenCL handles, which stay the caller's. Calls keep no pointer that
/// they were given: views, texts, options, operators and maps may go as soon as the call has returned.
/// Buffers must live until the work on them is done. Sizes, offsets and pitches are in elements, unless a
/// name says bytes.
///
/// **Blocking.** A call whose last argument is a `cl_event*` does not block, and flushes nothing. Where that
/// argument is NULL no event is made, and the queue alone says when the work is done; else the caller gets
/// one reference, and gives it back by clReleaseEvent. Calls named ..._to_host and clwave_checked_... flush
/// their queue, block until the result is there, and make no event. A call with nothing to do (no elements)
/// gives a real event, too.
///
/// **Errors.** A call returns CLWAVE_OK, or another clwave_status, and then clwave_last_error() has all that
/// is known of it, for this thread. Nothing is enqueued by a call that ends in CLWAVE_ERROR_BAD_CALL, but by
/// those named clwave_checked_... After an error what a call was to give (events, operators, maps, devices,
/// types) is NULL or 0, and values and counts on the host are as they were. NULL is refused where a pointer
/// is not said to be optional. No exception leaves the library, and it neither prints nor aborts.
///
/// **Threads.** All functions may be called by any number of threads at the same time, on one queue or on
/// several, in-order or out-of-order. Threads may share operators and maps; none may set a value of one or
/// release it while another one uses it. In a child of fork() calls are refused (event.hpp).
///
/// **Memory.** What a ..._create function gives, the ..._release function of the same name frees. All else
/// that the library returns pointers to belongs to it. What the library caches for a context is given back by
/// clwave_release_context.
///
/// **Growing.** A structure whose first field is `size` is to have its own size there. Later versions of the
/// library may add fields behind the others, which are 0 in programs that do not know them; a program that
/// uses one is refused by a library that does not know it. All other structures stay as they are.
#pragma once

#include <clwave/c/base.h>        // IWYU pragma: export
#include <clwave/c/folds.h>       // IWYU pragma: export
#include <clwave/c/lazy.h>        // IWYU pragma: export
#include <clwave/c/moves.h>       // IWYU pragma: export
#include <clwave/c/random.h>      // IWYU pragma: export
#include <clwave/c/scans.h>       // IWYU pragma: export
#include <clwave/c/searches.h>    // IWYU pragma: export
#include <clwave/c/selections.h>  // IWYU pragma: export
#include <clwave/c/sorts.h>       // IWYU pragma: export
