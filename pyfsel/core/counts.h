/* What the annealing of sets with given counts works on; see pyfsel.algorithms.counts.swaps. */
#ifndef PYFSEL_COUNTS_H
#define PYFSEL_COUNTS_H
#include "core.h"

/* Sets as rows of memberships, each also as the list of its members. */
typedef struct {
    bool *inside; /* (n_sets, n_features) */
    i64 *members; /* (n_sets, size) */
    i64 *overlap; /* (n_sets, n_sets): how many features each two share, 0 for a set with itself */
    i64 max_overlap;
    i64 n_sets, n_features, size;
} SwappedSets;
#endif
