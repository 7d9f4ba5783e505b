#include "dynamic_bin.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

static double add(double aggregated, double number)
{
    return aggregated + number;
}

static double twice(double number)
{
    return 2 * number;
}

static bool near(double left, double right)
{
    return left - right < 1e-9 && right - left < 1e-9;
}

int main(void)
{
    const double some[] = {4, 1, 2};
    const double more[] = {9, 1, 2, 4};
    double numbers[4];
    size_t counts[4];
    char text[80];
    double result;
    double *elements;
    size_t count;
    int length;
    bool ok;
    struct bin *bin = bin_new();
    struct bin *other = bin_new();

    assert(bin != NULL && other != NULL);

    ok = bin_add(bin, 1);
    assert(ok);
    ok = bin_add_all_of(bin, some, 3);
    assert(ok);
    ok = bin_add_all_of_from_to(other, more, 1, 4);
    assert(ok);
    count = bin_remove_all_of(bin, more, 1);
    assert(count == 0);
    count = bin_size(bin);
    assert(count == 4);

    result = bin_sum(bin);
    assert(near(result, 8));
    result = bin_sum_of_squares(bin);
    assert(near(result, 22));
    result = bin_min(bin);
    assert(near(result, 1));
    result = bin_max(bin);
    assert(near(result, 4));
    result = bin_mean(bin);
    assert(near(result, 2));
    result = bin_variance(bin);
    assert(near(result, 2));
    result = bin_standard_deviation(bin);
    assert(near(result * result, 2));
    result = bin_moment(bin, 2, 2);
    assert(near(result, 1.5));
    result = bin_skew(bin);
    assert(near(result * result, 0.28125));
    result = bin_kurtosis(bin);
    assert(near(result, -1.875));
    result = bin_sum_of_inversions(bin);
    assert(near(result, 2.75));
    result = bin_harmonic_mean(bin);
    assert(near(result, 4 / 2.75));
    result = bin_geometric_mean(bin);
    assert(near(result * result * result * result, 8));
    result = bin_sum_of_logarithms(other);
    assert(result > 2 && result < 2.1);
    result = bin_aggregate(bin, add, twice);
    assert(near(result, 16));

    bin_set_fixed_order(bin, true);
    ok = bin_sort(bin);
    assert(ok);
    result = bin_median(bin);
    assert(near(result, 1.5));
    result = bin_quantile(bin, 1);
    assert(near(result, 4));
    result = bin_quantile_inverse(bin, 2);
    assert(near(result, 0.75));
    count = bin_frequencies(bin, numbers, counts, 4);
    assert(count == 3 && numbers[0] == 1 && counts[0] == 2 && numbers[2] == 4 && counts[2] == 1);
    ok = bin_sample(bin, numbers, 2);
    assert(ok && numbers[0] >= 1 && numbers[1] <= 4);

    ok = bin_trim(bin, 1, 0);
    assert(ok);
    bin_trim_to_size(bin);
    result = bin_covariance(bin, other);
    assert(near(result, 7.0 / 3));
    result = bin_correlation(bin, other);
    assert(near(result, 1));
    ok = bin_equals(bin, other);
    assert(ok);

    bin_standardize(bin, 2, 0.5);
    length = bin_to_string(bin, text, sizeof text);
    assert(length == (int)strlen(text));
    assert(strcmp(text, "size 3, sum 2, min -2, max 4") == 0);
    elements = bin_elements(bin, &count);
    assert(elements != NULL && count == 3 && near(elements[0], -2));
    bin_clear(bin);

    free(elements);
    bin_free(other);
    bin_free(bin);
    return 0;
}
