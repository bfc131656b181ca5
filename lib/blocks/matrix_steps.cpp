// Where the rows of pitched, batched matrices lie: pitches that say nothing, and those that cannot be.
#include "blocks/matrix_steps.hpp"

#include <string>

#include <clwave/error.hpp>

#include "call/call.hpp"
#include "call/planning.hpp"

namespace clwave::detail {

matrix_steps steps_of(std::string_view primitive, const matrices& size, const pitches& given,
                      const element& type, std::string_view what) {
  const std::uint64_t rows = size.rows, columns = size.columns, batch = size.batch;
  if (rows == 0 || columns == 0 || batch == 0) return {};
  const counting count{primitive, what};
  matrix_steps steps;
  steps.row = given.row != 0 ? given.row : columns;
  steps.matrix = given.slice != 0 ? given.slice : batch > 1 ? count.times(steps.row, rows) : 0;
  if (rows > 1 && steps.row < columns)
    refuse(primitive, std::string(what) + "'s rows overlap: its row pitch is less than its columns");
  const std::uint64_t one = count.plus(count.times(rows - 1, steps.row), columns);
  steps.extent = count.plus(one, count.times(batch - 1, steps.matrix));
  // A pitch that is never stepped by is handed to the kernel all the same.
  for (const std::uint64_t elements : {steps.extent, steps.row, steps.matrix})
    count.times(elements, type.size);
  if (batch > 1 && steps.matrix < one) {
    // Side by side in longer rows, then.
    const std::uint64_t across = count.plus(count.times(batch - 1, steps.matrix), columns);
    if (steps.matrix < columns || steps.row < across)
      refuse(
          primitive, std::string(what) + "'s matrices overlap",
          "give a slice pitch of a matrix's rows, or place them side by side in rows that are long enough");
  }
  return steps;
}

}  // namespace clwave::detail
