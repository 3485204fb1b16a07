"""The benchmarks of answering and serving measure what they say."""

import asyncio
import math
import os
import socket
import subprocess
import sys

import pytest

from benchmarks.answering import RANKINGS, made_up, milliseconds
from benchmarks.serving import ANSWERED, LOST, REFUSED, Server, ask, end_of
from benchmarks.workload import process_megabytes


@pytest.mark.parametrize("ranking", RANKINGS)
def test_each_ranking_is_timed_on_three_texts_of_each_entry(example, ranking):
    stored = made_up(example, 40)
    assert stored.vectors.shape[0] == len(stored.bank.sources) == 3 * 40
    found = milliseconds(stored, ranking, 2)
    assert found.shape == (2,) and (found > 0).all()


def test_the_memory_of_a_process_is_its_own():
    program = (
        "import sys; block = bytearray(200 << 20); print('made', flush=True); sys.stdin.read()"
    )
    process = subprocess.Popen(
        [sys.executable, "-c", program], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    process.stdout.readline()
    assert 200 < process_megabytes(process.pid, "VmHWM") < 300
    process.communicate()
    assert process_megabytes(os.getpid(), "VmHWM") > 1
    assert math.isnan(process_megabytes(process.pid, "VmHWM"))  # it is gone


def test_an_answer_counts_only_if_it_is_whole():
    head = b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n\r\n"
    assert end_of(head + b'{"answers": []}') == ANSWERED
    assert end_of(head + b'{"answers": [') == LOST
    assert end_of(b"") == LOST


def test_a_refused_connection_is_a_lost_question_unless_the_server_was_told_to_stop():
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))  # nobody listens there
        port = taken.getsockname()[1]
        for is_stopping, end in ((False, LOST), (True, REFUSED)):
            server = Server(None, port, is_stopping=is_stopping)
            assert asyncio.run(ask(server, "How?", 0.0)).end == end
