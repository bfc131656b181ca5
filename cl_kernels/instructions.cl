// Instructions: single ones that some devices have for what takes others several.

// IEEE 754-2019 minimum and maximum of floats: NaN wins, -0 is below +0.
#if DEVICE == DEVICE_NVIDIA && CUDA_SM >= 80
static inline float nvidia_minimum(float a, float b) {
  float result;
  __asm__("min.NaN.f32 %0, %1, %2;" : "=f"(result) : "f"(a), "f"(b));
  return result;
}
static inline float nvidia_maximum(float a, float b) {
  float result;
  __asm__("max.NaN.f32 %0, %1, %2;" : "=f"(result) : "f"(a), "f"(b));
  return result;
}
#define MINIMUM_F32(a, b) nvidia_minimum(a, b)
#define MAXIMUM_F32(a, b) nvidia_maximum(a, b)
#endif
