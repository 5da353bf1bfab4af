use super::*;

#[test]
fn a_second_half_that_ends_more_callers_than_any_tree_has_is_given_up() {
    let text = r#"{"id":"1"}"#.to_string() + &"]}".repeat(3 << 20);
    let header = DocumentHeader::default();
    let mut nodes = Nodes::new(&header);
    let mut reader = JsonReader::in_the_middle(text.as_bytes(), 0);
    let outers = nodes.read_rest(&mut reader, &header, &Progress::default());
    assert_eq!(outers.len(), 1 << 20);
}

#[test]
fn nodes_seem_to_begin_in_arrays() {
    let check = |text: &str, expect: Option<usize>| {
        assert_eq!(next_node(text.as_bytes()), expect, "{text}")
    };
    check(r#"5,"children":[{"id":"1"}]"#, Some(14));
    check("}, \n {\n \"id\"", Some(5));
    check(r#""name":"[{","kind":"#, None);
    check(r#""name":"a,{b","x":{"y":1}"#, None);
    check("", None);
}
