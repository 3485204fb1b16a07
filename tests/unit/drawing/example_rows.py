"""Rows of each kind of figure, small and made up, as their CSV has them."""

RUN = {"corpus": "nli", "base": "tiny", "method": "rcl", "seed": "1"}
OTHER = RUN | {"method": "simcse"}
IDENTITY = {"table": "t", "title": "A table", "column": "Average", "margin": "0.5"}
IDENTITY |= {"label": "RCL", "control": "SimCSE", "protocol": "senteval", "stand_in": ""}
INTERVALS = {"low": "-0.2", "high": "0.8", "bootstrap_low": "-0.4", "bootstrap_high": "1.0"}
METHOD = IDENTITY | INTERVALS | {"seed": "", "n": "2", "difference": "0.3", "published": "0.18"}
OF_SEED = IDENTITY | dict.fromkeys((*INTERVALS, "n", "published"), "")

ROWS = {
    "alignment_uniformity": [
        run | {"seed": seed, "alignment": "0.2", "uniformity": uniformity, "average": average}
        for run, uniformity, average in ((RUN, "-2.5", "0.7"), (OTHER, "-2.4", "0.6"))
        for seed in ("1", "2")
    ],
    "by_regulators": [
        RUN | {"method": "start", "seed": "0", "regulators": "", "average": "0.6"},
        RUN | {"regulators": "0", "average": "0.7"},
        RUN | {"regulators": "0", "seed": "2", "average": "0.72"},
        RUN | {"method": "rcl-2", "regulators": "2", "average": "0.74"},
    ],
    "by_phi": [
        RUN | {"form": "", "phi": "", "average": "0.7"},
        RUN | {"method": "entropy--0.01", "form": "entropy", "phi": "-0.01", "average": "0.6"},
        RUN | {"method": "entropy-0.02", "form": "entropy", "phi": "0.02", "average": "0.65"},
        RUN | {"method": "sum-0.02", "form": "sum", "phi": "0.02", "average": "0.5"},
    ],
    "curve": [
        run | {"step": step, "alignment": alignment, "uniformity": uniformity}
        for run, end in ((RUN, "-2.0"), (OTHER, "-2.5"))
        for step, alignment, uniformity in (("0", "0.3", "-1.0"), ("10", "0.2", end))
    ],
    "singular_values": [
        run
        | {"seed": seed, "position": str(i), "singular_value": str(8 * share / i)}
        | {"relative": str(share / i)}
        for run in (RUN, OTHER)
        for seed, share in (("1", 1.0), ("2", 0.5))
        for i in range(1, 9)
    ],
    "cosine_densities": [
        run | {"group": f"{low}-{low + 1}", "index": str(i), "gold": str(low), "cosine": cosine}
        for run in (RUN, OTHER)
        for low in range(5)
        for i, cosine in enumerate((str(low / 5), str(low / 5 + 0.1)))
    ],
    "anisotropy": [
        run
        | {"pairs": "9", "aligned": "0.9", "eq5": "0.6", "eq6": "0.5", "positive": "1.0"}
        | {"largest": "0.4"}
        for run in (RUN, OTHER)
    ],
    "contrasts": [
        METHOD,
        OF_SEED | {"seed": "1", "difference": "0.2"},
        OF_SEED | {"seed": "2", "difference": "0.4"},
    ],
}
NAMES = {("nli", "tiny", "rcl"): "RCL (8 regulators)", ("nli", "tiny", "simcse"): "SimCSE"}
