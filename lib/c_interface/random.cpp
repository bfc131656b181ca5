// Random numbers and orders from C: a shell over random.hpp's untyped calls.
#include <cstdint>
#include <string>

#include <clwave/c/random.h>
#include <clwave/random.hpp>

#include "c_interface/c_call.hpp"

namespace clwave::detail {
namespace {

random_kind random_kind_from_c(clwave_random_kind kind) {
  if (kind != CLWAVE_RANDOM_UNIFORM && kind != CLWAVE_RANDOM_NORMAL)
    refuse_argument("`random->kind` is " + std::to_string(kind) +
                    ", neither CLWAVE_RANDOM_UNIFORM nor CLWAVE_RANDOM_NORMAL");
  return kind == CLWAVE_RANDOM_UNIFORM ? random_kind::uniform : random_kind::normal;
}

random_problem random_from_c(const clwave_view* out, std::uint64_t seed,
                             const clwave_random_options* random) {
  random_problem asked{.out = view_of(out, "out"), .seed = seed};
  if (random == nullptr) return asked;
  const clwave_random_options all = sized(*random, "random");
  asked.kind = random_kind_from_c(all.kind);
  asked.below = all.below;
  asked.stream = all.stream;
  asked.first = all.first;
  return asked;
}

}  // namespace
}  // namespace clwave::detail

using namespace clwave::detail;

clwave_status clwave_random(cl_command_queue queue, const clwave_view* out, uint64_t seed,
                            const clwave_random_options* random, const clwave_options* options,
                            cl_event* event) {
  return c_enqueue("clwave_random", options, event, [&](const clwave::launch_options& launch) {
    return clwave::random(queue, random_from_c(out, seed, random), launch);
  });
}

clwave_status clwave_random_permutation(cl_command_queue queue, const clwave_view* out, uint64_t seed,
                                        const clwave_options* options, cl_event* event) {
  return c_enqueue("clwave_random_permutation", options, event, [&](const clwave::launch_options& launch) {
    return clwave::random(
        queue,
        clwave::random_problem{
            .out = view_of(out, "out"), .seed = seed, .kind = clwave::random_kind::permutation},
        launch);
  });
}

clwave_status clwave_shuffle(cl_command_queue queue, const clwave_view* in, const clwave_view* out,
                             uint64_t seed, const clwave_options* options, cl_event* event) {
  return c_enqueue("clwave_shuffle", options, event, [&](const clwave::launch_options& launch) {
    return clwave::reorder(
        queue,
        clwave::reorder_problem{
            .in = view_of(in, "in"), .out = view_of(out, "out"), .shuffle = true, .seed = seed},
        launch);
  });
}
