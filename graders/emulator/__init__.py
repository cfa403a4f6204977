"""A checking emulator for CUDA C++: runs a single-file program on the CPU and says what a GPU would hide."""
