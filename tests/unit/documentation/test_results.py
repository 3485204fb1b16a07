"""docs/results.md and the README.md of an output folder tell the same: what lies where."""

from tests.unit.planning.test_config import ROOT
from workflow.documentation import results


def test_the_page_of_results_shows_what_an_output_folder_says_of_itself(tmp_path):
    results.write_readme(tmp_path / "results")
    text = (ROOT / "docs/results.md").read_text()
    shown = text.split("<!-- layout -->\n")[1].split("<!-- /layout -->")[0]
    assert (tmp_path / "results/README.md").read_text().endswith(shown) and "tables/" in shown
    assert results.fill_layout(text) == text, "run `make docs`"
