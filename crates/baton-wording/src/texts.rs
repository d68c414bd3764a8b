//! Sets of words that are compared as they are written, but for capitals: made when the crate is compiled, asked with
//! one number of a word.

/// A word in small letters with its accents, in as many bytes as the longest word of a set.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Tag {
    letters: [u64; 2],
    /// A number that tells most words apart; a set keeps its last six bits alone.
    mark: u8,
}

/// How many marks there are.
pub(super) const MARKS: usize = 256;

/// A set of marks, a bit for each.
pub(super) type Marks = [u64; MARKS / 64];

/// The longest word of a set.
const TAG_BYTES_MAX: usize = 16;

impl Tag {
    /// The tag of all words that are too long for a set: no text has such bytes.
    const LONG: Self = Self::new([u64::MAX; 2]);

    /// The tag of a word of so many ASCII letters.
    #[inline]
    pub(super) const fn of_letters(letters: [u64; 3]) -> Self {
        let [first, second, third] = letters;
        if third == 0 { Self::new([first, second]) } else { Self::LONG }
    }

    /// The tag of any word.
    pub(super) fn of_word(word: &str) -> Self {
        let mut bytes = [0; TAG_BYTES_MAX];
        let mut length = 0;
        for letter in word.chars().flat_map(char::to_lowercase) {
            let end = length + letter.len_utf8();
            let Some(room) = bytes.get_mut(length..end) else { return Self::LONG };
            letter.encode_utf8(room);
            length = end;
        }
        Self::of_bytes(&bytes)
    }

    /// The tag of a word in small letters, in UTF-8.
    pub(super) fn of_small(bytes: &[u8]) -> Self {
        if bytes.len() <= TAG_BYTES_MAX { Self::of_bytes(bytes) } else { Self::LONG }
    }

    /// The tag of a word of a set.
    const fn of_bytes(bytes: &[u8]) -> Self {
        assert!(bytes.len() <= TAG_BYTES_MAX, "a word is longer than sets have them");
        let mut letters = [0; 2];
        let mut at = 0;
        while at < bytes.len() {
            letters[at / 8] |= (bytes[at] as u64) << (8 * (at % 8));
            at += 1;
        }
        Self::new(letters)
    }

    #[inline]
    const fn new(letters: [u64; 2]) -> Self {
        let [first, second] = letters;
        let mixed = (first ^ second.rotate_left(7)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        Self { letters, mark: (mixed >> 56) as u8 }
    }

    /// Its mark, below [`MARKS`].
    #[inline]
    pub(super) fn mark(&self) -> usize {
        usize::from(self.mark)
    }

    /// Its letters, if it is no longer than a set could have it.
    #[inline]
    pub(super) fn letters(&self) -> Option<[u64; 2]> {
        (*self != Self::LONG).then_some(self.letters)
    }
}

/// A set of words, in small letters.
pub(super) struct Texts<const N: usize> {
    /// The last six bits of the marks of its words, a bit for each.
    marks: u64,
    tags: [Tag; N],
}

impl<const N: usize> Texts<N> {
    /// The set of these.
    pub(super) const fn of(texts: [&str; N]) -> Self {
        let mut set = Self { marks: 0, tags: [Tag::LONG; N] };
        let mut at = 0;
        while at < N {
            set.tags[at] = Tag::of_bytes(texts[at].as_bytes());
            set.marks |= 1 << (set.tags[at].mark % 64);
            at += 1;
        }
        set
    }

    /// The set of these and of those of another one.
    pub(super) const fn and<const M: usize, const BOTH: usize>(&self, other: &Texts<M>) -> Texts<BOTH> {
        assert!(N + M == BOTH, "not as many words as both sets have");
        let mut set = Texts { marks: self.marks | other.marks, tags: [Tag::LONG; BOTH] };
        let mut at = 0;
        while at < BOTH {
            set.tags[at] = if at < N { self.tags[at] } else { other.tags[at - N] };
            at += 1;
        }
        set
    }

    /// The marks of its words.
    pub(super) const fn marks(&self) -> Marks {
        let mut marks = [0; MARKS / 64];
        let mut at = 0;
        while at < N {
            let mark = self.tags[at].mark;
            marks[mark as usize / 64] |= 1 << (mark % 64);
            at += 1;
        }
        marks
    }

    /// Whether a word is one of them.
    #[inline]
    pub(super) fn have(&self, tag: &Tag) -> bool {
        self.marks >> (tag.mark % 64) & 1 != 0 && self.tags.iter().any(|of| of.letters == tag.letters)
    }
}

/// A set of ends of words, in small letters.
pub(super) struct Ends<const N: usize> {
    /// A bit for each last byte, by its low bits: most words end with none of them.
    last: u64,
    ends: [&'static str; N],
}

impl<const N: usize> Ends<N> {
    /// The set of these.
    pub(super) const fn of(ends: [&'static str; N]) -> Self {
        let mut set = Self { last: 0, ends };
        let mut at = 0;
        while at < N {
            let end = ends[at].as_bytes();
            set.last |= 1 << (end[end.len() - 1] % 64);
            at += 1;
        }
        set
    }

    /// Whether a word ends with one of them.
    #[inline]
    pub(super) fn has(&self, word: &str) -> bool {
        word.as_bytes().last().is_some_and(|last| self.last >> (last % 64) & 1 != 0)
            && self.ends.iter().any(|end| word.ends_with(end))
    }
}

/// A set of words that is made when the crate is compiled.
macro_rules! texts {
    ($($text:literal),+ $(,)?) => {
        const { &$crate::texts::Texts::of([$($text),+]) }
    };
}

pub(super) use texts;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_is_found_in_a_set_without_regard_to_capitals() {
        let set = texts!["to", "où", "réunissent", "a"];
        for word in ["to", "To", "TO", "où", "OÙ", "RÉUNISSENT"] {
            assert!(set.have(&Tag::of_word(word)), "{word}");
        }
        for word in ["t", "too", "ou", "reunissent", "à", "", "a word that is far too long"] {
            assert!(!set.have(&Tag::of_word(word)), "{word}");
        }
    }

    #[test]
    fn an_end_is_found_whatever_its_last_letter_is() {
        const ENDS: Ends<3> = Ends::of(["ed", "é", "ought"]);
        for word in ["decided", "ed", "validé", "brought"] {
            assert!(ENDS.has(word), "{word}");
        }
        for word in ["", "d", "decide", "valide", "right", "bad"] {
            assert!(!ENDS.has(word), "{word}");
        }
    }

    #[test]
    fn two_sets_are_one() {
        const BOTH: Texts<3> = Texts::of(["to", "où"]).and(&Texts::of(["a"]));
        assert!(["to", "où", "a"].iter().all(|word| BOTH.have(&Tag::of_word(word))));
        assert!(!BOTH.have(&Tag::of_word("ou")));
    }
}
