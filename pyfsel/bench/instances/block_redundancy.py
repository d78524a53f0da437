"""mRMR with blocks of features that are redundant to each other."""

from __future__ import annotations

import numpy as np

from pyfsel.bench.instances.registry import LARGEST_QUALITY, Generated, Request, family

BLOCK_SIZE = 6


@family(
    "block-redundancy",
    "mRMR with blocks of about six features: much redundancy within a block, little between blocks",
    "makes the good features the redundant ones (blocks of high quality), and blurs the blocks",
)
def block_redundancy(request: Request, rng: np.random.Generator) -> Generated:
    """Return an mRMR problem."""
    n = request.features_or(40)
    block = rng.permutation(np.arange(n) % max(1, n // BLOCK_SIZE))
    strength = rng.random(block.max() + 1)
    own = rng.random(n)
    quality = request.difficulty * strength[block] + (1 - request.difficulty) * own
    within = (block[:, None] == block[None, :]) * strength[block][:, None]
    noise = rng.random((n, n)) * (0.1 + 0.4 * request.difficulty)
    redundancy = np.clip(0.6 * within + np.triu(noise, 1) + np.triu(noise, 1).T, 0, 1)
    np.fill_diagonal(redundancy, 0)
    problem = request.problem(
        np.rint(quality * LARGEST_QUALITY).astype(np.int64),
        objective="mrmr",
        redundancy=np.rint(redundancy * LARGEST_QUALITY).astype(np.int64),
    )
    return Generated(problem, facts={"blocks": block.tolist()})
