//! Macros that define diagnostics: each variant with its code and its sentence.

/// Defines an enumeration of diagnostics. A variant has its data, its code and its sentence, a `format!` string; the data are
/// references there.
macro_rules! diagnostics {
    (
        $(#[$about:meta])*
        pub enum $name:ident {
            $(
                $(#[$meaning:meta])*
                $variant:ident { $($(#[$field_attribute:meta])* $field:ident: $type:ty),* $(,)? }
                = $code:literal, $sentence:literal $(, $value:expr)*;
            )*
        }
    ) => {
        $(#[$about])*
        #[derive(Clone, Debug, PartialEq, Serialize, BorshSerialize, BorshDeserialize)]
        #[serde(untagged)]
        pub enum $name {
            $(
                $(#[$meaning])*
                $variant { $($(#[$field_attribute])* $field: $type),* },
            )*
        }

        impl $name {
            pub(super) fn code(&self) -> &'static str {
                match self {
                    $($name::$variant { .. } => $code,)*
                }
            }
        }

        impl std::fmt::Display for $name {
            #[allow(unused_variables, reason = "not all data are in the sentences")]
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                match self {
                    $($name::$variant { $($field),* } => write!(f, $sentence $(, $value)*),)*
                }
            }
        }
    };
}

/// Defines an enumeration whose variants each have a row in a table.
macro_rules! rows {
    (
        $(#[$about:meta])*
        pub enum $name:ident: $row:ty {
            $(
                $(#[$meaning:meta])*
                $variant:ident = $($cell:expr),*;
            )*
        }
    ) => {
        $(#[$about])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, BorshSerialize, BorshDeserialize)]
        pub enum $name {
            $($(#[$meaning])* $variant,)*
        }

        #[allow(dead_code, reason = "not all are listed")]
        impl $name {
            pub const ALL: [$name; [$(stringify!($variant)),*].len()] = [$($name::$variant),*];

            fn row(self) -> $row {
                match self {
                    $($name::$variant => ($($cell),*),)*
                }
            }
        }
    };
}

pub(super) use {diagnostics, rows};
