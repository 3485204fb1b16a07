"""Rows of each kind of figure, small and made up."""

RUN = {"corpus": "nli", "base": "tiny", "method": "rcl", "seed": 1}
OTHER = RUN | {"method": "simcse"}
INTERVALS = {"low": -0.2, "high": 0.8, "bootstrap_low": -0.4, "bootstrap_high": 1.0}
METHOD = {"table": "t", "title": "A table", "column": "Average", "margin": 0.5, "label": "RCL"}
METHOD |= {"control": "SimCSE", "protocol": "senteval", "seed": None, "n": 2, "difference": 0.3}
METHOD |= INTERVALS | {"published": 0.18, "stand_in": None}
OF_SEED = METHOD | dict.fromkeys((*INTERVALS, "n", "published"))

ROWS = {
    "alignment_uniformity": [
        run | {"seed": seed, "alignment": 0.2, "uniformity": uniformity, "average": average}
        for run, uniformity, average in ((RUN, -2.5, 0.7), (OTHER, -2.4, 0.6))
        for seed in (1, 2)
    ],
    "by_regulators": [
        RUN | {"method": "start", "seed": 0, "regulators": None, "average": 0.67},
        RUN | {"regulators": 0, "average": 0.7},
        RUN | {"regulators": 0, "seed": 2, "average": 0.72},
        RUN | {"method": "rcl-2", "regulators": 2, "average": 0.74},
    ],
    "by_phi": [
        RUN | {"form": None, "phi": None, "average": 0.7},
        RUN | {"method": "entropy--0.01", "form": "entropy", "phi": -0.01, "average": 0.6},
        RUN | {"method": "entropy-0.02", "form": "entropy", "phi": 0.02, "average": 0.65},
        RUN | {"method": "sum-0.02", "form": "sum", "phi": 0.02, "average": 0.5},
    ],
    "curve": [
        run | {"step": step, "alignment": alignment, "uniformity": uniformity}
        for run, end in ((RUN, -2.0), (OTHER, -2.5))
        for step, alignment, uniformity in ((0, 0.3, -1.0), (10, 0.2, end))
    ],
    "singular_values": [
        run | {"seed": seed, "position": i, "singular_value": 8 * share / i, "relative": share / i}
        for run in (RUN, OTHER)
        for seed, share in ((1, 1.0), (2, 0.5))
        for i in range(1, 9)
    ],
    "cosine_densities": [
        run | {"group": f"{low}-{low + 1}", "index": i, "gold": float(low), "cosine": cosine}
        for run in (RUN, OTHER)
        for low in range(5)
        for i, cosine in enumerate((low / 5, low / 5 + 0.1))
    ],
    "anisotropy": [
        run | {"pairs": 9, "aligned": 0.9, "eq5": 0.6, "eq6": 0.5, "positive": 1.0, "largest": 0.4}
        for run in (RUN, OTHER)
    ],
    "contrasts": [
        METHOD,
        OF_SEED | {"seed": 1, "difference": 0.2},
        OF_SEED | {"seed": 2, "difference": 0.4},
    ],
}
SPECIFICATION = {"table": "t", "layout": "sts", "column": "Average", "published": 0.77}
SPECIFICATION |= {"n": 3, "holds": 1, "of": 2, "p_joint": None, "base": "tiny"}
OF_ONE = {"label": "RCL", "method": "rcl", "choices": "scale 1", "difference": 0.6}
OF_OTHER = {"label": "RCL 20", "method": "rcl-20", "choices": "scale 20", "difference": -0.1}
ROWS["specifications"] = [
    SPECIFICATION | {"table": table} | one | {"low": -0.2, "high": 0.8, "p_holm": 0.01}
    for table in ("t", "t_mean")
    for one in (OF_ONE, OF_OTHER)
]
ROWS["selections"] = [row | {"published": None} for row in ROWS["specifications"]]
NAMES = {("nli", "tiny", "rcl"): "RCL (8 regulators)", ("nli", "tiny", "simcse"): "SimCSE"}
