#!/usr/bin/env python3
"""How long a page of script/web takes to its first picture and for a step, in headless Chromium with software WebGL.

usage: bench/web_page.py [SITE]     default: build/web/site
Prints milliseconds from the page's own clock: of the first load and of five from what the browser has kept (fetched and compiled;
started; first picture), of 60 steps by key the page's own work a frame, and how many frames a second it shows while it plays.
"""
import functools
import http.server
import statistics
import sys
import tempfile
import threading
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests/script"))
from browser import DRIVER, Browser  # noqa: E402

# In front of page.js: how long each frame's own work takes.
WATCH = """const plain = requestAnimationFrame.bind(window);
window.frames_ms = [];
window.requestAnimationFrame = call => plain(at => {
    const begin = performance.now();
    call(at);
    window.frames_ms.push([begin, performance.now() - begin]);
});
"""
MARKS = "return performance.getEntriesByType('mark').map(mark => [mark.name, mark.startTime])"


def handler(site):
    class Handler(http.server.SimpleHTTPRequestHandler):
        extensions_map = {**http.server.SimpleHTTPRequestHandler.extensions_map, ".wasm": "application/wasm"}

        def log_message(self, *words):
            pass

        def do_GET(self):
            if self.path != "/page.js":
                return super().do_GET()
            text = (WATCH + (site / "page.js").read_text()).encode()
            self.send_response(200)
            self.send_header("Content-Type", "text/javascript")
            self.send_header("Content-Length", str(len(text)))
            self.end_headers()
            self.wfile.write(text)
            return None

    return functools.partial(Handler, directory=str(site))


def load(browser, address):
    browser.open("about:blank")
    browser.open(address)
    browser.until("return performance.getEntriesByName('shown').length > 0")
    marks = dict(browser.run(MARKS))
    print("  ".join(f"{name} {marks[name]:6.0f}" for name in ("loaded", "started", "drawn", "shown")), flush=True)
    return marks["drawn"]


def main():
    site = Path(sys.argv[1] if len(sys.argv) > 1 else ROOT / "build/web/site").resolve()
    if DRIVER is None or not (site / "warptree-page.wasm").exists():
        print("needs chromedriver (script/bootstrap --test) and a site (script/web)", file=sys.stderr)
        return 2
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler(site))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    address = f"http://127.0.0.1:{server.server_port}/index.html#explore/sequential?n=64&block=64"
    with tempfile.TemporaryDirectory() as folder:
        browser = Browser(["--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--ignore-gpu-blocklist",
                           "--window-size=1280,800"], folder)
        try:
            print("first load, ms:")
            load(browser, address)
            browser.until("return caches.match('warptree-data.bin').then(kept => kept !== undefined)")
            print("from what is kept, ms:")
            drawn = [load(browser, address) for _ in range(5)]
            print(f"first picture, median of five: {statistics.median(drawn):.0f} ms")
            browser.press("escape")
            work = []
            for step in range(60):
                seen = browser.run("return window.frames_ms.length")
                browser.press("right" if step % 12 < 6 else "left")
                time.sleep(0.6)  # a step is animated for less
                work += [took for _, took in browser.run(f"return window.frames_ms.slice({seen})") if took >= 1]
            work.sort()
            print(f"a frame of a step, its own work in {len(work)} frames: median {statistics.median(work):.1f} ms, "
                  f"95 % within {work[len(work) * 95 // 100]:.1f} ms, most {work[-1]:.1f} ms")
            browser.press("home")
            browser.press(" ")
            time.sleep(1)
            seen = browser.run("return window.frames_ms.length")
            time.sleep(2)
            drawn = [at for at, took in browser.run(f"return window.frames_ms.slice({seen})") if took >= 1]
            print(f"while it plays: {1000 * (len(drawn) - 1) / (drawn[-1] - drawn[0]):.0f} frames a second")
        finally:
            browser.close()
            server.shutdown()
    return 0


if __name__ == "__main__":
    sys.exit(main())
