// Every function and template of search.hpp.
#include "every_call.hpp"

#include <clwave/search.hpp>

namespace {

// The three forms of a call by a predicate.
template <class Value, class Into, class Later>
void three(const Value& value, const Into& into, const Later& later) {
  static_cast<void>(value());
  into();
  static_cast<void>(later().valid());
}

}  // namespace

void calls_of_search(const call_operands& on) {
  const clwave::map positive{.name = "positive", .source = "x > 0"};
  const clwave::op close{.name = "close", .source = "fabs(a - b) < 1"};
  const clwave::view<std::uint64_t> index{on.buffer, 1, 30};
  const clwave::view<bool> truth{on.buffer, 1, 240};
  const auto& q = on.queue;
  const auto& x = on.x;
  const auto& y = on.y;
  three([&] { return clwave::find_if(q, x, positive); }, [&] { clwave::find_if(q, x, index, positive); },
        [&] { return clwave::find_if_async(q, x, positive); });
  three([&] { return clwave::any_of(q, x, positive); }, [&] { clwave::any_of(q, x, truth, positive); },
        [&] { return clwave::any_of_async(q, x, positive); });
  three([&] { return clwave::all_of(q, x, positive); }, [&] { clwave::all_of(q, x, truth, positive); },
        [&] { return clwave::all_of_async(q, x, positive); });
  three([&] { return clwave::none_of(q, x, positive); }, [&] { clwave::none_of(q, x, truth, positive); },
        [&] { return clwave::none_of_async(q, x, positive); });
  three([&] { return clwave::mismatch(q, x, y); }, [&] { clwave::mismatch(q, x, y, index); },
        [&] { return clwave::mismatch_async(q, x, y); });
  three([&] { return clwave::mismatch(q, x, y, close); }, [&] { clwave::mismatch(q, x, y, index, close); },
        [&] { return clwave::mismatch_async(q, x, y, close); });
  three([&] { return clwave::equal(q, x, y); }, [&] { clwave::equal(q, x, y, truth); },
        [&] { return clwave::equal_async(q, x, y); });
  three([&] { return clwave::equal(q, x, y, close); }, [&] { clwave::equal(q, x, y, truth, close); },
        [&] { return clwave::equal_async(q, x, y, close); });
  three([&] { return clwave::is_sorted(q, x); },
        [&] { clwave::is_sorted(q, x, truth, {.descending = true, .after = {on.before}}); },
        [&] { return clwave::is_sorted_async(q, x); });
  const clwave::search_problem problem{.in = {on.f32, 1000}, .predicate = &positive};
  clwave::plan(problem, on.target);
  std::uint64_t at = clwave::nowhere;
  clwave::search(on.queue, problem);
  clwave::search(on.queue, problem, &at);
}
