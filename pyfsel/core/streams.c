/* Counts of tables that are read in parts; see pyfsel.measures.streams. All are whole numbers, so that no order of the
 * parts changes them. */
#include "core.h"

enum { CELLS = 65536, NO_SLOT = 255, ROWS_AT_ONCE = 4096 };

/* Keys are ordered as the numbers are: of negative ones all bits are turned, of others the sign alone. Both zeros have
 * one key, and all that are no number have the largest. Those of single precision fill the upper half. There is no branch
 * at the sign, which no processor would foresee. */
static inline u64 key_of_single(uint32_t bits) {
    uint32_t size = bits & 0x7FFFFFFFu;
    if (size > 0x7F800000u) return ~(u64)0;
    bits &= 0u - (size != 0);
    return (u64)(bits ^ ((0u - (bits >> 31)) | 0x80000000u)) << 32;
}

static inline u64 key_of_double(u64 bits) {
    u64 size = bits & 0x7FFFFFFFFFFFFFFFu;
    if (size > 0x7FF0000000000000u) return ~(u64)0;
    bits &= 0u - (u64)(size != 0);
    return bits ^ ((0u - (bits >> 63)) | 0x8000000000000000u);
}

/* Count a key by the 16 bits behind those that `depth` tables lead through, unless a table leads nowhere.
 *
 * Table d holds for each slot and each value of the next 16 bits the slot of table d + 1. */
static inline void count_key(u64 key, const uint8_t *tables, i64 depth, uint32_t *counts, i64 n_slots) {
    i64 slot = 0;
    for (i64 d = 0; d < depth; d++) {
        slot = tables[(d * n_slots + slot) * CELLS + ((key >> (48 - 16 * d)) & 0xFFFF)];
        if (slot == NO_SLOT) return;
    }
    counts[slot * CELLS + ((key >> (48 - 16 * depth)) & 0xFFFF)]++;
}

EXPORT void pyfsel_count_singles(const uint32_t *values, const uint8_t *tables, uint32_t *counts, i64 n_rows,
                                 i64 depth, i64 n_slots, i64 n_open) {
    (void)n_open;
    if (depth == 0)
        for (i64 i = 0; i < n_rows; i++) counts[key_of_single(values[i]) >> 48]++;
    else
        for (i64 i = 0; i < n_rows; i++) count_key(key_of_single(values[i]), tables, depth, counts, n_slots);
}

EXPORT void pyfsel_count_doubles(const u64 *values, const uint8_t *tables, uint32_t *counts, i64 n_rows, i64 depth,
                                 i64 n_slots, i64 n_open) {
    (void)n_open;
    for (i64 i = 0; i < n_rows; i++) count_key(key_of_double(values[i]), tables, depth, counts, n_slots);
}

/* Write for each number the code of the interval that it is in, which begin at ascending bounds; what is no number has
 * the last code. */
EXPORT void pyfsel_encode_singles(const float *values, const float *bounds, const uint8_t *codes,
                                  uint8_t *found, i64 n_rows, i64 n_bounds) {
    int32_t above[ROWS_AT_ONCE];
    for (i64 begin = 0; begin < n_rows; begin += ROWS_AT_ONCE) {
        i64 n = min_of(ROWS_AT_ONCE, n_rows - begin);
        memset(above, 0, sizeof above);
        for (i64 b = 0; b < n_bounds; b++)
            for (i64 i = 0; i < n; i++) above[i] += values[begin + i] >= bounds[b];
        for (i64 i = 0; i < n; i++)
            found[begin + i] = isnan(values[begin + i]) ? codes[n_bounds + 1] : codes[above[i]];
    }
}

EXPORT void pyfsel_encode_doubles(const double *values, const double *bounds, const uint8_t *codes,
                                  uint8_t *found, i64 n_rows, i64 n_bounds) {
    i64 above[ROWS_AT_ONCE];
    for (i64 begin = 0; begin < n_rows; begin += ROWS_AT_ONCE) {
        i64 n = min_of(ROWS_AT_ONCE, n_rows - begin);
        memset(above, 0, sizeof above);
        for (i64 b = 0; b < n_bounds; b++)
            for (i64 i = 0; i < n; i++) above[i] += values[begin + i] >= bounds[b];
        for (i64 i = 0; i < n; i++)
            found[begin + i] = isnan(values[begin + i]) ? codes[n_bounds + 1] : codes[above[i]];
    }
}

/* Add the cells of two lanes to the counts of one column of each.
 *
 * A lane holds two columns in a byte, first · size of the second + second; one alone has a second of size 1. */
static void add_cells(const uint32_t *cells, const i64 *sizes, i64 which, const i64 *other_sizes, i64 other,
                      uint32_t *counts, i64 n_levels) {
    i64 width = other_sizes[0] * other_sizes[1];
    for (i64 x = 0; x < sizes[0] * sizes[1]; x++) {
        uint32_t *row = counts + (which ? x % sizes[1] : x / sizes[1]) * n_levels;
        const uint32_t *its_cells = cells + x * width;
        for (i64 first = 0; first < other_sizes[0]; first++)
            for (i64 second = 0; second < other_sizes[1]; second++)
                row[other ? second : first] += its_cells[first * other_sizes[1] + second];
    }
}

/* Count how often the levels of the columns of one lane occur with those of that lane and of later ones, or of all.
 *
 * `rows` and `starts` are the first levels of each column in the rows and columns of `counts`, −1 where it is not asked
 * for. One byte of each lane makes one number, so that four pairs of columns are counted by one increment. */
EXPORT void pyfsel_count_lane(const uint8_t *lanes, const i64 *sizes, const i64 *rows, const i64 *starts, i64 lane,
                              i64 first, i64 n_rows, uint32_t *cells, uint32_t *counts, i64 n_lanes, i64 n_room,
                              i64 n_asked, i64 n_levels) {
    const uint8_t *x = lanes + lane * n_room;
    (void)n_asked;
    for (i64 other = first; other < n_lanes; other++) {
        if (starts[2 * other] < 0 && starts[2 * other + 1] < 0) continue;
        const uint8_t *y = lanes + other * n_room;
        const i64 *its_sizes = sizes + 2 * lane, *other_sizes = sizes + 2 * other;
        uint32_t width = (uint32_t)(other_sizes[0] * other_sizes[1]);
        memset(cells, 0, (size_t)(its_sizes[0] * its_sizes[1] * width) * sizeof(uint32_t));
        for (i64 i = 0; i < n_rows; i++) cells[x[i] * width + y[i]]++;
        for (i64 a = 0; a < 2; a++)
            for (i64 b = 0; b < 2; b++) {
                i64 row = rows[2 * lane + a], start = starts[2 * other + b];
                if (row < 0 || start < 0) continue;
                add_cells(cells, its_sizes, a, other_sizes, b, counts + row * n_levels + start, n_levels);
            }
    }
}
