"""Numbers of things in words: one seed, two seeds."""


def counted(number: int, noun: str, plural: str = "") -> str:
    """Return a number with its noun, which takes an s where the plural is not given."""
    if number == 1:
        return f"1 {noun}"
    return f"{number:,} {plural or noun + 's'}"
