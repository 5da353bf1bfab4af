/// Defines an enumeration with a name for each variant, which it has in output, options and files.
macro_rules! words {
    (
        $(#[$about:meta])*
        $visible:vis enum $name:ident {
            $($(#[$meaning:meta])* $variant:ident = $word:literal,)*
        }
    ) => {
        $(#[$about])*
        $visible enum $name {
            $($(#[$meaning])* $variant,)*
        }

        #[allow(dead_code, reason = "not all are listed and looked up")]
        impl $name {
            pub const ALL: [$name; [$($word),*].len()] = [$($name::$variant),*];

            pub const fn name(self) -> &'static str {
                match self {
                    $($name::$variant => $word,)*
                }
            }

            pub fn named(name: &str) -> Option<$name> {
                Self::ALL.into_iter().find(|one| one.name() == name)
            }
        }
    };
}

pub(crate) use words;
