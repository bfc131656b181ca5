// The measuring rule: samples of a group's contenders in turn, behind a lead that keeps the device busy.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <thread>

#include "base/environment.hpp"
#include "bench/bench.hpp"
#include "bench/samples.hpp"
#include "shared/terminal.hpp"

namespace clwave::tool::bench {
namespace {

using clock = std::chrono::steady_clock;

double seconds_between(clock::time_point start, clock::time_point end) {
  return std::chrono::duration<double>(end - start).count();
}

// CLWAVE_PROFILE for as long as it lives; nothing for an empty name.
class forced_profile {
 public:
  explicit forced_profile(const std::string& name) : set_(!name.empty()) {
    if (!set_) return;
    if (const char* before = detail::environment("CLWAVE_PROFILE")) before_ = before;
    setenv("CLWAVE_PROFILE", name.c_str(), 1);
  }
  ~forced_profile() {
    if (!set_) return;
    if (before_.empty())
      unsetenv("CLWAVE_PROFILE");
    else
      setenv("CLWAVE_PROFILE", before_.c_str(), 1);
  }
  forced_profile(const forced_profile&) = delete;
  forced_profile& operator=(const forced_profile&) = delete;

 private:
  bool set_;
  std::string before_;
};

// A contender of a group while it is measured.
struct running {
  contender it;
  result* into = nullptr;
  unsigned batch = 1;
  std::size_t next_place = 0;
  std::size_t last_place = 0;
  std::vector<double> walls, leads, enqueues;

  bool good() const { return into->good(); }
};

void finish(laboratory& lab, const contender& c) {
  if (c.finish)
    c.finish();
  else if (!c.remote)
    lab.finish();
}

double take_lead(laboratory& lab) {
  const auto start = clock::now();
  lab.enqueue_lead();
  lab.finish();
  return seconds_between(start, clock::now());
}

// Whether device time is measured behind a lead, by the rule, or as the wall of the calls and their finish.
enum class behind { lead, nothing };

// Runs `calls` calls and measures them.
sample take(laboratory& lab, clocked how, running& r, unsigned calls, std::size_t places,
            behind what = behind::lead) {
  const contender& c = r.it;
  const std::size_t first = r.next_place;
  r.last_place = (first + calls - 1) % places;
  r.next_place = (first + calls) % places;
  if (c.remote) return c.remote(how, calls, first);
  const forced_profile force(c.profile);
  const bool leads = how == clocked::device && c.on_device && !lab.is_cpu && what == behind::lead;
  if (lab.is_cpu) {
    // OpenMP's threads go on spinning for a while after their work, and would take the others' cores.
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  if (how != clocked::itself) {
    // On a GPU a peer's process may have had the device just now: whoever comes next would pay for the
    // change.
    c.call(first);
    finish(lab, c);
  }
  if (c.renew) {
    c.renew();
    finish(lab, c);
  }
  // Here and not once a round: behind a peer's process, the lead would pay for the change too.
  const double lead_s = leads ? take_lead(lab) : 0;
  const auto start = clock::now();
  if (leads) lab.enqueue_lead();
  const auto led = clock::now();
  for (unsigned i = 0; i < calls; ++i) c.call((first + i) % places);
  const auto enqueued = clock::now();
  if (how == clocked::device) finish(lab, c);
  const auto end = clock::now();
  if (how == clocked::enqueue) finish(lab, c);
  return {
      .seconds = seconds_between(start, end), .lead_s = lead_s, .enqueue_s = seconds_between(led, enqueued)};
}

void guard(running& r, const std::function<void()>& work) {
  if (!r.good()) return;
  try {
    work();
  } catch (const std::exception& e) {
    // A contender that fails is a peer that cannot do it; clwave itself must.
    const bool ours = r.into->name.find("/clwave") != std::string::npos;
    (ours ? r.into->wrong : r.into->skip) = e.what();
  }
}

std::string verdict(const running& r) { return r.it.wrong ? r.it.wrong(r.last_place) : std::string(); }

// How many calls a sample has: about 2 ms of work on a device, 10 ms on a CPU or of the host's time; on a
// device no more than can be enqueued behind the lead.
unsigned choose_batch(laboratory& lab, clocked how, running& r, std::size_t places) {
  if (how == clocked::itself) return 1;
  if (how == clocked::enqueue) return 64;
  const unsigned few = 4;
  take(lab, how, r, 1, places);  // builds programs, touches memory
  sample s = take(lab, how, r, 1, places);
  const double once = s.seconds;
  if (once < 0.02) s = take(lab, how, r, few, places);
  const unsigned calls = once < 0.02 ? few : 1;
  const double lead = s.lead_s > 0                               ? s.lead_s
                      : how == clocked::device && r.it.on_device ? lab.lead_kernel_s()
                                                                 : 0;
  const double each = std::max((s.seconds - lead) / calls, 0.5e-6);
  const double target = how == clocked::device && !lab.is_cpu ? 2e-3 : how == clocked::device ? 10e-3 : 4e-3;
  unsigned batch = static_cast<unsigned>(std::clamp(std::ceil(target / each), 1.0, 128.0));
  // A call that blocks waits for the lead however few there are; the rest must fit behind it.
  if (lead > 0 && s.enqueue_s < 0.9 * lead) {
    const double room = 0.7 * lead / std::max(s.enqueue_s / calls, 0.1e-6);
    batch = std::min(batch, static_cast<unsigned>(std::clamp(room, 8.0, 128.0)));
  }
  return batch;
}

void conclude(const laboratory& lab, clocked how, const running& r) {
  result& out = *r.into;
  if (!out.good()) return;
  const bool led = how == clocked::device && !r.leads.empty();
  const double lead = led ? median(r.leads) : 0;
  std::vector<double> times;
  for (const double wall : r.walls) times.push_back((wall - lead) / r.batch);
  out.seconds = quantile(times, 0.5);
  out.lowest = quantile(times, 0);
  out.spread = out.seconds > 0 ? distance_of_quartiles(times) / out.seconds : 0;
  out.samples = static_cast<unsigned>(times.size());
  out.batch = r.batch;
  out.enqueue_s = median(r.enqueues) / r.batch;
  out.host_bound = led && median(r.enqueues) > 0.95 * lead;
  out.bytes = r.it.bytes;
  out.checked = static_cast<bool>(r.it.wrong);
  if (out.seconds <= 0) {  // of a peer's process, which has a lead of its own
    out.skip = "no time was measured (" + std::to_string(out.seconds * 1e6) + " us)";
    return;
  }
  if (out.bytes > 0 && how != clocked::enqueue) {
    out.bytes_per_s = out.bytes / out.seconds;
    const double each = out.bytes_per_s / r.it.devices;
    if (lab.copy_bytes_per_s > 0) out.of_copy = each / lab.copy_bytes_per_s;
    if (lab.peak_bytes_per_s > 0) out.of_peak = each / lab.peak_bytes_per_s;
    out.cache = out.of_peak > 1;
  }
}

// Samples of all in turn, in place of those that they had.
void take_samples(laboratory& lab, const group& rows, std::vector<running>& all, behind what) {
  for (running& r : all) {
    r.walls.clear();
    r.leads.clear();
    r.enqueues.clear();
  }
  const unsigned samples = rows.samples > 0 ? std::min(rows.samples, lab.samples) : lab.samples;
  for (unsigned s = 0; s < samples; ++s) {
    for (std::size_t k = 0; k < all.size(); ++k) {
      running& r = all[(k + s) % all.size()];  // each comes first in its turn
      guard(r, [&] {
        if (s + 1 == samples && r.it.spoil) r.it.spoil();
        const sample taken = rows.how == clocked::itself && !r.it.remote
                                 ? [&] {
                                     const auto start = clock::now();
                                     r.it.call(0);
                                     return sample{.seconds = seconds_between(start, clock::now())};
                                   }()
                                 : take(lab, rows.how, r, r.batch, rows.places, what);
        r.walls.push_back(taken.seconds);
        r.enqueues.push_back(taken.enqueue_s);
        if (taken.lead_s > 0) r.leads.push_back(taken.lead_s);
        // and after the last sample, from its last call.
        if (s + 1 == samples) {
          finish(lab, r.it);
          r.into->wrong = verdict(r);
        }
      });
    }
  }
}

}  // namespace

std::vector<result> measure(laboratory& lab, const group& rows) {
  const waiting word("measuring " + (rows.rows.empty() ? std::string() : rows.rows.front().name));
  std::vector<result> results(rows.rows.size());
  std::vector<running> all(rows.rows.size());
  for (std::size_t i = 0; i < all.size(); ++i) {
    results[i].name = rows.rows[i].name;
    results[i].sentence = rows.rows[i].sentence;
    running& r = all[i];
    r.into = &results[i];
    guard(r, [&] {
      r.it = rows.rows[i].make();
      r.into->skip = r.it.skip;
    });
    // The answer is checked before anything is measured: from one call of its own,
    guard(r, [&] {
      if (r.it.spoil) r.it.spoil();
      if (rows.how == clocked::itself) return;
      r.next_place = 0;
      take(lab, clocked::blocking, r, 1, rows.places);
      finish(lab, r.it);
      r.into->wrong = verdict(r);
    });
    guard(r, [&] {
      r.batch = choose_batch(lab, rows.how, r, rows.places);
      if (rows.calls > 0) r.batch = std::min(r.batch, rows.calls);
    });
  }

  take_samples(lab, rows, all, behind::lead);
  // Then leads tell nothing, and all of the group, which are compared, are measured without: what launches
  // cost the host is in their times, as is the other processes' share of the device.
  const bool drowned =
      std::ranges::any_of(all, [](const running& r) { return r.good() && is_drowned(r.walls, r.leads); });
  if (drowned) take_samples(lab, rows, all, behind::nothing);
  for (std::size_t i = 0; i < all.size(); ++i) {
    conclude(lab, rows.how, all[i]);
    if (all[i].it.found) results[i].more = *all[i].it.found;
    if (drowned && results[i].good()) results[i].more["without_lead"] = 1;
    if (all[i].it.flops > 0 && results[i].good() && results[i].seconds > 0)
      results[i].more["tflop_per_s"] = all[i].it.flops / results[i].seconds * 1e-12;
    // A contender that measures itself knows better than the clock around it.
    if (const auto own = results[i].more.find("seconds"); own != results[i].more.end()) {
      results[i].seconds = results[i].lowest = own->second;
      results[i].spread = 0;
      results[i].more.erase(own);
    }
  }
  if (rows.compare) rows.compare(results);
  return results;
}

}  // namespace clwave::tool::bench
