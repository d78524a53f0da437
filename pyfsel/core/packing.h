/* What the search for compatible sets in a pool works on; see pyfsel.algorithms.packing. */
#ifndef PYFSEL_PACKING_H
#define PYFSEL_PACKING_H
#include "core.h"

/* What the bounds know of a problem. Features are numbered by their place in the order of quality. */
typedef struct {
    const i64 *quality; /* (n), decreasing */
    const i64 *subsets; /* (k + 1): number of (max_shared + 1)-subsets of x features */
    const i64 *free;    /* (n): the same of the t + 1 best features */
    i64 max_shared, price;
    i64 n, k;
} Counting;

/* Sets by decreasing weight: as bits, and as the places of their features, ascending. */
typedef struct {
    const u64 *words;     /* (m, n_words) */
    const i64 *values, *weights; /* (m); weights: the values again, or without the prices of their features */
    const int32_t *ranks; /* (m, k) */
    const i64 *paid;      /* (m): what each set pays for its pairs of features, none without prices */
    const Counting *counting;
    bool is_priced; /* the qualities that count are prices, and bound what is not weight */
    i64 m, n_words, k;
} SortedPool;

/* Where a search stands. Row d of what has several rows is that of d chosen sets. */
typedef struct {
    i64 *state;             /* (3): see packing.c */
    i64 *positions, *sizes, *ends; /* (n_sets): the next member of a list, and its length; for `ends` see packing.c */
    int32_t *chosen;        /* (n_sets) */
    int32_t *found;         /* (n_sets): the best sets so far */
    i64 *sums;              /* (n_sets + 1): values of the chosen sets, summed up */
    i64 *free, *uses;       /* (n_sets + 1, n): subsets of the best features, and uses of each, after the chosen sets */
    i64 *added, *counts;    /* (n): room to work in */
    i64 *rest;              /* (n_sets): upper bounds on what features and pairs of further sets count */
    i64 *left;              /* (n_sets + 1): upper bounds on what pairs of features of further sets bring in */
    const i64 *best_sums;   /* (n_sets): upper bounds on the sum of so many compatible sets */
    int32_t *lists;         /* (n_sets, m): the members compatible with the chosen sets; row 0 holds all */
    i64 n_sets, n, m;
} Descent;
#endif
