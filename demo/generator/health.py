"""The COVID tables' layout, about an invented harmless illness."""

import csv
import io

COLUMNS = (
    "question answer answer_html link name source category country region city lang last_update"
).split()
SAME = ("https://health.example/faq", "Questions", "Health Office", "", "", "", "")  # in each row

# question | answer | how someone else asks it; // is a line break
ENGLISH = """\
What is river cold?|River cold is a mild illness of the nose and throat that people catch in damp spring weather.|What kind of illness is river cold?
How does river cold spread?|It spreads through droplets when someone who is ill sneezes near you.|In what way is river cold passed on?
How long does river cold last?|Most people feel well again after four days.//A cough may stay for two weeks.|After how many days is river cold over?
Can I catch river cold twice?|Yes, but a second bout is usually shorter than the first.|Is it possible to get river cold again?
Should I wear a mask on the bus?|Nobody has to, yet it is a "kind gesture" if you sneeze a lot.|Is a mask needed in public transport?
Is there a vaccine against river cold?|No. Work on one was stopped because the illness is so mild.|Can one be vaccinated against river cold?
May my child go to school with river cold?|Yes, as long as there is no fever in the morning.|Are pupils who have river cold allowed in class?
What helps against a sore throat?|Warm tea with honey, rest, and a scarf worn day and night.|What can I do when my throat hurts?
When should I see a doctor?|See a doctor if fever lasts longer than three days or breathing hurts.|At what point is a doctor needed?
Can pets get river cold?|Cats can, dogs cannot. Neither passes it on to people.|Do animals at home fall ill with river cold?
Are older people at greater risk?|They recover more slowly, so neighbours should offer to do the shopping.|Is river cold worse for the elderly?
Is it safe to swim in the river?|Yes, the name only tells where the first patients lived.|Can I bathe in the river?
How often should I wash my hands?|Before each meal, and whenever you come home.|When do hands have to be washed?
Which test detects river cold?|A swab from the nose, which the pharmacy reads within a quarter of an hour.|How is river cold detected?
What does the result n/a mean?|The swab was dry and has to be repeated.|Why does my result say n/a?
Can I visit someone in hospital?|Visits are allowed from two to five o'clock, one guest at a time.|Are hospital visits possible?
Do antibiotics help?|No, because a virus causes the illness.|Should I take antibiotics?
Is river cold dangerous in pregnancy?|Midwives have seen no harm to mothers or babies so far.|Must pregnant women fear river cold?
May I travel by train when ill?|Please wait until you have had no fever for a day.|Can I take the train with river cold?
What should I stock at home?|Tea, tissues, soup and something good to read.|Which supplies do I need?
Who pays for the test?|The district pays if a teacher or an employer has asked for it.|Is the test free?
Where can I get reliable news?|On the page of the health office, which is renewed each noon.|Which source of news can be trusted?
Does cold weather make it worse?|Damp does, frost does not.|Is river cold worse in winter?
Can I donate blood afterwards?|After a fortnight without symptoms you can.|When may I give blood again?
null|NA|n/a"""
GERMAN = """\
Was ist Flussschnupfen?|Eine leichte Erkältung, die im feuchten Frühling auftritt.
Wie lange dauert der Schnupfen?|Meist vier Tage, der Husten etwas länger.
Darf mein Kind zur Schule?|Ja, wenn es morgens kein Fieber hat.
Wer kommt für die Probe auf?|Der Bezirk, sofern die Schule sie verlangt hat.
Hilft warmer Tee?|Ja, am besten mit Honig und viel Ruhe.
Können Hunde krank werden?|Nein, nur Katzen."""

Row = tuple[str, ...]


def _rows(text: str, lang: str) -> list[Row]:
    rows = []
    for line in text.splitlines():
        question, answer = line.split("|")[:2]
        answer = answer.replace("//", "\n")
        rows.append((question, answer, f"<p>{answer}</p>", *SAME, lang, "2020/03/22"))
    return rows


def _table(rows: list[Row], delimiter: str, newline: str) -> str:
    out = io.StringIO()
    csv.writer(out, delimiter=delimiter, lineterminator=newline).writerows(rows)
    return out.getvalue()


def covid() -> dict[str, str]:
    """Return the four files by name: 25 distinct English pairs over three tables, three of them twice."""
    english, german = _rows(ENGLISH, "en"), _rows(GERMAN, "de")
    similar = [("question_1", "question_2", "similar")]
    asked = [line.split("|")[::2] for line in ENGLISH.splitlines()]
    similar += [(first, second, "1") for first, second in asked[:12]]
    similar += [(asked[i][0], asked[i + 9][1], "0") for i in range(12)]
    return {
        "deepset_faq_covidbert.csv": _table([COLUMNS, *english[:13]], ",", "\r\n"),
        "deepset_faq_200322_16.tsv": _table([COLUMNS, *german[:3], *english[11:19]], "\t", "\n"),
        "deepset_faq_200327.tsv": _table([COLUMNS, *english[18:], *german[2:]], "\t", "\n"),
        "deepset_eval_question_similarity_en.csv": _table(similar, ",", "\r\n"),
    }
