// Runs this program again in child processes, side by side, each with a deadline.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace clwave::tool {

struct child_task {
  std::vector<std::string> arguments;                    // without the program's name
  std::vector<std::string> unset;                        // variables to take away
  std::vector<std::pair<std::string, std::string>> set;  // and to set
};

struct child_end {
  std::string answer;      // what it wrote to answer_descriptor
  std::string noise;       // the end of what it, or a driver in it, wrote to stdout and stderr
  bool timed_out = false;  // and was killed
  int signal = 0;          // that ended it, or 0
  int status = 0;          // its exit status
};

// Where a child writes its answer: drivers print to stdout as they please.
inline constexpr int answer_descriptor = 3;

// Runs all tasks at the same time. A child still there after `deadline_s` is killed, with everything it
// started.
std::vector<child_end> run_children(const std::vector<child_task>& tasks, double deadline_s);

}  // namespace clwave::tool
