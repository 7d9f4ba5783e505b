/*
 * Bins of numbers: a bin collects numbers and answers questions about their statistics.
 *
 * A bin keeps all of its numbers, in the order in which they were added only if that order is fixed.
 * Bins are thread-safe: each has a lock, which its functions hold.
 */
#ifndef DYNAMIC_BIN_H
#define DYNAMIC_BIN_H

#include <stdbool.h>
#include <stddef.h>

struct bin;

/* Combines what was aggregated so far with the next number; must not use the bin. */
typedef double (*bin_combiner)(double aggregated, double number);

/* Maps a number of a bin before it is aggregated; must not use the bin. */
typedef double (*bin_mapper)(double number);

/* Makes an empty bin, whose order is not fixed; returns NULL without memory. */
struct bin *bin_new(void);

/* Frees the bin and its numbers. */
void bin_free(struct bin *bin);

/* Adds a number; returns false without memory. */
bool bin_add(struct bin *bin, double number);

/* Adds `count` numbers; returns false without memory. */
bool bin_add_all_of(struct bin *bin, const double *numbers, size_t count);

/* Adds the numbers from index `from` up to, but not including, `to`; returns false without memory. */
bool bin_add_all_of_from_to(struct bin *bin, const double *numbers, size_t from, size_t to);

/* Combines the mapped numbers from first to last; returns NaN if there are none. */
double bin_aggregate(struct bin *bin, bin_combiner combine, bin_mapper map);

/* Removes all numbers. */
void bin_clear(struct bin *bin);

/* Returns the correlation with a bin of the same size, or NaN. */
double bin_correlation(struct bin *bin, struct bin *other);

/* Returns the covariance with a bin of the same size, or NaN. */
double bin_covariance(struct bin *bin, struct bin *other);

/* Returns a copy of the numbers, for the caller to free, and sets `count`; returns NULL without memory. */
double *bin_elements(struct bin *bin, size_t *count);

/* Returns whether both bins have the same numbers, in whatever order. */
bool bin_equals(struct bin *bin, struct bin *other);

/* Stores up to `limit` distinct numbers, sorted, and how often each occurs; returns how many it stored. */
size_t bin_frequencies(struct bin *bin, double *numbers, size_t *counts, size_t limit);

/* Returns the geometric mean, or NaN if there are no numbers. */
double bin_geometric_mean(struct bin *bin);

/* Returns the harmonic mean, or NaN if there are no numbers. */
double bin_harmonic_mean(struct bin *bin);

/* Returns the excess kurtosis. */
double bin_kurtosis(struct bin *bin);

/* Returns the greatest number, or minus infinity if there is none. */
double bin_max(struct bin *bin);

/* Returns the least number, or infinity if there is none. */
double bin_min(struct bin *bin);

/* Returns the arithmetic mean, or NaN if there are no numbers. */
double bin_mean(struct bin *bin);

/* Returns the median, or NaN if there are no numbers. */
double bin_median(struct bin *bin);

/* Returns the mean of (number - centre) ^ order. */
double bin_moment(struct bin *bin, int order, double centre);

/* Returns the quantile for a fraction from 0 to 1, interpolated, or NaN if there are no numbers. */
double bin_quantile(struct bin *bin, double fraction);

/* Returns which fraction of the numbers is not greater than `number`. */
double bin_quantile_inverse(struct bin *bin, double number);

/* Removes the numbers that occur among these `count` ones; returns how many it removed. */
size_t bin_remove_all_of(struct bin *bin, const double *numbers, size_t count);

/* Stores `count` numbers drawn at random, with replacement; returns false if there are none to draw. */
bool bin_sample(struct bin *bin, double *numbers, size_t count);

/* Sets whether the bin keeps its numbers in the order in which they are added. */
void bin_set_fixed_order(struct bin *bin, bool fixed_order);

/* Returns how many numbers there are. */
size_t bin_size(struct bin *bin);

/* Returns the skew. */
double bin_skew(struct bin *bin);

/* Sorts the numbers for later questions; returns false without memory. */
bool bin_sort(struct bin *bin);

/* Returns the standard deviation of the numbers as a sample. */
double bin_standard_deviation(struct bin *bin);

/* Replaces each number by (number - mean) / deviation. */
void bin_standardize(struct bin *bin, double mean, double deviation);

/* Returns the sum. */
double bin_sum(struct bin *bin);

/* Returns the sum of 1 / number. */
double bin_sum_of_inversions(struct bin *bin);

/* Returns the sum of the natural logarithms. */
double bin_sum_of_logarithms(struct bin *bin);

/* Returns the sum of the squares. */
double bin_sum_of_squares(struct bin *bin);

/* Writes a summary to buffer, as snprintf does, and returns its length. */
int bin_to_string(struct bin *bin, char *buffer, size_t size);

/* Removes the `least` smallest and the `greatest` largest numbers; false if there are fewer, or no memory. */
bool bin_trim(struct bin *bin, size_t least, size_t greatest);

/* Gives back memory that the present numbers do not need. */
void bin_trim_to_size(struct bin *bin);

/* Returns the variance of the numbers as a sample. */
double bin_variance(struct bin *bin);

#endif
