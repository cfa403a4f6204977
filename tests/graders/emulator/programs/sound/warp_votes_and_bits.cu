#include <cstdint>
#include <cstdio>
#include <cuda_runtime.h>

struct Report {
    unsigned ballot;
    int any, all;
    unsigned sum, biggest;
};

__global__ void vote(const unsigned* v, Report* r)
{
    unsigned x = v[threadIdx.x];
    const unsigned full = 0xffffffffu;
    Report mine;
    mine.ballot = __ballot_sync(full, x % 3 == 0);
    mine.any = __any_sync(full, x > 1000000u);
    mine.all = __all_sync(full, x < 1000000u);
    mine.sum = __reduce_add_sync(full, x);
    mine.biggest = __reduce_max_sync(full, x);
    if (threadIdx.x == 0) *r = mine;
}

__global__ void bits(const uint32_t* v, uint32_t* out)
{
    uint32_t x = v[threadIdx.x];
    uint32_t* o = out + 6 * threadIdx.x;
    o[0] = __popc(x);
    o[1] = __clz(x);
    o[2] = __ffs(x);
    o[3] = __brev(x);
    o[4] = __byte_perm(x, 0, 0x0123);
    o[5] = __funnelshift_l(x, x, 5);
}

static uint32_t rev(uint32_t x)
{
    uint32_t r = 0;
    for (int i = 0; i < 32; ++i) r |= ((x >> i) & 1u) << (31 - i);
    return r;
}

int main()
{
    uint32_t h[32], res[6 * 32];
    for (uint32_t i = 0; i < 32; ++i) h[i] = (i * 1234567u + 89u) % 999983u;
    uint32_t *d, *o;
    Report *dr, r;
    cudaMalloc(&d, sizeof h);
    cudaMalloc(&o, sizeof res);
    cudaMalloc(&dr, sizeof r);
    cudaMemcpy(d, h, sizeof h, cudaMemcpyHostToDevice);
    vote<<<1, 32>>>(d, dr);
    bits<<<1, 32>>>(d, o);
    cudaMemcpy(&r, dr, sizeof r, cudaMemcpyDeviceToHost);
    cudaMemcpy(res, o, sizeof res, cudaMemcpyDeviceToHost);

    uint32_t ballot = 0, sum = 0, big = 0;
    int errors = 0;
    for (int i = 0; i < 32; ++i) {
        uint32_t x = h[i];
        if (x % 3 == 0) ballot |= 1u << i;
        sum += x;
        big = x > big ? x : big;
        int hi = 31, lo = 0, pop = 0;
        while (hi >= 0 && !(x >> hi & 1)) --hi;
        while (lo < 32 && !(x >> lo & 1)) ++lo;
        for (int b = 0; b < 32; ++b) pop += x >> b & 1;
        const uint32_t* q = res + 6 * i;
        errors += q[0] != (uint32_t)pop;
        errors += q[1] != (uint32_t)(31 - hi);
        errors += q[2] != (uint32_t)(lo + 1);
        errors += q[3] != rev(x);
        errors += q[4] != ((x >> 24) | (x >> 8 & 0xff00) | (x << 8 & 0xff0000) | (x << 24));
        errors += q[5] != ((x << 5) | (x >> 27));
    }
    errors += r.ballot != ballot;
    errors += r.any != 0;
    errors += r.all == 0;
    errors += r.sum != sum;
    errors += r.biggest != big;
    std::printf("%d errors\n", errors);
    cudaFree(d);
    cudaFree(o);
    cudaFree(dr);
    return errors != 0;
}
