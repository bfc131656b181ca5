// Rows of the first calls of a new process, from main to the value, and where that time goes.
#include <chrono>
#include <cstring>
#include <filesystem>
#include <numeric>

#include <unistd.h>

#include <clwave/copy.hpp>
#include <clwave/reduce.hpp>

#include "bench/bench.hpp"
#include "call/context_entry.hpp"
#include "program/program.hpp"
#include "shared/children.hpp"

namespace clwave::tool::bench {
namespace rows_of_first_call {
namespace {

namespace fs = std::filesystem;

// A folder for all caches that a build can be found in: clwave's and the drivers' own.
class cache_folder {
 public:
  cache_folder() {
    std::string name = (fs::temp_directory_path() / "clwave-first-call-XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr)
      throw error(failure::internal, "could not make a temporary folder for the caches");
    path_ = name;
  }
  ~cache_folder() { clear(); }
  cache_folder(const cache_folder&) = delete;
  cache_folder& operator=(const cache_folder&) = delete;
  void clear() {
    std::error_code ignored;  // a folder left behind is no reason to fail
    fs::remove_all(path_, ignored);
  }
  std::vector<std::pair<std::string, std::string>> variables() const {
    std::vector<std::pair<std::string, std::string>> all;
    for (const char* name : {"CLWAVE_CACHE_DIR", "POCL_CACHE_DIR", "CUDA_CACHE_PATH", "XDG_CACHE_HOME"}) {
      const fs::path folder = path_ / name;
      fs::create_directories(folder);
      fs::permissions(folder, fs::perms::owner_all);
      all.emplace_back(name, folder.string());
    }
    return all;
  }

 private:
  fs::path path_;
};

// One new process, which answers with its parts' seconds.
json run_child(const std::string& place, const std::string& who, const cache_folder& caches) {
  child_task task{
      .arguments = {"bench", "--first-call=" + who, "-d", place}, .unset = {}, .set = caches.variables()};
  const child_end end = run_children({std::move(task)}, 120).front();
  json answer = json::parse(end.answer, nullptr, false);
  if (!answer.is_object() || end.status != exit_ok || end.signal != 0)
    throw error(failure::internal,
                "the new process gave no answer: " + end.noise.substr(0, end.noise.find('\n')));
  return answer;
}

// The new processes of one contender, cold or warm. Rows that count different parts of them share them: the
// k-th sample of each is of the k-th process.
class processes {
 public:
  processes(const laboratory& lab, std::string who, bool cold)
      : place_(std::to_string(lab.on.facts->platform_index) + ":" +
               std::to_string(lab.on.facts->device_index)),
        who_(std::move(who)),
        cold_(cold) {}

  const json& answer(std::size_t k) {
    while (answers_.size() <= k) {
      if (cold_)
        caches_.clear();
      else if (answers_.empty())
        run_child(place_, who_, caches_);  // fills the caches
      answers_.push_back(run_child(place_, who_, caches_));
    }
    return answers_[k];
  }
  std::size_t size() const { return answers_.size(); }

 private:
  std::string place_, who_;
  bool cold_;
  cache_folder caches_;
  std::vector<json> answers_;
};

// `counted`: which of the child's times is the row's.
contender new_process(const std::shared_ptr<processes>& all, const std::string& counted) {
  contender c;
  c.found = std::make_shared<std::map<std::string, double>>();
  const auto failed = std::make_shared<std::string>();
  const auto n = std::make_shared<std::size_t>(0);
  c.call = [=, found = c.found](std::size_t) {
    const json& last = all->answer((*n)++);
    if (!last["right"].get<bool>()) *failed = "a result was wrong";
    for (const auto& [name, value] : last.items()) {
      if (!value.is_number()) continue;
      std::vector<double> values;
      for (std::size_t k = 0; k < *n; ++k) values.push_back(all->answer(k)[name].get<double>());
      // Seconds are shown in ms; counts as they are.
      const bool is_time = name.ends_with("_s");
      const std::string shown = is_time ? name.substr(0, name.size() - 1) + "ms" : name;
      (*found)[shown] = median(values) * (is_time ? 1e3 : 1);
      if (name == counted) (*found)["seconds"] = median(values);
    }
  };
  c.wrong = [failed](std::size_t) { return *failed; };
  return c;
}

// --- In the new process -------------------------------------------------------------------------------
constexpr std::size_t n = 1024, many = 1 << 20;
constexpr float right_sum = n * (n - 1) / 2.0f;

// Takes the time since the part before ended.
class parts {
 public:
  void end(const char* name) {
    const double now = seconds_since_main();
    record[name] = now - before_;
    before_ = now;
  }
  json record;

 private:
  double before_ = 0;
};

// What a program of the user's own does before its first call: a device, a context, a queue, data.
struct prepared {
  explicit prepared(const std::string& selector, parts& time) {
    time.end("start_s");  // words and options
    const device_place& place = place_of(select_device(selector));
    time.end("list_s");
    const ready_device made(place);
    device = place.device;
    context = made.context;
    queue = made.queue;
    cl_int code = CL_SUCCESS;
    data = cl::Buffer(context, CL_MEM_READ_WRITE, many * sizeof(float), nullptr, &code);
    detail::check(code, "make a buffer");
    out = cl::Buffer(context, CL_MEM_READ_WRITE, many * sizeof(float), nullptr, &code);
    detail::check(code, "make a buffer");
    std::vector<float> values(many);
    std::iota(values.begin(), values.begin() + n, 0.0f);
    detail::check(queue.enqueueWriteBuffer(data, CL_TRUE, 0, many * sizeof(float), values.data()), "write");
    time.end("context_s");
  }
  float value(std::size_t at = 0) const {
    float read = 0;
    detail::check(queue.enqueueReadBuffer(out, CL_TRUE, at * sizeof read, sizeof read, &read), "read");
    return read;
  }
  cl_device_id device;
  cl::Context context;
  cl::CommandQueue queue;
  cl::Buffer data, out;
};

// Until the first value is there, without what every program of the user's own has: the driver's part of a
// context.
void end_first(parts& time) {
  time.record["total_s"] = seconds_since_main();
  time.record["result_s"] = seconds_since_main() - time.record["context_s"].get<double>();
}

json call_clwave(const std::string& selector) {
  parts time;
  const prepared on(selector, time);
  const view<float> few{on.data, n}, all{on.data, many}, out{on.out, 1}, all_out{on.out, many};
  // What a call finds out of the device, before anything else.
  detail::entry_of(on.context())->device(on.device).facts_for_calls();
  time.end("facts_s");
  // Enqueued and read apart, so that the program's part shows; a blocking call does the same.
  reduce(on.queue, few, out, plus, no_event);
  time.end("program_s");
  bool right = on.value() == right_sum;
  time.end("launch_s");
  end_first(time);
  const detail::program_counts counts = detail::count_programs();
  right &= reduce(on.queue, few) == right_sum;
  time.end("second_call_s");
  right &= reduce(on.queue, few, clwave::max) == n - 1.0f;
  time.end("second_program_s");
  right &= reduce(on.queue, all) == right_sum;
  time.end("large_sum_s");
  copy(on.queue, all, all_out, {.with_event = false});
  right &= on.value(n - 1) == n - 1.0f;
  time.end("copy_s");
  time.record["right"] = right;
  time.record["built"] = counts.built;
  time.record["from_disk"] = counts.from_disk;
  return time.record;
}

// A trivial kernel of one's own: one work-item adds everything.
json call_opencl(const std::string& selector) {
  parts time;
  const prepared on(selector, time);
  cl_int code = CL_SUCCESS;
  const auto run = [&](const std::string& step) {
    const cl::Program program(on.context,
                              "kernel void fold(global const float* x, uint n, global float* out) {\n"
                              "  float value = 0;\n"
                              "  for (uint i = 0; i < n; ++i) " +
                                  step + ";\n  *out = value;\n}\n",
                              false, &code);
    detail::check(code, "make a program");
    detail::check(program.build(), "build a program");
    cl::Kernel kernel(program, "fold", &code);
    detail::check(code, "make a kernel");
    detail::check(kernel.setArg(0, on.data), "set an argument");
    detail::check(kernel.setArg(1, cl_uint{n}), "set an argument");
    detail::check(kernel.setArg(2, on.out), "set an argument");
    return kernel;
  };
  const auto launch = [&](const cl::Kernel& kernel) {
    detail::check(on.queue.enqueueNDRangeKernel(kernel, cl::NullRange, cl::NDRange(1), cl::NDRange(1)),
                  "launch");
    return on.value();
  };
  const cl::Kernel sum = run("value += x[i]");
  time.end("program_s");
  bool right = launch(sum) == right_sum;
  time.end("launch_s");
  end_first(time);
  right &= launch(sum) == right_sum;
  time.end("second_call_s");
  right &= launch(run("value = fmax(value, x[i])")) == n - 1.0f;
  time.end("second_program_s");
  time.record["right"] = right;
  return time.record;
}

void add_groups(laboratory& lab, std::vector<group>& all) {
  for (const bool cold : {true, false}) {
    const std::string state = cold ? "cold" : "warm";
    const std::string caches = cold ? "all caches empty" : "what was built before is in the caches";
    group process;
    process.how = clocked::itself;
    process.samples = 11;
    const auto own = std::make_shared<processes>(lab, "clwave", cold);
    const auto opencl = std::make_shared<processes>(lab, "opencl", cold);
    const auto add = [&](const std::string& what, const char* counted, const std::shared_ptr<processes>& of,
                         const std::string& sentence) {
      process.rows.push_back({what + (of == own ? "/clwave" : "/opencl") + "/host", sentence + "; " + caches,
                              [of, counted] { return new_process(of, counted); }});
    };
    add("reduce/first-call-" + state + "/f32/1024", "result_s", own,
        "a new process from main to the value of its first clwave::reduce, without the making of its "
        "context, and "
        "the parts of that time");
    add("reduce/first-call-" + state + "/f32/1024", "result_s", opencl,
        "a new process from main to the value of a trivial kernel of its own, without the making of its "
        "context, "
        "and the parts of that time");
    add("reduce/second-program-" + state + "/f32/1024", "second_program_s", own,
        "in that process, the first blocking clwave::reduce with another operator");
    add("reduce/second-program-" + state + "/f32/1024", "second_program_s", opencl,
        "in that process, another trivial kernel");
    add("reduce/further-program-" + state + "/f32/1048576", "large_sum_s", own,
        "in that process, the first sum of many elements");
    add("copy/further-program-" + state + "/f32/1048576", "copy_s", own, "in that process, the first copy");
    all.push_back(std::move(process));
  }
}

// What the rows are held against: on a GPU an H200's figures, on a CPU PoCL's.
const registered_rows listed(
    "first_call",
    {{.add = add_groups,
      .goals = {// A new process, nothing in the caches and everything.
                {where::gpu, "reduce/first-call-cold/f32/1024/clwave/host", measure_of::seconds, "", 0.400},
                {where::gpu, "(reduce|copy)/(second|further)-program-cold/f32/(\\d+)/clwave/host",
                 measure_of::seconds, "", 0.150},
                {where::gpu, "reduce/first-call-warm/f32/1024/clwave/host", measure_of::seconds, "", 0.020},
                {where::cpu, "reduce/first-call-cold/f32/1024/clwave/host", measure_of::seconds, "", 0.700},
                {where::cpu, "(reduce|copy)/(second|further)-program-cold/f32/(\\d+)/clwave/host",
                 measure_of::seconds, "", 0.350},
                {where::cpu, "reduce/first-call-warm/f32/1024/clwave/host", measure_of::seconds, "", 0.060},
                // Against a trivial kernel of one's own.
                {where::any, "reduce/first-call-(cold|warm)/f32/1024/clwave/host", measure_of::excess,
                 "reduce/first-call-$1/f32/1024/opencl/host", 0.100},
                {where::any, "reduce/second-program-warm/f32/1024/clwave/host", measure_of::excess,
                 "reduce/second-program-warm/f32/1024/opencl/host", 0.010}}}});

}  // namespace
}  // namespace rows_of_first_call

int first_call_child(const std::string& who, const std::string& selector) {
  const json answer =
      who == "opencl" ? rows_of_first_call::call_opencl(selector) : rows_of_first_call::call_clwave(selector);
  answer_parent(answer.dump());
  return exit_ok;
}

}  // namespace clwave::tool::bench
