//! Output of a program beside its answer: lines, bounded each and in sum, and the last of them.

use super::LineProtocol;
use crate::What;

/// The bytes of a line that are reported: twice those that are shown, so that a secret at the end of these is whole.
const LINE_BYTES_MAX: usize = 8 * 1024;

/// The bytes of progress that are reported of one attempt; an hour of an agent that says something each second.
const PROGRESS_BYTES_MAX: usize = 512 * 1024;

/// Cost of a report beside its line, so that short lines are bounded too.
const REPORT_BYTES: usize = 64;

/// The bytes of questions and sessions that are reported of one attempt.
const WORDS_BYTES_MAX: usize = 64 * 1024;

/// The bytes that are kept for the failure of an attempt: four times those that are shown, so that a secret at their
/// start, and a private key, are whole.
const TAIL_BYTES_MAX: usize = 16 * 1024;

const QUESTION: &[u8] = b"baton:question ";
const SESSION: &[u8] = b"baton:session ";

/// The lines of one stream.
pub(crate) struct OutputLines {
    protocol: LineProtocol,
    line: Vec<u8>,
    is_cut: bool,
    progress_bytes: usize,
    words_bytes: usize,
    tail: Vec<u8>,
}

impl OutputLines {
    pub(crate) fn new(protocol: LineProtocol) -> Self {
        Self {
            protocol,
            line: Vec::new(),
            is_cut: false,
            progress_bytes: 0,
            words_bytes: 0,
            tail: Vec::new(),
        }
    }

    /// Takes in what was read, and tells the lines that it ends.
    pub(crate) fn hear(&mut self, bytes: &[u8], tell: &mut impl FnMut(What)) {
        keep_last(&mut self.tail, bytes);
        let mut lines = bytes.split(|&byte| byte == b'\n');
        // The part behind the last line feed is the beginning of a line.
        let last = lines.next_back().unwrap_or_default();
        for part in lines {
            self.add(part);
            self.end_line(tell);
        }
        self.add(last);
    }

    /// Keeps the last of what is no speech, for want of better words.
    pub(super) fn overhear(&mut self, bytes: &[u8]) {
        keep_last(&mut self.tail, bytes);
    }

    /// Tells a last line that has no line feed.
    pub(super) fn end(&mut self, tell: &mut impl FnMut(What)) {
        if !self.line.is_empty() {
            self.end_line(tell);
        }
    }

    /// The last that was said.
    pub(super) fn into_tail(mut self) -> Vec<u8> {
        let excess = self.tail.len().saturating_sub(TAIL_BYTES_MAX);
        self.tail.drain(..excess);
        self.tail
    }

    fn add(&mut self, part: &[u8]) {
        let room = LINE_BYTES_MAX - self.line.len();
        self.is_cut |= part.len() > room;
        self.line.extend_from_slice(&part[..part.len().min(room)]);
    }

    fn end_line(&mut self, tell: &mut impl FnMut(What)) {
        let mut line = std::mem::take(&mut self.line);
        let is_cut = std::mem::take(&mut self.is_cut);
        if line.last() == Some(&b'\r') {
            line.pop();
        }
        match self.protocol {
            LineProtocol::Directives if !is_cut => {
                if let Some(word) = word(&line) {
                    self.words_bytes += line.len() + REPORT_BYTES;
                    if self.words_bytes <= WORDS_BYTES_MAX {
                        tell(word);
                    }
                    return;
                }
            }
            LineProtocol::Directives | LineProtocol::Progress => {}
        }
        if self.progress_bytes > PROGRESS_BYTES_MAX || line.is_empty() {
            return;
        }
        self.progress_bytes += line.len() + REPORT_BYTES;
        if self.progress_bytes > PROGRESS_BYTES_MAX {
            line = b"[further lines are not shown]".to_vec();
        } else if is_cut {
            line.extend_from_slice(b" [the line goes on]");
        }
        tell(What::Progress(line));
    }
}

/// The question or session that a line says, if it does.
fn word(line: &[u8]) -> Option<What> {
    let text = |behind: &[u8]| {
        let text = std::str::from_utf8(behind).ok()?.trim();
        (!text.is_empty()).then(|| text.to_owned())
    };
    if let Some(behind) = line.strip_prefix(QUESTION) {
        text(behind).map(What::Question)
    } else {
        line.strip_prefix(SESSION).and_then(text).map(What::Session)
    }
}

/// Appends to a text whose end alone is kept, without moving it for every byte.
fn keep_last(tail: &mut Vec<u8>, bytes: &[u8]) {
    let kept = &bytes[bytes.len().saturating_sub(TAIL_BYTES_MAX)..];
    tail.extend_from_slice(kept);
    if tail.len() > 2 * TAIL_BYTES_MAX {
        tail.drain(..tail.len() - TAIL_BYTES_MAX);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn heard(protocol: LineProtocol, parts: &[&[u8]]) -> (Vec<What>, Vec<u8>) {
        let mut speech = OutputLines::new(protocol);
        let mut told = Vec::new();
        for part in parts {
            speech.hear(part, &mut |what| told.push(what));
        }
        speech.end(&mut |what| told.push(what));
        (told, speech.into_tail())
    }

    fn progress(line: &[u8]) -> What {
        What::Progress(line.to_vec())
    }

    #[test]
    fn lines_are_put_together_whatever_pieces_they_come_in() {
        let (told, tail) = heard(LineProtocol::Progress, &[b"on", b"e\r\n\ntwo\n\xff", b"\xfe", b""]);
        assert_eq!(told, [progress(b"one"), progress(b"two"), progress(b"\xff\xfe")]);
        assert_eq!(tail, b"one\r\n\ntwo\n\xff\xfe");
    }

    #[test]
    fn questions_and_sessions_are_words_only_where_they_were_agreed_on() {
        let said: &[&[u8]] =
            &[b"baton:question which one?\nbaton:session s-1\nbaton:question \n baton:session x\n"];
        let (told, _) = heard(LineProtocol::Directives, said);
        assert_eq!(
            told,
            [
                What::Question("which one?".to_owned()),
                What::Session("s-1".to_owned()),
                progress(b"baton:question "),
                progress(b" baton:session x"),
            ]
        );
        let (told, _) = heard(LineProtocol::Progress, said);
        assert_eq!(told.first(), Some(&progress(b"baton:question which one?")));
    }

    #[test]
    fn a_long_line_is_cut_and_says_so() {
        let line = vec![b'x'; TAIL_BYTES_MAX + 1];
        let (told, tail) = heard(LineProtocol::Directives, &[&line, b"\nshort\n"]);
        let mut cut = vec![b'x'; LINE_BYTES_MAX];
        cut.extend_from_slice(b" [the line goes on]");
        assert_eq!(told, [What::Progress(cut), progress(b"short")]);
        assert_eq!(tail.len(), TAIL_BYTES_MAX);
        assert!(tail.ends_with(b"x\nshort\n"));
    }

    #[test]
    fn endless_progress_is_cut_once_and_words_still_count() {
        let lines = b"x\n".repeat(PROGRESS_BYTES_MAX);
        let (told, _) = heard(LineProtocol::Directives, &[&lines, b"baton:question still there?\n"]);
        assert_eq!(told.len(), PROGRESS_BYTES_MAX / (1 + REPORT_BYTES) + 2);
        assert_eq!(told[told.len() - 2], progress(b"[further lines are not shown]"));
        assert_eq!(told[told.len() - 1], What::Question("still there?".to_owned()));
    }
}
