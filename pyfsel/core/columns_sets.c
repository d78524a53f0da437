/* Single sets that are allowed by themselves: what they weigh, and those that weigh enough, by branching. */
#include "columns.h"

/* Of the state of a search: how many features are chosen (−1 at the end), how many sets were found, what a set weighs
 * at least, and a clock that says what of `seen` is of now. */
enum { N_CHOSEN, N_FOUND, THRESHOLD, CLOCK };

#define LOW (-((i64)1 << 60)) /* as `allowed` has it: no limit, or no end */
#define HIGH ((i64)1 << 60)

EXPORT void pyfsel_weigh_sets(
    const int32_t *members, const i64 *rests, const i64 *weight, i64 *weights, i64 m, i64 set_size, i64 n
) {
    (void)n;
    for (i64 s = 0; s < m; s++) {
        i64 total = rests[s];
        for (i64 p = 0; p < set_size; p++) total += weight[members[s * set_size + p]];
        weights[s] = total;
    }
}

EXPORT void pyfsel_charge_pairs(
    const int32_t *members, const i64 *prices, i64 *charges, i64 m, i64 set_size, i64 n
) {
    for (i64 s = 0; s < m; s++) {
        const int32_t *set = members + s * set_size;
        charges[s] = 0;
        for (i64 p = 0; p < set_size; p++)
            for (i64 q = 0; q < p; q++) charges[s] += prices[set[p] * n + set[q]];
    }
}

static void hold(u64 *held, i64 feature) { held[feature / 64] |= (u64)1 << feature % 64; }

/* What a set, as bits, pays for the subsets in the group of a feature. */
static i64 charge(const u64 *held, const GroupedSubsets *subsets, i64 feature) {
    i64 total = 0;
    for (i64 r = subsets->first[feature]; r < subsets->first[feature + 1]; r++) {
        const u64 *subset = subsets->words + r * subsets->n_words;
        bool is_inside = true;
        for (i64 w = 0; w < subsets->n_words && is_inside; w++) is_inside = !(subset[w] & ~held[w]);
        if (is_inside) total += subsets->price[r];
    }
    return total;
}

EXPORT void pyfsel_charge_subsets(
    const int32_t *members, const GroupedSubsets *subsets, u64 *held, i64 *charges, i64 m, i64 set_size, i64 n_words
) {
    for (i64 s = 0; s < m; s++) {
        const int32_t *set = members + s * set_size;
        memset(held, 0, (size_t)n_words * sizeof(u64));
        for (i64 p = 0; p < set_size; p++) hold(held, set[p]);
        charges[s] = 0;
        for (i64 p = 0; p < set_size; p++) charges[s] += charge(held, subsets, set[p]);
    }
}

static int32_t *candidates_at(const SingleSearch *search, i64 depth) { return search->candidates + depth * search->n; }

/* Keep the candidates that are in no previous set which the chosen features share all with that a set may share. */
static i64 keep_those_with_room(const SingleSearch *search, i64 depth, i64 size) {
    int32_t *candidates = candidates_at(search, depth);
    for (i64 p = 0; p < search->n_previous; p++) {
        if (search->shared[depth * search->n_previous + p] < search->max_overlap) continue;
        i64 kept = 0;
        for (i64 i = 0; i < size; i++) {
            candidates[kept] = candidates[i];
            kept += !search->previous[p * search->n + search->feature[candidates[i]]];
        }
        size = kept;
    }
    return size;
}

/* Whether the quality itself is limited, from below or above, besides what a set weighs. */
static bool bounds_quality(const SingleSearch *search) {
    return search->least_quality > LOW || search->most_quality < HIGH;
}

/* Begin with the first of so many candidates, those that no previous set forbids. */
static void begin_node(const SingleSearch *search, i64 depth, i64 size) {
    bool *is_candidate = search->is_candidate + depth * search->n;
    search->sizes[depth] = keep_those_with_room(search, depth, size);
    search->positions[depth] = 0;
    if (!bounds_quality(search)) return;
    memset(is_candidate, 0, (size_t)search->n * sizeof(bool));
    for (i64 i = 0; i < search->sizes[depth]; i++) is_candidate[candidates_at(search, depth)[i]] = true;
}

/* What so many features still to come weigh at most, LOW if there are too few.
 *
 * No set holds two features of one clique of conflicts. So the heaviest feature of each of the `left` cliques whose
 * heaviest ones weigh most, which come first, are at least as heavy as any end; the prices of subsets, which are none or
 * positive, only lower what an end weighs. */
static i64 heaviest_end(const SingleSearch *search, const int32_t *rest, i64 n_rest, i64 left) {
    i64 total = 0, now = ++search->state[CLOCK];
    for (i64 i = 0; i < n_rest; i++) {
        i64 part = search->clique[rest[i]];
        if (search->seen[part] == now) continue;
        search->seen[part] = now;
        total += search->weight[rest[i]];
        if (--left == 0) return total;
    }
    return LOW;
}

/* What so many features still to come are worth at most, or at least: each end is a choice of them, and those that come
 * first in the order of quality from one side are worth as much. */
static i64 extreme_quality(const SingleSearch *search, i64 depth, i64 first, i64 left, bool is_best) {
    const bool *is_candidate = search->is_candidate + depth * search->n;
    i64 total = 0, n = search->n;
    for (i64 i = 0; i < n && left > 0; i++) {
        i64 place = search->best_first[is_best ? i : n - 1 - i];
        if (!is_candidate[place] || place < first) continue;
        total += search->quality[place];
        left--;
    }
    return total;
}

/* Whether no end of the chosen features weighs enough and is worth what is asked. */
static bool is_hopeless(const SingleSearch *search, i64 depth) {
    i64 position = search->positions[depth], n_rest = search->sizes[depth] - position, left = search->k - depth;
    if (n_rest < left) return true;
    const int32_t *rest = candidates_at(search, depth) + position;
    if (search->weights[depth] + heaviest_end(search, rest, n_rest, left) < search->state[THRESHOLD]) return true;
    i64 quality = search->qualities[depth];
    if (search->least_quality > LOW && quality + extreme_quality(search, depth, rest[0], left, true) < search->least_quality)
        return true;
    return search->most_quality < HIGH &&
           quality + extreme_quality(search, depth, rest[0], left, false) > search->most_quality;
}

/* Note the chosen features as a set, if it weighs enough and is worth what is asked. */
static void finish_set(const SingleSearch *search, i64 weight, i64 quality) {
    i64 *state = search->state;
    if (weight < state[THRESHOLD] || quality < search->least_quality || quality > search->most_quality) return;
    i64 row = state[N_FOUND]++ % search->most;
    memcpy(search->found + row * search->k, search->chosen, (size_t)search->k * sizeof(int32_t));
    if (search->improve) state[THRESHOLD] = weight + 1;
}

/* Choose the next candidate; what a beginning holds is paid for at once. */
static void choose(const SingleSearch *search, i64 depth) {
    i64 place = candidates_at(search, depth)[search->positions[depth]++], feature = search->feature[place];
    i64 n_words = search->n_words, below = depth + 1;
    u64 *held = search->held + below * n_words;
    memcpy(held, held - n_words, (size_t)n_words * sizeof(u64));
    hold(held, feature);
    search->chosen[depth] = (int32_t)feature;
    search->weights[below] = search->weights[depth] + search->weight[place] - charge(held, search->subsets, feature);
    search->qualities[below] = search->qualities[depth] + search->quality[place];
    if (below == search->k) {
        finish_set(search, search->weights[below], search->qualities[below]);
        return;
    }
    i64 *shared = search->shared + below * search->n_previous;
    for (i64 p = 0; p < search->n_previous; p++)
        shared[p] = shared[p - search->n_previous] + search->previous[p * search->n + feature];
    const bool *together = search->together + feature * search->n;
    i64 size = 0;
    for (i64 i = search->positions[depth]; i < search->sizes[depth]; i++) {
        i64 other = candidates_at(search, depth)[i];
        candidates_at(search, below)[size] = (int32_t)other;
        size += together[search->feature[other]];
    }
    begin_node(search, below, size);
    search->state[N_CHOSEN] = below;
}

EXPORT void pyfsel_begin_sets(const SingleSearch *search) {
    for (i64 place = 0; place < search->n; place++) candidates_at(search, 0)[place] = (int32_t)place;
    begin_node(search, 0, search->n);
}

EXPORT bool pyfsel_find_sets(const SingleSearch *search, i64 most_work) {
    /* looks at a feature at a node: at the ends once by weight, and once each by the best and the least quality */
    i64 *state = search->state, cost = search->n * (bounds_quality(search) ? 3 : 1);
    for (i64 work = 0; work < most_work && state[N_CHOSEN] >= 0; work += cost) {
        if (state[N_FOUND] == search->most && !search->improve) return false;
        if (is_hopeless(search, state[N_CHOSEN])) state[N_CHOSEN]--;
        else choose(search, state[N_CHOSEN]);
    }
    return state[N_CHOSEN] < 0;
}
