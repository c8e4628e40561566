"""The stored tournament of `tests.helpers.stored`, for the commands that read one."""

from tests.helpers.stored import filled, store

__all__ = ["filled", "store"]
