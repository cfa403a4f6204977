// bfloat16: the upper half of a float, every operation rounded to nearest even.
#pragma once
#include "cuemu/prelude.h"

#ifndef CUEMU_FN_MEMBER
#define CUEMU_FN_MEMBER inline __attribute__((always_inline))
#endif
namespace cuemu {
inline float bfloat_to_float(unsigned short b) { return __builtin_bit_cast(float, (unsigned)b << 16); }
inline unsigned short float_to_bfloat(float v) {
  unsigned bits = __builtin_bit_cast(unsigned, v);
  if (v != v) return 0x7fff;
  return (unsigned short)((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}
// A double is first rounded to odd, so that the second rounding decides as one would have.
inline unsigned short double_to_bfloat(double v) {
  float f = (float)v;
  if (f == f && (double)f != v && !__builtin_isinf(f)) {
    if (__builtin_fabs((double)f) > __builtin_fabs(v)) f = __builtin_nextafterf(f, 0.0f);
    f = __builtin_bit_cast(float, __builtin_bit_cast(unsigned, f) | 1u);
  }
  return float_to_bfloat(f);
}
}  // namespace cuemu

struct alignas(2) __nv_bfloat16_raw {
  unsigned short x;
};
struct alignas(2) __nv_bfloat16 {
  unsigned short cuemu_bits;
  __nv_bfloat16() = default;
  CUEMU_FN_MEMBER __nv_bfloat16(__nv_bfloat16_raw r) : cuemu_bits(r.x) {}
  CUEMU_FN_MEMBER __nv_bfloat16(float v) : cuemu_bits(cuemu::float_to_bfloat(v)) {}
  CUEMU_FN_MEMBER __nv_bfloat16(double v) : cuemu_bits(cuemu::double_to_bfloat(v)) {}
  CUEMU_FN_MEMBER __nv_bfloat16(int v) : cuemu_bits(cuemu::double_to_bfloat(v)) {}
  CUEMU_FN_MEMBER __nv_bfloat16(unsigned v) : cuemu_bits(cuemu::double_to_bfloat(v)) {}
  CUEMU_FN_MEMBER operator float() const { return cuemu::bfloat_to_float(cuemu_bits); }
};
typedef __nv_bfloat16 nv_bfloat16;
CUEMU_FN float __bfloat162float(__nv_bfloat16 b) { return cuemu::bfloat_to_float(b.cuemu_bits); }
CUEMU_FN __nv_bfloat16 __float2bfloat16(float v) { return __nv_bfloat16(v); }
CUEMU_FN __nv_bfloat16 __float2bfloat16_rn(float v) { return __nv_bfloat16(v); }
CUEMU_FN __nv_bfloat16 __double2bfloat16(double v) { return __nv_bfloat16(v); }
CUEMU_FN __nv_bfloat16 __int2bfloat16_rn(int v) { return __nv_bfloat16(v); }
CUEMU_FN int __bfloat162int_rz(__nv_bfloat16 b) { return __float2int_rz(__bfloat162float(b)); }
CUEMU_FN unsigned short __bfloat16_as_ushort(__nv_bfloat16 b) { return b.cuemu_bits; }
CUEMU_FN __nv_bfloat16 __ushort_as_bfloat16(unsigned short v) { return __nv_bfloat16(__nv_bfloat16_raw{v}); }

CUEMU_FN __nv_bfloat16 operator+(__nv_bfloat16 a, __nv_bfloat16 b) { return __nv_bfloat16(__bfloat162float(a) + __bfloat162float(b)); }
CUEMU_FN __nv_bfloat16 operator-(__nv_bfloat16 a, __nv_bfloat16 b) { return __nv_bfloat16(__bfloat162float(a) - __bfloat162float(b)); }
CUEMU_FN __nv_bfloat16 operator*(__nv_bfloat16 a, __nv_bfloat16 b) { return __nv_bfloat16(__bfloat162float(a) * __bfloat162float(b)); }
CUEMU_FN __nv_bfloat16 operator/(__nv_bfloat16 a, __nv_bfloat16 b) { return __nv_bfloat16(__bfloat162float(a) / __bfloat162float(b)); }
CUEMU_FN __nv_bfloat16 operator-(__nv_bfloat16 a) { return __nv_bfloat16(-__bfloat162float(a)); }
CUEMU_FN __nv_bfloat16 operator+(__nv_bfloat16 a) { return a; }
CUEMU_FN __nv_bfloat16& operator+=(__nv_bfloat16& a, __nv_bfloat16 b) { return a = a + b; }
CUEMU_FN __nv_bfloat16& operator-=(__nv_bfloat16& a, __nv_bfloat16 b) { return a = a - b; }
CUEMU_FN __nv_bfloat16& operator*=(__nv_bfloat16& a, __nv_bfloat16 b) { return a = a * b; }
CUEMU_FN __nv_bfloat16& operator/=(__nv_bfloat16& a, __nv_bfloat16 b) { return a = a / b; }
CUEMU_FN bool operator==(__nv_bfloat16 a, __nv_bfloat16 b) { return __bfloat162float(a) == __bfloat162float(b); }
CUEMU_FN bool operator!=(__nv_bfloat16 a, __nv_bfloat16 b) { return __bfloat162float(a) != __bfloat162float(b); }
CUEMU_FN bool operator<(__nv_bfloat16 a, __nv_bfloat16 b) { return __bfloat162float(a) < __bfloat162float(b); }
CUEMU_FN bool operator>(__nv_bfloat16 a, __nv_bfloat16 b) { return __bfloat162float(a) > __bfloat162float(b); }
CUEMU_FN bool operator<=(__nv_bfloat16 a, __nv_bfloat16 b) { return __bfloat162float(a) <= __bfloat162float(b); }
CUEMU_FN bool operator>=(__nv_bfloat16 a, __nv_bfloat16 b) { return __bfloat162float(a) >= __bfloat162float(b); }
CUEMU_FN __nv_bfloat16 __hadd(__nv_bfloat16 a, __nv_bfloat16 b) { return a + b; }
CUEMU_FN __nv_bfloat16 __hsub(__nv_bfloat16 a, __nv_bfloat16 b) { return a - b; }
CUEMU_FN __nv_bfloat16 __hmul(__nv_bfloat16 a, __nv_bfloat16 b) { return a * b; }
CUEMU_FN __nv_bfloat16 __hdiv(__nv_bfloat16 a, __nv_bfloat16 b) { return a / b; }
CUEMU_FN __nv_bfloat16 __hneg(__nv_bfloat16 a) { return -a; }
CUEMU_FN __nv_bfloat16 __habs(__nv_bfloat16 a) { return __nv_bfloat16(fabsf(__bfloat162float(a))); }
// The product of two is exact in double, so rounding the sum once is the fused operation (but for a double rounding
// that needs a tie 40 bits further down).
CUEMU_FN __nv_bfloat16 __hfma(__nv_bfloat16 a, __nv_bfloat16 b, __nv_bfloat16 c) { return __nv_bfloat16((double)__bfloat162float(a) * (double)__bfloat162float(b) + (double)__bfloat162float(c)); }
CUEMU_FN __nv_bfloat16 __hfma_relu(__nv_bfloat16 a, __nv_bfloat16 b, __nv_bfloat16 c) { __nv_bfloat16 r = __hfma(a, b, c); return __bfloat162float(r) > 0.0f ? r : __nv_bfloat16(0.0f); }
CUEMU_FN bool __heq(__nv_bfloat16 a, __nv_bfloat16 b) { return a == b; }
CUEMU_FN bool __hne(__nv_bfloat16 a, __nv_bfloat16 b) { return a != b; }
CUEMU_FN bool __hlt(__nv_bfloat16 a, __nv_bfloat16 b) { return a < b; }
CUEMU_FN bool __hle(__nv_bfloat16 a, __nv_bfloat16 b) { return a <= b; }
CUEMU_FN bool __hgt(__nv_bfloat16 a, __nv_bfloat16 b) { return a > b; }
CUEMU_FN bool __hge(__nv_bfloat16 a, __nv_bfloat16 b) { return a >= b; }
CUEMU_FN bool __hisnan(__nv_bfloat16 a) { float f = __bfloat162float(a); return f != f; }
CUEMU_FN int __hisinf(__nv_bfloat16 a) { float f = __bfloat162float(a); return __builtin_isinf(f) ? (f > 0 ? 1 : -1) : 0; }
CUEMU_FN __nv_bfloat16 __hmax(__nv_bfloat16 a, __nv_bfloat16 b) { return __nv_bfloat16(fmaxf(__bfloat162float(a), __bfloat162float(b))); }
CUEMU_FN __nv_bfloat16 __hmin(__nv_bfloat16 a, __nv_bfloat16 b) { return __nv_bfloat16(fminf(__bfloat162float(a), __bfloat162float(b))); }
CUEMU_FN __nv_bfloat16 hsqrt(__nv_bfloat16 a) { return __nv_bfloat16(sqrtf(__bfloat162float(a))); }
CUEMU_FN __nv_bfloat16 hrsqrt(__nv_bfloat16 a) { return __nv_bfloat16(rsqrtf(__bfloat162float(a))); }
CUEMU_FN __nv_bfloat16 hrcp(__nv_bfloat16 a) { return __nv_bfloat16(1.0f / __bfloat162float(a)); }
CUEMU_FN __nv_bfloat16 hexp(__nv_bfloat16 a) { return __nv_bfloat16(expf(__bfloat162float(a))); }
CUEMU_FN __nv_bfloat16 hexp2(__nv_bfloat16 a) { return __nv_bfloat16(exp2f(__bfloat162float(a))); }
CUEMU_FN __nv_bfloat16 hlog(__nv_bfloat16 a) { return __nv_bfloat16(logf(__bfloat162float(a))); }
CUEMU_FN __nv_bfloat16 hlog2(__nv_bfloat16 a) { return __nv_bfloat16(log2f(__bfloat162float(a))); }
CUEMU_FN __nv_bfloat16 hsin(__nv_bfloat16 a) { return __nv_bfloat16(sinf(__bfloat162float(a))); }
CUEMU_FN __nv_bfloat16 hcos(__nv_bfloat16 a) { return __nv_bfloat16(cosf(__bfloat162float(a))); }
CUEMU_FN __nv_bfloat16 hfloor(__nv_bfloat16 a) { return __nv_bfloat16(floorf(__bfloat162float(a))); }
CUEMU_FN __nv_bfloat16 hceil(__nv_bfloat16 a) { return __nv_bfloat16(ceilf(__bfloat162float(a))); }
CUEMU_FN __nv_bfloat16 hrint(__nv_bfloat16 a) { return __nv_bfloat16(rintf(__bfloat162float(a))); }
CUEMU_FN __nv_bfloat16 htanh(__nv_bfloat16 a) { return __nv_bfloat16(tanhf(__bfloat162float(a))); }

struct alignas(4) __nv_bfloat162 {
  __nv_bfloat16 x, y;
  __nv_bfloat162() = default;
  CUEMU_FN_MEMBER __nv_bfloat162(__nv_bfloat16 a, __nv_bfloat16 b) : x(a), y(b) {}
};
CUEMU_FN __nv_bfloat162 operator+(__nv_bfloat162 a, __nv_bfloat162 b) { return {a.x + b.x, a.y + b.y}; }
CUEMU_FN __nv_bfloat162 operator-(__nv_bfloat162 a, __nv_bfloat162 b) { return {a.x - b.x, a.y - b.y}; }
CUEMU_FN __nv_bfloat162 operator*(__nv_bfloat162 a, __nv_bfloat162 b) { return {a.x * b.x, a.y * b.y}; }
CUEMU_FN __nv_bfloat162 operator/(__nv_bfloat162 a, __nv_bfloat162 b) { return {a.x / b.x, a.y / b.y}; }
CUEMU_FN __nv_bfloat162& operator+=(__nv_bfloat162& a, __nv_bfloat162 b) { return a = a + b; }
CUEMU_FN __nv_bfloat162& operator*=(__nv_bfloat162& a, __nv_bfloat162 b) { return a = a * b; }
CUEMU_FN __nv_bfloat162 __hadd2(__nv_bfloat162 a, __nv_bfloat162 b) { return a + b; }
CUEMU_FN __nv_bfloat162 __hsub2(__nv_bfloat162 a, __nv_bfloat162 b) { return a - b; }
CUEMU_FN __nv_bfloat162 __hmul2(__nv_bfloat162 a, __nv_bfloat162 b) { return a * b; }
CUEMU_FN __nv_bfloat162 __h2div(__nv_bfloat162 a, __nv_bfloat162 b) { return a / b; }
CUEMU_FN __nv_bfloat162 __hneg2(__nv_bfloat162 a) { return {-a.x, -a.y}; }
CUEMU_FN __nv_bfloat162 __hfma2(__nv_bfloat162 a, __nv_bfloat162 b, __nv_bfloat162 c) { return {__hfma(a.x, b.x, c.x), __hfma(a.y, b.y, c.y)}; }
CUEMU_FN __nv_bfloat162 __hmax2(__nv_bfloat162 a, __nv_bfloat162 b) { return {__hmax(a.x, b.x), __hmax(a.y, b.y)}; }
CUEMU_FN __nv_bfloat162 __hmin2(__nv_bfloat162 a, __nv_bfloat162 b) { return {__hmin(a.x, b.x), __hmin(a.y, b.y)}; }
CUEMU_FN __nv_bfloat162 h2exp(__nv_bfloat162 a) { return {hexp(a.x), hexp(a.y)}; }
CUEMU_FN __nv_bfloat162 __lows2bfloat162(__nv_bfloat162 a, __nv_bfloat162 b) { return {a.x, b.x}; }
CUEMU_FN __nv_bfloat162 __highs2bfloat162(__nv_bfloat162 a, __nv_bfloat162 b) { return {a.y, b.y}; }
CUEMU_FN __nv_bfloat16 __low2bfloat16(__nv_bfloat162 a) { return a.x; }
CUEMU_FN __nv_bfloat16 __high2bfloat16(__nv_bfloat162 a) { return a.y; }
CUEMU_FN __nv_bfloat162 __bfloat162bfloat162(__nv_bfloat16 a) { return {a, a}; }
CUEMU_FN __nv_bfloat162 __halves2bfloat162(__nv_bfloat16 a, __nv_bfloat16 b) { return {a, b}; }
CUEMU_FN __nv_bfloat162 make_bfloat162(__nv_bfloat16 a, __nv_bfloat16 b) { return {a, b}; }
CUEMU_FN __nv_bfloat16 atomicAdd(__nv_bfloat16* p, __nv_bfloat16 v, CUEMU_LINE) {
  return cuemu::rmw(p, [=](auto old) __attribute__((no_sanitize("thread"))) { return old + v; }, line);
}
CUEMU_FN __nv_bfloat162 atomicAdd(__nv_bfloat162* p, __nv_bfloat162 v, CUEMU_LINE) {
  return cuemu::rmw(p, [=](auto old) __attribute__((no_sanitize("thread"))) { return old + v; }, line);
}
typedef __nv_bfloat162 nv_bfloat162;
CUEMU_FN __nv_bfloat162 __float2bfloat162_rn(float v) { return {__nv_bfloat16(v), __nv_bfloat16(v)}; }
CUEMU_FN __nv_bfloat162 __floats2bfloat162_rn(float a, float b) { return {__nv_bfloat16(a), __nv_bfloat16(b)}; }
CUEMU_FN __nv_bfloat162 __float22bfloat162_rn(float2 v) { return {__nv_bfloat16(v.x), __nv_bfloat16(v.y)}; }
CUEMU_FN float2 __bfloat1622float2(__nv_bfloat162 v) { return make_float2(__bfloat162float(v.x), __bfloat162float(v.y)); }
CUEMU_FN float __low2float(__nv_bfloat162 v) { return __bfloat162float(v.x); }
CUEMU_FN float __high2float(__nv_bfloat162 v) { return __bfloat162float(v.y); }
