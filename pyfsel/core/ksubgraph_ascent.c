/* Large values of a concave function linear'x + ½ x'Hx among x of one sum, each from 0 to 1.
 *
 * The tangent at any such x is above the function, so that each x gives a bound, by the largest slopes: no x has to be
 * the best one. */
#include "ksubgraph.h"

/* Any x gives a bound: so these limits only say how near to the largest value it is worth to come. */
static const i64 MOST_ROUNDS = 20;  /* each computes all slopes, and exchanges among the largest; by trial */
static const i64 MOST_STEPS = 300; /* exchanges between two computations of all slopes */
static const double SHARE_OF_GAP = 2.0; /* an exchange pays if it may move the bound by this part of the gap */

/* Shift x to sum to `total`, moving non-zero entries first. */
void move_to_sum(const Concave *f, i64 total, double *point) {
    double before = 0, room = 0, room_of_all = 0, sum = (double)total;
    for (i64 j = 0; j < f->size; j++) {
        before += point[j];
        if (point[j] > 0) room += 1 - point[j];
        if (f->linear[j] > -INFINITY) room_of_all += 1 - point[j];
    }
    bool everywhere = before + room <= sum;
    if (everywhere) room = room_of_all;
    for (i64 j = 0; j < f->size; j++) {
        bool takes = point[j] > 0 || (everywhere && f->linear[j] > -INFINITY);
        if (before > sum) point[j] *= sum / before;
        if (before < sum && takes) point[j] += (sum - before) / room * (1 - point[j]);
    }
}

/* Write the gradient linear + H x; return how many of x are not 0. */
static i64 write_gradient(const Concave *f, const double *point, double *restrict gradient) {
    i64 count = 0;
    memcpy(gradient, f->linear, (size_t)f->size * sizeof(double));
    for (i64 i = 0; i < f->size; i++) {
        double x = point[i];
        const double *row = f->curvature + i * f->size;
        if (!(x > 0)) continue;
        count++;
        for (i64 j = 0; j < f->size; j++) gradient[j] += x * row[j];
    }
    return count;
}

/* Write the value at x, and what its tangent is besides the slopes: ½ (linear − gradient)'x. */
void write_value_and_rest(const Concave *f, const double *point, const double *gradient, double *value, double *rest) {
    *value = *rest = 0;
    for (i64 j = 0; j < f->size; j++) {
        if (!(point[j] > 0)) continue;
        *value += (f->linear[j] + gradient[j]) * point[j] / 2;
        *rest += (f->linear[j] - gradient[j]) * point[j] / 2;
    }
}

/* The features that an exchange is among: their part of H, x, and the slopes of those that can rise and of those that
 * can fall, infinite ones elsewhere. */
typedef struct {
    double *curvature; /* (size, size) */
    double *point;
    double *rising;
    double *falling;
    i64 size;
} Among;

/* Move x of one feature up and of another one down, as far as it pays or they can. */
static void exchange_two(const Among *a, i64 up, i64 down) {
    const double *of_up = a->curvature + up * a->size, *of_down = a->curvature + down * a->size;
    double *restrict rising = a->rising, *restrict falling = a->falling, *point = a->point;
    double highest = rising[up], lowest = falling[down], bend = 2 * of_up[down] - of_up[up] - of_down[down];
    double move = 1 - point[up] < point[down] ? 1 - point[up] : point[down];
    if (bend > 0 && (highest - lowest) / bend < move) move = (highest - lowest) / bend;
    bool is_whole_up = move == 1 - point[up], is_whole_down = move == point[down];
    point[up] = is_whole_up ? 1 : point[up] + move;
    point[down] = is_whole_down ? 0 : point[down] - move;
    falling[up] = highest;
    rising[down] = lowest;
    for (i64 j = 0; j < a->size; j++) {
        double change = move * (of_up[j] - of_down[j]);
        rising[j] += change;
        falling[j] += change;
    }
    if (is_whole_up) rising[up] = -INFINITY;
    if (is_whole_down) falling[down] = INFINITY;
}

/* Move x to larger values, the steepest feature that can rise against the least steep one that can fall; return the
 * number of steps. It ends where their slopes differ by no more than the slack. */
static i64 exchange(const Among *a, double slack) {
    for (i64 step = 0; step < MOST_STEPS; step++) {
        i64 up = 0, down = 0;
        double highest = -INFINITY, lowest = INFINITY;
        for (i64 j = 0; j < a->size; j++) {
            if (a->rising[j] > highest) up = j, highest = a->rising[j];
            if (a->falling[j] < lowest) down = j, lowest = a->falling[j];
        }
        if (highest - lowest <= slack) return step;
        exchange_two(a, up, down);
    }
    return MOST_STEPS;
}

/* Move some of x as `exchange` does; the gradient is not kept up to date. */
static i64 exchange_among(
    const Concave *f, const i64 *some, i64 count, double slack, double *point, const double *gradient, double *room
) {
    Among a = {room, room + count * count, room + count * (count + 1), room + count * (count + 2), count};
    for (i64 i = 0; i < count; i++) {
        a.point[i] = point[some[i]];
        a.rising[i] = a.point[i] < 1 ? gradient[some[i]] : -INFINITY;
        a.falling[i] = a.point[i] > 0 ? gradient[some[i]] : INFINITY;
        for (i64 j = 0; j < count; j++) a.curvature[i * count + j] = f->curvature[some[i] * f->size + some[j]];
    }
    i64 steps = exchange(&a, slack);
    for (i64 i = 0; i < count; i++) point[some[i]] = a.point[i];
    return steps;
}

/* Write the gradient, the largest slopes and the places of the features of x and of these slopes; return the work. */
static i64 write_slopes(
    const Concave *f, const double *point, double *gradient, double *top, i64 missing, i64 *some, i64 *count
) {
    i64 support = write_gradient(f, point, gradient);
    *count = 0;
    for (i64 i = 0; i < missing; i++) top[i] = -INFINITY;
    for (i64 j = 0; j < f->size; j++)
        if (gradient[j] > top[0]) insert_real(top, missing, gradient[j]);
    for (i64 j = 0; j < f->size; j++)
        if (point[j] > 0 || gradient[j] >= top[0]) some[(*count)++] = j;
    return f->size * (3 + support / 5); /* passes over all features; of a row of H five entries take as long as one */
}

/* Move x to larger values, and return how much work it was. It pauses after so much work: then `rounds` says how many
 * there were so far, otherwise it is 0, and the gradient and the largest slopes are those at x.
 *
 * It ends where the tangent shows that no set reaches the target, or that x is beyond the target, and nearer to the
 * largest value. Steps are among the features of x and those of the largest slopes, in turns with all slopes.
 * `some` has room for `size` numbers, `among` for size (size + 3). */
i64 climb(const Concave *f, double target, double margin, double *point, double *gradient, double *top, i64 missing,
          i64 *some, double *among, i64 *rounds, i64 most_work) {
    i64 work = 0;
    while (work < most_work) {
        double value, rest, bound = 0;
        i64 count, round = *rounds + 1;
        work += write_slopes(f, point, gradient, top, missing, some, &count);
        write_value_and_rest(f, point, gradient, &value, &rest);
        for (i64 i = 0; i < missing; i++) bound += top[i];
        bound += rest;
        *rounds = 0;
        if (bound < target || (value > target && bound - value < value - target) || round == MOST_ROUNDS) return work;
        double slack = fabs(value - target) * SHARE_OF_GAP / (double)missing;
        i64 steps = exchange_among(f, some, count, slack > margin ? slack : margin, point, gradient, among);
        work += count * (count + 3 * steps); /* copying their part of H, and three passes over them for each step */
        if (steps == 0) return work;
        *rounds = round;
    }
    return work;
}
