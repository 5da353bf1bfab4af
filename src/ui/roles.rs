//! What themes are made for, and what their colors mean.

/// What the terminal shows behind text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Background {
    /// It did not say.
    Unknown,
    Dark,
    Light,
}

/// Makes the roles with their names in themes, in the order in which themes list them.
macro_rules! roles {
    ($($role:ident $name:literal $doc:literal;)*) => {
        /// What text or a bar means.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Role {
            $(#[doc = $doc] $role,)*
        }

        impl Role {
            /// All of them, by their numbers.
            pub const ALL: [Role; [$($name),*].len()] = [$(Role::$role),*];

            /// What themes call it.
            pub fn name(self) -> &'static str {
                match self {
                    $(Role::$role => $name,)*
                }
            }

            /// What has it.
            pub fn doc(self) -> &'static str {
                match self {
                    $(Role::$role => $doc,)*
                }
            }
        }
    };
}

roles! {
    Text "text" "all that has no other role";
    Dim "dim" "labels, units, guides, code that is not the user's";
    Accent "accent" "the focused panel, keys in hints, headings";
    Special "special" "rows that are no methods, such as garbage collection";
    Cool "cool" "bars of less than 5 %";
    Warm "warm" "bars of more than 25 %";
    Warning "warning" "warnings, and letters that a search matched";
    Error "error" "errors";
    Slower "slower" "what has become slower";
    Faster "faster" "what has become faster";
    Selected "selected" "the text of the selected row";
    Ribbon "ribbon" "what is behind the text of the selected row";
}
