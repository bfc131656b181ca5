// Asks for properties, and reads the bytes of the answers.
#include "drivers/properties.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <sstream>

#include "base/opencl.hpp"

#include <clwave/device.hpp>

#include "drivers/property_table.hpp"

namespace clwave::tool {
namespace {

using bytes = std::vector<unsigned char>;

constexpr const char* of_offline = "CL_CONTEXT_OFFLINE_DEVICES_AMD";
constexpr const char* of_null_platform[] = {"clGetPlatformInfo(NULL)", "clGetDeviceIDs(NULL)",
                                            "clCreateContext(NULL)", "clCreateContextFromType(NULL)"};
constexpr const char* of_kernel = "CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE";

// What the loader answers; ocl-icd made these up, and Khronos's loader has taken them over.
struct loader_row {
  cl_uint number;
  const char* name;
};
constexpr loader_row of_loader[] = {
    {3, "CL_ICDL_NAME"}, {4, "CL_ICDL_VENDOR"}, {2, "CL_ICDL_VERSION"}, {1, "CL_ICDL_OCL_VERSION"}};

// "0x1F" as the format says.
std::string formatted(const char* format, unsigned long long number) {
  char text[32] = {};
  std::snprintf(text, sizeof text, format, number);
  return text;
}

std::string hex_text(cl_ulong number) { return formatted("0x%llx", number); }

cl_ulong integer_of(const unsigned char* data, std::size_t size) {
  cl_ulong number = 0;
  std::memcpy(&number, data, std::min(size, sizeof number));
  return number;
}

std::string text_of(const bytes& answer) {
  return {answer.begin(), std::find(answer.begin(), answer.end(), 0)};
}

std::vector<std::string> split(const std::string& text, char at) {
  std::vector<std::string> words;
  std::istringstream parts(text);
  for (std::string word; std::getline(parts, word, at);)
    if (!word.empty()) words.push_back(word);
  return words;
}

struct reading_of {
  json value;
  std::string text;
};

reading_of list_of_text(const std::vector<std::string>& words, const char* between) {
  return {json(words), joined(words, between)};
}

reading_of numbers_of(const bytes& answer, std::size_t each) {
  json numbers = json::array();
  std::vector<std::string> words;
  for (std::size_t at = 0; at + each <= answer.size(); at += each) {
    numbers.push_back(integer_of(answer.data() + at, each));
    words.push_back(numbers.back().dump());
  }
  return {std::move(numbers), joined(words)};
}

reading_of read_versions(const bytes& answer) {
  json list = json::array();
  std::vector<std::string> words;
  for (std::size_t at = 0; at + sizeof(cl_name_version) <= answer.size(); at += sizeof(cl_name_version)) {
    cl_name_version each;
    std::memcpy(&each, answer.data() + at, sizeof each);
    const std::string name(each.name, strnlen(each.name, sizeof each.name));
    words.push_back(name + ":" + hex_text(each.version));
    list.push_back(words.back());
  }
  return {std::move(list), joined(words)};
}

// The names of a sum's bits, and the rest, which no name is known of, as a number.
reading_of read_bits(cl_ulong sum, std::span<const named_number> names) {
  std::vector<std::string> words;
  for (const named_number& each : names) {
    if ((sum & each.number) == 0) continue;
    words.emplace_back(each.name);
    sum &= ~each.number;
  }
  if (sum != 0) words.push_back(hex_text(sum));
  return list_of_text(words, " | ");
}

std::string name_of_value(cl_ulong value, std::span<const named_number> names) {
  const auto found = std::ranges::find(names, value, &named_number::number);
  return found == names.end() ? hex_text(value) : std::string(found->name);
}

// Lists of handles are of 4 bytes each, lists of partition properties of 8.
reading_of read_choices(const bytes& answer, const property_row& row) {
  const bool narrow = row.name.ends_with("_KHR");
  const std::size_t each = narrow ? sizeof(cl_uint) : sizeof(cl_ulong);
  std::vector<std::string> words;
  for (std::size_t at = 0; at + each <= answer.size(); at += each) {
    const cl_ulong value = integer_of(answer.data() + at, each);
    if (value != 0) words.push_back(name_of_value(value, row.names));
  }
  reading_of list = list_of_text(words, " | ");
  if (words.empty() && !narrow) list.text = "CL_NONE";  // a device that cannot be cut
  return list;
}

// Hexadecimal digits, with a dash before each place in `dashes`.
reading_of read_digits(const bytes& answer, std::initializer_list<std::size_t> dashes) {
  std::string text;
  for (std::size_t i = 0; i < answer.size(); ++i) {
    if (std::ranges::find(dashes, i) != dashes.end()) text += '-';
    text += formatted("%02llx", answer[i]);
  }
  return {text, text};
}

reading_of read_pci_place(unsigned domain, unsigned bus, unsigned device, unsigned function) {
  char text[32] = {};
  std::snprintf(text, sizeof text, "PCI-E, %04x:%02x:%02x.%x", domain, bus, device, function);
  return {text, text};
}

reading_of read_queue_families(const bytes& answer) {
  constexpr std::size_t size = 88;  // properties, capabilities, count, a name of 64 bytes, padding
  std::vector<std::string> words;
  for (std::size_t at = 0; at + size <= answer.size(); at += size) {
    const char* name = reinterpret_cast<const char*>(answer.data() + at + 20);
    words.push_back(std::string(name, strnlen(name, 64)) + " (" +
                    std::to_string(integer_of(answer.data() + at + 16, 4)) + ")");
  }
  return list_of_text(words, " ");
}

reading_of read_as(const property_row& row, const bytes& answer) {
  const cl_ulong whole = integer_of(answer.data(), answer.size());
  switch (row.how) {
    case reading::text:
      return {text_of(answer), text_of(answer)};
    case reading::words:
      return list_of_text(split(text_of(answer), ' '), " ");
    case reading::semicolons:
      return list_of_text(split(text_of(answer), ';'), ";");
    case reading::number:
      return {whole, std::to_string(whole)};
    case reading::hex:
    case reading::version:
      return {whole, hex_text(whole)};
    case reading::flag:
      return {whole != 0, whole != 0 ? "CL_TRUE" : "CL_FALSE"};
    case reading::sizes:
      return numbers_of(answer, sizeof(std::size_t));
    case reading::words32:
      return numbers_of(answer, sizeof(cl_uint));
    case reading::named_versions:
      return read_versions(answer);
    case reading::bits:
      return read_bits(whole, row.names);
    case reading::choice:
      return {name_of_value(whole, row.names), name_of_value(whole, row.names)};
    case reading::choices:
      return read_choices(answer, row);
    case reading::uuid:
      return read_digits(answer, {4, 6, 8, 10});
    case reading::luid:
      return read_digits(answer, {2});
    case reading::pci_bus:
      if (answer.size() >= 16)
        return read_pci_place(static_cast<unsigned>(integer_of(answer.data(), 4)),
                              static_cast<unsigned>(integer_of(answer.data() + 4, 4)),
                              static_cast<unsigned>(integer_of(answer.data() + 8, 4)),
                              static_cast<unsigned>(integer_of(answer.data() + 12, 4)));
      break;
    case reading::topology:
      // The first word says PCIe (1), and the last three bytes are the place.
      if (answer.size() == 24 && integer_of(answer.data(), 4) == 1)
        return read_pci_place(0, answer[21], answer[22], answer[23]);
      break;
    case reading::queue_families:
      return read_queue_families(answer);
    case reading::handles: {
      const std::size_t n = answer.size() / sizeof(cl_device_id);
      return {n, std::to_string(n) + (n == 1 ? " device" : " devices")};
    }
  }
  return read_digits(answer, {});
}

// What `ask(number, size, into, &needed)` answers for the row.
template <class Ask>
property answer_for(const property_row& row, const Ask& ask) {
  std::size_t size = 0;
  cl_int code = ask(row.number, 0, nullptr, &size);
  bytes answer(size);
  if (code == CL_SUCCESS && size > 0) code = ask(row.number, size, answer.data(), nullptr);
  if (code != CL_SUCCESS) return {std::string(row.name), nullptr, name_of_code(code)};
  auto [value, text] = read_as(row, answer);
  return {std::string(row.name), std::move(value), std::move(text)};
}

// 300 for "OpenCL 3.0 ...".
unsigned version_in(const std::string& text) {
  unsigned major = 1;
  unsigned minor = 0;
  std::sscanf(text.c_str(), "OpenCL %u.%u", &major, &minor);
  return 100 * major + 10 * minor;
}

bool shares_a_word(const std::string& list, std::string_view wanted) {
  const std::vector<std::string> reported = split(list, ' ');
  return std::ranges::any_of(split(std::string(wanted), ' '), [&](const std::string& word) {
    return std::ranges::find(reported, word) != reported.end();
  });
}

template <class Ask>
std::vector<property> ask_all(std::span<const property_row> rows, cl_uint version_number,
                              cl_uint extensions_number, const Ask& ask) {
  const auto text = [&](cl_uint number) {
    const json value = answer_for({number, "", reading::text}, ask).value;
    return value.is_string() ? value.get<std::string>() : std::string();
  };
  const unsigned version = version_in(text(version_number));
  const std::string extensions = text(extensions_number);
  std::vector<property> list;
  cl_uint before = 0;
  for (const property_row& row : rows) {
    // A number with two names, of which the newer stands first, is asked once.
    if (row.number == before) continue;
    if ((row.since == 0 || version < row.since) && !shares_a_word(extensions, row.extensions)) continue;
    list.push_back(answer_for(row, ask));
    before = row.number;
  }
  return list;
}

// Of a kernel that does next to nothing, as compilers choose it for any.
property ask_kernel(cl_platform_id platform, cl_device_id device) {
  const cl_context_properties where[] = {CL_CONTEXT_PLATFORM,
                                         reinterpret_cast<cl_context_properties>(platform), 0};
  const char* source = "__kernel void set(__global float* x) { x[get_global_id(0)] = 1.0f; }";
  cl_int code = CL_SUCCESS;
  std::size_t multiple = 0;
  const cl::Context context(clCreateContext(where, 1, &device, nullptr, nullptr, &code));
  if (code == CL_SUCCESS) {
    const cl::Program program(clCreateProgramWithSource(context(), 1, &source, nullptr, &code));
    if (code == CL_SUCCESS) code = clBuildProgram(program(), 1, &device, "", nullptr, nullptr);
    if (code == CL_SUCCESS) {
      const cl::Kernel kernel(clCreateKernel(program(), "set", &code));
      if (code == CL_SUCCESS)
        code = clGetKernelWorkGroupInfo(kernel(), device, CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE,
                                        sizeof multiple, &multiple, nullptr);
    }
  }
  if (code != CL_SUCCESS) return {of_kernel, nullptr, name_of_code(code)};
  return {of_kernel, multiple, std::to_string(multiple)};
}

}  // namespace

json packed(const property& answer) { return json::array({answer.name, answer.value, answer.text}); }

property unpacked_property(const json& from) {
  return {from.at(0).get<std::string>(), from.at(1), from.at(2)};
}

std::vector<property> properties_of(cl_platform_id platform) {
  return ask_all(platform_rows(), CL_PLATFORM_VERSION, CL_PLATFORM_EXTENSIONS,
                 [&](cl_uint number, std::size_t size, void* into, std::size_t* needed) {
                   return clGetPlatformInfo(platform, number, size, into, needed);
                 });
}

std::vector<property> properties_of(cl_platform_id platform, cl_device_id device) {
  std::vector<property> list =
      ask_all(device_rows(), CL_DEVICE_VERSION, CL_DEVICE_EXTENSIONS,
              [&](cl_uint number, std::size_t size, void* into, std::size_t* needed) {
                return clGetDeviceInfo(device, number, size, into, needed);
              });
  const auto compiler = std::ranges::find(list, "CL_DEVICE_COMPILER_AVAILABLE", &property::name);
  if (compiler != list.end() && compiler->value == json(true)) list.push_back(ask_kernel(platform, device));
  return list;
}

std::vector<property> offline_devices_of(cl_platform_id platform) {
  constexpr std::string_view extension = "cl_amd_offline_devices";
  constexpr cl_context_properties offline_devices = 0x403F;
  const std::vector<property> said = properties_of(platform);
  const auto extensions = std::ranges::find(said, "CL_PLATFORM_EXTENSIONS", &property::name);
  if (extensions == said.end() || extensions->text.find(extension) == std::string::npos) return {};
  const cl_context_properties wanted[] = {
      CL_CONTEXT_PLATFORM, reinterpret_cast<cl_context_properties>(platform), offline_devices, 1, 0};
  cl_int code = CL_SUCCESS;
  const cl::Context all(clCreateContextFromType(wanted, CL_DEVICE_TYPE_ALL, nullptr, nullptr, &code));
  if (code != CL_SUCCESS) return {{of_offline, nullptr, name_of_code(code)}};
  cl_uint n_there = 0;
  clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 0, nullptr, &n_there);
  std::vector<cl_device_id> there(n_there);
  if (n_there > 0) clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, n_there, there.data(), nullptr);
  std::size_t size = 0;
  code = clGetContextInfo(all(), CL_CONTEXT_DEVICES, 0, nullptr, &size);
  std::vector<cl_device_id> known(size / sizeof(cl_device_id));
  if (code == CL_SUCCESS && !known.empty())
    code = clGetContextInfo(all(), CL_CONTEXT_DEVICES, size, known.data(), nullptr);
  if (code != CL_SUCCESS) return {{of_offline, nullptr, name_of_code(code)}};
  std::vector<std::string> names;
  for (const cl_device_id each : known) {
    if (std::ranges::find(there, each) != there.end()) continue;
    std::string name(256, '\0');
    if (clGetDeviceInfo(each, CL_DEVICE_NAME, name.size() - 1, name.data(), nullptr) == CL_SUCCESS)
      names.emplace_back(name.c_str());
  }
  return {{of_offline, json(names), names.empty() ? "none" : joined(names)}};
}

std::vector<property> answers_to_no_platform() {
  std::vector<property> list;
  const auto add = [&](cl_int code, const std::string& well) {
    const std::string text = code == CL_SUCCESS ? well : name_of_code(code);
    list.push_back({of_null_platform[list.size()], text, text});
  };
  std::string name(256, '\0');
  cl_int code = clGetPlatformInfo(nullptr, CL_PLATFORM_NAME, name.size() - 1, name.data(), nullptr);
  add(code, name.c_str());
  cl_uint count = 0;
  code = clGetDeviceIDs(nullptr, CL_DEVICE_TYPE_ALL, 0, nullptr, &count);
  add(code, std::to_string(count) + (count == 1 ? " device" : " devices"));
  const std::vector<device_place>& places = devices();
  code = CL_DEVICE_NOT_FOUND;
  if (!places.empty()) {
    const cl_device_id device = places.front().device;
    const cl::Context context(clCreateContext(nullptr, 1, &device, nullptr, nullptr, &code));
  }
  add(code, "a context");
  const cl::Context context(clCreateContextFromType(nullptr, CL_DEVICE_TYPE_ALL, nullptr, nullptr, &code));
  add(code, "a context");
  return list;
}

std::vector<property> properties_of_loader() {
  using ask_loader = cl_int(CL_API_CALL*)(cl_uint, std::size_t, void*, std::size_t*);
  const auto ask = reinterpret_cast<ask_loader>(clGetExtensionFunctionAddress("clGetICDLoaderInfoOCLICD"));
  std::vector<property> list;
  if (ask == nullptr) return list;
  for (const loader_row& row : of_loader)
    list.push_back(answer_for({row.number, row.name, reading::text}, ask));
  return list;
}

std::vector<std::string> property_names() {
  std::vector<std::string> names;
  for (const auto rows : {platform_rows(), device_rows()})
    for (const property_row& row : rows) names.emplace_back(row.name);
  names.emplace_back(of_kernel);
  names.emplace_back(of_offline);
  names.insert(names.end(), std::begin(of_null_platform), std::end(of_null_platform));
  for (const loader_row& row : of_loader) names.emplace_back(row.name);
  return names;
}

bool identifies_one_card(const std::string& property_name) {
  return property_name == "CL_DEVICE_UUID_KHR" || property_name == "CL_DEVICE_LUID_KHR";
}

}  // namespace clwave::tool
