//! What the page of `--format html` has in it as data.

use serde_json::Value;

/// The JSON of the element with an id.
#[track_caller]
pub fn embedded(page: &str, id: &str) -> Value {
    find(page, id).unwrap_or_else(|| panic!("no element {id} in {} bytes", page.len()))
}

fn find(page: &str, id: &str) -> Option<Value> {
    let (_, after) = page.split_once(&format!("<script type=\"application/json\" id=\"{id}\">"))?;
    let (json, _) = after.split_once("</script>").expect("the element ends");
    Some(serde_json::from_str(json).expect("the element is JSON"))
}

/// All playbacks.
pub fn playbacks(page: &str) -> Vec<Value> {
    (0..).map_while(|number| find(page, &format!("playback-{number}"))).collect()
}
