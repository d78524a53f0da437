/* Simulated annealing of sets with given counts: memberships trade places until no overlap is too large. */
#include "counts.h"

/* The set s gives its feature i, the p-th of its members, to the set t, and gets j, the r-th of that one's. */
typedef struct {
    i64 s, t, p, r, i, j;
} Swap;

/* The next number of SplitMix64 (Steele, Lea and Flood, 2014). */
static u64 next_random(u64 *state) {
    u64 z = *state += 0x9E3779B97F4A7C15u;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
}

/* A random integer from 0 to n − 1, for n below 2³². */
static i64 random_below(u64 *state, i64 n) { return (i64)(((next_random(state) >> 32) * (u64)n) >> 32); }

/* Return whether a change for the worse is accepted: with a probability of about e^−x, x = change / temperature.
 * (1 + y + y²/2)^256 with y = x / 256 is e^x within a percent up to x = 15, and made of what all machines round alike. */
static bool is_accepted(u64 *state, double x) {
    double y = x / 256, power = 1 + y + y * y / 2;
    for (i64 squared = 0; squared < 8; squared++) power *= power;
    return (double)(next_random(state) >> 11) * 0x1p-53 * power < 1;
}

/* What two sets cost: 0 if they share no more than is allowed. Squared, so that one pair far too close costs more than
 * several that are slightly so. */
static i64 squared_excess(const SwappedSets *a, i64 shared) {
    i64 excess = max_of(0, shared - a->max_overlap);
    return excess * excess;
}

/* Return by how much the overlap of s with another set changes: with those that hold just one of i and j. That of t
 * changes by the opposite, and that of s and t does not. */
static i64 step_with(const SwappedSets *a, const Swap *swap, i64 other) {
    const bool *held = a->inside + other * a->n_features;
    return other == swap->s || other == swap->t ? 0 : held[swap->j] - held[swap->i];
}

/* Return what a swap adds to the cost. */
static i64 change_by(const SwappedSets *a, const Swap *swap) {
    const i64 *of_s = a->overlap + swap->s * a->n_sets, *of_t = a->overlap + swap->t * a->n_sets;
    i64 change = 0;
    for (i64 other = 0; other < a->n_sets; other++) {
        i64 step = step_with(a, swap, other);
        if (step == 0) continue;
        change += squared_excess(a, of_s[other] + step) - squared_excess(a, of_s[other]);
        change += squared_excess(a, of_t[other] - step) - squared_excess(a, of_t[other]);
    }
    return change;
}

/* Swap feature i of s for feature j of t: sizes and how often each feature is used stay as they are. */
static void carry_out(const SwappedSets *a, const Swap *swap) {
    i64 s = swap->s, t = swap->t, n = a->n_features;
    for (i64 other = 0; other < a->n_sets; other++) {
        i64 step = step_with(a, swap, other);
        a->overlap[s * a->n_sets + other] += step;
        a->overlap[other * a->n_sets + s] += step;
        a->overlap[t * a->n_sets + other] -= step;
        a->overlap[other * a->n_sets + t] -= step;
    }
    a->inside[s * n + swap->i] = a->inside[t * n + swap->j] = false;
    a->inside[s * n + swap->j] = a->inside[t * n + swap->i] = true;
    a->members[s * a->size + swap->p] = swap->j;
    a->members[t * a->size + swap->r] = swap->i;
}

/* Draw two sets and a feature of each; the caller passes over one set twice, and swaps to a feature that is held already. */
static Swap random_swap(const SwappedSets *a, u64 *state) {
    Swap swap = {.s = random_below(state, a->n_sets), .t = random_below(state, a->n_sets)};
    swap.p = random_below(state, a->size);
    swap.r = random_below(state, a->size);
    swap.i = a->members[swap.s * a->size + swap.p];
    swap.j = a->members[swap.t * a->size + swap.r];
    return swap;
}

/* The sum over all pairs of sets; 0 if they are as dissimilar as is asked. */
static i64 cost_of(const SwappedSets *a) {
    i64 cost = 0;
    for (i64 s = 0; s < a->n_sets; s++)
        for (i64 t = 0; t < s; t++) cost += squared_excess(a, a->overlap[s * a->n_sets + t]);
    return cost;
}

EXPORT i64 pyfsel_anneal(
    const SwappedSets *a, u64 *random, double *temperature, double cooling, i64 n_moves
) {
    const bool *inside = a->inside;
    i64 cost = cost_of(a), n = a->n_features;
    for (i64 move = 0; move < n_moves && cost > 0; move++) {
        Swap swap = random_swap(a, random);
        *temperature *= cooling;
        if (swap.s == swap.t || inside[swap.t * n + swap.i] || inside[swap.s * n + swap.j]) continue;
        i64 change = change_by(a, &swap);
        if (change > 0 && !is_accepted(random, (double)change / *temperature)) continue;
        cost += change;
        carry_out(a, &swap);
    }
    return cost;
}
