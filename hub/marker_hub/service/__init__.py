"""The one place with a loop: wiring, timers, reconciler, the pages' port, stop order."""

from marker_hub.service.hub import Hub, HubOptions
from marker_hub.service.server import serve

__all__ = ["Hub", "HubOptions", "serve"]
