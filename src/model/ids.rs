use borsh::{BorshDeserialize, BorshSerialize};

macro_rules! handle {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, BorshSerialize, BorshDeserialize)]
        pub struct $name(pub u32);

        impl $name {
            #[track_caller]
            pub fn at(index: usize) -> Self {
                Self(u32::try_from(index).expect("tables never hold more than u32::MAX rows"))
            }

            pub fn index(self) -> usize {
                self.0 as usize
            }
        }
    };
}

handle! {
    /// A node of a view's tree, in preorder.
    NodeId
}
handle! {
    /// A node of one of the recorded trees; see [`crate::model::View::from_recorded`].
    RecordedNode
}
handle! {
    FrameId
}
handle! {
    NameId
}
handle! {
    /// An index in [`crate::model::Recording::metrics`].
    MetricId
}

/// A node id in preorder. Each kind of tree has its own type, so that they can't be mixed up.
pub trait TreeNode: Copy + Ord {
    const ROOT: Self;

    fn new(row: u32) -> Self;

    fn row(self) -> u32;
}

macro_rules! tree_node {
    ($name:ident) => {
        impl $name {
            pub const ROOT: $name = $name(0);
        }

        impl TreeNode for $name {
            const ROOT: $name = $name(0);

            fn new(row: u32) -> $name {
                $name(row)
            }

            fn row(self) -> u32 {
                self.0
            }
        }
    };
}

tree_node!(NodeId);
tree_node!(RecordedNode);

/// A node of a tree under construction; callers precede their callees.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RawNode(pub u32);
