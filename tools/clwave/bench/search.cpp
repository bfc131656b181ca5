// The search of `clwave tune`, each candidate measured beside the best so far by the bench's rule.
#include "bench/search.hpp"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <ctime>
#include <iostream>
#include <optional>
#include <set>

namespace clwave::tool::bench {
using namespace detail;
namespace {

using clock = std::chrono::steady_clock;

// What two medians may differ by where nothing differs.
constexpr double noise = 0.01;
// As near as this to the device's own copy, nothing more is looked for.
constexpr double near_copy = 0.97;  // of a GPU; a CPU's driver may copy with one core

// Numbers one step away from these.
std::vector<tunable_numbers> neighbours(const profile& row, const tunable_numbers& from,
                                        const std::string& primitive, bool is_nvidia) {
  std::vector<tunable_numbers> all;
  for (const named_number& each : from) {
    if (limits_registers(each) && !is_nvidia) continue;
    for (const unsigned number : steps_from(primitive, each)) {
      tunable_numbers numbers = from;
      numbers[each.name] = number;
      if (fault_of(row, primitive, numbers).empty()) all.push_back(std::move(numbers));
    }
  }
  return all;
}

// The search, and all it saw.
class search {
 public:
  search(laboratory& lab, std::string primitive, std::string type, tuned_work what, double budget_s,
         bool shows)
      : lab_(lab),
        primitive_(std::move(primitive)),
        type_(std::move(type)),
        work_(std::move(what)),
        budget_s_(budget_s),
        shows_(shows),
        row_(*find_profile(lab.on.choice.profile->name)) {}
  ~search() { try_tuning(primitive_, nullptr); }
  search(const search&) = delete;
  search& operator=(const search&) = delete;

  search_end run() {
    const auto start = clock::now();
    const auto spent = [&] { return std::chrono::duration<double>(clock::now() - start).count(); };
    const tunable_numbers first = tuning_of(row_, primitive_);
    say(type_ + ", n " + std::to_string(work_.n) + " on " + lab_.on.device_name() + ", profile " +
        std::string(row_.name) + ", copy " + rounded(lab_.copy_bytes_per_s * 1e-9) + " GB/s");
    seen_.insert(signature(first).value_or(""));
    const result own = measure_all({first}).front();
    if (!own.skip.empty() || !own.wrong.empty()) {
      return {.code = own.wrong.empty() ? exit_internal : exit_wrong_result,
              .complaint = "the row's own numbers: " + own.skip + own.wrong};
    }
    show(first, own, "the row's");
    best_ = first;
    best_result_ = own;
    std::string stopped;
    for (bool better = true; better && stopped.empty();) {
      better = false;
      for (const tunable_numbers& next : neighbours(row_, best_, primitive_, lab_.is_nvidia)) {
        if (best_result_.of_copy >= near_copy && !lab_.is_cpu)
          stopped = "near the device's copy speed";
        else if (spent() >= budget_s_)
          stopped = "the budget is used up";
        if (!stopped.empty()) break;
        // The same program and launch under another name need no measuring.
        const auto own_signature = signature(next);
        if (!own_signature || !seen_.insert(*own_signature).second) continue;
        if (try_one(next)) {
          better = true;
          break;
        }
      }
    }
    if (stopped.empty()) stopped = "no neighbour is faster";
    search_end end = conclude(first, stopped);
    end.record["seconds"] = spent();
    return end;
  }

 private:
  // Measures numbers side by side.
  std::vector<result> measure_all(const std::vector<tunable_numbers>& all) {
    group rows;
    rows.places = work_.places;
    for (const tunable_numbers& numbers : all) {
      rows.rows.push_back({"tune/" + primitive_, "", [this, numbers] {
                             const auto put = [this, numbers] { try_tuning(primitive_, &numbers); };
                             put();
                             contender c = work_.make();
                             c.call = [put, call = std::move(c.call)](std::size_t place) {
                               put();
                               call(place);
                             };
                             return c;
                           }});
    }
    return measure(lab_, rows);
  }

  // All that numbers decide: the program and its launch. Nothing where they cannot be.
  std::optional<std::string> signature(const tunable_numbers& numbers) const try {
    const profile made = with_tuning(row_, primitive_, numbers);
    plan_target on{.facts = lab_.on.facts, .choice = lab_.on.choice};
    on.choice.profile = &made;
    const call_plan plan = work_.plan(on);
    std::string text = plan.options;
    for (const planned_kernel& kernel : plan.kernels) {
      text +=
          '|' + kernel.name + ' ' + std::to_string(kernel.groups) + ' ' + std::to_string(kernel.group_size);
      for (const planned_argument& argument : kernel.arguments) text += ' ' + argument.value;
    }
    return text;
  } catch (const error&) {
    return std::nullopt;
  }

  bool try_one(const tunable_numbers& next) {
    const std::vector<result> both = measure_all({best_, next});
    const result& other = both[1];
    const bool faster = both[0].good() && other.good() && other.seconds < both[0].seconds * (1 - noise / 2);
    show(next, other, !other.good() ? "" : faster ? "faster" : "no faster");
    if (!other.wrong.empty()) ++wrong_;
    if (faster) {
      best_ = next;
      best_result_ = other;
    }
    return faster;
  }

  // The best against the row once more, and what comes of it.
  search_end conclude(const tunable_numbers& first, const std::string& stopped) {
    bool saved = false;
    std::string why;
    double row_speed = best_result_.bytes_per_s;
    double speed = row_speed;
    if (best_ == first) {
      why = "nothing was more than " + rounded(100 * noise, 0) + " % faster than the row's numbers";
    } else {
      const std::vector<result> both = measure_all({first, best_});
      row_speed = both[0].bytes_per_s;
      speed = both[1].bytes_per_s;
      for (const result& each : both) wrong_ += each.wrong.empty() ? 0 : 1;
      // On a noisy machine the samples' own spread says how far a median is to be believed.
      const double needed = std::max(noise, (both[0].spread + both[1].spread) / 4);
      if (!both[0].good() || !both[1].good() || speed < row_speed * (1 + needed))
        why = "the best, " + clwave::detail::text_of(best_) + ", is not more than " +
              rounded(100 * needed, 0) + " % faster than the row's numbers";
    }
    // What an earlier run saved is no faster either, then.
    if (!why.empty() && drop_saved()) why += "; what was saved before is removed";
    if (why.empty() && tuning_file().empty()) why = "CLWAVE_CONFIG_DIR turns it off, or there is no home";
    const bool failed = why.empty() && !save(row_speed, speed);
    if (failed) why = tuning_file() + " could not be written";
    saved = why.empty();
    if (saved) why = "saved in " + tuning_file();
    search_end end;
    end.record = {{"schema", "clwave-tune/1"},
                  {"primitive", primitive_},
                  {"type", type_},
                  {"n", work_.n},
                  {"device", lab_.on.facts->name.value_or("")},
                  {"driver", lab_.on.facts->driver_version.value_or("")},
                  {"profile", row_.name},
                  {"copy_gb_per_s", lab_.copy_bytes_per_s * 1e-9},
                  {"row", record_of(first)},
                  {"row_gb_per_s", row_speed * 1e-9},
                  {"best", record_of(best_)},
                  {"best_gb_per_s", speed * 1e-9},
                  {"stopped", stopped},
                  {"saved", saved},
                  {"why", why},
                  {"candidates", candidates_}};
    end.text = primitive_ + ": " + clwave::detail::text_of(best_) + "; " + rounded(speed * 1e-9) +
               " GB/s, the row's numbers " + rounded(row_speed * 1e-9) + "\nended: " + stopped + "\n" +
               (saved ? "" : "not saved: ") + why + "\n";
    if (wrong_ > 0) {
      end.complaint = "wrong result: with " + std::to_string(wrong_) + " of the candidates";
      end.code = exit_wrong_result;
    } else if (failed) {
      end.complaint = why;
      end.code = exit_usage;
    }
    return end;
  }

  bool save(double row_speed, double speed) const {
    const std::time_t now = std::time(nullptr);
    std::tm day{};
    gmtime_r(&now, &day);
    char date[16] = "";
    std::strftime(date, sizeof date, "%Y-%m-%d", &day);
    const saved_tuning made{.device = lab_.on.facts->name.value_or(""),
                            .driver = lab_.on.facts->driver_version.value_or(""),
                            .profile = std::string(row_.name),
                            .primitive = primitive_,
                            .numbers = best_,
                            .date = date,
                            .measured = type_ + ", n " + std::to_string(work_.n),
                            .gb_per_s = speed * 1e-9,
                            .row_gb_per_s = row_speed * 1e-9};
    std::vector<saved_tuning> all = others_saved();
    all.push_back(made);
    return write_tunings(all);
  }

  // What is saved, but for this primitive on this device.
  std::vector<saved_tuning> others_saved() const {
    std::vector<saved_tuning> all = read_tunings();
    std::erase_if(all, [&](const saved_tuning& row) {
      return row.primitive == primitive_ && row.device == lab_.on.facts->name.value_or("") &&
             row.profile == row_.name;
    });
    return all;
  }

  // Whether there was one, and it is gone.
  bool drop_saved() const {
    const std::vector<saved_tuning> others = others_saved();
    return others.size() < read_tunings().size() && write_tunings(others);
  }

  void show(const tunable_numbers& numbers, const result& r, const std::string& verdict) {
    const std::string outcome = !r.wrong.empty()  ? "WRONG: " + r.wrong
                                : !r.skip.empty() ? "failed: " + r.skip
                                                  : verdict;
    json one = record_of(numbers);
    one.update({{"gb_per_s", r.bytes_per_s * 1e-9},
                {"of_copy", r.of_copy},
                {"spread", r.spread},
                {"outcome", outcome}});
    candidates_.push_back(std::move(one));
    std::string line = clwave::detail::text_of(numbers) + ": ";
    if (r.good())
      line += rounded(r.bytes_per_s * 1e-9) + " GB/s, " + rounded(100 * r.of_copy, 0) + " % of copy, ";
    say(line + outcome.substr(0, outcome.find('\n')));
  }

  void say(const std::string& line) const {
    if (shows_) std::cerr << line << std::endl;
  }

  laboratory& lab_;
  std::string primitive_, type_;
  tuned_work work_;
  double budget_s_;
  bool shows_;
  const profile& row_;  // the table's own
  tunable_numbers best_;
  result best_result_;
  std::set<std::string> seen_;
  unsigned wrong_ = 0;
  json candidates_ = json::array();
};

}  // namespace

json record_of(const tunable_numbers& numbers) {
  json all = json::object();
  for (const named_number& each : numbers) all[std::string(each.name)] = each.value;
  return all;
}

std::string rounded(double value, int digits) {
  char text[40];
  std::snprintf(text, sizeof text, "%.*f", digits, value);
  return text;
}

search_end search_tuning(laboratory& lab, const std::string& primitive, const std::string& type,
                         const tuned_work& what, double budget_s, bool shows) {
  return search(lab, primitive, type, what, budget_s, shows).run();
}

}  // namespace clwave::tool::bench
