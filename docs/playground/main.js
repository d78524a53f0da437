// The page: a problem and a model to choose and to change, a run, and its answer drawn as it comes.

import { drawMatrix, drawOverlaps, drawProgress, setsOf } from "./draw.js";
import { Editor } from "./editor.js";
import { check, engine, start } from "./engine.js";
import { packed, unpacked } from "./link.js";
import { aggregateOf, facts, fits, inUnits, shown } from "./values.js";

const CHECKER = "solution.mzc.mzn";
const NUMBERS = ["n_sets", "k", "max_shared"];
const at = (id) => document.getElementById(id);

const content = await (await fetch("content.json")).json();
const models = new Map(content.models.map((model) => [model.file, model]));
const instances = new Map(content.instances.map((instance) => [instance.id, instance]));

const page = {
  instance: content.instances[0].id, // null for data of one's own
  text: content.instances[0].text, // the data, as JSON
  data: JSON.parse(content.instances[0].text),
  model: "simultaneous_sum.mzn",
  file: "simultaneous_sum.mzn", // the one in the editor
  edits: {}, // changed files of the model
  run: null,
};

const source = (file) => page.edits[file] ?? content.files[file];
const editor = new Editor(at("editor"), (text) => {
  if (text === content.files[page.file]) delete page.edits[page.file];
  else page.edits[page.file] = text;
  showFiles();
});

// --- files of a model

function resolved(from, path) {
  const parts = from.split("/").slice(0, -1);
  for (const part of path.split("/")) {
    if (part === "..") parts.pop();
    else if (part !== ".") parts.push(part);
  }
  return parts.join("/");
}

/** The main file and all that it includes, in the order of reading. */
function filesOf(main) {
  const found = [];
  const visit = (file) => {
    if (found.includes(file) || content.files[file] === undefined) return;
    found.push(file);
    for (const match of source(file).matchAll(/^\s*include\s+"([^"]+)"/gm)) visit(resolved(file, match[1]));
  };
  visit(main);
  return found;
}

// --- what the page shows of the state

function option(value, text, selected) {
  const made = new Option(text, value, selected, selected);
  return made;
}

function group(label, options) {
  const made = document.createElement("optgroup");
  made.label = label;
  made.append(...options);
  return made;
}

function showInstances() {
  const options = content.instances.map(({ id, title }) => option(id, title, id === page.instance));
  if (page.instance === null) options.unshift(option("", "Your own data", true));
  at("instance").replaceChildren(...options);
}

function showModels() {
  const suits = content.models.filter((model) => fits(model, page.data));
  const others = content.models.filter((model) => !fits(model, page.data));
  const options = (list) => list.map((model) => option(model.file, `${model.file.replace(/\.mzn$/, "")}: ${model.title}`, model.file === page.model));
  at("model").replaceChildren(group("For this problem", options(suits)), group("With an example of their own", options(others)));
  at("model-about").textContent = models.get(page.model)?.about ?? "";
}

function showFiles() {
  at("file").replaceChildren(...filesOf(page.model).map((file) =>
    option(file, file + (page.edits[file] === undefined ? "" : " (changed)"), file === page.file)));
  at("reset").disabled = Object.keys(page.edits).length === 0;
}

function showData() {
  const { data } = page;
  if (document.activeElement !== at("data")) at("data").value = page.text;
  at("instance-facts").textContent = facts(data);
  at("numbers").hidden = !NUMBERS.every((name) => name in data);
  for (const name of NUMBERS) if (document.activeElement !== at(name)) at(name).value = data[name] ?? "";
  at("k").max = data.n_features ?? "";
  at("max_shared").max = data.k ?? "";
  at("search").value = aggregateOf(data);
  const k = data.k;
  const several = data.n_sets > 1 || data.previous?.length > 0;
  at("dissimilarity").textContent = several && k && data.max_shared !== undefined && data.k_min === undefined
    ? `Any two sets differ by a Dice dissimilarity of at least ${shown(1 - data.max_shared / k)}.` : "";
}

function showFile(file) {
  page.file = file;
  showFiles();
  editor.show(source(file));
}

function showAll() {
  showInstances();
  showData();
  showModels();
  showFile(page.file);
}

// --- changing the state

function setData(text, instance) {
  let data;
  try {
    data = JSON.parse(text);
    if (data === null || typeof data !== "object" || Array.isArray(data)) throw new Error("must be an object with names");
  } catch (error) {
    at("data-error").textContent = `The data are no valid JSON: ${error.message}`;
    at("data-error").hidden = false;
    return false;
  }
  at("data-error").hidden = true;
  Object.assign(page, { text, data, instance });
  return true;
}

function chooseModel(file) {
  const model = models.get(file);
  if (!fits(model, page.data)) setData(instances.get(model.example).text, model.example);
  Object.assign(page, { model: file, file });
  showAll();
}

/** Take other data; where the model does not suit them, take the first that does. */
function takeData(text, instance) {
  if (!setData(text, instance)) return;
  if (!fits(models.get(page.model), page.data)) {
    const model = content.models.find((candidate) => fits(candidate, page.data));
    if (model) Object.assign(page, { model: model.file, file: model.file });
  }
  showAll();
}

function takeNumber(name) {
  const value = name === "search" ? at(name).value : at(name).valueAsNumber;
  if (name !== "search" && !Number.isInteger(value)) return;
  // the text stays as it is but for the number, so that what was pasted keeps its form
  const given = name in page.data ? page.text : page.text.replace(/"n_sets"/, `"${name}": "", "n_sets"`);
  const text = given.replace(new RegExp(`("${name}"\\s*:\\s*)("[^"]*"|-?\\d+)`), `$1${JSON.stringify(value)}`);
  setData(text, null);
  if (!fits(models.get(page.model), page.data)) takeData(text, null);
  showInstances();
  showData();
  showModels();
}

// --- a run

const show = (state, text, more = "") => {
  const status = at("status");
  status.dataset.state = state;
  const word = document.createElement("span");
  word.className = "state";
  word.textContent = text;
  const rest = document.createElement("span");
  rest.className = "facts";
  rest.textContent = more;
  status.replaceChildren(...(text ? [word, rest] : []));
};

function showError(message, location) {
  const box = at("problem");
  box.replaceChildren();
  const text = document.createElement("pre");
  text.textContent = message;
  const file = location && Object.keys(content.files).filter((name) => location.filename.endsWith(`/${name}`) || location.filename === name)
    .sort((one, other) => other.length - one.length)[0];
  if (file) {
    const where = document.createElement("strong");
    where.textContent = `${file}, line ${location.firstLine}`;
    box.append(where, text);
    const jump = () => { showFile(file); editor.mark(location.firstLine); };
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = "Show the line";
    button.addEventListener("click", () => { jump(); at("source").focus(); at("editor").scrollIntoView({ block: "nearest" }); });
    box.append(button);
    if (filesOf(page.model).includes(file)) jump();
  } else box.append(text);
  box.hidden = false;
}

function hideAnswer() {
  for (const id of ["problem", "drawing", "text-details", "welcome", "shared"]) at(id).hidden = true;
  for (const id of ["overlaps", "progress-figure"]) at(id).hidden = true;
  at("text").textContent = "";
}

const FINAL = {
  OPTIMAL_SOLUTION: ["proved", "Optimal, proved"],
  ALL_SOLUTIONS: ["proved", "All solutions"],
  UNSATISFIABLE: ["proved", "Infeasible, proved: no such sets exist"],
};

async function run() {
  if (page.run) return;
  hideAnswer();
  page.run = { cancelled: false, cancel() { this.cancelled = true; } };
  at("run").disabled = true;
  at("stop").disabled = false;
  try {
    const MiniZinc = await engine(content.engine, (bytes, total) => {
      at("loading").hidden = false;
      at("loaded").value = bytes / total;
      at("loading-text").textContent = bytes < total
        ? `Loading MiniZinc, once: ${(bytes / 1e6).toFixed(1)} of ${(total / 1e6).toFixed(1)} MB` : "Starting MiniZinc…";
    });
    at("loading").hidden = true;
    if (page.run.cancelled) show("open", "Stopped");
    else await solve(MiniZinc);
  } catch (error) {
    show("error", "Error");
    showError(error.message ?? String(error));
  } finally {
    at("loading").hidden = true;
    page.run = null;
    at("run").disabled = false;
    at("stop").disabled = true;
  }
}

function solve(MiniZinc) {
  const { data, text: asked, model: main } = page;
  const files = Object.fromEntries(Object.keys(content.files).map((file) => [file, source(file)]));
  const all = filesOf(main).map(source).join("\n");
  const aggregate = all.match(/\baggregated_by\s*=\s*(?:(sum|min)\b|aggregate\b)/);
  const state = { solutions: 0, points: [], verdict: null, status: null, failed: false };
  const began = performance.now();
  const seconds = () => (performance.now() - began) / 1000;
  const limit = Math.min(3600, Math.max(1, at("limit").valueAsNumber || 60));
  const edited = Object.keys(page.edits).some((file) => filesOf(main).includes(file));
  let waiting = null;

  const factsText = () => {
    const parts = [`${(state.seconds ?? seconds()).toFixed(1)} s on ${at("solver").selectedOptions[0].text}`];
    if (state.objective !== undefined) parts.unshift(`objective ${shown(state.objective)}`);
    if (state.solutions > 1) parts.push(`${state.solutions} solutions`);
    if (state.verdict) parts.push(`checked: ${state.verdict}`);
    return parts.join(" · ");
  };

  const draw = () => {
    waiting = null;
    if (!state.sets) return;
    at("drawing").hidden = false;
    drawMatrix(at("matrix"), data, state.sets);
    drawOverlaps(at("overlaps"), data, state.sets);
    drawProgress(at("progress-figure"), state.points);
  };

  const solution = ({ output }) => {
    state.solutions += 1;
    const values = output.json ?? {};
    if (values._objective !== undefined) {
      state.objective = data.objective && !main.startsWith("questions/most")
        ? inUnits(data, values._objective) : values._objective;
      state.points.push({ seconds: seconds(), value: state.objective });
    }
    Object.assign(state, { selected: values.selected, integer: values._objective });
    if (values.selected) state.sets = setsOf(values.selected);
    else if (values.found) state.sets = values.found.map((set) => set.set ?? set);
    if (output.default) {
      at("text-details").hidden = false;
      at("text").textContent += `${output.default.trimEnd()}\n----------\n`;
      if (!state.sets) at("text-details").open = true;
    }
    waiting ??= requestAnimationFrame(draw);
  };

  show("running", "Running", `on ${at("solver").selectedOptions[0].text}`);
  const clock = setInterval(() => show("running", state.solutions ? "Running, better sets may come" : "Running", factsText()), 250);
  return new Promise((done) => {
    page.run = start(MiniZinc, {
      files, main, data: asked, solver: at("solver").value, seconds: limit,
      all: /\bsolve\b[^;]*\bsatisfy\b/.test(source(main)),
    }, {
      solution,
      status: ({ status }) => { state.status = status; },
      error: ({ message, what, location }) => {
        if (state.failed) return;
        state.failed = true;
        showError(message || what, location);
      },
      warning: ({ message }) => {
        at("text-details").hidden = false;
        at("text").textContent += `warning: ${message}\n`;
      },
      exit: async ({ code }) => {
        clearInterval(clock);
        state.seconds = seconds();
        if (waiting !== null) { cancelAnimationFrame(waiting); draw(); }
        if (state.status && state.status !== "UNKNOWN" && at("text").textContent) at("text").textContent += "==========\n";
        at("stop").disabled = true;
        if (aggregate && state.selected && !state.failed) {
          show("running", "Checking the sets", factsText());
          state.verdict = await check(MiniZinc, { checker: content.files[CHECKER], data: asked, selected: state.selected,
            objective: state.integer, checkedBy: aggregate[1] ?? aggregateOf(data) });
        }
        const [kind, text] = FINAL[state.status] ?? [];
        if (state.failed) show("error", "Error", factsText());
        else if (state.verdict && state.verdict !== "CORRECT") show("error", "The checker does not agree", factsText());
        else if (kind) show(kind, edited ? `${text} (for your model)` : text, factsText());
        else {
          const why = code === null ? "Stopped" : "Time is up";
          show("open", state.solutions ? `${why}: the best so far, not proved` : `${why}: nothing found yet`, factsText());
        }
        done();
      },
    });
  });
}

// --- links

async function share() {
  const state = { m: page.model, s: at("solver").value, t: at("limit").valueAsNumber, e: page.edits };
  if (page.instance === null) state.d = page.text;
  else state.i = page.instance;
  const url = new URL(location.href);
  url.hash = await packed(state);
  history.replaceState(null, "", url);
  let text = "The link is in the address bar.";
  try {
    await navigator.clipboard.writeText(url.href);
    text = "Link copied; it is in the address bar, too.";
  } catch { /* no permission: the address bar has it */ }
  at("shared").textContent = `${text} It holds the ${page.instance === null ? "data, the " : ""}changes and choices, ${url.href.length} characters.`;
  at("shared").hidden = false;
}

async function restore() {
  if (location.hash.length < 2) return;
  try {
    const state = await unpacked(location.hash.slice(1));
    const text = state.d ?? instances.get(state.i)?.text;
    if (!text || !models.has(state.m)) throw new Error("it names what is not here");
    setData(text, state.i ?? null);
    Object.assign(page, { model: state.m, file: state.m, edits: {} });
    for (const [file, edit] of Object.entries(state.e ?? {})) if (file in content.files) page.edits[file] = String(edit);
    page.file = Object.keys(page.edits)[0] ?? state.m;
    if ([...at("solver").options].some(({ value }) => value === state.s)) at("solver").value = state.s;
    if (state.t) at("limit").value = state.t;
  } catch (error) {
    showError(`The link cannot be read: ${error.message}`);
  }
}

// --- light and dark, the choice that the documentation keeps

const MODES = { auto: "◐", light: "☀", dark: "☾" };
function showMode(mode) {
  document.documentElement.dataset.mode = mode;
  at("theme").textContent = MODES[mode];
  at("theme").title = `Colours: ${mode}`;
  at("theme").setAttribute("aria-label", `Colours: ${mode}; press to change`);
}
at("theme").addEventListener("click", () => {
  const names = Object.keys(MODES);
  const mode = names[(names.indexOf(document.documentElement.dataset.mode) + 1) % names.length];
  localStorage.setItem("mode", mode);
  if (mode !== "auto") localStorage.setItem("theme", mode);
  showMode(mode);
});
showMode(MODES[document.documentElement.dataset.mode] ? document.documentElement.dataset.mode : "auto");

// --- what a person does

at("instance").addEventListener("change", () => {
  const instance = instances.get(at("instance").value);
  if (instance) takeData(instance.text, instance.id);
});
at("upload-button").addEventListener("click", () => at("upload").click());
at("upload").addEventListener("change", async () => {
  const [file] = at("upload").files;
  if (file) takeData(await file.text(), null);
  at("upload").value = "";
});
at("data").addEventListener("input", () => { if (setData(at("data").value, null)) { showInstances(); showData(); showModels(); } });
for (const name of [...NUMBERS, "search"]) at(name).addEventListener("change", () => takeNumber(name));
at("model").addEventListener("change", () => chooseModel(at("model").value));
at("file").addEventListener("change", () => showFile(at("file").value));
at("reset").addEventListener("click", () => { page.edits = {}; showFile(page.file); });
at("run").addEventListener("click", () => {
  run();
  if (at("answer").getBoundingClientRect().top > window.innerHeight * 0.6) at("answer").scrollIntoView({ block: "start" });
});
at("stop").addEventListener("click", () => page.run?.cancel());
at("share").addEventListener("click", share);
document.addEventListener("keydown", (event) => {
  if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) { event.preventDefault(); run(); }
});
window.addEventListener("hashchange", async () => { await restore(); showAll(); });

at("engine-size").textContent = Math.round((content.engine["minizinc.wasm"] + content.engine["minizinc.data"]) / 1e6);
await restore();
showAll();
document.documentElement.dataset.ready = "true";
