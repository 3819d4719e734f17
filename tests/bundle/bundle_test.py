import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))

import bundle  # noqa: E402
from checkout import Failure  # noqa: E402

PROGRAM = shutil.which("tar")  # one that is linked with more than the system's libraries


class Bundle(unittest.TestCase):
    """A repository with what bundles take from it, and a build of it."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="lectern test ")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name).resolve()
        self.root, self.out, self.manifest = (self.folder / name for name in ("root", "made/bundle", "manifest"))
        for file in (
            "lectures/figures/one/a.svg",
            "tests/ops/goldens/numbers.json",
            "tests/bundle/run",
            "LICENSE",
            "tests/bundle/lists/sanitizer",
            "tests/bundle/lists/profile",
            "tests/checkpoint/safetensors.py",
            "tests/checkout.py",
            *(f"tests/bench/{name}.py" for name in ("bench", "cpu", "gpu", "table", "torch_bench")),
        ):
            self.write(self.root / file, file)
        self.write(self.folder / "data/text.txt", "text")
        lines = []
        for kind, name in (("test", "test_gpu"), ("lecture", "lecture-one"), ("program", "lectern")):
            built = self.folder / "built" / name
            built.parent.mkdir(exist_ok=True)
            shutil.copy2(PROGRAM, built)
            lines.append(f"{kind} {built}\n")
        self.write(self.manifest, "".join(lines) + f"texts {self.folder / 'data'}\narchitectures 90\n")

    def write(self, path, text=""):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    def make(self, about, add=bundle.add_programs):
        bundle.write_bundle(self.root, about, self.out, lambda folder: add(self.root, self.manifest, folder))

    def unpacked(self):
        files = self.folder / "unpacked"
        files.mkdir()
        subprocess.run(["tar", "-xzf", self.out / "files.tar.gz", "-C", files], check=True)
        return files

    def assert_has(self, folder, *files):
        for file in files:
            self.assertTrue((folder / file).is_file(), file)

    def test_libraries_are_those_that_a_system_may_lack(self):
        libraries = bundle.libraries_of([PROGRAM])
        self.assertTrue(libraries and all(pathlib.Path(path).exists() for path in libraries.values()))
        for name in libraries:
            self.assertFalse(name.startswith(("libc.so", "libm.so", "libstdc++.so", "ld-linux")), name)

    def test_has_all_that_another_machine_needs(self):
        self.make("abc1234\n")
        self.assert_has(self.out, "run", "LICENSE", "commit", "files.tar.gz")
        self.assertEqual(len(list(self.out.iterdir())), 4)
        self.assertEqual((self.out / "commit").read_text(), "abc1234\n")
        self.assertFalse((self.out.parent / "bundle.partial").exists())
        files = self.unpacked()
        programs = ("bin/test_gpu", "bin/lecture-one", "bin/lectern", "tests/checkout.py", "tests/bench/bench.py")
        texts = ("lectures/figures/one/a.svg", "tests/ops/goldens/numbers.json", "data/text.txt")
        self.assert_has(files, "commit", *programs, *texts, "tests/bench/torch_bench.py", "lists/sanitizer", "lists/profile")
        libraries = list((files / "lib").iterdir())
        self.assertTrue(libraries and not any(library.is_symlink() for library in libraries))
        self.assertEqual((files / "lists/tests").read_text(), "test_gpu\n")
        self.assertEqual((files / "lists/lectures").read_text(), "lecture-one\n")

    def test_takes_the_place_of_an_earlier_one_but_its_results(self):
        self.make("abc1234\n")
        self.write(self.out / "unpacked/stale")
        self.write(self.out / "results/2026-01-31-gpu/summary.txt", "measured")
        self.make("def5678\n")
        self.assertEqual((self.out / "commit").read_text(), "def5678\n")
        self.assertEqual((self.out / "results/2026-01-31-gpu/summary.txt").read_text(), "measured")
        self.assertFalse((self.out / "unpacked").exists())

    def test_takes_up_where_a_killed_one_left_off(self):
        self.write(self.out / "results/2026-01-31-gpu/summary.txt", "measured")
        self.write(self.out.parent / "bundle.partial/run", "half of it is moved")
        self.make("abc1234\n")
        self.assertEqual((self.out / "commit").read_text(), "abc1234\n")
        self.assertEqual((self.out / "results/2026-01-31-gpu/summary.txt").read_text(), "measured")
        self.assertFalse((self.out.parent / "bundle.partial").exists())

    def test_replaces_nothing_else(self):
        self.write(self.out / "precious")
        with self.assertRaises(Failure):
            self.make("abc1234\n")
        self.assertTrue((self.out / "precious").exists())

    def test_of_sources_has_what_they_are_built_with(self):
        for file in ("engine/one.cpp", "engine/not committed.cpp", "kernels/gone.cu", "site/page.html", "engine/built.o"):
            self.write(self.root / file, file)
        self.write(self.root / ".gitignore", "*.o\n")
        for command in (["init", "-q"], ["add", "engine/one.cpp", "kernels"], ["rm", "-q", "-f", "kernels/gone.cu"]):
            subprocess.run(["git", "-C", self.root, *command], check=True)
        include, library = self.folder / "usr/include", self.folder / "usr/lib/libone.so.1"
        self.write(include / "one.h", "header")
        library.parent.mkdir()
        shutil.copy2(PROGRAM, library)
        self.write(self.manifest, f"found ONE_DIR {include}\nfile {include}\nfile {library}\n")
        self.make("abc1234\n", bundle.add_sources)
        files = self.unpacked()
        dependencies, inside = files / "dependencies", str(include).lstrip("/")
        self.assertEqual((dependencies / inside / "one.h").read_text(), "header")
        self.assertEqual(
            (dependencies / "found.cmake").read_text(),
            f'set(ONE_DIR "${{CMAKE_CURRENT_LIST_DIR}}/{inside}" CACHE PATH "Of the bundle")\n'
            'set(CMAKE_BUILD_RPATH "${CMAKE_CURRENT_LIST_DIR}/../lib" CACHE PATH "Of the bundle")\n',
        )
        self.assert_has(files, "source/engine/one.cpp", "source/engine/not committed.cpp", "tests/bench/bench.py")
        self.assertTrue((files / "lib/libone.so.1").samefile(dependencies / str(library).lstrip("/")))
        for other in ("source/kernels/gone.cu", "source/engine/built.o", "source/site", "lists/tests"):
            self.assertFalse((files / other).exists(), other)
        shutil.rmtree(self.root / ".git")
        with self.assertRaises(Failure):
            self.make("abc1234\n", bundle.add_sources)

    def test_of_sources_needs_all_of_it(self):
        for line in ("file one.h", "file /not/there", "found ONE_DIR ONE-NOTFOUND"):
            self.write(self.manifest, line + "\n")
            with self.assertRaises(Failure, msg=line):
                self.make("abc1234\n", bundle.add_sources)


if __name__ == "__main__":
    unittest.main()
