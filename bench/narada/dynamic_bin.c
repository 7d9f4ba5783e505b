#include "dynamic_bin.h"

#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define INITIAL_CAPACITY 4

struct list {
    double *items;
    size_t count;
    size_t capacity;
};

struct bin {
    pthread_mutex_t lock;
    struct list *elements;
    struct list *sorted;            /* a sorted copy, for bins whose order is fixed */
    bool fixed_order;
    bool is_sorted;                 /* the copy, or without a fixed order the elements themselves */
    size_t counted;                 /* how many elements the next four include */
    double min;
    double max;
    double sum;
    double sum_of_squares;
    bool inversions_valid;
    double sum_of_inversions;
    bool logarithms_valid;
    double sum_of_logarithms;
    unsigned long long random;
};

/* The lists of elements. */

static struct list *list_new(void)
{
    return calloc(1, sizeof(struct list));
}

static void list_free(struct list *list)
{
    if (list != NULL) {
        free(list->items);
        free(list);
    }
}

static bool list_set_capacity(struct list *list, size_t capacity)
{
    double *items = realloc(list->items, capacity * sizeof *items);

    if (items == NULL)
        return false;
    list->items = items;
    list->capacity = capacity;
    return true;
}

static bool list_append(struct list *list, const double *numbers, size_t count)
{
    size_t needed = list->count + count;
    size_t capacity = list->capacity > 0 ? list->capacity : INITIAL_CAPACITY;

    while (capacity < needed)
        capacity *= 2;
    if (capacity > list->capacity && !list_set_capacity(list, capacity))
        return false;
    for (size_t i = 0; i < count; i++)
        list->items[list->count + i] = numbers[i];
    list->count = needed;
    return true;
}

/* Shell's sort, with gaps of 1, 4, 13, ... */
static void list_sort(struct list *list)
{
    size_t gap = 1;

    while (gap < list->count / 3)
        gap = 3 * gap + 1;
    for (; gap > 0; gap /= 3) {
        for (size_t i = gap; i < list->count; i++) {
            double number = list->items[i];
            size_t j = i;

            for (; j >= gap && list->items[j - gap] > number; j -= gap)
                list->items[j] = list->items[j - gap];
            list->items[j] = number;
        }
    }
}

/* Statistics.  What is asked for is brought up to date first, with the elements added since. */

static void forget_statistics(struct bin *bin)
{
    bin->counted = 0;
    bin->min = INFINITY;
    bin->max = -INFINITY;
    bin->sum = 0;
    bin->sum_of_squares = 0;
}

/* To be called when elements were added. */
static void invalidate(struct bin *bin)
{
    bin->is_sorted = false;
    bin->inversions_valid = false;
    bin->logarithms_valid = false;
}

static void update_statistics(struct bin *bin)
{
    struct list *elements = bin->elements;

    for (; bin->counted < elements->count; bin->counted++) {
        double number = elements->items[bin->counted];

        if (number < bin->min)
            bin->min = number;
        if (number > bin->max)
            bin->max = number;
        bin->sum += number;
        bin->sum_of_squares += number * number;
    }
}

static void update_sum_of_inversions(struct bin *bin)
{
    if (bin->inversions_valid)
        return;
    bin->sum_of_inversions = 0;
    for (size_t i = 0; i < bin->elements->count; i++)
        bin->sum_of_inversions += 1 / bin->elements->items[i];
    bin->inversions_valid = true;
}

static void update_sum_of_logarithms(struct bin *bin)
{
    if (bin->logarithms_valid)
        return;
    bin->sum_of_logarithms = 0;
    for (size_t i = 0; i < bin->elements->count; i++)
        bin->sum_of_logarithms += log(bin->elements->items[i]);
    bin->logarithms_valid = true;
}

/* Returns the elements sorted, or NULL without memory. */
static struct list *sorted_elements(struct bin *bin)
{
    struct list *list = bin->fixed_order ? bin->sorted : bin->elements;

    if (bin->is_sorted)
        return list;
    if (bin->fixed_order) {
        list->count = 0;
        if (!list_append(list, bin->elements->items, bin->elements->count))
            return NULL;
    } else {
        update_statistics(bin);     /* the elements that are counted do not come first any more */
    }
    list_sort(list);
    bin->is_sorted = true;
    return list;
}

static double mean(struct bin *bin)
{
    update_statistics(bin);
    return bin->elements->count > 0 ? bin->sum / (double)bin->elements->count : NAN;
}

static double variance(struct bin *bin)
{
    double average = mean(bin);

    return (bin->sum_of_squares - average * bin->sum) / ((double)bin->elements->count - 1);
}

static double moment(struct bin *bin, int order, double centre)
{
    struct list *elements = bin->elements;
    double total = 0;

    for (size_t i = 0; i < elements->count; i++) {
        double power = 1;

        for (int k = 0; k < order; k++)
            power *= elements->items[i] - centre;
        total += power;
    }
    return total / (double)elements->count;
}

static double quantile(struct bin *bin, double fraction)
{
    struct list *list = sorted_elements(bin);
    double position, rest;
    size_t index;

    if (list == NULL || list->count == 0 || !(fraction >= 0 && fraction <= 1))
        return NAN;
    position = fraction * (double)(list->count - 1);
    index = (size_t)position;
    rest = position - (double)index;
    if (index + 1 >= list->count)
        return list->items[list->count - 1];
    return (1 - rest) * list->items[index] + rest * list->items[index + 1];
}

static double covariance(const struct list *x, const struct list *y)
{
    double sum_x = 0, sum_y = 0, sum_xy = 0;

    if (x->count != y->count || x->count == 0)
        return NAN;
    for (size_t i = 0; i < x->count; i++) {
        sum_x += x->items[i];
        sum_y += y->items[i];
        sum_xy += x->items[i] * y->items[i];
    }
    return (sum_xy - sum_x * sum_y / (double)x->count) / ((double)x->count - 1);
}

static size_t next_random(struct bin *bin, size_t limit)
{
    bin->random = bin->random * 6364136223846793005ULL + 1442695040888963407ULL;
    return (size_t)(bin->random >> 33) % limit;
}

static bool contains(const double *numbers, size_t count, double number)
{
    for (size_t i = 0; i < count; i++)
        if (numbers[i] == number)
            return true;
    return false;
}

/* The functions of bins. */

struct bin *bin_new(void)
{
    struct bin *bin = calloc(1, sizeof *bin);

    if (bin == NULL)
        return NULL;
    bin->elements = list_new();
    bin->sorted = list_new();
    if (bin->elements == NULL || bin->sorted == NULL || pthread_mutex_init(&bin->lock, NULL) != 0) {
        list_free(bin->elements);
        list_free(bin->sorted);
        free(bin);
        return NULL;
    }
    bin->random = 1;
    forget_statistics(bin);
    return bin;
}

void bin_free(struct bin *bin)
{
    if (bin == NULL)
        return;
    pthread_mutex_destroy(&bin->lock);
    list_free(bin->elements);
    list_free(bin->sorted);
    free(bin);
}

bool bin_add(struct bin *bin, double number)
{
    return bin_add_all_of(bin, &number, 1);
}

bool bin_add_all_of(struct bin *bin, const double *numbers, size_t count)
{
    return bin_add_all_of_from_to(bin, numbers, 0, count);
}

bool bin_add_all_of_from_to(struct bin *bin, const double *numbers, size_t from, size_t to)
{
    bool ok;

    pthread_mutex_lock(&bin->lock);
    ok = from <= to && list_append(bin->elements, numbers + from, to - from);
    if (ok)
        invalidate(bin);
    pthread_mutex_unlock(&bin->lock);
    return ok;
}

double bin_aggregate(struct bin *bin, bin_combiner combine, bin_mapper map)
{
    double result = NAN;
    struct list *elements;

    pthread_mutex_lock(&bin->lock);
    elements = bin->elements;
    for (size_t i = 0; i < elements->count; i++) {
        double mapped = map(elements->items[i]);

        result = i == 0 ? mapped : combine(result, mapped);
    }
    pthread_mutex_unlock(&bin->lock);
    return result;
}

void bin_clear(struct bin *bin)
{
    pthread_mutex_lock(&bin->lock);
    bin->elements->count = 0;
    bin->sorted->count = 0;
    forget_statistics(bin);
    invalidate(bin);
    pthread_mutex_unlock(&bin->lock);
}

double bin_correlation(struct bin *bin, struct bin *other)
{
    double result;

    pthread_mutex_lock(&bin->lock);
    result = covariance(bin->elements, other->elements) / (sqrt(variance(bin)) * sqrt(variance(other)));
    pthread_mutex_unlock(&bin->lock);
    return result;
}

double bin_covariance(struct bin *bin, struct bin *other)
{
    double result;

    pthread_mutex_lock(&bin->lock);
    result = covariance(bin->elements, other->elements);
    pthread_mutex_unlock(&bin->lock);
    return result;
}

double *bin_elements(struct bin *bin, size_t *count)
{
    double *copy;

    pthread_mutex_lock(&bin->lock);
    copy = malloc((bin->elements->count + 1) * sizeof *copy);
    if (copy != NULL) {
        for (size_t i = 0; i < bin->elements->count; i++)
            copy[i] = bin->elements->items[i];
        *count = bin->elements->count;
    }
    pthread_mutex_unlock(&bin->lock);
    return copy;
}

bool bin_equals(struct bin *bin, struct bin *other)
{
    struct list *mine, *others;
    bool equal;

    if (bin == other)
        return true;
    pthread_mutex_lock(&bin->lock);
    equal = bin->elements->count == other->elements->count;
    if (equal) {
        mine = sorted_elements(bin);
        others = sorted_elements(other);
        equal = mine != NULL && others != NULL;
        for (size_t i = 0; equal && i < mine->count; i++)
            equal = mine->items[i] == others->items[i];
    }
    pthread_mutex_unlock(&bin->lock);
    return equal;
}

size_t bin_frequencies(struct bin *bin, double *numbers, size_t *counts, size_t limit)
{
    struct list *list;
    size_t distinct = 0;

    pthread_mutex_lock(&bin->lock);
    list = sorted_elements(bin);
    for (size_t i = 0; list != NULL && i < list->count; i++) {
        if (distinct > 0 && numbers[distinct - 1] == list->items[i]) {
            counts[distinct - 1]++;
            continue;
        }
        if (distinct == limit)
            break;
        numbers[distinct] = list->items[i];
        counts[distinct] = 1;
        distinct++;
    }
    pthread_mutex_unlock(&bin->lock);
    return distinct;
}

double bin_geometric_mean(struct bin *bin)
{
    double result;

    pthread_mutex_lock(&bin->lock);
    update_sum_of_logarithms(bin);
    result = exp(bin->sum_of_logarithms / (double)bin->elements->count);
    pthread_mutex_unlock(&bin->lock);
    return result;
}

double bin_harmonic_mean(struct bin *bin)
{
    double result;

    pthread_mutex_lock(&bin->lock);
    update_sum_of_inversions(bin);
    result = (double)bin->elements->count / bin->sum_of_inversions;
    pthread_mutex_unlock(&bin->lock);
    return result;
}

double bin_kurtosis(struct bin *bin)
{
    double result, square;

    pthread_mutex_lock(&bin->lock);
    square = variance(bin);
    result = moment(bin, 4, mean(bin)) / (square * square) - 3;
    pthread_mutex_unlock(&bin->lock);
    return result;
}

double bin_max(struct bin *bin)
{
    double result;

    pthread_mutex_lock(&bin->lock);
    update_statistics(bin);
    result = bin->max;
    pthread_mutex_unlock(&bin->lock);
    return result;
}

double bin_min(struct bin *bin)
{
    double result;

    pthread_mutex_lock(&bin->lock);
    update_statistics(bin);
    result = bin->min;
    pthread_mutex_unlock(&bin->lock);
    return result;
}

double bin_mean(struct bin *bin)
{
    double result;

    pthread_mutex_lock(&bin->lock);
    result = mean(bin);
    pthread_mutex_unlock(&bin->lock);
    return result;
}

double bin_median(struct bin *bin)
{
    return bin_quantile(bin, 0.5);
}

double bin_moment(struct bin *bin, int order, double centre)
{
    double result;

    pthread_mutex_lock(&bin->lock);
    result = moment(bin, order, centre);
    pthread_mutex_unlock(&bin->lock);
    return result;
}

double bin_quantile(struct bin *bin, double fraction)
{
    double result;

    pthread_mutex_lock(&bin->lock);
    result = quantile(bin, fraction);
    pthread_mutex_unlock(&bin->lock);
    return result;
}

double bin_quantile_inverse(struct bin *bin, double number)
{
    struct list *list;
    size_t below = 0;
    double result = NAN;

    pthread_mutex_lock(&bin->lock);
    list = sorted_elements(bin);
    if (list != NULL && list->count > 0) {
        while (below < list->count && list->items[below] <= number)
            below++;
        result = (double)below / (double)list->count;
    }
    pthread_mutex_unlock(&bin->lock);
    return result;
}

size_t bin_remove_all_of(struct bin *bin, const double *numbers, size_t count)
{
    struct list *elements;
    size_t kept = 0, removed;

    pthread_mutex_lock(&bin->lock);
    elements = bin->elements;
    for (size_t i = 0; i < elements->count; i++)
        if (!contains(numbers, count, elements->items[i]))
            elements->items[kept++] = elements->items[i];
    removed = elements->count - kept;
    elements->count = kept;
    if (removed > 0) {
        forget_statistics(bin);
        invalidate(bin);
    }
    pthread_mutex_unlock(&bin->lock);
    return removed;
}

bool bin_sample(struct bin *bin, double *numbers, size_t count)
{
    bool ok;

    pthread_mutex_lock(&bin->lock);
    ok = bin->elements->count > 0;
    for (size_t i = 0; ok && i < count; i++)
        numbers[i] = bin->elements->items[next_random(bin, bin->elements->count)];
    pthread_mutex_unlock(&bin->lock);
    return ok;
}

void bin_set_fixed_order(struct bin *bin, bool fixed_order)
{
    pthread_mutex_lock(&bin->lock);
    if (bin->fixed_order != fixed_order) {
        bin->fixed_order = fixed_order;
        bin->is_sorted = false;
    }
    pthread_mutex_unlock(&bin->lock);
}

size_t bin_size(struct bin *bin)
{
    size_t result;

    pthread_mutex_lock(&bin->lock);
    result = bin->elements->count;
    pthread_mutex_unlock(&bin->lock);
    return result;
}

double bin_skew(struct bin *bin)
{
    double result, deviation;

    pthread_mutex_lock(&bin->lock);
    deviation = sqrt(variance(bin));
    result = moment(bin, 3, mean(bin)) / (deviation * deviation * deviation);
    pthread_mutex_unlock(&bin->lock);
    return result;
}

bool bin_sort(struct bin *bin)
{
    bool ok;

    pthread_mutex_lock(&bin->lock);
    ok = sorted_elements(bin) != NULL;
    pthread_mutex_unlock(&bin->lock);
    return ok;
}

double bin_standard_deviation(struct bin *bin)
{
    return sqrt(bin_variance(bin));
}

void bin_standardize(struct bin *bin, double mean, double deviation)
{
    struct list *elements;

    pthread_mutex_lock(&bin->lock);
    elements = bin->elements;
    for (size_t i = 0; i < elements->count; i++)
        elements->items[i] = (elements->items[i] - mean) / deviation;
    forget_statistics(bin);
    invalidate(bin);
    pthread_mutex_unlock(&bin->lock);
}

double bin_sum(struct bin *bin)
{
    double result;

    pthread_mutex_lock(&bin->lock);
    update_statistics(bin);
    result = bin->sum;
    pthread_mutex_unlock(&bin->lock);
    return result;
}

double bin_sum_of_inversions(struct bin *bin)
{
    double result;

    pthread_mutex_lock(&bin->lock);
    update_sum_of_inversions(bin);
    result = bin->sum_of_inversions;
    pthread_mutex_unlock(&bin->lock);
    return result;
}

double bin_sum_of_logarithms(struct bin *bin)
{
    double result;

    pthread_mutex_lock(&bin->lock);
    update_sum_of_logarithms(bin);
    result = bin->sum_of_logarithms;
    pthread_mutex_unlock(&bin->lock);
    return result;
}

double bin_sum_of_squares(struct bin *bin)
{
    double result;

    pthread_mutex_lock(&bin->lock);
    update_statistics(bin);
    result = bin->sum_of_squares;
    pthread_mutex_unlock(&bin->lock);
    return result;
}

int bin_to_string(struct bin *bin, char *buffer, size_t size)
{
    int length;

    pthread_mutex_lock(&bin->lock);
    update_statistics(bin);
    length = snprintf(buffer, size, "size %zu, sum %g, min %g, max %g", bin->elements->count, bin->sum,
                      bin->min, bin->max);
    pthread_mutex_unlock(&bin->lock);
    return length;
}

bool bin_trim(struct bin *bin, size_t least, size_t greatest)
{
    struct list *list;
    size_t kept;
    bool ok;

    pthread_mutex_lock(&bin->lock);
    list = sorted_elements(bin);
    ok = list != NULL && least <= list->count && greatest <= list->count - least;
    if (ok) {
        kept = list->count - least - greatest;
        for (size_t i = 0; i < kept; i++)
            bin->elements->items[i] = list->items[least + i];
        bin->elements->count = kept;
        forget_statistics(bin);
        invalidate(bin);
    }
    pthread_mutex_unlock(&bin->lock);
    return ok;
}

void bin_trim_to_size(struct bin *bin)
{
    pthread_mutex_lock(&bin->lock);
    if (bin->elements->count > 0 && bin->elements->count < bin->elements->capacity)
        list_set_capacity(bin->elements, bin->elements->count);
    if (bin->sorted->count > 0 && bin->sorted->count < bin->sorted->capacity)
        list_set_capacity(bin->sorted, bin->sorted->count);
    pthread_mutex_unlock(&bin->lock);
}

double bin_variance(struct bin *bin)
{
    double result;

    pthread_mutex_lock(&bin->lock);
    result = variance(bin);
    pthread_mutex_unlock(&bin->lock);
    return result;
}
