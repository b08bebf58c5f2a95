"""The nine checks of the hardware folder: each reads a tree of files and returns what is wrong with it."""
