"""The node as the journal shows it: identity, boot, what arrived of its stream, the health of its channels."""

from __future__ import annotations

import msgspec

from marker_hardware.codes import Quality
from marker_hub.clocks import Pair
from marker_hub.entries import Birth, Entry, Head, Health

KEEP_BOOTS = 3
KEEP_MISSING = 64


class Track(msgspec.Struct, frozen=True):
    """What arrived of one boot: every sequence number below `next` is here or given up; `head` is known to exist.

    ahead: ranges (both ends included, in order, apart) that came early. Ranges, because a node may name any head at all:
    the work is by the number of holes, never by their length.
    """

    boot: int
    next: int
    ahead: tuple[tuple[int, int], ...] = ()
    head: int = 0

    @property
    def complete(self) -> bool:
        """True when nothing below the known head is outstanding."""
        return not self.ahead and self.next >= self.head

    @property
    def end(self) -> int:
        """The number after the last one that is here or known to exist."""
        return max(self.next, self.head, self.ahead[-1][1] + 1 if self.ahead else 0)

    def seen(self, seq: int) -> bool:
        """True when this number has been counted already."""
        return seq < self.next or any(first <= seq <= last for first, last in self.ahead)

    def take(self, seq: int) -> Track:
        """With `seq` arrived."""
        if seq == self.next and not self.ahead:
            return Track(self.boot, seq + 1, (), self.head)
        return self.take_range(seq, seq)

    def take_range(self, first: int, last: int) -> Track:
        """With first..last arrived or given up."""
        upto, ahead = self.next, list[tuple[int, int]]()
        for low, high in sorted([*self.ahead, (first, last)]):
            if low <= upto:
                upto = max(upto, high + 1)
            elif ahead and low <= ahead[-1][1] + 1:
                ahead[-1] = (ahead[-1][0], max(ahead[-1][1], high))
            else:
                ahead.append((low, high))
        return Track(self.boot, upto, tuple(ahead), self.head)

    def know(self, head: int) -> Track:
        """With the node's head known (the next number it will give)."""
        return Track(self.boot, self.next, self.ahead, max(self.head, head))

    def holes(self) -> tuple[tuple[int, int], ...]:
        """Ranges (both ends included) that must exist and have not arrived."""
        at, found = self.next, list[tuple[int, int]]()
        for first, last in (*self.ahead, (self.end, self.end)):
            if first > at:
                found.append((at, first - 1))
            at = last + 1
        return tuple(found)


class Link(msgspec.Struct, frozen=True):
    """State of the node of one table. `online` None: no node has ever been heard.

    told_n: the newest entry of the table after which a command went out that the node has acknowledged, so that the
    position it gave then is not older than that entry; 0 while it never acknowledged one.
    """

    online: bool | None = None
    node: int | None = None
    uid: str = ""
    boot: int = -1
    mode: int = 0
    tracks: tuple[Track, ...] = ()
    missing: tuple[tuple[int, int, int], ...] = ()
    quality: dict[int, int] = {}
    unc_us: dict[int, int] = {}
    pairs: tuple[Pair, ...] = ()
    told_n: int = 0
    replaced: bool = False
    flags: tuple[str, ...] = ()

    def track(self, boot: int) -> Track | None:
        """The stream of a boot, if it is remembered."""
        for track in self.tracks:
            if track.boot == boot:
                return track
        return None

    @property
    def current(self) -> Track | None:
        """The stream of the present boot."""
        return self.track(self.boot)

    @property
    def behind(self) -> bool:
        """True while records of the present boot are known to be outstanding."""
        track = self.current
        return track is not None and not track.complete

    def holes(self) -> tuple[tuple[int, int, int], ...]:
        """Outstanding ranges (boot, first, last), for replay requests."""
        return tuple((track.boot, first, last) for track in self.tracks for first, last in track.holes())

    def with_track(self, track: Track) -> Link:
        """With a stream replaced or added; old boots are forgotten."""
        if len(self.tracks) == 1 and self.tracks[0].boot == track.boot:
            return msgspec.structs.replace(self, tracks=(track,))
        others = tuple(old for old in self.tracks if old.boot != track.boot)
        return msgspec.structs.replace(self, tracks=(*others, track)[-KEEP_BOOTS:])


def born(link: Link, body: Birth, entry: Entry) -> Link:
    """After a birth: a snapshot of health and stream position; it never makes a fact."""
    track = link.track(body.boot)
    start = body.tail if track is None else track.next
    track = (track or Track(body.boot, start)).know(body.head)
    made = link.with_track(track)
    return msgspec.structs.replace(
        made,
        online=True,
        node=entry.node if entry.node is not None else link.node,
        uid=body.uid or link.uid,
        boot=body.boot,
        mode=body.mode,
        quality=dict(body.channels),
        unc_us=dict(body.unc_us) or link.unc_us,
        replaced=bool(link.uid and body.uid and body.uid != link.uid),
        pairs=link.pairs if body.boot == link.boot else (),
        told_n=link.told_n if body.boot == link.boot else 0,
    )


def health(link: Link, body: Health) -> Link:
    """After a health report."""
    made = _headed(link, body.boot, body.head)
    if body.boot != made.boot:
        return made
    return msgspec.structs.replace(made, quality={**made.quality, **body.channels}, flags=body.flags)


def acked(link: Link, body: Head, told_n: int) -> Link:
    """After a command was acknowledged that was given after entry `told_n` of the table (0: not one of the table's own)."""
    made = _headed(link, body.boot, body.head)
    if body.boot != made.boot:
        return made
    return msgspec.structs.replace(made, told_n=max(made.told_n, told_n))


def _headed(link: Link, boot: int, head: int) -> Link:
    track = link.track(boot)
    if track is None:
        if boot < link.boot:
            return link
        track = Track(boot, head)
    made = link.with_track(track.know(head))
    if boot == link.boot or link.boot < 0:
        made = msgspec.structs.replace(made, boot=boot, online=True)
    return made


def arrived(link: Link, boot: int, seq: int) -> tuple[Link, bool]:
    """After a record; False when it had been counted before."""
    track = link.track(boot)
    if track is None:
        track = Track(boot, seq)
    elif track.seen(seq):
        return link, False
    made = link.with_track(track.take(seq))
    if boot > link.boot:
        made = msgspec.structs.replace(made, boot=boot)
    if link.online is None:
        made = msgspec.structs.replace(made, online=True)
    return made, True


def given_up(link: Link, boot: int, first: int, last: int) -> Link:
    """After a range was declared lost; what of it had arrived stays."""
    track = link.track(boot)
    if track is None:
        track = Track(boot, last + 1)
    made = link.with_track(track.take_range(first, last))
    return msgspec.structs.replace(made, missing=(*link.missing, (boot, first, last))[-KEEP_MISSING:])


def worst(old: int, new: int) -> int:
    """The worse of two quality codes; any fault outweighs `ok`, the later fault names it."""
    return new if new != Quality.OK else old
