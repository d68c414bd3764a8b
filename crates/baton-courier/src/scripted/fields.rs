//! Finds the fields of a handoff as plain text, in JSON, XML and YAML alike.

use super::Fault;

/// A text in which every `{{name}}` is replaced by what `value` knows under that name; what is filled in is not looked
/// at again.
pub(super) fn filled(text: &str, value: &dyn Fn(&str) -> Option<String>) -> Result<String, Fault> {
    let mut filled = String::new();
    let mut rest = text;
    while let Some((before, behind)) = rest.split_once("{{") {
        filled.push_str(before);
        let Some((name, behind)) = behind.split_once("}}").filter(|(name, _)| is_name(name.trim())) else {
            filled.push_str("{{");
            rest = behind;
            continue;
        };
        let name = name.trim();
        let value = value(name).ok_or_else(|| Fault(format!("the handoff has no field {name}")))?;
        filled.push_str(&value);
        rest = behind;
    }
    filled.push_str(rest);
    Ok(filled)
}

fn is_name(name: &str) -> bool {
    !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_-.".contains(&byte))
}

/// The value of the first field with this name; `outer.name` is looked for behind `outer`.
pub(super) fn field<'t>(text: &'t str, path: &str) -> Option<&'t str> {
    let mut rest = text;
    let mut names = path.split('.').peekable();
    while let Some(name) = names.next() {
        let mut places = places(rest, name);
        if names.peek().is_none() {
            return places.find_map(|(form, behind)| value(form, behind, name));
        }
        rest = places.next()?.1;
    }
    None
}

#[derive(Clone, Copy)]
enum Form {
    Json,
    Xml,
    Yaml,
}

/// Places where the name is the name of a field, each with the text after it.
fn places<'t>(text: &'t str, name: &str) -> impl Iterator<Item = (Form, &'t str)> {
    text.match_indices(name).filter_map(move |(offset, name)| {
        let (before, behind) = (&text[..offset], &text[offset + name.len()..]);
        if before.ends_with('<') && behind.starts_with(['>', ' ', '/']) {
            return behind.split_once('>').map(|(_, behind)| (Form::Xml, behind));
        }
        if let (Some(before), Some(behind)) = (before.strip_suffix('"'), behind.strip_prefix('"')) {
            let behind = behind.trim_start().strip_prefix(':')?;
            return (!before.ends_with('\\')).then_some((Form::Json, behind));
        }
        let line = before.rsplit_once('\n').map_or(before, |(_, line)| line);
        let behind = behind.strip_prefix(':').filter(|behind| behind.starts_with([' ', '\n', '\r']))?;
        line.chars().all(|before| " -".contains(before)).then_some((Form::Yaml, behind))
    })
}

fn value<'t>(form: Form, behind: &'t str, name: &str) -> Option<&'t str> {
    match form {
        Form::Xml => behind.split_once('<').filter(|(_, end)| is_end(end, name)).map(|(value, _)| value),
        Form::Json => {
            let behind = behind.trim_start();
            match behind.strip_prefix('"') {
                Some(text) => text_until_quote(text),
                None => plain(behind.split([',', '}', ']', '\n']).next()),
            }
        }
        Form::Yaml => {
            let line = behind.lines().next().unwrap_or_default().trim();
            let quoted =
                ['"', '\''].into_iter().find_map(|quote| line.strip_prefix(quote)?.strip_suffix(quote));
            quoted.or_else(|| plain(Some(line)))
        }
    }
}

fn is_end(end: &str, name: &str) -> bool {
    end.strip_prefix('/').and_then(|end| end.strip_prefix(name)).is_some_and(|end| end.starts_with('>'))
}

/// The text up to the quote that ends it, with its escapes as they are.
fn text_until_quote(text: &str) -> Option<&str> {
    let mut is_escaped = false;
    let end = text.bytes().position(|byte| {
        let ends = byte == b'"' && !is_escaped;
        is_escaped = byte == b'\\' && !is_escaped;
        ends
    })?;
    Some(&text[..end])
}

/// A value that is no map, no list and no block.
fn plain(value: Option<&str>) -> Option<&str> {
    value.map(str::trim).filter(|value| !value.is_empty() && !value.starts_with(['{', '[', '|', '>', '&']))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_field_is_found_in_every_carrier() {
        let json = r#"{"note": "task_id: no", "task_id": "t \"1\"", "meta": {"n": 3}, "n": 4}"#;
        assert_eq!(field(json, "task_id"), Some(r#"t \"1\""#));
        assert_eq!(field(json, "meta.n"), Some("3"));
        assert_eq!(field(json, "meta"), None);
        let yaml = "from:\n  agent: 'a b'\nto:\n  - agent: c # d\ntask_id: t-1\n";
        assert_eq!(field(yaml, "from.agent"), Some("a b"));
        assert_eq!(field(yaml, "to.agent"), Some("c # d"));
        assert_eq!(field(yaml, "task_id"), Some("t-1"));
        let xml = "<h><from role=\"x\">a</from><data><from>b</from></data></h>";
        assert_eq!(field(xml, "from"), Some("a"));
        assert_eq!(field(xml, "data.from"), Some("b"));
        assert_eq!(field(xml, "data"), None);
    }

    #[test]
    fn what_is_filled_in_is_not_filled_again() {
        let value = |name: &str| (name == "a").then(|| "{{a}}".to_owned());
        assert_eq!(
            filled(r#"{"x": {{a}}, "y": {"z": {}}} {{ a }} {{"#, &value).expect("it knows a"),
            r#"{"x": {{a}}, "y": {"z": {}}} {{a}} {{"#
        );
        let fault = filled("{{b}}", &value).expect_err("there is no b");
        assert_eq!(fault.to_string(), "the handoff has no field b");
    }
}
