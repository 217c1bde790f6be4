"""A first draft of a rule from a line of a log: its author has to say what it means, not how to recognise it."""
