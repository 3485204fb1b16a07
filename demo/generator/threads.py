"""StackFAQ's layout: threads about invented web applications, two writers' paraphrases and up to three answers."""

from xml.sax.saxutils import escape

# to do it | doing it | another way to say that | answers
THREADS = [
    tuple(line.split("|"))
    for line in """\
print a Notula page without margins|printing Notula pages free of margins|get rid of the white border on a Notula printout|Open the print view and choose Edge in the paper menu.|Add ?margin=0 to the address, then print as usual.|Export the page as an image & print that instead.
merge two Briefbox folders|merging a pair of Briefbox folders|join folders in Briefbox into one|Drag one folder onto the other while you hold the shift key.|Select both, then pick Combine from the wheel menu.
undo a sent message in Pigeonly|undoing a message already sent with Pigeonly|take back mail that left Pigeonly|There is a bar at the bottom for eight seconds; click Stop.|You cannot once the bar is gone, but a second message marked Correction replaces the first.
search for exact words in Lantern|searching Lantern for exact words|make Lantern find a phrase letter by letter|Put an equals sign in front, as in =steam engine.|Set Fuzzy to <none> in the search options.|Use the old search page, which never guesses.
change the language of Mapwise|changing Mapwise to another language|read Mapwise in my mother tongue|Click the globe in the lower corner.|Add the two letters of the language to the address.
export a Tallysheet table as text|exporting tables from Tallysheet as plain text|save a Tallysheet grid in a text file|Use File, Save as, Columns with tabs.|Copy the cells and paste them into any editor.|The command line tool has a --text switch.
block a caller in Chime|blocking a caller with Chime|stop someone from ringing me on Chime|Hold your finger on the name and choose Silence for good.|Add the number to the list named Never.
recover a deleted Paintpot drawing|recovering a drawing that Paintpot deleted|get back a picture I threw away in Paintpot|The bin keeps drawings for thirty days; look under Shelf.|Ask support with the drawing's number, which stands in the old address.
set a dark background in Readery|setting Readery to a dark background|make Readery less bright at night|Press the letter D twice.|Install the style named Coal.|Choose Evening in the clock menu and it happens by itself.
share a Calendo date with a friend|sharing one Calendo date with friends|let a friend see a date in Calendo|Open the date, press the arrow and enter an address.|Print it as a code that a telephone can read.
turn off sounds in Boardly|turning the sounds of Boardly off|use Boardly in silence|Click the bell until it is crossed out.|Close the tab named Live, since only that tab makes noise.|In the profile, set Volume to null.
keep two Walletry accounts apart|keeping a pair of Walletry accounts separate|use Walletry for work and home without mixing them|Give each account its own colour and start page.|Use one browser profile for each account.
find old posts on Quill|finding posts from years ago on Quill|look up what I wrote on Quill long ago|Add the year to the end of your profile's address.|Ask for the archive by e-mail; it comes as one file.
shorten a Linkett address|shortening addresses made by Linkett|make a Linkett address less long|Cut everything after the second slash; it still works.|Choose Short in the share window.|Buy a name of your own and forward it.
leave a Huddle group quietly|leaving groups in Huddle without notice|quit a Huddle group so that nobody notices|Mute it, wait a day and choose Leave; no notice is sent then.|Ask the owner to remove you.|n/a""".splitlines()
]

FIRST_WRITER = (
    "How do I {do}?",
    "What is the best way of {doing}?",
    "I would like to {do}.",
    "{Doing}, how?",
)
SECOND_WRITER = (
    "Is it possible to {other}?",
    "I want to {other}, any ideas?",
    "way to {other}",
    "Can someone tell me how to {other}?",
    "help with {doing} please",
)


def stackfaq() -> str:
    """Return stackExchange-FAQ.xml: 15 threads; a rephrasing ``*`` separates the two writers."""
    return "<root>\n" + "".join(_thread(*fields) for fields in THREADS) + "</root>\n"


def _thread(do: str, doing: str, other: str, *answers: str) -> str:
    names = {"do": do, "doing": doing, "Doing": doing[0].upper() + doing[1:], "other": other}
    asked = [text.format(**names) for text in (*FIRST_WRITER, "*", *SECOND_WRITER)]
    return (
        f"<qapair>\n{_elements('rephr', asked)}{_elements('question', [do[0].upper() + do[1:]])}"
        f"{_elements('answer', [f'   {answer}      ' for answer in answers])}</qapair>\n"
    )


def _elements(tag: str, texts: list[str]) -> str:
    return "".join(f"<{tag}>\n{escape(text)}\n</{tag}>\n" for text in texts)
