"""Wheels of the package, and environments to install them into."""

import os
import subprocess
import sys
import sysconfig
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SHARE = f"import sys; sys.path.append({sysconfig.get_path('purelib')!r})\n"


def run(*command, **variables):
    """The output of a command that must succeed, run in the root of the repository."""
    done = subprocess.run(
        [str(word) for word in command],
        cwd=ROOT,
        env=os.environ | variables,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def build_wheel(tree, folder, **settings):
    """The wheel of a tree, built by this environment with settings of scikit-build-core."""
    given = [f"--config-settings={name}={value}" for name, value in settings.items()]
    pip = [sys.executable, "-m", "pip", "wheel", "--no-deps", "--no-build-isolation"]
    run(*pip, "--wheel-dir", folder, *given, tree)
    (wheel,) = Path(folder).glob("*.whl")
    return wheel


def own_wheel(folder):
    """The wheel of this tree, from the objects that `scripts/setup` has compiled."""
    return build_wheel(ROOT, folder, **{"build-dir": str(ROOT / "build")})


class Environment:
    """A new environment, in which no program but Python is on the PATH."""

    def __init__(self, folder, python=sys.executable):
        run(python, "-m", "venv", "--without-pip", folder)
        self.python = Path(folder) / "bin" / "python"

    def install(self, wheel, *options):
        """Install a wheel; in place of an older one, if there is one."""
        pip = [sys.executable, "-m", "pip", "--python", self.python, "install", "--no-compile"]
        run(*pip, *options, "--only-binary=:all:", wheel, PATH=str(self.python.parent))

    def start(self, program, *words):
        """Start a program of the environment in the current folder; its output can be read."""
        return subprocess.Popen(
            [str(word) for word in (self.python.parent / program, *words)],
            env={**os.environ, "PATH": str(self.python.parent)},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )

    def script(self, program, *words):
        """Run a program of the environment in the current folder; it must succeed."""
        with self.start(program, *words) as process:
            output, _ = process.communicate()
        assert process.returncode == 0, output

    def run(self, code, is_sharing=False):
        """The output of some code; it may share the other packages of our own environment."""
        code = SHARE + code if is_sharing else code
        return run(self.python, "-I", "-c", code, PATH=str(self.python.parent)).strip()
