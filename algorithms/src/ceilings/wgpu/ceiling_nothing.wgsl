// Empty.
@compute @workgroup_size(32)
fn ceiling_nothing() {}
