#include <cmath>
#include <cstdio>

// Each lane meets one NaN pattern, quiet or signalling, of either sign; a number must win against it from either side.
__global__ void numbers_win(const unsigned *patterns, float *out)
{
    const float nan = __uint_as_float(patterns[threadIdx.x]);
    float *mine = out + 8 * threadIdx.x;
    mine[0] = fminf(nan, 2.5f);
    mine[1] = fminf(2.5f, nan);
    mine[2] = fmaxf(nan, -INFINITY);
    mine[3] = fmaxf(-INFINITY, nan);
    mine[4] = min(nan, 2.5f);
    mine[5] = max(2.5f, nan);
    mine[6] = (float)fmin((double)nan, 2.5);
    mine[7] = fmaxf(nan, -nan);
}

int main()
{
    const unsigned patterns[8] = {0x7fc00000u, 0xffc00000u, 0x7f800001u, 0xff800001u, 0x7fffffffu, 0xffffffffu, 0x7fa12345u, 0x7fc12345u};
    unsigned *d_patterns;
    float *d_out, out[64];
    cudaMalloc(&d_patterns, sizeof patterns);
    cudaMalloc(&d_out, sizeof out);
    cudaMemcpy(d_patterns, patterns, sizeof patterns, cudaMemcpyHostToDevice);
    numbers_win<<<1, 8>>>(d_patterns, d_out);
    cudaMemcpy(out, d_out, sizeof out, cudaMemcpyDeviceToHost);
    cudaFree(d_patterns);
    cudaFree(d_out);
    int wrong = 0;
    for (int i = 0; i < 8; i++) {
        const float *mine = out + 8 * i;
        const float want[7] = {2.5f, 2.5f, -INFINITY, -INFINITY, 2.5f, 2.5f, 2.5f};
        for (int j = 0; j < 7; j++)
            if (mine[j] != want[j]) {
                printf("pattern %08x, slot %d: %g\n", patterns[i], j, mine[j]);
                wrong = 1;
            }
        if (mine[7] == mine[7]) {
            printf("pattern %08x: two NaNs give %g\n", patterns[i], mine[7]);
            wrong = 1;
        }
    }
    return wrong;
}
