//! Ids: typed indices into the tables of a profile, which are meaningless in another profile.

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
    /// A node of a view's tree, in preorder: the root is 0.
    NodeId
}
handle! {
    /// A node of a recorded tree, in one of its forms. [`crate::model::View::from_recorded`] finds it in a view.
    RecordedNode
}
handle! {
    /// A frame: a method or pseudo-method; see [`crate::model::Frames`].
    FrameId
}
handle! {
    /// An interned string; see [`crate::model::Names`].
    NameId
}
handle! {
    /// A metric of the profile: an index in [`crate::model::Recording::metrics`].
    MetricId
}

/// The id of a node of a tree, in preorder. Trees with other ids have other types, so that these can't be mixed up.
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

/// A node of a tree under construction, in insertion order: callers are smaller than their callees.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RawNode(pub u32);
