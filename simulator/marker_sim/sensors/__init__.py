"""From a timeline to what the node's inputs do: one module per kind of sensor, composed in `table`."""
