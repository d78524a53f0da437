/* What the searches by prices work on; see pyfsel.algorithms.columns. */
#ifndef PYFSEL_COLUMNS_H
#define PYFSEL_COLUMNS_H
#include "core.h"

/* Subsets of features as bits, in groups, and their prices: those of group j begin at first[j]. */
typedef struct {
    const i64 *first; /* (n + 1) */
    const u64 *words; /* (n_subsets, n_words) */
    const i64 *price; /* (n_subsets) */
    i64 n, n_subsets, n_words;
} GroupedSubsets;

/* A search for single sets by branching: what they must satisfy, and where it stands. Features are given by their
 * place in the order of decreasing weight. Row d of what has several rows is that of d chosen features. */
typedef struct {
    i64 *state;             /* (4): see columns_sets.c */
    const bool *together;   /* (n, n), by number: whether two features may be in one set */
    const bool *previous;   /* (n_previous, n), by number: sets with which a set shares at most max_overlap */
    const i64 *feature;     /* (n): the numbers */
    const i64 *weight;      /* (n), decreasing */
    const i64 *quality;     /* (n) */
    const i64 *clique;      /* (n): no set holds two features of one part */
    const i64 *best_first;  /* (n): the places by decreasing quality */
    const GroupedSubsets *subsets;
    int32_t *candidates;    /* (k + 1, n): the features that may still come */
    bool *is_candidate;     /* (k + 1, n) */
    i64 *sizes, *positions; /* (k + 1) */
    i64 *weights;           /* (k + 1): of the chosen features, less what they pay */
    i64 *qualities;         /* (k + 1) */
    i64 *shared;            /* (k + 1, n_previous) */
    u64 *held;              /* (k + 1, n_words): the chosen features as bits */
    int32_t *chosen;        /* (k): their numbers */
    i64 *seen;              /* (n): when a part was last met */
    int32_t *found;         /* (most, k) */
    i64 max_overlap, least_quality, most_quality;
    bool improve;           /* whether each set found raises the threshold, and the oldest sets are overwritten */
    i64 n, n_previous, k, n_words, most;
} SingleSearch;

/* What is searched for compatible sets; see pyfsel.algorithms.columns.tree. */
typedef struct {
    i64 n_sets, max_overlap;
    bool smallest;             /* whether the smallest value counts, and not the sum */
    i64 level;                 /* what each set is taken to be worth then */
    const i64 *quality;        /* (n) */
    i64 largest_weight;
    const int32_t *members;    /* (m, set_size) */
    const u64 *words;          /* (m, n_words) */
    const i64 *rests;          /* (m) */
    const i64 *charges;        /* (m) */
    const i64 *values;         /* (m) */
    const i64 *at_most;        /* (n_sets + 1) */
    const i64 *uses_by_others; /* (n) */
    const i64 *steps;          /* (n_sets + 1) */
    i64 n, m, set_size, n_words, rows;
} ListTask;

/* Where the search stands. Row d of what has several rows is that of d chosen sets. */
typedef struct {
    i64 *state;             /* (5): see columns_tree.c */
    int32_t *lists;         /* (rows, m): what may still come */
    i64 *weights;           /* (rows, m) */
    i64 *sizes;             /* (rows): of the lists */
    i64 *positions;         /* (rows): of the next set to branch on; −1 before the node is bounded */
    i64 *branches;          /* (rows): one of so many first sets of the list is in every solution */
    i64 *feature_weight;    /* (rows, n) */
    i64 *most_uses;         /* (rows, n): how many of the sets to come can hold a feature */
    i64 *overlap_price;     /* (rows) */
    i64 *rest;              /* (rows): the bound beside what the sets to come weigh */
    i64 *charged;           /* (rows): the part of all charges that the bound asks for, of WHOLE */
    i64 *unpaid;            /* (rows): prices of the subsets that no chosen set holds */
    i64 *total;             /* (rows): values of the chosen sets */
    int32_t *chosen, *found; /* (n_sets) */
    i64 *step;              /* (6): of the subgradient steps of a node, as the next */
    double *moved;          /* (3) */
    i64 *best_weight;       /* (n) */
    double *direction;      /* (n) */
    i64 *counts;            /* (n) */
    u64 *beside;            /* (n, n_words), room to work in */
    int32_t *other_list;    /* (m), room to sort in, as the next */
    i64 *other_weights;     /* (m) */
    i64 rows, m, n, n_sets, n_words;
} ListTree;
#endif
