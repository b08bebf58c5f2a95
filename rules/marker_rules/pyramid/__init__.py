"""Russian pyramid: free (Amerikanka), dynamic (Nevskaya) and combined (Moskovskaya), by the general rules."""
