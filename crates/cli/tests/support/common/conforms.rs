//! Whether a JSON value conforms to a JSON schema.
//!
//! By hand and not by the crate `jsonschema`, which brings 64 crates to compile. It knows the
//! keywords that `schemars` writes for our types and those of the schema of SARIF, and panics at
//! any other.

use serde_json::Value;

/// Whether a value conforms to a schema with definitions in `root`; the error says why not.
pub fn conforms(value: &Value, schema: &Value, root: &Value) -> Result<(), String> {
    let Value::Object(keywords) = schema else {
        assert_eq!(schema, &Value::Bool(true), "a schema is an object or `true`");
        return Ok(());
    };
    for (keyword, rule) in keywords {
        let holds = match keyword.as_str() {
            "$schema" | "$id" | "$defs" | "definitions" | "title" | "description" | "default" => true,
            "format" => has_format(value, rule.as_str().expect("a name")),
            "pattern" => value.as_str().is_none_or(|text| fits(text, rule.as_str().expect("a pattern"))),
            "$ref" => {
                let name = rule.as_str().and_then(|name| name.strip_prefix('#')).expect("a local name");
                conforms(value, root.pointer(name).expect("a definition"), root)?;
                true
            }
            "type" => match rule {
                Value::Array(types) => types.iter().any(|kind| is_of_type(value, kind)),
                kind => is_of_type(value, kind),
            },
            "const" => value == rule,
            "enum" => rule.as_array().expect("values").contains(value),
            // Of numbers only, as the standard has it.
            "minimum" => value.as_f64().is_none_or(|number| Some(number) >= rule.as_f64()),
            "maximum" => value.as_f64().is_none_or(|number| Some(number) <= rule.as_f64()),
            "minItems" => value.as_array().is_none_or(|items| Some(items.len() as u64) >= rule.as_u64()),
            "uniqueItems" => value.as_array().is_none_or(|items| rule == false || all_different(items)),
            "required" => {
                let names = rule.as_array().expect("names").iter().filter_map(Value::as_str);
                let missing: Vec<&str> = names.filter(|name| value.get(name).is_none()).collect();
                if value.is_object() && !missing.is_empty() {
                    return Err(format!("without {missing:?}: {value}"));
                }
                true
            }
            "properties" => {
                for (name, rule) in rule.as_object().expect("properties") {
                    value.get(name).map_or(Ok(()), |field| conforms(field, rule, root))?;
                }
                true
            }
            "additionalProperties" => {
                let known = keywords.get("properties").and_then(Value::as_object);
                let is_known = |name: &str| known.is_some_and(|known| known.contains_key(name));
                for (name, field) in value.as_object().into_iter().flatten() {
                    match rule {
                        _ if is_known(name) => {}
                        Value::Bool(false) => return Err(format!("no `{name}` is known: {value}")),
                        rule => conforms(field, rule, root)?,
                    }
                }
                true
            }
            "items" => {
                let mut items = value.as_array().into_iter().flatten();
                items.try_for_each(|item| conforms(item, rule, root))?;
                true
            }
            "anyOf" | "oneOf" => {
                let rules = rule.as_array().expect("schemas").iter();
                let count = rules.filter(|rule| conforms(value, rule, root).is_ok()).count();
                if keyword == "oneOf" { count == 1 } else { count > 0 }
            }
            "allOf" => {
                let mut rules = rule.as_array().expect("schemas").iter();
                rules.try_for_each(|rule| conforms(value, rule, root))?;
                true
            }
            _ => panic!("the keyword {keyword} is not known here"),
        };
        if !holds {
            return Err(format!("not {keyword} {rule}: {value}"));
        }
    }
    Ok(())
}

fn is_of_type(value: &Value, kind: &Value) -> bool {
    match kind.as_str().expect("the name of a type") {
        "null" => value.is_null(),
        "boolean" => value.is_boolean(),
        "integer" => value.is_i64() || value.is_u64(),
        "number" => value.is_number(),
        "string" => value.is_string(),
        "array" => value.is_array(),
        "object" => value.is_object(),
        other => panic!("the type {other} is not known here"),
    }
}

fn all_different(items: &[Value]) -> bool {
    let mut texts: Vec<String> = items.iter().map(Value::to_string).collect();
    texts.sort_unstable();
    texts.windows(2).all(|pair| pair[0] != pair[1])
}

fn has_format(value: &Value, format: &str) -> bool {
    let Value::String(text) = value else { return true };
    // What RFC 3986 lets stand in a URI.
    let allowed = |c: char| c.is_ascii_alphanumeric() || "-._~:/?#[]@!$&'()*+,;=%".contains(c);
    let escapes = text
        .split('%')
        .skip(1)
        .all(|rest| rest.len() >= 2 && rest.as_bytes()[..2].iter().all(u8::is_ascii_hexdigit));
    let is_reference = text.chars().all(allowed) && escapes;
    match format {
        "uint32" | "uint64" | "uint" | "double" => true,
        "uri-reference" => is_reference,
        "uri" => {
            let scheme = text.split_once(':').map_or("", |(scheme, _)| scheme);
            is_reference && scheme.chars().all(char::is_alphanumeric) && !scheme.is_empty()
        }
        other => panic!("the format {other} is not known here"),
    }
}

fn fits(text: &str, pattern: &str) -> bool {
    match pattern {
        "[^/]+/.+" => text.split_once('/').is_some_and(|(a, b)| !a.is_empty() && !b.is_empty()),
        other => panic!("the pattern {other} is not known here"),
    }
}
