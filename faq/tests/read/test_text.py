"""The encoding of a user's text: recognised and told, or refused at line and byte."""

import gzip

import pytest

from semblance.errors import InputError
from semblance_faq.read import text as module
from semblance_faq.read.findings import Findings
from semblance_faq.read.text import read_text
from tests.unit.data.files import fails_at, put

TEXTS = {
    "cp1252": [
        "Frage;Antwort\nWie lange?;Von 9 bis 18 Uhr, täglich außer an Feiertagen.\n",
        "question;réponse\nOù est le bureau ?;À côté de la gare, déjà ouvert, même à Noël.\n",
        "question;réponse\nOuvert ?;jusqu'à midi\n",
        "pregunta;respuesta\n¿Cuándo abren?;Mañana por la mañana, señor.\n",
        "spørgsmål;svar\nHvornår åbner I?;Hver dag, også søndag.\n",
        "question,answer\nIt’s open?,“Yes” – it costs 5 €\n",
    ],
    "cp1250": [
        "pytanie;odpowiedź\nGdzie jest biuro?;Na ulicy Źródlanej, obok łąki. Proszę wejść.\n",
        "otázka;odpověď\nKde je kancelář?;Na náměstí, vedle pošty. Přijďte ráno.\n",
        "kérdés;válasz\nMikor vannak nyitva?;Hétfőtől péntekig. Az űrlap kitölthető.\n",
    ],
    "cp1251": ["вопрос;ответ\nГде находится офис?;На главной улице, рядом со станцией.\n"],
    "cp1253": ["ερώτηση;απάντηση\nΠού είναι το γραφείο;Στον κεντρικό δρόμο, δίπλα στον σταθμό.\n"],
    "cp1254": ["soru;cevap\nOfis nerede?;Çarşının karşısında, büyük binanın içinde. İyi günler!\n"],
    "cp932": [
        "質問,回答\n営業時間は何時ですか,九時から六時までです。日曜日は休みです。\n"
        "本を借りるにはどうすればいいですか,受付で図書館カードを作ってください。\n"
        "カードをなくしました。どうすればいいですか,すぐに受付に連絡してください。\n"
    ],
    "utf-16": ["q,a\nGeöffnet?,Ja\r\n日本,はい\n"],
    "utf-8-sig": ["q,a\nGeöffnet?,Ja\n"],
    "utf-8": ["q,a\nGeöffnet?,Ja\n", "q,a\nplain,text\n", ""],
}


def read(path) -> tuple[list[str], tuple[str, ...]]:
    findings = Findings()
    text = read_text(path, findings)
    return text.splitlines(), findings.reading().lines


@pytest.mark.parametrize("packed", [False, True])
@pytest.mark.parametrize("encoding", TEXTS)
def test_each_encoding_is_read_as_it_was_written(encoding, packed, tmp_path):
    for text in TEXTS[encoding]:
        content = text.encode(encoding)
        if packed:
            path = put(tmp_path / "f.csv.gz", gzip.compress(content))
        else:
            path = put(tmp_path / "f.csv", content)
        assert read(path)[0] == text.replace("\r\n", "\n").splitlines()


UTF_16 = "text in UTF-16, by its byte order mark"


@pytest.mark.parametrize(
    "encoding, mark, told",
    [
        ("utf-8", "", "text in UTF-8"),
        ("utf-8", "\ufeff", "text in UTF-8, with a byte order mark"),
        ("utf-16-be", "\ufeff", UTF_16),
        ("utf-16-le", "\ufeff", UTF_16),
    ],
)
def test_the_encoding_is_reported(encoding, mark, told, tmp_path):
    path = put(tmp_path / "f.csv", f"{mark}q,ä\n".encode(encoding))
    assert read(path) == (["q,ä"], (f"{path}: {told}",))


def test_a_code_page_is_reported_with_a_line_to_look_at(tmp_path):
    text = "q,a\nWo?,Hier\nWann?,Täglich außer Montag\n"
    path = put(tmp_path / "f.csv", text.encode("cp1252"))
    (note,) = read(path)[1]
    assert "read as cp1252, an encoding of Windows" in note
    assert note.endswith("line 3: 'Wann?,Täglich außer Montag'")


WHOLE = "q,a\nGeöffnet?,Ja\n".encode()
DAMAGE = b"\x80 \xe2\x82 \xc0\xaf \xed\xa0\x80 \xf4\x90\x80\x80 caf\xe9 \xff".split()
ODD = "not UTF-8: .* at byte {}"
# Bytes that no encoding fits, the line that the error names, and what it says.
UNREADABLE = [
    *(
        (WHOLE + b"xy" + damage + b",z\n", 3, ODD.format(5 if b"caf" in damage else 2) + ", though")
        for damage in DAMAGE
    ),
    ("q,a\nr,Größe und Maß".encode() + b"\xe9\n", 2, "not UTF-8"),  # in the only such line
    ("質問,回答\n".encode("cp932"), 1, "no known code page of Windows; save the file as UTF-8"),
    (b"q,a\nr,b\nab\x81\x8d\x8f\x90\x9d,c\n", 3, ODD.format(2)),
    ("q,a\nr,".encode("utf-16") + b"\x00\xd8x\x00\n\x00", 2, "not UTF-16: .* at byte 14 of the"),
]


@pytest.mark.parametrize("content, line, words", UNREADABLE)
def test_what_is_damaged_or_in_no_known_encoding_is_refused_at_line_and_byte(
    content, line, words, tmp_path
):
    path = put(tmp_path / "f.csv", content)
    with fails_at(path, line, words):
        read(path)


def test_a_line_that_is_utf8_by_accident_does_not_hide_a_code_page(tmp_path):
    lines = ["q,a", *["Où est le café ?,À côté"] * 40, "CAFÉ…,oui"]
    accident = lines[-1].encode("cp1252")
    assert accident.decode() != lines[-1]  # valid, but another text
    path = put(tmp_path / "f.csv", "\n".join(lines).encode("cp1252"))
    assert read(path)[0] == lines


def test_a_text_beyond_the_limit_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(module, "MOST", 100)
    path = put(tmp_path / "f.csv.gz", "q,a\n" * 100)
    with pytest.raises(InputError, match=r":1: more than 100 bytes of text; split the file"):
        read(path)
