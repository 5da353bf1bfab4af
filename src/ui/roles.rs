//! The backgrounds of themes, and the meanings of their colors.

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Background {
    /// Unknown: the terminal did not report it.
    Unknown,
    Dark,
    Light,
}

/// The roles with their names in themes, in the order in which themes list them.
macro_rules! roles {
    ($($role:ident $name:literal $doc:literal;)*) => {
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Role {
            $(#[doc = $doc] $role,)*
        }

        impl Role {
            pub const ALL: [Role; [$($name),*].len()] = [$(Role::$role),*];

            pub fn name(self) -> &'static str {
                match self {
                    $(Role::$role => $name,)*
                }
            }

            pub fn doc(self) -> &'static str {
                match self {
                    $(Role::$role => $doc,)*
                }
            }
        }
    };
}

roles! {
    Text "text" "everything without another role";
    Dim "dim" "labels, units, guides, code that is not the user's";
    Accent "accent" "the focused panel, keys in hints, headings";
    Special "special" "rows that are not methods, such as garbage collection";
    Cool "cool" "bars of less than 5 %";
    Warm "warm" "bars of more than 25 %";
    Warning "warning" "warnings, and letters that a search matched";
    Error "error" "errors";
    Slower "slower" "what became slower";
    Faster "faster" "what became faster";
    Selected "selected" "the text of the selected row";
    Ribbon "ribbon" "the background of the selected row";
}
