//! Handles: indices into the tables of one profile. A handle of one profile means nothing in another.

use borsh::{BorshDeserialize, BorshSerialize};

macro_rules! handle {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, BorshSerialize, BorshDeserialize)]
        pub struct $name(pub u32);

        impl $name {
            /// The handle of the row `index`.
            ///
            /// # Panics
            /// If `index` does not fit into 32 bits; tables refuse to grow that far before.
            #[track_caller]
            pub fn at(index: usize) -> Self {
                Self(u32::try_from(index).expect("tables never hold more than u32::MAX rows"))
            }

            /// The row that this handle stands for.
            pub fn index(self) -> usize {
                self.0 as usize
            }
        }
    };
}

handle! {
    /// A node of the tree that a view shows, numbered in preorder: the root is 0.
    NodeId
}
handle! {
    /// A node of a tree as it was recorded, in one of its forms. [`crate::model::View::from_recorded`] says where a view shows it.
    RecordedNode
}
handle! {
    /// A frame: a method or pseudo method, see [`crate::model::Frames`].
    FrameId
}
handle! {
    /// An interned string, see [`crate::model::Names`].
    NameId
}
handle! {
    /// A metric of the profile, in the order of [`crate::model::View::metrics`].
    MetricId
}

/// What numbers the nodes of a tree, in preorder. Trees with other numbers have handles of another type, so that they can't be mixed up.
pub trait TreeNode: Copy + Ord {
    /// The root of every tree.
    const ROOT: Self;

    /// The node in the row `row`.
    fn new(row: u32) -> Self;

    /// Its row.
    fn row(self) -> u32;
}

macro_rules! tree_node {
    ($name:ident) => {
        impl $name {
            /// The root of every tree.
            pub const ROOT: $name = $name(0);
        }

        impl TreeNode for $name {
            const ROOT: $name = $name(0);

            #[inline]
            fn new(row: u32) -> $name {
                $name(row)
            }

            #[inline]
            fn row(self) -> u32 {
                self.0
            }
        }
    };
}

tree_node!(NodeId);
tree_node!(RecordedNode);

/// A node of a tree that is being built, numbered in the order of insertion: a caller is smaller than its callees.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RawNode(pub u32);
