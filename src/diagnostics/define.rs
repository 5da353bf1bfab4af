//! Macros that define enumerations together with what belongs to each variant.

/// Defines [`Diagnostic`](super::Diagnostic). A variant has its data, its code and its sentence, a `format!` string; the
/// data are references there.
macro_rules! diagnostics {
    (
        $(
            $(#[$meaning:meta])*
            $variant:ident { $($(#[$field_attribute:meta])* $field:ident: $type:ty),* $(,)? }
            = $code:expr, $sentence:literal $(, $value:expr)*;
        )*
    ) => {
        /// A fact about a recording. It serializes to its data alone; [`Diagnostic::record`] adds the rest.
        #[derive(Clone, Debug, PartialEq, Serialize, BorshSerialize, BorshDeserialize)]
        #[serde(untagged)]
        pub enum Diagnostic {
            $(
                $(#[$meaning])*
                $variant { $($(#[$field_attribute])* $field: $type),* },
            )*
        }

        #[allow(unused_variables, reason = "not all data are in codes and sentences")]
        impl Diagnostic {
            /// Its code: a name in kebab case that stays the same from version to version.
            pub fn code(&self) -> &'static str {
                match self {
                    $(Diagnostic::$variant { $($field),* } => $code,)*
                }
            }
        }

        impl std::fmt::Display for Diagnostic {
            #[allow(unused_variables, reason = "not all data are in the sentences")]
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                match self {
                    $(Diagnostic::$variant { $($field),* } => write!(f, $sentence $(, $value)*),)*
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
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, BorshSerialize, BorshDeserialize)]
        #[serde(rename_all = "kebab-case")]
        pub enum $name {
            $($(#[$meaning])* $variant,)*
        }

        #[allow(dead_code, reason = "not all are listed")]
        impl $name {
            pub const ALL: [$name; [$(stringify!($variant)),*].len()] = [$($name::$variant),*];

            pub(super) fn row(self) -> $row {
                match self {
                    $($name::$variant => ($($cell),*),)*
                }
            }
        }
    };
}

pub(super) use {diagnostics, rows};
