"""Settings of every test: property tests are limited by their number of examples, never by the speed of the machine."""

from hypothesis import HealthCheck, settings

settings.register_profile("marker", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("marker")
