//! Names, axes and checks of all tasks.

use tasks::registry::testing;

#[test]
fn names_are_unique_and_defaults_valid() {
    testing::assert_sound(crate::TASKS);
}

/// In one test, because references take longer to compute than checks.
#[test]
fn every_check_refuses_a_no_op_and_an_output_with_one_element_mutated() {
    testing::assert_checked(crate::TASKS);
}
