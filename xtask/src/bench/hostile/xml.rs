//! Hostile XML.

use super::{Hostile, LARGE, MEGABYTE, alone, filled, numbered};

const HEAD: &str = "<handoff>\n<from>prep-agent</from>\n<to>implementer-agent</to>\n";
const TAIL: &str = "</handoff>\n";

/// Depth of the deep ones.
const DEEP: usize = 100_000;

pub(super) const FILES: &[Hostile] = &[
    alone("XML: entities of entities (entity expansion)", "a.xml", laughs),
    alone("XML: one large entity, many references", "a.xml", || {
        let head = format!("<!DOCTYPE handoff [<!ENTITY a \"{}\">]>\n{HEAD}<summary>", "x".repeat(MEGABYTE));
        filled(MEGABYTE, &head, "&a;", &format!("</summary>{TAIL}"))
    }),
    alone("XML: an external entity", "a.xml", || {
        format!("<!DOCTYPE handoff [<!ENTITY a SYSTEM \"file:///etc/passwd\">]>\n{HEAD}<summary>&a;</summary>{TAIL}")
            .into_bytes()
    }),
    alone("XML: an external DTD", "a.xml", || {
        format!("<!DOCTYPE handoff SYSTEM \"file:///etc/passwd\">\n{HEAD}{TAIL}").into_bytes()
    }),
    alone("XML: a DOCTYPE that never ends", "a.xml", || {
        filled(LARGE, "<!DOCTYPE handoff [", "<!ENTITY a \"b\">", "")
    }),
    alone("XML: elements 100 000 deep", "a.xml", || {
        ["<a>".repeat(DEEP), "</a>".repeat(DEEP)].concat().into_bytes()
    }),
    alone("XML: elements 100 000 deep inside a handoff", "a.xml", || {
        [HEAD, &"<a>".repeat(DEEP), &"</a>".repeat(DEEP), TAIL].concat().into_bytes()
    }),
    alone("XML: 15 MB of `<`", "a.xml", || filled(LARGE, HEAD, "<", TAIL)),
    alone("XML: 15 MB of `<a>`", "a.xml", || filled(LARGE, HEAD, "<a>", TAIL)),
    alone("XML: 15 MB of `</a>`", "a.xml", || filled(LARGE, HEAD, "</a>", TAIL)),
    alone("XML: 15 MB of `<a/>`", "a.xml", || filled(LARGE, HEAD, "<a/>", TAIL)),
    alone("XML: 15 MB of `<handoff>`", "a.xml", || filled(LARGE, "", "<handoff>", "")),
    alone("XML: 15 MB of handoffs", "a.xml", || filled(LARGE, "<all>", &[HEAD, TAIL].concat(), "</all>")),
    alone("XML: 15 MB of distinct elements", "a.xml", || numbered(HEAD, |at| format!("<k{at}/>"), TAIL)),
    alone("XML: 15 MB of wrong elements", "a.xml", || {
        filled(LARGE, HEAD, "<issue_number>x</issue_number>", TAIL)
    }),
    alone("XML: 1 MB of attributes on one element", "a.xml", || attributes(MEGABYTE)),
    alone("XML: 15 MB of attributes on one element", "a.xml", || attributes(LARGE)),
    alone("XML: 15 MB of one attribute again and again", "a.xml", || {
        filled(LARGE, "<handoff", " a=\"1\"", "><from>a</from><to>b</to></handoff>")
    }),
    alone("XML: one text of 15 MB", "a.xml", || {
        filled(LARGE, &format!("{HEAD}<summary>"), "x", &format!("</summary>{TAIL}"))
    }),
    alone("XML: one attribute of 15 MB", "a.xml", || {
        filled(LARGE, "<handoff a=\"", "x", "\"><from>a</from><to>b</to></handoff>")
    }),
    alone("XML: one name of 15 MB", "a.xml", || {
        filled(LARGE, &format!("{HEAD}<"), "x", &format!("/>{TAIL}"))
    }),
    alone("XML: 15 MB of references in texts", "a.xml", || {
        let text = format!("<a>{}</a>", "&amp;&#x41;".repeat(20_000));
        filled(LARGE, HEAD, &text, TAIL)
    }),
    alone("XML: 15 MB of unknown references", "a.xml", || {
        filled(LARGE, &format!("{HEAD}<summary>"), "&a;", &format!("</summary>{TAIL}"))
    }),
    alone("XML: 15 MB of comments", "a.xml", || filled(LARGE, HEAD, "<!---->", TAIL)),
    alone("XML: a comment that never ends", "a.xml", || filled(LARGE, HEAD, "<!-- ", "")),
    alone("XML: 15 MB of CDATA", "a.xml", || {
        filled(LARGE, &format!("{HEAD}<summary>"), "<![CDATA[x]]>", &format!("</summary>{TAIL}"))
    }),
    alone("XML: 15 MB of processing instructions", "a.xml", || filled(LARGE, HEAD, "<?a b?>", TAIL)),
];

/// Ten times ten times ten…
fn laughs() -> Vec<u8> {
    let mut text = String::from("<!DOCTYPE handoff [\n<!ENTITY a0 \"ha\">\n");
    for level in 1..20 {
        text += &format!("<!ENTITY a{level} \"{}\">\n", format!("&a{};", level - 1).repeat(10));
    }
    (text + "]>\n" + HEAD + "<summary>&a19;</summary>" + TAIL).into_bytes()
}

fn attributes(length: usize) -> Vec<u8> {
    let mut text = String::from("<handoff");
    let mut number = 0;
    while text.len() < length {
        text += &format!(" a{number}=\"{number}\"");
        number += 1;
    }
    (text + "><from>a</from><to>b</to></handoff>\n").into_bytes()
}
