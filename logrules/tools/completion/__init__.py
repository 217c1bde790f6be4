"""`logrules completion`: what shells complete."""
