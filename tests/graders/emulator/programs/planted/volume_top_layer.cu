#include <cstdio>
#include <vector>
#include <cuda_runtime.h>

#define IDX(x, y, z) (((z) * ny + (y)) * nx + (x))

__global__ void laplace(const double *u, double *v, int nx, int ny, int nz)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    int z = blockIdx.z * blockDim.z + threadIdx.z;
    if (x < 1 || y < 1 || z < 1 || x >= nx - 1 || y >= ny - 1 || z >= nz) return;
    double c = u[IDX(x, y, z)];
    v[IDX(x, y, z)] = u[IDX(x - 1, y, z)] + u[IDX(x + 1, y, z)] + u[IDX(x, y - 1, z)] + u[IDX(x, y + 1, z)]
                      + u[IDX(x, y, z - 1)] - 6 * c
                      + u[IDX(x, y, z + 1)];
}

int main()
{
    const int nx = 10, ny = 9, nz = 8, n = nx * ny * nz;
    std::vector<double> u(n, 1.0), v(n, 0.0);
    double *du, *dv;
    cudaMalloc(&du, n * sizeof(double));
    cudaMalloc(&dv, n * sizeof(double));
    cudaMemcpy(du, u.data(), n * sizeof(double), cudaMemcpyHostToDevice);
    cudaMemcpy(dv, v.data(), n * sizeof(double), cudaMemcpyHostToDevice);
    dim3 block(4, 4, 4), grid((nx + 3) / 4, (ny + 3) / 4, (nz + 3) / 4);
    laplace<<<grid, block>>>(du, dv, nx, ny, nz);
    cudaMemcpy(v.data(), dv, n * sizeof(double), cudaMemcpyDeviceToHost);
    printf("%f\n", v[IDX(5, 5, 5)]);
    cudaFree(du);
    cudaFree(dv);
    return 0;
}
