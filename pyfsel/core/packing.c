/* Compatible sets in a pool that is sorted by decreasing weight, depth first, with bounds by counting.
 *
 * Two sets are compatible if they share few enough features. Every depth keeps the list of the members that are
 * compatible with all sets chosen so far. Searches return after some work, and go on from there. */
#include "packing.h"

/* Of the state: how many sets are chosen (−1 between searches), the pool member that comes first, the best sum. */
enum { DEPTH, FIRST, BEST };

/* In place of a bound where there is no room for so many sets: below every sum of values. */
#define NO_MORE (-((i64)1 << 60))

/* Write what is left for further sets after one more is chosen. */
static void use_features(const SortedPool *pool, const Descent *descent, i64 depth, i64 candidate) {
    i64 n = descent->n, inside = 0;
    const int32_t *ranks = pool->ranks + candidate * pool->k;
    const i64 *free = descent->free + depth * n, *uses = descent->uses + depth * n;
    i64 *free_after = descent->free + (depth + 1) * n, *uses_after = descent->uses + (depth + 1) * n;
    for (i64 t = 0; t < n; t++) {
        bool is_held = inside < pool->k && ranks[inside] == t;
        inside += is_held;
        uses_after[t] = uses[t] + is_held;
        free_after[t] = free[t] - pool->counting->subsets[inside];
    }
}

/* An upper bound on the sum of the values of so many more compatible sets.
 *
 * No two sets hold the same max_shared + 1 features. Spread evenly over the sets, their uses of the t + 1 best features
 * need the fewest such subsets of these; at most the free ones can be had, of which there are more for each larger t. */
static i64 prefix_bound(const Counting *counting, const i64 *free, i64 more) {
    const i64 *subsets = counting->subsets;
    i64 total = 0, before = 0, each = 0;
    for (i64 t = 0; t < counting->n; t++) {
        i64 most = min_of(counting->k, t + 1);
        while (each < most && more * subsets[each + 1] <= free[t]) each++;
        i64 uses = more * each;
        if (each < most) uses += (free[t] - more * subsets[each]) / (subsets[each + 1] - subsets[each]);
        total += counting->quality[t] * (uses - before);
        before = uses;
    }
    return before < more * counting->k ? NO_MORE : total;
}

/* An upper bound on the sum of the values of so many more sets beside the chosen ones.
 *
 * A further use of a feature that c sets hold adds c to the sum of all pairwise overlaps, which may grow by max_shared
 * for every new pair of sets. Each unit of it is sold at a price μ ≥ 0 (a Lagrange multiplier, any of which gives a
 * valid bound); then the uses that gain most, q_j − μ·c, are taken one by one. */
static i64 pair_bound(const Counting *counting, const i64 *uses, i64 *added, i64 chosen, i64 more) {
    i64 n = counting->n, price = counting->price;
    i64 new_pairs = more * chosen + more * (more - 1) / 2, total = price * counting->max_shared * new_pairs;
    memset(added, 0, (size_t)n * sizeof(i64));
    for (i64 left = more * counting->k; left > 0; left--) {
        i64 best = -1, best_gain = 0;
        for (i64 j = 0; j < n; j++) {
            if (added[j] == more) continue;
            i64 uses_so_far = uses[j] + added[j], gain = counting->quality[j] - price * uses_so_far;
            if (best < 0 || gain > best_gain) best = j, best_gain = gain;
            if (uses_so_far == 0) break; /* no later feature, which has at most this quality, gains more */
        }
        total += best_gain;
        added[best]++;
    }
    return total;
}

/* Whether the sets to come beside the chosen ones and a candidate cannot sum up to what is wanted of them. */
static bool is_ruled_out(const SortedPool *pool, const Descent *descent, i64 depth, i64 candidate, i64 wanted) {
    i64 n = descent->n, more = descent->n_sets - depth - 1;
    if (n == 0) return false; /* the values are no sums of qualities */
    use_features(pool, descent, depth, candidate);
    i64 *rest = descent->rest + depth + 1;
    *rest = prefix_bound(pool->counting, descent->free + (depth + 1) * n, more);
    if (*rest < wanted) return true;
    i64 by_pairs = pair_bound(pool->counting, descent->uses + (depth + 1) * n, descent->added, depth + 1, more);
    *rest = min_of(*rest, by_pairs);
    return *rest < wanted;
}

/* What the bounds of a node cost, in looks at a set: some four passes over the features. */
static i64 work_of_bounds(const Descent *descent) { return 1 + 4 * descent->n; }

/* Choose a candidate, and list what is compatible with it of part of a list; return how many sets were looked at. */
static i64 choose(const SortedPool *pool, const Descent *descent, i64 candidate, i64 first, i64 end) {
    i64 depth = descent->state[DEPTH], n_words = pool->n_words, kept = 0;
    const int32_t *list = descent->lists + depth * descent->m;
    int32_t *compatible = descent->lists + (depth + 1) * descent->m;
    const u64 *own = pool->words + candidate * n_words;
    for (i64 place = first; place < end; place++) {
        const u64 *other = pool->words + list[place] * n_words;
        i64 shared = 0;
        for (i64 w = 0; w < n_words; w++) shared += count_bits(own[w] & other[w]);
        compatible[kept] = list[place];
        kept += shared <= pool->counting->max_shared;
    }
    descent->sums[depth + 1] = descent->sums[depth] + pool->values[candidate];
    descent->left[depth + 1] = descent->left[depth] - pool->paid[candidate];
    descent->rest[depth + 1] += descent->left[depth + 1];
    descent->sizes[depth + 1] = kept;
    descent->positions[depth + 1] = 0;
    descent->state[DEPTH] = depth + 1;
    return max_of(0, end - first) * n_words;
}

/* Begin with pool members of which one has to come first: those from one place to before another. */
static void begin(const Descent *descent, i64 first, i64 end) {
    descent->state[DEPTH] = 0;
    descent->positions[0] = first;
    descent->sizes[0] = descent->ends[0] = end;
}

/* Whether the list of the present depth has too few members left, by their number alone. */
static bool is_exhausted(const Descent *descent) {
    i64 depth = descent->state[DEPTH], position = descent->positions[depth], size = descent->sizes[depth];
    return position == size || (depth > 0 && position + descent->n_sets - depth > size);
}

/* An upper bound on the sum of these many sets from a member of a list on: by the heaviest ones, which are in front,
 * and by the best sums of fewer sets. */
static i64 bound_from(const SortedPool *pool, const Descent *descent, i64 depth, const int32_t *next) {
    i64 left = descent->n_sets - depth, by_list = 0;
    for (i64 step = 0; step < left; step++) by_list += pool->weights[next[step]];
    if (pool->is_priced) return descent->sums[depth] + by_list + descent->rest[depth];
    return descent->sums[depth] + min_of(by_list, pool->values[next[0]] + descent->best_sums[left - 1]);
}

/* Go back, or try the next member of a list: note a better sum, or go on beside it. Return how much work that was. */
static i64 step_to_better_sum(const SortedPool *pool, const Descent *descent) {
    i64 *state = descent->state, depth = state[DEPTH], position = descent->positions[depth];
    const int32_t *next = descent->lists + depth * descent->m + position;
    if (is_exhausted(descent) || (depth > 0 && bound_from(pool, descent, depth, next) <= state[BEST])) {
        state[DEPTH]--;
        return 1;
    }
    i64 candidate = next[0], sum = descent->sums[depth] + pool->values[candidate];
    descent->positions[depth]++;
    descent->chosen[depth] = (int32_t)candidate;
    if (depth + 1 == descent->n_sets) {
        if (sum > state[BEST]) {
            state[BEST] = sum;
            memcpy(descent->found, descent->chosen, (size_t)descent->n_sets * sizeof(int32_t));
        }
        if (!pool->is_priced) state[DEPTH]--; /* the later ones are worth no more */
        return 1;
    }
    i64 wanted = pool->is_priced ? NO_MORE : state[BEST] - sum + 1; /* priced sets also have weights */
    if (is_ruled_out(pool, descent, depth, candidate, wanted)) return work_of_bounds(descent);
    i64 end = depth == 0 ? descent->m : descent->sizes[depth];
    return work_of_bounds(descent) + choose(pool, descent, candidate, position + 1, end);
}

EXPORT bool pyfsel_search_best_sum(const SortedPool *pool, const Descent *descent, i64 most_work) {
    i64 *state = descent->state;
    for (i64 work = 0; work < most_work;) {
        if (state[DEPTH] < 0) {
            if (state[FIRST] + descent->n_sets > descent->m) return true;
            if (bound_from(pool, descent, 0, descent->lists + state[FIRST]) <= state[BEST]) return true;
            begin(descent, state[FIRST], state[FIRST] + 1);
        }
        work += step_to_better_sum(pool, descent);
        state[FIRST] += state[DEPTH] < 0;
    }
    return false;
}

/* The first place of part of a list whose member is worth at most so much. */
static i64 first_at_most(const SortedPool *pool, const int32_t *list, i64 first, i64 end, i64 highest) {
    while (first < end) {
        i64 middle = first + (end - first) / 2;
        if (pool->values[list[middle]] > highest) first = middle + 1;
        else end = middle;
    }
    return first;
}

/* Put the members of a list in front one of which is in every solution; return their number.
 *
 * Sets to come can use a feature as often as members hold it, and once if nothing may be shared. What these uses and
 * pairs of features bring in at most, beyond the least that each set pays, is slack: features that bring in more than
 * that cannot all be left out. Those that few members hold for what they bring in make the fewest members. */
static i64 put_needed_first(const SortedPool *pool, const Descent *descent, i64 depth, i64 least) {
    i64 size = descent->sizes[depth], left = descent->n_sets - depth, *counts = descent->counts, n = descent->n;
    i64 max_shared = pool->counting->max_shared, most = max_shared > 0 ? left : 1, k = pool->k, needed = 0, others = 0;
    i64 price = pool->counting->price, new_pairs = left * depth + left * (left - 1) / 2, *gains = descent->added;
    i64 slack = descent->left[depth] + price * max_shared * new_pairs - left * least;
    int32_t *list = descent->lists + depth * descent->m, *later = descent->lists + (depth + 1) * descent->m;
    memset(counts, 0, (size_t)n * sizeof(i64));
    memset(gains, 0, (size_t)n * sizeof(i64));
    for (i64 place = 0; place < size; place++)
        for (i64 i = 0; i < k; i++) counts[pool->ranks[list[place] * k + i]]++;
    for (i64 t = 0; t < n; slack += gains[t++])
        for (i64 use = 0, before = descent->uses[depth * n + t]; use < min_of(counts[t], most); use++)
            gains[t] += max_of(0, pool->counting->quality[t] - price * (before + use));
    while (slack >= 0) {
        i64 best = 0;
        for (i64 t = 1; t < n; t++)
            if ((double)gains[t] * (double)max_of(1, counts[best]) > (double)gains[best] * (double)counts[t]) best = t;
        if (gains[best] <= 0) return size;
        slack -= gains[best];
        gains[best] = -1; /* it is needed */
    }
    for (i64 place = 0; place < size; place++) {
        i64 i = 0;
        while (i < k && gains[pool->ranks[list[place] * k + i]] >= 0) i++;
        if (i < k) list[needed++] = list[place];
        else later[others++] = list[place];
    }
    memcpy(list + needed, later, (size_t)others * sizeof(int32_t));
    return needed;
}

/* Go back, or choose the next member of a list; the state's DEPTH is the number of sets in a solution then. Return how
 * much work that was.
 *
 * All sets sum up to at most highest_sum and none is worth less than the least, so that none can be much better either.
 * If pool member FIRST is to be the worst set, lists are as the pool, and the others come from before it. */
static i64 step_to_completion(const SortedPool *pool, const Descent *descent, i64 least, i64 highest_sum, bool is_any) {
    i64 *state = descent->state, depth = state[DEPTH], position = descent->positions[depth];
    i64 more = descent->n_sets - depth - 1;
    const int32_t *list = descent->lists + depth * descent->m;
    if (is_exhausted(descent) || position == descent->ends[depth]) {
        state[DEPTH]--;
        return 1;
    }
    i64 candidate = list[position], wanted = more * least - descent->left[depth] + pool->paid[candidate];
    descent->positions[depth]++;
    descent->chosen[depth] = (int32_t)candidate;
    if (more == 0) {
        state[DEPTH] = descent->n_sets;
        return 1;
    }
    if (is_ruled_out(pool, descent, depth, candidate, wanted)) return work_of_bounds(descent);
    bool is_worst = depth == 0 && !is_any;
    i64 first = is_worst ? 0 : position + 1, end = is_worst ? candidate : descent->sizes[depth];
    i64 highest = highest_sum - descent->sums[depth] - pool->values[candidate] - (more - 1) * least;
    if (!is_any) first = first_at_most(pool, list, first, end, highest);
    i64 work = work_of_bounds(descent) + choose(pool, descent, candidate, first, end), size = descent->sizes[depth + 1];
    descent->ends[depth + 1] = is_any && more > 1 ? put_needed_first(pool, descent, depth + 1, least) : size;
    return is_any ? work + descent->n + 2 * pool->k * size : work;
}

EXPORT bool pyfsel_search_best_worst(const SortedPool *pool, const Descent *descent, i64 highest_sum, i64 most_work) {
    i64 *state = descent->state, n_sets = descent->n_sets;
    for (i64 work = 0; work < most_work;) {
        if (state[DEPTH] < 0 && state[FIRST] == pool->m) return true;
        i64 least = pool->values[state[FIRST]];
        if (state[DEPTH] < 0 && n_sets * least <= highest_sum) begin(descent, state[FIRST], state[FIRST] + 1);
        work += state[DEPTH] < 0 ? 1 : step_to_completion(pool, descent, least, highest_sum, false);
        if (state[DEPTH] == n_sets) return true;
        state[FIRST] += state[DEPTH] < 0;
    }
    return false;
}

EXPORT bool pyfsel_search_compatible(const SortedPool *pool, const Descent *descent, i64 least, i64 most_work) {
    i64 *state = descent->state;
    if (state[FIRST]++ == 0) { /* it counts the calls */
        begin(descent, 0, descent->m);
        descent->ends[0] = put_needed_first(pool, descent, 0, least);
    }
    for (i64 work = 0; work < most_work && state[DEPTH] >= 0 && state[DEPTH] < descent->n_sets;)
        work += step_to_completion(pool, descent, least, -NO_MORE, true);
    return state[DEPTH] < 0 || state[DEPTH] == descent->n_sets;
}
