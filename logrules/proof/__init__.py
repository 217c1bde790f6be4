"""Tests of rules: examples, samples and cases run through the real engine on a virtual clock."""
