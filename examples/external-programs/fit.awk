# Fits a line to the hits of each track, which are one after the other: track,z,x
BEGIN {
    FS = ","
    print "track,slope,offset"
}

function line(    i, z_mean, x_mean, spread, covariance, slope) {
    for (i = 1; i <= count; i++) {
        z_mean += z[i] / count
        x_mean += x[i] / count
    }
    for (i = 1; i <= count; i++) {
        spread += (z[i] - z_mean) * (z[i] - z_mean)
        covariance += (z[i] - z_mean) * (x[i] - x_mean)
    }
    slope = covariance / spread
    printf "%s,%.17g,%.17g\n", track, slope, x_mean - slope * z_mean
    count = 0
}

NR > 1 {
    if ($1 != track && count > 0)
        line()
    track = $1
    count++
    z[count] = $2
    x[count] = $3
}

END {
    if (count > 0)
        line()
}
