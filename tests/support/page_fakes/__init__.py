"""A hub without sensors, rules or journal, and recorded view models, for tests of the pages."""
