"""Clean characters, cutting in the middle, tokens that are not underestimated."""

import pytest
from hypothesis import strategies as st

from memory.text import clean, cut_middle, estimate_tokens, replace_surrogates
from tests.properties import for_all

ANY_TEXT = st.text(st.characters(exclude_categories=()))  # lone surrogates, too


@pytest.mark.parametrize(
    ("text", "cleaned"),
    [
        ("plain, é, 好, 👩‍👩‍👧", "plain, é, 好, 👩‍👩‍👧"),
        ("a\0b", "a\ufffdb"),
        ("a\ud800b", "a\ufffdb"),
        ("\udc00\ud83d", "\ufffd\ufffd"),
        ("\ud83d\ude00", "😀"),
    ],
)
def test_what_an_engine_refuses_is_replaced(text: str, cleaned: str) -> None:
    assert clean(text) == cleaned


def test_a_zero_byte_is_left_where_only_surrogates_are_refused() -> None:
    assert replace_surrogates("a\0\ud800") == "a\0\ufffd"


@for_all(ANY_TEXT)
def test_clean_text_stays_as_it_is_and_can_be_sent(text: str) -> None:
    cleaned = clean(text)

    assert cleaned.encode().decode() == cleaned
    assert "\0" not in cleaned
    assert clean(cleaned) == cleaned


def test_a_text_that_fits_is_not_cut() -> None:
    assert cut_middle("0123456789", 10) == "0123456789"


def test_a_long_text_keeps_its_beginning_and_its_end_and_says_what_is_gone() -> None:
    cut = cut_middle("begin" + "x" * 12_000 + "end", 60)

    assert cut == "beginxxxxxxxxx[… 11,980 characters left out …]xxxxxxxxxxxend"


@for_all(ANY_TEXT, st.integers(0, 100))
def test_a_cut_text_is_never_longer_than_its_limit(text: str, limit: int) -> None:
    cut = cut_middle(text * 50, limit)

    assert len(cut) <= limit
    assert cut == text * 50 or len(cut) == limit


@pytest.mark.parametrize(
    ("text", "at_least", "at_most"),
    [
        ("", 0, 0),
        ("Can I get a refund for order #1043?", 10, 14),
        ("internationalisation", 4, 6),
        ("可以给我退款吗？", 8, 13),
        ("Можно вернуть деньги за заказ?", 8, 31),
        ("👩‍👩‍👧‍👦", 7, 15),
        ('{"order_id": 1042, "items": []}', 12, 20),
        ("def f(x):\n    return x[0] == 1\n", 16, 20),
        ("a3f09bc2d17e", 8, 12),
        ("getRefundEligibility", 4, 7),
        ("    \n\n\n    \n", 1, 4),
        ("\ud800", 1, 2),
    ],
)
def test_tokens_are_rather_over_than_underestimated(text: str, at_least: int, at_most: int) -> None:
    assert at_least <= estimate_tokens(text) <= at_most


@pytest.mark.parametrize(
    "text",
    [
        "可以给我退款吗我的订单还没有到",
        "ありがとうございます注文はまだですか",
        "주문이아직도착하지않았습니다",
    ],
)
def test_each_sign_of_chinese_japanese_and_korean_counts_as_one_and_a_half(text: str) -> None:
    assert 1.5 * len(text) <= estimate_tokens(text) <= 1.5 * len(text) + 1


@pytest.mark.parametrize(
    "code",
    [
        "SELECT name, state FROM turns WHERE conversation = :id AND number >= :first;",
        "for (let i = 0; i < items.length; i++) { total += items[i].price; }",
        "async def read(tx: Transaction, conversation: str) -> list[Turn]:\n    return []\n",
        '{"orders": [{"id": 1042, "item": "wireless headphones", "paid": true}]}',
        "git rebase main && python -m pytest -n0 -q tests/unit/test_text.py",
        "const getRefundEligibility = async ({ orderId }) => (await api.get(orderId)).data;",
    ],
)
def test_code_counts_as_a_token_for_at_most_three_characters(code: str) -> None:
    assert len(code) / 3 <= estimate_tokens(code) <= len(code) / 1.5


@for_all(ANY_TEXT, ANY_TEXT)
def test_more_text_is_never_fewer_tokens(text: str, more: str) -> None:
    assert estimate_tokens(text + "\n" + more) >= estimate_tokens(text)
