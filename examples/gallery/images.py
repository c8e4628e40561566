"""The best-looking of 40 image encoder settings, at one file size.

A match shows both players a piece of a photograph. Each makes the best file of at most 2,000 bytes,
and the one that stays closer to the piece wins, by structural similarity (SSIM). A measure is not
an eye, so the script then prepares a vote on the best four: `maxin serve votes.db`.

Run `python examples/gallery/images.py`. It needs Pillow, SciPy, scikit-learn and matplotlib.
"""

import io
import subprocess
import sys
from bisect import bisect
from pathlib import Path

import numpy as np
from matplotlib.cbook import get_sample_data
from PIL import Image
from scipy.ndimage import gaussian_filter
from sklearn.datasets import load_sample_images

import maxin

BYTES, SIDE = 2000, 128  # of a file; pixels of a piece
KINDS = {"jp2": ("JPEG2000", {"quality_mode": "rates", "irreversible": True})}
KINDS |= {f"webp-method{m}": ("WEBP", {"method": m}) for m in (0, 2, 4, 6)}
for chroma in ("4:4:4", "4:2:2", "4:2:0"):
    name, same = chroma.replace(":", ""), {"subsampling": chroma}
    KINDS |= {f"avif-{name}-speed{s}": ("AVIF", same | {"speed": s}) for s in (8, 9, 10)}
    KINDS |= {f"jpeg-{name}-{x}": ("JPEG", same | {x: True}) for x in ("optimize", "progressive")}
PLAYERS = [f"{kind}{scale}" for kind in KINDS for scale in ("", "-small")]  # small: 3/4 as wide
PHOTOGRAPHS = [*map(Image.fromarray, load_sample_images().images)]
PHOTOGRAPHS.append(Image.open(get_sample_data("grace_hopper.jpg")))


def piece(seed):
    photograph = PHOTOGRAPHS[seed % len(PHOTOGRAPHS)]
    x, y = np.random.default_rng(seed).integers(np.subtract(photograph.size, SIDE)).tolist()
    return photograph.crop((x, y, x + SIDE, y + SIDE))


def encoded(image, player):
    kind, options = KINDS[player.removesuffix("-small")]
    scaled = image.resize((SIDE * 3 // 4,) * 2) if player.endswith("-small") else image

    def file(quality):
        rate = {"quality": quality, "quality_layers": [2000 / quality]}  # JPEG 2000 has layers
        scaled.save(made := io.BytesIO(), kind, **options, **rate)
        return made

    n_fitting = bisect(range(1, 96), BYTES, key=lambda quality: len(file(quality).getvalue()))
    return Image.open(file(max(1, n_fitting))).convert("RGB").resize(image.size)


def similarity(image, other, found=0.0):
    x, y = (np.asarray(one.convert("YCbCr"), dtype=float) for one in (image, other))
    for blur in (1.5, 3.0, 6.0):
        a, b, aa, bb, ab = (gaussian_filter(z, (blur, blur, 0)) for z in (x, y, x**2, y**2, x * y))
        level = (2 * a * b + 6.5) / (a * a + b * b + 6.5)
        found += level * (2 * (ab - a * b) + 58.5) / (aa - a * a + bb - b * b + 58.5)
    return found.mean((0, 1)) @ (0.8, 0.1, 0.1)  # brightness, and two colours


def compare(first, second, seed):
    one, two = (similarity(piece(seed), encoded(piece(seed), name)) for name in (first, second))
    return (1.0 + np.sign(one - two)) / 2.0


if __name__ == "__main__":
    most = int(sys.argv[1]) if sys.argv[1:] else None
    tournament = maxin.Tournament(PLAYERS, "sqlite:///images.db", seed=1)
    print(report := tournament.run(compare, budget=most, workers=2, tolerance=50))
    best = maxin.Tournament([row.player for row in report.leaderboard[:4]], "votes.db")
    for seed in range(6):
        (folder := Path("votes", f"{seed}")).mkdir(parents=True)
        Path(folder, "prompt.txt").write_text("Which picture looks better?")
        for name in best.names:
            encoded(piece(seed), name).save(folder / f"{name}.png")
    subprocess.check_call([sys.executable, "-m", "maxin", "items", "votes", "--store", "votes.db"])
