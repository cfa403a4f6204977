#include <iostream>
#include <vector>
#include <cuda_runtime.h>

struct Pixel { unsigned char r, g, b, a; };

__global__ void brighten(Pixel* img, int width, int height)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height) return;
    Pixel& p = img[x * width + y];
    p.r = p.r > 245 ? 255 : p.r + 10;
    p.g = p.g > 245 ? 255 : p.g + 10;
    p.b = p.b > 245 ? 255 : p.b + 10;
}

int main()
{
    const int width = 90, height = 30;
    std::vector<Pixel> img(width * height, Pixel{100, 150, 250, 255});
    Pixel* d;
    cudaMalloc(&d, img.size() * sizeof(Pixel));
    cudaMemcpy(d, img.data(), img.size() * sizeof(Pixel), cudaMemcpyHostToDevice);
    dim3 block(16, 8), grid((width + 15) / 16, (height + 7) / 8);
    brighten<<<grid, block>>>(d, width, height);
    cudaError_t e = cudaMemcpy(img.data(), d, img.size() * sizeof(Pixel), cudaMemcpyDeviceToHost);
    std::cout << cudaGetErrorString(e) << " " << int(img[0].r) << " " << int(img.back().r) << "\n";
    cudaFree(d);
    return 0;
}
