use super::*;

#[test]
fn guids_use_the_usual_notation() {
    assert_eq!(format_guid(RUNTIME), "e13c0d23-ccbc-4e12-931b-d9cc2eee27e4");
    assert_eq!(format_guid(RUNDOWN), "a669021c-c450-4609-a035-5af59af4df18");
}
