// clwave warm: builds the programs of calls ahead, so that later processes find them in the caches.
#include <chrono>
#include <fstream>
#include <iostream>
#include <istream>
#include <memory>
#include <optional>
#include <set>

#include <CLI/CLI.hpp>

#include <clwave/prepare.hpp>

#include "base/disk_cache.hpp"
#include "commands/logged_program.hpp"
#include "drivers/session.hpp"
#include "primitives/planned_primitive.hpp"
#include "program/program.hpp"
#include "shared/output.hpp"
#include "shared/records.hpp"
#include "shared/terminal.hpp"
#include "shared/words.hpp"

namespace clwave::tool {
namespace {

struct warm_words {
  std::string selector;
  std::vector<std::string> calls, files;
  unsigned threads = 0;
  bool as_json = false;
};

// A call that was asked for: in words, or a line of a log.
struct wanted {
  std::string text;   // as it was given; of a line of a log what it is of
  std::string place;  // of it, for errors: "calls.txt:3"
  std::function<call_plan(const plan_target&)> plan;
  std::optional<logged_program> logged;
};

// A call in the words of `clwave why`.
wanted call_in_words(const std::string& text, const std::string& place) {
  CLI::App app("a call");
  app.require_subcommand(1);
  wanted call{text, place, {}, {}};
  for (const planned_primitive& primitive : planned_primitives()) {
    CLI::App* sub = app.add_subcommand(primitive.name, primitive.help);
    if (!primitive.group.empty()) sub->group(primitive.group);
    primitive.add_options(*sub);
    sub->callback([&call, primitive] {
      primitive.problem();  // a wrong word is refused before any driver is asked
      call.plan = primitive.plan;
    });
  }
  try {
    app.parse(text, false);
  } catch (const CLI::ParseError& e) {
    refuse(place + ": \"" + text + "\" is no call: " + e.what(), "clwave why --help lists the words");
  } catch (const error& e) {
    const std::string what = e.what();
    refuse(place + ": " + what.substr(0, what.find('\n')), e.details().advice);
  }
  return call;
}

void add_lines(std::vector<wanted>& all, std::istream& lines, const std::string& name) {
  std::size_t number = 0;
  for (std::string line; std::getline(lines, line);) {
    const std::string place = name + ":" + std::to_string(++number);
    line.erase(0, line.find_first_not_of(" \t\r"));
    line.erase(line.find_last_not_of(" \t\r") + 1);
    if (line.empty() || line.front() == '#') continue;
    if (line.front() != '{') {
      all.push_back(call_in_words(line, place));
      continue;
    }
    const std::optional<logged_program> logged = read_logged(line);
    if (!logged) refuse(place + ": no line of a log of programs");
    all.push_back({logged->title, place, {}, logged});
  }
  if (lines.bad()) refuse("could not read " + name);
}

std::vector<wanted> calls_of(const warm_words& words) {
  std::vector<wanted> all;
  for (const std::string& text : words.calls) all.push_back(call_in_words(text, "the command line"));
  for (const std::string& file : words.files) {
    if (file == "-") {
      add_lines(all, std::cin, "stdin");
      continue;
    }
    std::ifstream lines(file);
    if (!lines) refuse("could not read " + file);
    add_lines(all, lines, file);
  }
  if (all.empty())
    refuse("no calls", "name some: clwave warm \"reduce --type f32 --n 16M\", or --file calls.txt");
  // A log has a line for each process that needed the program.
  std::set<std::string> seen;
  std::erase_if(all, [&](const wanted& each) {
    return !seen.insert(each.logged ? each.logged->line : each.text).second;
  });
  return all;
}

int warm(const warm_words& words) {
  const std::vector<wanted> calls = calls_of(words);
  const session on(words.selector);
  const auto began = std::chrono::steady_clock::now();
  const detail::program_counts before = detail::count_programs();

  json list = json::array();
  std::vector<any_problem> problems;
  std::vector<std::size_t> places;  // of the problems in the list
  for (const wanted& each : calls) {
    json record = {{"call", each.text}, {"place", each.place}, {"outcome", "ready"}, {"why", nullptr}};
    if (const std::string why = each.logged ? why_not_here(*each.logged, *on.facts, on.choice) : "";
        !why.empty()) {
      record["outcome"] = "skipped";
      record["why"] = why;
    } else {
      problems.push_back(each.logged ? problem_of(*each.logged) : any_problem(each.plan));
      places.push_back(list.size());
    }
    list.push_back(std::move(record));
  }

  int exit = exit_ok;
  std::size_t failed = 0;
  {
    const std::size_t n = problems.size();
    const preparation ready =
        prepare(on.context, on.facts->device, std::move(problems), {.threads = words.threads});
    const waiting word([&ready, n] {
      return "built " + std::to_string(ready.prepared()) + " of " + std::to_string(n) + " programs";
    });
    for (std::size_t k = 0; k < n; ++k) {
      try {
        ready.wait(k);
      } catch (const error& e) {
        json& record = list[places[k]];
        record["outcome"] = "failed";
        record["why"] = std::string(e.what());
        if (failed++ == 0) exit = exit_code_of(e.kind());
      }
    }
  }
  const detail::program_counts after = detail::count_programs();
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
  const std::size_t built = after.built - before.built, kept = after.from_disk - before.from_disk;
  const std::size_t skipped = calls.size() - places.size();
  if (words.as_json) {
    out() << text_of(json{{"schema", "clwave-warm/1"},
                          {"device", on.device_name()},
                          {"profile", record_of(on.choice)},
                          {"built", built},
                          {"from_disk", kept},
                          {"failed", failed},
                          {"skipped", skipped},
                          {"seconds", seconds},
                          {"calls", list}})
          << '\n';
  } else {
    for (const json& each : list) {
      const auto outcome = each["outcome"].get<std::string>();
      out() << outcome << std::string(10 - outcome.size(), ' ') << each["call"].get<std::string>() << '\n';
      if (outcome == "skipped") out() << "          " << each["why"].get<std::string>() << '\n';
    }
    // Windows' printf has no %zu.
    const auto text = [](std::size_t n) { return std::to_string(n); };
    print("%s calls on %s: %s programs built, %s found on disk, %s failed, %s skipped; %.1f s\n",
          text(calls.size()).c_str(), on.device_name().c_str(), text(built).c_str(), text(kept).c_str(),
          text(failed).c_str(), text(skipped).c_str(), seconds);
  }
  for (const json& each : list) {
    if (each["outcome"] == "failed")
      complain(each["place"].get<std::string>() + ": " + each["why"].get<std::string>());
  }
  if (!detail::caching())
    complain("CLWAVE_CACHE_DIR is off: only what the driver keeps itself is there for the next process");
  return exit;
}

}  // namespace

void add_warm(CLI::App& app, int& exit) {
  CLI::App* command = app.add_subcommand(
      "warm", "Builds the programs of calls, so that the first call of later processes finds them on disk");
  auto words = std::make_shared<warm_words>();
  command->add_option("CALL", words->calls,
                      "A call in the words of clwave why, in quotes: \"reduce --type f32 --n 16M\"");
  command->add_option("-f,--file", words->files,
                      "Calls from this file (-: stdin), one a line: words, or lines of a CLWAVE_CALL_LOG; # "
                      "begins a comment");
  command->add_option("-d,--device", words->selector, "On this device (see clwave --help)");
  command->add_option("-j,--threads", words->threads, "How many programs are built at a time")
      ->check(CLI::Range(1u, 1024u));
  command->add_flag("--json", words->as_json, "As JSON, schema clwave-warm/1");
  command->callback([words, &exit] { exit = warm(*words); });
}

}  // namespace clwave::tool
