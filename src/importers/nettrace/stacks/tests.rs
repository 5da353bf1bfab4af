use super::*;

fn block(first: u32, pointer_bytes: usize, stacks: &[&[u64]]) -> Vec<u8> {
    let mut bytes = first.to_le_bytes().to_vec();
    bytes.extend((stacks.len() as u32).to_le_bytes());
    for stack in stacks {
        bytes.extend(((stack.len() * pointer_bytes) as u32).to_le_bytes());
        stack
            .iter()
            .for_each(|address| bytes.extend(&address.to_le_bytes()[..pointer_bytes]));
    }
    bytes
}

#[track_caller]
fn check(stacks: &Stacks, number: u32, expect: &[u64]) {
    let stack = stacks.find(number).expect("a stack of this number");
    let found: Vec<u64> = stacks
        .outermost_first(stack)
        .map(|id| stacks.address(id))
        .collect();
    assert_eq!(found, expect);
}

#[test]
fn equal_stacks_are_stored_once_outermost_first() {
    for pointer_bytes in [4, 8] {
        let mut stacks = Stacks::new(pointer_bytes);
        stacks
            .read_block(&block(
                5,
                pointer_bytes,
                &[&[3, 2, 1], &[9], &[3, 2, 1], &[]],
            ))
            .unwrap();
        check(&stacks, 5, &[1, 2, 3]);
        check(&stacks, 6, &[9]);
        check(&stacks, 8, &[]);
        assert_eq!(stacks.find(4), None);
        assert_eq!(stacks.find(5), stacks.find(7));
        assert_eq!(stacks.stacks.len(), 3);
        assert_eq!(stacks.find(8), Some(StackId(2)));
        assert_eq!(stacks.find(0), Some(StackId::NONE));
    }
}

#[test]
fn stack_ids_are_reused_after_a_sequence_point() {
    let mut stacks = Stacks::new(8);
    stacks.read_block(&block(1, 8, &[&[1]])).unwrap();
    let before = stacks.find(1);
    stacks.forget_ids();
    assert_eq!(stacks.find(1), None);
    stacks.read_block(&block(1, 8, &[&[2], &[1]])).unwrap();
    check(&stacks, 1, &[2]);
    assert_eq!(stacks.find(2), before);
}

#[test]
fn truncated_blocks_are_read_as_far_as_possible() {
    let whole = block(1, 8, &[&[1], &[2, 3]]);
    let mut stacks = Stacks::new(8);
    assert_eq!(stacks.read_block(&whole[..whole.len() - 1]), Err(8 + 4 + 8));
    check(&stacks, 1, &[1]);
    assert_eq!(stacks.find(2), None);
}
