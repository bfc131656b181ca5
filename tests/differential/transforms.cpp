// Transforms, broadcasts and matrix products against plain loops.
#include "families.hpp"
#include "values.hpp"

namespace differential {
namespace {

// A text of one to three inputs, with the same on the host.
template <class T, class R>
struct text_of_three {
  clwave::map text;
  unsigned inputs;
  std::function<R(const T& x, const T& y, const T& z, std::uint64_t i)> host;
};

template <class T, class R>
text_of_three<T, R> draw_text(session& s) {
  using clwave::map;
  using N = number_of<T>;
  using row = text_of_three<T, R>;
  std::vector<row> all;
  const auto put = [](auto x) {
    if constexpr (is_stored<R>)
      return stored_of<R>(x);
    else
      return static_cast<R>(x);
  };
  all.push_back(
      {clwave::identity, 1, [put](const T& x, const T&, const T&, std::uint64_t) { return put(number(x)); }});
  if constexpr (std::is_floating_point_v<N>) {
    // The literals' type goes by the operands and the result.
    using literal = std::conditional_t<std::is_same_v<N, double> || std::is_same_v<R, double>, double, float>;
    all.push_back({map{.name = "by a literal", .source = "x * 0.1"}, 1,
                   [put](const T& x, const T&, const T&, std::uint64_t) {
                     return put(number(x) * static_cast<literal>(0.1));
                   }});
    all.push_back({map{.name = "axpy", .source = "alpha * x + y", .values = {{"alpha", 0.3f}}}, 2,
                   [put](const T& x, const T& y, const T&, std::uint64_t) {
                     return put(0.3f * number(x) + number(y));
                   }});
    all.push_back(
        {map{.name = "a value is double", .source = "alpha * x + 0.1 * y", .values = {{"alpha", 0.3}}}, 2,
         [put](const T& x, const T& y, const T&, std::uint64_t) {
           return put(0.3 * number(x) + 0.1 * number(y));
         }});
    all.push_back({map{.name = "of three", .source = "x * y + z"}, 3,
                   [put](const T& x, const T& y, const T& z, std::uint64_t) {
                     return put(number(x) * number(y) + number(z));
                   }});
    all.push_back({map{.name = "declared",
                       .source = "df_scaled(x) + y",
                       .declarations = "float df_scaled(float v) { return v * 0.7; }"},
                   2, [put](const T& x, const T& y, const T&, std::uint64_t) {
                     return put(static_cast<float>(number(x)) * 0.7f + number(y));
                   }});
    all.push_back({map{.name = "by index", .source = "x + (float)(i % 9)"}, 1,
                   [put](const T& x, const T&, const T&, std::uint64_t i) {
                     return put(number(x) + static_cast<float>(i % 9));
                   }});
  } else {
    all.push_back({map{.name = "mixed", .source = "(ulong)x * 3 + (ulong)y"}, 2,
                   [put](const T& x, const T& y, const T&, std::uint64_t) {
                     return put(static_cast<std::uint64_t>(number(x)) * 3 +
                                static_cast<std::uint64_t>(number(y)));
                   }});
    all.push_back({map{.name = "of three", .source = "(x & y) | z"}, 3,
                   [put](const T& x, const T& y, const T& z, std::uint64_t) {
                     return put((number(x) & number(y)) | number(z));
                   }});
    all.push_back({map{.name = "by index", .source = "(ulong)x ^ i"}, 1,
                   [put](const T& x, const T&, const T&, std::uint64_t i) {
                     return put(static_cast<std::uint64_t>(number(x)) ^ i);
                   }});
  }
  return s.one_of(all);
}

template <class T, class R>
void transform_elements(session& s) {
  const auto text = draw_text<T, R>(s);
  const bool may_be_in_place = std::is_same_v<T, R>;
  s.what = "transform of " + std::to_string(text.inputs) + " " + name_of<T>() + " to " + name_of<R>() +
           " by '" + text.text.name + "'";
  for (unsigned v = 0; s.goes_on(v); ++v) {
    const std::size_t n = s.size(40000);
    const std::vector<T> a = draw_values<T>(s, n), b = draw_values<T>(s, n), c = draw_values<T>(s, n);
    const bool in_place = may_be_in_place && s.one_in(3);
    place<T> x(s, a), y(s, b), z(s, c);
    place<R> out(s, in_place ? 0 : n);
    out.any_payload = x.any_payload = true;
    view<R> to = out.elements();
    for (std::size_t i = 0; i < n; ++i) {
      const R right = text.host(a[i], b[i], c[i], i);
      if constexpr (std::is_same_v<T, R>) {
        if (in_place) {
          x.expect(i, right);
          continue;
        }
      }
      out.expect(i, right);
    }
    if constexpr (std::is_same_v<T, R>) {
      if (in_place) to = x.elements();
    }
    s.make({&x, &y, &z, &out}, [&](const auto& queue, const auto& options) {
      return text.inputs == 1 ? clwave::transform(queue, x.input(), to, text.text, options)
             : text.inputs == 2
                 ? clwave::transform(queue, x.input(), y.input(), to, text.text, options)
                 : clwave::transform(queue, x.input(), y.input(), z.input(), to, text.text, options);
    });
  }
}

template <class T>
void broadcast_values(session& s) {
  const bool of_rows = s.flip();
  const bool literal = s.flip();
  const clwave::map text = literal ? clwave::map{.name = "by a literal", .source = "x * 0.1 + b"}
                                   : clwave::map{.name = "sum", .source = "x + b"};
  s.what = "broadcast of " + name_of<T>() + " by '" + text.name + "' per " + (of_rows ? "row" : "column");
  for (unsigned v = 0; s.goes_on(v); ++v) {
    clwave::broadcast_shape shape{.rows = 1 + s.below(60), .columns = 1 + s.below(s.flip() ? 20 : 400)};
    if (s.flip()) std::swap(shape.rows, shape.columns);
    if (s.flip()) shape.in_row = shape.columns + s.below(9);
    if (s.flip()) shape.out_row = shape.columns + s.below(9);
    const std::size_t in_row = shape.in_row != 0 ? shape.in_row : shape.columns;
    const std::size_t out_row = shape.out_row != 0 ? shape.out_row : shape.columns;
    const std::vector<T> a = draw_values<T>(s, in_row * (shape.rows - 1) + shape.columns);
    const std::vector<T> b = draw_values<T>(s, of_rows ? shape.rows : shape.columns);
    place<T> x(s, a), per(s, b), out(s, out_row * (shape.rows - 1) + shape.columns);
    out.any_payload = true;
    for (std::size_t r = 0; r < shape.rows; ++r)
      for (std::size_t c = 0; c < shape.columns; ++c) {
        const auto p = number(a[r * in_row + c]);
        const auto q = number(b[of_rows ? r : c]);
        using N = std::decay_t<decltype(p)>;
        out.expect(r * out_row + c,
                   T(literal ? static_cast<N>(p * static_cast<N>(0.1) + q) : static_cast<N>(p + q)));
      }
    s.make({&x, &per, &out}, [&](const auto& queue, const auto& options) {
      return clwave::broadcast(queue, x.input(), per.input(), out.elements(), shape,
                               of_rows ? clwave::per::row : clwave::per::column, text, options);
    });
  }
}

// Of small whole numbers, of which every sum and product is exact.
template <class T, class C>
void multiply(session& s) {
  s.what = "gemm of " + name_of<T>() + " into " + name_of<C>();
  for (unsigned v = 0; s.goes_on(v); ++v) {
    clwave::gemm_options which{.alpha = std::array{1.0, 2.0, -1.0, 0.0}[s.below(4)],
                               .beta = std::array{0.0, 0.0, 1.0, -1.0}[s.below(4)]};
    const bool columns_first = s.flip();
    if (columns_first) which.order = clwave::matrix_order::column_major;
    which.transpose_a = s.flip();
    which.transpose_b = s.flip();
    const auto draw = [&] { return s.one_in(8) ? 0 : 1 + s.below(s.flip() ? 9 : 100); };
    const clwave::gemm_size size{draw(), draw(), draw()};
    if (s.one_in(4)) which.batches = 1 + s.below(3);
    // As they are stored: rows of a row-major matrix.
    struct matrix {
      std::size_t lines, length, pitch, stride;
      std::size_t elements(std::size_t batches) const {
        return lines * length == 0 ? 0 : stride * (batches - 1) + pitch * (lines - 1) + length;
      }
    };
    const auto arrange = [&](std::size_t rows, std::size_t columns, std::size_t& leading,
                             std::optional<std::size_t>& stride) {
      if (columns_first) std::swap(rows, columns);
      matrix m{rows, columns, columns, 0};
      if (s.flip() && columns > 0) leading = m.pitch = columns + s.below(9);
      m.stride = m.pitch * rows;
      if (s.one_in(3)) stride = m.stride = m.stride + s.below(20);
      return m;
    };
    const matrix a = which.transpose_a ? arrange(size.k, size.m, which.lda, which.stride_a)
                                       : arrange(size.m, size.k, which.lda, which.stride_a);
    const matrix b = which.transpose_b ? arrange(size.n, size.k, which.ldb, which.stride_b)
                                       : arrange(size.k, size.n, which.ldb, which.stride_b);
    const matrix c = arrange(size.m, size.n, which.ldc, which.stride_c);
    const auto at = [&](const matrix& m, std::size_t batch, std::size_t row, std::size_t column,
                        bool turned) {
      if (turned != columns_first) std::swap(row, column);
      return batch * m.stride + row * m.pitch + column;
    };
    const std::vector<T> x = draw_small<T>(s, a.elements(which.batches), 3),
                         y = draw_small<T>(s, b.elements(which.batches), 3);
    const std::vector<C> z = draw_small<C>(s, c.elements(which.batches), 3);
    place<T> in_a(s, x), in_b(s, y);
    place<C> out(s, z);
    for (std::size_t batch = 0; batch < which.batches; ++batch)
      for (std::size_t row = 0; row < size.m; ++row)
        for (std::size_t column = 0; column < size.n; ++column) {
          double sum = 0;
          for (std::size_t k = 0; k < size.k; ++k)
            sum += static_cast<double>(number(x[at(a, batch, row, k, which.transpose_a)])) *
                   static_cast<double>(number(y[at(b, batch, k, column, which.transpose_b)]));
          const std::size_t to = at(c, batch, row, column, false);
          sum = which.alpha * sum + (which.beta == 0 ? 0 : which.beta * static_cast<double>(number(z[to])));
          out.expect(to, C(static_cast<number_of<C>>(sum == 0 ? 0 : sum)));
        }
    // A zero may have either sign.
    out.judge_each = [](const C& got, const C& right) { return number(got) == number(right); };
    s.make({&in_a, &in_b, &out}, [&](const auto& queue, const auto& options) {
      return clwave::gemm(queue, size, in_a.input(), in_b.input(), out.elements(),
                          testing::launched(which, options));
    });
  }
}

}  // namespace

void transforms(session& s) {
  if (s.one_in(4)) {
    with_one_of(s, types<float, double, half>{},
                [&]<class T>(std::type_identity<T>) { broadcast_values<T>(s); });
    return;
  }
  switch (s.below(8)) {
    case 0:
      return transform_elements<float, float>(s);
    case 1:
      return transform_elements<float, double>(s);
    case 2:
      return transform_elements<double, float>(s);
    case 3:
      return transform_elements<half, half>(s);
    case 4:
      return transform_elements<float, half>(s);
    case 5:
      return transform_elements<std::uint8_t, std::uint32_t>(s);
    case 6:
      return transform_elements<std::int32_t, std::int32_t>(s);
    default:
      return transform_elements<double, double>(s);
  }
}

void products(session& s) {
  switch (s.below(6)) {
    case 0:
      return multiply<double, double>(s);
    case 1:
      return multiply<half, half>(s);
    case 2:
      return multiply<half, float>(s);
    case 3:
      return multiply<bfloat16, float>(s);
    case 4:
      return multiply<bfloat16, bfloat16>(s);
    default:
      return multiply<float, float>(s);
  }
}

}  // namespace differential
