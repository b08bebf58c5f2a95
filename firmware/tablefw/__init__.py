"""Firmware of the table node: reads sensors, reports evidence with its uncertainty, never adjudicates."""

VERSION = "0.1.0"
