//! The words that the prefilter knows, and what must stand around them.
//!
//! A word has seven bytes or more, together with one that stands before it and one behind it where it is shorter: that
//! is what it takes to be met (`quad_index.rs`). In a word a blank stands for a space, a line end, or an escaped one.
//!
//! True if every pattern of `data/` has a word here is not left to care: the tests of `secrets/formats.rs` and of
//! `rules/document/instruction.rs` make texts for each of them and look for them behind the prefilter.
//!
//! Invariant: a word that is met is there, letter by letter, with what must stand before and behind it.

/// Bits that letters of either case share, in ASCII and in the letters of French.
pub(super) const LETTERS: u8 = 0xdf;

/// Meaning of a suspect word.
#[derive(Clone, Copy, Debug)]
pub(super) enum Near {
    /// A secret that may be too short to be a run.
    Secret,
    /// Text that instructs its reader.
    Instruction,
}

/// A word or a part of one, in any letters.
#[derive(Clone, Copy, Debug)]
pub(super) struct SuspectWord {
    /// Possible bytes before it, where the word is too short without.
    pub(super) starts: &'static [u8],
    pub(super) text: &'static str,
    /// Possible bytes after it, where the word is too short without.
    pub(super) ends: &'static [u8],
    /// Any of these stands before it, if there are some; a blank is a gap of any width.
    behind: &'static [&'static str],
    /// Any of these follows, if there are some.
    then: &'static [&'static str],
    pub(super) near: Near,
}

/// Text between words: blanks, the escape of one, and the first bytes of those that are not ASCII.
const GAP: &[u8] = b" \n\t\r\\\xc2\xe2\xe3";
/// Text between a name and the sign that assigns something to it, and the sign.
const ASSIGNED: &[u8] = b" \n\t\r\\\"'`:=>]";
/// Text before a word at the start of a text, a line or a value.
const START: &[u8] = b" \n\t\"'`(>:=nrt;|&$";
/// Text before a name, or a part of one.
const START_OF_NAME: &[u8] = b" \n\t\"'`(>:=nrt;|&$_-./{[";
/// Bytes of a name, once for both cases.
const IN_NAME: &[u8] = b"abcdefghijklmnopqrstuvwxyz0123456789";
/// Any byte behind a letter or a sign of ASCII, once for both cases.
const ANY: &[u8] = &{
    let mut any = [0; 32 + 32 + 21];
    let mut at = 0_u8;
    while (at as usize) < any.len() {
        any[at as usize] = match at {
            0..32 => at,
            32..64 => at + 0x20,
            _ => at - 64 + 0xc0,
        };
        at += 1;
    }
    any
};

/// Tells whether a byte behind a name may belong to an assignment.
pub(super) fn is_assigned(byte: u8) -> bool {
    ASSIGNED.contains(&byte)
}

const fn secret(text: &'static str) -> SuspectWord {
    SuspectWord { starts: b"", text, ends: b"", behind: &[], then: &[], near: Near::Secret }
}

const fn told(text: &'static str) -> SuspectWord {
    SuspectWord { near: Near::Instruction, ..secret(text) }
}

impl SuspectWord {
    const fn from(self, starts: &'static [u8]) -> Self {
        Self { starts, ..self }
    }

    const fn to(self, ends: &'static [u8]) -> Self {
        Self { ends, ..self }
    }

    const fn behind(self, behind: &'static [&'static str]) -> Self {
        Self { behind, ..self }
    }

    const fn then(self, then: &'static [&'static str]) -> Self {
        Self { then, ..self }
    }
}

/// All words. Those were chosen whose quads are rare in other words.
pub(super) const WORDS: &[SuspectWord] = &[
    secret("assword"),
    secret("passwd").to(ASSIGNED),
    // By itself "pass" is a word of prose: only as a key, or as the last part of a name that something is assigned to.
    secret("_pass")
        .from(IN_NAME)
        .to(ASSIGNED)
        .then(&["=", ":", "\"", "'", "`", ">", "]", "\\", " =", " :", " >"]),
    secret("\"pass\"").to(b" \n\t\r:").then(&[":", " :"]),
    secret("pass:").from(b" \n\t-{,").to(b" \n\r").then(&[" "]),
    secret("<pass>").from(b"> \n\t\r"),
    secret("sshpas").from(START_OF_NAME),
    secret("mysql ").to(b"-").then(&["-"]),
    secret("docker login"),
    secret("dis-cli "),
    secret("ssphrase"),
    secret("mot de ").then(&["passe"]),
    secret("mot_de_").then(&["passe"]),
    secret("mot-de-").then(&["passe"]),
    secret("secret").to(b" \n\t\r\\\"'`:=>_-ka"),
    secret("api_key"),
    secret("api-key"),
    secret("api key"),
    secret("apikey").to(ASSIGNED),
    secret("cess_key"),
    secret("cesskey"),
    secret("vate_key"),
    secret("cess_tok"),
    secret("uth_tok"),
    secret("redentia"),
    secret("-begin "),
    secret("---end "),
    secret("ate-line"),
    secret("orizatio"),
    secret("\"auth\"").to(b" :\n\t\\="),
    secret("cookie").to(b" \n:=\"',\\"),
    secret("sessid").to(ASSIGNED),
    secret("sessionid").to(ASSIGNED),
    secret("_session").behind(&["laravel", "gitlab"]),
    secret(":5432:").from(IN_NAME),
    secret("*:*:*:").from(b" \n\"'("),
    secret("--user").to(b" ="),
    secret("--auth").to(b" ="),
    secret("bearer").to(b" \t\\"),
    secret("basic").from(START).to(b" \t\\"),
    secret("curl ").from(START).to(b"-h\"'$\\"),
    told("ignore").to(GAP),
    told("ignorez"),
    told("ignorer"),
    told("forget").to(GAP),
    told("disregard"),
    told("verride"),
    told("oublie").to(GAP),
    told("oubliez"),
    told("oublier"),
    told("compte").to(GAP),
    told("instruc"),
    told("consign"),
    told("prompt").to(ANY),
    told("message").behind(&["system "]),
    told("invite").to(GAP),
    told("you ar").from(START).then(&["e now "]),
    told("re now").to(GAP).behind(&["you a"]),
    told("m now on"),
    told("t tell").to(GAP),
    told("r tell").to(GAP),
    told("t tellin"),
    // Not "mention" itself, of which other words have four letters.
    told("not men").then(&["tion"]),
    told("n't men").then(&["tion"]),
    told("\u{2019}t men").then(&["tion"]),
    told("ver men").then(&["tion"]),
    told("t inform"),
    told("r inform"),
    told("<|im_start"),
    told("<|im_end|"),
    told("<|im_sep|"),
    told("<|system"),
    told("<system").then(&[">", "-", "_", " "]),
    told("[system").then(&["]"]),
    told("\"role\"").to(b": \n\\").then(&[":\"s", ": \"s", " :\"s", " : \"s"]),
    told("\"role\\").to(b"\"").then(&["\":\\\"s", "\": \\\"s", "\" :\\\"s", "\" : \\\"s"]),
    told("'role'").to(b": \n\\").then(&[":'s", ": 's", " :'s", " : 's"]),
    told("$(cat ").from(b"/=?&\"' :@-{"),
    told("<|user|>"),
    told("<|assist"),
    told("<|endof"),
    told("<|eot_id"),
    told("<|start_h"),
    told("<|end_he"),
    told("<|begin_"),
    told("<|end_of_"),
    told("[inst]").to(ANY),
    told("[/inst]"),
    told("<<sys>>"),
    told("<</sys>>"),
    told("human:").to(GAP),
    told("assistant:"),
    told("tool_cal"),
    told("tool_use"),
    told("tool_res"),
    told("ion_call"),
    told("invoke").to(GAP),
    told("already").then(&[" ap", " au", " va", " co", " ac", " si", " gr", " gi", " pa", " been"]),
    told("approved").behind(&["gate ", "as ", "already ", "been ", "pre-"]),
    told("skip th"),
    told("bypass").to(GAP),
    told("contents").then(&[" of "]),
    told("content").then(&[" of "]),
    told("contenu"),
    told("variabl").behind(&["environment "]),
    told("redentials"),
    told("ntenant"),
    told("d\u{e9}sormais"),
    told("d\u{e9}j\u{e0}").to(GAP).then(&[
        " tout",
        " \u{e9}t\u{e9}",
        " app",
        " val",
        " aut",
        " con",
        " acc",
        " fra",
        " don",
    ]),
    told("surtout"),
    told("jamais").to(GAP),
    told("dis pas"),
    told("dis rien"),
    told("dites pas"),
    told("dites rien"),
    told("parle pas"),
    told("parle rien"),
    told("parlez pas"),
    told("parlez rien"),
    told("le dire"),
    told("en parler"),
];

impl SuspectWord {
    /// End of the word that may start at a place.
    pub(super) fn end(&self, bytes: &[u8], start: usize) -> Option<usize> {
        let end = start + after(bytes.get(start..)?, self.text)?;
        let is_behind =
            self.behind.is_empty() || self.behind.iter().any(|text| is_before(&bytes[..start], text));
        // One byte tells most of what follows from what may.
        let may_be_then = self.ends.is_empty()
            || bytes.get(end).is_none_or(|byte| self.ends.iter().any(|other| (other ^ byte) & LETTERS == 0));
        let is_then = self.then.is_empty()
            || (may_be_then && self.then.iter().any(|text| after(&bytes[end..], text).is_some()));
        (is_behind && is_then).then_some(end)
    }
}

/// Length of a text that some bytes start with, if they do; a blank of it is a gap of any width.
fn after(bytes: &[u8], text: &str) -> Option<usize> {
    let mut at = 0;
    for byte in text.bytes() {
        let rest = bytes.get(at..)?;
        at += match byte {
            b' ' => gap(rest)?,
            _ => usize::from(is_same(*rest.first()?, byte).then_some(1_u8)?),
        };
    }
    Some(at)
}

/// Tells whether bytes end with a text; a blank of it is a gap of any width.
fn is_before(bytes: &[u8], text: &str) -> bool {
    let mut end = bytes.len();
    for byte in text.bytes().rev() {
        let rest = &bytes[..end];
        let length = match (byte, rest.last()) {
            (b' ', _) => gap_before(rest),
            (_, Some(last)) => is_same(*last, byte).then_some(1),
            (_, None) => None,
        };
        let Some(length) = length else { return false };
        end -= length;
    }
    true
}

fn is_same(one: u8, other: u8) -> bool {
    one.eq_ignore_ascii_case(&other) || (!one.is_ascii() && (one ^ other) & LETTERS == 0)
}

/// The blanks that bytes start with, written or escaped; none if there are none.
fn gap(bytes: &[u8]) -> Option<usize> {
    let mut rest = bytes;
    loop {
        rest = match rest {
            [b' ' | b'\n' | b'\t' | b'\r' | 0x0b | 0x0c, rest @ ..]
            | [b'\\', b'n' | b't' | b'r' | b'\n', rest @ ..]
            | [0xc2, 0xa0, rest @ ..]
            | [0xe2, 0x80, 0x80..=0x8a | 0xa8 | 0xa9 | 0xaf, rest @ ..]
            | [0xe3, 0x80, 0x80, rest @ ..] => rest,
            _ => break,
        };
    }
    (rest.len() < bytes.len()).then_some(bytes.len() - rest.len())
}

fn gap_before(bytes: &[u8]) -> Option<usize> {
    let mut rest = bytes;
    loop {
        rest = match rest {
            [rest @ .., b' ' | b'\n' | b'\t' | b'\r' | 0x0b | 0x0c]
            | [rest @ .., b'\\', b'n' | b't' | b'r']
            | [rest @ .., 0xc2, 0xa0]
            | [rest @ .., 0xe2, 0x80, 0x80..=0x8a | 0xa8 | 0xa9 | 0xaf]
            | [rest @ .., 0xe3, 0x80, 0x80] => rest,
            _ => break,
        };
    }
    (rest.len() < bytes.len()).then_some(bytes.len() - rest.len())
}

/// A text with every word of the table, as it may be met.
#[cfg(test)]
pub(super) fn examples() -> Vec<String> {
    let one = |word: &SuspectWord| {
        let end =
            |ends: &[u8]| ends.first().map(|byte| char::from(*byte)).filter(char::is_ascii).unwrap_or(' ');
        let start = if word.starts.is_empty() { String::new() } else { end(word.starts).to_string() };
        let behind = word.behind.first().copied().unwrap_or_default();
        let then = word.then.first().copied().unwrap_or_default();
        let last =
            if word.ends.is_empty() || !then.is_empty() { String::new() } else { end(word.ends).to_string() };
        format!("{behind}{start}{}{last}{then} ", word.text)
    };
    WORDS.iter().map(one).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_stands_around_a_word_is_compared_over_any_gap() {
        assert_eq!(after(b"e  \\n Now x", "e now "), Some(10));
        assert_eq!(after("D\u{c9}J\u{c0}".as_bytes(), "d\u{e9}j\u{e0}"), Some(6));
        assert!(
            is_before(b"the You\\n\tA", "you a")
                && !is_before(b"you", "r you")
                && !is_before(b"youa", "you a")
        );
        assert!(after(b"al", "already").is_none() && after(b"", "a").is_none());
    }
}
