/// @file
/// What the library keeps between calls, for how long, and how to make it let go.
///
/// The first call in a context makes an entry for it. The entry holds one reference to the context, and what
/// later calls need again:
///
/// - programs and their kernels: at most `kept_programs`; beyond that the least recently used is dropped,
///   and comes back from the disk cache, or by a build, when it is next wanted;
/// - workspace, the device memory that some calls need while they run: at most `kept_workspace_bytes`, or a
///   64th of the device's memory (`kept_workspace_share`) where that is more. What each call needs is said in
///   its plan, rounded up to 4 KiB. One in-order queue that calls follow each other on needs one block. A
///   block beyond the bound is freed when the commands that use it have ended, and the next call that needs
///   as much waits for the driver to allocate it;
/// - memory for results that come later (future.hpp): at most 256 pieces of 128 bytes, beside those that
///   futures hold, and a queue of the library's own to read them by;
/// - page-locked host memory, through which sharded arrays (sharded.hpp) go from device to device, and arrays
///   of the host (host_array.hpp) to a device: at most 128 MiB; and at most 8 queues of the library's own by
///   which the latter stream;
/// - what is known of the context's devices. Facts of a sub-device go with the last context that used it.
///
/// A future whose value has not been fetched holds the entry, beyond release() too. An entry goes by
/// release(), and by itself where the library is the last holder of its context. The library
/// finds that out when it meets a new context, and in trim(). It gives commands to no queue of yours but the
/// one that a call was given, and flushes no other.
///
/// Both functions may be called from any thread, also while calls run in the same context: those end as they
/// would have. Neither waits for the device, nor touches a queue of yours of any kind, nor flushes one. In a
/// child of fork() both do nothing: what is kept is the parent's (event.hpp).
#pragma once

#include <cstddef>

#include <clwave/export.hpp>
#include <clwave/handle.hpp>

namespace clwave {

/// How many programs are kept for a context, each with its kernels.
inline constexpr std::size_t kept_programs = 256;
/// How many bytes of device memory are kept for a context's calls to work in, beside those in use; or the
/// device's memory divided by `kept_workspace_share`, where that is more.
inline constexpr std::size_t kept_workspace_bytes = std::size_t{64} << 20;
inline constexpr std::size_t kept_workspace_share = 64;  ///< 2.2 GiB of an NVIDIA H200's 140

namespace detail {
CLWAVE_EXPORT void release(cl_context context);
}

/// Drops all that is kept for a context, the library's reference to it included. Calls that run in it drop
/// what they hold as they end; commands that are still queued keep what they use, as OpenCL has it. A future
/// call in the context begins afresh. Throws clwave::error (bad_call) for a null handle.
///
///     clwave::release(context);  // before the last clReleaseContext, cl::Context or compute::context goes
template <handle_to<cl_context> Context>
void release(const Context& context) {
  detail::release(handle_of<cl_context>(context));
}

/// Drops all workspace and page-locked memory that no call holds, all memory for results that no future
/// holds, and the entries of contexts and facts of sub-devices that only the library still holds. Programs of
/// living contexts stay.
CLWAVE_EXPORT void trim();

}  // namespace clwave
