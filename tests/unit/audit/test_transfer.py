"""Scores on the transfer tasks, checked against their predictions."""

import numpy as np
import pandas as pd
import pytest

from semblance.audit.findings import SCORES
from semblance.audit.recompute import transfer_values
from semblance.audit.verify import verify
from semblance.evaluation.scored import Evaluation, Target
from semblance.evaluation.transfer import TransferRun, accuracy_rows
from semblance.names import TRANSFER_TASKS
from semblance.provenance import checked, outputs_digest
from tests.example_settings import COMPUTE
from tests.unit.audit.tampering import failed, reseal
from tests.unit.reporting import example_results

RUN = "scores/transfer/nli/tiny/rcl/seed-1"


def predictions(share: float, rng: np.random.Generator) -> dict[str, np.ndarray]:
    """Return predictions of which a share is right: two folds of test, three inner ones on dev."""
    gold = np.random.default_rng(5).integers(0, 2, (len(TRANSFER_TASKS), 30))  # of every run
    parts = []
    for task, labels in zip(TRANSFER_TASKS, gold, strict=True):
        for fold in (0, 1):
            test = np.arange(30) % 2 == fold
            for part, items, inner in (("test", test, 0), ("dev", ~test, np.arange(15) % 3)):
                said = np.where(rng.random(15) < share, labels[items], 1 - labels[items])
                columns = {"index": np.flatnonzero(items), "gold": labels[items]}
                columns |= {"predicted": said, "inner": inner, "c": 1.0}
                parts.append(pd.DataFrame({"task": task, "part": part, "fold": fold, **columns}))
    frame = pd.concat(parts, ignore_index=True)
    return {name: frame[name].to_numpy() for name in frame}


@pytest.fixture(scope="module")
def finished(extended):
    """A finished folder in which one model is evaluated on the transfer tasks, as the stage does it."""
    results, _ = extended
    data = results / "transfer/record.json"
    items = {"items.parquet": "items"}
    example_results._of_raw(results.parent / "resources/data", data, "prepare_transfer", items)
    read = {"weights": checked(results / "models/nli/tiny/rcl/seed-1/record.json")}
    read["data"] = checked(data)
    facts = {"precision": "fp32", "code": "c0", "environment": "e0"}
    facts["weights"] = read["weights"]["outputs"][example_results.WEIGHTS]
    facts["data"] = outputs_digest(read["data"])
    found = predictions(0.8, np.random.default_rng(2))
    rows = [{"fold": "", "protocol": "senteval", **row} for row in accuracy_rows(found)]
    record = results / RUN / "record.json"
    record.parent.mkdir(parents=True)
    evaluation = Evaluation(Target(record, COMPUTE, "c0"), read, facts, "cpu, 1 threads")
    run = TransferRun("nli", "tiny", "rcl", "1", 2, 1111)
    evaluation.write("evaluate_transfer", run, rows, found)
    return results


def test_a_changed_label_and_an_item_that_is_tested_twice_are_found(results, untouched):
    found = verify(results)
    # 7 tasks on dev and test, and one F1
    assert found.checked[SCORES] - verify(untouched).checked[SCORES] == 7 * 2 + 1
    assert found.problems == []
    path = results / RUN / "predictions.parquet"
    frame = pd.read_parquet(path)
    of_test = frame["part"] == "test"
    row = frame.index[(frame["task"] == "trec") & of_test][0]
    frame.loc[row, "predicted"] = 1 - frame.loc[row, "predicted"]
    of_mr = frame.index[(frame["task"] == "mr") & of_test]
    frame.loc[of_mr[0], "index"] = frame.loc[of_mr[1], "index"]
    frame.to_parquet(path)
    reseal(results / RUN / "record.json")
    found = verify(results)
    assert SCORES in failed(found)
    for task in ("trec", "mr"):
        wrong = f"{task} accuracy test senteval: (value, n) shown"
        assert any(wrong in text for _, text in found.problems)


def test_the_f1_of_label_1_is_zero_where_it_is_never_right():
    columns = {"task": "mrpc", "part": "test", "fold": 0, "inner": 0, "index": [0, 1]}
    frame = pd.DataFrame(columns | {"gold": [0, 1], "predicted": [1, 0]})
    assert transfer_values(frame, "p")["mrpc", "", "f1", "test", "p"] == (0.0, 2)
