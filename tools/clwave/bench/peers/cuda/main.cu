// clwave_cuda_peers: CUB, cuBLAS and the CUDA runtime's copies, measured for `clwave bench` by its rule.
//
// Started by the bench, which asks in lines of words and reads lines of JSON:
//   hello                                        what device this is
//   prepare ID ROW N STRIDE PLACES               data and temporary memory of a row
//   sample ID device|blocking|enqueue CALLS FIRST  seconds of the calls, of the lead alone, of enqueuing
//   spoil ID, result ID PLACE, release ID
// The elements are those of bench/data.cpp; results are compared there.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <iostream>
#include <sstream>

#include "peers.cuh"

namespace {

using wall = std::chrono::steady_clock;

double seconds_since(wall::time_point start) {
  return std::chrono::duration<double>(wall::now() - start).count();
}

// --- The lead: about 2 ms of one thread's work ------------------------------------------------------
__global__ void lead(unsigned rounds, unsigned* out) {
  unsigned x = rounds | 1;
  for (unsigned i = 0; i < rounds; ++i) {
    x ^= x << 13;
    x ^= x >> 17;
    x ^= x << 5;
  }
  *out = x;
}

class leader {
 public:
  leader() : out_(device_memory(64)) {
    for (int i = 0; i < 50; ++i) time_of(200000);
    std::vector<double> slopes;
    for (int i = 0; i < 9; ++i) slopes.push_back((time_of(400000) - time_of(100000)) / 300000);
    std::sort(slopes.begin(), slopes.end());
    rounds_ = static_cast<unsigned>(std::min(2e-3 / std::max(slopes[4], 1e-10), 4e9));
  }
  void enqueue() const { lead<<<1, 1>>>(rounds_, static_cast<unsigned*>(out_.get())); }

 private:
  double time_of(unsigned rounds) const {
    const auto start = wall::now();
    lead<<<1, 1>>>(rounds, static_cast<unsigned*>(out_.get()));
    check(cudaDeviceSynchronize());
    return seconds_since(start);
  }
  std::shared_ptr<void> out_;
  unsigned rounds_ = 0;
};

// "reduce/sum/f32/1024/cub/host"
request parse(const std::string& row) {
  std::vector<std::string> parts;
  std::stringstream words(row);
  for (std::string part; std::getline(words, part, '/');) parts.push_back(part);
  if (parts.size() < 5) throw std::runtime_error("no such row: " + row);
  request r;
  r.primitive = parts[0];
  r.op = parts[1];
  r.type = parts[2];
  r.shape = parts[3];
  r.contender = parts[4];
  r.host = parts.size() > 5;
  return r;
}

std::string sample(const leader& leads, const work& w, std::size_t places, const std::string& how,
                   unsigned calls, std::size_t first) {
  double lead_s = 0;
  // Another process may have had the device just now: whoever comes next pays for the change, and a lead
  // timed then would be taken off the calls too dear.
  w.call(first);
  if (w.renew) w.renew();
  check(cudaDeviceSynchronize());
  if (how == "device") {
    const auto start = wall::now();
    leads.enqueue();
    check(cudaDeviceSynchronize());
    lead_s = seconds_since(start);
  }
  const auto start = wall::now();
  if (how == "device") leads.enqueue();
  const auto led = wall::now();
  for (unsigned i = 0; i < calls; ++i) w.call((first + i) % places);
  const double enqueue_s = seconds_since(led);
  double seconds = seconds_since(start);
  check(cudaDeviceSynchronize());
  if (how == "device") seconds = seconds_since(start);
  char text[160];
  std::snprintf(text, sizeof text, "\"seconds\":%.9f,\"lead\":%.9f,\"enqueue\":%.9f", seconds, lead_s,
                enqueue_s);
  return text;
}

std::string quoted(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) out += c == '"' || c == '\\' || static_cast<unsigned char>(c) < 32 ? ' ' : c;
  return out + "\"";
}

std::string answer(std::istream& words, std::unique_ptr<leader>& leads) {
  struct prepared {
    std::unique_ptr<work> does;
    std::size_t places = 1;
  };
  static std::map<std::string, prepared> rows;
  std::string verb, id;
  words >> verb >> id;
  if (verb == "hello") {
    leads = std::make_unique<leader>();
    cudaDeviceProp properties{};
    int device = 0;
    check(cudaGetDevice(&device));
    check(cudaGetDeviceProperties(&properties, device));
    return "\"device\":\"" + std::string(properties.name) + "\",\"cuda\":" + std::to_string(CUDART_VERSION);
  }
  if (verb == "prepare") {
    std::string row;
    words >> row;
    request r = parse(row);
    words >> r.n >> r.stride >> r.places;
    std::unique_ptr<work> made;
    try {
      for (const row_maker& make : row_makers()) {
        if (made = make(r); made) break;
      }
    } catch (const no_such_row& e) {
      return "\"skip\":" + quoted(e.what());
    }
    if (!made) return "\"skip\":\"clwave_cuda_peers has no such row\"";
    rows[id] = {std::move(made), r.places};
    return "\"ok\":true";
  }
  if (verb == "release") {
    rows.erase(id);
    return "\"ok\":true";
  }
  const auto found = rows.find(id);
  if (found == rows.end()) throw std::runtime_error("nothing is prepared under " + id);
  const work& w = *found->second.does;
  if (verb == "sample") {
    std::string how;
    unsigned calls = 1;
    std::size_t first = 0;
    words >> how >> calls >> first;
    return sample(*leads, w, found->second.places, how, calls, first);
  }
  if (verb == "spoil") {
    w.spoil();
    check(cudaDeviceSynchronize());
    return "\"ok\":true";
  }
  if (verb == "result") {
    std::size_t place = 0;
    words >> place;
    return w.result(place);
  }
  throw std::runtime_error("no such request: " + verb);
}

}  // namespace

int main(int argc, char** argv) {
  // The same device as the bench's, by its place on the bus; failing that the first.
  int device = 0;
  if (argc > 1 && cudaDeviceGetByPCIBusId(&device, argv[1]) == cudaSuccess) cudaSetDevice(device);
  cudaGetLastError();
  std::unique_ptr<leader> leads;
  for (std::string line; std::getline(std::cin, line);) {
    std::string out;
    try {
      std::istringstream words(line);
      out = answer(words, leads);
    } catch (const std::exception& e) {
      const bool hello = line.rfind("hello", 0) == 0;
      out = (hello ? "\"skip\":" : "\"error\":") + quoted(e.what());
    }
    std::cout << '{' << out << '}' << std::endl;
  }
}
