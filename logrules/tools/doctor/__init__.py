"""`logrules doctor`: whether this machine is fit for a run."""
