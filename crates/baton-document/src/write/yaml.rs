//! Writes a value as YAML through the chosen library, which knows what must be quoted.

use serde::ser::{Serialize, SerializeMap, SerializeSeq, Serializer};

use super::json::json;
use crate::datum::Datum;

/// A value as a YAML document, with its line end.
pub(crate) fn yaml(value: &Datum<'_>) -> String {
    // Whatever it cannot write, JSON is YAML too.
    let mut text = serde_saphyr::to_string(value).unwrap_or_else(|_| json(value));
    if !text.ends_with('\n') {
        text.push('\n');
    }
    text
}

impl Serialize for Datum<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Datum::Null => serializer.serialize_unit(),
            Datum::Boolean(is) => serializer.serialize_bool(*is),
            Datum::Number(text) => match (text.parse::<i64>(), text.parse::<u64>(), text.parse::<f64>()) {
                (Ok(whole), ..) => serializer.serialize_i64(whole),
                (_, Ok(whole), _) => serializer.serialize_u64(whole),
                (.., Ok(number)) => serializer.serialize_f64(number),
                (.., Err(_)) => serializer.serialize_str(text),
            },
            Datum::Text(text) => serializer.serialize_str(text),
            Datum::List(items) => {
                let mut list = serializer.serialize_seq(Some(items.len()))?;
                items.iter().try_for_each(|item| list.serialize_element(item))?;
                list.end()
            }
            Datum::Map(entries) => {
                let mut map = serializer.serialize_map(Some(entries.len()))?;
                entries.iter().try_for_each(|(key, value)| map.serialize_entry(key, value))?;
                map.end()
            }
        }
    }
}
