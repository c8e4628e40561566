"""What a run compiles is announced, once."""

import os

from maxin.tournament.run import warm_up


def test_only_code_that_is_missing_or_old_is_compiled_and_announced(tmp_path, monkeypatch):
    monkeypatch.delenv("NUMBA_CACHE_DIR", raising=False)
    compiled, said = [], []
    monkeypatch.setattr(warm_up, "compile_all", lambda: compiled.append(True))
    source = tmp_path / "kernels.py"
    source.write_text("")
    warm_up.warm_up(said.append, str(source))
    assert said == [warm_up.COMPILING]
    index = tmp_path / "__pycache__" / f"kernels.{warm_up.LAST}-1.py311.nbi"
    index.parent.mkdir()
    index.write_text("")
    warm_up.warm_up(said.append, str(source))
    assert said == [warm_up.COMPILING]
    os.utime(source, (index.stat().st_mtime + 10,) * 2)  # changed after it was compiled
    warm_up.warm_up(said.append, str(source))
    assert said == [warm_up.COMPILING] * 2


def test_the_warm_up_compiles_without_an_error():
    warm_up.compile_all()
