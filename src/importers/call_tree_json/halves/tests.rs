use super::*;

#[test]
fn a_second_half_with_too_many_ends_is_abandoned() {
    let text = r#"{"id":"1"}"#.to_string() + &"]}".repeat(3 << 20);
    let header = DocumentHeader::default();
    let mut nodes = Nodes::new(&header);
    let mut reader = JsonReader::in_the_middle(text.as_bytes(), 0);
    let ended_callers = nodes.read_rest(&mut reader, &header);
    assert_eq!(ended_callers.len(), 1 << 20);
}

#[test]
fn likely_nodes_start_in_arrays() {
    let check = |text: &str, expect: Option<usize>| {
        assert_eq!(next_node(text.as_bytes()), expect, "{text}")
    };
    check(r#"5,"children":[{"id":"1"}]"#, Some(14));
    check("}, \n {\n \"id\"", Some(5));
    check(r#""name":"[{","kind":"#, None);
    check(r#""name":"a,{b","x":{"y":1}"#, None);
    check("", None);
}
