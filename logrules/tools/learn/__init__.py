"""`logrules learn`: drafts of rules for failures that nothing explains."""
