"""`warptree serve`: what it hands out and compiles, what it refuses, and that a hostile client keeps nobody waiting."""
import gzip
import http.client
import json
import os
import re
import signal
import socket
import subprocess
import tempfile
import threading
import time
import unittest
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
BINARY = os.environ.get("WARPTREE_BINARY", str(ROOT / "build/dev/bin/warptree"))
SANITIZED = b"__asan_init" in Path(BINARY).read_bytes()
KERNEL = "__global__ void scale(float* x, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) x[i] *= %d; }"
# Takes the compiler's whole limit.
ENDLESS = ("template <int D, int I> struct B { B<D - 1, I * 2> l; B<D - 1, I * 2 + 1> r; };\n"
           "template <int I> struct B<0, I> { int x; };\n__global__ void k(int* a) { a[0] = sizeof(B<26, %d>); }")


class Server:
    def __init__(self, *options):
        self.process = subprocess.Popen([BINARY, "serve", "--listen", "127.0.0.1:0", *options], stdout=subprocess.PIPE,
                                        stderr=subprocess.PIPE, text=True)
        line = self.process.stdout.readline()
        found = re.match(r"http://127\.0\.0\.1:(\d+)/", line)
        if not found:
            raise AssertionError(line + self.process.stderr.read())
        self.port = int(found.group(1))
        self.log = []
        self.reader = threading.Thread(target=lambda: self.log.extend(self.process.stderr))
        self.reader.start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stop()

    def stop(self):
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
        code = self.process.wait(timeout=600)
        self.reader.join()
        self.process.stdout.close()
        self.process.stderr.close()
        return code

    def ask(self, method, path, body=None, **headers):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=600)
        try:
            connection.request(method, path, body, {name.replace("_", "-"): value for name, value in headers.items()})
            answer = connection.getresponse()
            return answer.status, dict((k.lower(), v) for k, v in answer.getheaders()), answer.read()
        finally:
            connection.close()

    def compile(self, text, **headers):
        status, _, body = self.ask("POST", "/compile", json.dumps({"text": text}), Content_Type="application/json", **headers)
        return status, json.loads(body)

    def metric(self, name):
        _, _, body = self.ask("GET", "/metrics")
        return float(re.search(rf"^{re.escape(name)} (\S+)$", body.decode(), re.M).group(1))


class Serve(unittest.TestCase):
    def test_compiles_a_text_and_says_what_is_wrong_with_one(self):
        with Server() as server:
            status, answer = server.compile(KERNEL % 2)
            self.assertEqual(status, 200)
            self.assertTrue(answer["compiled"])
            self.assertEqual(answer["kernels"], [{"name": "scale", "parameters": [{"name": "x", "type": "float*"},
                                                                                  {"name": "n", "type": "int"}]}])
            status, answer = server.compile("__global__ void k(int* a) {\n  a[0] = b;\n}")
            self.assertEqual((status, answer["compiled"]), (200, False))
            found = answer["diagnostics"][0]
            self.assertEqual((found["severity"], found["line"], found["column"]), ("error", 2, 10))
            self.assertIn("'b'", found["message"])
            # A text as it is, as curl --data-binary @mine.cu sends it, with a header that ships.
            text = '#include "reduction.cuh"\n' + KERNEL % 3
            status, _, body = server.ask("POST", "/compile", text, Content_Type="text/plain")
            self.assertEqual((status, json.loads(body)["compiled"]), (200, True))

    def test_gives_the_bytes_of_a_program_and_keeps_them(self):
        with Server() as server:
            question = json.dumps({"text": KERNEL % 4, "name": "mine.cu"})
            answers = [server.ask("POST", "/compile", question, Accept="application/octet-stream") for _ in range(2)]
            self.assertEqual([a[1]["x-warptree-kept"] for a in answers], ["0", "1"])
            self.assertEqual(answers[0][2], answers[1][2])
            self.assertIn(b"mine.cu", answers[0][2])
            self.assertEqual(server.metric('warptree_compiles_total{answer="kept"}'), 1)
            # Many who ask for the same at once wait for one compiler.
            with ThreadPoolExecutor(20) as pool:
                status = list(pool.map(lambda _: server.compile(KERNEL % 5)[0], range(20)))
            self.assertEqual(status, [200] * 20)
            self.assertEqual(server.metric('warptree_compiles_total{answer="compiled"}'), 2)

    def test_refuses_what_is_no_question(self):
        with Server() as server:
            for body, words in (("{", "JSON"), ("[]", "text"), ('{"text": 1}', "text"), ('{"text": "", "extra": 1}', "extra"),
                                ('{"text": "", "name": "../a.cu"}', "name"), ('{"text": "", "name": "a/b.cu"}', "name"),
                                ('{"text": "", "defines": [["A"]]}', "defines"), ('{"text": "a\\u0000b"}', "text"),
                                ("[" * 100000, "JSON"), (b"\xff\xfe", "JSON")):
                with self.subTest(body=body[:40]):
                    status, _, answer = server.ask("POST", "/compile", body)
                    self.assertEqual(status, 400)
                    self.assertIn(words, json.loads(answer)["error"])
            self.assertEqual(server.ask("POST", "/compile", "x" * (300 << 10))[0], 413)
            self.assertEqual(server.ask("GET", "/compile")[0], 405)
            self.assertEqual(server.ask("DELETE", "/")[0], 405)
            body = json.dumps({"text": KERNEL % 6})
            self.assertEqual(server.ask("POST", "/compile", body, Origin="http://elsewhere.example")[0], 403)
            self.assertEqual(server.ask("POST", "/compile", body, Origin=f"http://127.0.0.1:{server.port}")[0], 200)
            self.assertEqual(server.ask("GET", "/healthz")[2], b"ok\n")

    def test_reads_no_file_for_a_text(self):
        with Server() as server:
            for name in ("/etc/passwd", "/proc/self/environ", str(ROOT / "README.md"), "../README.md"):
                _, answer = server.compile(f'#include "{name}"\n' + KERNEL % 1)
                self.assertIn("only headers in the folder", json.dumps(answer["diagnostics"]), name)
                for word in ("root:", "PATH=", "warptree"):
                    self.assertNotIn(word, json.dumps(answer).replace(name, ""))  # it repeats what was asked for

    def test_hands_out_the_files_of_the_page_and_no_others(self):
        with tempfile.TemporaryDirectory() as folder:
            page, secret = Path(folder) / "page", Path(folder) / "secret.txt"
            (page / "js").mkdir(parents=True)
            secret.write_text("secret")
            (page / "index.html").write_text("<title>page</title>")
            (page / "app.wasm").write_bytes(b"\0asm" + b"\1" * 100000)
            (page / "js/app.js").write_text("1;" * 1000)
            (page / ".hidden").write_text("secret")
            (page / "link.txt").symlink_to(secret)
            with Server("--page", str(page)) as server:
                status, headers, body = server.ask("GET", "/")
                self.assertEqual((status, body), (200, b"<title>page</title>"))
                self.assertEqual(headers["cross-origin-opener-policy"], "same-origin")
                self.assertEqual(headers["cross-origin-embedder-policy"], "require-corp")
                status, headers, body = server.ask("GET", "/app.wasm", Accept_Encoding="gzip")
                self.assertEqual((headers["content-type"], headers["content-encoding"]), ("application/wasm", "gzip"))
                self.assertEqual(gzip.decompress(body), (page / "app.wasm").read_bytes())
                self.assertEqual(server.ask("GET", "/app.wasm")[2], (page / "app.wasm").read_bytes())
                self.assertEqual(server.ask("GET", "/app.wasm", If_None_Match=headers["etag"])[0], 304)
                self.assertEqual(server.ask("HEAD", "/js/app.js")[0], 200)
                for path in ("/../secret.txt", "/js/../../secret.txt", "/%2e%2e/secret.txt", "/..%2fsecret.txt", "/link.txt",
                             "/.hidden", "//etc/passwd", "/js", "/" + "a" * 5000):
                    with self.subTest(path=path[:30]):
                        status, _, body = server.ask("GET", path)
                        self.assertEqual(status, 404)
                        self.assertNotIn(b"secret", body.replace(b"secret.txt", b""))

    def test_lists_a_course_and_sees_what_is_added(self):
        with tempfile.TemporaryDirectory() as folder:
            (Path(folder) / "week1").mkdir()
            (Path(folder) / "week1/mine.cu").write_text(KERNEL % 7)
            (Path(folder) / "first.deck").write_text("deck: First\n")
            with Server("--course", folder) as server:
                files = json.loads(server.ask("GET", "/course/")[2])
                self.assertEqual([(f["path"], f["kind"]) for f in files], [("first.deck", "deck"), ("week1/mine.cu", "kernel")])
                self.assertEqual(server.ask("GET", "/course/week1/mine.cu")[2].decode(), KERNEL % 7)
                self.assertEqual(server.ask("GET", "/course/../" + Path(folder).name + "/first.deck")[0], 404)
                (Path(folder) / "late.lesson").write_text("lesson: Late\n")
                end = time.monotonic() + 600
                while len(files) < 3 and time.monotonic() < end:
                    time.sleep(0.2)
                    files = json.loads(server.ask("GET", "/course/")[2])
                self.assertEqual([f["kind"] for f in files], ["deck", "lesson", "kernel"])
        refused = subprocess.run([BINARY, "serve", "--course", folder], capture_output=True, text=True)
        self.assertEqual(refused.returncode, 2)
        self.assertIn("No such file", refused.stderr)

    def test_limits_a_client_but_not_the_others(self):
        with Server("--behind-proxy", "--rate", "2") as server:
            told = [server.compile(KERNEL % (100 + i), X_Forwarded_For="203.0.113.9, 198.51.100.1")[0] for i in range(12)]
            self.assertIn(429, told)
            self.assertEqual(server.compile(KERNEL % 1, X_Forwarded_For="203.0.113.9, 198.51.100.2")[0], 200)
            self.assertEqual(told[:4], [200] * 4)

    @unittest.skipIf(SANITIZED, "the compiler's limit is four times as long under a sanitizer")
    def test_a_hostile_client_keeps_nobody_waiting(self):
        with Server("--jobs", "2") as server:
            # Many slow texts of one client, and connections that say little.
            idle = [socket.create_connection(("127.0.0.1", server.port)) for _ in range(300)]
            for connection in idle:
                connection.sendall(b"POST /compile HTTP/1.1\r\nHost: a\r\nContent-Length: 100000\r\n\r\n{")
            told = []
            threads = [threading.Thread(target=lambda i=i: told.append(server.compile(ENDLESS % i, X_Warptree_Client="hostile")))
                       for i in range(1, 8)]
            for thread in threads:
                thread.start()
            time.sleep(0.3)
            for i in range(20):
                status, answer = server.compile(KERNEL % (1000 + i), X_Warptree_Client=f"student-{i}")
                self.assertEqual((status, answer.get("compiled")), (200, True))
            # Twenty, each after the other, while at most one after another of the four slow ones ran on each of two workers: counted in
            # what ended, not in seconds, which a busy machine has more of.
            ended_before = sum(status != 429 for status, _ in told)
            for thread in threads:
                thread.join()
            self.assertLess(ended_before, 4, "the last slow text is behind all twenty")
            for connection in idle:
                connection.close()
            self.assertIn(429, [status for status, _ in told], "four wait at most")
            self.assertTrue(any("processor time" in answer.get("error", "") for _, answer in told), told)

    def test_answers_what_it_took_before_it_stops(self):
        with Server() as server:
            told = []
            threads = [threading.Thread(target=lambda i=i: told.append(server.compile(KERNEL % (500 + i)))) for i in range(40)]
            for thread in threads:
                thread.start()
            end = time.monotonic() + 600
            while server.metric("warptree_waiting") + server.metric('warptree_compiles_total{answer="compiled"}') < 40:
                self.assertLess(time.monotonic(), end)
            self.assertEqual(server.stop(), 0)
            for thread in threads:
                thread.join()
            self.assertEqual([status for status, _ in told], [200] * 40)
            with self.assertRaises(OSError):
                server.ask("GET", "/healthz")

    def test_another_may_listen_before_the_first_has_stopped(self):
        with Server() as first:
            second = subprocess.Popen([BINARY, "serve", "--listen", f"127.0.0.1:{first.port}"], stdout=subprocess.PIPE,
                                      stderr=subprocess.DEVNULL, text=True)
            try:
                self.assertEqual(second.stdout.readline().split()[0], f"http://127.0.0.1:{first.port}/")
                self.assertEqual(first.stop(), 0)
                self.assertEqual(first.ask("GET", "/healthz")[0], 200)
            finally:
                second.terminate()
                second.communicate()

    def test_logs_without_the_texts(self):
        with Server() as server:
            server.compile("// a secret of mine\n" + KERNEL % 8)
            server.ask("GET", "/%1b[31m")
            server.stop()
            log = "".join(server.log)
            self.assertRegex(log, r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ 127\.0\.0\.1 POST /compile 200 \d+ B [\d.]+ ms")
            self.assertNotIn("secret", log)
            self.assertNotIn("\x1b", log)

    def test_refuses_an_address_that_is_none(self):
        for address in ("nowhere", "127.0.0.1:70000", "1.2.3.4.5:80", "[::1:80", "127.0.0.1:x"):
            with self.subTest(address=address):
                refused = subprocess.run([BINARY, "serve", "--listen", address], capture_output=True, text=True, timeout=600)
                self.assertEqual(refused.returncode, 2)
                self.assertIn("--listen", refused.stderr)


if __name__ == "__main__":
    unittest.main()
