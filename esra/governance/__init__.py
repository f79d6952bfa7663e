"""The platform around the pipeline: who calls, may they, and the record that they did."""
