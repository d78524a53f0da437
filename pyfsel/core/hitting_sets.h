/* What the search for hitting sets works on; see pyfsel.papers.consistency.branching. */
#ifndef PYFSEL_HITTING_SETS_H
#define PYFSEL_HITTING_SETS_H
#include "core.h"

/* Sets of features are words, bit j is feature j. Row d of what has several rows is that of d chosen features. */
typedef struct {
    i64 *state;    /* (3): see hitting_sets.c */
    u64 *sets;     /* (size, n_sets): what may be chosen of each set that is not hit */
    i64 *lengths;  /* (size): how many these are */
    u64 *allowed;  /* (size): the features that are not excluded */
    u64 *to_try;   /* (size): those of the set that is branched on */
    u64 *chosen;   /* (size) */
    i64 *counts;   /* (n_features), room to work in */
    u64 *found;    /* (most_found) */
    i64 size, n_sets, n_features, most_found;
} HittingTree;
#endif
