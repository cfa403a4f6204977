#include <cmath>
#include <cstdio>
#include <cstring>
#include <vector>
#include <cuda_runtime.h>

const int COLS = 16;

__global__ void tabulate(const float *x, float *t, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float v = x[i], *r = t + i * COLS;
    float s, c;
    sincosf(v, &s, &c);
    r[0] = s;
    r[1] = c;
    r[2] = expf(-v);
    r[3] = logf(1.0f + v);
    r[4] = powf(v, 1.5f);
    r[5] = tanhf(v);
    r[6] = fmodf(v, 0.75f);
    r[7] = floorf(v) + ceilf(v) + truncf(v);
    r[8] = erff(v);
    r[9] = hypotf(v, 2.0f);
    r[10] = fmaxf(v, nanf("")) + fminf(nanf(""), v);
    r[11] = cbrtf(v);
    r[12] = copysignf(v, -1.0f);
    r[13] = __int_as_float(__float_as_int(v) & 0x7fffffff);
    r[14] = __saturatef(v);
    r[15] = (float)__float2int_rn(v) + rintf(v) + (float)exp2(log2((double)v + 1.0));
}

int main()
{
    const int n = 120;
    std::vector<float> x(n), t(n * COLS);
    for (int i = 0; i < n; i++) x[i] = 0.05f * i + 0.01f;
    float *dx, *dt;
    cudaMalloc(&dx, n * sizeof(float));
    cudaMalloc(&dt, n * COLS * sizeof(float));
    cudaMemcpy(dx, x.data(), n * sizeof(float), cudaMemcpyHostToDevice);
    tabulate<<<(n + 31) / 32, 32>>>(dx, dt, n);
    cudaMemcpy(t.data(), dt, n * COLS * sizeof(float), cudaMemcpyDeviceToHost);
    int bad = 0;
    for (int i = 0; i < n; i++) {
        double v = x[i];
        double w[COLS] = {sin(v), cos(v), exp(-v), log(1 + v), pow(v, 1.5), tanh(v), std::fmod(x[i], 0.75f),
                          floor(v) + ceil(v) + trunc(v), erf(v), hypot(v, 2.0), 2 * v, cbrt(v), -v, v,
                          v > 1 ? 1.0 : v, 2 * rint(v) + v + 1};
        for (int k = 0; k < COLS; k++)
            if (!(std::fabs(t[i * COLS + k] - w[k]) <= 1e-4 * (1 + std::fabs(w[k])))) {
                if (bad < 5) printf("column %d at %f: %f instead of %f\n", k, v, t[i * COLS + k], w[k]);
                bad++;
            }
    }
    printf("%d bad values\n", bad);
    cudaFree(dx);
    cudaFree(dt);
    return bad ? 1 : 0;
}
