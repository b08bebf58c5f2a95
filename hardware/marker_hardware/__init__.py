"""Typed access to the hardware data: pin map, sensors, calibration, tables and the wire contract."""
