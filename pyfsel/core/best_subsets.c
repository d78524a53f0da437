/* Best subsets for least squares: branch and bound on Schur complements of a positive definite matrix G.
 *
 * At a level some features S are chosen. Of the candidates, A is the Schur complement of G, c that of the correlations
 * with the target, and the gain of a set T of t candidates is max over β on T of 2cᵀβ − βᵀAβ.
 *
 * Lemma. Let D ≥ 0 be diagonal with A − D ⪰ 0, and g any vector. As (β − g)ᵀ(A − D)(β − g) ≥ 0, with e = c − (A − D)g
 * the gain is at most gᵀ(A − D)g + Σ_{j ∈ T} max over β_j of (2e_jβ_j − D_jβ_j²) = gᵀ(A − D)g + Σ_{j ∈ T} e_j² / D_j,
 * so at most the first term and the t largest of the others.
 * D is inherited: if G − D ⪰ 0, it stays so if one entry of D becomes 0, and Schur complements of it are ⪰ 0.
 * A good g solves (A + D(1/z − 1))g = c with 0 < z ≤ 1 and Σz = t: the perspective relaxation at z. */
#include "best_subsets.h"

#define ROUNDING 2.3e-16

/* Factorise the upper half of a matrix as UᵀU; return whether all pivots are positive. */
static bool factorise(double *U, i64 m, i64 n) {
    for (i64 i = 0; i < m; i++) {
        double *restrict row = U + i * n;
        if (!(row[i] > 0)) return false;
        double scale = 1 / sqrt(row[i]);
        for (i64 j = i; j < m; j++) row[j] *= scale;
        for (i64 r = i + 1; r < m; r++) {
            double *restrict other = U + r * n;
            double times = row[r];
            for (i64 j = r; j < m; j++) other[j] -= times * row[j];
        }
    }
    return true;
}

/* Solve UᵀU x = x in place. */
static void solve_factorised(const double *U, double *restrict x, i64 m, i64 n) {
    for (i64 i = 0; i < m; i++) {
        const double *restrict row = U + i * n;
        x[i] /= row[i];
        for (i64 j = i + 1; j < m; j++) x[j] -= row[j] * x[i];
    }
    for (i64 i = m - 1; i >= 0; i--) {
        const double *restrict row = U + i * n;
        double rest = x[i];
        for (i64 j = i + 1; j < m; j++) rest -= row[j] * x[j];
        x[i] = rest / row[i];
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

/* Change z so that it is proportional to weights, at most 1, and adds up to t. */
static void share_out(double *z, const double *weights, i64 m, i64 t) {
    double low = 0, high = 0;
    for (i64 j = 0; j < m; j++) high = fmax(high, 1 / weights[j]);
    for (i64 step = 0; step < 40; step++) {
        double middle = (low + high) / 2, total = 0;
        for (i64 j = 0; j < m; j++) total += fmin(1, middle * weights[j]);
        if (total < (double)t) low = middle;
        else high = middle;
    }
    for (i64 j = 0; j < m; j++) z[j] = fmax(1e-6, fmin(1, high * weights[j]));
}

/* The bound of the lemma for the candidates of a level, whose first is at 0: its first term (returned) and parts, at
 * the best of some g. What rounding can take from it is added: with G's entries at most 1, an entry of (A − D)g is off
 * by 2(m + 2)u(|g|₁ + 1), and the quadratic form by 4(m + 2)u(|g|₁ + 1)². */
static double bound_gain(Subsets *s, i64 level, double need, i64 t) {
    i64 n = s->n, m = s->size[level];
    const double *A = s->gram + level * n * n, *c = s->target + level * n;
    const i64 *id = s->features + level * n;
    double *z = s->vectors, *g = z + n, *d = g + n, *e = d + n, *part = e + n, *largest = part + n;
    double *parts = s->parts + level * n, best = INFINITY, first = INFINITY, last = INFINITY;
    for (i64 j = 0; j < m; j++) {
        d[j] = s->diagonal[id[j]];
        z[j] = (double)t / (double)m;
    }
    for (i64 round = 0; round < 6; round++) {
        for (i64 i = 0; i < m; i++) {
            memcpy(s->factor + i * n + i, A + i * n + i, sizeof(double) * (size_t)(m - i));
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
    for (i64 a = 0; a < kept; a++) moved[a] = c[(i64)order[a]];
    memcpy(c, moved, sizeof(double) * (size_t)kept);
    for (i64 a = 0; a < kept; a++) moved[a] = parts[(i64)order[a]];
    memcpy(parts, moved, sizeof(double) * (size_t)kept);
    for (i64 a = 0; a < kept; a++) moved[a] = (double)id[(i64)order[a]];
    for (i64 a = 0; a < kept; a++) id[a] = (i64)moved[a];
    s->first[level] = 0;
    s->size[level] = kept;
}

/* Whether a feature may join the chosen ones of a level, as far as the sets before are concerned. */
static bool fits(const Subsets *s, i64 level, i64 feature) {
    for (i64 p = 0; p < s->known; p++)
        if ((s->previous[p * s->n + feature]) && s->left[level * s->known + p] == 0) return false;
    return true;
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
    s->chosen[level] = id[i];
    for (i64 p = 0; p < s->known; p++)
        s->left[(level + 1) * s->known + p] = s->left[level * s->known + p] - (i64)s->previous[p * n + id[i]];
    bool all = true;
    for (i64 j = i + 1; j < m && all; j++) all = fits(s, level + 1, id[j]);
    for (i64 j = i + 1; j < m; j++) {
        if (!all && !fits(s, level + 1, id[j])) continue;
        double times = pivot_row[j] / pivot;
        const double *restrict row = A + j * n;
        double *restrict out = B + kept * n;
        names[kept] = id[j];
        rest[kept] = parts[j];
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
    s->gained[level + 1] = s->gained[level] + c[i] * c[i] / pivot;
    s->upper[level + 1] = s->upper[level] + parts[i];
    s->first[level + 1] = 0;
    s->size[level + 1] = kept;
}

static i64 record(Subsets *s, i64 count, i64 second_last, i64 last) {
    i64 *set = s->found + count * s->levels;
    memcpy(set, s->chosen, sizeof(i64) * (size_t)s->levels);
    if (second_last >= 0) set[s->levels - 2] = second_last;
    set[s->levels - 1] = last;
    return count + 1;
}

/* All sets with the first candidate and one after it, at the last level but one: with pivot p the second adds x²/r,
 * compared without a division as r > 0. */
static i64 pair_first(Subsets *s, i64 level, double need, i64 count) {
    i64 n = s->n, i = s->first[level], m = s->size[level];
    const double *A = s->gram + level * n * n, *restrict c = s->target + level * n, *restrict row = A + i * n;
    const i64 *id = s->features + level * n;
    double *restrict over = s->vectors;
    double p = 1 / row[i], own = c[i], rest = need - own * own * p, least = fmax(rest, 0), most = -INFINITY;
    for (i64 j = i + 1; j < m; j++) over[j] = A[j * n + j];
    for (i64 j = i + 1; j < m; j++) {
        double times = row[j] * p, r = over[j] - row[j] * times, x = c[j] - times * own;
        over[j] = x * x - least * r;
    }
    for (i64 j = i + 1; j < m; j++) most = over[j] > most ? over[j] : most;
    if (most < 0 && rest > 0) return count;
    for (i64 p0 = 0; p0 < s->known; p0++)
        s->left[(level + 1) * s->known + p0] = s->left[level * s->known + p0] - (i64)s->previous[p0 * n + id[i]];
    for (i64 j = i + 1; j < m; j++)
        if ((rest <= 0 || over[j] >= 0) && fits(s, level + 1, id[j])) count = record(s, count, id[i], id[j]);
    return count;
}

static double number_of_sets(i64 m, i64 t) {
    double number = 1;
    for (i64 i = 0; i < t; i++) number *= (double)(m - i) / (double)(t - i);
    return number;
}

/* Go on until the tree is searched (level −1), the work is done, or there is no room: return how many sets were found
 * whose gain is at least `target`. Of m candidates up to `tried` · m³ sets are tried without another bound. */
EXPORT i64 pyfsel_search_subsets(Subsets *s, double target, double tried, i64 work) {
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
        if (t <= 2) {
            if (s->room - count < n) return count;
            done += m - i;
            if (t == 2) {
                count = pair_first(s, level, need, count);
                s->first[level]++;
                continue;
            }
            const double *A = s->gram + level * n * n, *c = s->target + level * n;
            for (i64 j = i; j < m; j++)
                if (c[j] * c[j] >= need * A[j * n + j] && fits(s, level, s->features[level * n + j]))
                    count = record(s, count, -1, s->features[level * n + j]);
            s->state[0]--;
            continue;
        }
        double left = (double)(m - i);
        if (number_of_sets(m - i, t) > tried * left * left * left) {
            if (i > 0) {
                for (i64 j = i; j < m; j++) {
                    s->target[level * n + j - i] = s->target[level * n + j];
                    s->parts[level * n + j - i] = s->parts[level * n + j];
                    s->features[level * n + j - i] = s->features[level * n + j];
                    double *row = s->gram + level * n * n;
                    memmove(row + (j - i) * n + j - i, row + j * n + j, sizeof(double) * (size_t)(m - j));
                }
                s->first[level] = 0;
                s->size[level] = m -= i;
            }
            s->state[2]++;
            done += m * m * m;
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
