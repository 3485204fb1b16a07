"""The progress line: it names what runs, counts what is done, and passes snakemake's exit status on."""

import io

from tqdm import tqdm

from workflow.controller.progress import PLAIN, Lines, follow

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


def test_what_an_interrupted_run_says_at_its_end_is_passed_on(tmp_path, monkeypatch, capsys):
    from workflow.controller import progress

    lines = iter(
        [
            None,
            "stopped: jobs that are done, and stay done: 3 of 9\n",
            "noise\n",
            "to go on: the same\n",
        ]
    )

    class Output:
        def __iter__(self):
            return self

        def __next__(self):
            line = next(lines)
            if line is None:
                raise KeyboardInterrupt
            return line

    class Interrupted:
        stdout = Output()

        def wait(self):
            return 1

    monkeypatch.setattr(progress.subprocess, "Popen", lambda *args, **options: Interrupted())
    assert progress.main([]) == progress.INTERRUPTED
    said = capsys.readouterr().err
    assert (
        "stopped: jobs that are done, and stay done: 3 of 9" in said
        and "to go on: the same" in said
    )
    assert "noise" not in said


def test_a_file_gets_plain_lines_with_the_time_left():
    said = io.StringIO()
    with Lines(file=said, mininterval=0, bar_format=PLAIN) as bar:
        rule = ""
        for line in LINES:
            rule = follow(line, rule, bar)
    [line] = said.getvalue().splitlines()
    assert line.startswith("12 of 50 jobs done") and "left (train nli tiny rcl-2 3" in line
    assert "\r" not in said.getvalue()
