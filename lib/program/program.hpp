// Programs and kernels: what a call needs built, the -D line, and the caches in memory and on disk.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <clwave/cache.hpp>
#include <clwave/element.hpp>
#include <clwave/opencl.hpp>
#include <clwave/profile.hpp>

#include "base/opencl.hpp"

namespace clwave::detail {

// What is built for: a real device, or (facts == nullptr) an architecture nobody needs to own.
struct target {
  const device_facts* facts = nullptr;
  applied_profile choice;
  unsigned group_limit = 0;  // the most work-items that a built kernel takes in a group; 0: not known
  unsigned compute_units = 1;
};

// The power of two that a group has where `wanted` work-items are best: within what the device and the built
// kernel take, but a set of lanes at least.
unsigned group_size_within(const target& on, unsigned wanted);

// A declaration that the user wrote, with the name a compiler error will show: of a type, or of an expression
// that another program of the call has (distributed/fold_steps.cpp), whose macros no text sees.
struct declaration {
  std::string label;
  std::string text;
  bool ours = false;  // clwave's own, which stays as it is
  bool of_text = false;
};

// What an expression may name, with the type that it has there.
struct text_name {
  std::string type, name;
  std::string given = {};  // by the call; empty: what has the same name there
};

// The values that an expression may name, and what their kernel arguments have before these names.
struct text_values {
  std::string_view prefix = {};
  std::vector<text_name> named = {};
};

// What an expression gives: its type, and what stands before the text and behind it to make that of it.
struct text_result {
  std::string type;
  std::string before = "(";
  std::string behind = ")";
};

// An expression the user wrote. It becomes a function (source.cpp), which kernels call by a macro.
struct user_text {
  std::string name;   // of the macro
  std::string label;  // what an error will show
  std::string text;
  text_values values = {};
  std::string declarations = {};         // what the text may use, and no other text
  std::vector<text_name> operands = {};  // in their order
  text_result result = {};
  bool doubles = false;  // whether literals without a suffix are doubles
};

// One program: which primitive, which words go into the option line, which texts into the source.
struct program_spec {
  std::string primitive;                                   // "reduce": -DPRIMITIVE_REDUCE
  std::string types;                                       // for errors: "f32 -> f64"
  std::string op;                                          // for errors: "plus"
  std::vector<std::pair<std::string, std::string>> words;  // -DNAME=WORD; a word has no blanks
  std::vector<declaration> declarations;                   // in order
  // The kernel files (cl_kernels/) that it has beside those of all programs, in any order (add_modules).
  std::vector<std::string> modules = {};
  std::vector<user_text> user_texts = {};                  // the user's expressions
  std::vector<std::pair<std::string, std::string>> texts;  // #define NAME text, of our own
  unsigned registers = 0;                                  // the most a work-item may take; 0: no limit
  bool marked = false;                                     // it is built a second time (second_build.hpp)
};

// The whole .cl source of a program: the kernel parts that it has a use for (program_spec::modules) in the
// order of cl_kernels/clwave.cl, and where that says so, behind all pragmas, the user's declarations, a
// function for each expression, and the #define lines; every line traceable by #line marks. Parts from
// CLWAVE_KERNEL_DIR are all in it. Throws bad_call for a user's text that could change the kernels
// (user_text.hpp). (source.cpp)
std::string compose_source(const program_spec& spec);

// The files of which that is made, in their order.
std::vector<std::string> modules_of(const program_spec& spec);

// All that an option line depends on of a target, and so what a program's key has of it.
struct built_target {
  std::string_view device;    // DEVICE_...
  std::string_view language;  // -cl-std=..., or nothing
  unsigned cuda_sm = 0;       // 0: not given
  unsigned amd_gfx = 0;
  unsigned lanes = 1;
  lane_exchange exchange = lane_exchange::local_memory;
  group_order order = group_order::two_launches;
  bool emulated = false;
  bool limits_registers = false;  // of a work-item, where that is asked for
  bool rounds_division = false;   // correctly, for f32
  bool optimises = true;          // false: the driver's compiler makes wrong code when it does
};
built_target built_for(const target& on);

// The word that says which primitive a program is of: "PRIMITIVE_REDUCE".
std::string primitive_word(std::string_view primitive);

// In hexadecimal digits, whatever the locale.
std::string hexadecimal(std::uint64_t number);

// Whether doubles are named anywhere in a program.
bool uses_doubles(const program_spec& spec);

// The option line of a program on a target: the contract of cl_kernels/README.md. (source.cpp)
std::string option_line(const program_spec& spec, const built_target& on);
std::string option_line(const program_spec& spec, const target& on);

// A built program and the kernels made from it.
class program {
 public:
  explicit program(cl_program built);  // retains it
  ~program();
  program(const program&) = delete;
  program& operator=(const program&) = delete;

  // A kernel object belongs to one call at a time: threads that set arguments on a shared one get
  // wrong results without an error. So a kernel is lent out, and goes back for the next call.
  class loan {
   public:
    loan(program& owner, std::string_view name);
    ~loan();
    loan(const loan&) = delete;
    loan& operator=(const loan&) = delete;
    cl_kernel get() const { return kernel_; }

   private:
    program& owner_;
    std::string_view name_;
    cl_kernel kernel_ = nullptr;
  };

  // The most work-items that a group of this kernel can have: what its registers leave room for, by the
  // driver (where it runs kernels in `groups_as_compiled`, at least those it was compiled for), and less than
  // `group_size` where its local memory is more than `local_memory`. Asked once.
  std::size_t group_limit(cl_device_id device, std::string_view kernel, unsigned group_size,
                          std::uint64_t local_memory, bool groups_as_compiled);

  // How many lanes a set has in this kernel's groups of that size, by the driver; 0 where it does not say.
  // Asked once.
  std::size_t lanes_of(const device_facts& facts, std::string_view kernel, unsigned group_size);

 private:
  friend class program_cache;
  struct contents;
  std::unique_ptr<contents> contents_;
};

// The programs of a context. Beyond `most` the least recently used one is dropped; calls that use it hold it
// themselves.
class program_cache {
 public:
  explicit program_cache(std::size_t most = kept_programs);
  ~program_cache();
  program_cache(const program_cache&) = delete;
  program_cache& operator=(const program_cache&) = delete;

  // The program for `key` on a device of the context; `make_spec` is asked only when it must be built (or
  // read from disk). One thread builds, others with the same key wait. The key must name everything the spec
  // depends on; device and profile are added here.
  std::shared_ptr<program> get(cl_context context, cl_device_id device, const target& on,
                               std::string_view key, const std::function<program_spec()>& make_spec);

  // How many objects of the driver the cache holds.
  struct objects {
    std::size_t programs = 0, kernels = 0;
  };
  objects count() const;
  // One more kernel of a kind that it holds; an empty one where it holds none.
  cl::Kernel another_kernel() const;
  void clear();

 private:
  struct contents;
  std::unique_ptr<contents> contents_;
  const std::size_t most_;
};

// Whether the shape's groups are larger than one of the kernels takes; `on` then has the limit for the next
// try. An empty name is no kernel. Throws clwave::error (driver) where not even a set of lanes fits.
bool too_large(target& on, cl_device_id device, program& code, unsigned group_size,
               std::span<const std::string_view> kernels);

// Drops every program kept for a context. (context_entry.cpp)
void forget_programs(cl_context context);

// Has every build fetch its program's binary and keep it, also where the driver builds anew to hand one out
// (hands_out_binaries): for tests of what is kept, which run on such a driver.
void keep_all_binaries(bool all);

// How many programs this process built from source and how many it read from disk, for tests.
struct program_counts {
  std::size_t built = 0;
  std::size_t from_disk = 0;
};
program_counts count_programs();

}  // namespace clwave::detail
