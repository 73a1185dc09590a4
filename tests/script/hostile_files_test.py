"""Files that the program reads besides kernels, and that mean harm: archives, arrays, documents, and names of what is no file."""
import os
import random
import socket
import struct
import unittest
import zlib

from hostile import Hostile, cases

KERNEL = "__global__ void k(const float* in, float* out) { out[threadIdx.x] = in[threadIdx.x]; }\n"


def archive(entries, end=None, comment=b""):
    """A ZIP file of (name, data, changes): whatever its headers shall say otherwise."""
    body, central = bytearray(), bytearray()  # bytes would be copied for each entry
    for name, data, changes in entries:
        name = name if isinstance(name, bytes) else name.encode()
        packed = changes.get("packed", data)
        crc, method = changes.get("crc", zlib.crc32(data)), changes.get("method", 0)
        size, stored = changes.get("size", len(data)), changes.get("stored", len(packed))
        offset = changes.get("offset", len(body))
        extra = changes.get("extra", b"")
        body += struct.pack("<IHHHHHIIIHH", 0x04034B50, 20, 0, method, 0, 0, crc, stored, size, len(name), 0) + name + packed
        central += struct.pack("<IHHHHHHIIIHHHHHII", 0x02014B50, 20, 20, 0, method, 0, 0, crc, stored, size, len(name), len(extra), 0,
                               0, 0, changes.get("attributes", 0), offset) + name + extra
    count = len(entries) if end is None else end
    return bytes(body + central) + struct.pack("<IHHHHIIH", 0x06054B50, 0, 0, count & 0xFFFF, count & 0xFFFF, len(central), len(body),
                                               len(comment)) + comment


def deflated(data):
    packer = zlib.compressobj(9, zlib.DEFLATED, -15)
    return packer.compress(data) + packer.flush()


ZEROS = b"\0" * (64 << 20)
MANIFEST = b'{"format": "warptree-trace", "version": 4}'
TRACES = [
    ("is_empty", b""), ("is_an_end_alone", archive([])), ("has_a_comment_of_64_KB", archive([], comment=b"x" * 65535)),
    ("says_more_entries_than_it_has", archive([("manifest.json", MANIFEST, {})], end=60000)),
    ("is_a_bomb", archive([("manifest.json", ZEROS, {"packed": deflated(ZEROS), "method": 8})])),
    ("is_a_bomb_that_lies", archive([("manifest.json", ZEROS, {"packed": deflated(ZEROS), "method": 8, "size": 40})])),
    ("overlaps", archive([("manifest.json", MANIFEST, {}), ("a", MANIFEST, {"offset": 0}), ("b", MANIFEST, {"offset": 1})])),
    ("leads_out", archive([("../../../../tmp/warptree-out", b"x", {}), ("/tmp/warptree-out", b"x", {}), ("manifest.json", MANIFEST, {})])),
    ("has_a_wrong_sum", archive([("manifest.json", MANIFEST, {"crc": 1})])),
    ("has_an_entry_twice", archive([("manifest.json", MANIFEST, {}), ("manifest.json", b"{}", {})])),
    ("has_a_link", archive([("manifest.json", b"/etc/passwd", {"attributes": 0o120777 << 16})])),
    ("has_an_unknown_method", archive([("manifest.json", MANIFEST, {"method": 99})])),
    ("has_a_broken_stream", archive([("manifest.json", MANIFEST, {"packed": b"\xff" * 99, "method": 8})])),
    ("begins_behind_its_end", archive([("manifest.json", MANIFEST, {"offset": 0xFFFFFFF0})])),
    ("is_larger_than_itself", archive([("manifest.json", MANIFEST, {"stored": 0x7FFFFFFF, "size": 0x7FFFFFFF})])),
    ("lies_by_zip64", archive([("manifest.json", MANIFEST, {"size": 0xFFFFFFFF, "stored": 0xFFFFFFFF, "offset": 0xFFFFFFFF,
                                                            "extra": struct.pack("<HHQQQ", 1, 24, 1 << 62, 1 << 62, 1 << 62)})])),
    ("has_a_name_of_zeros", archive([(b"\0" * 60000, b"", {}), ("manifest.json", MANIFEST, {})])),
    ("has_60000_entries", archive([(f"e{i}", b"", {}) for i in range(60000)])),
    ("has_two_ends", archive([("manifest.json", MANIFEST, {})]) + archive([("manifest.json", b"{}", {})])),
    ("has_a_deep_manifest", archive([("manifest.json", b"[" * 1000000, {})])),
    ("has_a_manifest_of_odd_numbers", archive([("manifest.json", b'{"format": "warptree-trace", "version": 1e999}', {})])),
    ("has_a_negative_version", archive([("manifest.json", b'{"format": "warptree-trace", "version": -4}', {})])),
    ("has_no_numbers", archive([("manifest.json", b'{"format": "warptree-trace", "version": NaN}', {})])),
    ("has_no_utf_8", archive([("manifest.json", b'{"format": "\xff\xfe", "version": 4}', {})])),
    ("has_every_key_twice", archive([("manifest.json", MANIFEST[:-1] + b', "version": 1, "version": {}}', {})])),
]


def npy(header, data=b"", version=b"\x01\x00", length=None):
    text = header.encode()
    return b"\x93NUMPY" + version + struct.pack("<H", len(text) if length is None else length) + text + data


def shape(text, dtype="<f4", order="False"):
    return f"{{'descr': '{dtype}', 'fortran_order': {order}, 'shape': ({text}), }}\n"


ARRAYS = [
    ("is_empty", b""), ("has_no_header", b"\x93NUMPY"), ("has_a_header_beyond_its_end", npy(shape("4,"), length=65535)),
    ("has_a_huge_shape", npy(shape("4611686018427387904, 4"))), ("has_a_shape_that_wraps", npy(shape("4294967296, 4294967296"), b"\0" * 16)),
    ("has_a_negative_shape", npy(shape("-4,"), b"\0" * 16)), ("has_a_shape_of_a_thousand", npy(shape("1, " * 10000), b"\0" * 4)),
    ("is_in_the_order_of_fortran", npy(shape("2, 2", order="True"), b"\0" * 16)), ("holds_objects", npy(shape("4,", dtype="|O"), b"\x80\x04cos\nsystem\n")),
    ("holds_texts", npy(shape("4,", dtype="<U4"), b"\0" * 64)), ("holds_big_ends", npy(shape("4,", dtype=">f4"), b"\0" * 16)),
    ("is_too_short", npy(shape("400,"), b"\0" * 16)), ("is_too_long", npy(shape("4,"), b"\0" * 1600)),
    ("is_of_another_version", npy(shape("4,"), b"\0" * 16, version=b"\xff\xff")),
    ("has_code_for_a_header", npy("__import__('os').system('touch left')", b"\0" * 16)),
    ("has_a_header_of_brackets", npy("(" * 60000)), ("has_a_field_twice", npy(shape("4,")[:-2] + "'shape': (2,)}", b"\0" * 16)),
    ("is_text_without_numbers", b"one two three\n"), ("is_text_of_odd_numbers", b"1e999 nan 0x10 1,,2 --3\n"),
    ("is_one_long_word", b"9" * (4 << 20)), ("is_zeros", b"\0" * 100000),
]
DECKS = [
    ("is_empty", "a.deck", b""), ("is_no_text", "a.deck", random.Random(1).randbytes(4096)), ("is_one_line", "a.deck", b"x" * 200000),
    ("is_too_large", "a.deck", b"\n" * (1 << 20)), ("names_a_device", "a.deck", b'{"slides": [{"state": "/dev/zero"}]}'),
    ("names_a_file_above", "a.deck", b"# Deck\n\nexplore/../../../../etc/passwd?n=1e999\n"),
    ("is_deep", "a.deck", b"[" * 100000), ("has_odd_names", "a.deck", "# \u202e\033[31m\n\nexplore/\ufeff?\0=\n".encode()),
]
LESSONS = [
    ("is_empty", b""), ("is_no_text", random.Random(1).randbytes(4096)), ("is_too_large", b"#" * (2 << 20)), ("is_one_line", b"x" * 900000),
    ("is_deep", b"{" * 500000), ("asks_for_too_much", b"title: x\nrun: sequential n=999999999999999999999\nask: 1e999\n"),
]
DOCUMENTS = [
    ("is_empty", b""), ("is_deep", b"[" * 500000 + b"]" * 500000), ("is_wide", b"{" + b",".join(b'"k%d":0' % i for i in range(9000)) + b"}"),
    ("has_odd_numbers", b'{"format": 1e999, "version": -1e999, "points": -9223372036854775809}'),
    ("has_no_numbers", b'{"version": NaN, "points": [Infinity, -Infinity]}'), ("has_a_key_twice", b'{"version": 1, "version": "1"}'),
    ("is_no_utf_8", b'{"version": "\xc3\x28\xff\xed\xa0\x80"}'), ("has_half_a_pair", b'{"a": "\\ud800"}'), ("ends_early", b'{"points": [{"n": 1'),
    ("has_zeros", b'{"a\0b": "\0"}'), ("has_a_long_text", b'"' + b"x" * (20 << 20) + b'"'),
]


@cases(TRACES, lambda self, content: self.read("report", "t.wtrace", content))
class Traces(Hostile):
    def read(self, command, name, content):
        path = self.write(name, content)
        self.holds([command, path], says="warptree: ")
        self.assertFalse(os.path.exists("/tmp/warptree-out"))


@cases(ARRAYS, lambda self, content: self.read(content))
class Arrays(Hostile):
    def read(self, content):
        self.write("a.npy", content)
        self.write("k.cu", KERNEL)
        self.holds(["report", "k.cu", "--arg", "in=a.npy"], says="warptree: .*a.npy")


@cases(DECKS, lambda self, name, content: self.read(name, content))
class Decks(Hostile):
    def read(self, name, content):
        self.holds(["deck", self.write(name, content)], says="warptree: ", silent_about=("root:x:0", "\033"))


@cases(LESSONS, lambda self, content: self.read(content))
class Lessons(Hostile):
    def read(self, content):
        self.holds(["lessons", "--check", self.write("a.lesson", content)], says="a.lesson")


@cases(DOCUMENTS, lambda self, content: self.read(content))
class Documents(Hostile):
    def read(self, content):
        self.holds(["timings", self.write("r.json", content)], says="warptree: .*r.json")


class NoFiles(Hostile):
    """What has the name of a file and is none: it is refused, and nobody waits for it."""

    def setUp(self):
        super().setUp()
        self.write("k.cu", KERNEL)
        os.mkfifo(self.folder / "fifo")
        (self.folder / "folder").mkdir()
        (self.folder / "loop").symlink_to("loop")
        (self.folder / "to_device").symlink_to("/dev/zero")
        server = socket.socket(socket.AF_UNIX)
        self.addCleanup(server.close)
        server.bind(str(self.folder / "socket"))

    def test_of_every_kind_are_refused_by_every_reader(self):
        for name in ("fifo", "folder", "loop", "to_device", "socket", "/dev/zero", "/dev/stdin", "/proc/self/mem", "none", "x" * 5000, "a\nb"):
            for words in (["report", name], ["deck", name], ["lessons", "--check", name], ["timings", name],
                          ["report", "k.cu", "--arg", "in=" + name], ["run", name], ["code", name]):
                with self.subTest(name=name[:20], words=words[0]):
                    self.holds(words, codes=(1, 2) if words[0] == "lessons" else (2,))


if __name__ == "__main__":
    unittest.main()
