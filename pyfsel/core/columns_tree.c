/* Branch and bound over listed sets, with a Lagrangian bound at every node.
 *
 * A node has chosen some sets and keeps the list of all others that are compatible with each of them and may complete
 * them. Its bound relaxes what the sets to come must satisfy among themselves to pair counting; subgradient steps adapt
 * the weights of the features to the node, and how much of the prices of subsets is charged. A set leaves the list when
 * the bound, less what the set weighs below the heaviest, is not enough. */
#include "columns.h"

/* Of the state: the least value that is of interest, how many sets are chosen (−1 at the end), how many nodes were
 * opened, and what is to be done next at the present one, with how far that is. */
enum { GOAL, DEPTH, N_NODES, PHASE, PROGRESS };
enum { BRANCHING, STEPPING, SORTING, RANKING, PAIRING };

/* Of the subgradient steps of a node: the multipliers now and with the lowest bound so far, and how the steps go. */
enum { PRICE, CHARGED, BEST_PRICE, BEST_CHARGED, LOWEST, N_FAILED };
enum { PACE, PRICE_DIRECTION, CHARGE_DIRECTION };

#define WHOLE 1024 /* as `tree` has it */
#define HIGH ((i64)1 << 62)
/* The steps, by trial; whichever multipliers they lead to give a bound. */
#define KEPT_DIRECTION 0.3       /* of the direction before, against zigzags */
#define SHRINK 0.6               /* steps get shorter by it ... */
#define FAILURES_BEFORE_SHRINK 4 /* ... when so many have not lowered the bound */
#define SMALLEST_NORM 1e-9       /* squared: at less the subgradient is 0, and the bound as low as it gets */
#define LARGEST_STEP 0x1p61 /* beyond all multipliers, within 64 bits */

/* The largest gain·c − price·C(c, 2) of a count c of at most so many, and that count: each use gains less by the price
 * than the one before. */
typedef struct {
    i64 value, count;
} FeatureTerm;

static FeatureTerm feature_term(i64 gain, i64 price, i64 most) {
    FeatureTerm term = {0, 0};
    for (; term.count < most && gain > 0; gain -= price) {
        term.value += gain;
        term.count++;
    }
    return term;
}

/* For compatible sets S_1, …, S_L and any weights w and price μ ≥ 0, with c_j the number of sets that hold feature j,
 * Σ_s q(S_s) = Σ_s w(S_s) + Σ_j (q_j − w_j)·c_j, and Σ_j C(c_j, 2) ≤ max_overlap·C(L, 2) by pair counting. So the sum of
 * the qualities is at most Σ_s w(S_s) + Σ_j max_c ((q_j − w_j)·c − μ·C(c, 2)) + μ·max_overlap·C(L, 2); all but the first
 * sum is returned. */
static i64 count_term(
    const i64 *quality, const i64 *weight, i64 price, i64 n_sets, i64 max_overlap, i64 *counts, const i64 *most_uses,
    i64 n
) {
    i64 total = price * max_overlap * (n_sets * (n_sets - 1) / 2);
    for (i64 j = 0; j < n; j++) {
        FeatureTerm term = feature_term(quality[j] - weight[j], price, min_of(n_sets, most_uses[j]));
        counts[j] = term.count;
        total += term.value;
    }
    return total;
}

EXPORT i64 pyfsel_count_term(
    const i64 *quality, const i64 *weight, i64 price, i64 n_sets, i64 max_overlap, i64 *counts, const i64 *most_uses,
    i64 n
) {
    return count_term(quality, weight, price, n_sets, max_overlap, counts, most_uses, n);
}

/* Lower how many of the sets to come can hold each feature, by the features beside it in the listed sets. */
static void limit_uses(
    const int32_t *members, const u64 *words, const int32_t *listed, const i64 *by_others, i64 *limits, u64 *beside,
    i64 set_size, i64 n_words, i64 n_listed, i64 n
) {
    memset(beside, 0, (size_t)(n * n_words) * sizeof(u64));
    for (i64 i = 0; i < n_listed; i++) {
        const int32_t *set = members + listed[i] * set_size;
        for (i64 p = 0; p < set_size; p++)
            for (i64 w = 0; w < n_words; w++) beside[set[p] * n_words + w] |= words[listed[i] * n_words + w];
    }
    for (i64 j = 0; j < n; j++) {
        i64 held = 0;
        for (i64 w = 0; w < n_words; w++) held += count_bits(beside[j * n_words + w]);
        limits[j] = min_of(limits[j], held > 0 ? by_others[held - 1] : 0);
    }
}

EXPORT void pyfsel_limit_uses(
    const int32_t *members, const u64 *words, const int32_t *listed, const i64 *by_others, i64 *limits, u64 *beside,
    i64 m, i64 set_size, i64 n_words, i64 n_listed, i64 n
) {
    (void)m;
    limit_uses(members, words, listed, by_others, limits, beside, set_size, n_words, n_listed, n);
}

static int32_t *list_at(const ListTree *tree, i64 depth) { return tree->lists + depth * tree->m; }
static i64 *weights_at(const ListTree *tree, i64 depth) { return tree->weights + depth * tree->m; }
static i64 *feature_weight_at(const ListTree *tree, i64 depth) { return tree->feature_weight + depth * tree->n; }
static i64 *most_uses_at(const ListTree *tree, i64 depth) { return tree->most_uses + depth * tree->n; }
static const int32_t *members_of(const ListTask *task, i64 set) { return task->members + set * task->set_size; }

/* What the sets to come must sum up to at least. */
static i64 wanted_at(const ListTask *task, const ListTree *tree, i64 depth) {
    return task->smallest ? (task->n_sets - depth) * task->level : tree->state[GOAL] - tree->total[depth];
}

/* Write the weights of the listed sets; return the place of a heaviest one. */
static i64 weigh(const ListTask *task, const ListTree *tree, i64 depth, i64 charged) {
    const int32_t *list = list_at(tree, depth);
    const i64 *feature_weight = feature_weight_at(tree, depth);
    i64 *weights = weights_at(tree, depth), heaviest = 0;
    for (i64 place = 0; place < tree->sizes[depth]; place++) {
        const int32_t *set = members_of(task, list[place]);
        i64 weight = task->rests[list[place]] - floor_divide(task->charges[list[place]] * charged, WHOLE);
        for (i64 p = 0; p < task->set_size; p++) weight += feature_weight[set[p]];
        weights[place] = weight;
        if (weight > weights[heaviest]) heaviest = place;
    }
    return heaviest;
}

/* The bound beside what the sets to come weigh, under some multipliers; writes the best counts of the features. */
static i64 rest_of_bound(const ListTask *task, const ListTree *tree, i64 depth, i64 price, i64 charged) {
    i64 by_counts = count_term(
        task->quality, feature_weight_at(tree, depth), price, task->n_sets - depth, task->max_overlap, tree->counts,
        most_uses_at(tree, depth), tree->n
    );
    return by_counts + floor_divide(tree->unpaid[depth] * charged, WHOLE);
}

/* Keep the listed sets of at least some value; the others can be in no solution. */
static void keep_values(const ListTask *task, const ListTree *tree, i64 depth, i64 least) {
    int32_t *list = list_at(tree, depth);
    i64 size = 0;
    for (i64 place = 0; place < tree->sizes[depth]; place++) {
        i64 set = list[place];
        list[size] = (int32_t)set;
        size += task->values[set] >= least;
    }
    tree->sizes[depth] = size;
}

/* Begin to bound a node; return whether anything is left to do there. */
static bool open_node(const ListTask *task, const ListTree *tree, i64 depth) {
    i64 left = task->n_sets - depth, wanted = wanted_at(task, tree, depth), least = tree->state[GOAL];
    if (!task->smallest) {
        if (task->at_most[left] < wanted) return false;
        least = wanted - task->at_most[left - 1];
    }
    keep_values(task, tree, depth, least);
    if (tree->sizes[depth] < left) return false;
    limit_uses(
        task->members, task->words, list_at(tree, depth), task->uses_by_others, most_uses_at(tree, depth), tree->beside,
        task->set_size, tree->n_words, tree->sizes[depth], tree->n
    );
    i64 *step = tree->step;
    memcpy(tree->best_weight, feature_weight_at(tree, depth), (size_t)tree->n * sizeof(i64));
    step[PRICE] = step[BEST_PRICE] = tree->overlap_price[depth];
    step[CHARGED] = step[BEST_CHARGED] = tree->charged[depth];
    step[LOWEST] = HIGH;
    step[N_FAILED] = 0;
    tree->moved[PACE] = 1;
    tree->moved[PRICE_DIRECTION] = tree->moved[CHARGE_DIRECTION] = 0;
    for (i64 j = 0; j < tree->n; j++) tree->direction[j] = 0;
    tree->state[PHASE] = STEPPING;
    tree->state[PROGRESS] = 0;
    return true;
}

/* Keep the multipliers where they give the lowest bound so far; shorten the steps where that is long ago. */
static void note_bound(const ListTree *tree, i64 depth, i64 bound) {
    i64 *step = tree->step;
    if (bound < step[LOWEST]) {
        step[LOWEST] = bound;
        step[BEST_PRICE] = step[PRICE];
        step[BEST_CHARGED] = step[CHARGED];
        step[N_FAILED] = 0;
        memcpy(tree->best_weight, feature_weight_at(tree, depth), (size_t)tree->n * sizeof(i64));
    } else if (++step[N_FAILED] == FAILURES_BEFORE_SHRINK) {
        tree->moved[PACE] *= SHRINK;
        step[N_FAILED] = 0;
    }
}

/* Keep the listed sets with which the bound is enough. */
static void keep_weights(const ListTree *tree, i64 depth, i64 least) {
    int32_t *list = list_at(tree, depth);
    const i64 *weights = weights_at(tree, depth);
    i64 size = 0;
    for (i64 place = 0; place < tree->sizes[depth]; place++) {
        list[size] = list[place];
        size += weights[place] >= least;
    }
    tree->sizes[depth] = size;
}

/* A direction keeps a part of the one before it. */
static double mixed(double direction, double slope) {
    return KEPT_DIRECTION * direction + (1 - KEPT_DIRECTION) * slope;
}

/* Turn the direction towards the subgradient at the best counts and a heaviest set; return its squared length. */
static double turn_direction(const ListTask *task, const ListTree *tree, i64 depth, i64 heaviest) {
    i64 left = task->n_sets - depth, pairs = 0, capacity = task->max_overlap * (left * (left - 1) / 2);
    double *direction = tree->direction, *moved = tree->moved, norm = 0;
    const int32_t *set = members_of(task, heaviest);
    for (i64 j = 0; j < tree->n; j++) {
        i64 count = tree->counts[j];
        direction[j] = KEPT_DIRECTION * direction[j] - (1 - KEPT_DIRECTION) * (double)count;
        pairs += count * (count - 1) / 2;
    }
    for (i64 p = 0; p < task->set_size; p++) direction[set[p]] += (1 - KEPT_DIRECTION) * (double)left;
    moved[PRICE_DIRECTION] = mixed(moved[PRICE_DIRECTION], (double)(capacity - pairs));
    double relief = (double)(tree->unpaid[depth] - left * task->charges[heaviest]) / (double)max_of(1, tree->unpaid[0]);
    moved[CHARGE_DIRECTION] = mixed(moved[CHARGE_DIRECTION], relief);
    for (i64 j = 0; j < tree->n; j++) norm += direction[j] * direction[j];
    return norm + moved[PRICE_DIRECTION] * moved[PRICE_DIRECTION] + moved[CHARGE_DIRECTION] * moved[CHARGE_DIRECTION];
}

/* A multiplier less a rounded step, from lowest to highest. */
static i64 moved_by(i64 multiplier, double step, i64 lowest, i64 highest) {
    i64 rounded = (i64)rint(step < -LARGEST_STEP ? -LARGEST_STEP : step > LARGEST_STEP ? LARGEST_STEP : step);
    return min_of(highest, max_of(lowest, multiplier - rounded));
}

/* Move the multipliers against the direction; a length of 1 of it lowers the bound by 1 where that is linear. */
static void move(const ListTask *task, const ListTree *tree, i64 depth, double length) {
    i64 largest = task->largest_weight, *weight = feature_weight_at(tree, depth), *step = tree->step;
    for (i64 j = 0; j < tree->n; j++) weight[j] = moved_by(weight[j], length * tree->direction[j], -largest, largest);
    step[PRICE] = moved_by(step[PRICE], length * tree->moved[PRICE_DIRECTION], 0, largest);
    double scale = (double)max_of(1, tree->unpaid[0]), change = WHOLE * length * tree->moved[CHARGE_DIRECTION] / scale;
    step[CHARGED] = moved_by(step[CHARGED], change, 0, WHOLE);
}

/* Take the multipliers with the lowest bound. */
static void finish_steps(const ListTask *task, const ListTree *tree, i64 depth) {
    i64 price = tree->step[BEST_PRICE], charged = tree->step[BEST_CHARGED];
    memcpy(feature_weight_at(tree, depth), tree->best_weight, (size_t)tree->n * sizeof(i64));
    tree->overlap_price[depth] = price;
    tree->charged[depth] = charged;
    tree->rest[depth] = rest_of_bound(task, tree, depth, price, charged);
    weigh(task, tree, depth, charged);
    tree->state[PHASE] = SORTING;
    tree->state[PROGRESS] = 1;
}

/* Bound the node under the present multipliers, drop what that rules out, and move them; the last step only bounds.
 * Return whether anything is left to do. */
static bool take_step(const ListTask *task, const ListTree *tree, i64 depth) {
    i64 *step = tree->step, left = task->n_sets - depth, n_steps = task->steps[left];
    if (tree->state[PROGRESS] == n_steps) {
        finish_steps(task, tree, depth);
        return true;
    }
    i64 wanted = wanted_at(task, tree, depth), rest = rest_of_bound(task, tree, depth, step[PRICE], step[CHARGED]);
    i64 place = weigh(task, tree, depth, step[CHARGED]), heaviest = list_at(tree, depth)[place];
    i64 top = weights_at(tree, depth)[place], bound = rest + left * top;
    if (bound < wanted) return false;
    note_bound(tree, depth, bound);
    keep_weights(tree, depth, wanted - bound + top);
    if (tree->sizes[depth] < left) return false;
    double norm = turn_direction(task, tree, depth, heaviest);
    bool is_last = norm < SMALLEST_NORM || ++tree->state[PROGRESS] == n_steps;
    if (is_last) finish_steps(task, tree, depth);
    /* a step as long as the gap to what is wanted, where the bound is linear (Polyak); a fiftieth more of what a set is
     * worth where only the smallest counts, as the bound has to fall below that; by trial */
    else move(task, tree, depth, tree->moved[PACE] * (double)(bound - wanted + 1 + task->level / 50) / norm);
    return true;
}

/* One pass of a merge sort by decreasing weight, equal ones in the order that they have: merge runs of a length. */
static void merge_runs(int32_t *list, i64 *weights, int32_t *to_list, i64 *to_weights, i64 size, i64 length) {
    for (i64 begin = 0; begin < size; begin += 2 * length) {
        i64 middle = min_of(size, begin + length), end = min_of(size, begin + 2 * length), i = begin, j = middle;
        for (i64 to = begin; to < end; to++) {
            bool is_first = i < middle && (j == end || weights[i] >= weights[j]);
            i64 from = is_first ? i++ : j++;
            to_list[to] = list[from];
            to_weights[to] = weights[from];
        }
    }
    memcpy(list, to_list, (size_t)size * sizeof(int32_t));
    memcpy(weights, to_weights, (size_t)size * sizeof(i64));
}

/* Sort the list of a node by weight, pass by pass; return whether that is done. */
static bool sort_on(const ListTree *tree, i64 depth) {
    i64 size = tree->sizes[depth], *length = &tree->state[PROGRESS];
    if (*length < size) {
        merge_runs(list_at(tree, depth), weights_at(tree, depth), tree->other_list, tree->other_weights, size, *length);
        *length *= 2;
    }
    return *length >= size;
}

/* Whether a listed set holds a feature. */
static bool holds(const ListTask *task, i64 set, i64 feature) {
    const int32_t *members = members_of(task, set);
    for (i64 p = 0; p < task->set_size; p++)
        if (members[p] == feature) return true;
    return false;
}

/* Move the listed sets with a feature, or those without it, to the front, in the order they have. */
static void put_first(const ListTask *task, const ListTree *tree, i64 depth, i64 feature, bool with_it) {
    i64 size = tree->sizes[depth], kept = 0, later = 0, *weights = weights_at(tree, depth);
    int32_t *list = list_at(tree, depth);
    for (i64 place = 0; place < size; place++) {
        if (holds(task, list[place], feature) == with_it) {
            list[kept] = list[place];
            weights[kept++] = weights[place];
        } else {
            tree->other_list[later] = list[place];
            tree->other_weights[later++] = weights[place];
        }
    }
    memcpy(list + kept, tree->other_list, (size_t)later * sizeof(int32_t));
    memcpy(weights + kept, tree->other_weights, (size_t)later * sizeof(i64));
}

/* Write how many of the listed sets hold each feature. */
static void count_holders(const ListTask *task, const ListTree *tree, i64 depth) {
    const int32_t *list = list_at(tree, depth);
    memset(tree->counts, 0, (size_t)tree->n * sizeof(i64));
    for (i64 place = 0; place < tree->sizes[depth]; place++)
        for (i64 p = 0; p < task->set_size; p++) tree->counts[members_of(task, list[place])[p]]++;
}

/* Move sets of which at least one is needed to the front of a sorted list; return their number.
 *
 * These are the sets with a feature that must be used, or those without a feature that not all sets to come can hold;
 * the fewest, if these are at most an even share of the list. Else any set can come next. A feature must be used if the
 * bound without what it contributes is not enough; and it can be in c sets only if the bound with that count is. */
static i64 put_branches_first(const ListTask *task, const ListTree *tree, i64 depth) {
    i64 left = task->n_sets - depth, size = tree->sizes[depth], price = tree->overlap_price[depth];
    i64 wanted = wanted_at(task, tree, depth), fewest = size / left, feature = -1;
    i64 bound = tree->rest[depth] + left * weights_at(tree, depth)[0];
    bool with_it = false;
    count_holders(task, tree, depth);
    for (i64 j = 0; j < tree->n; j++) {
        i64 *limit = &most_uses_at(tree, depth)[j], holders = tree->counts[j];
        i64 gain = task->quality[j] - feature_weight_at(tree, depth)[j];
        i64 others = bound - feature_term(gain, price, min_of(left, *limit)).value;
        if (others < wanted && holders <= fewest) fewest = holders, feature = j, with_it = true;
        *limit = min_of(left, *limit);
        while (*limit > 0 && others + *limit * gain - price * (*limit * (*limit - 1) / 2) < wanted) --*limit;
        if (*limit < left && size - holders <= fewest) fewest = size - holders, feature = j, with_it = false;
    }
    if (feature < 0) return size;
    put_first(task, tree, depth, feature, with_it);
    return fewest;
}

/* Keep the chosen sets if they reach the goal, which is then raised. */
static void improve(const ListTask *task, const ListTree *tree) {
    i64 total = task->values[tree->chosen[0]];
    for (i64 s = 1; s < task->n_sets; s++) {
        i64 value = task->values[tree->chosen[s]];
        total = task->smallest ? min_of(total, value) : total + value;
    }
    if (total < tree->state[GOAL]) return;
    memcpy(tree->found, tree->chosen, (size_t)task->n_sets * sizeof(int32_t));
    tree->state[GOAL] = total + 1;
}

/* How many features two sets share. */
static i64 n_shared(const ListTask *task, i64 one, i64 other) {
    i64 shared = 0;
    for (i64 w = 0; w < task->n_words; w++)
        shared += count_bits(task->words[one * task->n_words + w] & task->words[other * task->n_words + w]);
    return shared;
}

/* Complete the chosen sets by the best of the list. */
static void take_best(const ListTask *task, const ListTree *tree, i64 depth) {
    for (i64 place = 0; place < tree->sizes[depth]; place++) {
        tree->chosen[depth] = list_at(tree, depth)[place];
        improve(task, tree);
    }
}

/* Begin to complete the chosen sets by the best compatible two of the list, which has to be sorted by value. */
static void begin_pairs(const ListTask *task, const ListTree *tree, i64 depth) {
    for (i64 place = 0; place < tree->sizes[depth]; place++)
        weights_at(tree, depth)[place] = task->values[list_at(tree, depth)[place]];
    tree->state[PHASE] = RANKING;
    tree->state[PROGRESS] = 1;
}

/* Try the next set of the list as the worse of two; return whether there are later ones to try. */
static bool pair_next(const ListTask *task, const ListTree *tree, i64 depth) {
    const int32_t *list = list_at(tree, depth);
    i64 worse = tree->state[PROGRESS]++, wanted = wanted_at(task, tree, depth);
    if (worse >= tree->sizes[depth]) return false;
    i64 value = task->values[list[worse]];
    if (task->smallest ? value < tree->state[GOAL] : task->values[list[0]] + value < wanted) return false;
    for (i64 better = 0; better < worse; better++) {
        if (!task->smallest && task->values[list[better]] + value < wanted) break;
        if (n_shared(task, list[better], list[worse]) > task->max_overlap) continue;
        tree->chosen[depth] = list[better];
        tree->chosen[depth + 1] = list[worse];
        improve(task, tree);
        break;
    }
    return true;
}

/* Begin to branch at a node whose list is sorted; return whether anything is left to do. */
static bool begin_branches(const ListTask *task, const ListTree *tree, i64 depth) {
    tree->state[PHASE] = BRANCHING;
    tree->positions[depth] = 0;
    tree->branches[depth] = put_branches_first(task, tree, depth);
    bool is_any_pair = !task->smallest || tree->branches[depth] == tree->sizes[depth];
    if (task->n_sets - depth == 2 && tree->branches[depth] > 0 && is_any_pair) begin_pairs(task, tree, depth);
    return tree->branches[depth] > 0;
}

/* Add part of a sorted list to that of the next depth: what is compatible with a set and heavy enough beside it, the
 * more so the less they share, as the bound pays for each feature that they do not. Return how many are there then. */
static i64 list_beside(
    const ListTask *task, const ListTree *tree, i64 depth, i64 set, i64 first, i64 end, i64 lightest, i64 size
) {
    const int32_t *list = list_at(tree, depth);
    const i64 *weights = weights_at(tree, depth);
    for (i64 place = first; place < end && weights[place] >= lightest; place++) {
        i64 spare = task->max_overlap - n_shared(task, set, list[place]);
        if (spare < 0 || weights[place] - tree->overlap_price[depth] * spare < lightest) continue;
        list_at(tree, depth + 1)[size++] = list[place];
    }
    return size;
}

/* Go on to the node with one more set. */
static void enter_child(const ListTask *task, const ListTree *tree, i64 depth, i64 set, i64 size) {
    i64 child = depth + 1, *most_uses = most_uses_at(tree, child);
    const int32_t *members = members_of(task, set);
    tree->chosen[depth] = (int32_t)set;
    tree->total[child] = tree->total[depth] + task->values[set];
    tree->unpaid[child] = tree->unpaid[depth] - task->charges[set];
    tree->sizes[child] = size;
    tree->positions[child] = -1;
    memcpy(feature_weight_at(tree, child), feature_weight_at(tree, depth), (size_t)tree->n * sizeof(i64));
    memcpy(most_uses, most_uses_at(tree, depth), (size_t)tree->n * sizeof(i64));
    for (i64 p = 0; p < task->set_size; p++) most_uses[members[p]]--;
    tree->overlap_price[child] = tree->overlap_price[depth];
    tree->charged[child] = tree->charged[depth];
    tree->state[DEPTH] = child;
}

/* Branch on the next set, the heaviest of those to come; return whether there was one. The later sets of the list are
 * those beside it, as solutions with the earlier ones are done. */
static bool branch(const ListTask *task, const ListTree *tree, i64 depth) {
    const i64 *weights = weights_at(tree, depth);
    i64 left = task->n_sets - depth, size = tree->sizes[depth], position = tree->positions[depth];
    i64 branches = tree->branches[depth], wanted = wanted_at(task, tree, depth);
    if (position + left > size || position >= branches) return false;
    i64 heaviest = branches < size ? max_of(weights[position], weights[branches]) : weights[position];
    i64 highest = tree->rest[depth] + weights[position] + (left - 1) * heaviest;
    if (highest < wanted) return false;
    tree->positions[depth]++;
    i64 set = list_at(tree, depth)[position], lightest = wanted - (highest - heaviest);
    if (task->smallest && task->values[set] < tree->state[GOAL]) return true;
    i64 n_beside = list_beside(task, tree, depth, set, position + 1, branches, lightest, 0);
    n_beside = list_beside(task, tree, depth, set, branches, size, lightest, n_beside);
    if (n_beside >= left - 1) enter_child(task, tree, depth, set, n_beside);
    return true;
}

/* Do the next part of what is to be done at a node; return whether anything is left to do there. */
static bool advance(const ListTask *task, const ListTree *tree, i64 depth) {
    switch (tree->state[PHASE]) {
    case STEPPING: return take_step(task, tree, depth);
    case SORTING: return !sort_on(tree, depth) || begin_branches(task, tree, depth);
    case RANKING:
        if (sort_on(tree, depth)) {
            tree->state[PHASE] = PAIRING;
            tree->state[PROGRESS] = 1;
        }
        return true;
    case PAIRING: return pair_next(task, tree, depth);
    default: break;
    }
    if (tree->positions[depth] >= 0) return branch(task, tree, depth);
    if (depth + 1 < task->n_sets) return open_node(task, tree, depth);
    take_best(task, tree, depth);
    return false;
}

EXPORT bool pyfsel_search_list(const ListTask *task, const ListTree *tree, i64 most_nodes, i64 most_work) {
    i64 *state = tree->state;
    for (i64 work = 0; work < most_work && state[DEPTH] >= 0;) {
        i64 depth = state[DEPTH];
        if (state[PHASE] == BRANCHING && tree->positions[depth] < 0) {
            if (state[N_NODES] == most_nodes) return true;
            state[N_NODES]++;
        }
        work += tree->n + (state[PHASE] == PAIRING ? state[PROGRESS] : tree->sizes[depth]) * task->set_size;
        if (advance(task, tree, depth)) continue;
        state[PHASE] = BRANCHING;
        state[DEPTH]--;
    }
    return state[DEPTH] < 0;
}
