// The device's minimum and maximum, under the C library's names: the linker takes these before libm's.
// A NaN of any payload loses against a number (PTX ISA, min/max), where x86's libm lets a signalling NaN win.
// In their own file of the runtime, since the program's translation unit only declares them.
#pragma once

namespace cuemu_minmax {
inline float canonical(float) { return __builtin_nanf("0x3fffff"); }  // 0x7fffffff, what the device answers for two NaNs
inline double canonical(double) { return __builtin_nan(""); }

template <class T>
bool less(T a, T b) {
    // -0 stands before +0, as the device orders them
    return a < b || (a == b && __builtin_signbit(a) && !__builtin_signbit(b));
}
template <class T>
T smaller(T a, T b) {
    if (a != a) return b != b ? canonical(a) : b;
    return b != b || less(a, b) ? a : b;
}
template <class T>
T larger(T a, T b) {
    if (a != a) return b != b ? canonical(a) : b;
    return b != b || less(b, a) ? a : b;
}
}  // namespace cuemu_minmax

extern "C" {
float fminf(float a, float b) noexcept { return cuemu_minmax::smaller(a, b); }
float fmaxf(float a, float b) noexcept { return cuemu_minmax::larger(a, b); }
double fmin(double a, double b) noexcept { return cuemu_minmax::smaller(a, b); }
double fmax(double a, double b) noexcept { return cuemu_minmax::larger(a, b); }
}
