// Half precision: stored in 16 bits, every operation rounded to nearest even, as the device does.
#pragma once
#include "cuemu/prelude.h"

#define CUEMU_FN_MEMBER inline __attribute__((always_inline))
namespace cuemu {
inline float half_to_float(unsigned short h) {
  unsigned sign = (unsigned)(h & 0x8000) << 16, exponent = h >> 10 & 31, fraction = h & 1023;
  if (exponent == 31) return __builtin_bit_cast(float, sign | 0x7f800000u | fraction << 13);
  if (exponent) return __builtin_bit_cast(float, sign | (exponent + 112) << 23 | fraction << 13);
  float small = (float)fraction * 0x1p-24f;
  return sign ? -small : small;
}
// Rounds a double once, so that results of double arithmetic are not rounded twice.
inline unsigned short double_to_half(double v) {
  unsigned long long bits = __builtin_bit_cast(unsigned long long, v);
  unsigned short sign = (unsigned short)(bits >> 48 & 0x8000);
  double a = __builtin_fabs(v);
  if (a != a) return 0x7fff;
  if (a >= 65520.0) return sign | 0x7c00;
  // Below the smallest normal number steps are 2^-24; above, 2^(e-10).
  int e = a < 0x1p-14 ? -14 : (int)(bits >> 52 & 0x7ff) - 1023;
  double step = __builtin_ldexp(1.0, e - 10);
  double n = __builtin_rint(a / step);
  unsigned whole = (unsigned)n;
  if (a < 0x1p-14) return (unsigned short)(sign | whole);
  return (unsigned short)(sign | (((unsigned)(e + 15) << 10) + whole - 1024));
}
}  // namespace cuemu

struct alignas(2) __half_raw {
  unsigned short x;
};
struct alignas(2) __half {
  unsigned short cuemu_bits;
  __half() = default;
  CUEMU_FN_MEMBER __half(__half_raw r) : cuemu_bits(r.x) {}
  CUEMU_FN_MEMBER __half(float v) : cuemu_bits(cuemu::double_to_half(v)) {}
  CUEMU_FN_MEMBER __half(double v) : cuemu_bits(cuemu::double_to_half(v)) {}
  CUEMU_FN_MEMBER __half(int v) : cuemu_bits(cuemu::double_to_half(v)) {}
  CUEMU_FN_MEMBER __half(unsigned v) : cuemu_bits(cuemu::double_to_half(v)) {}
  CUEMU_FN_MEMBER __half(long long v) : cuemu_bits(cuemu::double_to_half((double)v)) {}
  CUEMU_FN_MEMBER operator float() const { return cuemu::half_to_float(cuemu_bits); }
  CUEMU_FN_MEMBER operator __half_raw() const { return {cuemu_bits}; }
};
typedef __half half;
typedef __half __nv_half;
CUEMU_FN float __half2float(__half h) { return cuemu::half_to_float(h.cuemu_bits); }
CUEMU_FN __half __float2half(float v) { return __half(v); }
CUEMU_FN __half __float2half_rn(float v) { return __half(v); }
CUEMU_FN __half __double2half(double v) { return __half(v); }
CUEMU_FN __half __int2half_rn(int v) { return __half(v); }
CUEMU_FN __half __uint2half_rn(unsigned v) { return __half(v); }
CUEMU_FN int __half2int_rn(__half h) { return __float2int_rn(__half2float(h)); }
CUEMU_FN int __half2int_rz(__half h) { return __float2int_rz(__half2float(h)); }
CUEMU_FN unsigned short __half_as_ushort(__half h) { return h.cuemu_bits; }
CUEMU_FN short __half_as_short(__half h) { return (short)h.cuemu_bits; }
CUEMU_FN __half __ushort_as_half(unsigned short v) { return __half(__half_raw{v}); }
CUEMU_FN __half __short_as_half(short v) { return __ushort_as_half((unsigned short)v); }

CUEMU_FN __half operator+(__half a, __half b) { return __half(__half2float(a) + __half2float(b)); }
CUEMU_FN __half operator-(__half a, __half b) { return __half(__half2float(a) - __half2float(b)); }
CUEMU_FN __half operator*(__half a, __half b) { return __half(__half2float(a) * __half2float(b)); }
CUEMU_FN __half operator/(__half a, __half b) { return __half(__half2float(a) / __half2float(b)); }
CUEMU_FN __half operator-(__half a) { return __half(-__half2float(a)); }
CUEMU_FN __half operator+(__half a) { return a; }
CUEMU_FN __half& operator+=(__half& a, __half b) { return a = a + b; }
CUEMU_FN __half& operator-=(__half& a, __half b) { return a = a - b; }
CUEMU_FN __half& operator*=(__half& a, __half b) { return a = a * b; }
CUEMU_FN __half& operator/=(__half& a, __half b) { return a = a / b; }
CUEMU_FN bool operator==(__half a, __half b) { return __half2float(a) == __half2float(b); }
CUEMU_FN bool operator!=(__half a, __half b) { return __half2float(a) != __half2float(b); }
CUEMU_FN bool operator<(__half a, __half b) { return __half2float(a) < __half2float(b); }
CUEMU_FN bool operator>(__half a, __half b) { return __half2float(a) > __half2float(b); }
CUEMU_FN bool operator<=(__half a, __half b) { return __half2float(a) <= __half2float(b); }
CUEMU_FN bool operator>=(__half a, __half b) { return __half2float(a) >= __half2float(b); }
CUEMU_FN __half __hadd(__half a, __half b) { return a + b; }
CUEMU_FN __half __hsub(__half a, __half b) { return a - b; }
CUEMU_FN __half __hmul(__half a, __half b) { return a * b; }
CUEMU_FN __half __hdiv(__half a, __half b) { return a / b; }
CUEMU_FN __half __hneg(__half a) { return -a; }
CUEMU_FN __half __habs(__half a) { return __half(fabsf(__half2float(a))); }
// The product of two is exact in double, so rounding the sum once is the fused operation (but for a double rounding
// that needs a tie 40 bits further down).
CUEMU_FN __half __hfma(__half a, __half b, __half c) { return __half((double)__half2float(a) * (double)__half2float(b) + (double)__half2float(c)); }
CUEMU_FN __half __hfma_relu(__half a, __half b, __half c) { __half r = __hfma(a, b, c); return __half2float(r) > 0.0f ? r : __half(0.0f); }
CUEMU_FN bool __heq(__half a, __half b) { return a == b; }
CUEMU_FN bool __hne(__half a, __half b) { return a != b; }
CUEMU_FN bool __hlt(__half a, __half b) { return a < b; }
CUEMU_FN bool __hle(__half a, __half b) { return a <= b; }
CUEMU_FN bool __hgt(__half a, __half b) { return a > b; }
CUEMU_FN bool __hge(__half a, __half b) { return a >= b; }
CUEMU_FN bool __hisnan(__half a) { float f = __half2float(a); return f != f; }
CUEMU_FN int __hisinf(__half a) { float f = __half2float(a); return __builtin_isinf(f) ? (f > 0 ? 1 : -1) : 0; }
CUEMU_FN __half __hmax(__half a, __half b) { return __half(fmaxf(__half2float(a), __half2float(b))); }
CUEMU_FN __half __hmin(__half a, __half b) { return __half(fminf(__half2float(a), __half2float(b))); }
CUEMU_FN __half hsqrt(__half a) { return __half(sqrtf(__half2float(a))); }
CUEMU_FN __half hrsqrt(__half a) { return __half(rsqrtf(__half2float(a))); }
CUEMU_FN __half hrcp(__half a) { return __half(1.0f / __half2float(a)); }
CUEMU_FN __half hexp(__half a) { return __half(expf(__half2float(a))); }
CUEMU_FN __half hexp2(__half a) { return __half(exp2f(__half2float(a))); }
CUEMU_FN __half hlog(__half a) { return __half(logf(__half2float(a))); }
CUEMU_FN __half hlog2(__half a) { return __half(log2f(__half2float(a))); }
CUEMU_FN __half hsin(__half a) { return __half(sinf(__half2float(a))); }
CUEMU_FN __half hcos(__half a) { return __half(cosf(__half2float(a))); }
CUEMU_FN __half hfloor(__half a) { return __half(floorf(__half2float(a))); }
CUEMU_FN __half hceil(__half a) { return __half(ceilf(__half2float(a))); }
CUEMU_FN __half hrint(__half a) { return __half(rintf(__half2float(a))); }
CUEMU_FN __half htanh(__half a) { return __half(tanhf(__half2float(a))); }

struct alignas(4) __half2 {
  __half x, y;
  __half2() = default;
  CUEMU_FN_MEMBER __half2(__half a, __half b) : x(a), y(b) {}
};
CUEMU_FN __half2 operator+(__half2 a, __half2 b) { return {a.x + b.x, a.y + b.y}; }
CUEMU_FN __half2 operator-(__half2 a, __half2 b) { return {a.x - b.x, a.y - b.y}; }
CUEMU_FN __half2 operator*(__half2 a, __half2 b) { return {a.x * b.x, a.y * b.y}; }
CUEMU_FN __half2 operator/(__half2 a, __half2 b) { return {a.x / b.x, a.y / b.y}; }
CUEMU_FN __half2& operator+=(__half2& a, __half2 b) { return a = a + b; }
CUEMU_FN __half2& operator*=(__half2& a, __half2 b) { return a = a * b; }
CUEMU_FN __half2 __hadd2(__half2 a, __half2 b) { return a + b; }
CUEMU_FN __half2 __hsub2(__half2 a, __half2 b) { return a - b; }
CUEMU_FN __half2 __hmul2(__half2 a, __half2 b) { return a * b; }
CUEMU_FN __half2 __h2div(__half2 a, __half2 b) { return a / b; }
CUEMU_FN __half2 __hneg2(__half2 a) { return {-a.x, -a.y}; }
CUEMU_FN __half2 __hfma2(__half2 a, __half2 b, __half2 c) { return {__hfma(a.x, b.x, c.x), __hfma(a.y, b.y, c.y)}; }
CUEMU_FN __half2 __hmax2(__half2 a, __half2 b) { return {__hmax(a.x, b.x), __hmax(a.y, b.y)}; }
CUEMU_FN __half2 __hmin2(__half2 a, __half2 b) { return {__hmin(a.x, b.x), __hmin(a.y, b.y)}; }
CUEMU_FN __half2 h2exp(__half2 a) { return {hexp(a.x), hexp(a.y)}; }
CUEMU_FN __half2 __lows2half2(__half2 a, __half2 b) { return {a.x, b.x}; }
CUEMU_FN __half2 __highs2half2(__half2 a, __half2 b) { return {a.y, b.y}; }
CUEMU_FN __half __low2half(__half2 a) { return a.x; }
CUEMU_FN __half __high2half(__half2 a) { return a.y; }
CUEMU_FN __half2 __half2half2(__half a) { return {a, a}; }
CUEMU_FN __half2 __halves2half2(__half a, __half b) { return {a, b}; }
CUEMU_FN __half2 make_half2(__half a, __half b) { return {a, b}; }
CUEMU_FN __half atomicAdd(__half* p, __half v, CUEMU_LINE) {
  return cuemu::rmw(p, [=](auto old) __attribute__((no_sanitize("thread"))) { return old + v; }, line);
}
CUEMU_FN __half2 atomicAdd(__half2* p, __half2 v, CUEMU_LINE) {
  return cuemu::rmw(p, [=](auto old) __attribute__((no_sanitize("thread"))) { return old + v; }, line);
}
typedef __half2 half2;
CUEMU_FN __half2 __float2half2_rn(float v) { return {__half(v), __half(v)}; }
CUEMU_FN __half2 __floats2half2_rn(float a, float b) { return {__half(a), __half(b)}; }
CUEMU_FN __half2 __float22half2_rn(float2 v) { return {__half(v.x), __half(v.y)}; }
CUEMU_FN float2 __half22float2(__half2 v) { return make_float2(__half2float(v.x), __half2float(v.y)); }
CUEMU_FN float __low2float(__half2 v) { return __half2float(v.x); }
CUEMU_FN float __high2float(__half2 v) { return __half2float(v.y); }
