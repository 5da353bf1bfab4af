use super::*;

#[track_caller]
fn check(numbered: &IdMap<u32>, numbers: &[u32], expect: Option<u32>) {
    for &number in numbers {
        assert_eq!(numbered.get(number).copied(), expect, "{number}");
    }
}

#[test]
fn the_last_value_of_an_id_wins() {
    let mut numbered = IdMap::default();
    let far = 20 + 6 + IdMap::<u32>::MAX_GAP as u32;
    let numbers = [20, 21, 25, far, 3, u32::MAX, 0];
    for meaning in [1, 2] {
        numbers
            .iter()
            .for_each(|&number| numbered.insert(number, meaning));
        check(&numbered, &numbers, Some(meaning));
        check(&numbered, &[22, 19, 26, far - 1], None);
    }
    assert_eq!((numbered.rows.len(), numbered.others.len()), (6, 4));
    numbered.insert(far - 100, 3);
    check(&numbered, &numbers, Some(2));
    numbered.insert(far, 4);
    check(&numbered, &[far], Some(4));
    numbered.clear();
    check(&numbered, &numbers, None);
    numbered.insert(9, 5);
    check(&numbered, &[9], Some(5));
    check(&numbered, &[20, 8], None);
}
