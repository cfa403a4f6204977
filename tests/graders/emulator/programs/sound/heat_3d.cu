#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>
#include <cuda_runtime.h>

#define AT(x, y, z) ((x) + nx * ((y) + ny * (z)))

__host__ __device__ double updated(const double *u, int nx, int ny, int nz, int x, int y, int z)
{
    double c = u[AT(x, y, z)];
    if (x == 0 || y == 0 || z == 0 || x == nx - 1 || y == ny - 1 || z == nz - 1) return c;
    return c + 0.1 * (u[AT(x - 1, y, z)] + u[AT(x + 1, y, z)] + u[AT(x, y - 1, z)] + u[AT(x, y + 1, z)]
                      + u[AT(x, y, z - 1)] + u[AT(x, y, z + 1)] - 6.0 * c);
}

__global__ void heat(const double *u, double *v, int nx, int ny, int nz)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    int z = blockIdx.z * blockDim.z + threadIdx.z;
    if (x < nx && y < ny && z < nz) v[AT(x, y, z)] = updated(u, nx, ny, nz, x, y, z);
}

int main()
{
    const int nx = 11, ny = 9, nz = 10, n = nx * ny * nz, steps = 5;
    std::vector<double> a(n, 0.0), b(n), r(n);
    a[AT(5, 4, 5)] = 100.0;
    for (int y = 0; y < ny; y++) a[AT(0, y, 3)] = 10.0;
    double *u, *v;
    cudaMalloc((void **)&u, n * sizeof(double));
    cudaMalloc((void **)&v, n * sizeof(double));
    cudaMemcpy(u, a.data(), n * sizeof(double), cudaMemcpyHostToDevice);
    dim3 block(8, 4, 2), grid((nx + 7) / 8, (ny + 3) / 4, (nz + 1) / 2);
    for (int s = 0; s < steps; s++) {
        heat<<<grid, block>>>(u, v, nx, ny, nz);
        double *t = u;
        u = v;
        v = t;
        for (int z = 0; z < nz; z++)
            for (int y = 0; y < ny; y++)
                for (int x = 0; x < nx; x++) b[AT(x, y, z)] = updated(a.data(), nx, ny, nz, x, y, z);
        a.swap(b);
    }
    cudaMemcpy(r.data(), u, n * sizeof(double), cudaMemcpyDeviceToHost);
    double worst = 0;
    for (int i = 0; i < n; i++) worst = std::fmax(worst, std::fabs(a[i] - r[i]));
    printf("centre %.4f, error %.1e\n", r[AT(5, 4, 5)], worst);
    cudaFree(u);
    cudaFree(v);
    return worst < 1e-9 ? EXIT_SUCCESS : EXIT_FAILURE;
}
