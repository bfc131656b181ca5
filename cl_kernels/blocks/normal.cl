// Normal numbers: the quantile function of the normal distribution with mean 0 and deviation 1, of 32 random bits as a float
// and of 64 as a double. Built from +, *, fma, conversions that round to nearest, and the division of doubles, which OpenCL
// rounds right: so the bits are the same on every device, where log, sqrt and cos differ from one to another.
//
// A word u is the probability (u + 1/2) / 2^32 (2^64). With its distance to the nearer end, q / 2, and x = 1 - q, which are both
// exact before they are rounded, and w = -log(1 - x^2) = -log(q (1 + x)), the result is x P(w), where P is smooth:
//
//     w               0           6.25           14             27            44
//     |z|             0           3.3            5.1            7.1           9.2
//     larger ones     all         1 of 1000      1 of 2 * 10^6  1 of 10^12    none
//
// P is a polynomial of w in each of these intervals (of a float in two, because its w end at 21.5), and so is the logarithm in
// that of the mantissa. Interpolations in Chebyshev's points by 60 digits; the numbers are tested against the error function of a
// long double: tests/primitives/random/normal_test.cpp.

#ifdef NORMAL_FLOAT
// P where w < 6.25, of t = w - 3.
static inline float normal_centre(float t) {
  float sum = 0x1.11ac98p-37f; sum = fma(sum, t, 0x1.00c9b6p-30f); sum = fma(sum, t, -0x1.0f0d5ap-27f);
  sum = fma(sum, t, -0x1.d02992p-26f); sum = fma(sum, t, 0x1.54eb9cp-21f); sum = fma(sum, t, -0x1.4ff5d6p-19f);
  sum = fma(sum, t, -0x1.2d8dcp-16f); sum = fma(sum, t, 0x1.215472p-12f); sum = fma(sum, t, -0x1.360024p-10f);
  sum = fma(sum, t, -0x1.09e996p-7f); sum = fma(sum, t, 0x1.5deb1p-2f); sum = fma(sum, t, 0x1.25e47ap+1f);
  return sum;
}
// P from there to 21.5, of t = w - 13.
static inline float normal_tail(float t) {
  float sum = -0x1.3a3946p-54f; sum = fma(sum, t, 0x1.879416p-49f); sum = fma(sum, t, -0x1.ad08ep-45f);
  sum = fma(sum, t, 0x1.272ffep-41f); sum = fma(sum, t, -0x1.3688dap-38f); sum = fma(sum, t, 0x1.87f8dcp-36f);
  sum = fma(sum, t, 0x1.25063p-32f); sum = fma(sum, t, -0x1.99282ep-27f); sum = fma(sum, t, 0x1.324356p-22f);
  sum = fma(sum, t, -0x1.9a52b8p-18f); sum = fma(sum, t, 0x1.1f8b82p-13f); sum = fma(sum, t, -0x1.e8b302p-9f);
  sum = fma(sum, t, 0x1.94db88p-3f); sum = fma(sum, t, 0x1.378546p+2f);
  return sum;
}
// log(1 + t) / t for 1 + t from sqrt(1/2) to sqrt(2).
static inline float log_share(float t) {
  float sum = -0x1.38e072p-4f; sum = fma(sum, t, 0x1.087b72p-3f); sum = fma(sum, t, -0x1.0f2c26p-3f);
  sum = fma(sum, t, 0x1.226874p-3f); sum = fma(sum, t, -0x1.5427a8p-3f); sum = fma(sum, t, 0x1.99a476p-3f);
  sum = fma(sum, t, -0x1.000428p-2f); sum = fma(sum, t, 0x1.55555p-2f); sum = fma(sum, t, -0x1.fffff8p-2f);
  sum = fma(sum, t, 0x1p+0f);
  return sum;
}

// At most 5 units in the last place from the quantile, for every word. A word's complement gives the negated number.
static inline float normal_of_word(uint word) {
  const uint nearer = (word & 0x80000000u) != 0 ? ~word : word;
  const float x = convert_float_rte(~(2 * nearer)) * 0x1p-32f, q = convert_float_rte(2 * nearer | 1) * 0x1p-32f;
  const uint bits = as_uint(fma(q, x, q)) - 0x3f3504f3u;  // from sqrt(1/2) on
  const float t = as_float((bits & 0x7fffffu) + 0x3f3504f3u) - 1.0f;
  const float w = -fma((float)((int)bits >> 23), 0x1.62e43p-1f, t * log_share(t));
  const float size = x * (w < 6.25f ? normal_centre(w - 3.0f) : normal_tail(w - 13.0f));
  return (word & 0x80000000u) != 0 ? size : -size;
}
#endif

#ifdef NORMAL_DOUBLE
// P where w < 6.25, of t = w - 3.
static inline double normal_centre(double t) {
  double sum = -0x1.215db4f02cbf3p-71; sum = fma(sum, t, 0x1.c17073b07f1aep-68);
  sum = fma(sum, t, 0x1.b2d6cb8e23ff1p-67); sum = fma(sum, t, -0x1.4140afd61794p-61);
  sum = fma(sum, t, 0x1.4f2a6ef131921p-59); sum = fma(sum, t, 0x1.4bda360f6e36ap-56);
  sum = fma(sum, t, -0x1.feb868946116ep-53); sum = fma(sum, t, 0x1.c2150185d5ca6p-52);
  sum = fma(sum, t, 0x1.4060196995247p-47); sum = fma(sum, t, -0x1.5136e9713aadfp-44);
  sum = fma(sum, t, 0x1.4a5a4afd96dcbp-47); sum = fma(sum, t, 0x1.0c998f27aa364p-38);
  sum = fma(sum, t, -0x1.af2576ddb214ap-36); sum = fma(sum, t, -0x1.86ec6a8100858p-35);
  sum = fma(sum, t, 0x1.afcee0106091fp-30); sum = fma(sum, t, -0x1.09a942a573eaep-27);
  sum = fma(sum, t, -0x1.1fc54fc0498ep-25); sum = fma(sum, t, 0x1.55a6c809f24dcp-21);
  sum = fma(sum, t, -0x1.4bcaee8177fd9p-19); sum = fma(sum, t, -0x1.2db7905676ec7p-16);
  sum = fma(sum, t, 0x1.21422adf5968bp-12); sum = fma(sum, t, -0x1.35fee3cbde556p-10);
  sum = fma(sum, t, -0x1.09e91f88fde52p-7); sum = fma(sum, t, 0x1.5deb0f5218a74p-2);
  sum = fma(sum, t, 0x1.25e47a9d5da59p+1);
  return sum;
}
// From there to 14, of t = w - 10.
static inline double normal_tail_14(double t) {
  double sum = -0x1.677ef7c641e22p-78; sum = fma(sum, t, 0x1.cf821084f91b8p-74);
  sum = fma(sum, t, -0x1.07e6896caa3afp-70); sum = fma(sum, t, 0x1.23f86d747755cp-68);
  sum = fma(sum, t, 0x1.359921c88cb94p-65); sum = fma(sum, t, -0x1.6e9c8661e83cdp-60);
  sum = fma(sum, t, 0x1.840409a73c9e7p-56); sum = fma(sum, t, -0x1.1ec19cc3d939ep-52);
  sum = fma(sum, t, 0x1.20ab03c68e98p-49); sum = fma(sum, t, -0x1.4f95bfe7a302bp-48);
  sum = fma(sum, t, -0x1.b515b7d9a937cp-43); sum = fma(sum, t, 0x1.4371d3728d40cp-38);
  sum = fma(sum, t, -0x1.211b1006481b8p-34); sum = fma(sum, t, 0x1.7ee2578a3dde1p-31);
  sum = fma(sum, t, -0x1.689e6defe7877p-28); sum = fma(sum, t, 0x1.eec9640b8319dp-27);
  sum = fma(sum, t, 0x1.c06d0c085b514p-22); sum = fma(sum, t, -0x1.8e2573bf97aa1p-17);
  sum = fma(sum, t, 0x1.fcb1fed298523p-13); sum = fma(sum, t, -0x1.60e09d49723c9p-8);
  sum = fma(sum, t, 0x1.cbe16b62e4c7ap-3); sum = fma(sum, t, 0x1.0f24db5eab571p+2);
  return sum;
}
// From there to 27, of t = w - 20.
static inline double normal_tail_27(double t) {
  double sum = 0x1.ac617bab30759p-92; sum = fma(sum, t, -0x1.0c454c9e1949bp-86);
  sum = fma(sum, t, 0x1.6c1edcb4319ep-82); sum = fma(sum, t, -0x1.b19d354580d4ep-78);
  sum = fma(sum, t, 0x1.f90e27b87531fp-74); sum = fma(sum, t, -0x1.07e43bbf1adccp-69);
  sum = fma(sum, t, 0x1.d103768aedf0fp-66); sum = fma(sum, t, -0x1.3114b1b693f9ap-62);
  sum = fma(sum, t, 0x1.2266b6e96d10cp-61); sum = fma(sum, t, 0x1.6730be9069e6cp-54);
  sum = fma(sum, t, -0x1.ca0440fd00e79p-49); sum = fma(sum, t, 0x1.ab82a7ce56e6ap-44);
  sum = fma(sum, t, -0x1.6a35bd4fa9142p-39); sum = fma(sum, t, 0x1.2b42760877e61p-34);
  sum = fma(sum, t, -0x1.f40535ec02ddep-30); sum = fma(sum, t, 0x1.b112dd83b84bep-25);
  sum = fma(sum, t, -0x1.8f5a64e67fb54p-20); sum = fma(sum, t, 0x1.99f52819d013ap-15);
  sum = fma(sum, t, -0x1.04db220ff738bp-9); sum = fma(sum, t, 0x1.471fe2621429ep-3);
  sum = fma(sum, t, 0x1.86b1c939c1905p+2);
  return sum;
}
// From there to 44, of t = w - 35.
static inline double normal_tail_44(double t) {
  double sum = 0x1.618fc8b8334d5p-93; sum = fma(sum, t, -0x1.0f31fb1b7972fp-87);
  sum = fma(sum, t, 0x1.229940f9d7471p-82); sum = fma(sum, t, -0x1.5eaf57c751b8p-77);
  sum = fma(sum, t, 0x1.beb052899f0fbp-72); sum = fma(sum, t, -0x1.1baba5ea601f7p-66);
  sum = fma(sum, t, 0x1.6ab4fe4394124p-61); sum = fma(sum, t, -0x1.d59395c9a6057p-56);
  sum = fma(sum, t, 0x1.348a71066be46p-50); sum = fma(sum, t, -0x1.9d10703c35fe2p-45);
  sum = fma(sum, t, 0x1.1b302d3591e61p-39); sum = fma(sum, t, -0x1.90dc1088b6f36p-34);
  sum = fma(sum, t, 0x1.289cf6cbe79b2p-28); sum = fma(sum, t, -0x1.d5153f406eecdp-23);
  sum = fma(sum, t, 0x1.9dfbeccac1a8bp-17); sum = fma(sum, t, -0x1.c661148261986p-11);
  sum = fma(sum, t, 0x1.ee4e6d8ef37c4p-4); sum = fma(sum, t, 0x1.055adf877475bp+3);
  return sum;
}
// log((1 + s) / (1 - s)) / s of t = s^2, for the s of numbers from sqrt(1/2) to sqrt(2).
static inline double log_share(double t) {
  double sum = 0x1.0f9ec22901816p-3; sum = fma(sum, t, 0x1.0f554e2d864bdp-3); sum = fma(sum, t, 0x1.3b210e52a180fp-3);
  sum = fma(sum, t, 0x1.745cdb8236878p-3); sum = fma(sum, t, 0x1.c71c7263beb3p-3);
  sum = fma(sum, t, 0x1.249249241f23ep-2); sum = fma(sum, t, 0x1.9999999999ee5p-2);
  sum = fma(sum, t, 0x1.5555555555555p-1); sum = fma(sum, t, 0x1p+1);
  return sum;
}

// number * 2^-64, rounded once.
static inline double share_of_word(ulong number) {
  return fma((double)(uint)(number >> 32), 0x1p-32, (double)(uint)number * 0x1p-64);
}

// At most 5 units in the last place from the quantile. A word's complement gives the negated number.
static inline double normal_of_word(ulong word) {
  const ulong nearer = word >> 63 != 0 ? ~word : word;
  const double x = share_of_word(~(2 * nearer)), q = share_of_word(2 * nearer | 1);
  const ulong bits = as_ulong(fma(q, x, q)) - 0x3fe6a09e667f3bcdul;  // from sqrt(1/2) on
  const double mantissa = as_double((bits & 0xffffffffffffful) + 0x3fe6a09e667f3bcdul);
  const double s = (mantissa - 1) / (mantissa + 1);
  const double w = -fma((double)((int)(bits >> 32) >> 20), 0x1.62e42fefa39efp-1, s * log_share(s * s));
  const double share = w < 6.25 ? normal_centre(w - 3) : w < 14 ? normal_tail_14(w - 10) : w < 27 ? normal_tail_27(w - 20)
                                                                                          : normal_tail_44(w - 35);
  const double size = x * share;
  return word >> 63 != 0 ? size : -size;
}
#endif
