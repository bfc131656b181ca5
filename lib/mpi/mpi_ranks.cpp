// Carries the messages of ranks by MPI.
#include <clwave/mpi.hpp>

#include <array>
#include <limits>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include <clwave/error.hpp>

namespace clwave {

// The communicator, and what MPI may still read: a send that came to no end.
struct mpi_ranks::state {
  MPI_Comm own = MPI_COMM_NULL;
  std::optional<deadline> wait_at_most = {};
  bool lost = false;

  void check(int code, const std::string& doing);
  // Until the request has ended, or for too long; then it is false.
  bool ended(MPI_Request& request, MPI_Status& status, std::uint32_t patience, const std::string& doing);
};

namespace {

constexpr int tag = 0;

[[noreturn]] void refuse(std::string_view message) {
  throw error(failure::bad_call, message, CL_SUCCESS, {.primitive = "mpi_ranks"});
}

std::string seconds(std::chrono::milliseconds time) {
  std::string text = std::to_string(time.count() / 1000);
  if (const auto rest = time.count() % 1000; rest != 0) text += "." + std::to_string(1000 + rest).substr(1);
  return text + " s";
}

int count_of(std::size_t n_bytes) {
  if (n_bytes <= static_cast<std::size_t>(std::numeric_limits<int>::max())) return static_cast<int>(n_bytes);
  throw error(failure::bad_call, "a message has more bytes than MPI counts: " + std::to_string(n_bytes));
}

std::chrono::milliseconds limit_of(std::chrono::milliseconds deadline, std::uint32_t patience) {
  return deadline + patience * deadline / 4;
}

}  // namespace

void mpi_ranks::state::check(int code, const std::string& doing) {
  if (code == MPI_SUCCESS) return;
  lost = true;
  std::array<char, MPI_MAX_ERROR_STRING + 1> text{};
  int length = 0;
  MPI_Error_string(code, text.data(), &length);
  throw error(failure::driver, "MPI could not " + doing + ": " + text.data());
}

bool mpi_ranks::state::ended(MPI_Request& request, MPI_Status& status, std::uint32_t patience,
                             const std::string& doing) {
  if (!wait_at_most) {
    check(MPI_Wait(&request, &status), doing);
    return true;
  }
  const auto end = std::chrono::steady_clock::now() + limit_of(*wait_at_most, patience);
  for (;;) {
    int is_done = 0;
    check(MPI_Test(&request, &is_done, &status), doing);
    if (is_done != 0) return true;
    if (std::chrono::steady_clock::now() >= end) return false;
    std::this_thread::yield();
  }
}

mpi_ranks::mpi_ranks(MPI_Comm communicator, std::optional<deadline> wait_at_most)
    : state_(std::make_unique<state>()) {
  int is_begun = 0, is_over = 0, is_between_two = 0;
  MPI_Initialized(&is_begun);
  MPI_Finalized(&is_over);
  if (is_begun == 0 || is_over != 0) refuse("MPI is not initialised, or is finalised");
  MPI_Comm_test_inter(communicator, &is_between_two);
  if (is_between_two != 0) refuse("an intercommunicator has two groups of ranks");
  if (wait_at_most && wait_at_most->count() <= 0) refuse("the deadline is 0 or less");
  state_->wait_at_most = wait_at_most;
  state_->check(MPI_Comm_dup(communicator, &state_->own), "duplicate the communicator");
  MPI_Comm_set_errhandler(state_->own, MPI_ERRORS_RETURN);
  int rank = 0, size = 0;
  MPI_Comm_rank(state_->own, &rank);
  MPI_Comm_size(state_->own, &size);
  rank_ = static_cast<std::uint32_t>(rank);
  size_ = static_cast<std::uint32_t>(size);
}

mpi_ranks::~mpi_ranks() {
  int is_over = 0;
  MPI_Finalized(&is_over);
  if (!state_->lost && is_over == 0) MPI_Comm_free(&state_->own);
}

void mpi_ranks::send(std::uint32_t to, std::span<const std::byte> message, std::uint32_t patience) {
  const std::string doing = "send to rank " + std::to_string(to);
  // What is sent in vain may be read by MPI as long as the process lives, so that then nobody frees it.
  std::unique_ptr<std::vector<std::byte>> copy;
  if (state_->wait_at_most) {
    copy = std::make_unique<std::vector<std::byte>>(message.begin(), message.end());
    message = *copy;
  }
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Status status;
  state_->check(MPI_Isend(message.data(), count_of(message.size()), MPI_BYTE, static_cast<int>(to), tag,
                          state_->own, &request),
                doing);
  if (state_->ended(request, status, patience, doing)) return;
  static_cast<void>(copy.release());
  state_->lost = true;
  throw error(failure::driver, "rank " + std::to_string(to) + " of " + std::to_string(size_) +
                                   " did not take a message of rank " + std::to_string(rank_) + " within " +
                                   seconds(limit_of(*state_->wait_at_most, patience)));
}

std::size_t mpi_ranks::receive(std::uint32_t from, std::span<std::byte> into, std::uint32_t patience) {
  const std::string doing = "receive from rank " + std::to_string(from);
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Status status;
  state_->check(MPI_Irecv(into.data(), count_of(into.size()), MPI_BYTE, static_cast<int>(from), tag,
                          state_->own, &request),
                doing);
  if (!state_->ended(request, status, patience, doing)) {
    // It may have come after all.
    int is_cancelled = 0;
    MPI_Cancel(&request);
    state_->check(MPI_Wait(&request, &status), doing);
    MPI_Test_cancelled(&status, &is_cancelled);
    if (is_cancelled != 0) {
      state_->lost = true;
      throw error(failure::driver, "rank " + std::to_string(from) + " of " + std::to_string(size_) +
                                       " did not answer rank " + std::to_string(rank_) + " within " +
                                       seconds(limit_of(*state_->wait_at_most, patience)));
    }
  }
  int n_bytes = 0;
  MPI_Get_count(&status, MPI_BYTE, &n_bytes);
  return static_cast<std::size_t>(n_bytes);
}

}  // namespace clwave
