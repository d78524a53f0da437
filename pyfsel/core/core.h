/* What all parts of the core share.
 *
 * Results are the same on every machine: no sum of floats is taken in another order than written here, products are
 * rounded before they are added (-ffp-contract=off), and nothing is decided by exp, log or a random generator of a
 * library. Arrays belong to Python, whose declarations say their sizes; nothing is allocated here. */
#ifndef PYFSEL_CORE_H
#define PYFSEL_CORE_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#if defined(_WIN32)
#define EXPORT __declspec(dllexport)
#else
#define EXPORT __attribute__((visibility("default")))
#endif

/* Before a function: compiled for wide vectors as well, and chosen when it is loaded. Numbers are the same. */
#if defined(__GNUC__) && !defined(__clang__) && defined(__x86_64__) && defined(__GLIBC__)
#define WIDE __attribute__((target_clones("avx512f", "avx2", "default")))
#else
#define WIDE
#endif

typedef int64_t i64;
typedef uint64_t u64;

static inline i64 min_of(i64 a, i64 b) { return a < b ? a : b; }
static inline i64 max_of(i64 a, i64 b) { return a > b ? a : b; }

/* The quotient rounded down, for b > 0; that of C is rounded towards 0. */
static inline i64 floor_divide(i64 a, i64 b) { return a / b - (a % b < 0); }

/* The number of ones of a word: in pairs of bits, then in fours, then in bytes, which a product adds up. */
static inline i64 count_bits(u64 word) {
    word -= (word >> 1) & 0x5555555555555555u;
    word = (word & 0x3333333333333333u) + ((word >> 2) & 0x3333333333333333u);
    word = (word + (word >> 4)) & 0x0F0F0F0F0F0F0F0Fu;
    return (i64)((word * 0x0101010101010101u) >> 56);
}
#endif
