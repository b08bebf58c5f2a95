# Freeze list for a MicroPython build of one's own: the package in ROM costs no heap. boot.py and main.py stay files.
package("tablefw", base_path=".", opt=2)  # noqa: F821 - a name of MicroPython's build
