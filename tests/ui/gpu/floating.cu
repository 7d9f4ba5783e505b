//@ run: gpu --grid 1 --block 2
//@ revisions: added updated summed diverges decided approximate uniform saturates nan zeros
// Floating-point numbers are terms: what kernels compute with them costs nothing, and what they decide by them is decided exactly.
// A function that devices compute to so many places only gives anything, but the same for the same argument.
__global__ void compute(const float *a, const float *b, float *out, float limit)
{
    int i = threadIdx.x;
#ifdef added
    out[i] = a[i] * b[i] + 0.5f;
#endif
#ifdef updated
    atomicAdd(out, a[i]);
#endif
#ifdef summed
    out[0] += a[i]; //~[summed] RACE read/write //~[summed] RACE write/write
#endif
#ifdef diverges
    if (sqrtf(a[i]) < limit)
        __syncthreads(); //~[diverges] BARRIER_DIVERGENCE
#endif
#ifdef decided
    // The square of a number is never negative, and NaN is not less.
    if (limit * limit < 0)
        out[0] = a[i];
#endif
#ifdef approximate
    if (expf(a[i]) > 1)
        __syncthreads(); //~[approximate] BARRIER_DIVERGENCE
#endif
#ifdef uniform
    // Of one cell by different terms: once it is read, once it is written and read.
    out[i] = a[0];
    if (expf(out[i]) > expf(a[0]))
        __syncthreads();
    if (expf(limit) > 1)
        __syncthreads();
    // Of two cells that hold the same.
    if (__float_as_uint(a[0]) == __float_as_uint(b[0]) && __float_as_uint(expf(a[0])) != __float_as_uint(expf(b[0])))
        out[2] = limit;
#endif
#ifdef saturates
    // The largest integer, where a processor gives the least.
    if (limit > 1e10f && (int)limit < 0)
        out[0] = a[i];
#endif
#ifdef nan
    // Nothing at all of a float, the highest bit of a double; and a number rather than a NaN.
    double wide = limit;
    if (limit != limit && ((int)limit != 0 || (int)wide != (int)0x80000000 || min(limit, 1.0f) != 1))
        out[0] = a[i];
#endif
#ifdef zeros
    // The negative zero is less.
    if (limit == 0 && __float_as_uint(fmaxf(limit, 0.0f)) != 0)
        out[0] = a[i];
#endif
}
//~[nan] SAFE
//~[zeros] SAFE
//~[added] SAFE
//~[updated] SAFE
//~[decided] SAFE
//~[uniform] SAFE
//~[saturates] SAFE
