// Finds drivers as the two usual ICD loaders of Linux do, ocl-icd and Khronos's.
#include "drivers/drivers.hpp"

#include <algorithm>
#include <climits>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <sstream>
#include <system_error>

#include <unistd.h>

#include <clwave/error.hpp>

#include "base/environment.hpp"
#include "system/system.hpp"

namespace clwave::tool {
namespace {

namespace fs = std::filesystem;

std::string value_of_variable(const char* name) {
  const char* value = detail::environment(name);
  return value != nullptr ? value : "";
}

// The text of the loaded libOpenCL: which variables a loader reads differs with its kind and its
// version, and it asks for none of them that it does not name.
const std::string& loader_image() {
  static const std::string image = [] {
    std::ifstream file(file_of_loader(), std::ios::binary);
    return std::string(std::istreambuf_iterator<char>(file), {});
  }();
  return image;
}

// An unreadable or linked-in loader is taken to read everything.
bool loader_reads(std::string_view name) {
  return loader_image().empty() || loader_image().find(name) != std::string::npos;
}

void add(std::vector<driver>& drivers, std::string library, std::string named_by) {
  const auto same = [&](const driver& d) { return d.library == library; };
  if (!library.empty() && std::none_of(drivers.begin(), drivers.end(), same))
    drivers.push_back({std::move(library), std::move(named_by)});
}

void add_icd_file(std::vector<driver>& drivers, const fs::path& path) {
  // Opening a pipe waits for its writer, and reading a device may never end: of this process, and of every
  // loader. A folder, and what cannot be opened, they pass over.
  const std::optional<file_facts> facts = facts_of_file(path.string());
  std::error_code failed;
  if (!facts || fs::is_directory(path, failed)) return;
  if (!facts->kind.empty()) {
    drivers.push_back({"", path.string(), "is " + facts->kind + ", on which a loader hangs"});
    return;
  }
  const detail::file_descriptor file = open_to_read(path.string());
  std::string line(PATH_MAX, '\0');
  const std::ptrdiff_t got = file ? file.read_some(line.data(), line.size()) : 0;
  line.resize(got > 0 ? static_cast<std::size_t>(got) : 0);
  line.resize(std::min(line.size(), line.find('\n')));
  const auto is_blank = [](char c) { return c == ' ' || c == '\t' || c == '\r'; };
  while (!line.empty() && is_blank(line.back())) line.pop_back();
  add(drivers, line, path.string());
}

void add_folder(std::vector<driver>& drivers, const fs::path& folder) {
  std::vector<fs::path> files;
  std::error_code failed;
  for (const auto& entry : fs::directory_iterator(folder, failed)) {
    if (entry.path().extension() == ".icd") files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  for (const fs::path& file : files) add_icd_file(drivers, file);
}

}  // namespace

std::vector<driver> list_drivers() {
  // An old loader cannot be told to load one driver alone, so its drivers are visited all together.
  if (!loader_reads("OCL_ICD_VENDORS")) return {{"", "the loader's own search"}};
  std::vector<driver> drivers;
  if (loader_reads("OCL_ICD_FILENAMES")) {
    std::istringstream names(value_of_variable("OCL_ICD_FILENAMES"));
    for (std::string name; std::getline(names, name, ':');) add(drivers, name, "OCL_ICD_FILENAMES");
  }

  const bool is_ocl_icd = loader_reads("OPENCL_VENDOR_PATH");
  std::string standard = "/etc/OpenCL/vendors";
  if (const std::string other = value_of_variable("OPENCL_VENDOR_PATH"); is_ocl_icd && !other.empty())
    standard = other;
  const std::string vendors = value_of_variable("OCL_ICD_VENDORS");
  std::error_code failed;
  if (vendors.empty()) {
    add_folder(drivers, standard);
  } else if (fs::is_directory(vendors, failed)) {
    add_folder(drivers, vendors);
  } else if (is_ocl_icd && vendors.ends_with(".icd")) {
    const bool in_standard =
        vendors.find('/') == std::string::npos && fs::exists(fs::path(standard) / vendors, failed);
    add_icd_file(drivers, in_standard ? fs::path(standard) / vendors : fs::path(vendors));
  } else if (is_ocl_icd) {
    add(drivers, vendors, "OCL_ICD_VENDORS");  // the library itself
  }
  if (drivers.empty()) drivers.push_back({"", "the loader's own search"});
  return drivers;
}

vendors_folder::vendors_folder(const std::vector<driver>& drivers) {
  std::error_code failed;
  fs::path base = fs::temp_directory_path(failed);
  if (failed) base = "/tmp";
  leftovers change;
  std::string name = (base / "clwave-vendors-XXXXXX").string();
  if (mkdtemp(name.data()) == nullptr)
    throw error(failure::internal, "could not make a temporary folder in " + base.string(), CL_SUCCESS,
                {.advice = "set TMPDIR to a folder that can be written to"});
  path_ = name;
  change.add(name);
  for (std::size_t i = 0; i < drivers.size(); ++i) {
    // Numbers with leading zeros, so that a loader that sorts keeps the order.
    const fs::path icd = path_ / (std::to_string(1000 + i).substr(1) + ".icd");
    std::ofstream file(icd);
    file << drivers[i].library << '\n';
    change.add(icd.string());
    if (!file.flush()) {
      fs::remove_all(path_, failed);
      change.forget(name);
      throw error(failure::internal, "could not write to " + path_.string());
    }
  }
}

vendors_folder::~vendors_folder() {
  leftovers change;
  std::error_code failed;  // a folder left behind is no reason to fail
  fs::remove_all(path_, failed);
  change.forget(path_.string());
}

}  // namespace clwave::tool
