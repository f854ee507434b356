"""Scripts/browser.py: headless Chromium by its driver, for scripts that read pages as people do: Scripts/check-docs, Scripts/check-view.

Needs Chromium and its driver: apt-get install chromium chromium-driver"""
import base64
import json
import os
import shutil
import signal
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.request

SECONDS = 60
# A picture of the screen, read by the browser itself.
COLORS = """
return new Promise(done => {
  const image = new Image();
  image.onload = () => {
    const pen = new OffscreenCanvas(image.width, image.height).getContext('2d', {willReadFrequently: true});
    pen.drawImage(image, 0, 0);
    done(BOXES.map(box => {
      const pixels = new Uint32Array(pen.getImageData(...box).data.buffer), counts = new Map();
      for (const pixel of pixels) counts.set(pixel, (counts.get(pixel) || 0) + 1);
      const [most] = [...counts].reduce((one, other) => one[1] >= other[1] ? one : other);
      return [counts.size, [most & 255, most >> 8 & 255, most >> 16 & 255]];
    }));
  };
  image.src = 'data:image/png;base64,' + PICTURE;
});
"""


class Browser:
    """One session of the driver, by its protocol: https://www.w3.org/TR/webdriver2/"""

    def __init__(self, address, logs=("browser",)):
        self.address, self.session = address, ""
        options = {"args": ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--window-size=1400,1000",
                            "--disable-background-networking", "--no-first-run"]}
        self.session = "/session/" + self.ask("POST", "/session", {"capabilities": {"alwaysMatch": {
            "browserName": "chrome", "goog:chromeOptions": options, "goog:loggingPrefs": {name: "ALL" for name in logs}}}})["sessionId"]

    def ask(self, method, path, body=None):
        request = urllib.request.Request(self.address + path, method=method, headers={"Content-Type": "application/json"},
                                         data=json.dumps(body or {}).encode() if method == "POST" else None)
        try:
            with urllib.request.urlopen(request, timeout=SECONDS) as answer:
                return json.load(answer)["value"]
        except urllib.error.HTTPError as error:
            raise RuntimeError(json.load(error)["value"]["message"]) from None

    def run(self, script):
        return self.ask("POST", self.session + "/execute/sync", {"script": script, "args": []})

    def wait(self, script, enough=bool):
        """What the script returns once it is enough; None if it never is."""
        end = time.monotonic() + SECONDS
        while time.monotonic() < end:
            if enough(answer := self.run(script)):
                return answer
            time.sleep(0.02)
        return None

    def open(self, url):
        self.ask("POST", self.session + "/url", {"url": url})

    def log(self, name):
        return self.ask("POST", self.session + "/se/log", {"type": name})

    def errors(self):
        return [entry["message"] for entry in self.log("browser") if entry["level"] == "SEVERE"]

    def requests(self):
        """The addresses that were asked for since the last call; the session logs "performance"."""
        messages = [json.loads(entry["message"])["message"] for entry in self.log("performance")]
        return [message["params"]["request"]["url"] for message in messages if message["method"] == "Network.requestWillBeSent"]

    def tools(self, command, **parameters):
        """One of the browser's own commands: https://chromedevtools.github.io/devtools-protocol/"""
        return self.ask("POST", self.session + "/goog/cdp/execute", {"cmd": command, "params": parameters})

    def type(self, selector, text):
        field = self.ask("POST", self.session + "/element", {"using": "css selector", "value": selector})
        self.ask("POST", f"{self.session}/element/{next(iter(field.values()))}/value", {"text": text})

    def act(self, kind, *actions, **parameters):
        """What a hand does: with a "pointer", a "wheel" or a "key"board."""
        source = {"type": kind, "id": kind, "actions": list(actions), **parameters}
        self.ask("POST", self.session + "/actions", {"actions": [source]})

    def click(self, x, y):
        move = {"type": "pointerMove", "x": int(x), "y": int(y)}
        self.act("pointer", move, {"type": "pointerDown", "button": 0}, {"type": "pointerUp", "button": 0})

    def press(self, *keys):
        self.act("key", *[{"type": kind, "value": key} for key in keys for kind in ("keyDown", "keyUp")])

    def picture(self, path):
        path.write_bytes(base64.b64decode(self.ask("GET", self.session + "/screenshot")))

    def colors(self, boxes):
        """Of each box of the screen, [left, top, width, height], how many colours it has, and the one it has most of."""
        return self.run(COLORS.replace("PICTURE", json.dumps(self.ask("GET", self.session + "/screenshot"))).replace("BOXES", json.dumps(boxes)))

    def close(self):
        self.ask("DELETE", self.session)


def driver(folder):
    """The driver, and where it listens."""
    process = subprocess.Popen(["chromedriver", "--port=0"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, cwd=folder,
                               start_new_session=True)
    signal.signal(signal.SIGTERM, lambda *_: (end(process), os._exit(128 + signal.SIGTERM)))
    for line in process.stdout:
        if "started successfully on port" in line:
            threading.Thread(target=process.stdout.read, daemon=True).start()
            return process, f"http://127.0.0.1:{line.strip().rstrip('.').rsplit(' ', 1)[1]}"
    sys.exit("chromedriver does not start")


def end(driver):
    """Ends the driver and its browsers, which are a group of processes."""
    os.killpg(driver.pid, signal.SIGTERM)
    driver.wait()


def needed(script):
    """Ends the script if there is no browser."""
    for tool, package in (("chromium", "chromium"), ("chromedriver", "chromium-driver")):
        if not shutil.which(tool):
            sys.exit(f"{script}: '{tool}' is missing: apt-get install {package}")
