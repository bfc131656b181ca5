// What the rows of reduce share with their peers and with the rows of the host's time.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <clwave/reduce.hpp>

#include "bench/bench.hpp"

namespace clwave::tool::bench {

// Of the elements [first, first + n) of a pool, by plain loops on the host.
struct reduction {
  std::string op;    // sum, sum+1, sum-ordered, max, argmax, dot
  std::string type;  // f32, f64, i32, u8-u32, f16-f32
};
// The bits of the result in clwave's fold order, and how far another order may be from it.
struct answer {
  std::vector<unsigned char> bits;  // of the value; of argmax with the index behind it
  double value = 0;
  double tolerance = 0;  // 0: exact for everybody
};
const answer& answer_of(const reduction& what, std::uint64_t n, std::uint64_t first, std::uint32_t seed);
// What is wrong with a value, in words; empty if nothing. `exact`: in every bit. The index of argmax is
// compared where `index` is not null.
std::string compare(const answer& right, const reduction& what, const void* value, const std::uint64_t* index,
                    bool exact);

// Input places as in an arrangement; the output goes to the first bytes of `out` on a device.
struct reduce_task {
  reduction what;
  arrangement at;
};
std::size_t size_of_input(const reduction& what);
// The element that a place's input begins with, counted from the place's.
inline std::uint64_t first_of(const reduction& what) { return what.op == "sum+1" ? 1 : 0; }
// Bytes of one call.
double bytes_of(const reduce_task& task);
// Sets the checks of a reduction whose result lies at the start of `out`.
void check_result_at(laboratory& lab, contender& c, const reduce_task& task, const cl::Buffer& out,
                     bool exact);

// Peers (reduce_peers.cpp): each gives a contender, or one that says why it cannot be.
contender boost_reduce(laboratory& lab, const reduce_task& task, bool blocking);
contender clblast_reduce(laboratory& lab, const reduce_task& task);
contender std_reduce(laboratory& lab, const reduce_task& task);
contender openmp_reduce(laboratory& lab, const reduce_task& task);
contender cuda_reduce(laboratory& lab, const std::string& row, const reduce_task& task);

}  // namespace clwave::tool::bench
