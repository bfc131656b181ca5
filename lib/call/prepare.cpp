// Builds the programs of problems, in threads.
#include <clwave/prepare.hpp>

#include <algorithm>
#include <array>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <string>
#include <thread>

#include <clwave/error.hpp>

#include "base/forked.hpp"
#include "base/opencl.hpp"
#include "call/context_entry.hpp"
#include "call/description.hpp"
#include "call/execute.hpp"

namespace clwave::detail {
namespace {

constexpr std::string_view prepare_name = "prepare";

bool is_of_context(cl_device_id device, cl_context context) {
  std::size_t n_bytes = 0;
  cl_int code = clGetContextInfo(context, CL_CONTEXT_DEVICES, 0, nullptr, &n_bytes);
  if (code != CL_SUCCESS) no_answer(code, prepare_name, "the context", "context");
  std::vector<cl_device_id> all(n_bytes / sizeof device);
  code = clGetContextInfo(context, CL_CONTEXT_DEVICES, n_bytes, all.data(), nullptr);
  if (code != CL_SUCCESS) no_answer(code, prepare_name, "the context", "context");
  return std::ranges::find(all, device) != all.end();
}

// Builds what a call of the problem would, by the same steps (fit in execute.hpp).
void build_for(const any_problem& problem, const call_site& site) {
  target on = site.on;
  for (;;) {
    const call_plan plan = problem.plan(
        {.facts = on.facts, .choice = {on.choice, ""}, .group_limit = on.group_limit, .with_source = false});
    if (plan.program == nullptr) return;  // no launches
    try {
      const auto code = get_program(site, on, plan.program->key, [&] { return plan.program->spec; });
      if (runs_as_described(on, site.device, *code, plan.kernels)) return;
    } catch (const error& trouble) {
      if (built_without_marks(on, site.device, trouble) || built_for_other_lanes(on, site.device, trouble) ||
          built_by_wrong_facts(on, site, trouble))
        continue;
      throw;
    }
  }
}

}  // namespace

class preparation_state {
 public:
  preparation_state(cl_context context, cl_device_id device, std::vector<any_problem> calls)
      : kept_(entry_of(context)), device_(device), calls_(std::move(calls)), ends_(calls_.size()) {}
  ~preparation_state() { end(); }

  // So many threads, or as many as the system gives: where it gives none, the caller builds.
  void begin(unsigned n_threads) {
    for (unsigned k = 0; k < n_threads; ++k) {
      try {
        threads_.emplace_back([this] { work(); });
      } catch (const std::system_error&) {
        break;
      }
    }
    if (threads_.empty()) work();
  }

  void wait(std::size_t call) const {
    refuse_forked_child(prepare_name);
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return ends_[call].done; });
    if (ends_[call].trouble) std::rethrow_exception(ends_[call].trouble);
  }
  std::size_t calls() const { return calls_.size(); }
  std::size_t done() const {
    const std::lock_guard lock(mutex_);
    return n_done_;
  }

  void end() noexcept {
    if (is_forked_child()) return;  // the threads are the parent's
    {
      const std::lock_guard lock(mutex_);
      given_up_ = true;
    }
    for (std::thread& each : threads_) each.join();
    threads_.clear();
  }

 private:
  struct end_of_call {
    bool done = false;
    std::exception_ptr trouble;
  };

  void work() noexcept {
    for (;;) {
      std::size_t call = 0;
      {
        const std::lock_guard lock(mutex_);
        if (given_up_ || next_ == calls_.size()) return;
        call = next_++;
      }
      std::exception_ptr trouble;
      try {
        if (kept_->is_released())
          refuse(prepare_name, "the context was released before the program was begun");
        build_for(calls_[call], site_on(kept_, device_));
      } catch (...) {
        trouble = std::current_exception();
      }
      const std::lock_guard lock(mutex_);
      ends_[call] = {true, std::move(trouble)};
      ++n_done_;
      changed_.notify_all();
    }
  }

  const std::shared_ptr<context_entry> kept_;
  const cl_device_id device_;
  const std::vector<any_problem> calls_;
  mutable std::mutex mutex_;
  mutable std::condition_variable changed_;
  std::size_t next_ = 0, n_done_ = 0;
  bool given_up_ = false;
  std::vector<end_of_call> ends_;
  std::vector<std::thread> threads_;
};

std::shared_ptr<preparation_state> prepare(cl_context context, cl_device_id device,
                                           std::vector<any_problem> calls, const prepare_options& options) {
  if (context == nullptr) refuse(prepare_name, "the context is null");
  if (device == nullptr) refuse(prepare_name, "the device is null");
  refuse_forked_child(prepare_name);
  devices();  // discovery before any other call: PoCL's first calls race
  if (!is_of_context(device, context)) refuse(prepare_name, "the device is none of the context's");
  const unsigned wanted =
      options.threads != 0 ? options.threads : std::max(std::thread::hardware_concurrency(), 1u);
  const auto n_threads = static_cast<unsigned>(std::min<std::size_t>(wanted, calls.size()));
  // In a forked child it stays: threads, locks and the context are the parent's.
  const auto end = [](preparation_state* state) {
    if (!is_forked_child()) delete state;
  };
  std::shared_ptr<preparation_state> state(new preparation_state(context, device, std::move(calls)), end);
  state->begin(n_threads);
  return state;
}

void wait_for_preparation(const preparation_state& state) {
  // All of them first, so that none still builds when the first trouble is told.
  std::exception_ptr first;
  for (std::size_t call = 0; call < state.calls(); ++call) {
    try {
      state.wait(call);
    } catch (...) {
      if (!first) first = std::current_exception();
    }
  }
  if (first) std::rethrow_exception(first);
}

void wait_for_preparation(const preparation_state& state, std::size_t call) {
  if (call >= state.calls())
    refuse(prepare_name, "there are " + std::to_string(state.calls()) + " calls, and none is number " +
                             std::to_string(call));
  state.wait(call);
}

std::size_t prepared_calls(const preparation_state& state) { return state.done(); }

void end_preparation(preparation_state& state) noexcept { state.end(); }

}  // namespace clwave::detail
