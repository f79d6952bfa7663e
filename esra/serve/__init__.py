"""The doors of a running service, and the one way from each of them to the pipeline."""
