// Copies, conversions, fills, transposes and layouts against plain loops.
#include "families.hpp"
#include "values.hpp"

// Structures of three fields of other sizes, with padding; and their bytes.
struct df_record {
  std::uint8_t small;
  std::uint32_t middle;
  double large;
};
struct df_moved {
  unsigned char bytes[sizeof(df_record)];
};
CLWAVE_STRUCTURE(df_moved, "df_moved", "typedef struct { uchar bytes[16]; } df_moved;")

namespace differential {
namespace {

template <class T>
void copy_elements(session& s) {
  const bool fills = s.one_in(3);
  s.what = std::string(fills ? "fill of " : "copy of ") + name_of<T>();
  for (unsigned v = 0; s.goes_on(v); ++v) {
    const std::size_t n = s.size(40000);
    const std::vector<T> x = draw_values<T>(s, n);
    place<T> in(s, x), out(s, n);
    const T value = draw_values<T>(s, 1)[0];
    out.expect(fills ? std::vector<T>(n, value) : x);
    s.make({&in, &out}, [&](const auto& queue, const auto& options) {
      return fills ? clwave::fill(queue, out.elements(), value, options)
                   : clwave::copy(queue, in.input(), out.elements(), testing::given(options));
    });
  }
}

// What an element becomes, by the rules of copy.hpp for the natural rounding.
template <class To, class From>
To converted(const From& x, bool saturate) {
  const auto from = number(x);
  using N = std::decay_t<decltype(from)>;
  if constexpr (is_stored<To>) {
    return stored_of<To>(from);
  } else if constexpr (std::is_floating_point_v<To>) {
    return static_cast<To>(from);
  } else if constexpr (std::is_floating_point_v<N>) {
    return testing::saturated<To>(from);
  } else {
    if (saturate) {
      if (std::cmp_less(from, std::numeric_limits<To>::min())) return std::numeric_limits<To>::min();
      if (std::cmp_greater(from, std::numeric_limits<To>::max())) return std::numeric_limits<To>::max();
    }
    return static_cast<To>(from);
  }
}

template <class From, class To>
void convert_elements(session& s) {
  const clwave::copy_options how{.saturate = s.flip()};
  s.what = "copy of " + name_of<From>() + " to " + name_of<To>() + (how.saturate ? ", saturated" : "");
  for (unsigned v = 0; s.goes_on(v); ++v) {
    const std::size_t n = s.size(40000);
    std::vector<From> x = draw_values<From>(s, n);
    if constexpr (std::is_floating_point_v<From>) {
      const std::vector<From> hard = testing::hostile<From>();
      if (s.flip())
        for (From& each : x)
          if (s.flip()) each = s.one_of(hard);
    }
    place<From> in(s, x);
    place<To> out(s, n);
    out.any_payload = true;
    for (std::size_t i = 0; i < n; ++i) out.expect(i, converted<To>(x[i], how.saturate));
    s.make({&in, &out}, [&](const auto& queue, const auto& options) {
      return clwave::copy(queue, in.input(), out.elements(), testing::launched(how, options));
    });
  }
}

clwave::pitches draw_pitches(session& s, std::size_t width, std::size_t height) {
  clwave::pitches p;
  if (s.flip()) p.row = width + s.below(20);
  if (s.flip()) p.slice = (p.row != 0 ? p.row : width) * height + s.below(30);
  return p;
}
std::size_t index_of(const clwave::pitches& p, std::size_t width, std::size_t height, std::size_t slice,
                     std::size_t row, std::size_t column) {
  const std::size_t pitch = p.row != 0 ? p.row : width;
  return slice * (p.slice != 0 ? p.slice : pitch * height) + row * pitch + column;
}

template <class T>
void copy_boxes(session& s) {
  s.what = "copy of boxes of " + name_of<T>();
  for (unsigned v = 0; s.goes_on(v); ++v) {
    const clwave::box box{
        .width = 1 + s.below(s.flip() ? 9 : 300), .height = 1 + s.below(30), .depth = 1 + s.below(4)};
    const clwave::pitches from = draw_pitches(s, box.width, box.height),
                          to = draw_pitches(s, box.width, box.height);
    const auto end = [&](const clwave::pitches& p) {
      return index_of(p, box.width, box.height, box.depth - 1, box.height - 1, box.width - 1) + 1;
    };
    const std::vector<T> x = draw_values<T>(s, end(from));
    place<T> in(s, x), out(s, end(to) + s.below(3));
    for (std::size_t d = 0; d < box.depth; ++d)
      for (std::size_t h = 0; h < box.height; ++h)
        for (std::size_t w = 0; w < box.width; ++w)
          out.expect(index_of(to, box.width, box.height, d, h, w),
                     x[index_of(from, box.width, box.height, d, h, w)]);
    s.make({&in, &out}, [&](const auto& queue, const auto& options) {
      return clwave::copy(queue, in.input(), out.elements(), box,
                          testing::launched(clwave::pitch_options{.in = from, .out = to}, options));
    });
  }
}

template <class T>
void copy_many_ranges(session& s) {
  s.what = "copy_ranges of " + name_of<T>();
  for (unsigned v = 0; s.goes_on(v); ++v) {
    const std::size_t ranges = s.size(3000), longest = 1 + s.below(s.flip() ? 4 : 60);
    const std::vector<T> x = draw_values<T>(s, longest + s.below(1000));
    std::vector<std::uint32_t> starts(ranges), lengths(ranges), out_starts(ranges);
    std::size_t end = s.below(9);
    for (std::size_t k = 0; k < ranges; ++k) {
      lengths[k] = static_cast<std::uint32_t>(s.below(longest + 1));
      starts[k] = static_cast<std::uint32_t>(s.below(x.size() - lengths[k] + 1));
      out_starts[k] = static_cast<std::uint32_t>(end);
      end += lengths[k] + s.below(3);
    }
    place<T> in(s, x), out(s, end);
    place<std::uint32_t> from(s, starts), sizes(s, lengths), to(s, out_starts);
    for (std::size_t k = 0; k < ranges; ++k)
      for (std::size_t j = 0; j < lengths[k]; ++j) out.expect(out_starts[k] + j, x[starts[k] + j]);
    s.make({&in, &from, &sizes, &out, &to}, [&](const auto& queue, const auto& options) {
      return clwave::copy_ranges(queue, in.input(), from.input(), sizes.input(), out.elements(), to.input(),
                                 options);
    });
  }
}

template <class T>
void transpose_matrices(session& s) {
  const bool in_place = s.one_in(3);
  s.what = std::string(in_place ? "transpose_in_place of " : "transpose of ") + name_of<T>();
  for (unsigned v = 0; s.goes_on(v); ++v) {
    clwave::matrices size{.rows = 1 + s.below(s.flip() ? 20 : 200),
                          .columns = 1 + s.below(s.flip() ? 20 : 200)};
    if (s.one_in(4)) size.batch = 1 + s.below(4);
    if (in_place) size.columns = size.rows;
    const clwave::pitches from = draw_pitches(s, size.columns, size.rows),
                          to = draw_pitches(s, size.rows, size.columns);
    const std::size_t from_end =
        index_of(from, size.columns, size.rows, size.batch - 1, size.rows - 1, size.columns - 1) + 1;
    const std::size_t to_end =
        index_of(to, size.rows, size.columns, size.batch - 1, size.columns - 1, size.rows - 1) + 1;
    const std::vector<T> x = draw_values<T>(s, from_end);
    place<T> in(s, x), out(s, in_place ? 0 : to_end + s.below(3));
    for (std::size_t b = 0; b < size.batch; ++b)
      for (std::size_t r = 0; r < size.rows; ++r)
        for (std::size_t c = 0; c < size.columns; ++c) {
          const T& each = x[index_of(from, size.columns, size.rows, b, r, c)];
          if (in_place)
            in.expect(index_of(from, size.columns, size.rows, b, c, r), each);
          else
            out.expect(index_of(to, size.rows, size.columns, b, c, r), each);
        }
    s.make({&in, &out}, [&](const auto& queue, const auto& options) {
      return in_place ? clwave::transpose_in_place(
                            queue, in.elements(), size,
                            testing::launched(clwave::matrix_options{.row = from.row, .slice = from.slice},
                                              options))
                      : clwave::transpose(
                            queue, in.input(), out.elements(), size,
                            testing::launched(clwave::pitch_options{.in = from, .out = to}, options));
    });
  }
}

void move_layouts(session& s, bool to_arrays) {
  const clwave::layout fields = clwave::layout_of(&df_record::middle, &df_record::small, &df_record::large);
  s.what = to_arrays ? "aos_to_soa" : "soa_to_aos";
  for (unsigned v = 0; s.goes_on(v); ++v) {
    const std::size_t n = s.size(40000);
    std::vector<std::uint8_t> small = draw_values<std::uint8_t>(s, n);
    const std::vector<std::uint32_t> middle = draw_values<std::uint32_t>(s, n);
    const std::vector<double> large = draw_values<double>(s, n);
    std::vector<df_moved> records(n);
    for (std::size_t i = 0; i < n; ++i) {
      df_moved each{};
      std::memcpy(each.bytes + fields.fields[0].offset, &middle[i], 4);
      std::memcpy(each.bytes + fields.fields[1].offset, &small[i], 1);
      std::memcpy(each.bytes + fields.fields[2].offset, &large[i], 8);
      records[i] = each;
    }
    if (to_arrays) {
      place<df_moved> in(s, records);
      place<std::uint32_t> a(s, n + s.below(3));
      place<std::uint8_t> b(s, n);
      place<double> c(s, n);
      a.expect(middle);
      b.expect(small);
      c.expect(large);
      s.make({&in, &a, &b, &c}, [&](const auto& queue, const auto& options) {
        return clwave::aos_to_soa(queue, in.input(), fields, {a.elements(), b.elements(), c.elements()},
                                  options);
      });
    } else {
      place<std::uint32_t> a(s, middle);
      place<std::uint8_t> b(s, small);
      place<double> c(s, large);
      place<df_moved> out(s, n);
      out.expect(records);
      s.make({&a, &b, &c, &out}, [&](const auto& queue, const auto& options) {
        return clwave::soa_to_aos(queue, {a.input(), b.input(), c.input()}, out.elements(), fields, options);
      });
    }
  }
}

// Blocks of structures, each block a structure of arrays.
void move_blocks(session& s, bool to_blocks) {
  const clwave::layout fields = clwave::layout_of(&df_record::middle, &df_record::small, &df_record::large);
  s.what = to_blocks ? "aos_to_aosoa" : "aosoa_to_aos";
  for (unsigned v = 0; s.goes_on(v); ++v) {
    const std::size_t n = s.size(20000), block = 1 + s.below(s.flip() ? 9 : 70);
    const std::size_t n_bytes = clwave::aosoa_bytes(fields, n, block);
    const bytes anything = draw_values<std::uint8_t>(s, n_bytes);
    bytes all = anything;
    std::vector<df_moved> records(n);
    for (std::size_t i = 0; i < n; ++i) {
      std::size_t before = 0;
      for (const clwave::field& each : fields.fields) {
        unsigned char* in_block =
            all.data() + i / block * block * 13 + before * block + i % block * each.size;
        for (std::size_t k = 0; k < each.size; ++k) {
          const auto value = static_cast<unsigned char>(s.random());
          records[i].bytes[each.offset + k] = value;
          in_block[k] = value;
        }
        before += each.size;
      }
    }
    if (to_blocks) {
      place<df_moved> in(s, records);
      place<std::uint8_t> out(s, n_bytes);
      // Places of no structure stay as they are.
      const bytes was = out.before();
      bytes right = all;
      for (std::size_t i = n; i < (n + block - 1) / block * block; ++i) {
        std::size_t before = 0;
        for (const clwave::field& each : fields.fields) {
          const std::size_t at = i / block * block * 13 + before * block + i % block * each.size;
          for (std::size_t k = 0; k < each.size; ++k) right[at + k] = was[at + k];
          before += each.size;
        }
      }
      out.expect(right);
      s.make({&in, &out}, [&](const auto& queue, const auto& options) {
        return clwave::aos_to_aosoa(queue, in.input(), fields, out.elements(), block, options);
      });
    } else {
      place<std::uint8_t> in(s, all);
      place<df_moved> out(s, n);
      out.expect(records);
      s.make({&in, &out}, [&](const auto& queue, const auto& options) {
        return clwave::aosoa_to_aos(queue, in.input(), block, out.elements(), fields, options);
      });
    }
  }
}

template <class From>
void convert_from(session& s) {
  with_one_of(s,
              types<float, double, half, bfloat16, std::uint8_t, std::int16_t, std::int32_t, std::uint64_t>{},
              [&]<class To>(std::type_identity<To>) {
                if constexpr (std::is_same_v<From, To>)
                  copy_elements<To>(s);
                else
                  convert_elements<From, To>(s);
              });
}

using moved_types = types<std::uint8_t, std::int16_t, float, double, df_matrix, df_triple>;

}  // namespace

void copies(session& s) {
  switch (s.below(5)) {
    case 0:
      with_one_of(s, moved_types{}, [&]<class T>(std::type_identity<T>) { copy_elements<T>(s); });
      break;
    case 1:
      with_one_of(s, moved_types{}, [&]<class T>(std::type_identity<T>) { copy_boxes<T>(s); });
      break;
    case 2:
      with_one_of(s, moved_types{}, [&]<class T>(std::type_identity<T>) { copy_many_ranges<T>(s); });
      break;
    default:
      with_one_of(s, types<float, double, half, std::uint8_t, std::int32_t, std::int64_t>{},
                  [&]<class From>(std::type_identity<From>) { convert_from<From>(s); });
  }
}

void transposes(session& s) {
  with_one_of(s, moved_types{}, [&]<class T>(std::type_identity<T>) { transpose_matrices<T>(s); });
}

void layouts(session& s) {
  if (s.flip())
    move_layouts(s, s.flip());
  else
    move_blocks(s, s.flip());
}

}  // namespace differential
