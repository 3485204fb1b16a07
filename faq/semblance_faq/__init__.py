"""The application: a model that answers from a user's own FAQ."""

# All that it takes of the reproduction's package: a change there minds the application, too.
TAKEN = """
    audit.chain audit.explain counts data.arrow data.faq data.sts data.text data.tokens
    errors evaluation.prepared files gpus layout lines locks models.compute models.folder
    models.prompts models.saved models.vectors named_modules names provenance
    ranking.candidates ranking.words reporting.layouts settings strict_json strict_yaml
    training.final
""".split()
