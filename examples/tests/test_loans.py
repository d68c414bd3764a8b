"""The loan limit."""

from src.loans import may_borrow


def test_a_reader_with_four_books_may_borrow_a_fifth():
    assert may_borrow(["a", "b", "c", "d"])


def test_a_reader_with_five_books_may_not():
    assert not may_borrow(["a", "b", "c", "d", "e"])
