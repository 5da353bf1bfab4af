use super::*;
use crate::model::testing::profile_of;

#[track_caller]
fn check(text: &str, expect: Result<&[&str], &str>) {
    let view = profile_of("T;Acme.Book.Match;Acme.Book.Add 3|T;Acme.Pool.Rent 1");
    let request = SearchRequest {
        part: PartRequest::default(),
        text,
        max_rows: 2,
    };
    let names = search(&view, &request).map(|found| {
        found
            .rows
            .iter()
            .map(|row| view.frames.display_name(row.frame))
            .collect::<Vec<_>>()
    });
    let names = names.as_deref().map_err(ToString::to_string);
    assert_eq!(names, expect.map_err(String::from), "{text}");
}

#[test]
fn methods_are_found_by_fuzzy_search() {
    // both have the same value, so names decide
    check("book", Ok(&["Book.Add", "Book.Match"]));
    check("pr", Ok(&["Pool.Rent"]));
    check("zzz", Err("text zzz: no method matches"));
    check(" ", Err("text: expected part of a name"));
}
