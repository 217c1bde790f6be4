"""`logrules new`: the draft of a rule from lines of a log."""
