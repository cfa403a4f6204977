#include <stdio.h>
#include <string.h>
#include <cuda_runtime.h>

/* longest common subsequence: all cells of one anti-diagonal at once */
__global__ void lcs(const char *a, int n, const char *b, int m, int *dp)
{
    int cols = m + 1;
    for (int k = threadIdx.x; k <= n; k += blockDim.x) dp[k * cols] = 0;
    for (int k = threadIdx.x; k <= m; k += blockDim.x) dp[k] = 0;
    __syncthreads();
    for (int diag = 2; diag <= n + m; diag++) {
        int lo = diag - m > 1 ? diag - m : 1;
        int hi = diag - 1 < n ? diag - 1 : n;
        for (int i = lo + threadIdx.x; i <= hi; i += blockDim.x) {
            int j = diag - i;
            int v = max(dp[(i - 1) * cols + j], dp[i * cols + j - 1]);
            if (a[i - 1] == b[j - 1]) v = max(v, dp[(i - 1) * cols + j - 1] + 1);
            dp[i * cols + j] = v;
        }
        __syncthreads();
    }
}

int main(void)
{
    const char *s = "the slow purple octopus swims under a bridge";
    const char *t = "they allow no people on those swings under the ridge";
    int n = (int)strlen(s), m = (int)strlen(t), got = 0;
    static int ref[64][64];
    for (int i = 1; i <= n; i++)
        for (int j = 1; j <= m; j++) {
            ref[i][j] = ref[i - 1][j] > ref[i][j - 1] ? ref[i - 1][j] : ref[i][j - 1];
            if (s[i - 1] == t[j - 1] && ref[i - 1][j - 1] + 1 > ref[i][j]) ref[i][j] = ref[i - 1][j - 1] + 1;
        }
    char *ds, *dt;
    int *dp;
    cudaMalloc((void **)&ds, n);
    cudaMalloc((void **)&dt, m);
    cudaMalloc((void **)&dp, (n + 1) * (m + 1) * sizeof(int));
    cudaMemcpy(ds, s, n, cudaMemcpyHostToDevice);
    cudaMemcpy(dt, t, m, cudaMemcpyHostToDevice);
    lcs<<<1, 24>>>(ds, n, dt, m, dp);
    cudaMemcpy(&got, dp + (n + 1) * (m + 1) - 1, sizeof(int), cudaMemcpyDeviceToHost);
    printf("lcs %d, expected %d\n", got, ref[n][m]);
    cudaFree(ds);
    cudaFree(dt);
    cudaFree(dp);
    return got == ref[n][m] ? 0 : 1;
}
