// One call from Python.
#include "call.hpp"

#include <algorithm>
#include <cstring>
#include <string>

#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>

#include <clwave/device.hpp>
#include <clwave/profile.hpp>

#include "counted.hpp"
#include "lazy.hpp"
#include "shards.hpp"

namespace clwave_python {
namespace {

// Interned once, so that reading an attribute costs no new string.
struct names {
  PyObject* int_ptr = PyUnicode_InternFromString("int_ptr");
  PyObject* queue = PyUnicode_InternFromString("queue");
  PyObject* dtype = PyUnicode_InternFromString("dtype");
  PyObject* base_data = PyUnicode_InternFromString("base_data");
  PyObject* offset = PyUnicode_InternFromString("offset");
  PyObject* size = PyUnicode_InternFromString("size");
  PyObject* shape = PyUnicode_InternFromString("shape");
  PyObject* strides = PyUnicode_InternFromString("strides");
  PyObject* events = PyUnicode_InternFromString("events");
  PyObject* finish = PyUnicode_InternFromString("finish");
  PyObject* wait = PyUnicode_InternFromString("wait");
};
const names& words() {
  static const names& all = *new names;
  return all;
}

// Null where there is no such attribute.
nb::object attribute(nb::handle of, PyObject* name) {
  PyObject* const found = PyObject_GetAttr(of.ptr(), name);
  if (found == nullptr) {
    if (!PyErr_ExceptionMatches(PyExc_AttributeError)) throw nb::python_error();
    PyErr_Clear();
  }
  return nb::steal(found);
}

// NumPy's numbers are taken, too.
std::uintptr_t number(nb::handle of, const char* what) {
  const nb::object index = nb::steal(PyNumber_Index(of.ptr()));
  const std::size_t value = index.is_valid() ? PyLong_AsSize_t(index.ptr()) : 0;
  if (PyErr_Occurred() != nullptr) {
    PyErr_Clear();
    refuse(std::string(what) + " is no number of the kind that is needed");
  }
  return value;
}

Py_ssize_t signed_number(nb::handle of, const char* what) {
  const Py_ssize_t value = PyNumber_AsSsize_t(of.ptr(), PyExc_OverflowError);
  if (value == -1 && PyErr_Occurred() != nullptr) {
    PyErr_Clear();
    refuse(std::string(what) + " are no numbers of the kind that is needed");
  }
  return value;
}

// A driver takes a handle of another kind for what it is not, and crashes: so queues must be able to finish,
// and events to be waited for.
cl_command_queue queue_of(nb::handle object) {
  const nb::object pointer = attribute(object, words().int_ptr);
  if (!pointer.is_valid() || !attribute(object, words().finish).is_valid())
    refuse("`queue` is a clwave.Queue, or a queue with int_ptr such as pyopencl's");
  const auto handle = reinterpret_cast<cl_command_queue>(number(pointer, "the queue's int_ptr"));
  if (handle == nullptr) refuse("the queue's int_ptr is 0");
  return handle;
}

// Refuses what has gaps, or another order of elements than C's.
void check_contiguous(nb::handle operand, std::size_t item_bytes, const char* name) {
  const nb::object strides = attribute(operand, words().strides);
  if (!strides.is_valid() || strides.is_none()) return;
  const nb::object shape = attribute(operand, words().shape);
  if (!shape.is_valid() || !PyTuple_Check(shape.ptr()) || !PyTuple_Check(strides.ptr())) return;
  const Py_ssize_t dimensions = PyTuple_GET_SIZE(shape.ptr());
  if (PyTuple_GET_SIZE(strides.ptr()) != dimensions) return;
  auto expected = static_cast<Py_ssize_t>(item_bytes);
  bool contiguous = true;
  for (Py_ssize_t i = dimensions; i-- > 0;) {
    const Py_ssize_t side = signed_number(PyTuple_GET_ITEM(shape.ptr(), i), "the sides of an array");
    const Py_ssize_t stride = signed_number(PyTuple_GET_ITEM(strides.ptr(), i), "the strides of an array");
    if (side == 0) return;
    if (side != 1 && stride != expected) contiguous = false;
    expected *= side;
  }
  if (!contiguous)
    refuse("`" + std::string(name) +
           "` has gaps between its elements, or another order than C's: copy it first");
}

void add_events(clwave::wait_list& to, nb::handle given, cl_command_queue waits) {
  const auto add = [&](nb::handle one) {
    if (one.is_none()) return;
    if (const auto own = event_from_python(one, waits)) {
      to.add(*own);
      return;
    }
    const nb::object pointer = attribute(one, words().int_ptr);
    if (!pointer.is_valid() || !attribute(one, words().wait).is_valid())
      refuse("`after` holds clwave.Event, or events with int_ptr such as pyopencl's");
    to.add(reinterpret_cast<cl_event>(number(pointer, "the event's int_ptr")));
  };
  if (given.is_none()) return;
  if (PyList_Check(given.ptr()) || PyTuple_Check(given.ptr())) {
    for (const nb::handle one : nb::borrow<nb::object>(given)) add(one);
  } else {
    add(given);
  }
}

nb::handle interop() {
  static PyObject* const module = nb::module_::import_("clwave._interop").release().ptr();
  return module;
}

}  // namespace

thread_local bool planning = false;

// Calls on operands of as many bytes end within some tens of milliseconds, unless their texts loop.
constexpr std::uint64_t most_brief_bytes = 1 << 26;

clwave::plan_target target_of(const queue& on) {
  const clwave::device_facts& facts = clwave::facts_of(on.device);
  return {.facts = &facts, .choice = clwave::choose_profile(facts)};
}

clwave::any_view as_unsigned(clwave::any_view indices) {
  const bool is_signed =
      indices.type->kind == clwave::element_kind::signed_integer && indices.type->components == 1;
  if (is_signed && indices.type->size == 4) indices.type = &clwave::element_of<std::uint32_t>();
  if (is_signed && indices.type->size == 8) indices.type = &clwave::element_of<std::uint64_t>();
  return indices;
}

// Which queue the call takes, and of what kind its results are, as far as an operand says it.
void call::note_operand(nb::handle one, nb::handle queue) {
  if (one.is_none()) return;
  if (PyTuple_Check(one.ptr())) {
    for (const nb::handle each : nb::borrow<nb::tuple>(one))
      if (!PyTuple_Check(each.ptr())) note_operand(each, queue);
    return;
  }
  if (const counted_array* const counted = counted_from(one)) one = counted->all;
  if (const counted_offsets* const segments = counted_segments_from(one)) one = segments->all;
  if (const lazy_array* const made = lazy_from(one)) {
    for (const lazy_source& source : made->sources) {
      note_operand(source.of, queue);
      note_operand(source.indices, queue);
    }
  } else if (nb::isinstance<array>(one)) {
    const array& own = nb::cast<const array&>(one);
    if (kind_ == array_kind::none || kind_ == array_kind::numpy) kind_ = array_kind::own, prototype_ = one;
    if (queue_ == nullptr) queue_ = own.on->handle, shared_ = own.on;
  } else if (is_numpy_array(one)) {
    if (kind_ == array_kind::none) kind_ = array_kind::numpy, prototype_ = one;
  } else {
    if (nb::isinstance<sharded>(one))
      refuse("this call takes no array in shards: give it arrays on one device");
    if (kind_ == array_kind::none || kind_ == array_kind::numpy)
      kind_ = array_kind::foreign, prototype_ = one;
    if (queue_ != nullptr || !queue.is_none()) return;
    nb::object theirs = attribute(one, words().queue);
    if (theirs.is_valid() && !theirs.is_none()) queue_ = queue_of(theirs), queue_object_ = std::move(theirs);
  }
}

call::call(nb::handle queue, nb::handle after, std::initializer_list<nb::handle> operands) {
  refuse_forked();
  for (const nb::handle one : operands) note_operand(one, queue);
  if (!queue.is_none()) {
    if (nb::isinstance<class queue>(queue)) {
      shared_ = nb::cast<std::shared_ptr<class queue>>(queue);
      queue_ = shared_->handle;
    } else {
      queue_ = queue_of(queue);
      if (shared_ && shared_->handle != queue_) shared_.reset();
    }
    queue_object_ = nb::borrow(queue);
  } else if (queue_ == nullptr) {
    if (kind_ == array_kind::foreign && attribute(prototype_, words().dtype).is_valid())
      refuse("the arrays have no queue of their own: give `queue`");
    shared_ = default_queue();
    queue_ = shared_->handle;
  }
  if (!after.is_none()) add_events(launch_.after, after, queue_);
}

const std::shared_ptr<queue>& call::shared() {
  if (!shared_) {
    shared_ = std::make_shared<class queue>(queue_);
    shared_->is_shared = true;  // whose handle it is may enqueue, too
  }
  return shared_;
}

void call::note_type(const clwave::element& type) {
  if (type.size / type.components == 8 &&
      (type.kind == clwave::element_kind::floating || type.kind == clwave::element_kind::complex))
    doubles_ = true;
}

nb::object call::dtype_of(nb::handle operand) {
  if (nb::isinstance<array>(operand)) return nb::cast<const array&>(operand).dtype;
  nb::object found = attribute(operand, words().dtype);
  if (!found.is_valid()) refuse("an array is needed: clwave.Array, NumPy's, or one with int_ptr and dtype");
  return found;
}

std::uint64_t call::size_of(nb::handle operand, const char* name) {
  const nb::object size = attribute(operand, words().size);
  if (!size.is_valid()) refuse("`" + std::string(name) + "` does not say its size");
  return number(size, "the array's size");
}

clwave::any_view call::foreign(nb::handle operand, const char* name) {
  const nb::object dtype = attribute(operand, words().dtype);
  nb::object buffer = attribute(operand, words().base_data);  // of pyopencl.array.Array
  if (!buffer.is_valid()) buffer = nb::borrow(operand);
  const bool none = buffer.is_none();  // of an empty array
  const nb::object pointer = none ? nb::object() : attribute(buffer, words().int_ptr);
  if (!dtype.is_valid() || (!none && !pointer.is_valid()))
    refuse("`" + std::string(name) +
           "` is no array: clwave.Array, a NumPy array, or an object with int_ptr and dtype is needed, and "
           "not " +
           nb::cast<std::string>(nb::repr(nb::handle(reinterpret_cast<PyObject*>(Py_TYPE(operand.ptr()))))));
  const clwave::element& type = element_of_dtype(dtype, name);
  const std::uint64_t n = size_of(operand, name);
  if (n == 0) return {nullptr, 0, 0, &type};
  check_contiguous(operand, type.size, name);
  const nb::object offset = attribute(operand, words().offset);
  const std::uint64_t offset_bytes = offset.is_valid() ? number(offset, "the array's offset") : 0;
  if (offset_bytes % type.size != 0)
    refuse("`" + std::string(name) + "` begins at no multiple of its elements' size in its buffer");
  const auto handle = none ? nullptr : reinterpret_cast<cl_mem>(number(pointer, "the array's int_ptr"));
  // What pyopencl's arrays were last written by may be on another queue.
  const nb::object events = attribute(operand, words().events);
  if (events.is_valid() && PyList_Check(events.ptr()) && PyList_GET_SIZE(events.ptr()) != 0)
    add_events(launch_.after, events, queue_);
  return {handle, n, offset_bytes / type.size, &type};
}

clwave::any_view call::in(nb::handle operand, const char* name) {
  clwave::any_view view;
  if (const lazy_array* const made = lazy_from(operand)) {
    view = lazy(*made, name);
  } else if (nb::isinstance<array>(operand)) {
    view = nb::cast<const array&>(operand).view(name);
    held_.push_back(nb::cast<const array&>(operand).bytes);
  } else if (planning && is_numpy_array(operand)) {
    // A plan needs no elements.
    view = {nullptr, nb::cast<std::uint64_t>(operand.attr("size")), 0,
            &element_of_dtype(dtype_of(operand), name)};
  } else if (is_numpy_array(operand)) {
    kept_.push_back(array_from_numpy(shared(), operand));
    view = kept_.back().view(name);
  } else {
    if (operand.is_none()) refuse("`" + std::string(name) + "` is needed, and not None");
    if (counted_from(operand) != nullptr || counted_segments_from(operand) != nullptr)
      refuse("this call takes no count on the device for `" + std::string(name) +
             "`: read the count, and give an array of so many elements");
    view = foreign(operand, name);
  }
  note_type(*view.type);
  if (view.n > most_brief_bytes / view.type->size) brief_ = false;
  return view;
}

clwave::any_view call::lazy(const lazy_array& of, const char* name) {
  clwave::any_lazy made;
  for (const lazy_source& each : of.sources) {
    clwave::any_source& source = made.sources.emplace_back();
    source.of = in(each.of, name);
    source.n = each.n;
    source.first = each.first;
    source.step = each.step;
    source.outside = each.outside;
    if (!each.indices.is_none()) source.indices = as_unsigned(in(each.indices, "indices"));
  }
  const clwave::element& type = element_of_dtype(of.dtype, name);
  note_type(type);
  const map_argument apply(of.map, *this, "map");
  if (static_cast<const clwave::map*>(apply) != nullptr) made.apply = *apply;
  clwave::any_view view;
  clwave::detail::make_lazy(view, of.n, type, lazies_.emplace_back(std::move(made)));
  return view;
}

std::optional<clwave::any_view> call::in_if_any(nb::handle operand, const char* name) {
  if (operand.is_none()) return {};
  return in(operand, name);
}

clwave::any_view call::counted_in(nb::handle operand, const char* name) {
  const counted_array* const counted = counted_from(operand);
  if (counted == nullptr) return in(operand, name);
  clwave::any_view all = in(counted->all, name);
  counts_.push_back(in(counted->count, "count"));
  all.count = &counts_.back();
  return all;
}

clwave::any_view call::offsets_in(nb::handle operand) {
  const counted_offsets* const segments = counted_segments_from(operand);
  if (segments == nullptr) return in(operand, "offsets");
  clwave::any_view all = in(segments->all, "offsets");
  segments_ = in(segments->count, "count");
  all.count = &segments_;
  return all;
}

std::uint64_t call::segments_of(const clwave::any_view& offsets) {
  clwave::any_view segments = offsets;
  --segments.n;
  return length_of(segments);
}

std::uint64_t call::length(std::uint64_t most) {
  if (counts_.empty()) return most;
  clwave::any_view counted;
  counted.n = most;
  counted.count = &counts_.front();
  return length_of(counted);
}

std::uint64_t call::length_of(const clwave::any_view& counted) {
  const std::uint64_t most = counted.n;
  if (counted.count == nullptr) return most;
  const clwave::any_view& count = *counted.count;
  unsigned char bytes[sizeof(std::uint64_t)];
  const std::size_t n_bytes = count.type->size;
  {
    const nb::gil_scoped_release released;
    check(clEnqueueReadBuffer(queue_, count.buffer, CL_TRUE, count.offset * n_bytes, n_bytes, bytes, 0,
                              nullptr, nullptr),
          "read a buffer");
  }
  if (n_bytes == sizeof(std::uint32_t)) {
    std::uint32_t n = 0;
    std::memcpy(&n, bytes, sizeof n);
    return std::min<std::uint64_t>(n, most);
  }
  std::uint64_t n = 0;
  std::memcpy(&n, bytes, sizeof n);
  return std::min(n, most);
}

clwave::any_view call::out(nb::handle operand, const char* name) {
  if (is_numpy_array(operand))
    refuse("`" + std::string(name) + "` is a NumPy array: outputs lie on the device; without `" +
           std::string(name) + "` the call returns a NumPy array");
  if (lazy_from(operand) != nullptr)
    refuse("`" + std::string(name) + "` is a LazyArray, whose elements lie nowhere: an output is an array");
  return in(operand, name);
}

std::pair<clwave::any_view, clwave::any_view> call::pair_out(nb::handle operand, const char* what) {
  PyObject* const both = operand.ptr();
  if (!PyTuple_Check(both) || PyTuple_GET_SIZE(both) != 2) refuse("`out` is a pair: of " + std::string(what));
  const clwave::any_view first = out(PyTuple_GET_ITEM(both, 0), "out[0]");
  return {first, out(PyTuple_GET_ITEM(both, 1), "out[1]")};
}

call::result call::make(std::uint64_t n, nb::handle dtype, const char* name) {
  if (kind_ == array_kind::foreign && !planning) {
    nb::object made = interop().attr("empty_like")(prototype_, queue_object_, n, dtype);
    if (!made.is_none()) {
      const clwave::any_view view = foreign(made, name);
      note_type(*view.type);
      return {std::move(made), view};
    }
  }
  array made = make_array(shared(), {static_cast<std::size_t>(n)}, nb::borrow(dtype));
  const clwave::any_view view = made.view(name);
  note_type(*view.type);
  return {nb::cast(std::move(made)), view};
}

call::result call::make_shaped(nb::handle shape, nb::handle dtype, const char* name) {
  array made = make_array(shared(), shape_from(shape), nb::borrow(dtype));
  const clwave::any_view view = made.view(name);
  note_type(*view.type);
  return {nb::cast(std::move(made)), view};
}

call::result call::make_like(nb::handle operand, std::uint64_t n, nb::handle dtype, const char* name) {
  result made = make(n, dtype, name);
  const nb::object shape = attribute(operand, words().shape);
  if (shape.is_valid() && PyTuple_Check(shape.ptr()) && PyTuple_GET_SIZE(shape.ptr()) != 1)
    made.object = made.object.attr("reshape")(shape);
  return made;
}

clwave::any_view call::scratch(std::uint64_t n, const char* dtype) {
  kept_.push_back(make_array(shared(), {static_cast<std::size_t>(n)}, dtype_named(dtype)));
  return kept_.back().view("scratch");
}

nb::object call::finished(const result& of, std::uint64_t n) {
  nb::object all = of.object;
  if (n != of.view.n) all = all[nb::slice(nb::int_(0), nb::int_(n), nb::none())];
  if (kind_ == array_kind::numpy) return all.attr("get")();
  return all;
}

std::shared_ptr<queue> call::left(clwave::event end) {
  shared()->last = std::move(end);
  return shared_;
}

nb::object call::event(clwave::event made) {
  if (shared_) shared_->last = made;
  return event_to_python(queue_, std::move(made));
}

void call::wait(const clwave::event& made) {
  // A signal may end the wait before the work.
  const bool brief = is_brief();
  if (!brief && shared_) shared_->last = made;
  wait_for(queue_, made, brief);
}

nb::object call::value(const clwave::event& made, const result& of) {
  wait(made);
  return finished(of, length(of.view.n));
}

std::uint64_t call::read_count(const clwave::event& made, const clwave::any_view& count) {
  wait(made);
  std::uint64_t n = 0;
  const nb::gil_scoped_release released;
  check(clEnqueueReadBuffer(queue_, count.buffer, CL_TRUE, count.offset * sizeof n, sizeof n, &n, 0, nullptr,
                            nullptr),
        "read a buffer");
  return n;
}

}  // namespace clwave_python
