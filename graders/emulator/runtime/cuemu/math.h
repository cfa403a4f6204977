// Device functions: integer and bit operations, conversions with a rounding mode, single-precision intrinsics.
// Functions that the C library has under the same name (sqrtf, expf, fmaf ...) come from <cmath>.
#pragma once
#include "types.h"

#define CUEMU_FN inline __attribute__((always_inline))

// ---- minimum and maximum: a NaN loses against a number, as on the device
CUEMU_FN int min(int a, int b) { return a < b ? a : b; }
CUEMU_FN unsigned min(unsigned a, unsigned b) { return a < b ? a : b; }
CUEMU_FN unsigned min(int a, unsigned b) { return min((unsigned)a, b); }
CUEMU_FN unsigned min(unsigned a, int b) { return min(a, (unsigned)b); }
CUEMU_FN long min(long a, long b) { return a < b ? a : b; }
CUEMU_FN cuemu_ulong min(cuemu_ulong a, cuemu_ulong b) { return a < b ? a : b; }
CUEMU_FN cuemu_ulong min(long a, cuemu_ulong b) { return min((cuemu_ulong)a, b); }
CUEMU_FN cuemu_ulong min(cuemu_ulong a, long b) { return min(a, (cuemu_ulong)b); }
CUEMU_FN cuemu_ll min(cuemu_ll a, cuemu_ll b) { return a < b ? a : b; }
CUEMU_FN cuemu_ull min(cuemu_ull a, cuemu_ull b) { return a < b ? a : b; }
CUEMU_FN cuemu_ull min(cuemu_ll a, cuemu_ull b) { return min((cuemu_ull)a, b); }
CUEMU_FN cuemu_ull min(cuemu_ull a, cuemu_ll b) { return min(a, (cuemu_ull)b); }
CUEMU_FN float min(float a, float b) { return fminf(a, b); }
CUEMU_FN double min(double a, double b) { return fmin(a, b); }
CUEMU_FN double min(float a, double b) { return fmin((double)a, b); }
CUEMU_FN double min(double a, float b) { return fmin(a, (double)b); }
CUEMU_FN int max(int a, int b) { return a > b ? a : b; }
CUEMU_FN unsigned max(unsigned a, unsigned b) { return a > b ? a : b; }
CUEMU_FN unsigned max(int a, unsigned b) { return max((unsigned)a, b); }
CUEMU_FN unsigned max(unsigned a, int b) { return max(a, (unsigned)b); }
CUEMU_FN long max(long a, long b) { return a > b ? a : b; }
CUEMU_FN cuemu_ulong max(cuemu_ulong a, cuemu_ulong b) { return a > b ? a : b; }
CUEMU_FN cuemu_ulong max(long a, cuemu_ulong b) { return max((cuemu_ulong)a, b); }
CUEMU_FN cuemu_ulong max(cuemu_ulong a, long b) { return max(a, (cuemu_ulong)b); }
CUEMU_FN cuemu_ll max(cuemu_ll a, cuemu_ll b) { return a > b ? a : b; }
CUEMU_FN cuemu_ull max(cuemu_ull a, cuemu_ull b) { return a > b ? a : b; }
CUEMU_FN cuemu_ull max(cuemu_ll a, cuemu_ull b) { return max((cuemu_ull)a, b); }
CUEMU_FN cuemu_ull max(cuemu_ull a, cuemu_ll b) { return max(a, (cuemu_ull)b); }
CUEMU_FN float max(float a, float b) { return fmaxf(a, b); }
CUEMU_FN double max(double a, double b) { return fmax(a, b); }
CUEMU_FN double max(float a, double b) { return fmax((double)a, b); }
CUEMU_FN double max(double a, float b) { return fmax(a, (double)b); }
CUEMU_FN unsigned umin(unsigned a, unsigned b) { return min(a, b); }
CUEMU_FN unsigned umax(unsigned a, unsigned b) { return max(a, b); }
CUEMU_FN cuemu_ll llmin(cuemu_ll a, cuemu_ll b) { return min(a, b); }
CUEMU_FN cuemu_ll llmax(cuemu_ll a, cuemu_ll b) { return max(a, b); }
CUEMU_FN cuemu_ull ullmin(cuemu_ull a, cuemu_ull b) { return min(a, b); }
CUEMU_FN cuemu_ull ullmax(cuemu_ull a, cuemu_ull b) { return max(a, b); }

// ---- C++ overloads that device code finds at global scope
using std::abs;
using std::isfinite;
using std::isinf;
using std::isnan;
using std::signbit;
CUEMU_FN float rsqrtf(float x) { return 1.0f / sqrtf(x); }
CUEMU_FN double rsqrt(double x) { return 1.0 / sqrt(x); }
CUEMU_FN float rsqrt(float x) { return rsqrtf(x); }
CUEMU_FN float rcbrtf(float x) { return 1.0f / cbrtf(x); }
CUEMU_FN double rcbrt(double x) { return 1.0 / cbrt(x); }
CUEMU_FN float sinpif(float x) { return (float)sin(M_PI * fmod((double)x, 2.0)); }
CUEMU_FN float cospif(float x) { return (float)cos(M_PI * fmod((double)x, 2.0)); }
CUEMU_FN double sinpi(double x) { return sin(M_PI * fmod(x, 2.0)); }
CUEMU_FN double cospi(double x) { return cos(M_PI * fmod(x, 2.0)); }
CUEMU_FN void sincospif(float x, float* s, float* c) { *s = sinpif(x), *c = cospif(x); }
CUEMU_FN float normcdff(float x) { return 0.5f * erfcf(-x * 0.70710678118654752f); }
CUEMU_FN double normcdf(double x) { return 0.5 * erfc(-x * 0.70710678118654752); }
CUEMU_FN float fdividef(float a, float b) { return a / b; }
CUEMU_FN float norm3df(float a, float b, float c) { return sqrtf(a * a + b * b + c * c); }
CUEMU_FN float rnorm3df(float a, float b, float c) { return 1.0f / norm3df(a, b, c); }
CUEMU_FN float rhypotf(float a, float b) { return 1.0f / hypotf(a, b); }
CUEMU_FN float __saturatef(float x) { return x > 0.0f ? (x < 1.0f ? x : 1.0f) : 0.0f; }

// ---- fast single-precision intrinsics: rounded like the accurate function (a device may differ in the last bits)
CUEMU_FN float __expf(float x) { return expf(x); }
CUEMU_FN float __exp10f(float x) { return exp10f(x); }
CUEMU_FN float __logf(float x) { return logf(x); }
CUEMU_FN float __log2f(float x) { return log2f(x); }
CUEMU_FN float __log10f(float x) { return log10f(x); }
CUEMU_FN float __sinf(float x) { return sinf(x); }
CUEMU_FN float __cosf(float x) { return cosf(x); }
CUEMU_FN float __tanf(float x) { return tanf(x); }
CUEMU_FN float __tanhf(float x) { return tanhf(x); }
CUEMU_FN void __sincosf(float x, float* s, float* c) { *s = sinf(x), *c = cosf(x); }
CUEMU_FN float __powf(float a, float b) { return powf(a, b); }
CUEMU_FN float __fdividef(float a, float b) { return a / b; }
CUEMU_FN float __frsqrt_rn(float x) { return rsqrtf(x); }

// ---- one operation, rounded to nearest, never fused
#define CUEMU_ROUNDED(SUFFIX)                                                                \
  CUEMU_FN float __fadd_##SUFFIX(float a, float b) { return a + b; }                         \
  CUEMU_FN float __fsub_##SUFFIX(float a, float b) { return a - b; }                         \
  CUEMU_FN float __fmul_##SUFFIX(float a, float b) { return a * b; }                         \
  CUEMU_FN float __fdiv_##SUFFIX(float a, float b) { return a / b; }                         \
  CUEMU_FN float __frcp_##SUFFIX(float a) { return 1.0f / a; }                               \
  CUEMU_FN float __fsqrt_##SUFFIX(float a) { return sqrtf(a); }                              \
  CUEMU_FN float __fmaf_##SUFFIX(float a, float b, float c) { return fmaf(a, b, c); }        \
  CUEMU_FN double __dadd_##SUFFIX(double a, double b) { return a + b; }                      \
  CUEMU_FN double __dsub_##SUFFIX(double a, double b) { return a - b; }                      \
  CUEMU_FN double __dmul_##SUFFIX(double a, double b) { return a * b; }                      \
  CUEMU_FN double __ddiv_##SUFFIX(double a, double b) { return a / b; }                      \
  CUEMU_FN double __drcp_##SUFFIX(double a) { return 1.0 / a; }                              \
  CUEMU_FN double __dsqrt_##SUFFIX(double a) { return sqrt(a); }                             \
  CUEMU_FN double __fma_##SUFFIX(double a, double b, double c) { return fma(a, b, c); }
CUEMU_ROUNDED(rn)

// ---- bit casts
CUEMU_FN int __float_as_int(float x) { return __builtin_bit_cast(int, x); }
CUEMU_FN unsigned __float_as_uint(float x) { return __builtin_bit_cast(unsigned, x); }
CUEMU_FN float __int_as_float(int x) { return __builtin_bit_cast(float, x); }
CUEMU_FN float __uint_as_float(unsigned x) { return __builtin_bit_cast(float, x); }
CUEMU_FN cuemu_ll __double_as_longlong(double x) { return __builtin_bit_cast(cuemu_ll, x); }
CUEMU_FN double __longlong_as_double(cuemu_ll x) { return __builtin_bit_cast(double, x); }
CUEMU_FN int __double2hiint(double x) { return (int)(__builtin_bit_cast(cuemu_ull, x) >> 32); }
CUEMU_FN int __double2loint(double x) { return (int)__builtin_bit_cast(cuemu_ull, x); }
CUEMU_FN double __hiloint2double(int hi, int lo) {
  return __builtin_bit_cast(double, (cuemu_ull)(unsigned)hi << 32 | (unsigned)lo);
}

// ---- conversions: these intrinsics saturate by definition, and NaN gives 0
namespace cuemu {
template <class I, class R>
inline __attribute__((no_sanitize("float-cast-overflow"))) I saturating(R x) {
  constexpr I low = std::is_signed_v<I> ? (I)((I)1 << (sizeof(I) * 8 - 1)) : 0, high = (I) ~(std::make_unsigned_t<I>)low;
  if (x != x) return 0;
  if (x <= (R)low) return low;
  if (x >= (R)high) return high;
  return (I)x;
}
}  // namespace cuemu
#define CUEMU_CONVERT(FROM, R, SUFFIX, ROUND)                                                              \
  CUEMU_FN int __##FROM##2int_##SUFFIX(R x) { return cuemu::saturating<int>(ROUND(x)); }                   \
  CUEMU_FN unsigned __##FROM##2uint_##SUFFIX(R x) { return cuemu::saturating<unsigned>(ROUND(x)); }        \
  CUEMU_FN cuemu_ll __##FROM##2ll_##SUFFIX(R x) { return cuemu::saturating<cuemu_ll>(ROUND(x)); }          \
  CUEMU_FN cuemu_ull __##FROM##2ull_##SUFFIX(R x) { return cuemu::saturating<cuemu_ull>(ROUND(x)); }
CUEMU_CONVERT(float, float, rn, rintf)
CUEMU_CONVERT(float, float, rz, truncf)
CUEMU_CONVERT(float, float, ru, ceilf)
CUEMU_CONVERT(float, float, rd, floorf)
CUEMU_CONVERT(double, double, rn, rint)
CUEMU_CONVERT(double, double, rz, trunc)
CUEMU_CONVERT(double, double, ru, ceil)
CUEMU_CONVERT(double, double, rd, floor)
CUEMU_FN float __int2float_rn(int x) { return (float)x; }
CUEMU_FN float __uint2float_rn(unsigned x) { return (float)x; }
CUEMU_FN float __ll2float_rn(cuemu_ll x) { return (float)x; }
CUEMU_FN float __ull2float_rn(cuemu_ull x) { return (float)x; }
CUEMU_FN double __int2double_rn(int x) { return x; }
CUEMU_FN double __uint2double_rn(unsigned x) { return x; }
CUEMU_FN double __ll2double_rn(cuemu_ll x) { return (double)x; }
CUEMU_FN double __ull2double_rn(cuemu_ull x) { return (double)x; }
CUEMU_FN float __double2float_rn(double x) { return (float)x; }
CUEMU_FN float __double2float_rz(double x) {
  float y = (float)x;
  return fabs((double)y) > fabs(x) ? nextafterf(y, 0.0f) : y;
}

// ---- integers and bits
CUEMU_FN int __popc(unsigned x) { return __builtin_popcount(x); }
CUEMU_FN int __popcll(cuemu_ull x) { return __builtin_popcountll(x); }
CUEMU_FN int __clz(int x) { return x ? __builtin_clz((unsigned)x) : 32; }
CUEMU_FN int __clzll(cuemu_ll x) { return x ? __builtin_clzll((cuemu_ull)x) : 64; }
CUEMU_FN int __ffs(int x) { return __builtin_ffs(x); }
CUEMU_FN int __ffsll(cuemu_ll x) { return __builtin_ffsll(x); }
inline unsigned __brev(unsigned x) {
  unsigned y = 0;
  for (int i = 0; i < 32; i++) y = y << 1 | (x >> i & 1);
  return y;
}
inline cuemu_ull __brevll(cuemu_ull x) { return (cuemu_ull)__brev((unsigned)x) << 32 | __brev((unsigned)(x >> 32)); }
inline unsigned __byte_perm(unsigned x, unsigned y, unsigned s) {
  cuemu_ull both = (cuemu_ull)y << 32 | x;
  unsigned out = 0;
  for (int i = 0; i < 4; i++) {
    unsigned pick = s >> (4 * i) & 15, byte = (unsigned)(both >> (8 * (pick & 7))) & 255;
    if (pick & 8) byte = byte & 128 ? 255 : 0;
    out |= byte << (8 * i);
  }
  return out;
}
CUEMU_FN unsigned __funnelshift_l(unsigned lo, unsigned hi, unsigned s) {
  return (unsigned)((((cuemu_ull)hi << 32 | lo) << (s & 31)) >> 32);
}
CUEMU_FN unsigned __funnelshift_r(unsigned lo, unsigned hi, unsigned s) {
  return (unsigned)(((cuemu_ull)hi << 32 | lo) >> (s & 31));
}
CUEMU_FN unsigned __funnelshift_lc(unsigned lo, unsigned hi, unsigned s) {
  return s >= 32 ? lo : (unsigned)((((cuemu_ull)hi << 32 | lo) << s) >> 32);
}
CUEMU_FN unsigned __funnelshift_rc(unsigned lo, unsigned hi, unsigned s) {
  return s >= 32 ? hi : (unsigned)(((cuemu_ull)hi << 32 | lo) >> s);
}
CUEMU_FN int __mulhi(int a, int b) { return (int)(((cuemu_ll)a * b) >> 32); }
CUEMU_FN unsigned __umulhi(unsigned a, unsigned b) { return (unsigned)(((cuemu_ull)a * b) >> 32); }
CUEMU_FN cuemu_ll __mul64hi(cuemu_ll a, cuemu_ll b) { return (cuemu_ll)(((__int128)a * b) >> 64); }
CUEMU_FN cuemu_ull __umul64hi(cuemu_ull a, cuemu_ull b) { return (cuemu_ull)(((unsigned __int128)a * b) >> 64); }
CUEMU_FN int __mul24(int a, int b) { return (a << 8 >> 8) * (b << 8 >> 8); }
CUEMU_FN unsigned __umul24(unsigned a, unsigned b) { return (a & 0xffffff) * (b & 0xffffff); }
CUEMU_FN unsigned __sad(int a, int b, unsigned c) { return (a > b ? (unsigned)a - (unsigned)b : (unsigned)b - (unsigned)a) + c; }
CUEMU_FN unsigned __usad(unsigned a, unsigned b, unsigned c) { return (a > b ? a - b : b - a) + c; }
CUEMU_FN int __hadd(int a, int b) { return (int)(((cuemu_ll)a + b) >> 1); }
CUEMU_FN int __rhadd(int a, int b) { return (int)(((cuemu_ll)a + b + 1) >> 1); }
CUEMU_FN unsigned __uhadd(unsigned a, unsigned b) { return (unsigned)(((cuemu_ull)a + b) >> 1); }
inline int __dp4a(int a, int b, int c) {
  for (int i = 0; i < 4; i++) c += (int)(signed char)(a >> (8 * i)) * (signed char)(b >> (8 * i));
  return c;
}
inline unsigned __dp4a(unsigned a, unsigned b, unsigned c) {
  for (int i = 0; i < 4; i++) c += (a >> (8 * i) & 255) * (b >> (8 * i) & 255);
  return c;
}
