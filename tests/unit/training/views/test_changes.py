"""Views: which rows they pair, and which tokens of a positive they change, the same again each time."""

from collections import Counter

import numpy as np
import pytest

from semblance.data.corpus import NONE, Rows
from semblance.data.tokens import Tokens
from semblance.data.vocabulary import Vocabulary
from semblance.errors import InputError
from semblance.training.changes import Changes, Text, find_change
from semblance.training.views import crop, delete, repeat, replace, rows, thrice, twice

DRAWS = 4000
CLS, SEP = 0, 1
# Ten words of one to three tokens; the ids say which token of which word it is.
WORDS = np.repeat(np.arange(10), [1, 2, 1, 3, 1, 1, 2, 1, 1, 2])
IDS = np.arange(2, 2 + len(WORDS), dtype=np.int32)
CONTINUES = np.concatenate([[False, False], np.diff(WORDS, prepend=-1) == 0])
VOCABULARY = Vocabulary(CONTINUES, np.arange(2, len(CONTINUES), dtype=np.int32))
TEXT = Text(IDS, WORDS)
CHANGES = [
    (crop, {"share": 0.3}),
    (delete, {"share": 0.3}),
    (delete, {"words": 1}),
    (repeat, {"rate": 0.32}),
    (replace, {"share": 0.25}),
]


def draws(view, options):
    """Return what a view makes of the text in many draws."""
    generator = np.random.default_rng(0)
    return [view.change(TEXT, VOCABULARY, generator, **options) for _ in range(DRAWS)]


def words_of(ids):
    """Return the numbers of the words whose tokens these are; each word must be whole."""
    found = Counter(WORDS[ids - 2].tolist())
    assert all(found[word] == Counter(WORDS.tolist())[word] for word in found)
    return sorted(found)


def near(count, probability):
    """Tell whether a count of draws is within five standard deviations of what is expected."""
    spread = 5 * np.sqrt(DRAWS * probability * (1 - probability))
    return abs(count - DRAWS * probability) <= spread


def test_a_crop_keeps_consecutive_words_that_begin_anywhere_equally_often():
    firsts = Counter()
    for ids in draws(crop, {"share": 0.3}):
        words = words_of(ids)
        assert words == list(range(words[0], words[0] + 7))
        firsts[words[0]] += 1
    assert set(firsts) == {0, 1, 2, 3}
    assert all(near(count, 1 / 4) for count in firsts.values())


@pytest.mark.parametrize("options, deleted", [({"share": 0.3}, 3), ({"words": 1}, 1)])
def test_each_word_is_deleted_equally_often(options, deleted):
    kept = Counter()
    for ids in draws(delete, options):
        assert (np.diff(ids) > 0).all()  # in their order
        words = words_of(ids)
        assert len(words) == 10 - deleted
        kept.update(words)
    assert all(near(kept[word], 1 - deleted / 10) for word in range(10))


def test_tokens_are_repeated_beside_themselves_and_each_number_of_them_equally_often():
    counts = Counter()
    repeated = Counter()
    most = int(0.32 * len(IDS))
    for ids in draws(repeat, {"rate": 0.32}):
        assert np.array_equal(np.unique(ids), IDS) and (np.diff(ids) >= 0).all()
        again = ids[1:][np.diff(ids) == 0]
        assert len(set(again.tolist())) == len(again)  # none three times
        counts[len(again)] += 1
        repeated.update(again.tolist())
    assert set(counts) == set(range(most + 1))
    assert all(near(count, 1 / (most + 1)) for count in counts.values())
    assert all(near(repeated[token], most / 2 / len(IDS)) for token in IDS.tolist())


def test_a_share_of_the_tokens_is_replaced_by_any_that_is_not_special():
    replaced = Counter()
    for ids in draws(replace, {"share": 0.25}):
        assert len(ids) == len(IDS) and not set(ids.tolist()) & {CLS, SEP}
        changed = np.flatnonzero(ids != IDS)
        assert len(changed) <= round(0.25 * len(IDS))  # a token may be drawn in its own place
        replaced.update(changed.tolist())
    same = 1 / len(VOCABULARY.ordinary)
    expected = round(0.25 * len(IDS)) / len(IDS) * (1 - same)
    assert all(near(replaced[place], expected) for place in range(len(IDS)))


@pytest.mark.parametrize("view, options", CHANGES)
def test_a_view_pairs_each_sentence_with_itself_and_keeps_a_text_of_one_word(view, options):
    assert view.view is twice.view
    one = Text(IDS[:1], WORDS[:1])
    assert len(view.change(one, VOCABULARY, np.random.default_rng(0), **options)) >= 1


@pytest.mark.parametrize("options", [{}, {"share": 0.1, "words": 1}])
def test_a_deletion_needs_a_share_or_a_number_of_words(options):
    with pytest.raises(InputError, match="exactly one of share, words"):
        delete.change(TEXT, VOCABULARY, np.random.default_rng(0), **options)


def corpus():
    """Return three sentences, the last of them without any word."""
    texts = [[CLS, *IDS, SEP], [CLS, *IDS[:5], SEP], [CLS, SEP]]
    offsets = np.cumsum([0, *map(len, texts)])
    return Tokens(np.concatenate(texts).astype(np.int32), offsets)


def changed(step, rows, numbers, seed=3):
    """Return the texts of a batch, as lists of ids, by view."""
    changes = Changes(delete.change, {"share": 0.3}, VOCABULARY, seed)
    tokens, found = changes.apply(corpus(), np.asarray([numbers, numbers]), step, np.asarray(rows))
    return [[tokens.part(n, n + 1).ids.tolist() for n in view] for view in found]


def test_the_queries_keep_their_tokens_and_the_positives_their_special_ones():
    queries, positives = changed(step=5, rows=[7, 8, 9], numbers=[0, 1, 2])
    assert queries == [[CLS, *IDS, SEP], [CLS, *IDS[:5], SEP], [CLS, SEP]]
    assert [(text[0], text[-1]) for text in positives] == [(CLS, SEP)] * 3
    assert set(positives[0]) < set(queries[0]) and positives[2] == [CLS, SEP]


def test_a_change_depends_on_seed_step_and_row_and_on_nothing_else():
    _, [first, second, _] = changed(step=5, rows=[7, 8, 9], numbers=[0, 1, 2])
    _, [alone] = changed(step=5, rows=[8], numbers=[1])
    assert alone == second  # whatever else the batch holds, and whatever was drawn before
    for step, row, seed in ((6, 7, 3), (5, 8, 3), (5, 7, 4)):
        assert changed(step, [row], [0], seed)[1][0] != first


@pytest.mark.parametrize(
    "view, options, said",
    [
        ("twice", {"share": 0.1}, ": view 'twice' changes no text"),
        ("crop", {"part": 0.1}, ""),
        ("crop", {"share": 1.5}, ""),
        ("crop", {}, ""),
    ],
)
def test_wrong_options_of_a_view_are_refused(view, options, said):
    assert find_change("twice", {}) is None
    with pytest.raises(InputError, match=f"view_options{said}"):
        find_change(view, options)


CORPUS = Rows(*np.array([[0, 0, 3], [1, 2, 4], [NONE, 5, NONE]], np.int32))


def test_rows_are_those_of_the_corpus():
    for found, expected in zip(rows.view(CORPUS, 6), CORPUS, strict=True):
        assert np.array_equal(found, expected)


def test_twice_pairs_each_distinct_sentence_with_itself():
    found = twice.view(CORPUS, 6)
    assert found.query.tolist() == found.positive.tolist() == list(range(6))
    assert found.negative.tolist() == [NONE] * 6
    assert {column.dtype for column in found} == {np.dtype(np.int32)}


def test_thrice_has_each_distinct_sentence_as_its_own_negative_too():
    found = thrice.view(CORPUS, 6)
    assert [column.tolist() for column in found] == [list(range(6))] * 3
    assert len(found.views()) == 3
