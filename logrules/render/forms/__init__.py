"""Other forms of a report: to paste into an issue, for code hosts, CI servers and trace viewers."""
