"""What papers/ claims is checked before a run: each name is one of the project's own config."""

from pathlib import Path

import pytest

from semblance.errors import InputError
from semblance.provenance import ROOT
from workflow.checks.claims import claim_checks
from workflow.checks.load import errors_of

HEAD = """\
tables:
  rcl_table3:
    claims:
"""
CLAIMS = f"""\
{HEAD}      ours-is-better:
        says: The made-up rcl is better than simcse
        source: this test
        table: rcl_table3
        columns: [Average]
        rows:
          rcl-8: {{weight: 1, published: rcl/3/RCL}}
          attention-dropout-0.1: {{weight: -1, published: "rcl/3/Attention dropout (p=0.1)"}}
"""
COLUMNS = "columns: [Average]"
DIFFERING = "{why: w, differing: {table: rcl_table3, column: Average, rows: [rcl-8], by: 1}}"
READINGS = "readings: {mean: {}, summed: {rcl-8: rcl-8-summed}}"


def with_more(line: str) -> tuple[str, str]:
    """Return the change of CLAIMS that adds a line to the claim, its line 9."""
    return COLUMNS, f"{COLUMNS}\n        {line}"


@pytest.mark.parametrize(
    "change, found",
    [
        (
            ("table: rcl_table3", "table: rcl_table9"),
            ":7: there is no table 'rcl_table9'; did you ",
        ),
        (
            ("0.1:", "0.7:"),
            ":11: there is no method 'attention-dropout-0.7'; did you mean attention-d",
        ),
        (
            ("  rcl-8:", "  entropy-0.7:"),
            ":10: there is no method 'entropy-0.7'; did you mean",
        ),
        (("  rcl-8:", "  nlj/rcl-8:"), ":10: there is no corpus 'nlj'; did you mean nli"),
        (("{weight: 1,", "{weight: 1, base: bort,"), ":10: there is no base 'bort'; known are"),
        (with_more("base: bort"), ":9: there is no base 'bort'"),
        (
            with_more(READINGS.replace("summed}}", "sumed}}")),
            ":9: there is no method 'rcl-8-sumed'",
        ),
        (with_more(READINGS.replace("{rcl-8:", "{rcl-88:")), ":9: there is no method 'rcl-88'"),
        (with_more(f"needs: {DIFFERING}".replace("[rcl-8", "[rcl-88")), ":9: there is no method"),
        (
            with_more(f"needs: {DIFFERING}".replace("3,", "33,")),
            ":9: there is no table 'rcl_table33'",
        ),
        (
            with_more(f"needs: {DIFFERING}".replace("Av", "A")),
            ":9: there is no column of rcl_table3",
        ),
        (with_more("needs: {why: w, bases: [bort]}"), ":9: there is no base 'bort'"),
        (("rcl/3/RCL", "rcl/3/RLC"), ":10: 'rcl/3/RLC': no such published row"),
        ((COLUMNS, "columns: [Mean]"), ":8: there is no column of rcl_table3 'Mean'"),
        ((", published: rcl/3/RCL", ""), ":4: only some of its rows name a row of the paper"),
        (("weight: 1,", "weight: -3,"), ":4: the paper's numbers give -"),
        (("source:", "sauce:"), ":6: ours-is-better.sauce: unknown key"),
    ],
)
def test_a_claim_with_an_unknown_name_is_refused_at_its_line(tmp_path, change, found):
    path = tmp_path / "claims.yaml"
    path.write_text(CLAIMS.replace(*change, 1))
    with pytest.raises(InputError) as caught:
        [check] = claim_checks([path])
        check()
    assert str(caught.value).startswith(f"{path}{found}")


def test_the_line_of_a_word_is_one_of_the_claim_that_has_it(tmp_path):
    path = tmp_path / "claims.yaml"
    second = CLAIMS.removeprefix(HEAD).replace("ours", "theirs").replace("rcl-8", "rcl-88")
    path.write_text(CLAIMS.replace("source: this test\n", "margin: 1\n") + second)
    with pytest.raises(InputError, match=r":4: ours-is-better.source: missing key"):
        list(claim_checks([path]))


def test_the_shipped_claims_have_no_error():
    assert errors_of(claim_checks()) == []


def test_a_claim_may_name_a_table_that_the_projects_own_config_leaves_out(tmp_path):
    config = tmp_path / "config.yaml"
    shipped = (ROOT / "config.yaml").read_text(encoding="utf-8")
    assert "\ntables:" not in shipped  # those of the papers lie in papers/
    config.write_text(f"{shipped}\ntables: {{rcl_table3: null}}\n", encoding="utf-8")
    path = Path(tmp_path, "claims.yaml")
    path.write_text(CLAIMS)
    assert errors_of(claim_checks([path], config)) == []
