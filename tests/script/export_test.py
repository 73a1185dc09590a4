"""warptree export in a real browser: stepping, hovering, printing, in a notebook's cell, with no network and no error."""
import base64
import json
import os
import re
import subprocess
import tempfile
import unittest
import zlib
from pathlib import Path

from browser import DRIVER, Browser

ROOT = Path(__file__).resolve().parent.parent.parent
BINARY = os.environ.get("WARPTREE_BINARY", str(ROOT / "build/dev/bin/warptree"))


def export(folder, *arguments, name="run.html"):
    path = Path(folder) / name
    subprocess.run([BINARY, "export", *arguments, "-o", str(path)], check=True, capture_output=True, text=True)
    return path


def new_browser(dark=False):
    return Browser(["--disable-gpu", "--window-size=1366,1000", "--force-prefers-reduced-motion",
                    *(["--blink-settings=preferredColorScheme=0"] if dark else [])])


PAGE = "const page = document.querySelector('[id^=warptree]').shadowRoot; "
READY = "const host = document.querySelector('[id^=warptree]'); return host && host.shadowRoot && host.shadowRoot.querySelector('canvas') !== null"
COUNT = PAGE + "return page.querySelector('.bar .detail').textContent"
SENTENCE = PAGE + "return page.querySelector('.sentence').textContent"
TREE = PAGE + "const box = page.querySelector('canvas').getBoundingClientRect(); return [box.left, box.top, box.width, box.height]"
INK = PAGE + """const c = page.querySelectorAll('canvas')[arguments[0]], d = c.getContext('2d').getImageData(0, 0, c.width, c.height).data;
    let sum = 0; for (let i = 0; i < d.length; i += 4) sum = (sum * 31 + d[i] + 3 * d[i + 1] + 7 * d[i + 2] + d[i + 3]) % 1000000007; return sum"""


class File(unittest.TestCase):
    def test_needs_nothing_else_and_trusts_no_name(self):
        with tempfile.TemporaryDirectory() as folder:
            text = export(folder, "sequential", "-n", "1024", "--title", "<script>alert(1)</script> & \"").read_text()
        self.assertNotIn("<script>alert", text)
        self.assertIn("&lt;script&gt;alert(1)&lt;/script&gt; &amp; &quot;", text)
        data = re.search(r'id="warptree-[0-9a-f]{8}-data">([A-Za-z0-9+/=]*)<', text).group(1)
        self.assertLess(len(text) - len(data), 300_000)
        self.assertLess(len(text), 2_000_000)
        self.assertEqual(re.findall(r"(?:src|href)=|https?:|@import|url\(", text.replace(data, "")), [])
        unpacked = zlib.decompress(base64.b64decode(data))
        length = int.from_bytes(unpacked[:4], "little")
        about = json.loads(unpacked[4:4 + length])
        self.assertEqual(about["title"], "<script>alert(1)</script> & \"")
        self.assertEqual([view["id"] for view in about["runs"][0]["views"]], ["tree", "source", "warps", "banks"])

    def test_is_the_same_each_time(self):
        with tempfile.TemporaryDirectory() as folder:
            first = export(folder, "scan-warp", "-n", "100").read_bytes()
            self.assertEqual(first, export(folder, "scan-warp", "-n", "100", "--workers", "1").read_bytes())

    def test_refuses_what_it_cannot_do(self):
        for arguments in (["sequential", "-o", "run.png"], ["sequential"] * 5 + ["-o", "run.html"], ["sequential", "-o", "/nowhere/run.html"]):
            ended = subprocess.run([BINARY, "export", *arguments], capture_output=True, text=True)
            self.assertEqual(ended.returncode, 2, ended.stderr)
            self.assertRegex(ended.stderr, r"\Awarptree: .*\n\Z")


@unittest.skipIf(DRIVER is None, "chromedriver is not here; script/bootstrap --test installs it")
class InABrowser(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.browser = new_browser()

    @classmethod
    def tearDownClass(cls):
        cls.browser.close()
        cls.folder.cleanup()

    def show(self, *arguments, name="run.html"):
        self.browser.open(export(self.folder.name, *arguments, name=name).as_uri())
        self.browser.until(READY)

    def tearDown(self):
        self.assertEqual(self.browser.errors(), [])

    def test_steps_by_keys_and_buttons(self):
        browser = self.browser
        self.show("sequential", "-n", "64", "--block", "64")
        self.assertEqual(browser.run(COUNT), "step 1 of 8")
        first = [browser.run(INK, view) for view in range(4)]
        browser.press("right", "right", "right")
        self.assertEqual(browser.run(COUNT), "step 4 of 8")
        self.assertIn("8 of 64 threads combine", browser.run(SENTENCE))
        rows = browser.run(PAGE + "return [...page.querySelectorAll('th')].map(cell => cell.textContent)")
        self.assertIn("lanes active", rows)
        for view in range(4):
            self.assertNotEqual(browser.run(INK, view), first[view], f"view {view} is another picture")
        browser.press("left", "left", "left")
        self.assertEqual([browser.run(INK, view) for view in range(4)], first, "and the first one again")
        browser.press("end")
        self.assertEqual(browser.run(COUNT), "step 8 of 8")
        browser.press("right")
        self.assertEqual(browser.run(COUNT), "step 8 of 8")
        browser.run(PAGE + "page.querySelector('button[aria-label=First]').click()")
        self.assertEqual(browser.run(COUNT), "step 1 of 8")

    def test_a_cell_says_what_it_is_and_lights_what_it_is_made_of(self):
        browser = self.browser
        self.show("sequential", "-n", "64", "--block", "64", "--input", "iota", name="iota.html")
        browser.press("end")
        before = browser.run(INK, 0)
        left, top, width, height = browser.run(TREE)
        found = ""
        for x in range(4, int(width) // 4, 6): # the total is at the left of the last row
            browser.point(left + x, top + height * 0.87)
            found = browser.run(PAGE + "return page.querySelector('.tip').textContent")
            if found.startswith("value"):
                break
        self.assertIn("value 2016", found, "0 + 1 + … + 63")
        self.assertIn("thread 0", found)
        self.assertNotEqual(browser.run(INK, 0), before)
        browser.point(left + 2, top - 20)
        self.assertEqual(browser.run(INK, 0), before)

    def test_several_runs_step_together(self):
        self.show("sequential", "interleaved-modulo", "-n", "64", "--block", "64", name="two.html")
        self.browser.press("right")
        self.assertEqual(self.browser.run(PAGE + "return [...page.querySelectorAll('h2')].map(h => h.textContent)"),
                         ["sequential", "interleaved-modulo"])
        self.assertEqual(self.browser.run(PAGE + "return [...page.querySelectorAll('h3')].map(h => h.textContent).filter(t => t.startsWith('s ='))"),
                         ["s = 32", "s = 1"])

    def test_a_deck_is_paged_through(self):
        self.browser.open(export(self.folder.name, str(ROOT / "assets/decks/first-hour.deck"), name="deck.html").as_uri())
        self.browser.until(READY)
        self.assertRegex(self.browser.run(COUNT), r"page 1 of \d+")
        self.browser.press("right")
        self.assertRegex(self.browser.run(COUNT), r"page 2 of \d+")

    def test_prints_a_page_a_step(self):
        self.show("sequential", "-n", "64", "--block", "64", name="print.html")
        # WebDriver's own "print" gives the page ten seconds, which a busy machine needs longer for.
        pdf = base64.b64decode(self.browser.goog__cdp__execute({"cmd": "Page.printToPDF", "params": {"landscape": True}})["data"])
        self.assertEqual(len(re.findall(rb"/Type\s*/Page\b", pdf)), 8)

    def test_works_as_the_output_of_a_notebooks_cell(self):
        # As a notebook does: the text goes into an element, and its scripts are made anew so that they run.
        page = export(self.folder.name, "sequential", "-n", "64", "--block", "64", name="cell.html").read_text()
        (Path(self.folder.name) / "notebook.html").write_text("<!DOCTYPE html><meta charset=utf-8><p>cell</p><div id=output></div><input id=other>")
        browser = self.browser
        browser.open((Path(self.folder.name) / "notebook.html").as_uri())
        browser.run("""const output = document.getElementById('output'); output.innerHTML = arguments[0];
            for (const old of output.querySelectorAll('script')) {
                const made = document.createElement('script');
                for (const a of old.attributes) made.setAttribute(a.name, a.value);
                made.textContent = old.textContent; old.replaceWith(made); }""", page)
        browser.until(READY)
        browser.press("right")
        self.assertEqual(browser.run(COUNT), "step 1 of 8", "keys are another's until it has the focus")
        browser.run(PAGE + "page.querySelector('.all').focus()")
        browser.press("right")
        self.assertEqual(browser.run(COUNT), "step 2 of 8")
        self.assertEqual(browser.run("return document.body.firstElementChild.textContent"), "cell")

    def test_is_dark_where_the_system_is(self):
        dark = new_browser(dark=True)
        try:
            dark.open(export(self.folder.name, "sequential", "-n", "64", "--block", "64", name="dark.html").as_uri())
            dark.until(READY)
            self.assertTrue(dark.run(PAGE + "return page.querySelector('.all').classList.contains('dark')"))
            self.assertEqual(dark.errors(), [])
        finally:
            dark.close()


if __name__ == "__main__":
    unittest.main()
