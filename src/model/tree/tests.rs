use super::*;

/// What is wrong with a root and its callee after `change`.
#[track_caller]
fn check(change: impl Fn(&mut TreeData), expect: &str) {
    let columns = Columns {
        inclusive: vec![3, 2],
        exclusive: vec![1, 2],
        counts: Some(Counts::Narrow(vec![1, 1])),
    };
    let shape = Shape {
        frames: vec![FrameId(0); 2],
        parents: vec![0; 2],
        ends: vec![2; 2],
    };
    let mut data = TreeData {
        shape,
        columns: vec![columns],
    };
    let check = |data: &TreeData| CallTree::<NodeId>::new(data.clone()).check();
    assert_eq!(check(&data), Ok(()));
    change(&mut data);
    assert_eq!(check(&data), Err(expect.to_string()));
}

#[test]
fn broken_invariants_of_trees_are_reported() {
    let short = "a column of metric 0 does not have a row per node";
    check(|tree| tree.columns[0].inclusive.truncate(1), short);
    check(|tree| tree.columns[0].exclusive.push(0), short);
    check(
        |tree| tree.columns[0].counts = Some(Counts::Narrow(Vec::new())),
        short,
    );
    let shape = "a column of the tree's shape does not have a row per node";
    check(|tree| tree.shape.parents.truncate(1), shape);
    check(|tree| tree.shape.ends.push(2), shape);
    check(
        |tree| tree.shape.ends[0] = 1,
        "the root does not span the tree",
    );
    check(
        |tree| tree.shape.ends[1] = 1,
        "node 1 ends before it starts",
    );
    check(
        |tree| tree.shape.ends[1] = 3,
        "node 1 is not within its parent 0",
    );
    check(
        |tree| tree.columns[0].inclusive[1] = 1,
        "node 1 has less inclusive than exclusive in metric 0",
    );
}
