"""Speed and memory, measured against the best peers in the same run."""
