/* Hitting sets of at most a given size, by branching on a set with the fewest features left. */
#include "hitting_sets.h"

/* Of the state: how many features are chosen (−1 at the end), how many nodes were opened and hitting sets found. */
enum { N_CHOSEN, N_NODES, N_FOUND };

#define WORD 64 /* features at most, one for each bit; so a node notes no more hitting sets than that */

static u64 lowest_bit(u64 word) { return word & (~word + 1); }

/* The place of the lowest one; without an instruction for counting ones this is faster than to count those below. */
static i64 lowest_place(u64 word) { return __builtin_ctzll(word); }

static void note(const HittingTree *tree, u64 hitting_set) { tree->found[tree->state[N_FOUND]++] = hitting_set; }

/* Note the hitting sets that a feature makes of the chosen ones with at most one feature more, which may be none. */
static void complete(const HittingTree *tree, i64 depth, u64 feature, i64 n_left) {
    const u64 *sets = tree->sets + depth * tree->n_sets;
    u64 now = tree->chosen[depth] | feature, common = tree->allowed[depth];
    bool is_hit = true;
    for (i64 i = 0, length = tree->lengths[depth]; i < length && (is_hit || common); i++) {
        if (sets[i] & feature) continue;
        is_hit = false;
        common &= sets[i];
    }
    if (is_hit) note(tree, now);
    else if (n_left == 1)
        for (; common; common &= common - 1) note(tree, now | lowest_bit(common));
}

/* Whether so many features can hit the first sets of a row, by the features that are in most of them: each choice hits
 * at most as many as it is in now, so that r choices hit at most the sum of the r largest of these counts. */
static bool may_be_hit(const HittingTree *tree, const u64 *sets, i64 length, i64 n_left) {
    i64 *counts = tree->counts, total = 0;
    memset(counts, 0, (size_t)tree->n_features * sizeof(i64));
    for (i64 i = 0; i < length; i++)
        for (u64 rest = sets[i]; rest; rest &= rest - 1) counts[lowest_place(rest)]++;
    for (i64 step = 0; step < n_left && total < length; step++) {
        i64 best = 0;
        for (i64 j = 1; j < tree->n_features; j++)
            if (counts[j] > counts[best]) best = j;
        total += counts[best];
        counts[best] = 0;
    }
    return total >= length;
}

/* Open the node of one more chosen feature, unless nothing is left to choose there. */
static void open_node(const HittingTree *tree, i64 depth, u64 feature, i64 n_left) {
    const u64 *sets = tree->sets + depth * tree->n_sets;
    u64 *below = tree->sets + (depth + 1) * tree->n_sets, left = tree->allowed[depth], smallest = 0;
    i64 before = tree->lengths[depth], length = 0, fewest = WORD + 1;
    for (i64 i = 0; i < before && fewest > 0; i++) {
        if (sets[i] & feature) continue;
        below[length] = sets[i] & left;
        i64 size = count_bits(below[length++]);
        if (size < fewest) fewest = size, smallest = below[length - 1];
    }
    if (length == 0) note(tree, tree->chosen[depth] | feature);
    if (length == 0 || fewest == 0 || !may_be_hit(tree, below, length, n_left)) return;
    tree->lengths[depth + 1] = length;
    tree->allowed[depth + 1] = left;
    tree->to_try[depth + 1] = smallest;
    tree->chosen[depth + 1] = tree->chosen[depth] | feature;
    tree->state[N_CHOSEN] = depth + 1;
}

EXPORT bool pyfsel_hit(const HittingTree *tree, i64 most_work) {
    i64 *state = tree->state;
    for (i64 work = 0; work < most_work && state[N_FOUND] + WORD <= tree->most_found;) {
        i64 depth = state[N_CHOSEN];
        if (depth < 0) return true;
        u64 feature = lowest_bit(tree->to_try[depth]);
        if (!feature) {
            state[N_CHOSEN]--;
            continue;
        }
        tree->to_try[depth] ^= feature;
        tree->allowed[depth] ^= feature;
        i64 n_left = tree->size - depth - 1;
        if (n_left <= 1) complete(tree, depth, feature, n_left);
        else open_node(tree, depth, feature, n_left);
        state[N_NODES]++;
        work += tree->n_features + tree->lengths[depth];
    }
    return state[N_CHOSEN] < 0;
}
