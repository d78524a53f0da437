/* Branch and bound by a concave function above the weights. The search is resumable: it returns whenever some work is
 * done; a unit of work is about a nanosecond.
 *
 * At a node, T is the set of the features that were taken, and r how many are missing; g_j is what feature j adds to the
 * weight of T, H the matrix of the concave function, x the point at which its tangent is taken, and R a chain of
 * features among those that are missing.
 *
 * What a node holds of each feature is by its place in a block: the features that were left at the node or at one above
 * it, with their part of H. */
#include "ksubgraph.h"

enum { DEPTH, TARGET, NODES, WORK, FOUND, FOUND_WEIGHT, ROUNDS }; /* of the state */
enum { COUNT, TAKEN, WEIGHT, BRANCHED, BLOCK, PER_NODE };       /* of a node */
/* Chains of up to so many missing features, as long as they take less work than so many passes over the pairs: beyond
 * either, by trial, bounding again pays more. */
enum { PAIR = 2, MOST_BY_CHAINS = 4, WORK_BY_CHAINS = 7 };

static const double SHARE_FOR_BLOCK = 0.5; /* as in `relaxation`, which makes room for the blocks by it */
static const double SHARE_TO_BRANCH = 0.7; /* where less is left of the candidates, bounding again pays more */

/* An open node: T, what is left, and the block that it is by. */
typedef struct {
    i64 *node;
    i64 *chosen;
    i64 *sums;
    double *point;
    i64 *overlap;
    i64 *features;
    double *curvature;
    i64 size;
} Node;

/* Where the arrays of all depths hold those of a node; several nodes may share a block. */
static Node node_at(const Tree *t, i64 depth) {
    i64 *node = t->node + depth * PER_NODE, block = node[BLOCK];
    return (Node){
        .node = node,
        .chosen = t->chosen + depth * t->k,
        .sums = t->sums + depth * t->n,
        .point = t->point + depth * t->n,
        .overlap = t->overlap + depth * t->n_previous,
        .features = t->features + block * t->n,
        .curvature = t->curvature + t->blocks[2 * block + 1],
        .size = t->blocks[2 * block],
    };
}

/* The first place of the largest value. */
static i64 place_of_largest(const i64 *values, i64 size) {
    i64 best = 0;
    for (i64 j = 1; j < size; j++)
        if (values[j] > values[best]) best = j;
    return best;
}

/* Give a node a block of the features that are left there, after that which it had. */
static void begin_block(const Tree *t, i64 depth) {
    Node before = node_at(t, depth);
    i64 block = ++before.node[BLOCK], count = 0, *places = t->some;
    t->blocks[2 * block] = before.node[COUNT];
    t->blocks[2 * block + 1] = t->blocks[2 * block - 1] + before.size * before.size;
    Node after = node_at(t, depth);
    for (i64 i = 0; i < before.size; i++)
        if (before.sums[i] > FAR) places[count++] = i;
    for (i64 i = 0; i < count; i++) {
        after.features[i] = before.features[places[i]];
        after.sums[i] = before.sums[places[i]];
        after.point[i] = before.point[places[i]];
        for (i64 j = 0; j < count; j++)
            after.curvature[i * count + j] = before.curvature[places[i] * before.size + places[j]];
    }
    t->state[WORK] += count * count;
}

/* Go on at a node without a feature. */
static void leave_out(const Node *at, i64 place) {
    at->sums[place] = LOW;
    at->point[place] = 0;
    at->node[COUNT]--;
}

/* Add a feature to T at a node, and leave out the candidates that cannot come with it. */
static void take(const Node *at, const Pairs *pairs, i64 place) {
    i64 taken = at->features[place];
    at->chosen[at->node[TAKEN]++] = taken;
    at->node[WEIGHT] += at->sums[place];
    for (i64 p = 0; p < pairs->n_previous; p++) at->overlap[p] += pairs->previous[p * pairs->n + taken];
    for (i64 i = 0; i < at->size; i++) {
        i64 j = at->features[i];
        if (at->sums[i] <= FAR) continue;
        if (pairs->apart[taken * pairs->n + j] || !has_room(pairs, at->overlap, j)) leave_out(at, i);
        else at->sums[i] += pairs->weights[taken * pairs->n + j];
    }
}

/* Return what features, given by their places, add to the weight of T; LOW if two of them cannot be in one set. */
static i64 weight_added(const Node *at, const Pairs *pairs, const i64 *added, i64 n_added) {
    i64 weight = 0;
    for (i64 i = 0; i < n_added; i++) {
        weight += at->sums[added[i]];
        for (i64 j = 0; j < i; j++) {
            i64 pair = at->features[added[i]] * pairs->n + at->features[added[j]];
            if (pairs->apart[pair]) return LOW;
            weight += pairs->weights[pair];
        }
    }
    return weight;
}

/* Return whether T and some features share no more with previous sets than is allowed. */
static bool is_within_limits(const Node *at, const Pairs *pairs, const i64 *added, i64 n_added) {
    for (i64 p = 0; p < pairs->n_previous; p++) {
        i64 shared = at->overlap[p];
        for (i64 i = 0; i < n_added; i++) shared += pairs->previous[p * pairs->n + at->features[added[i]]];
        if (shared > pairs->limits[p]) return false;
    }
    return true;
}

/* Note the set of T and some features, given by their places, if it is allowed and the heaviest. */
static void finish(const Tree *t, const Pairs *pairs, const Node *at, const i64 *added, i64 n_added) {
    i64 more = weight_added(at, pairs, added, n_added), weight = at->node[WEIGHT] + more, n_taken = at->node[TAKEN];
    if (more == LOW || !is_within_limits(at, pairs, added, n_added)) return;
    if (weight < t->state[TARGET] || (t->state[FOUND] && weight <= t->state[FOUND_WEIGHT])) return;
    t->state[FOUND] = 1;
    t->state[FOUND_WEIGHT] = weight;
    memcpy(t->found, at->chosen, (size_t)n_taken * sizeof(i64));
    for (i64 i = 0; i < n_added; i++) t->found[n_taken + i] = at->features[added[i]];
}

/* Write what features add to T: −inf where they cannot come. */
static void write_gains(const Node *at, double *gains) {
    for (i64 j = 0; j < at->size; j++) gains[j] = at->sums[j] > FAR ? (double)at->sums[j] : -INFINITY;
}

/* Return how many values are not below the least one: a loop that takes several at a time. */
static i64 count_reaching(const double *values, double least, i64 size) {
    i64 count = 0;
    for (i64 j = 0; j < size; j++) count += values[j] >= least;
    return count;
}

/* A chain R of the features that are missing at a node, by their places, with the weights (r − 1) h_ij + g_i + g_j of
 * pairs: for each number m of features so far which place is tried next, the weight of R, the weights between each of
 * its features and the others, and those between R and all features. */
typedef struct {
    const double *curvature;
    const double *gains;
    double others; /* r − 1 */
    i64 size;
    i64 *added;
    i64 following[MOST_BY_CHAINS];
    double weights[MOST_BY_CHAINS + 1];
    double degrees[MOST_BY_CHAINS][MOST_BY_CHAINS];
    double *sums; /* (MOST_BY_CHAINS, size) */
} Chain;

/* The weight of a pair. */
static inline double pair_in_chain(const Chain *r, i64 i, i64 j) {
    return r->others * r->curvature[i * r->size + j] + r->gains[i] + r->gains[j];
}

/* Begin with one feature. */
static void begin_chain(Chain *r, i64 first) {
    double *sums = r->sums + r->size;
    for (i64 j = 0; j < r->size; j++) sums[j] = pair_in_chain(r, first, j);
    sums[first] = -INFINITY;
    r->added[0] = first;
    r->following[1] = 0;
}

/* Return the next place whose feature makes a chain of m + 1 features heavy enough, `end` if there is none. */
static i64 next_in_chain(Chain *r, i64 m, double least, i64 end) {
    const double *sums = r->sums + m * r->size;
    i64 j = r->following[m];
    if (j == 0 && count_reaching(sums, least, end) == 0) j = end;
    while (j < end && sums[j] < least) j++;
    r->following[m] = j + 1;
    return j;
}

/* Write the weights between features of R and the others, with j as the last one; return whether none is below that
 * of j. Of equally weak ones each may come last: weights are rounded, and two that exclude each other would lose the
 * set. */
static bool is_weakest_in_chain(Chain *r, i64 m, i64 j, double margin) {
    double weakest = INFINITY, own = r->sums[m * r->size + j];
    r->added[m] = j;
    for (i64 i = 0; i < m; i++) {
        r->degrees[m][i] = r->degrees[m - 1][i] + pair_in_chain(r, r->added[i], j);
        if (r->degrees[m][i] < weakest) weakest = r->degrees[m][i];
    }
    return weakest >= own - margin;
}

/* Go on with the chain of m + 1 features that j, the last one, makes. */
static void lengthen_chain(Chain *r, i64 m, i64 j) {
    const double *sums = r->sums + m * r->size;
    double *longer = r->sums + (m + 1) * r->size;
    r->degrees[m][m] = sums[j];
    r->weights[m + 1] = r->weights[m] + sums[j];
    for (i64 i = 0; i < r->size; i++)
        longer[i] = sums[i] + r->others * r->curvature[j * r->size + i] + r->gains[j] + r->gains[i];
    longer[j] = -INFINITY;
    r->following[m + 1] = 0;
}

/* Meet all sets of a node that reach the target, along heavy chains of the missing features. Return whether it is done:
 * it is left where it takes much work. */
static bool finish_by_chains(const Tree *t, const Pairs *pairs, const Node *at, double target, double margin) {
    i64 missing = t->k - at->node[TAKEN], size = at->size, work = 0;
    Chain r = {
        .curvature = at->curvature, .gains = t->gains, .others = (double)(missing - 1), .size = size, .added = t->added,
        .sums = t->chains,
    };
    for (i64 first = 0; first < size; first++) {
        if (t->gains[first] == -INFINITY) continue;
        begin_chain(&r, first);
        for (i64 m = 1; m > 0;) {
            if (work > WORK_BY_CHAINS * size * size) {
                t->state[WORK] += work;
                return false;
            }
            /* the pairs of r features that add the target sum up to r − 1 targets, and those of the first m + 1 of a
             * heavy chain to at least their share of that, (m + 1) m / (r (r − 1)) */
            double least = target * (double)(m + 1) * (double)m / (double)missing - r.weights[m];
            i64 end = m == 1 ? first : size, j = next_in_chain(&r, m, least, end);
            work += size / 2; /* most looks are those of count_reaching, two in a nanosecond */
            if (j == end) {
                m--;
            } else if (is_weakest_in_chain(&r, m, j, margin)) {
                if (m == missing - 1) finish(t, pairs, at, r.added, missing);
                else lengthen_chain(&r, m++, j);
            }
        }
    }
    t->state[WORK] += work;
    return true;
}

/* Leave out the features with which the tangent loses more than the slack, and take those without which it does. Return
 * how many are taken, −1 if no set is left. Limits of previous sets, or several least slopes, let none be taken. */
static i64 fix(const Tree *t, const Pairs *pairs, const Node *at, double slack) {
    const double *gradient = t->gradient;
    double least = t->top[0], following = -INFINITY;
    i64 n_least = 0, n_taken = 0;
    for (i64 j = 0; j < at->size; j++) {
        n_least += gradient[j] == least;
        if (gradient[j] < least && gradient[j] > following) following = gradient[j];
        if (gradient[j] > -INFINITY && least - gradient[j] > slack) leave_out(at, j);
    }
    if (pairs->n_limiting > 0 || n_least > 1) return 0;
    for (i64 j = 0; j < at->size; j++) {
        if (!(gradient[j] >= least && gradient[j] - following > slack)) continue;
        if (at->sums[j] <= FAR) return -1;
        take(at, pairs, j);
        n_taken++;
    }
    return n_taken;
}

/* Replace the largest slopes by the largest ones within the room of each part. */
static void write_highest_of_parts(const Tree *t, const Pairs *pairs, const Node *at, i64 missing) {
    i64 n_parts = pairs->n_limiting + 1;
    write_room(pairs, at->overlap, missing, t->room);
    for (i64 i = 0; i < missing; i++) t->top[i] = -INFINITY;
    for (i64 i = 0; i < n_parts * missing; i++) t->top_of_parts[i] = -INFINITY;
    for (i64 j = 0; j < at->size; j++) {
        i64 part = pairs->part[at->features[j]];
        insert_real(t->top_of_parts + part * missing, t->room[part], t->gradient[j]);
    }
    for (i64 part = 0; part < n_parts; part++)
        for (i64 i = 0; i < t->room[part]; i++) insert_real(t->top, missing, t->top_of_parts[part * missing + i]);
}

/* Return a bound on what features can add to T, and write the slopes that give it; none, an infinite one, where the
 * climb to it pauses as there was enough work. */
static double bound_node(
    const Tree *t, const Pairs *pairs, const Node *at, double target, double margin, i64 missing, i64 enough
) {
    Concave f = {at->curvature, t->linear, at->size};
    double value, rest, sum = 0;
    for (i64 j = 0; j < at->size; j++) t->linear[j] = t->gains[j] - at->curvature[j * at->size + j] / 2;
    move_to_sum(&f, missing, at->point);
    t->state[WORK] += climb(
        &f, target, margin, at->point, t->gradient, t->top, missing, t->some, t->among, t->state + ROUNDS,
        max_of(1, enough - t->state[WORK])
    );
    if (t->state[ROUNDS] > 0) return INFINITY;
    if (pairs->n_limiting > 0) write_highest_of_parts(t, pairs, at, missing);
    write_value_and_rest(&f, at->point, t->gradient, &value, &rest);
    for (i64 i = 0; i < missing; i++) sum += t->top[i];
    return rest + sum;
}

/* What is to be done next at a node. */
typedef enum { CLOSE, NARROW, BRANCH } Next;

/* Bound a node, and fix features. */
static Next narrow(const Tree *t, const Pairs *pairs, double margin, i64 depth, i64 enough) {
    Node at = node_at(t, depth);
    i64 missing = t->k - at.node[TAKEN], before = at.node[COUNT];
    if (before < missing) return CLOSE;
    if (missing >= MOST_BY_CHAINS && (double)before <= SHARE_FOR_BLOCK * (double)at.size) {
        begin_block(t, depth);
        at = node_at(t, depth);
    }
    if (missing <= 1) {
        i64 best = place_of_largest(at.sums, at.size);
        finish(t, pairs, &at, &best, missing);
        return CLOSE;
    }
    double target = (double)(t->state[TARGET] - at.node[WEIGHT]) - margin;
    write_gains(&at, t->gains);
    bool is_new = t->state[ROUNDS] == 0;
    if (missing == PAIR && is_new && finish_by_chains(t, pairs, &at, target, margin)) return CLOSE;
    double bound = bound_node(t, pairs, &at, target, margin, missing, enough);
    double of_node = bound + (double)at.node[WEIGHT] + margin;
    if (of_node < t->bound[depth]) t->bound[depth] = of_node;
    if (bound < target) return CLOSE;
    if (bound == INFINITY) return NARROW;
    i64 n_taken = fix(t, pairs, &at, bound - target);
    if (n_taken < 0) return CLOSE;
    if (n_taken > 0) return NARROW;
    if (PAIR < missing && missing <= MOST_BY_CHAINS) {
        write_gains(&at, t->gains);
        if (finish_by_chains(t, pairs, &at, target, margin)) return CLOSE;
    }
    return (double)at.node[COUNT] > SHARE_TO_BRANCH * (double)before ? BRANCH : NARROW;
}

/* Write the node below that takes the feature whose number in x is nearest to a half. */
static void branch(const Tree *t, const Pairs *pairs, i64 depth) {
    Node at = node_at(t, depth);
    i64 best = place_of_largest(at.sums, at.size);
    double distance = 0.5; /* so that an x of 1 is never nearer: where all are 0 or 1 the largest sum is taken */
    for (i64 j = 0; j < at.size; j++)
        if (at.point[j] > 0 && fabs(at.point[j] - 0.5) < distance) best = j, distance = fabs(at.point[j] - 0.5);
    at.node[BRANCHED] = best;
    memcpy(at.node + PER_NODE, at.node, PER_NODE * sizeof(i64));
    Node below = node_at(t, depth + 1);
    t->bound[depth + 1] = t->bound[depth];
    memcpy(below.chosen, at.chosen, (size_t)t->k * sizeof(i64));
    memcpy(below.sums, at.sums, (size_t)at.size * sizeof(i64));
    memcpy(below.point, at.point, (size_t)at.size * sizeof(double));
    for (i64 p = 0; p < t->n_previous; p++) below.overlap[p] = at.overlap[p];
    below.node[BRANCHED] = -1;
    take(&below, pairs, best);
}

/* Come to a node for the first time, or from the one below. */
static void visit(const Tree *t, i64 depth) {
    Node at = node_at(t, depth);
    if (at.node[BRANCHED] >= 0) leave_out(&at, at.node[BRANCHED]);
    at.node[BRANCHED] = -1;
    t->state[NODES]++;
    t->state[ROUNDS] = 0;
}

EXPORT void pyfsel_search_tree(const Tree *t, const Pairs *pairs, double margin, i64 work) {
    i64 *state = t->state, enough = state[WORK] + work;
    while (state[DEPTH] >= 0 && state[WORK] < enough && !state[FOUND]) {
        i64 depth = state[DEPTH];
        if (state[ROUNDS] < 0) visit(t, depth);
        bool is_open = t->bound[depth] >= (double)state[TARGET];
        Next next = is_open ? narrow(t, pairs, margin, depth, enough) : CLOSE;
        if (next == NARROW) continue;
        if (next == BRANCH) branch(t, pairs, depth);
        state[DEPTH] += next == BRANCH ? 1 : -1;
        state[ROUNDS] = -1;
    }
}
