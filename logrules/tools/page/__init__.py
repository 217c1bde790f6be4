"""A report as a page: verdict, timeline, ranks, metrics and the log itself, in one file."""
