// Child processes: this program again, several side by side, each with a deadline; and other programs that
// answer problems.
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
  std::string answer;      // what it gave to answer_parent
  std::string noise;       // the end of what it, or a driver in it, wrote to stdout and stderr
  bool timed_out = false;  // and was killed
  int signal = 0;          // that ended it, or 0; on Windows the exception
  int status = 0;          // its exit status
};

// Of such a child: writes to its parent, on a descriptor that drivers do not know, since they print to stdout
// as they please. Started by hand, the child has no parent to answer, and it goes to out(). The first call
// must come before the first driver is loaded. Ends the process if nobody reads.
void answer_parent(const std::string& text);

// "Segmentation fault (signal 11)", "exception 0xC0000005".
std::string signal_text(int signal);

// Runs all tasks at the same time. A child still there after `deadline_s` is killed, with everything it
// started. `what`, if given, is shown while it takes long.
std::vector<child_end> run_children(const std::vector<child_task>& tasks, double deadline_s,
                                    const std::string& what = {});

// Another program, which is asked and answers in lines, one for one, on its standard input and output. Not on
// Windows.
class line_program {
 public:
  // Throws clwave::error (internal) if no process can be made.
  line_program(const std::string& path, std::vector<std::string> arguments);
  // The program ends by itself when its input does; a second later it is killed.
  ~line_program();
  line_program(const line_program&) = delete;
  line_program& operator=(const line_program&) = delete;

  // Throws clwave::error (driver) if it is gone or hangs: it is ended then.
  std::string ask(const std::string& problem, double patience_s);

 private:
  void stop();
  int process_ = -1;  // -1: it has ended
  int socket_ = -1;
  std::string name_, buffered_;
};

}  // namespace clwave::tool
