// Rows of calls on sharded: one array over several devices against one device, in the time that a user waits
// for a call that blocks.
#include "bench/rows/sharded.hpp"

#include <algorithm>
#include <map>
#include <set>

#include <clwave/ranks.hpp>
#include <clwave/reduce.hpp>

#include "bench/rows/reduce.hpp"

namespace clwave::tool::bench {
namespace {

// --- Where shards lie ---------------------------------------------------------------------------------

enum class kind { devices, sub_devices, queues };

std::string name_of(kind what) {
  return what == kind::devices ? "devices" : what == kind::sub_devices ? "sub-devices" : "queues";
}

shard_place own_place(const laboratory& lab) {
  return {lab.on.context, cl::Device(lab.on.facts->device, true), lab.on.queue};
}

shard_place place_on(const laboratory& lab, cl_device_id device) {
  ready_device made({.platform = lab.on.facts->platform, .device = device});
  return {std::move(made.context), cl::Device(device, true), std::move(made.queue)};
}

// The laboratory's device first, then those of its platform that are of its type.
std::vector<cl_device_id> like_devices(const laboratory& lab) {
  std::vector<cl_device_id> all{lab.on.facts->device};
  for (const device_place& each : devices()) {
    cl_device_type type = 0;
    if (each.platform != lab.on.facts->platform || each.device == all[0]) continue;
    if (clGetDeviceInfo(each.device, CL_DEVICE_TYPE, sizeof type, &type, nullptr) != CL_SUCCESS) continue;
    if ((type & lab.on.facts->type.value_or(0) & ~cl_device_type{CL_DEVICE_TYPE_DEFAULT}) != 0)
      all.push_back(each.device);
  }
  return all;
}

// So many sub-devices of the same number of compute units; none where the device cannot be cut so. `make`:
// else only their number is right.
std::vector<cl_device_id> sub_devices(const laboratory& lab, unsigned count, bool make) {
  const unsigned units = lab.on.facts->compute_units.value_or(1) / count;
  const cl_device_partition_property how[] = {CL_DEVICE_PARTITION_EQUALLY,
                                              static_cast<cl_device_partition_property>(units), 0};
  cl_uint possible = 0;
  if (units == 0 || clCreateSubDevices(lab.on.facts->device, how, 0, nullptr, &possible) != CL_SUCCESS ||
      possible < count)
    return {};
  std::vector<cl_device_id> made(possible);
  if (make)
    detail::check(clCreateSubDevices(lab.on.facts->device, how, possible, made.data(), nullptr),
                  "make sub-devices");
  made.resize(count);
  return made;
}

kind kind_of(const laboratory& lab, unsigned count) {
  if (like_devices(lab).size() >= count) return kind::devices;
  return sub_devices(lab, count, false).empty() ? kind::queues : kind::sub_devices;
}

std::vector<shard_place> make_places(const laboratory& lab, unsigned count) {
  std::vector<shard_place> made;
  const kind what = kind_of(lab, count);
  if (what == kind::sub_devices) {
    for (const cl_device_id shard : sub_devices(lab, count, true)) made.push_back(place_on(lab, shard));
    return made;
  }
  const std::vector<cl_device_id> on = like_devices(lab);
  made.push_back(own_place(lab));
  while (made.size() < count) {
    if (what == kind::devices) {
      made.push_back(place_on(lab, on[made.size()]));
      continue;
    }
    cl_int code = CL_SUCCESS;
    made.push_back(own_place(lab));
    made.back().queue =
        cl::CommandQueue(clCreateCommandQueue(lab.on.context(), lab.on.facts->device, 0, &code));
    detail::check(code, "make one more queue");
  }
  return made;
}

// Made once, when first asked for: contexts stay, with the programs that were built in them. Never destroyed,
// as sub-devices must outlive all that was made on them.
const std::vector<shard_place>& places_of(const laboratory& lab, unsigned count) {
  static auto& known = *new std::map<unsigned, std::vector<shard_place>>;
  std::vector<shard_place>& there = known[count];
  if (there.empty()) there = make_places(lab, count);
  return there;
}

// The least that any of the devices has.
double least(const std::vector<cl_device_id>& devices, cl_device_info what) {
  cl_ulong least = ~cl_ulong{0};
  for (const cl_device_id each : devices) {
    cl_ulong size = 0;
    if (clGetDeviceInfo(each, what, sizeof size, &size, nullptr) == CL_SUCCESS) least = std::min(least, size);
  }
  return static_cast<double>(least);
}

// --- Arrays -------------------------------------------------------------------------------------------

constexpr const char* shard_source = R"(
kernel void make_shard(global float* out, ulong n, ulong shards, ulong shard, ulong all, uint seed) {
  for (ulong i = get_global_id(0); i < all; i += get_global_size(0))
    out[i] = from((i / n * shards + shard) * n + i % n, seed);
}
)";

cl::Buffer make_shard(const laboratory& lab, const shard_place& on, std::uint64_t n, std::size_t arrays,
                      std::size_t shards, std::size_t shard) {
  cl_int code = CL_SUCCESS;
  cl::Buffer made(on.context, CL_MEM_READ_WRITE, n * arrays * sizeof(float), nullptr, &code);
  detail::check(code, "make a buffer of a shard");
  const cl::Program program(on.context, random_source() + shard_source, false, &code);
  detail::check(code, "make a program of the benchmark");
  detail::check(program.build(on.device, "-DFROM_f32 -DTO_f32"), "build a kernel of the benchmark");
  cl::Kernel k(program, "make_shard", &code);
  detail::check(code, "make a kernel of the benchmark");
  k.setArg(0, made);
  k.setArg(1, cl_ulong{n});
  k.setArg(2, cl_ulong{shards});
  k.setArg(3, cl_ulong{shard});
  k.setArg(4, cl_ulong{n * arrays});
  k.setArg(5, cl_uint{first_seed});
  const std::size_t group_size = lab.is_cpu ? 1 : 256;
  detail::check(on.queue.enqueueNDRangeKernel(k, cl::NullRange, cl::NDRange(1024 * group_size),
                                              cl::NDRange(group_size)),
                "fill a shard");
  detail::check(on.queue.finish(), "fill a shard");
  return made;
}

// --- Reductions ---------------------------------------------------------------------------------------

// A sum of all elements of an array, or of its first shard, by a call that returns it.
contender sum_of(const shared_array& x, std::uint64_t n, const std::function<float(std::size_t)>& call) {
  const auto value = std::make_shared<float>();
  contender c;
  c.call = [value, call](std::size_t which) { *value = call(which); };
  c.spoil = [value] { *value = 12345; };
  c.wrong = [value, x, n](std::size_t which) {
    const reduction what{"sum", "f32"};
    return compare(answer_of(what, n, x->first(which), first_seed), what, value.get(), nullptr, true);
  };
  return c;
}

contender reduce_over_sharded(laboratory&, const shared_array& x) {
  return sum_of(x, x->size(), [x](std::size_t which) { return reduce(x->array(which)); });
}

contender reduce_on_one(laboratory&, const shared_array& x) {
  return sum_of(x, x->n(), [x](std::size_t which) { return reduce(x->place(0).queue, x->shard(which, 0)); });
}

// One process alone: no message is ever sent.
class one_rank : public ranks {
 public:
  std::uint32_t rank() const override { return 0; }
  std::uint32_t size() const override { return 1; }
  void send(std::uint32_t, std::span<const std::byte>, std::uint32_t) override { refuse(); }
  std::size_t receive(std::uint32_t, std::span<std::byte>, std::uint32_t) override { refuse(); }

 private:
  [[noreturn]] static void refuse() { throw error(failure::internal, "one rank alone sends a message"); }
};

contender reduce_over_one_rank(laboratory&, const shared_array& x) {
  return sum_of(x, x->size(), [x, alone = std::make_shared<one_rank>()](std::size_t which) {
    return reduce(*alone, x->array(which));
  });
}

// --- Groups -------------------------------------------------------------------------------------------

std::size_t arrays_of(const laboratory& lab, std::uint64_t bytes) {
  return std::max<std::uint64_t>(1, (lab.pool_bytes + bytes - 1) / bytes);
}

std::vector<std::uint64_t> sizes(const laboratory& lab) {
  if (lab.is_cpu) return {1 << 20, 1 << 24};
  return {1 << 24, 1 << 30};
}

// What the rows of a group work on: made for the first that asks, gone with the last.
class kept_array {
 public:
  kept_array(laboratory& lab, std::function<std::vector<shard_place>()> where, std::uint64_t n,
             std::size_t arrays)
      : make_([&lab, where = std::move(where), n, arrays] {
          return std::make_shared<cut_array>(lab, where(), n, arrays);
        }) {}
  shared_array get() {
    shared_array there = kept_.lock();
    if (!there) kept_ = there = make_();
    return there;
  }

 private:
  std::function<shared_array()> make_;
  std::weak_ptr<const cut_array> kept_;
};

contender with_bytes(contender c, const sharded_work& work, std::uint64_t elements, unsigned devices = 1) {
  c.bytes = work.bytes_of_element * static_cast<double>(elements);
  c.devices = devices;
  return c;
}

const result* good_row(const std::vector<result>& all, const std::string& name) {
  const auto found = std::ranges::find(all, name, &result::name);
  return found != all.end() && found->good() && found->seconds > 0 ? &*found : nullptr;
}

void add_group(laboratory& lab, std::vector<group>& all, const sharded_work& work, unsigned count,
               std::uint64_t n) {
  const kind on = kind_of(lab, count);
  const bool apart = on == kind::devices;
  // A CPU's cache is that of all shards.
  const std::size_t arrays = arrays_of(lab, (lab.is_cpu ? count * n : n) * sizeof(float));
  const auto shard_bytes = static_cast<double>(n * arrays * sizeof(float));
  const double whole_bytes = shard_bytes * count;
  const std::vector<cl_device_id> on_all = like_devices(lab);
  const double most = least(on_all, CL_DEVICE_MAX_MEM_ALLOC_SIZE);
  const double memory = least(on_all, CL_DEVICE_GLOBAL_MEM_SIZE);
  const double here = apart ? shard_bytes : whole_bytes;  // on the laboratory's own device
  if (shard_bytes > most || 1.5 * here > memory) return;
  const bool whole_fits = whole_bytes <= most && 1.5 * (here + whole_bytes) <= memory;

  const std::string base =
      "sharded/" + work.name + "-" + std::to_string(count) + "-" + name_of(on) + "/f32/" + std::to_string(n);
  const std::string sharded_row = base + "/clwave/host";
  const std::string whole_row = base + "/clwave-one-device/host";
  const std::string share_row = base + "/clwave-one-share/host";
  const auto cut = std::make_shared<kept_array>(
      lab, [&lab, count] { return places_of(lab, count); }, n, arrays);
  const std::string number = std::to_string(count);
  group rows;
  rows.how = clocked::blocking;
  rows.places = arrays;
  rows.rows.push_back(
      {sharded_row,
       "blocking clwave::" + work.name + " of sharded: " + std::to_string(n) + " floats on each of " +
           number + " " +
           (apart ? "devices"
            : on == kind::sub_devices
                ? "sub-devices of the one device: they share its memory, and there is nothing to gain"
                : "queues of the one device: what shards cost, and there is nothing to gain"),
       [&lab, work, cut, count, apart] {
         const shared_array x = cut->get();
         return with_bytes(work.over_sharded(lab, x), work, x->size(), apart ? count : 1);
       }});
  rows.rows.push_back(
      {whole_row,
       "the same of all " + number + " x " + std::to_string(n) + " floats by the call of one device",
       [&lab, work, n, arrays, count, whole_fits] {
         if (!whole_fits)
           return skipped("the whole does not fit one device's largest buffer, or its memory: take " +
                          std::to_string(count) + " times one share");
         const auto x = std::make_shared<cut_array>(lab, std::vector{own_place(lab)}, n * count, arrays);
         return with_bytes(work.on_one(lab, x), work, x->n());
       }});
  rows.rows.push_back({share_row,
                       std::string("the same of one ") + (apart ? "device's" : "shard's") + " share, " +
                           std::to_string(n) + " floats, by the call of one device",
                       [&lab, work, cut] {
                         const shared_array x = cut->get();
                         return with_bytes(work.on_one(lab, x), work, x->n());
                       }});
  rows.compare = [sharded_row, whole_row, share_row, count](std::vector<result>& results) {
    const auto over = std::ranges::find(results, sharded_row, &result::name);
    if (good_row(results, sharded_row) == nullptr) return;
    if (const result* whole = good_row(results, whole_row))
      over->more["speedup"] = whole->seconds / over->seconds;
    if (const result* share = good_row(results, share_row))
      over->more["speedup_of_shares"] = count * share->seconds / over->seconds;
  };
  all.push_back(std::move(rows));
}

const sharded_work reductions{.name = "reduce",
                              .bytes_of_element = sizeof(float),
                              .over_sharded = reduce_over_sharded,
                              .on_one = reduce_on_one};

void add_rank_group(laboratory& lab, std::vector<group>& all, std::uint64_t n) {
  const std::size_t arrays = arrays_of(lab, n * sizeof(float));
  if (!lab.fits(static_cast<double>(n * arrays * sizeof(float)))) return;
  const std::string base = "sharded/reduce-1-rank/f32/" + std::to_string(n);
  const std::string rank_row = base + "/clwave/host";
  const std::string one_row = base + "/clwave-one-device/host";
  const auto kept = std::make_shared<kept_array>(
      lab, [&lab] { return std::vector{own_place(lab)}; }, n, arrays);
  group rows;
  rows.how = clocked::blocking;
  rows.places = arrays;
  rows.rows.push_back({rank_row,
                       "blocking clwave::reduce of the ranks that one process alone makes: what ranks cost "
                       "without any message",
                       [&lab, kept] {
                         return with_bytes(reduce_over_one_rank(lab, kept->get()), reductions,
                                           kept->get()->n());
                       }});
  rows.rows.push_back({one_row, "blocking clwave::reduce of the same floats", [&lab, kept] {
                         return with_bytes(reduce_on_one(lab, kept->get()), reductions, kept->get()->n());
                       }});
  rows.compare = [rank_row, one_row](std::vector<result>& results) {
    const auto over = std::ranges::find(results, rank_row, &result::name);
    const result* one = good_row(results, one_row);
    if (good_row(results, rank_row) != nullptr && one != nullptr)
      over->more["speedup"] = one->seconds / over->seconds;
  };
  all.push_back(std::move(rows));
}

void add_groups(laboratory& lab, std::vector<group>& all) {
  add_sharded_groups(lab, all, reductions);
  for (const std::uint64_t n : sizes(lab)) add_rank_group(lab, all, n);
}

const registered_rows listed("sharded", {{.add = add_groups}});

}  // namespace

cut_array::cut_array(const laboratory& lab, std::vector<shard_place> where, std::uint64_t n,
                     std::size_t arrays)
    : where_(std::move(where)), n_(n) {
  for (std::size_t k = 0; k < where_.size(); ++k)
    buffers_.push_back(make_shard(lab, where_[k], n, arrays, where_.size(), k));
}

sharded<float> cut_array::array(std::size_t which) const {
  sharded<float> all;
  for (std::size_t k = 0; k < where_.size(); ++k) all.add({where_[k].queue, shard(which, k)});
  return all;
}

void add_sharded_groups(laboratory& lab, std::vector<group>& all, const sharded_work& work) {
  const auto n_devices = static_cast<unsigned>(std::max<std::size_t>(like_devices(lab).size(), 2));
  for (const unsigned count : std::set<unsigned>{2, 4, 8, n_devices}) {
    if (count > n_devices) break;
    for (const std::uint64_t n : sizes(lab)) add_group(lab, all, work, count, n);
  }
}

}  // namespace clwave::tool::bench
