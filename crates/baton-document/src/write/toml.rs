//! Writes a value as TOML through the library that reads it; nothing there says `null`.

use toml::Value;

use crate::datum::Datum;

/// A value as a TOML document, with its line end.
pub(crate) fn toml(value: &Datum<'_>) -> String {
    let Some(Value::Table(table)) = convert(value) else { return String::new() };
    table.to_string()
}

fn convert(value: &Datum<'_>) -> Option<Value> {
    Some(match value {
        Datum::Null => return None,
        Datum::Boolean(is) => Value::Boolean(*is),
        Datum::Number(text) => match (text.parse(), text.parse()) {
            (Ok(whole), _) => Value::Integer(whole),
            (Err(_), Ok(number)) => Value::Float(number),
            (Err(_), Err(_)) => Value::String(text.to_string()),
        },
        Datum::Text(text) => Value::String(text.to_string()),
        Datum::List(items) => Value::Array(items.iter().filter_map(convert).collect()),
        Datum::Map(entries) => {
            let made = entries.iter().filter_map(|(key, value)| Some((key.to_string(), convert(value)?)));
            Value::Table(made.collect())
        }
    })
}
