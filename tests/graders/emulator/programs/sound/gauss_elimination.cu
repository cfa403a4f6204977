#include <cmath>
#include <cstdio>
#include <vector>
#include <cuda_runtime.h>

#define DIM 12

// Löst je Block ein lineares Gleichungssystem mit Pivotsuche
__global__ void solve(const double *A, const double *b, double *x)
{
    __shared__ double m[DIM][DIM + 1];
    __shared__ int pivot;
    const double *a = A + blockIdx.x * DIM * DIM;
    int c = threadIdx.x;                       // one thread a column of the extended matrix
    for (int r = 0; r < DIM; r++) m[r][c] = c < DIM ? a[r * DIM + c] : b[blockIdx.x * DIM + r];
    __syncthreads();
    for (int k = 0; k < DIM; k++) {
        if (c == 0) {
            int p = k;
            for (int r = k + 1; r < DIM; r++)
                if (fabs(m[r][k]) > fabs(m[p][k])) p = r;
            pivot = p;
        }
        __syncthreads();
        if (pivot != k) {
            double t = m[k][c];
            m[k][c] = m[pivot][c];
            m[pivot][c] = t;
        }
        __syncthreads();
        double f[DIM];
        for (int r = 0; r < DIM; r++) f[r] = r == k ? 0.0 : m[r][k] / m[k][k];
        __syncthreads();
        for (int r = 0; r < DIM; r++)
            if (r != k) m[r][c] -= f[r] * m[k][c];
        __syncthreads();
    }
    if (c < DIM) x[blockIdx.x * DIM + c] = m[c][DIM] / m[c][c];
}

int main()
{
    const int systems = 4;
    std::vector<double> A(systems * DIM * DIM), b(systems * DIM, 0.0), x(systems * DIM), want(systems * DIM);
    for (int s = 0; s < systems; s++)
        for (int r = 0; r < DIM; r++) {
            want[s * DIM + r] = r - s + 0.5;
            for (int c = 0; c < DIM; c++) A[(s * DIM + r) * DIM + c] = ((r * 17 + c * 31 + s * 7) % 23) - 11.0 + (r + c == DIM - 1 ? 40 : 0);
        }
    for (int s = 0; s < systems; s++)
        for (int r = 0; r < DIM; r++)
            for (int c = 0; c < DIM; c++) b[s * DIM + r] += A[(s * DIM + r) * DIM + c] * want[s * DIM + c];
    double *dA, *db, *dx;
    cudaMalloc(&dA, A.size() * sizeof(double));
    cudaMalloc(&db, b.size() * sizeof(double));
    cudaMalloc(&dx, x.size() * sizeof(double));
    cudaMemcpy(dA, A.data(), A.size() * sizeof(double), cudaMemcpyHostToDevice);
    cudaMemcpy(db, b.data(), b.size() * sizeof(double), cudaMemcpyHostToDevice);
    solve<<<systems, DIM + 1>>>(dA, db, dx);
    cudaMemcpy(x.data(), dx, x.size() * sizeof(double), cudaMemcpyDeviceToHost);
    double worst = 0;
    for (size_t i = 0; i < x.size(); i++) worst = std::fmax(worst, std::fabs(x[i] - want[i]));
    printf("größter Fehler %.1e\n", worst);
    cudaFree(dA);
    cudaFree(db);
    cudaFree(dx);
    return worst < 1e-8 ? 0 : 1;
}
