"""What can be made of judgements without looking at a ranking. Pure: records in, records out."""
