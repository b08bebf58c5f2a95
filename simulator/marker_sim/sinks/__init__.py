"""Where the simulator sends what it made: a virtual board, MQTT, a file."""
