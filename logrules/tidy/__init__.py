"""Rule files written in one way: keys in a fixed order, two blanks a level, comments kept."""
