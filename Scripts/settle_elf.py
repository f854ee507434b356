#!/usr/bin/env python3
"""Scripts/settle_elf.py FILE BUILT_AS: takes out of a program or library what differs between two builds of the same sources.

That is: the compiler's notes for its own next build (.swift_modhash), which differ even in one folder; the path BUILT_AS, which the linker notes
as the name of a library without another; and the build ID, which is made from both, and from debug information that was stripped. The new build
ID is made from what is left. Bytes are changed in their places: no other tool is needed than binutils' readelf. Status: 0; 1 not such a file."""
import hashlib
import os
import re
import subprocess
import sys

# Header of a note: three numbers and "GNU".
NOTE_HEADER = 16


def main():
    if len(sys.argv) != 3:
        print(__doc__, file=sys.stderr)
        sys.exit(64)
    path, built_as = sys.argv[1], os.fsencode(sys.argv[2])
    listing = subprocess.run(["readelf", "-SW", path], capture_output=True, text=True, check=True).stdout
    sections = {name: (int(offset, 16), int(size, 16))
                for name, offset, size in re.findall(r"\] (\S+) +\S+ +[0-9a-f]+ ([0-9a-f]+) ([0-9a-f]+)", listing)}
    with open(path, "rb") as file:
        data = bytearray(file.read())
    if ".swift_modhash" in sections:
        offset, size = sections[".swift_modhash"]
        data[offset:offset + size] = bytes(size)
    data = bytearray(bytes(data).replace(built_as + b"\0", os.path.basename(built_as).ljust(len(built_as) + 1, b"\0")))
    if ".note.gnu.build-id" in sections:
        offset, size = sections[".note.gnu.build-id"]
        if size != NOTE_HEADER + hashlib.sha1().digest_size:
            sys.exit(f"settle_elf.py: {path}: the build ID is none that this script knows, of {size - NOTE_HEADER} bytes")
        data[offset + NOTE_HEADER:offset + size] = bytes(size - NOTE_HEADER)
        data[offset + NOTE_HEADER:offset + size] = hashlib.sha1(data).digest()
    with open(path, "r+b") as file:
        file.write(data)


if __name__ == "__main__":
    main()
