"""Templates of places: filled in, listed, and read back."""

import pytest

from semblance import layout, names

PATHS = {
    layout.MODEL: "models/nli/tiny/rcl-8/seed-3",
    layout.TOKENS: "tokens/tiny/nli",
    layout.TABLE_RECORD: "tables/records/rcl_table1a.json",
    layout.STS_TEST: "sts",
}


@pytest.mark.parametrize("template", PATHS)
def test_a_place_is_read_back_as_it_was_filled_in(template):
    found = layout.parse(template, PATHS[template])
    assert layout.place("out", template, **found) == f"out/{PATHS[template]}"
    assert tuple(found) == layout.fields(template)


def test_a_path_of_another_form_is_not_read():
    assert layout.parse(layout.MODEL, "models/nli/tiny/rcl-8/seed-3/record.json") is None
    assert layout.parse(layout.MODEL, "embeddings/nli/tiny/rcl-8/seed-3") is None
    assert layout.parse(layout.STS_TEST, "sts2") is None


def test_a_pattern_finds_every_place_of_its_template(tmp_path):
    for seed in (1, 2):
        tmp_path.joinpath(layout.MODEL.format(corpus="c", base="b", method="m", seed=seed)).mkdir(
            parents=True
        )
    assert len(list(tmp_path.glob(layout.pattern(layout.MODEL)))) == 2


def test_a_score_has_a_column_for_each_part_of_its_key_and_of_its_origin():
    needed = {*names.SCORE_KEY, *names.SCORE_ORIGIN, "run", "phi", "value", "n"}
    assert set(names.SCORE_COLUMNS) == needed
    assert len(names.SCORE_COLUMNS) == len(needed)
