"""Lending books to readers."""

LOANS_MAX = 5


def may_borrow(loans):
    """Whether a reader with these loans may borrow one more book."""
    return len(loans) < LOANS_MAX
