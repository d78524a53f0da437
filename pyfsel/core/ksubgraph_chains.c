/* Heavy chains: partial sets T are extended depth first, and only by features that are left. The idea and the three
 * bounds (on chains, completions and orders) are in `pyfsel/algorithms/ksubgraph/__init__.py`. T has m features and
 * the weight W(T); the degree of a feature in T is the sum of its pairs with the others; t is a feature of T with the
 * least degree, after another one was added.
 *
 * The search is resumable: it returns whenever so much work is done, or it has found so many sets. */
#include "ksubgraph.h"

enum { DEPTH, TARGET, NODES, WORK, FIRST, NEXT, FOUND }; /* of the state */
enum { COUNT, POSITION, WEIGHT, HEADS, NEAR, PER_NODE }; /* of a node */
enum { TESTS, LEFT_OUT, PER_ORDER };                     /* of what the bound on orders did */
enum { PAIR = 2 };                                       /* features */

/* The bound on orders costs a pass over the candidates, as the next bound does: so many tests show whether at least
 * every fourth saves that one. */
static const i64 FIRST_TESTS = 1000;
static const double LEAST_LEFT_OUT = 0.25;

/* The open partial set T of m features, and what it carries along. */
typedef struct {
    i64 *node;
    i64 *degrees;
    i64 *overlap;
    uint32_t *candidates;
    i64 *sums;
    uint32_t *heads;
    i64 *head_sums;
    uint32_t *near;
    i64 *near_sums;
} Open;

/* Where the arrays of all depths hold those of m features. */
static Open open_at(const Chains *c, i64 m) {
    i64 start = m * c->n;
    return (Open){
        .node = c->node + m * PER_NODE,
        .degrees = c->degrees + m * c->k,
        .overlap = c->overlap + m * c->n_previous,
        .candidates = c->candidates + start,
        .sums = c->sums + start,
        .heads = c->heads + start,
        .head_sums = c->head_sums + start,
        .near = c->near + start,
        .near_sums = c->near_sums + start,
    };
}

static void fill(i64 *values, i64 size, i64 value) {
    for (i64 i = 0; i < size; i++) values[i] = value;
}

/* Write the largest values into `top`, of each part no more than there is room for: with limits on disjoint parts
 * (a partition matroid) the greedy choice is the best one. `features` are the numbers of the values, all features in
 * order where it is NULL. */
static void write_highest_of_parts(
    const Pairs *pairs, const uint32_t *features, const i64 *values, i64 count, const i64 *room, i64 *of_parts, i64 *top,
    i64 missing
) {
    i64 n_parts = pairs->n_limiting + 1;
    fill(of_parts, n_parts * missing, top[0]);
    for (i64 place = 0; place < count; place++) {
        i64 part = pairs->part[features ? features[place] : place];
        insert(of_parts + part * missing, room[part], values[place]);
    }
    for (i64 part = 0; part < n_parts; part++)
        for (i64 i = 0; i < room[part]; i++) insert(top, missing, of_parts[part * missing + i]);
}

/* The same for the candidates of T beside a feature that comes next; the values of those that previous sets leave no
 * room for become FAR. */
static void write_highest_with_limits(const Chains *c, const Pairs *pairs, i64 m, i64 missing) {
    Open at = open_at(c, m);
    const i64 *overlap = open_at(c, m + 1).overlap;
    for (i64 place = 0; place < at.node[COUNT]; place++)
        if (!has_room(pairs, overlap, at.candidates[place])) c->values[place] = FAR;
    write_room(pairs, overlap, missing, c->room);
    write_highest_of_parts(
        pairs, at.candidates, c->values, at.node[COUNT], c->room, c->top_of_parts, c->top, missing
    );
}

/* The bound on orders from one t of T and a feature, given the weight of both and the degree of t in them.
 *
 * The i-th feature that follows adds at most the mean weight of a feature, 2W / (m + i − 2) in a set of weight W, and
 * at most what t has with the others then. The bound is what W reaches; `least` is the least weight of a pair of t
 * with one that such a set of the target's weight holds besides: it takes the place of the least pair in the last step. */
typedef struct {
    i64 bound;
    i64 least;
} ByOrder;

static ByOrder bound_on_orders(
    const Chains *c, i64 m, i64 feature, i64 weight, i64 degree, const i64 *pairs_of_t, i64 missing
) {
    Open at = open_at(c, m);
    i64 *top = c->top, before = weight, reached = weight;
    c->state[WORK] += at.node[COUNT];
    fill(top, missing, FAR);
    for (i64 place = 0; place < at.node[COUNT]; place++) {
        i64 j = at.candidates[place];
        if (pairs_of_t[j] > top[0] && j != feature) insert(top, missing, pairs_of_t[j]);
    }
    if (top[0] == FAR) return (ByOrder){LOW, LOW};
    for (i64 step = 0; step < missing; step++) {
        i64 mean = floor_divide(2 * reached, m + step);
        before = reached;
        degree += top[missing - 1 - step];
        reached += min_of(mean, degree);
    }
    return (ByOrder){reached, c->state[TARGET] - before - degree + top[0]};
}

/* Write T and a feature as the partial set of m + 1 features, without its candidates. Return the place in it of the
 * weakest feature, the first of several. */
static i64 append(const Chains *c, const Pairs *pairs, i64 m, i64 feature, i64 own) {
    Open at = open_at(c, m), longer = open_at(c, m + 1);
    const i64 *weights = pairs->weights + feature * pairs->n;
    i64 weakest = 0;
    for (i64 place = 0; place < m; place++) longer.degrees[place] = at.degrees[place] + weights[c->chosen[place]];
    longer.degrees[m] = own;
    longer.node[WEIGHT] = at.node[WEIGHT] + own;
    c->chosen[m] = feature;
    for (i64 p = 0; p < c->n_previous; p++)
        longer.overlap[p] = at.overlap[p] + pairs->previous[p * pairs->n + feature];
    for (i64 place = 1; place <= m; place++)
        if (longer.degrees[place] < longer.degrees[weakest]) weakest = place;
    return weakest;
}

/* Keep the candidates of T that are worth so much beside the feature that came last. */
static void keep_candidates(const Chains *c, i64 m, i64 least) {
    Open at = open_at(c, m), longer = open_at(c, m + 1);
    i64 kept = 0;
    for (i64 place = 0; place < at.node[COUNT]; place++) {
        longer.candidates[kept] = at.candidates[place];
        longer.sums[kept] = longer.sums[place];
        kept += c->values[place] >= least;
    }
    longer.node[COUNT] = kept;
}

/* The bound on completions of T and the feature that came last: the largest of what candidates add. Those whose pair
 * with t is below the least one are none. Keep the candidates where the target can be reached. */
static i64 bound_on_completions(
    const Chains *c, const Pairs *pairs, i64 m, i64 feature, const i64 *pairs_of_t, i64 least_pair, i64 missing
) {
    Open at = open_at(c, m), longer = open_at(c, m + 1);
    const i64 *weights = pairs->weights + feature * pairs->n, *most = c->reach + missing * c->n;
    i64 *restrict values = c->values, *restrict new_sums = longer.sums, *top = c->top, count = at.node[COUNT];
    c->state[WORK] += count;
    for (i64 place = 0; place < count; place++) {
        i64 j = at.candidates[place];
        new_sums[place] = at.sums[place] + weights[j];
        values[place] = pairs_of_t[j] < least_pair ? FAR : new_sums[place] + most[j];
    }
    fill(top, missing, FAR);
    if (pairs->n_limiting > 0) {
        write_highest_with_limits(c, pairs, m, missing);
    } else {
        for (i64 place = 0; place < count; place++)
            if (values[place] > top[0]) insert(top, missing, values[place]);
    }
    if (top[0] == FAR) return LOW;
    i64 bound = longer.node[WEIGHT];
    for (i64 i = 0; i < missing; i++) bound += top[i];
    if (bound >= c->state[TARGET]) keep_candidates(c, m, max_of(FAR + 1, c->state[TARGET] - bound + top[0]));
    return bound;
}

/* Write the partial set of m + 1 features that one of weight `own` with T makes, and its candidates. Return the bound
 * on the sets in whose chains it is, LOW if there are none. The bound on orders is asked for at first, and as long as
 * it leaves out enough. */
static i64 add(const Chains *c, const Pairs *pairs, i64 m, i64 feature, i64 own) {
    i64 missing = c->k - m - 1, t = append(c, pairs, m, feature, own), *orders = c->orders + (m + 1) * PER_ORDER;
    const i64 *pairs_of_t = pairs->weights + c->chosen[t] * pairs->n;
    Open longer = open_at(c, m + 1);
    ByOrder by_order = {-LOW, LOW};
    if (orders[TESTS] < FIRST_TESTS || (double)orders[LEFT_OUT] >= LEAST_LEFT_OUT * (double)orders[TESTS]) {
        by_order = bound_on_orders(c, m, feature, longer.node[WEIGHT], longer.degrees[t], pairs_of_t, missing);
        orders[TESTS]++;
        if (by_order.bound < c->state[TARGET]) {
            orders[LEFT_OUT]++;
            return by_order.bound;
        }
    }
    return min_of(bound_on_completions(c, pairs, m, feature, pairs_of_t, by_order.least, missing), by_order.bound);
}

/* Return whether j, of weight `sum` with T, is the weakest of T, a feature of weight `own` with T, and itself; of
 * several weakest ones it is the one of the largest number. */
static bool comes_next(const Chains *c, const Pairs *pairs, i64 m, i64 feature, i64 own, i64 j, i64 sum) {
    const i64 *weights = pairs->weights + feature * pairs->n, *degrees = open_at(c, m).degrees;
    i64 degree = sum + weights[j];
    bool is_next = sum < own || feature < j;
    for (i64 place = 0; place < m; place++) {
        i64 other = c->chosen[place], with_both = degrees[place] + weights[other] + pairs->weights[j * pairs->n + other];
        is_next &= with_both > degree || (with_both == degree && other < j);
    }
    return is_next;
}

/* Return whether one of some features, whose weights with T are `sums`, extends T and a feature of weight `own` to a
 * heavy partial set. The next one, the weakest of all, shares a pair with the feature, so that it has at most its weight
 * with T: those of more are passed over. */
static bool has_child(
    const Chains *c, const Pairs *pairs, i64 m, i64 feature, i64 own, const uint32_t *features, const i64 *sums, i64 count
) {
    const i64 *weights = pairs->weights + feature * pairs->n, *most = pairs->most;
    i64 least = c->needed[m + 2] - open_at(c, m).node[WEIGHT] - own, far = least - most[feature];
    c->state[WORK] += count;
    for (i64 place = 0; place < count; place++) {
        i64 j = features[place];
        if (sums[place] > own || sums[place] + most[j] < far || sums[place] + weights[j] < least) continue;
        if (comes_next(c, pairs, m, feature, own, j, sums[place])) return true;
    }
    return false;
}

/* Return whether a feature is the weakest of T and itself, of several ones that of the largest number. */
static bool is_weakest(const Chains *c, const Pairs *pairs, i64 m, i64 feature, i64 own) {
    const i64 *weights = pairs->weights + feature * pairs->n, *degrees = open_at(c, m).degrees;
    for (i64 place = 0; place < m; place++) {
        i64 other = c->chosen[place], degree = degrees[place] + weights[other];
        if (degree < own || (degree == own && other > feature)) return false;
    }
    return true;
}

/* Write the features that extend T to heavy partial sets, and those that can follow one of them: they have no more
 * weight with T than the heaviest of these, and enough to reach what is needed with the one that reaches farthest. */
static void open_partial_set(const Chains *c, const Pairs *pairs, i64 m) {
    Open at = open_at(c, m);
    const i64 *most = pairs->most;
    i64 least = c->needed[m + 1] - at.node[WEIGHT], n_heads = 0, n_near = 0, highest = FAR, farthest = FAR;
    c->state[WORK] += at.node[COUNT];
    for (i64 place = 0; place < at.node[COUNT]; place++) {
        i64 j = at.candidates[place], own = at.sums[place];
        if (own < least || !is_weakest(c, pairs, m, j, own)) continue;
        at.heads[n_heads] = at.candidates[place];
        at.head_sums[n_heads++] = own;
        highest = max_of(highest, own);
        farthest = max_of(farthest, own + most[j]);
    }
    at.node[HEADS] = n_heads;
    at.node[POSITION] = at.node[NEAR] = 0;
    if (n_heads == 0 || m + 2 > c->k) return;
    least = c->needed[m + 2] - at.node[WEIGHT] - farthest;
    for (i64 place = 0; place < at.node[COUNT]; place++) {
        at.near[n_near] = at.candidates[place];
        at.near_sums[n_near] = at.sums[place];
        n_near += at.sums[place] <= highest && at.sums[place] + most[at.candidates[place]] >= least;
    }
    at.node[NEAR] = n_near;
}

/* Make one feature the open partial set. */
static void open_single(const Chains *c, const Pairs *pairs, i64 feature) {
    i64 n = c->n, count = 0;
    Open at = open_at(c, 1);
    const i64 *weights = pairs->weights + feature * n;
    const bool *apart = pairs->apart + feature * n;
    c->state[FIRST] = c->chosen[0] = feature;
    at.degrees[0] = at.node[WEIGHT] = 0;
    for (i64 p = 0; p < c->n_previous; p++) at.overlap[p] = pairs->previous[p * n + feature];
    for (i64 j = 0; j < n; j++) {
        at.candidates[count] = (uint32_t)j;
        at.sums[count] = weights[j];
        count += !apart[j];
    }
    at.node[COUNT] = count;
}

/* Write the partial set of a pair; return a bound on the sets in whose chain it is. */
static i64 take_up(const Chains *c, const Pairs *pairs, i64 first, i64 feature) {
    i64 own = pairs->weights[first * c->n + feature];
    if (c->state[FIRST] != first) open_single(c, pairs, first);
    Open at = open_at(c, 1);
    c->state[NODES]++;
    if (!has_child(c, pairs, 1, feature, own, at.candidates, at.sums, at.node[COUNT])) return LOW;
    return add(c, pairs, 1, feature, own);
}

/* Note the set of T and a feature. */
static void note_set(const Chains *c, i64 m, i64 feature, i64 own) {
    i64 found = c->state[FOUND]++;
    c->chosen[m] = feature;
    memcpy(c->sets + found * c->k, c->chosen, (size_t)c->k * sizeof(i64));
    c->weights[found] = own + open_at(c, m).node[WEIGHT];
}

/* Go on with the next head of T, or one feature up where there is none. */
static void step(const Chains *c, const Pairs *pairs, i64 m) {
    Open at = open_at(c, m);
    if (at.node[POSITION] == at.node[HEADS]) {
        c->state[DEPTH]--;
        return;
    }
    i64 place = at.node[POSITION]++, feature = at.heads[place], own = at.head_sums[place];
    if (own + at.node[WEIGHT] < c->needed[m + 1]) return;
    if (m + 1 == c->k) {
        note_set(c, m, feature, own);
        return;
    }
    c->state[NODES]++;
    if (!has_child(c, pairs, m, feature, own, at.near, at.near_sums, at.node[NEAR])) return;
    if (add(c, pairs, m, feature, own) < c->state[TARGET]) return;
    c->state[DEPTH] = m + 1;
    open_partial_set(c, pairs, m + 1);
}

EXPORT void pyfsel_extend_chains(
    const Chains *c, const Pairs *pairs, const i64 *firsts, const i64 *features, i64 work, i64 n_pairs
) {
    i64 *state = c->state, enough = state[WORK] + work;
    while (state[WORK] < enough && state[FOUND] < c->most) {
        if (state[DEPTH] >= PAIR) {
            step(c, pairs, state[DEPTH]);
            continue;
        }
        if (state[NEXT] == n_pairs) {
            state[DEPTH] = -1;
            return;
        }
        i64 pair = state[NEXT]++;
        if (take_up(c, pairs, firsts[pair], features[pair]) < state[TARGET]) continue;
        state[DEPTH] = PAIR;
        open_partial_set(c, pairs, PAIR);
    }
}
