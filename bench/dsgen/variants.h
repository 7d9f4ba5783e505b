// `-DRACE=n` seeds one race, `-DMUTANT=n` leaves out, or weakens, one thing that synchronises; neither: the structure as it should be.
//
// `//~ n read` and `//~ n write` stand at the lines that race by RACE n.
#ifndef RACE
#define RACE 0
#endif
#ifndef MUTANT
#define MUTANT 0
#endif

#define IS_MUTANT(n) (MUTANT == (n))

// A barrier, without it in mutant n.
#define BARRIER(n)                                                                                                     \
    do {                                                                                                               \
        if (!IS_MUTANT(n))                                                                                             \
            __syncthreads();                                                                                           \
    } while (0)

// A fence, without it in mutant n, with one for the block only in mutant n + 1.
#define FENCE(n)                                                                                                       \
    do {                                                                                                               \
        if (IS_MUTANT(n + 1))                                                                                          \
            __threadfence_block();                                                                                     \
        else if (!IS_MUTANT(n))                                                                                        \
            __threadfence();                                                                                           \
    } while (0)
