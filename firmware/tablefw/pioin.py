"""Two chained 74HC165 read by a PIO state machine at 2 kHz; a word comes out only when it differs from the one before.

Side-set: bit 0 = SR_CLK, bit 1 = SR_LOAD_N (the next GPIO). The first bit shifted out ends in bit 0, and the word stays below 2^16,
so that taking it in an interrupt never builds a large integer.
"""

import rp2
from machine import Pin

from tablefw import board_pins as B

CYCLES = 38  # of one scan without change


@rp2.asm_pio(
    sideset_init=(rp2.PIO.OUT_LOW, rp2.PIO.OUT_HIGH),
    in_shiftdir=rp2.PIO.SHIFT_RIGHT,
    fifo_join=rp2.PIO.JOIN_RX,
)
def chain():
    """Load, shift 16 bits in, compare, push and interrupt when changed."""
    label("new")  # noqa: F821
    mov(y, x).side(2)  # noqa: F821
    push(noblock).side(2)  # noqa: F821
    irq(rel(0)).side(2)  # noqa: F821
    wrap_target()  # noqa: F821
    set(x, 15).side(0)  # noqa: F821
    mov(isr, null).side(2)  # noqa: F821
    label("bit")  # noqa: F821
    in_(pins, 1).side(2)  # noqa: F821
    jmp(x_dec, "bit").side(3)  # noqa: F821
    in_(null, 16).side(2)  # noqa: F821
    mov(x, isr).side(2)  # noqa: F821
    jmp(x_not_y, "new").side(2)  # noqa: F821
    wrap()  # noqa: F821


def start():
    """The running state machine, its FIFO holding the words of the start."""
    sm = rp2.StateMachine(
        0,
        chain,
        freq=B.SHIFT_POLL_HZ * CYCLES,
        in_base=Pin(B.SR_DATA, Pin.IN),
        sideset_base=Pin(B.SR_CLK),
    )
    sm.active(1)
    return sm
