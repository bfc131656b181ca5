// Lists whose entries register themselves, so that a file can be added without an edit of the others. For the
// tool and the tests: a linker takes a file out of an archive only where somebody asks for what is in it.
#pragma once

#include <map>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

namespace clwave::detail {

// The entries of one file. A file defines one such object, before main:
//     const registered<row> listed("copy", {...});
// and CMake's list of files, which names "copy", gives the order of the whole, because a linker may start
// files in any. Several files may register one name, as "reduce" and its further rows do: their entries then
// follow each other in either order.
template <class Entry>
class registered {
 public:
  registered(const std::string& file, const std::vector<Entry>& entries) {
    std::vector<Entry>& of_file = all()[file];
    of_file.insert(of_file.end(), entries.begin(), entries.end());
  }

  // `files` has the names of all, with spaces between them.
  static std::vector<Entry> in_order(const std::string& files) {
    std::vector<Entry> entries;
    std::istringstream names(files);
    for (std::string file; names >> file;) {
      const auto found = all().find(file);
      if (found == all().end()) throw std::logic_error(file + ".cpp registers nothing under its name");
      entries.insert(entries.end(), found->second.begin(), found->second.end());
    }
    return entries;
  }

 private:
  // Never destroyed: other objects' destructors may ask for it.
  static std::map<std::string, std::vector<Entry>>& all() {
    static auto& files = *new std::map<std::string, std::vector<Entry>>;
    return files;
  }
};

}  // namespace clwave::detail
