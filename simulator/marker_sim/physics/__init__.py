"""The table in software: event-driven motion of balls and pins with exact event times. Standard library only.

SI units: metres, seconds, kilograms, radians. Frame of the table files: origin at the bed centre, +x from the top or head
rail to the opposite one, +y to the left of someone looking along +x.
"""
