// Reads inputs of the C interface that are no arrays.
#include "c_interface/c_lazy.hpp"

#include <cstddef>
#include <cstdint>
#include <string>

#include <clwave/c/lazy.h>

namespace clwave::detail {
namespace {

constexpr std::size_t most_c_sources = 8;

// A view has room for one pointer beside its buffer, and its offset says the same a second time, so that a
// member that was changed is seen before the pointer is followed.
std::uint64_t as_offset(const void* lazy) { return reinterpret_cast<std::uintptr_t>(lazy); }

any_source source_from_c(const clwave_source& source, std::uint64_t n, const std::string& name) {
  any_source made{.of = view_of(source.of, name + ".of"),
                  .n = n,
                  .first = source.first,
                  .step = source.step == 0 ? 1 : source.step};
  if (source.indices == nullptr) {
    if (source.outside != nullptr)
      refuse_argument("`" + name + ".outside` is for indices, and there are none");
    return made;
  }
  if (source.first != 0 || source.step != 0)
    refuse_argument("`" + name + "` has indices, and steps beside them");
  made.indices = view_of(source.indices, name + ".indices");
  if (source.outside != nullptr) {
    const auto* const bytes = static_cast<const unsigned char*>(source.outside);
    made.outside.assign(bytes, bytes + made.of.type->size);
  }
  return made;
}

const clwave_lazy& lazy_behind(const clwave_view& view, std::string_view name) {
  const std::string operand = "`" + std::string(name) + "`";
  if (view.type != CLWAVE_LAZY || view.buffer != nullptr || view.offset != as_offset(view.count))
    refuse_argument(operand +
                    " is of clwave_lazy_view, and has a buffer, an offset, a type or a count beside that");
  const auto* const lazy = reinterpret_cast<const clwave_lazy*>(view.count);
  if (lazy == nullptr) refuse_argument(operand + " is of clwave_lazy_view, which was given NULL");
  return *lazy;
}

any_lazy lazy_from_c(const clwave_lazy& lazy, bool zips) {
  if (lazy.n_sources > most_c_sources)
    refuse_argument("`lazy->n_sources` is " + std::to_string(lazy.n_sources) + ", and " +
                    std::to_string(most_c_sources) + " are the most");
  if (lazy.map == nullptr && lazy.n_sources == 0)
    refuse_argument("`lazy->map` is NULL, and there are no sources");
  if (lazy.map == nullptr && lazy.n_sources > 1 && !zips)
    refuse_argument("`lazy->map` is NULL, and only a transform's own map makes an element of " +
                    std::to_string(lazy.n_sources) + " sources");
  if (lazy.n_sources != 0) given(lazy.sources, "lazy->sources");
  any_lazy made;
  for (std::size_t k = 0; k < lazy.n_sources; ++k)
    made.sources.push_back(
        source_from_c(lazy.sources[k], lazy.n, "lazy->sources[" + std::to_string(k) + "]"));
  if (lazy.map != nullptr) made.apply = lazy.map->of;
  return made;
}

// Of a zip that of its first source, in whose place calls put that of their output.
const element& type_of_lazy(const clwave_lazy& lazy, const any_lazy& made) {
  const bool is_zip = !made.apply && made.sources.size() > 1;
  const bool is_source_alone = !made.apply && lazy.type == CLWAVE_NO_TYPE;
  const element& type = is_zip || is_source_alone ? *made.sources.front().of.type : type_of(lazy.type);
  if (type.size == 0 && !is_zip)
    refuse_argument("`lazy->type` is CLWAVE_NO_TYPE, and nothing else says what type the elements have");
  return type;
}

}  // namespace

bool is_of_lazy(const clwave_view& view) {
  if (view.type == CLWAVE_LAZY) return true;
  return view.buffer == nullptr && view.count != nullptr && view.offset == as_offset(view.count);
}

lazy_input::lazy_input(const clwave_view* view, std::string_view name, c_input takes) {
  if (!is_of_lazy(given(view, name))) {
    if (takes == c_input::no_count)
      all_ = view_of(view, name);
    else
      all_ = counted_.emplace(view, name);
    return;
  }
  const clwave_lazy all = sized(lazy_behind(*view, name), "lazy");
  if (view->n != all.n)
    refuse_argument("`" + std::string(name) + "` has " + std::to_string(view->n) +
                    " elements, and `lazy->n` is " + std::to_string(all.n));
  made_ = lazy_from_c(all, takes == c_input::counted_or_zip);
  make_lazy(all_, all.n, type_of_lazy(all, made_), made_);
}

void lazy_input::make_by(const map& apply, const element& type) {
  made_.apply = apply;
  make_lazy(all_, all_.n, type, made_);
}

}  // namespace clwave::detail

using namespace clwave::detail;

clwave_view clwave_lazy_view(const clwave_lazy* lazy) {
  return {nullptr, lazy != nullptr ? lazy->n : 0, as_offset(lazy), CLWAVE_LAZY,
          reinterpret_cast<const clwave_view*>(lazy)};
}
