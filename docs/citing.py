"""The code names the papers by numbers; a reader sees author and year."""

import re

PAPERS = {
    "000": "Bach 2023",
    "001": "Belanche and González 2011",
    "002": "Lorasdagi et al. 2024",
    "003": "Bach, Finding Optimal Solutions",
    "004": "Podgorelec et al. 2024",
}
NUMBER = re.compile(r"(?<![\w.,#-])(?<!\d )(?:[Pp]apers? )?(00[0-4])(,)?(?=[;:)]?\s|\)|\.\s|$)(?!,\d)")


def cited(text: str) -> str:
    r"""Return a text with author and year in place of the papers' numbers.

    Examples
    --------
    >>> cited("the sum (000 Eq. 17), as in paper 001, Section 3; 20,000 sets, 5 000 rows")
    'the sum (Bach 2023, Eq. 17), as in Belanche and González 2011, Section 3; 20,000 sets, 5 000 rows'
    >>> cited("# As in paper 002\n\n")
    '# As in Lorasdagi et al. 2024\n\n'
    """

    def reader(match: re.Match[str]) -> str:
        place = re.match(r" (?:Eq|Def|Alg|Prop|Tab|Sec|A\.)", text[match.end() :])
        return PAPERS[match[1]] + ("," if match[2] or place else "")

    return NUMBER.sub(reader, text)
