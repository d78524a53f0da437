/* The graph score: the inner loops of its semidefinite bound, of descent, and of the enumeration of all sets.
 *
 * A set S has the score Σ_{i ∈ S} linear_i + Σ_{i<j ∈ S} pairwise_ij. The gain of a feature is what it adds to the score
 * of S: linear_i + Σ_{j ∈ S} pairwise_ij. */
#include "core.h"

/* Change the gains of all features as one enters the set (sign 1) or leaves it (−1). */
static void change_gains(i64 *restrict gains, const i64 *restrict pairs_of_one, i64 sign, i64 n) {
    for (i64 j = 0; j < n; j++) gains[j] += sign * pairs_of_one[j];
}

/* One pass of the mixing method (Wang, Chang and Kolter, 2017) over the rows v_i of V: with g = Σ_j C_ij v_j, the row
 * of length 1 that minimises ⟨C, V·Vᵀ⟩ is −g / |g|, and adds −|g|. Return the sum of what they add. */
static double mix_once(const double *C, double *V, double *y, double *restrict g, i64 n, i64 r) {
    double total = 0;
    for (i64 i = 0; i < n; i++) {
        for (i64 z = 0; z < r; z++) g[z] = 0;
        for (i64 j = 0; j < n; j++) {
            double c = C[i * n + j];
            const double *restrict row = V + j * r;
            if (c == 0) continue;
            for (i64 z = 0; z < r; z++) g[z] += c * row[z];
        }
        double length = 0;
        for (i64 z = 0; z < r; z++) length += g[z] * g[z];
        length = sqrt(length);
        y[i] = -length;
        total -= length;
        if (!(length > 0)) continue;
        for (i64 z = 0; z < r; z++) V[i * r + z] = -g[z] / length;
    }
    return total;
}

EXPORT void pyfsel_mix(
    const double *C, double *V, double *y, double *direction, i64 sweeps, double tolerance, i64 n, i64 r
) {
    double last = INFINITY;
    for (i64 sweep = 0; sweep < sweeps; sweep++) {
        double total = mix_once(C, V, y, direction, n, r);
        if (last - total < tolerance * fabs(total)) return;
        last = total;
    }
}

/* Triangle inequalities: of x_i·x_j, x_i·x_k and x_j·x_k with x = ±1 none or two are −1, also after two changes of sign;
 * so each of these signed sums is at least −1. */
static const double SIGNS[4][3] = {{1, 1, 1}, {1, -1, -1}, {-1, 1, -1}, {-1, -1, 1}};

EXPORT i64 pyfsel_find_violated(
    const double *X, double least, i64 first, i64 end, i64 count, i64 *rows, double *amounts, i64 n, i64 most
) {
    for (i64 i = first; i < end; i++)
        for (i64 j = 0; j < i; j++)
            for (i64 k = 0; k < j; k++)
                for (i64 s = 0; s < 4; s++) {
                    const double *sign = SIGNS[s];
                    double amount = -1.0 - sign[0] * X[i * n + j] - sign[1] * X[i * n + k] - sign[2] * X[j * n + k];
                    if (!(amount > least)) continue;
                    if (count == most) return count;
                    i64 *row = rows + 4 * count;
                    row[0] = i, row[1] = j, row[2] = k, row[3] = s;
                    amounts[count++] = amount;
                }
    return count;
}

/* What changes a set: the features that leave it and enter it (−1 for none), and by how much its score falls. */
typedef struct {
    i64 leaves, enters, change;
} Move;

/* Return the best feature to leave or to enter the set. */
static Move best_flip(const i64 *gains, const bool *chosen, bool may_leave, i64 n) {
    Move best = {-1, -1, 0};
    for (i64 i = 0; i < n; i++) {
        if (!chosen[i] && gains[i] < best.change) best = (Move){-1, i, gains[i]};
        if (chosen[i] && may_leave && -gains[i] < best.change) best = (Move){i, -1, -gains[i]};
    }
    return best;
}

/* Return the best feature to leave the set, and the one to take its place. */
static Move best_swap(const i64 *gains, const i64 *pairwise, const bool *chosen, i64 n) {
    Move best = {-1, -1, 0};
    for (i64 i = 0; i < n; i++) {
        if (!chosen[i]) continue;
        for (i64 j = 0; j < n; j++) {
            i64 change = gains[j] - gains[i] - pairwise[i * n + j];
            if (!chosen[j] && change < best.change) best = (Move){i, j, change};
        }
    }
    return best;
}

EXPORT bool pyfsel_move_down(i64 *gains, const i64 *pairwise, bool *chosen, i64 fewest, i64 most_moves, i64 n) {
    i64 size = 0;
    for (i64 i = 0; i < n; i++) size += chosen[i];
    for (i64 moves = 0; moves < most_moves; moves++) {
        Move best = best_flip(gains, chosen, size > fewest, n);
        if (best.change == 0) best = best_swap(gains, pairwise, chosen, n);
        if (best.change == 0) return true;
        if (best.leaves >= 0) {
            chosen[best.leaves] = false;
            change_gains(gains, pairwise + best.leaves * n, -1, n);
            size--;
        }
        if (best.enters >= 0) {
            chosen[best.enters] = true;
            change_gains(gains, pairwise + best.enters * n, 1, n);
            size++;
        }
    }
    return false;
}

/* Step s of a Gray code flips the feature whose number is that of the trailing zeros of s. */
static i64 trailing_zeros(i64 step) {
    i64 i = 0;
    while (!((step >> i) & 1)) i++;
    return i;
}

EXPORT void pyfsel_find_lowest(i64 *gains, const i64 *pairwise, bool allow_empty, i64 *lowest, i64 n) {
    i64 score = 0, mask = 0;
    lowest[0] = allow_empty ? 0 : (i64)1 << 62;
    lowest[1] = 0;
    for (i64 step = 1; step < (i64)1 << n; step++) {
        i64 i = trailing_zeros(step), sign = (mask >> i) & 1 ? -1 : 1;
        score += sign * gains[i];
        change_gains(gains, pairwise + i * n, sign, n);
        mask ^= (i64)1 << i;
        if (score < lowest[0]) lowest[0] = score, lowest[1] = mask;
    }
}
