"""`logrules watch` telling others of a job: by commands of the user's, and at a web address."""
