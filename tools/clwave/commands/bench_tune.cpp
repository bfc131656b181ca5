// clwave tune: numbers for one primitive that are faster on this device than its row's, measured by the
// bench's rule and kept in the user's configuration directory.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <ctime>
#include <iostream>
#include <memory>
#include <set>

#include <unistd.h>

#include <clwave/layout.hpp>
#include <clwave/transpose.hpp>

#include "base/environment.hpp"
#include "bench/bench.hpp"
#include "device/tuning.hpp"
#include "output.hpp"

namespace clwave::tool::bench {
namespace {

using clock = std::chrono::steady_clock;

// What two medians may differ by where nothing differs.
constexpr double noise = 0.01;
// As near as this to the device's own copy, nothing more is looked for.
constexpr double near_copy = 0.97;  // of a GPU; a CPU's driver may copy with one core

struct tune_words {
  std::string primitive, selector, type, n;
  double budget_s = 60;
  bool as_json = false, forget = false, list = false;
};

// What is measured for a primitive.
struct work {
  std::string type;
  std::uint64_t n = 0;
  std::size_t places = 1;
  std::function<contender()> make;
  std::function<call_plan(const plan_target&)> plan;
};

[[noreturn]] void refuse(const std::string& message, std::string advice = {}) {
  throw error(failure::bad_call, message, CL_SUCCESS, {.advice = std::move(advice)});
}

std::string primitive_names() {
  std::string names;
  for (const std::string_view name : tuned_primitives())
    names += (names.empty() ? "" : " ") + std::string(name);
  return names;
}

void check_type(const std::string& primitive, const std::string& type,
                const std::vector<std::string>& known) {
  if (std::ranges::find(known, type) != known.end()) return;
  std::string names;
  for (const std::string& name : known) names += (names.empty() ? "" : " ") + name;
  refuse("tune measures no " + primitive + " of \"" + type + "\"", "use one of " + names);
}

// The side of a square of about n elements.
std::uint64_t side_of(std::uint64_t n) {
  const auto side = static_cast<std::uint64_t>(std::sqrt(static_cast<double>(n)));
  return std::max<std::uint64_t>(side < 128 ? side : side / 64 * 64, 1);
}

work work_of(laboratory& lab, const tune_words& words) {
  const std::string& primitive = words.primitive;
  work w;
  w.type = words.type.empty() ? "f32" : words.type;
  w.n = words.n.empty() ? std::uint64_t{1} << (lab.is_cpu ? 24 : 28) : number_of_elements(words.n);
  if (w.n == 0) refuse("nothing is measured of no elements");
  const element* type = find_element(w.type);
  if (primitive == "reduce") {
    check_type(primitive, w.type, {"f32", "f64", "i32", "u8", "f16"});
    const std::string types = w.type == "u8" ? "u8-u32" : w.type == "f16" ? "f16-f32" : w.type;
    const reduce_task task{{"sum", types}, lab.arrange(w.n, type->size)};
    const element* accumulator = find_element(output_type(types));
    w.places = task.at.places;
    w.make = [&lab, task] { return clwave_reduce(lab, task); };
    w.plan = [type, accumulator, n = w.n](const plan_target& on) {
      return clwave::plan(reduce_question{*type, accumulator, n}, on);
    };
  } else if (primitive == "copy" || primitive == "fill") {
    if (primitive == "copy")
      check_type(primitive, w.type, {"f32", "u8"});
    else
      check_type(primitive, w.type, {"f32"});
    const copy_task task{primitive == "copy" ? "same" : "fill", w.type, lab.arrange(w.n, type->size)};
    w.places = task.at.places;
    w.make = [&lab, task] { return clwave_copy(lab, task); };
    w.plan = [type, n = w.n, fills = primitive == "fill"](const plan_target& on) {
      return fills ? plan(fill_question{*type, n, &fill_value}, on)
                   : plan(copy_question{*type, *type, n}, on);
    };
  } else if (primitive == "transpose") {
    check_type(primitive, w.type, {"f32", "f64", "u8", "u16", "f32x4"});
    const std::uint64_t side = side_of(w.n);
    w.n = side * side;
    const transpose_task task{w.type, side, side, lab.arrange(w.n, type->size)};
    w.places = task.at.places;
    w.make = [&lab, task] { return clwave_transpose(lab, task); };
    w.plan = [type, side](const plan_target& on) {
      return clwave::plan(transpose_question{*type, *type, {.rows = side, .columns = side}}, on);
    };
  } else if (primitive == "layout") {
    check_type(primitive, w.type, {"f32"});
    if (words.n.empty()) w.n /= 4;
    arrangement at = lab.arrange(w.n, 12);
    at.stride = (at.stride + 63) / 64 * 64;  // as the bench's rows do
    w.places = at.places;
    w.make = [&lab, at] { return clwave_three_floats(lab, at); };
    w.plan = [n = w.n](const plan_target& on) {
      const layout fields{12, {{4, 0}, {4, 4}, {4, 8}}};
      return clwave::plan(layout_question{&fields, n}, on);
    };
  } else {
    check_type(primitive, w.type, {"f32"});
    const bool spreads = primitive == "broadcast";
    const std::uint64_t side = side_of(w.n);
    // The check compares packets of four.
    w.n = spreads ? (side + 3) / 4 * 4 * ((side + 3) / 4 * 4) : (w.n + 3) / 4 * 4;
    const std::uint64_t columns = spreads ? (side + 3) / 4 * 4 : 0;
    const arrangement at = lab.arrange(w.n, 4);
    w.places = at.places;
    w.make = [&lab, at, columns] {
      return clwave_transform(lab, columns != 0 ? "column" : "scale", at, columns);
    };
    w.plan = [n = w.n, columns](const plan_target& on) {
      const element& f32 = element_of<float>();
      const map text{.name = "text", .source = columns != 0 ? "x + b" : "x * 0.5f + 0.25f"};
      if (columns == 0) return clwave::plan(transform_question{{f32}, f32, n, &text}, on);
      const broadcast_shape size{.rows = n / columns, .columns = columns};
      return clwave::plan(broadcast_question{f32, f32, f32, size, per::column, &text}, on);
    };
  }
  if (type->opencl_name.starts_with("double") && !lab.on.facts->fp64.value_or(false))
    refuse("the device has no doubles");
  const double bytes =
      static_cast<double>(w.n) * (primitive == "layout" ? 12 : static_cast<double>(type->size));
  check_fits(lab.on, static_cast<std::uint64_t>(bytes), "the data to tune with");
  return w;
}

json record_of(const tuning& numbers) {
  return {{"group_size", numbers.group_size},
          {"items", numbers.items},
          {"groups_per_unit", numbers.groups_per_unit},
          {"vector_bytes", numbers.vector_bytes},
          {"registers", numbers.registers}};
}

json record_of(const saved_tuning& row) {
  return {{"primitive", row.primitive},
          {"device", row.device},
          {"driver", row.driver},
          {"profile", row.profile},
          {"date", row.date},
          {"measured", row.measured},
          {"gb_per_s", row.gb_per_s},
          {"row_gb_per_s", row.row_gb_per_s},
          {"numbers", record_of(row.numbers)}};
}

std::string rounded(double value, int digits = 1) {
  char text[40];
  std::snprintf(text, sizeof text, "%.*f", digits, value);
  return text;
}

// Numbers one step away from these.
std::vector<tuning> neighbours(const profile& row, const tuning& from, const std::string& primitive,
                               bool is_nvidia) {
  std::vector<tuning> all;
  const auto step = [&](unsigned tuning::*member, unsigned number) {
    tuning numbers = from;
    numbers.*member = number;
    if (number != from.*member && fault_of(row, numbers).empty()) all.push_back(numbers);
  };
  for (unsigned tuning::*member :
       {&tuning::items, &tuning::group_size, &tuning::groups_per_unit, &tuning::vector_bytes}) {
    step(member, from.*member * 2);
    step(member, from.*member / 2);
  }
  step(&tuning::groups_per_unit, from.groups_per_unit + 1);
  step(&tuning::groups_per_unit, from.groups_per_unit - 1);
  if (primitive == "reduce" && is_nvidia) {
    for (const unsigned registers : {0u, 64u, 80u, 96u, 128u}) step(&tuning::registers, registers);
  }
  return all;
}

// The search, and all it saw.
class search {
 public:
  search(laboratory& lab, const tune_words& words, work what)
      : lab_(lab), words_(words), work_(std::move(what)), row_(*find_profile(lab.on.choice.row->name)) {
    shows_ = isatty(2) == 1 || !words.as_json;
  }
  ~search() { try_tuning(words_.primitive, nullptr); }
  search(const search&) = delete;
  search& operator=(const search&) = delete;

  // Returns the exit code.
  int run() {
    const auto start = clock::now();
    const auto spent = [&] { return std::chrono::duration<double>(clock::now() - start).count(); };
    const tuning first = tuning_of(row_, words_.primitive);
    say(work_.type + ", n " + std::to_string(work_.n) + " on " + lab_.on.device_name() + ", row " +
        std::string(row_.name) + ", copy " + rounded(lab_.copy_bytes_per_s * 1e-9) + " GB/s");
    seen_.insert(signature(first).value_or(""));
    const result own = measure_all({first}).front();
    if (!own.skip.empty() || !own.wrong.empty()) {
      complain("the row's own numbers: " + own.skip + own.wrong);
      return own.wrong.empty() ? exit_internal : exit_wrong_result;
    }
    show(first, own, "the row's");
    best_ = first;
    best_result_ = own;
    std::string stopped;
    for (bool better = true; better && stopped.empty();) {
      better = false;
      for (const tuning& next : neighbours(row_, best_, words_.primitive, lab_.is_nvidia)) {
        if (best_result_.of_copy >= near_copy && !lab_.is_cpu)
          stopped = "near the device's copy speed";
        else if (spent() >= words_.budget_s)
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
    const int code = conclude(first, stopped);
    record_["seconds"] = spent();
    if (words_.as_json) out() << text_of(record_) << '\n';
    return code;
  }

 private:
  // Measures numbers side by side.
  std::vector<result> measure_all(const std::vector<tuning>& all) {
    group rows;
    rows.places = work_.places;
    for (const tuning& numbers : all) {
      rows.rows.push_back({"tune/" + words_.primitive, "", [this, numbers] {
                             const auto put = [this, numbers] { try_tuning(words_.primitive, &numbers); };
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
  std::optional<std::string> signature(const tuning& numbers) const try {
    const profile made = with_tuning(row_, words_.primitive, numbers);
    plan_target on{.facts = lab_.on.facts, .choice = lab_.on.choice};
    on.choice.row = &made;
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

  bool try_one(const tuning& next) {
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
  int conclude(const tuning& first, const std::string& stopped) {
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
        why = "the best, " + clwave::text_of(best_) + ", is not more than " + rounded(100 * needed, 0) +
              " % faster than the row's numbers";
    }
    // What an earlier run saved is no faster either, then.
    if (!why.empty() && drop_saved()) why += "; what was saved before is removed";
    if (why.empty() && tuning_file().empty()) why = "CLWAVE_CONFIG_DIR turns it off, or there is no home";
    const bool failed = why.empty() && !save(row_speed, speed);
    if (failed) why = tuning_file() + " could not be written";
    saved = why.empty();
    if (saved) why = "saved in " + tuning_file();
    record_.update({{"schema", "clwave-tune/1"},
                    {"primitive", words_.primitive},
                    {"type", work_.type},
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
                    {"candidates", candidates_}});
    if (!words_.as_json)
      out() << words_.primitive << ": " << clwave::text_of(best_) << "; " << rounded(speed * 1e-9)
            << " GB/s, the row's numbers " << rounded(row_speed * 1e-9) << "\nended: " << stopped << '\n'
            << (saved ? "" : "not saved: ") << why << '\n';
    if (wrong_ > 0) {
      complain("wrong result: with " + std::to_string(wrong_) + " of the candidates");
      return exit_wrong_result;
    }
    if (failed) {
      complain(why);
      return exit_usage;
    }
    return exit_ok;
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
                            .primitive = words_.primitive,
                            .numbers = best_,
                            .date = date,
                            .measured = work_.type + ", n " + std::to_string(work_.n),
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
      return row.primitive == words_.primitive && row.device == lab_.on.facts->name.value_or("") &&
             row.profile == row_.name;
    });
    return all;
  }

  // Whether there was one, and it is gone.
  bool drop_saved() const {
    const std::vector<saved_tuning> others = others_saved();
    return others.size() < read_tunings().size() && write_tunings(others);
  }

  void show(const tuning& numbers, const result& r, const std::string& verdict) {
    const std::string outcome = !r.wrong.empty()  ? "WRONG: " + r.wrong
                                : !r.skip.empty() ? "failed: " + r.skip
                                                  : verdict;
    json one = record_of(numbers);
    one.update({{"gb_per_s", r.bytes_per_s * 1e-9},
                {"of_copy", r.of_copy},
                {"spread", r.spread},
                {"outcome", outcome}});
    candidates_.push_back(std::move(one));
    std::string line = clwave::text_of(numbers) + ": ";
    if (r.good())
      line += rounded(r.bytes_per_s * 1e-9) + " GB/s, " + rounded(100 * r.of_copy, 0) + " % of copy, ";
    say(line + outcome.substr(0, outcome.find('\n')));
  }

  void say(const std::string& line) const {
    if (shows_) std::cerr << line << std::endl;
  }

  laboratory& lab_;
  const tune_words& words_;
  work work_;
  const profile& row_;  // the table's own
  tuning best_;
  result best_result_;
  std::set<std::string> seen_;
  unsigned wrong_ = 0;
  bool shows_ = true;
  json candidates_ = json::array();
  json record_ = json::object();
};

int list(const tune_words& words) {
  std::vector<saved_tuning> all = read_tunings();
  if (!words.primitive.empty())
    std::erase_if(all, [&](const saved_tuning& row) { return row.primitive != words.primitive; });
  if (words.as_json) {
    json rows = json::array();
    for (const saved_tuning& row : all) rows.push_back(record_of(row));
    out() << text_of(json{{"schema", "clwave-tune/1"}, {"file", tuning_file()}, {"tunings", rows}}) << '\n';
    return exit_ok;
  }
  if (all.empty())
    out() << "nothing is tuned" << (words.primitive.empty() ? "" : " of " + words.primitive) << '\n';
  for (const saved_tuning& row : all)
    out() << row.primitive << "  " << row.device << ", driver " << row.driver << ", row " << row.profile
          << ": " << clwave::text_of(row.numbers) << "; " << row.date << ", " << row.measured << ", "
          << rounded(row.gb_per_s) << " GB/s where the row gave " << rounded(row.row_gb_per_s) << '\n';
  return exit_ok;
}

int forget(const tune_words& words) {
  std::vector<saved_tuning> all = read_tunings();
  const std::size_t gone = std::erase_if(all, [&](const saved_tuning& row) {
    return words.primitive.empty() || row.primitive == words.primitive;
  });
  if (gone > 0 && !write_tunings(all)) refuse(tuning_file() + " could not be written");
  if (words.as_json)
    out() << text_of(json{{"schema", "clwave-tune/1"}, {"file", tuning_file()}, {"forgotten", gone}}) << '\n';
  else
    out() << "forgot " << gone << (gone == 1 ? " row\n" : " rows\n");
  return exit_ok;
}

int run(const tune_words& words) {
  if (!words.primitive.empty() &&
      std::ranges::find(tuned_primitives(), words.primitive) == tuned_primitives().end())
    refuse("\"" + words.primitive + "\" has no numbers that could be tuned",
           "use one of " + primitive_names());
  if (words.list && words.forget) refuse("--list and --forget are two things");
  if (words.list) return list(words);
  if (words.forget) return forget(words);
  if (words.primitive.empty())
    refuse("tune needs a primitive, --list or --forget", "use one of " + primitive_names());
  if (!words.n.empty()) number_of_elements(words.n);  // refused before any driver is asked
  if (environment("CLWAVE_PROFILE") != nullptr)
    refuse("tunings are for the row that a device gets by itself", "unset CLWAVE_PROFILE");
  laboratory lab(words.selector);
  work what = work_of(lab, words);
  const call_plan plan = what.plan({.facts = lab.on.facts, .choice = lab.on.choice});
  lab.measure_copy_speed(std::max<std::uint64_t>(plan.n, 1));
  return search(lab, words, std::move(what)).run();
}

}  // namespace
}  // namespace clwave::tool::bench

namespace clwave::tool {

void add_tune(CLI::App& app, int& exit) {
  CLI::App* command = app.add_subcommand(
      "tune", "Finds numbers that make a primitive faster on this device, and keeps them for later runs");
  auto words = std::make_shared<bench::tune_words>();
  command->add_option("PRIMITIVE", words->primitive, bench::primitive_names());
  command->add_option("-d,--device", words->selector, "On this device (see clwave --help)");
  command->add_option("--type", words->type, "Element type (default f32)");
  command->add_option("--n", words->n,
                      "How many elements; K, M, G are 2^10, 2^20, 2^30 (default 256M, on a CPU 16M)");
  command->add_option("--budget", words->budget_s, "Seconds after which no new candidate is tried")
      ->capture_default_str()
      ->check(CLI::Range(0.0, 1e6));
  command->add_flag("--json", words->as_json, "As JSON, schema clwave-tune/1");
  command->add_flag("--list", words->list, "Shows what is saved");
  command->add_flag("--forget", words->forget, "Removes what is saved, of the primitive or of all");
  command->footer(
      "Starts from the profile's row and steps to neighbours while they are faster, each measured beside the "
      "best\n"
      "so far by the rule of clwave bench, results checked; ends within 3 % of the device's copy speed. The "
      "winner\n"
      "is saved if it is more than 1 % (and what the samples spread) faster than the row, in "
      "CLWAVE_CONFIG_DIR (\"off\": nowhere), else in "
      "clwave\n"
      "in the user's configuration directory, for this device, its driver's version and its row. Results "
      "have the\n"
      "same bits with every tuning. Exits 6 if a result is wrong.");
  command->callback([words, &exit] { exit = bench::run(*words); });
}

}  // namespace clwave::tool
