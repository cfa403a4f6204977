#include <cstdio>
#include <vector>
#include <cuda_runtime.h>

/* kernels are started as k<<<grid, block>>>(args); this comment must not matter */
#define LAUNCH(kernel, n, ...) kernel<<<((n) + 31) / 32, 32>>>(__VA_ARGS__)
#define LAUNCH_CHECKED(kernel, n, ...)                         \
    do {                                                       \
        kernel<<<((n) + 63) / 64, 64, 0, 0>>>(__VA_ARGS__);    \
        if (cudaGetLastError() != cudaSuccess) ++failures;     \
    } while (0)

static int failures = 0;

__global__ void declaredFirst(int* a, int n);
extern "C" __global__ void plusOne(int* a, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) a[i] += 1;
}

template <int F>
__global__ void times(int* a, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) a[i] *= F;
}

namespace ops {
__global__ void negate(int* a, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) a[i] = -a[i];
}
}  // namespace ops

typedef void (*Kernel)(int*, int);

template <typename K>
void launchAny(K kernel, int* a, int n)
{
    dim3 grid{(unsigned)(n + 31) / 32}, block = 32;
    kernel<<<grid, block>>>(a, n);
}

int main()
{
    const int n = 100;
    std::vector<int> h(n), r(n);
    for (int i = 0; i < n; ++i) h[i] = r[i] = i;
    int* d;
    cudaMalloc(&d, n * sizeof(int));
    cudaMemcpy(d, h.data(), n * sizeof(int), cudaMemcpyHostToDevice);

    puts("calling plusOne<<<4, 32>>>(d, n) in several ways");
    LAUNCH(plusOne, n, d, n);                                  // +1
    LAUNCH_CHECKED((times<2>), n, d, n);                       // *2
    Kernel table[] = {plusOne, ops::negate, times<3>};
    for (Kernel k : table) k<<<dim3(4, 1, 1), dim3(32)>>>(d, n);   // +1, -, *3
    for (int pass = 0; pass < 2; ++pass)
        if (pass == 0)
            plusOne<<<4, 32>>>(d, n);
        else
            ops::negate<<<4, 32>>>(d, n);
    launchAny(times<5>, d, n);
    launchAny(&declaredFirst, d, n);
    auto last = [&](int blocks) { declaredFirst<<<blocks, 32, 0>>>(d, n); };
    last(4);

    cudaMemcpy(h.data(), d, n * sizeof(int), cudaMemcpyDeviceToHost);
    for (int i = 0; i < n; ++i) {
        int v = r[i];
        v = (v + 1) * 2;
        v = -(v + 1) * 3;
        v = -(v + 1);
        v = v * 5 - 7 - 7;
        failures += h[i] != v;
    }
    printf("%d failures\n", failures);
    cudaFree(d);
    return failures;
}

__global__ void declaredFirst(int* a, int n)
{
    const int i = threadIdx.x + blockDim.x * blockIdx.x;
    if (i < n) a[i] -= 7;
}
