//! Sets of forms that a word is compared with as it is written, but for capitals.
//!
//! Short sets stand beside the pattern that asks them ([`forms!`]), longer ones by their name in `data/forms.txt`
//! ([`listed!`]). Both are made when the crate is compiled; a name that the file lacks does not compile.

/// A word in small letters with its accents, in as many bytes as the longest word of a set.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Tag {
    letters: [u64; 2],
    /// A number that tells most words apart; a set keeps its last six bits alone.
    mark: u8,
}

/// Number of marks.
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
pub(super) struct Forms<const N: usize> {
    /// The last six bits of the marks of its words, a bit for each.
    marks: u64,
    tags: [Tag; N],
}

impl<const N: usize> Forms<N> {
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

    /// A named set; it must have [`count`] forms.
    pub(super) const fn listed(name: &str) -> Self {
        let (mut at, end) = line(name);
        let mut set = Self { marks: 0, tags: [Tag::LONG; N] };
        let mut next = 0;
        while at < end {
            let length = form_length(at);
            if length > 0 {
                let (_, behind) = FILE.split_at(at);
                let (form, _) = behind.split_at(length);
                set.tags[next] = Tag::of_bytes(form);
                set.marks |= 1 << (set.tags[next].mark % 64);
                next += 1;
            }
            at += length + 1;
        }
        assert!(next == N, "not as many forms as the set has");
        set
    }

    /// The set of these and of those of another one.
    pub(super) const fn and<const M: usize, const BOTH: usize>(&self, other: &Forms<M>) -> Forms<BOTH> {
        assert!(N + M == BOTH, "not as many words as both sets have");
        let mut set = Forms { marks: self.marks | other.marks, tags: [Tag::LONG; BOTH] };
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

    /// Checks whether a word is one of them.
    #[inline]
    pub(super) fn have(&self, tag: &Tag) -> bool {
        self.marks >> (tag.mark % 64) & 1 != 0 && self.tags.iter().any(|of| of.letters == tag.letters)
    }
}

/// The named sets.
const FILE: &[u8] = include_bytes!("../data/forms.txt");

/// Number of forms in a named set.
pub(super) const fn count(name: &str) -> usize {
    let (mut at, end) = line(name);
    let mut count = 0;
    while at < end {
        let length = form_length(at);
        count += (length > 0) as usize;
        at += length + 1;
    }
    count
}

/// Start and end of the forms of a named set in the file.
const fn line(name: &str) -> (usize, usize) {
    let name = name.as_bytes();
    let mut start = 0;
    while start < FILE.len() {
        let mut end = start;
        while FILE[end] != b'\n' {
            end += 1;
        }
        let mut same = 0;
        while same < name.len() && FILE[start + same] == name[same] {
            same += 1;
        }
        if same == name.len() && FILE[start + same] == b':' {
            return (start + same + 1, end);
        }
        start = end + 1;
    }
    panic!("no set of this name in data/forms.txt")
}

/// Length of the form at a place in the file, 0 at a separator.
const fn form_length(at: usize) -> usize {
    let mut end = at;
    while !matches!(FILE[end], b' ' | b'|' | b'\n') {
        end += 1;
    }
    end - at
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

    /// Checks whether a word ends with one of them.
    #[inline]
    pub(super) fn has(&self, word: &str) -> bool {
        word.as_bytes().last().is_some_and(|last| self.last >> (last % 64) & 1 != 0)
            && self.ends.iter().any(|end| word.ends_with(end))
    }
}

/// A set of words that is made when the crate is compiled.
macro_rules! forms {
    ($($text:literal),+ $(,)?) => {
        const { &$crate::forms::Forms::of([$($text),+]) }
    };
}

/// A named set of `data/forms.txt`.
macro_rules! listed {
    ($name:literal) => {
        const { &$crate::forms::Forms::<{ $crate::forms::count($name) }>::listed($name) }
    };
}

pub(super) use {forms, listed};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_is_found_in_a_set_without_regard_to_capitals() {
        let set = forms!["to", "où", "réunissent", "a"];
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
    fn a_named_set_has_the_forms_of_its_line() {
        const CONJUNCTIONS: Forms<{ count("conjunctions") }> = Forms::listed("conjunctions");
        assert!(["but", "Mais", "ou"].iter().all(|word| CONJUNCTIONS.have(&Tag::of_word(word))));
        assert!(["conjunctions", "|", "b", ""].iter().all(|word| !CONJUNCTIONS.have(&Tag::of_word(word))));
    }

    #[test]
    fn every_named_set_is_used_once_named() {
        let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("src/question");
        let files = std::fs::read_dir(folder).expect("the crate has its sources");
        let read = |file: std::io::Result<std::fs::DirEntry>| {
            std::fs::read_to_string(file.expect("readable").path()).expect("readable")
        };
        let code: String = files.map(read).collect();
        let lines = str::from_utf8(FILE).expect("text").lines().filter(|line| !line.starts_with('#'));
        let names: Vec<&str> = lines.filter_map(|line| line.split_once(':')).map(|(name, _)| name).collect();
        for name in &names {
            assert!(code.contains(&format!("\"{name}\"")), "no pattern asks {name}");
            assert_eq!(names.iter().filter(|other| *other == name).count(), 1, "{name} stands twice");
        }
    }

    #[test]
    fn two_sets_are_one() {
        const BOTH: Forms<3> = Forms::of(["to", "où"]).and(&Forms::of(["a"]));
        assert!(["to", "où", "a"].iter().all(|word| BOTH.have(&Tag::of_word(word))));
        assert!(!BOTH.have(&Tag::of_word("ou")));
    }
}
