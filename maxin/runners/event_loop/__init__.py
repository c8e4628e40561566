"""Play matches by awaiting coroutines on one event loop, within the limits of a service."""
