// What is said where OpenCL platforms list no device, as rusticl does without its variable and PoCL without a
// folder that it may write to.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace clwave::detail {

// Why a platform of that name usually has none, a sentence without its end.
std::string_view usual_reason_for_no_device(std::string_view platform_name);

// "the platform rusticl lists no device: rusticl shows ..."
std::string text_of_empty_platform(const std::string& name);

// "this user may not open /dev/kfd, ..."; empty where there are none.
std::string text_of_closed_files(const std::vector<std::string>& files);

// An error's text and its advice where there is no device at all, but platforms of these names, and files of
// devices that this process may not open.
struct no_device_words {
  std::string what, advice;
};
no_device_words words_for_no_device(const std::vector<std::string>& platforms,
                                    const std::vector<std::string>& closed_files);

}  // namespace clwave::detail
