"""
Two explanations of one diagnosis
=================================

A model that distinguishes malignant from benign tumours by four measurements of cell nuclei is read as an explanation. Is it
the only one? We ask for a second set of four that shares nothing with the first and is the best of all such sets.

Radius, perimeter and area of a nucleus say the same. ``near_duplicates="merge"`` counts such features as one: otherwise the
second explanation would be the first one in other units.
"""

from sklearn.datasets import load_breast_cancer

from pyfsel import Problem, measure, solve

X, y = load_breast_cancer(return_X_y=True, as_frame=True)
scores = measure(X, y, by="pearson", near_duplicates="merge")
answer = solve(Problem(scores, k=4, n_sets=2, dissimilarity=1))
print(answer)

# %%
# The first explanation has the size of the nuclei and their notches. The second does without: how compact the nuclei are, how
# much their radius varies, and how deep the deepest notches. Each is proved best: the second given the first, among one
# representative of each group of near-duplicates. In the picture each row is a feature and each column a set.

figure = answer.plot()

# %%
# How much worse do the sets predict on rows that the selection has not seen? That needs a selection inside each training
# fold: see :ref:`sphx_glr_auto_gallery_plot_4_stable_or_not.py`.
