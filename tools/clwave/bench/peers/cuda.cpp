// Starts the helper program with CUDA's libraries and lets it measure, by the same rule and in turn.
#include "bench/peers/cuda.hpp"

#include <filesystem>

namespace clwave::tool::bench {
cuda_peers::cuda_peers(const laboratory& lab) {
  std::error_code code;
  const std::filesystem::path self = std::filesystem::read_symlink("/proc/self/exe", code);
  const std::filesystem::path path = self.parent_path() / "clwave_cuda_peers";
  if (!std::filesystem::exists(path, code)) {
    skip_ = "nvcc was not found when clwave was configured: there is no clwave_cuda_peers beside clwave";
    return;
  }
  try {
    // Its device is the one at this place on the bus.
    const std::vector<std::string> arguments = {lab.on.facts->pci.value_or("")};
    program_ = std::make_unique<line_program>(path.string(), arguments);
    const json hello = ask("hello");
    if (hello.contains("skip")) skip_ = hello["skip"].get<std::string>();
  } catch (const error& e) {
    skip_ = e.what();
    program_.reset();
  }
}

json cuda_peers::ask(const std::string& request) {
  constexpr double patience_s = 120;
  const auto fail = [&](const std::string& why) {
    return error(failure::driver, "clwave_cuda_peers: " + why + " (asked: " + request + ")");
  };
  if (!program_) throw fail(skip_);
  json answer = json::parse(program_->ask(request, patience_s), nullptr, false);
  if (!answer.is_object()) throw fail("answered something that is no JSON");
  if (answer.contains("error")) throw fail(answer["error"].get<std::string>());
  return answer;
}

contender cuda_contender(laboratory& lab, const std::string& row, const arrangement& at,
                         std::function<std::string(std::size_t place, const json& answer)> wrong) {
  cuda_peers& peers = lab.cuda();
  if (!peers.skip().empty()) return skipped(peers.skip());
  static unsigned count = 0;
  const std::string id = std::to_string(++count);
  const json made = peers.ask("prepare " + id + " " + row + " " + std::to_string(at.n) + " " +
                              std::to_string(at.stride) + " " + std::to_string(at.places));
  if (made.contains("skip")) return skipped(made["skip"].get<std::string>());
  contender c;
  c.keeps = std::shared_ptr<void>(nullptr, [&peers, id](void*) {
    try {
      peers.ask("release " + id);
    } catch (const std::exception&) {  // it is gone, and its memory with it
    }
  });
  c.remote = [&peers, id](clocked how, unsigned calls, std::size_t first) {
    const char* word = how == clocked::device ? "device" : how == clocked::enqueue ? "enqueue" : "blocking";
    const json taken =
        peers.ask("sample " + id + " " + word + " " + std::to_string(calls) + " " + std::to_string(first));
    return sample{.seconds = taken["seconds"], .lead_s = taken["lead"], .enqueue_s = taken["enqueue"]};
  };
  c.spoil = [&peers, id] { peers.ask("spoil " + id); };
  c.wrong = [&peers, id, wrong = std::move(wrong)](std::size_t place) {
    return wrong(place, peers.ask("result " + id + " " + std::to_string(place)));
  };
  return c;
}

contender cuda_counted(laboratory& lab, const std::string& row, const arrangement& at, double bytes) {
  contender c = cuda_contender(lab, row, at, [](std::size_t, const json& answer) -> std::string {
    const std::uint64_t wrong = answer["wrong"];
    return wrong == 0 ? "" : std::to_string(wrong) + " elements are wrong";
  });
  c.bytes = bytes;
  return c;
}

}  // namespace clwave::tool::bench
