"""Headless Chromium, driven through Debian's chromedriver by Python's own library."""
import base64
import json
import os
import shutil
import socket
import subprocess
import tempfile
import time
import urllib.error
import urllib.request

DRIVER = shutil.which("chromedriver")
KEYS = {"right": "\ue014", "left": "\ue012", "home": "\ue011", "end": "\ue010", "enter": "\ue007", "escape": "\ue00c",
        "control": "\ue009"}


class Browser:
    """Just enough of the WebDriver protocol."""

    def __init__(self, arguments, downloads=None):
        with socket.socket() as s:
            s.bind(("127.0.0.1", 0))
            port = s.getsockname()[1]
        self.base = f"http://127.0.0.1:{port}"
        self.home = tempfile.TemporaryDirectory()
        self.process = subprocess.Popen([DRIVER, f"--port={port}"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                                        env={**os.environ, "HOME": self.home.name})
        options = {"args": ["--headless=new", "--no-sandbox", "--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1",
                            *arguments]}
        if downloads is not None:
            options["prefs"] = {"download.default_directory": str(downloads), "download.prompt_for_download": False,
                                "safebrowsing.enabled": False}
        patience = {"script": 600_000, "pageLoad": 600_000}  # ms: a busy machine is only slower
        wanted = {"capabilities": {"alwaysMatch": {"timeouts": patience, "goog:loggingPrefs": {"browser": "ALL"}, "goog:chromeOptions": options}}}
        for _ in range(600):
            try:
                self.session = self.call("POST", "/session", wanted)["sessionId"]
                break
            except urllib.error.URLError:
                time.sleep(0.1)

    def call(self, method, path, body=None):
        request = urllib.request.Request(self.base + path, method=method, data=json.dumps(body or {}).encode() if method == "POST" else None,
                                         headers={"Content-Type": "application/json"})
        try:
            with urllib.request.urlopen(request, timeout=600) as answer:
                return json.load(answer)["value"]
        except urllib.error.HTTPError as error:
            raise RuntimeError(f"{path}: {json.load(error)['value']['message']}") from None

    def __getattr__(self, name):
        return lambda body=None, method="POST": self.call(method, f"/session/{self.session}/{name.replace('__', '/')}", body)

    def open(self, url):
        self.url({"url": url})

    def run(self, script, *arguments):
        return self.execute__sync({"script": script, "args": list(arguments)})

    def until(self, script):
        for _ in range(12_000):
            if value := self.run(script):
                return value
            time.sleep(0.05)
        raise AssertionError("never: " + script)

    def press(self, *keys):
        """One after another; of "control+s" the first is held."""
        actions = []
        for key in keys:
            held = [KEYS.get(part, part) for part in key.split("+")] if len(key) > 1 else [key]
            actions += [{"type": "keyDown", "value": part} for part in held]
            actions += [{"type": "keyUp", "value": part} for part in reversed(held)]
        self.actions({"actions": [{"type": "key", "id": "keys", "actions": actions}]})

    def point(self, x, y, click=False):
        actions = [{"type": "pointerMove", "duration": 0, "x": int(x), "y": int(y)}]
        if click:
            actions += [{"type": "pointerDown", "button": 0}, {"type": "pointerUp", "button": 0}]
        self.actions({"actions": [{"type": "pointer", "id": "mouse", "actions": actions}]})

    def wheel(self, x, y, down):
        turn = {"type": "scroll", "x": int(x), "y": int(y), "deltaX": 0, "deltaY": int(down), "duration": 0, "origin": "viewport"}
        self.actions({"actions": [{"type": "wheel", "id": "wheel", "actions": [turn]}]})

    def touch(self, *paths):
        """With a finger each, which go along their paths of points side by side."""
        fingers = []
        for k, path in enumerate(paths):
            first, *others = [{"type": "pointerMove", "duration": 0, "x": int(x), "y": int(y)} for x, y in path]
            actions = [first, {"type": "pointerDown", "button": 0}, *others, {"type": "pointerUp", "button": 0}]
            fingers.append({"type": "pointer", "id": f"finger{k}", "parameters": {"pointerType": "touch"}, "actions": actions})
        self.actions({"actions": fingers})

    def picture(self):
        """A PNG of what is seen."""
        return base64.b64decode(self.screenshot(method="GET"))

    def errors(self):
        return [line["message"] for line in self.se__log({"type": "browser"}) if line["level"] == "SEVERE"]

    def close(self):
        try:
            self.call("DELETE", f"/session/{self.session}")
        finally:
            self.process.terminate()
            self.process.wait()
            self.home.cleanup()
