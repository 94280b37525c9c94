"""Matches on a Dask cluster; the modules in the order in which matches travel through them.

`client` connects the runner to a scheduler, and `members` decides which worker plays which match.
`errands` is what is sent, `outpost` receives it inside a worker of Dask, and `deputy` is the
process of arena's own beside that, which plays.
"""
