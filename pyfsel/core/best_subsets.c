/* Best subsets for least squares: branch and bound on Schur complements of a positive definite matrix G.
 *
 * At a level some features S are chosen. Of the candidates, A is the Schur complement of G, c that of the correlations
 * with the target, and the gain of a set T of t candidates is max over β on T of 2cᵀβ − βᵀAβ.
 *
 * Lemma. Let D ≥ 0 be diagonal with A − D ⪰ 0, and g any vector. As (β − g)ᵀ(A − D)(β − g) ≥ 0, with e = c − (A − D)g
 * the gain is at most gᵀ(A − D)g + Σ_{j ∈ T} max over β_j of (2e_jβ_j − D_jβ_j²) = gᵀ(A − D)g + Σ_{j ∈ T} e_j² / D_j,
 * so at most the first term and the t largest of the others.
 * D is inherited: if G − D ⪰ 0, it stays so if one entry of D becomes 0, and Schur complements of it are ⪰ 0.
 * Where many sets are left, D is made anew for A: D_j = κ/(A⁻¹)_jj, with κ nearly as large as A − D ⪰ 0 allows.
 * A good g solves (A + D(1/z − 1))g = c with 0 < z ≤ 1 and Σz = t: the perspective relaxation at z. The search for a
 * good z begins where that of the bound before ended, so that few rounds do. */
#include "best_subsets.h"

#define ROUNDING 2.3e-16
#define PANEL 32 /* a multiple of 4 */
#define SPREAD 0.5 /* what a bound begins with is so much nearer to equal shares than that before it */

/* Factorise the upper half of a matrix as UᵀU; return whether all pivots are positive. Panels of rows, so that each of
 * the others is read and written once for four of them. */
WIDE static bool factorise(double *U, i64 m, i64 n) {
    for (i64 first = 0; first < m; first += PANEL) {
        i64 end = first + PANEL < m ? first + PANEL : m;
        for (i64 i = first; i < end; i++) {
            double *restrict row = U + i * n;
            if (!(row[i] > 0)) return false;
            double scale = 1 / sqrt(row[i]);
            for (i64 j = i; j < m; j++) row[j] *= scale;
            for (i64 r = i + 1; r < end; r++) {
                double *restrict other = U + r * n;
                double times = row[r];
                for (i64 j = r; j < m; j++) other[j] -= times * row[j];
            }
        }
        for (i64 r = end; r < m; r++) {
            double *restrict other = U + r * n;
            for (i64 i = first; i < end; i += 4) {
                const double *restrict a = U + i * n, *restrict b = a + n, *restrict c = b + n, *restrict d = c + n;
                double p = a[r], q = b[r], s = c[r], t = d[r];
                for (i64 j = r; j < m; j++) other[j] -= p * a[j] + q * b[j] + s * c[j] + t * d[j];
            }
        }
    }
    return true;
}

static void copy_upper(const double *A, double *to, i64 m, i64 n) {
    for (i64 i = 0; i < m; i++) memcpy(to + i * n + i, A + i * n + i, sizeof(double) * (size_t)(m - i));
}

/* Solve Uᵀx = x in place, where the entries before the first one are 0. */
WIDE static void solve_lower(const double *U, double *restrict x, i64 first, i64 m, i64 n) {
    for (i64 i = first; i < m; i++) {
        const double *restrict row = U + i * n;
        x[i] /= row[i];
        for (i64 j = i + 1; j < m; j++) x[j] -= row[j] * x[i];
    }
}

/* Solve UᵀU x = x in place. */
static void solve_factorised(const double *U, double *restrict x, i64 m, i64 n) {
    solve_lower(U, x, 0, m, n);
    for (i64 i = m - 1; i >= 0; i--) {
        const double *restrict row = U + i * n;
        double rest = x[i];
        for (i64 j = i + 1; j < m; j++) rest -= row[j] * x[j];
        x[i] = rest / row[i];
    }
}

/* Make D for the candidates of a level, whose first is at 0, if that is possible. κ is the reciprocal of the largest
 * eigenvalue of √T A⁻¹ √T with T_j = 1/(A⁻¹)_jj, by power iteration, then less until A − κT − shift has a factor: then
 * it is positive definite up to the rounding of the factor, at most 4(m + 2)·m·u as A's entries are at most 1, which the
 * shift includes (Rump 2006). The margin is what the floats of the tree can be off. */
static void renew_diagonal(Subsets *s, i64 level) {
    i64 n = s->n, m = s->size[level];
    const double *A = s->gram + level * n * n;
    const i64 *id = s->features + level * n;
    double *root = s->vectors, *v = root + n, *column = v + n, length = 0;
    double shift = s->margin + 4 * ROUNDING * (double)((m + 2) * m);
    copy_upper(A, s->factor, m, n);
    if (!factorise(s->factor, m, n)) return;
    for (i64 j = 0; j < m; j++) {
        double total = 0;
        for (i64 i = j; i < m; i++) column[i] = i == j;
        solve_lower(s->factor, column, j, m, n);
        for (i64 i = j; i < m; i++) total += column[i] * column[i];
        root[j] = 1 / sqrt(total);
        v[j] = 1 + 0.1 * (double)(j % 7);
    }
    for (i64 round = 0; round < 12; round++) {
        double norm = 0;
        for (i64 j = 0; j < m; j++) norm += v[j] * v[j];
        for (i64 j = 0; j < m; j++) v[j] *= root[j] / sqrt(norm);
        solve_factorised(s->factor, v, m, n);
        length = 0;
        for (i64 j = 0; j < m; j++) {
            v[j] *= root[j];
            length += v[j] * v[j];
        }
    }
    double factor = 0.97 / sqrt(length);
    for (i64 trial = 0; trial < 20; trial++, factor *= 0.93) {
        copy_upper(A, s->factor, m, n);
        for (i64 j = 0; j < m; j++) s->factor[j * n + j] -= factor * root[j] * root[j] + shift;
        if (!factorise(s->factor, m, n)) continue;
        for (i64 j = 0; j < m; j++) s->diagonal[level * n + id[j]] = factor * root[j] * root[j];
        return;
    }
}

/* Write the t largest of m numbers, in decreasing order. */
static void keep_largest(const double *numbers, double *largest, i64 m, i64 t) {
    i64 count = 0;
    for (i64 j = 0; j < m; j++) {
        if (count == t && !(numbers[j] > largest[t - 1])) continue;
        i64 place = count < t ? count++ : t - 1;
        for (; place > 0 && largest[place - 1] < numbers[j]; place--) largest[place] = largest[place - 1];
        largest[place] = numbers[j];
    }
}

/* Change z so that it is proportional to weights, at most 1, and adds up to nearly t: the factor grows as more of them
 * are 1. */
static void share_out(double *z, const double *weights, i64 m, i64 t) {
    double factor = 0;
    for (i64 step = 0; step < 8; step++) {
        double rest = 0, left = (double)t;
        for (i64 j = 0; j < m; j++) {
            if (factor * weights[j] >= 1) left--;
            else rest += weights[j];
        }
        if (!(left > 0 && rest > 0)) break;
        factor = left / rest;
    }
    for (i64 j = 0; j < m; j++) z[j] = fmax(1e-6, fmin(1, factor * weights[j]));
}

/* The bound of the lemma for the candidates of a level, whose first is at 0: its first term (returned) and parts, at
 * the best of some g. What rounding can take from it is added: with G's entries at most 1, an entry of (A − D)g is off
 * by 2(m + 2)u(|g|₁ + 1), and the quadratic form by 4(m + 2)u(|g|₁ + 1)². */
static double bound_gain(Subsets *s, i64 level, double need, i64 t) {
    i64 n = s->n, m = s->size[level];
    const double *A = s->gram + level * n * n, *c = s->target + level * n;
    const i64 *id = s->features + level * n;
    double *z = s->shares + level * n, *g = s->vectors, *d = g + n, *e = d + n, *part = e + n, *largest = part + n;
    double *parts = s->parts + level * n, best = INFINITY, first = INFINITY, last = INFINITY;
    for (i64 j = 0; j < m; j++) {
        d[j] = s->diagonal[level * n + id[j]];
        z[j] += SPREAD * (double)t / (double)m;
    }
    share_out(z, z, m, t);
    for (i64 round = 0; round < 6; round++) {
        copy_upper(A, s->factor, m, n);
        for (i64 i = 0; i < m; i++) {
            s->factor[i * n + i] += d[i] * (1 / z[i] - 1);
            g[i] = c[i];
        }
        if (!factorise(s->factor, m, n)) return first;
        solve_factorised(s->factor, g, m, n);
        double length = 1;
        for (i64 j = 0; j < m; j++) {
            length += fabs(g[j]);
            e[j] = d[j] * g[j];
        }
        for (i64 i = 0; i < m; i++) {
            const double *restrict row = A + i * n;
            double own = row[i] * g[i];
            for (i64 j = i + 1; j < m; j++) {
                e[j] -= row[j] * g[i];
                own += row[j] * g[j];
            }
            e[i] -= own;
        }
        double off = 2 * ROUNDING * (double)(m + 2) * length, base = 2 * off * length, total;
        for (i64 j = 0; j < m; j++) {
            base -= g[j] * e[j];
            e[j] += c[j];
            part[j] = (fabs(e[j]) + off) * (fabs(e[j]) + off) / d[j];
        }
        keep_largest(part, largest, m, t);
        total = base;
        for (i64 j = 0; j < t; j++) total += largest[j];
        if (total < best) {
            best = total;
            first = base;
            memcpy(parts, part, sizeof(double) * (size_t)m);
        }
        if (best < need || total > last - 0.02 * (last - need)) break;
        last = total;
        for (i64 j = 0; j < m; j++) part[j] = sqrt(d[j]) * fabs(g[j]) + 1e-14;
        share_out(z, part, m, t);
    }
    return first;
}

/* Put numbers of candidates into another order. */
static void reorder(double *numbers, const double *order, double *room, i64 kept) {
    for (i64 a = 0; a < kept; a++) room[a] = numbers[(i64)order[a]];
    memcpy(numbers, room, sizeof(double) * (size_t)kept);
}

/* Leave out the candidates that no set with the gain `need` holds, and order the others by decreasing parts. */
static void sort_candidates(Subsets *s, i64 level, double base, double need, i64 t) {
    i64 n = s->n, m = s->size[level], kept = 0;
    double *A = s->gram + level * n * n, *c = s->target + level * n, *parts = s->parts + level * n;
    i64 *id = s->features + level * n;
    double *largest = s->vectors, *order = largest + n, *moved = order + n;
    keep_largest(parts, largest, m, t);
    for (i64 j = 0; j < t - 1; j++) base += largest[j];
    for (i64 j = 0; j < m; j++) {
        if (base + fmin(parts[j], largest[t - 1]) < need) continue;
        i64 place = kept++;
        for (; place > 0 && parts[(i64)order[place - 1]] < parts[j]; place--) order[place] = order[place - 1];
        order[place] = (double)j;
    }
    for (i64 a = 0; a < kept; a++)
        for (i64 b = a; b < kept; b++) {
            i64 i = (i64)order[a], j = (i64)order[b];
            s->factor[a * n + b] = i < j ? A[i * n + j] : A[j * n + i];
        }
    for (i64 a = 0; a < kept; a++)
        memcpy(A + a * n + a, s->factor + a * n + a, sizeof(double) * (size_t)(kept - a));
    reorder(c, order, moved, kept);
    reorder(parts, order, moved, kept);
    reorder(s->shares + level * n, order, moved, kept);
    for (i64 a = 0; a < kept; a++) moved[a] = (double)id[(i64)order[a]];
    for (i64 a = 0; a < kept; a++) id[a] = (i64)moved[a];
    s->first[level] = 0;
    s->size[level] = kept;
}

/* Whether a feature may join the chosen ones of a level, as far as limits are concerned. */
static bool fits(const Subsets *s, i64 level, i64 feature) {
    for (i64 p = 0; p < s->known; p++)
        if ((s->limited[p * s->n + feature]) && s->left[level * s->known + p] == 0) return false;
    return true;
}

/* Choose a feature at a level. */
static void take(Subsets *s, i64 level, i64 feature) {
    s->chosen[level] = feature;
    for (i64 p = 0; p < s->known; p++)
        s->left[(level + 1) * s->known + p] = s->left[level * s->known + p] - (i64)s->limited[p * s->n + feature];
}

/* Whether all candidates after the first one of a level may join it. */
static bool all_fit(const Subsets *s, i64 level) {
    bool all = true;
    for (i64 j = s->first[level] + 1; j < s->size[level] && all; j++)
        all = fits(s, level + 1, s->features[level * s->n + j]);
    return all;
}

/* Choose the first candidate of a level: the next level holds the Schur complement of those after it. */
static void choose_first(Subsets *s, i64 level) {
    i64 n = s->n, i = s->first[level], m = s->size[level], kept = 0;
    const double *A = s->gram + level * n * n, *c = s->target + level * n, *parts = s->parts + level * n;
    const i64 *id = s->features + level * n;
    double *B = s->gram + (level + 1) * n * n, *to = s->target + (level + 1) * n, *rest = s->parts + (level + 1) * n;
    i64 *names = s->features + (level + 1) * n;
    const double *pivot_row = A + i * n;
    double pivot = pivot_row[i];
    take(s, level, id[i]);
    bool all = all_fit(s, level);
    for (i64 j = i + 1; j < m; j++) {
        if (!all && !fits(s, level + 1, id[j])) continue;
        double times = pivot_row[j] / pivot;
        const double *restrict row = A + j * n;
        double *restrict out = B + kept * n;
        names[kept] = id[j];
        rest[kept] = parts[j];
        s->shares[(level + 1) * n + kept] = s->shares[level * n + j];
        to[kept] = c[j] - times * c[i];
        if (all) {
            i64 shift = i + 1;
            for (i64 b = j; b < m; b++) out[b - shift] = row[b] - times * pivot_row[b];
        } else {
            i64 place = kept;
            for (i64 b = j; b < m; b++)
                if (fits(s, level + 1, id[b])) out[place++] = row[b] - times * pivot_row[b];
        }
        kept++;
    }
    memcpy(s->diagonal + (level + 1) * n, s->diagonal + level * n, sizeof(double) * (size_t)n);
    s->gained[level + 1] = s->gained[level] + c[i] * c[i] / pivot;
    s->upper[level + 1] = s->upper[level] + parts[i];
    s->first[level + 1] = 0;
    s->size[level + 1] = kept;
}

/* Note the chosen ones with a last feature. */
static i64 record(Subsets *s, i64 count, i64 last) {
    i64 *set = s->found + count * s->levels;
    memcpy(set, s->chosen, sizeof(i64) * (size_t)s->levels);
    set[s->levels - 1] = last;
    return count + 1;
}

/* Whether one of m candidates b, beside a that was chosen before it, adds x²/r of at least `least`: compared without a
 * division, as r > 0. `row` and `first` are the rows of a and of a candidate chosen before both, `times` what a takes of
 * the latter; d and c are what is left of the diagonal and of the target after that one. */
WIDE static bool any_pair(
    const double *restrict row, const double *restrict first, const double *restrict d, const double *restrict c, i64 m,
    double times, double pivot, double own, double least
) {
    i64 any = 0;
    for (i64 b = 0; b < m; b++) {
        double shared = row[b] - times * first[b], share = shared * pivot;
        double r = d[b] - shared * share, x = c[b] - share * own;
        any |= -(i64)(x * x - least * r >= 0);
    }
    return any != 0;
}

/* All sets with two candidates from `second` on, after the first candidate of the level was chosen as well if `pivot`
 * (of that level, else −1) says which. As parts decrease, sets with the last ones are left out as soon as none of them
 * reaches the target. Returns early, with state[3] as the candidate to go on with, if there is no room. */
static i64 search_pairs(Subsets *s, i64 level, i64 pivot, double target, i64 count) {
    i64 n = s->n, m = s->size[level], start = pivot < 0 ? 0 : pivot + 1, chosen = level + (pivot >= 0), end = m;
    const double *A = s->gram + level * n * n, *c = s->target + level * n, *parts = s->parts + level * n;
    const double *first = pivot < 0 ? A : A + pivot * n;
    const i64 *id = s->features + level * n;
    double *u = s->vectors, *d = u + n, *x = d + n, gained = s->gained[level], upper = s->upper[level];
    if (pivot >= 0) {
        gained += c[pivot] * c[pivot] / first[pivot];
        upper += parts[pivot];
    }
    for (i64 j = start; j < m; j++) {
        u[j] = pivot < 0 ? 0 : first[j] / first[pivot];
        d[j] = A[j * n + j] - u[j] * first[j];
        x[j] = pivot < 0 ? c[j] : c[j] - u[j] * c[pivot];
    }
    for (i64 a = s->state[3] > 0 ? s->state[3] : start; a < m; a++) {
        const double *row = A + a * n;
        double p = 1 / d[a], rest = target - gained - x[a] * x[a] * p, least = fmax(rest, 0);
        while (end > a + 1 && upper + parts[a] + parts[end - 1] < target) end--;
        if (end <= a + 1) break;
        i64 after = a + 1;
        if (rest > 0 && !any_pair(row + after, first + after, d + after, x + after, end - after, u[a], p, x[a], least))
            continue;
        if (s->room - count < n) {
            s->state[3] = a;
            return count;
        }
        if (!fits(s, chosen, id[a])) continue;
        take(s, chosen, id[a]);
        for (i64 b = after; b < end; b++) {
            double shared = row[b] - u[a] * first[b], share = shared * p;
            double r = d[b] - shared * share, left = x[b] - share * x[a];
            if ((rest <= 0 || left * left - least * r >= 0) && fits(s, chosen + 1, id[b])) count = record(s, count, id[b]);
        }
    }
    s->state[3] = 0;
    return count;
}

static double number_of_sets(i64 m, i64 t) {
    double number = 1;
    for (i64 i = 0; i < t; i++) number *= (double)(m - i) / (double)(t - i);
    return number;
}

/* Go on until the tree is searched (level −1), the work is done, or there is no room: return how many sets were found
 * whose gain is at least `target`. Of m candidates up to `tried` · m³ sets are tried without another bound; of more than `renewed` · m³ D is made anew. */
EXPORT i64 pyfsel_search_subsets(Subsets *s, double target, double tried, double renewed, i64 work) {
    i64 count = 0, n = s->n, done = 0;
    while (s->state[0] >= 0 && done < work) {
        i64 level = s->state[0], t = s->levels - level, i = s->first[level], m = s->size[level];
        double need = target - s->gained[level], most = s->upper[level];
        for (i64 j = i; j < i + t && j < m; j++) most += s->parts[level * n + j];
        done += 64;
        if (m - i < t || most < target) {
            s->state[0]--;
            continue;
        }
        if (t == 1) {
            if (s->room - count < n) return count;
            const double *A = s->gram + level * n * n, *c = s->target + level * n;
            for (i64 j = i; j < m; j++)
                if (c[j] * c[j] >= need * A[j * n + j] && fits(s, level, s->features[level * n + j]))
                    count = record(s, count, s->features[level * n + j]);
            done += m;
            s->state[0]--;
            continue;
        }
        if (t == 2) {
            count = search_pairs(s, level, -1, target, count);
            if (s->state[3] > 0) return count;
            done += m * m / 2;
            s->state[0]--;
            continue;
        }
        if (t == 3) {
            take(s, level, s->features[level * n + i]);
            if (all_fit(s, level)) {
                s->state[1]++;
                count = search_pairs(s, level, i, target, count);
                if (s->state[3] > 0) return count;
                done += (m - i) * (m - i) / 2;
                s->first[level]++;
                continue;
            }
        }
        double left = (double)(m - i);
        double number = number_of_sets(m - i, t) / (left * left * left);
        if (number > tried) {
            if (i > 0) {
                for (i64 j = i; j < m; j++) {
                    s->target[level * n + j - i] = s->target[level * n + j];
                    s->parts[level * n + j - i] = s->parts[level * n + j];
                    s->shares[level * n + j - i] = s->shares[level * n + j];
                    s->features[level * n + j - i] = s->features[level * n + j];
                    double *row = s->gram + level * n * n;
                    memmove(row + (j - i) * n + j - i, row + j * n + j, sizeof(double) * (size_t)(m - j));
                }
                s->first[level] = 0;
                s->size[level] = m -= i;
            }
            s->state[2]++;
            done += m * m * m;
            if (number > renewed) renew_diagonal(s, level);
            double base = bound_gain(s, level, need, t);
            if (base < INFINITY) {
                sort_candidates(s, level, base, need, t);
                s->upper[level] = s->gained[level] + base;
                if (s->size[level] < t) {
                    s->state[0]--;
                    continue;
                }
            }
        }
        s->state[1]++;
        m = s->size[level] - s->first[level];
        done += m * m / 2;
        choose_first(s, level);
        s->first[level]++;
        s->state[0]++;
    }
    return count;
}
