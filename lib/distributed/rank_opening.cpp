// Opens a call on several ranks.
#include "distributed/rank_opening.hpp"

#include <array>
#include <bit>

#include "base/fnv.hpp"
#include "call/planning.hpp"

namespace clwave::detail {
namespace {

// Whether ranks mean the same is all that a hash of these is asked.
class facet_hash {
 public:
  facet_hash& add(const void* bytes, std::size_t n) {
    state_ = fnv_hash({static_cast<const unsigned char*>(bytes), n}, state_);
    return *this;
  }
  facet_hash& add(std::uint64_t number) { return add(&number, sizeof number); }
  // With its length, so that two texts one after another are not two others.
  facet_hash& add(std::string_view text) { return add(text.size()).add(text.data(), text.size()); }
  facet_hash& add(const element& type) {
    return add(type.opencl_name).add(type.declaration).add(type.size).add(type.components);
  }
  facet_hash& add(const std::vector<named_value>& values) {
    for (const named_value& each : values)
      add(each.name()).add(each.type()).add(each.bytes().data(), each.bytes().size());
    return add(values.size());
  }
  std::uint64_t value() const { return state_; }

 private:
  std::uint64_t state_ = fnv_basis;
};

// What a rank calls with that differs, in the order of the hashes.
constexpr std::array<const char*, n_facets> facet_names = {
    "another call",
    "another version of clwave or on another kind of processor",
    "elements of another type",
    "another type to accumulate in",
    "another operator",
    "another map",
    "another number of inputs",
    "another start value",
    "other bins or channels"};

}  // namespace

std::array<std::uint64_t, n_facets> hashes_of(const rank_facets& of) {
  facet_hash version;
  version.add(message_version).add(std::endian::native == std::endian::little);
  for (const std::uint64_t number : of.order) version.add(number);
  facet_hash start;
  if (of.start != nullptr) start.add(of.start, of.accumulator->size);
  return {facet_hash().add(of.call).value(),
          version.value(),
          facet_hash().add(*of.value).value(),
          facet_hash().add(*of.accumulator).value(),
          facet_hash()
              .add(static_cast<std::uint64_t>(of.fold->kind))
              .add(of.fold->source)
              .add(of.fold->identity)
              .add(of.fold->commutative)
              .add(of.fold->declarations)
              .add(of.fold->values)
              .value(),
          facet_hash()
              .add(static_cast<std::uint64_t>(of.apply->kind))
              .add(of.apply->source)
              .add(of.apply->declarations)
              .add(of.apply->values)
              .value(),
          of.inputs,
          start.value(),
          facet_hash().add(of.bins.data(), of.bins.size()).value()};
}

std::vector<std::uint64_t> rank_elements::bounds() const {
  std::vector<std::uint64_t> all{begin};
  all.insert(all.end(), begins.begin(), begins.end());
  return all;
}

rank_elements open_call(rank_talk& talk, std::string_view primitive,
                        const std::function<opening_message()>& own) {
  opening_message here{};
  talk.attempt([&] { here = own(); });
  const std::vector<rank_stretch>& children = talk.place().children;
  const std::vector<message_bytes> openings =
      talk.gather([](std::size_t) { return sizeof(opening_message); });
  std::vector<std::uint64_t> counts;
  for (std::size_t k = 0; k < openings.size() && !talk.failed(); ++k) {
    const auto child = from_bytes<opening_message>(openings[k]);
    counts.push_back(child.n);
    for (std::size_t f = 0; f < n_facets; ++f)
      if (child.facets[f] != here.facets[f]) talk.differs(children[k].first, facet_names[f]);
  }
  opening_message all = here;
  talk.attempt([&] {
    for (const std::uint64_t n : counts) all.n = counting{primitive, "all ranks together"}.plus(all.n, n);
  });
  talk.hand_up(bytes_of(all));
  answer_message answer{0, all.n};
  if (talk.place().parent) {
    const message_bytes taken = talk.take_down(sizeof answer);
    if (!talk.failed()) answer = from_bytes<answer_message>(taken);
  }
  rank_elements lies{answer.begin, answer.n, {answer.begin + here.n}};
  for (std::size_t k = 0; k < children.size(); ++k) {
    talk.hand_down(k, bytes_of(answer_message{lies.begins.back(), lies.n}));
    lies.begins.push_back(lies.begins.back() + (k < counts.size() ? counts[k] : 0));
  }
  talk.end_round();
  return lies;
}

}  // namespace clwave::detail
