#include <stdio.h>
#include <cuda_runtime.h>

/* décale un tableau d'une case vers la gauche, avec la mémoire partagée */
#define TAILLE 64

__global__ void decale(const float *entree, float *sortie)
{
    __shared__ float cases[TAILLE];
    int i = threadIdx.x;
    float valeur = entree[i];
    if (i == TAILLE - 1)
        cases[i] = 0.0f;
    cases[i - 1] = valeur;
    __syncthreads();
    sortie[i] = cases[i];
}

int main(void)
{
    float h[TAILLE], r[TAILLE];
    for (int i = 0; i < TAILLE; i++) h[i] = (float)i;
    float *de, *ds;
    cudaMalloc((void **)&de, sizeof(h));
    cudaMalloc((void **)&ds, sizeof(h));
    cudaMemcpy(de, h, sizeof(h), cudaMemcpyHostToDevice);
    decale<<<1, TAILLE>>>(de, ds);
    cudaError_t e = cudaDeviceSynchronize();
    if (e != cudaSuccess) {
        printf("erreur : %s\n", cudaGetErrorString(e));
        return 1;
    }
    cudaMemcpy(r, ds, sizeof(h), cudaMemcpyDeviceToHost);
    int faux = 0;
    for (int i = 0; i < TAILLE; i++)
        faux += r[i] != (i < TAILLE - 1 ? (float)(i + 1) : 0.0f);
    printf("faux = %d\n", faux);
    cudaFree(de);
    cudaFree(ds);
    return faux != 0;
}
