#include <cstdlib>
#include <iostream>
#include <stdexcept>
#include <string>
#include <vector>
#include <cuda_runtime.h>

inline void check(cudaError_t e, const std::string& where)
{
    if (e != cudaSuccess) throw std::runtime_error(where + ": " + cudaGetErrorString(e));
}

template <typename T>
class DeviceBuffer {
public:
    explicit DeviceBuffer(std::size_t count) : count_(count) { check(cudaMalloc(&ptr_, count * sizeof(T)), "cudaMalloc"); }
    ~DeviceBuffer() { cudaFree(ptr_); }
    DeviceBuffer(const DeviceBuffer&) = delete;
    DeviceBuffer& operator=(const DeviceBuffer&) = delete;
    T* get() { return ptr_; }
    void upload(const std::vector<T>& v) { check(cudaMemcpy(ptr_, v.data(), count_ * sizeof(T), cudaMemcpyHostToDevice), "upload"); }
    std::vector<T> download() const
    {
        std::vector<T> v(count_);
        check(cudaMemcpy(v.data(), ptr_, count_ * sizeof(T), cudaMemcpyDeviceToHost), "download");
        return v;
    }

private:
    T* ptr_ = nullptr;
    std::size_t count_;
};

namespace cfg {
constexpr int tile = 32;
constexpr int rows = 8;
}

__global__ void transpose(float* __restrict__ out, const float* __restrict__ in, int width, int height)
{
    __shared__ float tile[cfg::tile][cfg::tile + 1];
    int x = blockIdx.x * cfg::tile + threadIdx.x;
    int y = blockIdx.y * cfg::tile + threadIdx.y;
    for (int j = 0; j < cfg::tile; j += cfg::rows)
        if (x < width && y + j < height) tile[threadIdx.y + j][threadIdx.x] = in[(y + j) * width + x];
    __syncthreads();
    x = blockIdx.y * cfg::tile + threadIdx.x;
    y = blockIdx.x * cfg::tile + threadIdx.y;
    for (int j = 0; j < cfg::tile; j += cfg::rows)
        if (x < height && y + j < width) out[(y + j) * height + x] = tile[threadIdx.x][threadIdx.y + j];
}

int main()
try {
    const int w = 70, h = 45;
    std::vector<float> m(w * h);
    for (std::size_t i = 0; i < m.size(); ++i) m[i] = static_cast<float>(i);
    DeviceBuffer<float> in(m.size()), out(m.size());
    in.upload(m);
    const dim3 block(cfg::tile, cfg::rows, 1);
    const dim3 grid((w + cfg::tile - 1) / cfg::tile, (h + cfg::tile - 1) / cfg::tile, 1);
    transpose<<<grid, block>>>(out.get(), in.get(), w, h);
    check(cudaGetLastError(), "launch");
    check(cudaDeviceSynchronize(), "kernel");
    auto t = out.download();
    for (int y = 0; y < h; ++y)
        for (int x = 0; x < w; ++x)
            if (t[x * h + y] != m[y * w + x]) {
                std::cout << "mismatch at " << x << "," << y << '\n';
                return EXIT_FAILURE;
            }
    std::cout << "transpose ok\n";
    return EXIT_SUCCESS;
} catch (const std::exception& e) {
    std::cerr << e.what() << '\n';
    return EXIT_FAILURE;
}
