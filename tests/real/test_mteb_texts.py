"""Our texts of the STS tests, held against what MTEB publishes of its own: the counts of its data."""

import pytest

from semblance.data.protocol import apply_protocol
from semblance.data.sts import read_sts_year, read_stsb

# mteb/descriptive_stats/STS of https://github.com/embeddings-benchmark/mteb: pairs, characters, distinct
# first and second sentences, mean gold score.
PUBLISHED = {
    "sts12": (3108, 402118, 2236, 2797, 3.5060643500643507),
    "sts13": (1500, 161949, 1314, 1355, 2.3361888888888864),
    "sts14": (3750, 407185, 3408, 3164, 2.8114334391534355),
    "sts15": (3000, 346442, 2942, 2310, 2.40591333333333),
    "sts16": (1186, 154802, 928, 1055, 2.4131534569983137),
    "stsb": (1379, 147886, 1256, 1337, 2.607916606236405),
}
# Spaces at the ends of its sentences, and doubled ones, which are not in ours.
SPACES = {"sts14": 1, "stsb": 17}
ONLY_BY_SPACES = {"stsb": 1}  # first sentences that differ in nothing else


def year_of(real_data, year):
    """Return the pairs of a year of STS as released."""
    return read_sts_year((real_data / f"sts-raw/STS{year}-en-test").iterdir(), year)


@pytest.mark.parametrize("name", PUBLISHED)
def test_the_texts_of_a_task_of_mteb_are_ours_but_for_spaces(real_data, name):
    if name == "stsb":
        pairs = read_stsb(real_data / "stsb/sts-test.csv")
    else:
        pairs = apply_protocol(year_of(real_data, int(name[-2:])), "senteval")
    firsts = [pair.sentence1 for pair in pairs]
    seconds = [pair.sentence2 for pair in pairs]
    count, characters, distinct_firsts, distinct_seconds, score = PUBLISHED[name]
    assert len(pairs) == count
    assert sum(map(len, firsts + seconds)) + SPACES.get(name, 0) == characters
    assert len(set(firsts)) + ONLY_BY_SPACES.get(name, 0) == distinct_firsts
    assert len(set(seconds)) == distinct_seconds
    assert sum(pair.score for pair in pairs) / len(pairs) == pytest.approx(score, abs=1e-12)


def test_no_other_of_our_texts_has_as_many_characters(real_data):
    released = year_of(real_data, 12)
    assert (
        sum(len(pair.sentence1) + len(pair.sentence2) for pair in released) != PUBLISHED["sts12"][1]
    )
