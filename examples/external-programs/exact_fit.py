"""Fits lines in exact arithmetic: exact_fit.py INPUT OUTPUT"""

import csv
import sys
from fractions import Fraction
from itertools import groupby

with open(sys.argv[1]) as file, open(sys.argv[2], "w") as output:
    output.write("track,slope,offset\n")
    for track, rows in groupby(csv.DictReader(file), key=lambda row: row["track"]):
        hits = [(Fraction(row["z"]), Fraction(row["x"])) for row in rows]
        z_mean = sum(z for z, _ in hits) / len(hits)
        x_mean = sum(x for _, x in hits) / len(hits)
        spread = sum((z - z_mean) ** 2 for z, _ in hits)
        slope = sum((z - z_mean) * (x - x_mean) for z, x in hits) / spread
        output.write(f"{track},{float(slope)},{float(x_mean - slope * z_mean)}\n")
