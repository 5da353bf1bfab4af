//! The backgrounds that themes are made for, and the meanings of their colors.

/// The terminal's background.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Background {
    /// Unknown: the terminal did not say.
    Unknown,
    Dark,
    Light,
}

/// Defines the roles with their names in themes, in the order in which themes list them.
macro_rules! roles {
    ($($role:ident $name:literal $doc:literal;)*) => {
        /// The meaning of a color.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Role {
            $(#[doc = $doc] $role,)*
        }

        impl Role {
            /// All roles, by index.
            pub const ALL: [Role; [$($name),*].len()] = [$(Role::$role),*];

            /// Its name in themes.
            pub fn name(self) -> &'static str {
                match self {
                    $(Role::$role => $name,)*
                }
            }

            /// What it is used for.
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
    Special "special" "rows that are not methods, such as garbage collection";
    Cool "cool" "bars of less than 5 %";
    Warm "warm" "bars of more than 25 %";
    Warning "warning" "warnings, and letters that a search matched";
    Error "error" "errors";
    Slower "slower" "what has become slower";
    Faster "faster" "what has become faster";
    Selected "selected" "the text of the selected row";
    Ribbon "ribbon" "what is behind the text of the selected row";
}
