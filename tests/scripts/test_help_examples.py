"""The help of the commands for a FAQ ends with examples."""

import pytest

from workflow.scripts import faq


@pytest.mark.parametrize(
    "words", [[], *([name] for name in ("train", "ask", "serve", "update", "check"))]
)
def test_each_help_has_an_example_that_its_parser_reads(words, capsys):
    with pytest.raises(SystemExit):
        faq.parser().parse_args([*words, "--help"])
    shown = capsys.readouterr().out
    name = " ".join([faq.parser().prog, *words])
    example = next(line for line in shown.splitlines() if line.startswith(f"  {name} "))
    assert example and "\nexample" in shown
