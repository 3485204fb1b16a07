"""What the config says of a FAQ bank: its full form, and what its folds are asked."""

WORDING = "wording"  # the protocol of a bank that holds out users' wordings
OF_OWN_FILE = {"together": "answer", "train_on": "wordings"}  # where the config says nothing


def full_bank(bank: dict) -> dict:
    """Return a bank with the defaults of a user's own file, if it is one."""
    if bank["kind"] == "own":
        return {**OF_OWN_FILE, **bank}
    return bank


def holds_out_wordings(config: dict, bank: str) -> bool:
    """Tell whether the folds of a bank test users' wordings of entries that they know."""
    return config["faq"]["banks"][bank].get("hold_out") == "wordings"


def faq_protocols(config: dict, bank: str) -> list[str]:
    """Return the protocols by which a bank is evaluated."""
    if holds_out_wordings(config, bank):
        return [WORDING]
    return config["evaluate_faq"]["protocols"]
