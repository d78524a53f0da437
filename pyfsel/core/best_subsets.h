/* What the search for best subsets works on; see pyfsel.algorithms.best_subsets.tree. */
#ifndef PYFSEL_BEST_SUBSETS_H
#define PYFSEL_BEST_SUBSETS_H
#include "core.h"

/* Row d of what has `levels` rows is that of d chosen features; its candidates are first[d] … size[d] − 1. */
typedef struct {
    double *gram;          /* (levels, n, n): the Schur complement of the candidates, upper half */
    double *target;        /* (levels, n) */
    double *parts;         /* (levels, n): what a candidate adds to the bound, decreasing */
    double *shares;        /* (levels, n): z of the lemma where a bound was last found, 0 before the first */
    i64 *features;         /* (levels, n): the candidates */
    i64 *first, *size;     /* (levels) */
    double *upper;         /* (levels): the bound without the parts of the features to come */
    double *gained;        /* (levels): what the chosen features explain */
    double *diagonal;      /* (levels, n): D, by feature */
    const u64 *limited;    /* (known, n): 1 if the limit counts the feature */
    i64 *left;             /* (levels, known): how many more features it allows */
    i64 *chosen;           /* (levels) */
    i64 *found;            /* (room, levels): sets */
    double *factor;        /* (n, n), room to work in */
    double *vectors;       /* (6, n), room to work in */
    i64 *state;            /* (4): level, nodes, bounds, a candidate to go on with or 0 */
    double margin;         /* D is such that no eigenvalue of A − D is less */
    i64 levels, n, known, room;
} Subsets;
#endif
