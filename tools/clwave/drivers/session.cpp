// Buffers, calls and times for the commands that compute.
#include "drivers/session.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <complex>
#include <cstdio>
#include <cstring>

#include <clwave/reduce.hpp>

#include "shared/terminal.hpp"
#include "shared/words.hpp"
#include "system/system.hpp"

namespace clwave::tool {
namespace {

using clock = std::chrono::steady_clock;

double seconds_since(clock::time_point start) {
  return std::chrono::duration<double>(clock::now() - start).count();
}

// A line on the terminal that counts up once the work has taken a second.
class progress {
 public:
  progress(std::string what, std::uint64_t total)
      : what_(std::move(what)), total_(total), shows_(errors_go_to_terminal()) {}
  ~progress() {
    if (shown_) std::fputs("\r\033[K", stderr);
  }
  progress(const progress&) = delete;
  progress& operator=(const progress&) = delete;
  void at(std::uint64_t done) {
    if (!shows_ || seconds_since(start_) < 1) return;
    shown_ = true;
    const double share = 100.0 * static_cast<double>(done) / static_cast<double>(total_);
    std::fprintf(stderr, "\r%s: %.0f %% of %.1f GiB", what_.c_str(), share,
                 static_cast<double>(total_) / (1024.0 * 1024 * 1024));
  }

 private:
  std::string what_;
  std::uint64_t total_;
  bool shows_;
  bool shown_ = false;
  clock::time_point start_ = clock::now();
};

// Calls `each(at, piece, size)` for pieces of so many bytes, in host memory that it may use.
void by_pieces(std::uint64_t bytes, const std::string& what,
               const std::function<void(std::uint64_t, void*, std::size_t)>& each) {
  constexpr std::uint64_t piece_bytes = 64 << 20;
  std::vector<unsigned char> piece(std::min(bytes, piece_bytes));
  progress line(what, bytes);
  for (std::uint64_t at = 0; at < bytes; at += piece.size()) {
    const std::size_t size = std::min<std::uint64_t>(piece.size(), bytes - at);
    each(at, piece.data(), size);
    line.at(at + size);
  }
}

template <class T>
T read_as(const std::vector<unsigned char>& bytes) {
  T value;
  std::memcpy(&value, bytes.data(), sizeof value);
  return value;
}

json number_of(double value) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value < 0 ? "-inf" : "inf";
  return value;
}

}  // namespace

ready_device::ready_device(const device_place& place) {
  const std::string name = std::to_string(place.platform_index) + ":" + std::to_string(place.device_index);
  cl_int code = CL_SUCCESS;
  // The platform that listed the device: the device's own answer may be wrong, or an error.
  const cl_context_properties properties[] = {CL_CONTEXT_PLATFORM,
                                              reinterpret_cast<cl_context_properties>(place.platform), 0};
  // Not by way of cl::Device, which asks the device for its platform and believes whatever it gets.
  context = cl::Context(clCreateContext(properties, 1, &place.device, nullptr, nullptr, &code));
  detail::check(code, "make a context", {.device = name});
  queue = cl::CommandQueue(clCreateCommandQueue(context(), place.device, 0, &code));
  detail::check(code, "make a queue", {.device = name});
}

const device_place& place_of(cl_device_id device) {
  for (const device_place& place : devices()) {
    if (place.device == device) return place;
  }
  throw error(failure::internal, "the selected device is not in the list of devices");
}

session::session(const std::string& selector) : drivers(selector) {
  const device_place& place = place_of(select_or_absent(selector));
  {
    const waiting word("asking and probing the device");
    facts = &facts_of(place.device);
  }
  choice = choose_profile(*facts);
  ready_device made(place);
  context = std::move(made.context);
  queue = std::move(made.queue);
}

namespace {

std::string name_with_place(const device_facts& facts) {
  return std::to_string(facts.platform_index) + ":" + std::to_string(facts.device_index) + " " +
         facts.name.value_or("unnamed");
}

std::vector<std::string> selectors_of(const std::string& list) {
  std::vector<std::string> all;
  for (std::size_t at = 0; at <= list.size();) {
    const std::size_t end = std::min(list.find(',', at), list.size());
    all.push_back(list.substr(at, end - at));
    if (all.back().empty())
      refuse("\"" + list + "\" is no list of devices", "write --devices all, or as in --devices 0:0,0:1");
    at = end + 1;
  }
  return all;
}

std::uint64_t largest_buffer(const device_facts& facts) {
  return std::min(facts.max_allocation.value_or(~std::uint64_t{0}),
                  facts.global_memory.value_or(~std::uint64_t{0}));
}

further_device made_ready(const device_place& place) {
  const device_facts& facts = facts_of(place.device);
  return {&facts, choose_profile(facts), ready_device(place)};
}

}  // namespace

std::string session::device_name() const { return name_with_place(*facts); }

std::string further_device::device_name() const { return name_with_place(*facts); }

std::string first_selector(const std::string& list) {
  return list == "all" ? "" : selectors_of(list).front();
}

std::vector<further_device> further_devices(const session& on, const std::string& list) {
  const waiting word("asking and probing the devices");
  std::vector<cl_device_id> taken{on.queue.getInfo<CL_QUEUE_DEVICE>()()};
  std::vector<further_device> all;
  if (list == "all") {
    for (const device_place& place : devices())
      if (place.device != taken.front() && facts_of(place.device).compiler_available.value_or(true))
        all.push_back(made_ready(place));
    return all;
  }
  const std::vector<std::string> selectors = selectors_of(list);
  for (std::size_t k = 1; k < selectors.size(); ++k) {
    const device_place& place = place_of(select_or_absent(selectors[k]));
    if (std::find(taken.begin(), taken.end(), place.device) != taken.end())
      refuse("\"" + list + "\" means a device twice: \"" + selectors[k] + "\"");
    taken.push_back(place.device);
    all.push_back(made_ready(place));
  }
  return all;
}

bool fits(const session& on, std::uint64_t bytes) { return bytes <= largest_buffer(*on.facts); }

void check_fits(const session& on, std::uint64_t bytes, const std::string& what) {
  if (fits(on, bytes)) return;
  const std::uint64_t most = largest_buffer(*on.facts);
  throw error(failure::out_of_memory,
              what + ": its " + std::to_string(bytes) + " bytes are more than the device's largest buffer, " +
                  std::to_string(most) + " bytes",
              CL_SUCCESS,
              {.device = on.device_name(), .advice = "choose another device with -d, or cut the file"});
}

cl::Buffer make_buffer(const session& on, std::uint64_t bytes, const std::string& what) {
  check_fits(on, bytes, what);
  cl_int code = CL_SUCCESS;
  // No driver takes an empty buffer; an empty input still needs one.
  cl::Buffer buffer(on.context, CL_MEM_READ_WRITE, std::max<std::uint64_t>(bytes, 16), nullptr, &code);
  detail::check(code, "make a buffer of " + std::to_string(bytes) + " bytes", {.device = on.device_name()});
  return buffer;
}

cl::Buffer upload(const session& on, std::uint64_t bytes, const std::string& what,
                  const std::function<void(void*, std::size_t)>& next) {
  cl::Buffer buffer = make_buffer(on, bytes, what);
  by_pieces(bytes, what, [&](std::uint64_t at, void* piece, std::size_t size) {
    next(piece, size);
    detail::check(on.queue.enqueueWriteBuffer(buffer, CL_TRUE, at, size, piece), "write to the device",
                  {.device = on.device_name()});
  });
  return buffer;
}

void download(const session& on, const cl::Buffer& from, std::uint64_t bytes, const std::string& what,
              const std::function<void(const void*, std::size_t)>& take) {
  by_pieces(bytes, what, [&](std::uint64_t at, void* piece, std::size_t size) {
    detail::check(on.queue.enqueueReadBuffer(from, CL_TRUE, at, size, piece), "read from the device",
                  {.device = on.device_name()});
    take(piece, size);
  });
}

timed_calls time_calls(const std::function<void()>& call) {
  std::vector<double> times;
  const auto start = clock::now();
  while (times.size() < 3 || (times.size() < 21 && seconds_since(start) < 1)) {
    const auto before = clock::now();
    call();
    times.push_back(seconds_since(before));
  }
  return {.seconds = median(times), .calls = static_cast<unsigned>(times.size())};
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values.empty() ? 0 : values[values.size() / 2];
}

timed_results::timed_results(const session& on, std::uint64_t bytes,
                             const std::function<event(const cl::Buffer& out)>& call)
    : on_(on), bytes_(bytes), out_(make_buffer(on, bytes, "the results")) {
  const waiting word("computing");
  call(out_).wait();
  timed_ = time_calls([&] { call(out_).wait(); });
}

bool fits_in_memory(const session& on, std::uint64_t bytes) {
  return bytes <= on.facts->global_memory.value_or(bytes);
}

void check_memory(const session& on, std::uint64_t bytes) {
  if (!fits_in_memory(on, bytes))
    throw error(failure::out_of_memory,
                "elements and results take " + std::to_string(bytes) + " bytes, more than the device has");
}

timed_value run_reduce(const session& on, const cl::Buffer& data, std::uint64_t n,
                       const reduce_meaning& meaning) {
  const reduce_problem problem{.in = {data(), n, 0, meaning.type},
                               .accumulator = &meaning.accumulator,
                               .fold = meaning.operation(),
                               .apply = meaning.applied()};
  const waiting word("reducing");
  timed_value result;
  result.bytes.resize(meaning.accumulator.size);
  reduce(on.queue(), problem, result.bytes.data());  // builds the program
  std::vector<unsigned char> again(result.bytes.size());
  const timed_calls timed = time_calls([&] {
    reduce(on.queue(), problem, again.data());
    // Between the value of argmin and its index there may be padding: compared by what is shown.
    timed_value other;
    other.bytes = again;
    result.same_bits &= meaning.fold->indexed ? other.hex(*meaning.value) == result.hex(*meaning.value) &&
                                                    other.index() == result.index()
                                              : again == result.bytes;
  });
  result.seconds = timed.seconds;
  result.calls = timed.calls;
  return result;
}

std::string timed_value::hex(const element& value) const {
  std::string text = "0x";
  for (std::size_t i = value.size; i-- > 0;) {
    constexpr const char* digits = "0123456789abcdef";
    text += digits[bytes[i] >> 4];
    text += digits[bytes[i] & 15];
  }
  return text;
}

json timed_value::number(const element& value) const {
  if (value.kind == element_kind::floating)
    return number_of(value.size == 8 ? read_as<double>(bytes) : double{read_as<float>(bytes)});
  if (value.kind == element_kind::half_storage) return number_of(double{float(read_as<half>(bytes))});
  if (value.kind == element_kind::bfloat16_storage) return number_of(double{float(read_as<bfloat16>(bytes))});
  if (value.kind == element_kind::complex) {
    const auto z = value.size == 16 ? read_as<std::complex<double>>(bytes)
                                    : std::complex<double>(read_as<std::complex<float>>(bytes));
    return json::array({number_of(z.real()), number_of(z.imag())});
  }
  std::uint64_t bits = 0;
  std::memcpy(&bits, bytes.data(), value.size);
  if (value.kind != element_kind::signed_integer) return bits;
  const auto unused = static_cast<unsigned>(64 - 8 * value.size);
  return static_cast<std::int64_t>(bits << unused) >> unused;  // with its sign
}

std::string timed_value::text(const element& value) const {
  const json number = this->number(value);
  if (number.is_string()) return number.get<std::string>();
  if (!number.is_number_float()) return number.dump();
  char digits[40];
  // As many digits as tell every value of the type from its neighbours.
  std::snprintf(digits, sizeof digits, "%.*g", value.size == 8 ? 17 : 9, number.get<double>());
  return digits;
}

std::uint64_t timed_value::index() const {
  std::uint64_t index = 0;
  std::memcpy(&index, bytes.data() + bytes.size() - sizeof index, sizeof index);
  return index;
}

}  // namespace clwave::tool
