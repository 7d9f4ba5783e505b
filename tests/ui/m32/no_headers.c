//@ run: check
//@ clang: -m32 --sysroot=/nowhere
// What to install is said where the headers for 32 bits are missing.
#include <stdio.h> //~ ERROR apt install libc6-dev-i386

int main(void) { return 0; }
