"""The real pipeline over a labelled query set: what it will cost, what it cost, and the traces.

``eval.record`` asks one question after the other and keeps the traces. Here stands what makes that
safe to do with a model that is paid: an expectation before it starts, limits at which it stops, and
answers that are kept, so that nothing that was answered is asked again.
"""
