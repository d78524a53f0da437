/* What columns of few values share at most; see pyfsel.measures.copies. */
#include "core.h"

/* Find the information that each two columns share at most, times the rows.
 *
 * `bits` are the rows in which a column differs from its most frequent level, `apart` is their number, and `rest` is the
 * sum of f(k) = k ln k (`logs`) over the numbers k of rows of its other levels.
 *
 * Lemma. Of n rows, let X differ from its most frequent level in a, Y from its own in b, both in c. Then n times their
 * information is at most f(n) − f(n − a) − f(n − b) + f(n − a − b + c) + min(0, f(a − c) − rest of X, f(b − c) − rest of
 * Y).
 *
 * Proof. n times the entropy of X is f(n) − f(n − a) − rest. That of X given Y is at least what those n − b rows add to
 * it in which Y has its most frequent level. If X has its levels in k of these rows each, they add f(n − b) − Σ f(k). X
 * has its most frequent level in n − a − b + c of them, and others in a − c. Over these others Σ f(k) is at most
 * f(a − c), as f is convex and f(0) = 0, and at most its rest, as f does not fall from one row on. The same holds of Y
 * given X. */
EXPORT WIDE void pyfsel_most_shared(const u64 *bits, const i64 *apart, const double *rest, const u64 *its_bits,
                                    const i64 *its_apart, const double *its_rest, const double *logs, double *found,
                                    i64 n_some, i64 n_words, i64 n_others, i64 n) {
    for (i64 i = 0; i < n_some; i++)
        for (i64 j = 0; j < n_others; j++) {
            i64 a = apart[i], b = its_apart[j], c = 0;
            for (i64 w = 0; w < n_words; w++) c += count_bits(bits[i * n_words + w] & its_bits[j * n_words + w]);
            double less = logs[a - c] - rest[i], its_less = logs[b - c] - its_rest[j];
            if (its_less < less) less = its_less;
            double most = logs[n] - logs[n - a] - logs[n - b] + logs[n - a - b + c];
            found[i * n_others + j] = less < 0 ? most + less : most;
        }
}
