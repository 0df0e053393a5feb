// What CubeCL's kernels include. All that they need of it the emulator has given them before.
