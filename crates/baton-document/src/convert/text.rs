//! The text of a handoff in the notation of its dialect, with what is kept beside it.

use super::extension::Extension;
use crate::arena_value::{ArenaValue, Maker, Pool};
use crate::dialect::{BODY, Carrier, Dialect, DialectKind, Entries};
use crate::handoff::EXTENSION;
use crate::tree::Syntax;
use crate::write;

/// A document with an extension in it.
pub(super) fn attach<'v>(
    syntax: Syntax,
    kind: &'v DialectKind,
    document: ArenaValue<'v>,
    extension: Extension<'v>,
    maker: &mut Maker<'v>,
) -> ArenaValue<'v> {
    let value = extension.into_plain(maker);
    if syntax != Syntax::Xml {
        return document.with(EXTENSION, value, maker);
    }
    let pool = maker.pool;
    let text = pool.written(|out| write::json::write_line(&value, out), |text| in_xml(text, pool));
    let text = ArenaValue::Text(text);
    let data = kind.map.fields.iter().find(|field| &*field.key.text == "data");
    match data {
        Some(field) => {
            let data =
                document.get(&field.key.text).unwrap_or(ArenaValue::EMPTY).with(EXTENSION, text, maker);
            document.with(&field.key.text, data, maker)
        }
        None => document.with(EXTENSION, text, maker),
    }
}

/// A line of JSON without the characters that JSON may hold as they are and XML has no form for.
fn in_xml<'v>(json: &str, pool: &'v Pool) -> &'v str {
    // Both start with this byte, and most lines have none.
    if memchr::memchr(0xef, json.as_bytes()).is_none() {
        return pool.text(json);
    }
    pool.text(&json.replace('\u{fffe}', "\\ufffe").replace('\u{ffff}', "\\uffff"))
}

/// A document as the text of a file, under the key of its kind and with its line end.
pub(super) fn text_of<'v>(
    dialect: &'v Dialect,
    kind: &'v DialectKind,
    document: ArenaValue<'v>,
    maker: &mut Maker<'v>,
) -> String {
    let body = if dialect.has_body { document.get(BODY) } else { None };
    let document = if body.is_some() { document.without(BODY, maker) } else { document };
    let document = match &kind.root {
        Some(root) => maker.map_of(&root.text, document),
        None => document,
    };
    let document = match &dialect.entries {
        Some(entries) => among_entries(entries, document, maker),
        None => document,
    };
    let write = |out: &mut String| match dialect.usual_carrier() {
        Carrier::Text(Syntax::Json) => {
            write::json::write(&document, 0, out);
            out.push('\n');
        }
        Carrier::Text(Syntax::Yaml) => write::yaml::write(&document, out),
        Carrier::Text(Syntax::Toml) => out.push_str(&write::toml(&document.into_datum())),
        Carrier::Text(Syntax::Xml) => {
            document.entries().iter().for_each(|(name, value)| write::xml::element(name, value, 0, out));
        }
        Carrier::Line => {
            write::json::write_line(&document, out);
            out.push('\n');
        }
        Carrier::FrontMatter => {
            let body = body.and_then(ArenaValue::as_text).unwrap_or_default();
            out.push_str("---\n");
            write::yaml::write(&document, out);
            out.push_str("---\n\n");
            out.push_str(body);
            out.push_str(if body.ends_with('\n') || body.is_empty() { "" } else { "\n" });
        }
    };
    maker.pool.written(write, str::to_owned)
}

/// A document as the only one in the list or map where its dialect has many; what they share stands around it.
fn among_entries<'v>(
    entries: &'v Entries,
    document: ArenaValue<'v>,
    maker: &mut Maker<'v>,
) -> ArenaValue<'v> {
    let (mut document, mut around) = (document, ArenaValue::EMPTY);
    for shared in &entries.shared {
        if let Some(value) = document.at(&shared.text) {
            document = document.without(&shared.text, maker);
            around = around.with(&shared.text, value, maker);
        }
    }
    let held = match &entries.key {
        Some(key) => {
            let name = document.at(&key.text).and_then(ArenaValue::as_text).unwrap_or_default();
            let document = document.without(&key.text, maker);
            maker.map_of(name, document)
        }
        None => maker.list_of(document),
    };
    around.with(&entries.at.text, held, maker)
}
