"""Compiles a kernel file to PTX by NVRTC.

    nvrtc.py LIBRARY SOURCE OUTPUT FLAG...

LIBRARY is a libnvrtc.so; warnings are errors.
"""

import ctypes
import sys
from pathlib import Path


class NvrtcError(Exception):
    """An error or a warning that NVRTC reports about a source."""


class Nvrtc:
    """The functions of the library that a compilation needs."""

    def __init__(self, library):
        # NVRTC opens its builtins by name only, which is found if it is open.
        for builtins in Path(library).parent.glob("libnvrtc-builtins.so*"):
            ctypes.CDLL(str(builtins), mode=ctypes.RTLD_GLOBAL)
        self.library = ctypes.CDLL(library)
        self.library.nvrtcGetErrorString.restype = ctypes.c_char_p

    def call(self, function, *arguments):
        status = getattr(self.library, function)(*arguments)
        if status != 0:
            raise NvrtcError(self.library.nvrtcGetErrorString(status).decode())

    def text(self, what, program):
        """The program's `PTX` or `ProgramLog`, without the NUL at its end."""
        size = ctypes.c_size_t()
        self.call(f"nvrtcGet{what}Size", program, ctypes.byref(size))
        buffer = ctypes.create_string_buffer(size.value)
        self.call(f"nvrtcGet{what}", program, buffer)
        return buffer.value.decode()

    def compile(self, source, flags):
        """The PTX of a source file."""
        program = ctypes.c_void_p()
        code, name = Path(source).read_bytes(), source.encode()
        self.call("nvrtcCreateProgram", ctypes.byref(program), code, name, 0, None, None)
        options = (ctypes.c_char_p * len(flags))(*(flag.encode() for flag in flags))
        try:
            self.call("nvrtcCompileProgram", program, len(flags), options)
        except NvrtcError as error:
            raise NvrtcError(f"{error}\n{self.text('ProgramLog', program)}") from error
        if log := self.text("ProgramLog", program).strip():
            raise NvrtcError(f"warnings\n{log}")
        return self.text("PTX", program)


def main(library, source, output, *flags):
    try:
        ptx = Nvrtc(library).compile(source, flags)
    except NvrtcError as error:
        sys.exit(f"{source}: NVRTC: {error}")
    Path(output).write_text(ptx)


if __name__ == "__main__":
    main(*sys.argv[1:])
