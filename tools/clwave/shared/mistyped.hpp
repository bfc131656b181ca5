// What a word on the command line that nobody knows was most likely meant to be.
#pragma once

#include <string>
#include <vector>

namespace CLI {
class App;
}  // namespace CLI

namespace clwave::tool {

// After a parse that failed: "unknown command \"inof\"; did you mean info?". Empty where every word was
// known.
std::string complaint_of_unknown_words(const CLI::App& app);

// The same for one option that `command` does not have, nor `more`.
std::string complaint_of_unknown_option(const CLI::App& command, const std::string& word,
                                        const std::vector<std::string>& more = {});

}  // namespace clwave::tool
