//@ run: gpu
// Both sides print.
#include <cuda_runtime.h>
#include <iomanip>
#include <iostream>
#include <string>
__global__ void greet(int n) { printf("thread %d of %d, %s\n", (int)threadIdx.x, n, "here"); }
int main()
{
    greet<<<1, 2>>>(2);
    std::string text = "waited";
    std::cout << text << std::setw(4) << cudaDeviceSynchronize() << ' ' << 1.5 << std::hex << 3u << std::endl;
    std::cerr << "done\n";
    printf("%s\n", text.c_str());
    return 0;
}
//~ SAFE
