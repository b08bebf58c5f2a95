"""From the records of the node to the evidence of a shot: gaps, order, cross-talk, health, layout. Pure values only."""
