use super::*;

#[test]
fn the_system_name_separates_parameters_from_the_name() {
    for (name, system_name, signature) in [
        (
            "Acme.Shop.Sell(int32) : void",
            "Acme.Shop.Sell",
            "(int32) : void",
        ),
        ("Acme.Shop.Sell(int32)", "", ""),
        ("Acme.Shop.Sell(int32)", "Acme.Shop.Sell(int32)", ""),
        ("Acme.Shop.Seller", "Acme.Shop.Sell", ""),
        // mangled names from other languages
        ("shop::sell(int)", "_ZN4shop4sellEi", ""),
        ("", "main", ""),
    ] {
        assert_eq!(
            &name[start_of_signature(name, system_name)..],
            signature,
            "{name}, {system_name}"
        );
    }
}
