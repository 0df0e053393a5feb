// Included by CubeCL's kernels. The emulator has already defined all that they need of it.
