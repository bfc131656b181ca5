/// @file
/// mpi_ranks: the processes of an MPI communicator, for reductions and scans of an array that lies with all
/// of them (ranks.hpp, ranks_scan.hpp).
///
/// An optional component: clwave built with the CMake option CLWAVE_MPI=ON, and
///
///     find_package(clwave CONFIG REQUIRED COMPONENTS mpi)
///     target_link_libraries(program PRIVATE clwave::mpi)
///
/// Any MPI of version 3 will do. The library clwave itself links no MPI, and clwave.hpp does not include this
/// header.
///
///     clwave::mpi_ranks all(MPI_COMM_WORLD);
///     float s = clwave::reduce(all, clwave::sharded<float>{{queue, own}});
///     auto least = clwave::argmin(all, x);      // the index is that in the array of all ranks
///
/// Threads. A call talks MPI from the thread that makes it, so what MPI_Init_thread has given must allow
/// that.
///
/// When a process dies, MPI ends the job: mpirun of Open MPI stops all processes by default, and so does a
/// process that finds a connection broken, without an exception. Where a process only does not answer, since
/// it hangs, was stopped or never makes the call, the others wait as MPI does, without an end; with a
/// deadline they throw instead.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>

#include <mpi.h>

#include <clwave/ranks.hpp>

namespace clwave {

/// The processes of a communicator. Has a communicator of its own, so that its messages meet nobody else's.
class mpi_ranks final : public ranks {
 public:
  /// How long one message may be waited for. Ranks that are at work do not answer, so it is to be longer than
  /// the ranks' calls may begin apart, and than one of them takes to compile and to fold. A rank that waits
  /// for others which wait themselves gives them a quarter more for each, so that who has waited longest in
  /// vain is the first to say so. Then all ranks that still answer throw an error (kind driver) that names
  /// the one that did not, and the object takes no further call.
  using deadline = std::chrono::milliseconds;

  /// Of all processes of `communicator`, in its order. Collective: it duplicates the communicator. Without a
  /// deadline, calls wait without an end. Throws clwave::error (bad_call) for an intercommunicator and for
  /// deadlines of 0 or less, and where MPI is not initialised or is finalised.
  explicit mpi_ranks(MPI_Comm communicator, std::optional<deadline> wait_at_most = std::nullopt);
  /// Frees the communicator, unless a message was lost or MPI is finalised.
  ~mpi_ranks() override;

  std::uint32_t rank() const override { return rank_; }  ///< the number in the communicator
  std::uint32_t size() const override { return size_; }  ///< how many processes it has
  /// By MPI_Isend.
  void send(std::uint32_t to, std::span<const std::byte> message, std::uint32_t patience) override;
  /// By MPI_Irecv.
  std::size_t receive(std::uint32_t from, std::span<std::byte> into, std::uint32_t patience) override;

 private:
  struct state;
  std::unique_ptr<state> state_;
  std::uint32_t rank_ = 0, size_ = 0;
};

}  // namespace clwave
