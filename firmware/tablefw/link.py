"""Wi-Fi: joins, judges by what MQTT says (the radio's own word is not reliable), switches the radio off and on after failures."""

import asyncio

from tablefw import hal
from tablefw.log import log

JOIN_S = 15


class Link:
    """`ready` returns when the radio says it is joined; raises OSError when it does not within 15 s."""

    def __init__(self, config):
        self.config = config
        self.started = False
        self.cycles = 0

    async def ready(self, cycle=False):
        """Join if needed; `cycle` switches the radio off first."""
        if cycle and self.started:
            self.cycles += 1
            log("wifi: off and on")
            hal.wifi.down()
            self.started = False
            await asyncio.sleep(0.5)
        if not self.started:
            hal.wifi.up(self.config.get("ssid", ""), self.config.get("psk", ""))
            self.started = True
        for _ in range(JOIN_S * 10):
            if hal.wifi.status():
                return
            await asyncio.sleep(0.1)
        self.started = False
        raise OSError("wifi: not joined in %d s" % JOIN_S)
