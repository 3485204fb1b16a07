"""What an answerer was made from, for ``semblance explain``."""

from pathlib import Path

from semblance import layout
from semblance.audit.chain import Chain
from semblance.audit.explain import Step, explain_record
from semblance_faq.answer.places import ANSWERER


def records(chain: Chain) -> dict[str, Path]:
    """Return the records of the answerers of a run by their names."""
    pattern = layout.record("", ANSWERER, name="*").lstrip("/")
    return {path.parent.name: path for path in sorted(chain.root.glob(pattern))}


def explained(chain: Chain, name: str) -> Step:
    """Return the tree of what an answerer was made from, as ``explain`` does of a cell."""
    path = records(chain)[name]
    node = chain.find(path)
    evidence = node.record.get("evidence", {}) if node else {}
    facts = {
        "chosen": evidence.get("chosen"),
        "score": evidence.get("map"),
        "questions": evidence.get("questions"),
    }
    compared = {**evidence.get("against", {}), "no training": evidence.get("training")}
    for other, against in compared.items():
        facts[f"against {other}"] = against and against["verdict"]
    return explain_record(chain, f"answerer {name}", path, facts)
