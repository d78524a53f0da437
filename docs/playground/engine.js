// MiniZinc as WebAssembly: loaded when it is first needed, with progress, and one run at a time.

let loaded = null;

async function download(url, size, type, onBytes) {
  const answer = await fetch(url);
  if (!answer.ok) throw new Error(`${url}: ${answer.status} ${answer.statusText}`);
  const parts = [];
  const reader = answer.body.getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    parts.push(value);
    onBytes(value.length);
  }
  return URL.createObjectURL(new Blob(parts, { type }));
}

async function load(sizes, onProgress) {
  const total = sizes["minizinc.wasm"] + sizes["minizinc.data"];
  let bytes = 0;
  const onBytes = (more) => { bytes += more; onProgress(bytes, total); };
  onProgress(0, total);
  const base = new URL("minizinc/", document.baseURI);
  const [MiniZinc, wasmURL, dataURL] = await Promise.all([
    import(new URL("minizinc.mjs", base).href),
    download(new URL("minizinc.wasm", base), sizes["minizinc.wasm"], "application/wasm", onBytes),
    download(new URL("minizinc.data", base), sizes["minizinc.data"], "application/octet-stream", onBytes),
  ]);
  onProgress(total, total);
  await MiniZinc.init({ workerURL: new URL("minizinc-worker.js", base), wasmURL, dataURL, numWorkers: 1 });
  return MiniZinc;
}

/** Return MiniZinc, loaded once; a load that failed is tried again. */
export function engine(sizes, onProgress) {
  loaded ??= load(sizes, onProgress).catch((error) => { loaded = null; throw error; });
  return loaded;
}

/** Start a run of a model. `on` has a function for each kind of message; the answer has `cancel()`. */
export function start(MiniZinc, { files, main, data, solver, seconds, all }, on) {
  const model = new MiniZinc.Model();
  for (const [name, text] of Object.entries(files)) model.addFile(name, text, name === main);
  model.addFile("data.json", data, true);
  const options = { solver, "output-objective": true, "time-limit": seconds * 1000 };
  if (all) options["all-solutions"] = true;
  const run = model.solve({ options });
  for (const [kind, listener] of Object.entries(on)) run.on(kind, listener);
  // a solver that does not keep its limit is ended a little later
  const guard = setTimeout(() => run.cancel(), seconds * 1000 + 3000);
  run.on("exit", () => clearTimeout(guard));
  return run;
}

/**
 * Check a solution by the checker, run as a model of its own, and return what it says: CORRECT, or WRONG and why.
 *
 * MiniZinc's own way, both in one run, fails on larger data in its WebAssembly build (2.10.0) with errors of types.
 */
export function check(MiniZinc, { checker, data, selected, objective, checkedBy }) {
  const model = new MiniZinc.Model();
  const ranges = [selected.length, selected[0].length].map((size) => `0..${size - 1}`).join(", ");
  model.addFile("check.mzn", checker);
  model.addFile("data.json", data);
  model.addDznString(`selected = array2d(${ranges}, [${selected.flat().join(", ")}]);
    objective_value = ${objective}; checked_by = "${checkedBy}";`);
  return new Promise((done) => {
    let word = "the checker said nothing";
    const run = model.solve({ options: { solver: "gecode" } });
    run.on("solution", ({ output }) => { word = output.default.trim(); });
    run.on("error", ({ message }) => { word = `the checker failed: ${message}`; });
    run.on("exit", () => done(word));
  });
}
