"""`logrules bundle`: what a bug report needs, without secrets."""
