"""The broker: an external one, a spawned mosquitto, or the embedded one in a child process. Chosen, adopted, supervised.

Correctness never rests on it: identity is (node, boot, seq), the journal's unique index decides, retained topics are
published again after every reconnect. So losing its store costs nothing but a few resent messages.
"""

from marker_hub.broker.manager import BrokerError, ManagedBroker, Notice, choose, external

__all__ = ["BrokerError", "ManagedBroker", "Notice", "choose", "external"]
