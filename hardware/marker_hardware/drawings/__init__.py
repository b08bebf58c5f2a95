"""Pictures of the guides, computed from the data files: the same input gives the same bytes."""
