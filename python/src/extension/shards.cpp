// One array in shards on several queues: clwave.Sharded.
#include "shards.hpp"

#include <memory>
#include <string>
#include <utility>

#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/vector.h>

#include "module.hpp"
#include "types.hpp"

namespace clwave_python {
namespace {

sharded sharded_of(nb::handle arrays) {
  sharded made;
  for (const nb::handle each : arrays) {
    if (!nb::isinstance<array>(each)) refuse("the shards are instances of clwave.Array");
    made.shards.push_back(nb::cast<const array&>(each));
    const array& first = made.shards.front();
    const array& last = made.shards.back();
    if (last.shape.size() != 1) refuse("a shard has one dimension: reshape(-1) makes it so");
    if (last.type != first.type) refuse("the shards have elements of one type");
  }
  if (made.shards.empty()) refuse("there is no shard");
  return made;
}

// Lengths that the library proposes for the devices of these queues.
std::vector<std::uint64_t> lengths_for(std::uint64_t n, const std::vector<std::shared_ptr<queue>>& queues) {
  if (queues.empty()) refuse("`queues` has no queue");
  std::vector<cl_device_id> devices;
  for (const auto& each : queues) devices.push_back(each->device);
  const nb::gil_scoped_release released;
  return clwave::split(n, devices);
}

sharded from_numpy(nb::handle given, const std::vector<std::shared_ptr<queue>>& queues, nb::handle lengths) {
  refuse_forked();
  const nb::object all = numpy().attr("ascontiguousarray")(given).attr("reshape")(-1);
  const auto n = nb::cast<std::uint64_t>(all.attr("size"));
  const auto parts =
      lengths.is_none() ? lengths_for(n, queues) : nb::cast<std::vector<std::uint64_t>>(lengths);
  if (parts.size() != queues.size()) refuse("`lengths` has one number for each queue");
  sharded made;
  std::uint64_t at = 0;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (parts[i] > n - at) refuse("`lengths` adds up to more than there are elements");
    const nb::object part = all[nb::slice(nb::int_(at), nb::int_(at + parts[i]), nb::none())];
    made.shards.push_back(array_from_numpy(queues[i], part));
    at += parts[i];
  }
  if (at != n) refuse("`lengths` adds up to less than there are elements");
  return made;
}

nb::object to_numpy(const sharded& from) {
  nb::list parts;
  for (const array& each : from.shards) parts.append(array_to_numpy(each));
  return numpy().attr("concatenate")(parts);
}

}  // namespace

std::uint64_t sharded::n() const {
  std::uint64_t n = 0;
  for (const array& each : shards) n += each.n;
  return n;
}

std::vector<clwave::detail::erased_shard> sharded::erased(const char* operand) const {
  std::vector<clwave::detail::erased_shard> all;
  for (const array& each : shards) all.push_back({each.on->handle, each.view(operand), {}});
  return all;
}

nb::object queue_of(const sharded& of) { return nb::cast(of.shards.front().on); }

void refuse_beside_shards(nb::handle argument, const char* name) {
  if (!argument.is_none()) refuse("`" + std::string(name) + "` does not go with an array in shards");
}

void register_shards(nb::module_& m) {
  nb::class_<sharded>(
      m, "Sharded",
      "One array in consecutive shards, each a one-dimensional clwave.Array on a queue of its own: of any "
      "devices and contexts, several of one device as well.\n\n"
      "reduce, dot, argmin, argmax, inclusive_scan and exclusive_scan take it, block, and give the bits of "
      "one "
      "call on one device, wherever the array is cut. The arrays stay those that were given.\n\n"
      ">>> queues = [clwave.Queue(), clwave.Queue()]\n"
      ">>> x = clwave.Sharded.from_numpy(np.arange(10, dtype=np.float32), queues, [4, 6])\n"
      ">>> clwave.reduce(x), clwave.argmax(x)\n"
      "(45.0, (9.0, 9))\n"
      ">>> clwave.inclusive_scan(x).get()[-2:]\n"
      "array([36., 45.], dtype=float32)\n")
      .def(
          "__init__", [](sharded* self, nb::handle shards) { new (self) sharded(sharded_of(shards)); },
          nb::arg("shards"), nb::sig("def __init__(self, shards: Sequence[Array]) -> None"))
      .def_static(
          "from_numpy", &from_numpy, nb::arg("array"), nb::arg("queues"), nb::arg("lengths") = nb::none(),
          nb::sig("def from_numpy(array: numpy.typing.ArrayLike, queues: Sequence[Queue], lengths: "
                  "Sequence[int] | None = None) -> Sharded"),
          "A copy of a NumPy array, cut into one shard for each queue: as long as `lengths` says, or as "
          "clwave.split proposes. Blocks.")
      .def("get", &to_numpy, nb::sig("def get(self) -> numpy.typing.NDArray[Any]"),
           "A NumPy array with all elements, once all that the queues hold is done. Blocks.")
      .def("__len__", &sharded::n)
      .def_prop_ro("size", &sharded::n, "How many elements there are.")
      .def_prop_ro(
          "shards", [](const sharded& s) { return s.shards; }, nb::sig("def shards(self) -> list[Array]"),
          "The arrays, which share the memory.")
      .def_prop_ro(
          "dtype", [](const sharded& s) { return s.shards.front().dtype; },
          nb::sig("def dtype(self) -> numpy.dtype[Any]"));
  m.def(
      "split",
      [](std::uint64_t n, const std::vector<std::shared_ptr<queue>>& queues) {
        refuse_forked();
        return lengths_for(n, queues);
      },
      nb::arg("n"), nb::arg("queues"), nb::sig("def split(n: int, queues: Sequence[Queue]) -> list[int]"),
      "Proposes how to cut `n` elements over the queues' devices, by the speed at which these read: a length "
      "for each, which add up to `n`.\n\n"
      ">>> sum(clwave.split(100_000, [clwave.default_queue()] * 2))\n"
      "100000\n");
}

}  // namespace clwave_python
