// The matrix product that a row of gemm measures, read from the row's name by the bench and by its CUDA peers
// alike.
#pragma once

#include <algorithm>
#include <cstdint>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

namespace clwave::tool::bench {

// Row-major: C is m x n, op(A) m x k, op(B) k x n.
struct product {
  std::string type;  // of A and B: f16, bf16, f32, f64
  std::string out;   // of C
  std::uint64_t m = 0, n = 0, k = 0, batches = 1;
  bool transpose_a = false, transpose_b = false;
  bool tf32 = false;       // may round A and B so
  bool adds = false;       // beta is 1
  std::uint64_t line = 0;  // leading dimension of all three; 0: lines follow one another without a gap

  std::uint64_t line_a() const { return line != 0 ? line : transpose_a ? m : k; }
  std::uint64_t line_b() const { return line != 0 ? line : transpose_b ? k : n; }
  std::uint64_t line_c() const { return line != 0 ? line : n; }
  std::uint64_t size_a() const { return (transpose_a ? k : m) * line_a(); }
  std::uint64_t size_b() const { return (transpose_b ? n : k) * line_b(); }
  std::uint64_t size_c() const { return m * line_c(); }
  // Elements of the largest of the three.
  std::uint64_t largest() const { return batches * std::max({size_a(), size_b(), size_c()}); }

  // An element of C, and where the factors of its sum lie.
  struct place {
    std::uint64_t batch, row, column;
  };
  std::uint64_t at_a(const place& c, std::uint64_t i) const {
    return c.batch * size_a() + (transpose_a ? i * line_a() + c.row : c.row * line_a() + i);
  }
  std::uint64_t at_b(const place& c, std::uint64_t i) const {
    return c.batch * size_b() + (transpose_b ? c.column * line_b() + i : i * line_b() + c.column);
  }
  std::uint64_t at_c(const place& c) const { return c.batch * size_c() + c.row * line_c() + c.column; }
  // A few elements of C are compared, the same for every contender.
  std::vector<place> samples() const {
    std::vector<place> all;
    for (std::uint64_t s = 0; s < 64; ++s) {
      const std::uint64_t at = s * 2654435761u % (batches * m * n);
      all.push_back({at / (m * n), at / n % m, at % n});
    }
    return all;
  }
};

// "square", "f16", "4096"; "tf32", "f32", "4096"; "thin", "f32", "4096" (by 4096 x 8); "other" with a type or
// tf32, and "4096-ta-tb" (A, B transposed), "4096-into-f32", "4096-beta-1", "4096-ld-4104", "64-x-512" (64
// products of 512) or "5000-x-3000-x-1000" (m, n, k).
inline product product_of(const std::string& variant, const std::string& type, const std::string& shape) {
  product p;
  p.tf32 = variant == "tf32" || type == "tf32";
  p.type = p.out = type == "tf32" ? "f32" : type;
  std::vector<std::string> words;
  std::stringstream text(shape);
  for (std::string word; std::getline(text, word, '-');) words.push_back(word);
  std::vector<std::uint64_t> sizes;
  std::size_t at = 0;
  const auto next = [&] {
    if (at == words.size()) throw std::runtime_error("no such product: " + shape);
    return words[at++];
  };
  sizes.push_back(std::stoull(next()));
  while (at < words.size() && words[at] == "x") {
    ++at;
    sizes.push_back(std::stoull(next()));
  }
  p.m = p.n = p.k = sizes.back();
  if (sizes.size() == 2) p.batches = sizes[0];
  if (sizes.size() == 3) {
    p.m = sizes[0];
    p.n = sizes[1];
  }
  if (variant == "thin") p.n = 8;
  while (at < words.size()) {
    const std::string word = next();
    if (word == "ta")
      p.transpose_a = true;
    else if (word == "tb")
      p.transpose_b = true;
    else if (word == "into")
      p.out = next();
    else if (word == "beta")
      p.adds = next() == "1";
    else if (word == "ld")
      p.line = std::stoull(next());
    else
      throw std::runtime_error("no such product: " + shape);
  }
  return p;
}

}  // namespace clwave::tool::bench
