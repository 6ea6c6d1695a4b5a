"""The web application: from files to a table (web/embed.mjs), and from the table to a browser."""

import gzip
import http.client
import json
import os
import random
import re
import shutil
import subprocess
import tempfile
import unittest

from harness import PATIENCE, ROOT, Case, main

EMBED = os.path.join(ROOT, "web", "embed.mjs")


class Serving(Case):
    def fetch(self, path, **headers):
        connection = http.client.HTTPConnection("127.0.0.1", self.server.port, timeout=PATIENCE)
        self.addCleanup(connection.close)
        connection.request("GET", path, headers={name.replace("_", "-"): value for name, value in headers.items()})
        response = connection.getresponse()
        return response.status, response.headers, response.read()

    def test_a_browser_is_led_to_it(self):
        status, headers, _ = self.fetch("/", Accept="text/html,*/*;q=0.8")
        self.assertEqual((status, headers["Location"]), (302, "/ui/"))
        status, headers, _ = self.fetch("/ui")
        self.assertEqual((status, headers["Location"]), (308, "/ui/"))
        self.assertEqual(self.get("/").status, 404)

    def test_pages_are_guarded(self):
        for path in ("/ui/", "/ui/runs/1", "/ui/assets/gone-00000000.js"):
            _, headers, _ = self.fetch(path)
            self.assertIn("default-src 'none'; script-src 'self'", headers["Content-Security-Policy"])
            self.assertEqual(headers["X-Content-Type-Options"], "nosniff")
            self.assertEqual(headers["Referrer-Policy"], "no-referrer")
            self.assertEqual(headers["Cross-Origin-Opener-Policy"], "same-origin")

    def test_the_page_or_why_there_is_none(self):
        answer = self.get("/ui/")
        page = answer.body.decode()
        if answer.status == 404:
            self.assertIn("built without the web application", page)
            self.assertEqual(self.fetch("/ui/runs")[2], answer.body)
            return
        self.assertEqual((answer.status, answer.headers["Cache-Control"]), (200, "no-cache"))
        self.assertEqual(self.fetch("/ui/runs/17", Accept="text/html")[2], answer.body)
        self.assertEqual(self.fetch("/ui/", If_None_Match=answer.headers["ETag"])[0], 304)
        self.assertNotRegex(page, r"<script(?![^>]*\ssrc=)|<style|\sstyle=|\son\w+=")
        files = re.findall(r'(?:src|href)="(/ui/[^"]+)"', page)
        self.assertTrue(any("/assets/" in file for file in files), page)
        for file in files:
            status, headers, plain = self.fetch(file)
            self.assertEqual((status, headers["Vary"]), (200, "Accept-Encoding"), file)
            self.assertEqual("immutable" in headers["Cache-Control"], "/assets/" in file)
            _, headers, packed = self.fetch(file, Accept_Encoding="gzip")
            if headers["Content-Encoding"]:
                self.assertEqual(gzip.decompress(packed), plain, file)

    def test_a_lost_file_is_not_found(self):
        self.assertEqual(self.fetch("/ui/assets/gone-00000000.js", Accept="*/*")[0], 404)


@unittest.skipUnless(shutil.which("node"), "node is not here")
class Embedding(unittest.TestCase):
    """web/embed.mjs with a small application."""

    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="pawl-ui-")
        self.addCleanup(shutil.rmtree, self.folder)
        self.dist = os.path.join(self.folder, "dist")
        self.write("index.html", "<!doctype html>" + " " * 300)
        self.write("assets/app-a1b2c3d4.js", "let x = 1;\n" * 200)
        self.write("assets/app-a1b2c3d4.js.map", "{}")
        self.write("assets/home-a1b2c3d4.js", "home()")
        self.write("assets/builder-a1b2c3d4.js", "builder()")
        self.write("assets/text-a1b2c3d4.js", "text()")
        self.manifest = {
            "index.html": {"file": "assets/app-a1b2c3d4.js", "isEntry": True,
                           "dynamicImports": ["src/pages/home/home.tsx", "src/pages/builder/builder.tsx"]},
            "src/pages/home/home.tsx": {"name": "home-page", "file": "assets/home-a1b2c3d4.js", "imports": ["index.html"]},
            "src/pages/builder/builder.tsx": {"name": "builder-page", "file": "assets/builder-a1b2c3d4.js",
                                              "imports": ["index.html"], "dynamicImports": ["src/pages/builder/text.tsx"]},
            "src/pages/builder/text.tsx": {"file": "assets/text-a1b2c3d4.js"},
        }

    def write(self, name, text):
        path = os.path.join(self.dist, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "wb") as file:
            file.write(text if isinstance(text, bytes) else text.encode())

    def embed(self, out="out"):
        self.write(".vite/manifest.json", json.dumps(self.manifest))
        return subprocess.run(["node", EMBED, self.dist, os.path.join(self.folder, out)], capture_output=True,
                              text=True, timeout=PATIENCE, check=False)

    def read(self, name):
        with open(os.path.join(self.folder, name), encoding="utf-8") as file:
            return file.read()

    def refused(self):
        done = self.embed()
        self.assertNotEqual(done.returncode, 0)
        return done.stderr

    def test_the_table_is_sorted_and_compiles(self):
        self.assertEqual(self.embed().returncode, 0)
        table = self.read("out/assets.c")
        paths = re.findall(r'\.path = STR_INIT\("([^"]+)"\)', table)
        self.assertEqual(paths, ["assets/app-a1b2c3d4.js", "assets/builder-a1b2c3d4.js", "assets/home-a1b2c3d4.js",
                                 "assets/text-a1b2c3d4.js", "index.html"])
        self.assertEqual(re.findall(r"\.immutable = (\w+)", table), ["true"] * 4 + ["false"])
        self.assertEqual([".br = " in row for row in table.split(".path = ")[1:]], [True, False, False, False, True])
        with open(os.path.join(self.folder, "out", "0.gzip"), "rb") as file:
            self.assertEqual(gzip.decompress(file.read()), b"let x = 1;\n" * 200)
        for name in ("assets.c", "bytes.s"):
            subprocess.run(["gcc", "-Wall", "-Werror", "-I", os.path.join(ROOT, "src"), "-c", name, "-o", name + ".o"],
                           cwd=os.path.join(self.folder, "out"), check=True)

    def test_the_same_files_give_the_same_bytes(self):
        outputs = []
        for _ in range(2):
            self.assertEqual(self.embed().returncode, 0)
            folder = os.path.join(self.folder, "out")
            files = {name: open(os.path.join(folder, name), "rb").read() for name in sorted(os.listdir(folder))}
            outputs.append(files)
        self.assertEqual(outputs[0], outputs[1])

    def test_budgets(self):
        def noise(count):
            return random.Random(7).randbytes(count)
        self.write("assets/text-a1b2c3d4.js", noise(301_000))  # Loaded later, so it is in no budget.
        self.write("assets/home-a1b2c3d4.js", noise(134_000))
        self.assertEqual(self.embed().returncode, 0)
        self.write("assets/home-a1b2c3d4.js", noise(135_000))
        self.assertIn("shell and home has 135", self.refused())
        self.write("assets/home-a1b2c3d4.js", "home()")
        self.write("assets/builder-a1b2c3d4.js", noise(300_000))
        self.assertIn("builder has 300", self.refused())
        self.manifest["index.html"]["css"] = ["assets/lost-a1b2c3d4.css"]
        self.assertIn("assets/lost-a1b2c3d4.css is not in", self.refused())

    def test_what_it_cannot_embed_is_said(self):
        self.write("file.exe", "x")
        self.assertIn('no media type for ".exe"', self.refused())
        os.remove(os.path.join(self.dist, "file.exe"))
        self.write('a"b.js', "x")
        self.assertIn("may be in a name", self.refused())
        os.remove(os.path.join(self.dist, 'a"b.js'))
        os.remove(os.path.join(self.dist, "index.html"))
        self.assertIn("has no index.html", self.refused())


if __name__ == "__main__":
    main()
