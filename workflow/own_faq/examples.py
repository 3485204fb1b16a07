"""The examples at the end of the help of ``semblance faq`` and of its subcommands."""

EXAMPLES = {
    "faq": """examples:
  semblance faq train my.csv --output my-faq
  semblance faq ask --model my-faq "How do I renew a loan?"
""",
    "train": """examples:
  semblance faq train my.csv --output my-faq
  semblance faq train my.xlsx --output my-faq --queries asked.csv --question Frage --answer Antwort
""",
    "ask": """examples:
  semblance faq ask --model my-faq "How do I renew a loan?"
  semblance faq ask --model my-faq --json < questions.txt
""",
    "serve": """examples:
  semblance faq serve --model my-faq
  semblance faq serve --model my-faq --port 8090 --log log.jsonl
""",
    "learn": """examples:
  semblance faq learn log.jsonl --model my-faq
  semblance faq learn log.jsonl --model my-faq --output my-faq-2
""",
    "check": """example:
  semblance faq check my-faq
""",
}
