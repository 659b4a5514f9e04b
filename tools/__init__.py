"""Builds and checks the documentation site."""
