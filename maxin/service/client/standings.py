"""Standings as a service describes them, read back into our views."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from maxin.core import InvalidInput
from maxin.views import Leaderboard, Slices, Standing, Top
from maxin.views.fits import POSTERIOR
from maxin.views.recorded.controls import ControlEffect
from maxin.views.recorded.judges import Judging
from maxin.views.scale import Anchor
from maxin.views.slices import Slice
from maxin.views.standings import Advantage


def leaderboard_of(document: Mapping[str, Any]) -> Leaderboard:
    """The leaderboard that `Overview.document` describes.

    >>> row = dict(rank=1, player="anna", rating=9.5, low=0.0, high=19.0, p_best=0.6, matches=1)
    >>> row |= dict(score=1.0, wins=1, draws=0, losses=0, state="active", los=None)
    >>> leaderboard_of({"standings": [row], "advantage": None, "fading": ""})[0].rating
    9.5
    """
    anchor, advantage = document.get("anchor"), document["advantage"]
    judging = document.get("judging")
    return Leaderboard(
        [Standing(**_known(Standing, row)) for row in document["standings"]],
        None if advantage is None else Advantage(**_known(Advantage, advantage)),
        None if not anchor else Anchor(**_known(Anchor, anchor)),
        has_los=document.get("has_los", False),
        fading=document.get("fading", ""),
        rated_by=document.get("rated_by", POSTERIOR),
        judging=None if not judging else Judging(**_known(Judging, judging)),
        controls=[
            ControlEffect(**_known(ControlEffect, row)) for row in document.get("controls", ())
        ],
    )


def slices_of(document: Mapping[str, Any], overall: Leaderboard) -> Slices:
    """The slices that `Slices.document` describes; `overall` is the leaderboard of all results.

    >>> spread = {"rating": 80.0, "low": 30.0, "high": 140.0}
    >>> found = slices_of({"by": "kind", "n_missing": 3, "spread": spread, "slices": []}, [])
    >>> found.spread, found.n_missing
    (80.0, 3)
    """
    parts = [
        Slice(
            part["slice"],
            part["n_matches"],
            overall.with_rows([Standing(**_known(Standing, row)) for row in part["standings"]]),
            tuple(part["candidates"]),
        )
        for part in document["slices"]
    ]
    spread = document["spread"]
    interval, n_missing = (spread["low"], spread["high"]), document["n_missing"]
    return Slices(document["by"], parts, overall, spread["rating"], interval, n_missing)


def _known(
    kind: type[Anchor | Standing | Advantage | Top | Judging | ControlEffect],
    found: Mapping[str, Any],
) -> dict[str, Any]:
    """The fields of a record; a newer service may send others, which we do not know."""
    return {key: found[key] for key in kind._fields if key in found}


def top_of(document: Mapping[str, Any]) -> Top:
    """The top that `Overview.document` describes.

    >>> top = dict(players=["anna"], confidence=0.6, candidates=["anna", "bo"], is_decided=False)
    >>> top_of({"top": {**top, "n_left": 12}}).n_left
    12
    """
    found = document["top"]
    if found is None:
        raise InvalidInput("nobody leads yet: no match has a result")
    players, candidates = tuple(found["players"]), tuple(found["candidates"])
    return Top(**{**_known(Top, found), "players": players, "candidates": candidates})
