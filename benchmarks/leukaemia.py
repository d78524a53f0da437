"""Genes that distinguish two leukaemias, as several panels that share none, next to what is known of them.

    python benchmarks/leukaemia.py golub.csv.gz > benchmarks/results/leukaemia.md

The table of Golub et al. (1999) as the Bioconductor package multtest has it: 38 patients, 3,051 genes, in its
order the columns g0, g1, …, and the column `target`, 1 for acute myeloid leukaemia (AML), 0 for the
lymphoblastic one (ALL).
"""

import argparse
from pathlib import Path

import pyfsel
from pyfsel.measures import read_table

SIZE, PANELS = 4, 4
KNOWN = {
    377: ("CSTA, cystatin A", False, "inhibits cathepsins; made by granulocytes and monocytes"),
    393: ("MARCKSL1, Macmarcks", False, "ties the membrane to actin; high in lymphoblasts"),
    765: ("LYN", True, "tyrosine kinase of myeloid cells and B cells"),
    807: ("CD33", True, "surface antigen of myeloid cells: marker of AML, and the target of gemtuzumab"),
    828: ("CST3, cystatin C", True, "inhibitor of proteases that monocytes and macrophages secrete"),
    936: ("CTSD, cathepsin D", True, "protease of lysosomes, many in myeloid cells"),
    1008: ("CFD, adipsin", True, "complement factor D, made by monocytes"),
    1412: ("MGST1", False, "glutathione transferase of membranes, in myeloid precursors"),
    1447: ("LTC4S", True, "leukotriene C4 synthase, of eosinophils and other myeloid cells"),
    1906: ("GRN, granulin", False, "growth factor of myeloid and epithelial cells"),
    1994: ("RBBP4, RbAp48", True, "binds RB1 in chromatin, of dividing cells; high in ALL"),
    2123: ("ZYX, zyxin", True, "protein of focal adhesions, of cells that move and stick; high in AML"),
    2488: ("MYB, c-myb", True, "transcription factor of early blood cells; high in lymphoblasts"),
    2662: ("CXCL8, interleukin 8", True, "attracts neutrophils; made by monocytes"),
    2669: ("ELANE, elastase", False, "protease of the granules of neutrophils, from the promyelocyte on"),
    2938: ("TCF3, E2A", True, "makes B cells; broken by t(1;19) in a part of the ALL"),
}
"""By column: the gene, whether it is among the 50 that Golub et al. chose, and what is known of it."""


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("table", help="golub.csv.gz, whose column target says what is predicted")
    table = parser.parse_args().table
    X, y = read_table(Path(table), "target")
    asked = {"n_sets": PANELS, "dissimilarity": 1, "measure": "pearson"}
    selector = pyfsel.AlternativeFeatureSelector(SIZE, **asked).fit(X, y)
    in_folds = pyfsel.AlternativeFeatureSelector(SIZE, chance="off", **asked)
    scores = pyfsel.evaluate(X, y, in_folds)
    print_page(selector, scores.to_frame().astype({"set": str}).set_index("set"))


def print_page(selector, scores):
    head = ("panel", "status", "mean correlation", "held-out accuracy", "gene", "of the 50", "what is known")
    print(f"| {' | '.join(head)} |\n|{'---|' * len(head)}")
    for number, panel in enumerate(selector.sets_):
        score = scores.loc[str(number), "score"]
        cells = [number, panel.status, f"{panel.quality / SIZE:.3f}", f"{score:.2f}"]
        for column in panel:
            name, of_fifty, known = KNOWN.get(int(column[1:]), (column, False, ""))
            print("| " + " | ".join(map(str, [*cells, name, "yes" if of_fifty else "", known])) + " |")
            cells = [""] * 4
    above = (selector.scores_.p_values <= 0.05).sum()
    whole, stability = scores.loc["all", "score"], scores.loc["0", "stability"]
    print(f"\nOf {selector.n_features_in_:,} genes {above} are significant.")
    print(f"Held-out balanced accuracy of all genes: {whole:.2f}. Stability of panel 0: {stability:.2f}.")


if __name__ == "__main__":
    main()
