/* What the searches for heaviest k-subgraphs work on; `pyfsel.algorithms.ksubgraph` says what the arrays hold. */
#ifndef PYFSEL_KSUBGRAPH_H
#define PYFSEL_KSUBGRAPH_H
#include "core.h"

/* No sum of weights is at or below FAR unless a feature or a pair in it is ruled out; what is ruled out for good has
 * the value LOW. */
#define LOW (-((i64)1 << 62))
#define FAR (-((i64)1 << 59))

/* The pairs of n features, and how many features of previous sets a set may hold. */
typedef struct {
    const i64 *weights;   /* (n, n) */
    const bool *apart;    /* (n, n) */
    const bool *previous; /* (n_previous, n) */
    const i64 *limits;    /* (n_previous) */
    const i64 *limiting;  /* (n_limiting) */
    const i64 *part;      /* (n) */
    const i64 *most;      /* (n) */
    i64 n;
    i64 n_previous;
    i64 n_limiting;
} Pairs;

/* The search along heavy chains. */
typedef struct {
    i64 *state;           /* (7) */
    i64 *needed;          /* (k + 1) */
    const i64 *reach;     /* (k + 1, n) */
    i64 *node;            /* (k, 5) */
    i64 *chosen;          /* (k) */
    i64 *degrees;         /* (k, k) */
    uint32_t *candidates; /* (k, n) */
    i64 *sums;            /* (k, n) */
    uint32_t *heads;      /* (k, n) */
    i64 *head_sums;       /* (k, n) */
    uint32_t *near;       /* (k, n) */
    i64 *near_sums;       /* (k, n) */
    i64 *values;          /* (n) */
    i64 *orders;          /* (k, 2) */
    i64 *overlap;         /* (k, n_previous) */
    i64 *room;            /* (n_parts) */
    i64 *top;             /* (k) */
    i64 *top_of_parts;    /* (n_parts, k) */
    i64 *sets;            /* (most, k) */
    i64 *weights;         /* (most) */
    i64 k;
    i64 n;
    i64 n_previous;
    i64 n_parts;
    i64 most;
} Chains;

/* Branch and bound by a concave function above the weights. */
typedef struct {
    i64 *state;           /* (7) */
    i64 *node;            /* (k, 5) */
    double *bound;        /* (k) */
    i64 *chosen;          /* (k, k) */
    i64 *sums;            /* (k, n) */
    double *point;        /* (k, n) */
    i64 *overlap;         /* (k, n_previous) */
    i64 *blocks;          /* (n_blocks, 2) */
    i64 *features;        /* (n_blocks, n) */
    double *curvature;    /* (n_entries) */
    i64 *found;           /* (k) */
    double *gains;        /* (n) */
    double *linear;       /* (n) */
    double *gradient;     /* (n) */
    double *top;          /* (k) */
    i64 *room;            /* (n_parts) */
    double *top_of_parts; /* (n_parts, k) */
    i64 *some;            /* (n) */
    double *among;        /* (n_among), n (n + 3) */
    i64 *added;           /* (k) */
    double *chains;       /* (4, n) */
    i64 k;
    i64 n;
    i64 n_previous;
    i64 n_blocks;
    i64 n_entries;
    i64 n_parts;
    i64 n_among;
} Tree;

/* Return whether a set that shares so much with each previous one may hold a feature. */
static inline bool has_room(const Pairs *pairs, const i64 *overlap, i64 feature) {
    for (i64 p = 0; p < pairs->n_previous; p++)
        if (pairs->previous[p * pairs->n + feature] && overlap[p] >= pairs->limits[p]) return false;
    return true;
}

/* Write how many of the missing features may be of each part, the one without a limit first. */
static inline void write_room(const Pairs *pairs, const i64 *overlap, i64 missing, i64 *room) {
    room[0] = missing;
    for (i64 place = 0; place < pairs->n_limiting; place++) {
        i64 p = pairs->limiting[place];
        room[place + 1] = min_of(missing, pairs->limits[p] - overlap[p]);
    }
}

/* Put a value into an increasing list in place of the least one, if it is larger. */
static inline void insert(i64 *top, i64 size, i64 value) {
    i64 place = 0;
    for (; place < size && top[place] < value; place++)
        if (place > 0) top[place - 1] = top[place];
    if (place > 0) top[place - 1] = value;
}

/* The same for floats. */
static inline void insert_real(double *top, i64 size, double value) {
    i64 place = 0;
    for (; place < size && top[place] < value; place++)
        if (place > 0) top[place - 1] = top[place];
    if (place > 0) top[place - 1] = value;
}

/* A concave function linear'x + ½ x'Hx of x, each from 0 to 1; of features that are out, linear is −inf and x is 0. */
typedef struct {
    const double *curvature; /* H, (size, size) */
    const double *linear;    /* (size) */
    i64 size;
} Concave;

void move_to_sum(const Concave *f, i64 total, double *point);
void write_value_and_rest(const Concave *f, const double *point, const double *gradient, double *value, double *rest);
i64 climb(const Concave *f, double target, double margin, double *point, double *gradient, double *top, i64 missing,
          i64 *some, double *among, i64 *rounds, i64 most_work);
#endif
