/* Counts of pairs of columns, whose levels lie in lanes; see pyfsel.measures.streams.lanes. */
#include "core.h"

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
