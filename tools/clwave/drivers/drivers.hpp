// The OpenCL drivers (ICDs) that the loader would load, and a private folder that makes it load others.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace clwave::tool {

struct driver {
  std::string library;       // what the loader opens; empty: whatever the loader itself finds
  std::string named_by;      // the .icd file or the environment variable
  std::string trouble = {};  // why the loader must not be let near that file; the library is then empty
};

// In the order of the loader's own search, each library once. Where none is listed, one driver with an
// empty library: a libOpenCL that is itself a driver needs no list.
std::vector<driver> list_drivers();

// A temporary folder of .icd files. Set as OCL_ICD_VENDORS, it is all the loader finds. Removed with
// the object.
class vendors_folder {
 public:
  explicit vendors_folder(const std::vector<driver>& drivers);
  ~vendors_folder();
  vendors_folder(const vendors_folder&) = delete;
  vendors_folder& operator=(const vendors_folder&) = delete;
  // As a value of OCL_ICD_VENDORS. The slash at its end matters: Khronos's loader puts file names right
  // behind it (seen with CUDA 13.0's libOpenCL).
  std::string variable() const { return path_.string() + "/"; }

 private:
  std::filesystem::path path_;
};

// The variables that must go when OCL_ICD_VENDORS is to be the only one heard.
inline constexpr const char* other_loader_variables[] = {"OCL_ICD_FILENAMES", "OPENCL_VENDOR_PATH"};

}  // namespace clwave::tool
