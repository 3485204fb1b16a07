#!/usr/bin/env bash
# With --prioritize, Snakemake's solver finds no schedule for jobs that any two cores can run, and warns.
#
# Seen with snakemake 9.27.1 and PuLP 3.3.2 (its CBC), 2026-11-28: a prioritised job has the priority sys.maxsize, which
# the scheduler multiplies by the cores that all waiting jobs ask for. From some 1e20 on CBC calls the problem infeasible:
# of four and more jobs of one and two threads, of which some are prioritised, nearly each selection. Snakemake then says
# "Failed to solve scheduling problem with ILP solver" and takes its greedy scheduler, which heeds the priority.
# `--scheduler greedy` says nothing, and neither does a start without --prioritize. Exit status 0 while it is so.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check snakemake==9.27.1 pulp==3.3.2
cat > "$folder/Snakefile" <<'SNAKEFILE'
rule all:
    input: "joined.txt", expand("other-{n}.txt", n=list("abcd"))
rule joined:
    input: expand("part-{n}.txt", n=list("abc"))
    output: "joined.txt"
    shell: "cat {input} > {output}"
rule part:
    output: "part-{n}.txt"
    shell: "echo {wildcards.n} > {output}"
rule other:
    output: "other-{n}.txt"
    threads: 2
    shell: "echo {wildcards.n} > {output}"
SNAKEFILE
cd "$folder"
start() { # OPTIONS: run everything anew, and print how often the solver failed
  rm -f ./*.txt
  venv/bin/snakemake --cores 2 "$@" -- all > log 2>&1
  [ -f joined.txt ] && grep -c "Failed to solve scheduling problem with ILP solver" log || true
}
plain=$(start)
prioritised=$(start --prioritize joined.txt)
greedy=$(start --prioritize joined.txt --scheduler greedy)
echo "snakemake $(venv/bin/snakemake --version): warnings of eight jobs on two cores"
echo "plain: $plain    --prioritize: $prioritised    --prioritize --scheduler greedy: $greedy"
[ "$plain" = 0 ] && [ "$prioritised" -ge 1 ] && [ "$greedy" = 0 ] || { echo "the behaviour has changed"; exit 1; }
