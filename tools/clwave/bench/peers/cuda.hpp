// The helper program clwave_cuda_peers: CUDA's own libraries, in a process of their own, so that clwave
// never links them.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "bench/bench.hpp"
#include "shared/children.hpp"

namespace clwave::tool::bench {

// Speaks with the helper in lines: a request of words, an answer in JSON.
class cuda_peers {
 public:
  // Starts it. If it cannot be, `skip()` says why.
  explicit cuda_peers(const laboratory& lab);

  const std::string& skip() const { return skip_; }
  // Throws clwave::error if the helper answers with an error, or not at all.
  json ask(const std::string& request);

 private:
  std::string skip_;
  std::unique_ptr<line_program> program_;
};

// A row that the helper measures; `wrong` says what is wrong with its answer to "result". Skipped where the
// helper is not there or has no such row.
contender cuda_contender(laboratory& lab, const std::string& row, const arrangement& at,
                         std::function<std::string(std::size_t place, const json& answer)> wrong);

// One of which the helper itself counts what is wrong.
contender cuda_counted(laboratory& lab, const std::string& row, const arrangement& at, double bytes);

}  // namespace clwave::tool::bench
