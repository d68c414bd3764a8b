//! What is handed over where a text is about others: the handoffs themselves, and what was asked and answered about them.

use std::sync::Arc;

use baton_document::{Checker, Said, Scratch};
use baton_kernel::{Content, CutOff, LaneId};

use crate::outbound::compose::in_short;
use crate::run::Run;
use crate::run::lane_contents::{Text, Word};

/// What a lane hands over.
#[derive(Default)]
pub(crate) struct Handed {
    /// The handoffs: of a lane behind a join, those that the branches ended with. What is none is what the run was given,
    /// which whoever works is told anyway.
    pub(crate) texts: Vec<Text>,
    /// What each of them says.
    pub(crate) said: Vec<Arc<Said>>,
    /// What was asked and answered about them, the oldest first.
    pub(crate) remarks: Vec<String>,
    /// Why branches ended of which nothing else says so.
    pub(crate) cut_off: Vec<CutOff>,
    /// What was asked and answered here before the branches were done again.
    pub(crate) before: Vec<String>,
}

impl Handed {
    fn extend(&mut self, texts: impl IntoIterator<Item = Text>, checker: &Checker, scratch: &mut Scratch) {
        for text in texts {
            if let Some(said) = text.said(checker, scratch) {
                self.texts.push(text);
                self.said.push(said);
            }
        }
    }
}

/// Why and where the branch ended for which a content stands, if no handoff was written for it.
fn cut_off(content: Content) -> Option<CutOff> {
    if let Content::CutOff(cut_off) = content { Some(cut_off) } else { None }
}

/// What a lane hands over with this content, or without one.
pub(crate) fn handed(
    run: &Run,
    checker: &Checker,
    scratch: &mut Scratch,
    lane: LaneId,
    content: Option<Content>,
) -> Handed {
    let mut handed = Handed::default();
    for content in content.map_or_else(|| run.ended(lane), |content| vec![content]) {
        let about = run.annotations(lane, content);
        if about.is_empty() {
            let before = handed.said.len();
            handed.extend(run.text(content), checker, scratch);
            handed.cut_off.extend(cut_off(content));
            // What Baton says of a branch is told to whoever works next, also where it is no handoff.
            if handed.said.len() == before && !matches!(content, Content::Text(_)) {
                let text = run.text(content).map(|text| line(Word::Stopped, &text, checker, scratch));
                handed.remarks.extend(text);
            }
        }
        let mut remarks = Vec::new();
        for remark in about {
            handed.cut_off.extend(cut_off(remark.content));
            remarks.extend(remark.text.map(|text| line(remark.word, &text, checker, scratch)));
            handed.extend(remark.about, checker, scratch);
        }
        handed.remarks.extend(remarks.into_iter().rev());
    }
    for (asked, said) in run.state.answered_before(lane) {
        for (word, content) in [(Word::Question, asked), (Word::Answer, said)] {
            handed.before.extend(run.text(content).map(|text| line(word, &text, checker, scratch)));
        }
    }
    handed
}

/// What people are shown of these contents of a lane, as one text: the texts as they are, each with what was asked and
/// answered about it, the oldest first.
pub(crate) fn shown(
    run: &Run,
    checker: &Checker,
    scratch: &mut Scratch,
    lane: LaneId,
    contents: &[Content],
) -> Vec<u8> {
    let mut shown = Vec::new();
    for content in contents {
        let about = run.annotations(lane, *content);
        if about.is_empty() {
            shown.extend(run.text(*content).map(|text| text.bytes.to_vec()));
        }
        let mut lines = Vec::new();
        for remark in about {
            lines.extend(remark.text.map(|text| line(remark.word, &text, checker, scratch)));
            shown.extend(remark.about.into_iter().map(|text| text.bytes.to_vec()));
        }
        shown.extend(lines.into_iter().rev().map(String::into_bytes));
    }
    shown.join(&b'\n')
}

/// What was asked or answered, in a line of text.
fn line(word: Word, text: &Text, checker: &Checker, scratch: &mut Scratch) -> String {
    let text = match text.said(checker, scratch) {
        Some(said) => in_short(&said, true),
        None => String::from_utf8_lossy(&text.bytes).into_owned(),
    };
    match word {
        Word::Question => format!("Question: {text}"),
        Word::Answer => format!("Answer: {text}"),
        Word::Review => format!("Review: {text}"),
        Word::Earlier => format!("Answered before: {text}"),
        Word::Stopped => format!("Stopped: {text}"),
    }
}
