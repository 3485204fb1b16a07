"""The report of an output folder: one HTML page that needs no network and no script.

``facts`` reads what there is, finished or not; the modules named after the page's sections turn it into
what they show; ``compose`` fills the templates. Nothing is computed a second time: each number stands in
a file of the folder, or is the quotient of two that do.
"""
