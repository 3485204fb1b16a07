"""The progress line: it names what runs, counts what is done, and passes snakemake's exit status on."""

import io

from tqdm import tqdm

from workflow.controller.progress import follow

LINES = """rule train:
    output: x
    wildcards: corpus=nli, base=tiny, method=rcl-2, seed=3
12 of 50 steps (24%) done
localrule render_table:
error: nli.csv:7: an empty sentence
""".splitlines(keepends=True)


def test_the_line_names_the_job_and_how_much_is_left(capsys):
    with tqdm(file=io.StringIO()) as bar:
        rule = ""
        shown = []
        for line in LINES:
            rule = follow(line, rule, bar)
            shown.append((bar.desc, bar.n, bar.total))
    assert shown[2][0].startswith("train nli tiny rcl-2 3")
    assert shown[3][1:] == (12, 50)
    assert rule == "render_table" and "nli.csv:7: an empty sentence" in capsys.readouterr().err


def test_the_exit_status_is_snakemakes(tmp_path, monkeypatch):
    from workflow.controller.progress import main

    monkeypatch.chdir(tmp_path)
    (tmp_path / "Snakefile").write_text("rule all:\n    shell: 'exit 3'\n")
    assert main(["--cores", "1"]) != 0
    (tmp_path / "Snakefile").write_text("rule all:\n    shell: 'true'\n")
    assert main(["--cores", "1"]) == 0
