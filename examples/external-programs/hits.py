"""Writes hits of straight tracks: hits.py OUTPUT TRACKS HITS NOISE SEED"""

import random
import sys

path, tracks, hits, noise, seed = sys.argv[1:]
draw = random.Random(int(seed))
with open(path, "w") as output:
    output.write("track,z,x\n")
    for track in range(int(tracks)):
        slope, offset = draw.uniform(-0.5, 0.5), draw.uniform(-50, 50)
        for hit in range(int(hits)):
            z = 100.0 * (hit + 1)
            x = offset + slope * z + draw.gauss(0, float(noise))
            output.write(f"{track},{z:.1f},{x:.4f}\n")
