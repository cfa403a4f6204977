#include <iostream>
#include <vector>
#include <thrust/device_vector.h>
#include <thrust/sort.h>

__global__ void half_of(int* v, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) v[i] /= 2;
}

int main()
{
    thrust::device_vector<int> d(100);
    for (int i = 0; i < 100; ++i) d[i] = (i * 37) % 100;
    half_of<<<1, 128>>>(thrust::raw_pointer_cast(d.data()), 100);
    thrust::sort(d.begin(), d.end());
    std::cout << d[0] << " " << d[99] << std::endl;
    return d[99] != 49;
}
