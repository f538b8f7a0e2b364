"""Trainer of Drydock: claims training jobs from a server, trains them, and serves the results."""

__version__ = "0.1.0"
