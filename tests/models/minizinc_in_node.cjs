// MiniZinc's WebAssembly build (npm package `minizinc`) in Node, with Gecode, Chuffed, HiGHS and CBC:
//   node minizinc_in_node.cjs PACKAGE MODELS [option, file of MODELS, or absolute path of data]…
// PACKAGE is …/node_modules/minizinc. The package runs a native MiniZinc under Node and keeps WebAssembly for browsers'
// workers, so this stands in for such a worker.
const fs = require("node:fs"), path = require("node:path"), vm = require("node:vm");
const [npmPackage, root, ...args] = process.argv.slice(2);
const dist = path.join(npmPackage, "dist"), script = path.join(dist, "minizinc-worker.js");

const files = {};
for (const name of fs.readdirSync(root, { recursive: true }))
  if (name.endsWith(".mzn")) files[name] = fs.readFileSync(path.join(root, name), "utf8");
const given = args.map((arg) => {
  if (!path.isAbsolute(arg)) return arg;
  files[path.basename(arg)] = fs.readFileSync(arg, "utf8");
  return path.basename(arg);
});

let listener;
globalThis.addEventListener = (name, called) => { listener = called; };
globalThis.postMessage = (message) => {
  if (message.type === "ready") listener({ data: { files, args: given } });
  if (message.type !== "exit") return;
  fs.writeSync(1, message.stdout || "");
  fs.writeSync(2, `${message.stderr || ""}${message.message || ""}`);
  process.exit(message.code);
};
Object.assign(globalThis, { require, __filename: script, __dirname: dist });
vm.runInThisContext(fs.readFileSync(script, "utf8"));
listener({ data: { wasmURL: path.join(dist, "minizinc.wasm"), dataURL: path.join(dist, "minizinc.data") } });
