//! Names of the values of an enum, as flags and records have them.

/// `named! { "preset", Preset { Pp = "pp", … } }`: an enum with all its values, their names, and a
/// parser of names, whose error lists the valid ones.
#[macro_export]
macro_rules! named {
    ($what:literal, $named:ident { $($value:ident = $name:literal),+ $(,)? }) => {
        impl $named {
            /// All of them.
            pub const ALL: [$named; [$($name),+].len()] = [$($named::$value),+];
            /// Their names.
            pub const NAMES: &'static [&'static str] = &[$($name),+];

            /// The name in flags and records.
            pub const fn name(self) -> &'static str {
                match self {
                    $($named::$value => $name,)+
                }
            }
        }

        impl ::std::fmt::Display for $named {
            fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
                f.write_str(self.name())
            }
        }

        impl ::std::str::FromStr for $named {
            type Err = $crate::DataError;

            fn from_str(text: &str) -> Result<Self, Self::Err> {
                let named = $named::ALL.into_iter().find(|named| named.name() == text);
                named.ok_or_else(|| $crate::DataError::unknown($what, text, $named::NAMES))
            }
        }
    };
}

#[cfg(test)]
mod tests {
    #[derive(Clone, Copy, Debug, PartialEq)]
    enum Colour {
        Red,
        Green,
    }

    named! { "colour", Colour { Red = "red", Green = "green" } }

    #[test]
    fn values_come_back_from_their_names() {
        for colour in Colour::ALL {
            assert_eq!(colour.to_string().parse::<Colour>().expect("known"), colour);
        }
        let error = "blue".parse::<Colour>().expect_err("unknown").to_string();
        assert_eq!(error, "unknown colour \"blue\"; there are red, green");
    }
}
