// Pictures of an answer: which features each set holds, what pairs of sets share, how the objective went on.

import { qualityOf, shown } from "./values.js";

const COLOURS = ["#0a8ea3", "#8b5cf6", "#e0762b", "#2f9e55", "#d6457f", "#3b7ddd", "#a8801a", "#7a6a5d", "#c0392b", "#5a8f00"];
const colour = (set) => COLOURS[set % COLOURS.length];

function element(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children);
  return made;
}

/** The sets of a solution as lists of features: `selected` is a row per set, or one row where there is one set. */
export function setsOf(selected) {
  const rows = Array.isArray(selected[0]) ? selected : [selected];
  return rows.map((row) => row.flatMap((held, feature) => (held ? [feature] : [])));
}

function name(data, feature) {
  return data.feature_names?.[feature] ?? `feature ${feature}`;
}

/** A row per feature that any set holds, best first; a column per set. */
export function drawMatrix(figure, data, sets) {
  const used = [...new Set(sets.flat())];
  const quality = Array.isArray(data.quality) ? data.quality : null;
  if (quality) used.sort((one, other) => quality[other] - quality[one] || one - other);
  const best = quality ? Math.max(...used.map((f) => Math.abs(quality[f])), 1) : 1;
  const head = element("tr", {}, element("th", { scope: "col" }, ""), ...sets.map((_, s) =>
    element("th", { scope: "col" }, String(s))), ...(quality ? [element("th", { scope: "col", class: "quality" }, "quality")] : []));
  const rows = used.map((f) => {
    const row = element("tr", {}, element("th", { scope: "row", title: name(data, f) }, name(data, f)));
    sets.forEach((set, s) => {
      const held = set.includes(f);
      const cell = element("td", { class: held ? "cell in" : "cell", style: `--colour:${colour(s)}` });
      cell.append(element("span", { class: "visually-hidden" }, held ? "yes" : "no"));
      row.append(cell);
    });
    if (quality) {
      const share = Math.max(2, (100 * Math.abs(quality[f])) / best);
      const number = shown(quality[f] / (data.scale || 1));
      row.append(element("td", { class: "quality", title: number },
        element("span", { style: `width:${share}%` }), element("span", { class: "visually-hidden" }, number)));
    }
    return row;
  });
  const values = sets.map((set) => qualityOf(data, set));
  const foot = values.some((value) => value === null) ? [] : [element("tr", {}, element("th", { scope: "row" }, "quality of the set"),
    ...values.map((value) => element("td", { title: shown(value) }, shown(value, 4))))];
  const table = element("table", { class: "sets" }, element("thead", {}, head), element("tbody", {}, ...rows), element("tfoot", {}, ...foot));
  const rest = (data.n_features ?? 0) - used.length;
  const caption = `${used.length} features in ${sets.length === 1 ? "one set" : `${sets.length} sets`}`
    + (rest > 0 ? `; the other ${rest} are in none` : "");
  figure.replaceChildren(element("figcaption", {}, caption), table);
}

/** How many features every two sets share. */
export function drawOverlaps(figure, data, sets) {
  figure.hidden = sets.length < 2;
  if (sets.length < 2) return;
  const most = Math.max(1, data.max_shared ?? 0);
  const head = element("tr", {}, element("th", {}, ""), ...sets.slice(0, -1).map((_, s) => element("th", { scope: "col" }, String(s))));
  const rows = sets.slice(1).map((set, at) => {
    const row = element("tr", {}, element("th", { scope: "row" }, String(at + 1)));
    sets.slice(0, at + 1).forEach((other) => {
      const both = set.filter((f) => other.includes(f)).length;
      const mix = Math.round((70 * both) / most);
      row.append(element("td", { class: "cell both", style: `background:color-mix(in srgb, #0a8ea3 ${Math.min(mix, 70)}%, var(--empty))` }, String(both)));
    });
    return row;
  });
  const limit = data.max_shared === undefined ? "" : `, at most ${data.max_shared} allowed`;
  figure.replaceChildren(element("figcaption", {}, `Shared by two sets${limit}`),
    element("table", { class: "sets" }, element("thead", {}, head), element("tbody", {}, ...rows)));
}

/** The objective of each solution over time, as steps. */
export function drawProgress(figure, points) {
  figure.hidden = points.length < 2;
  if (points.length < 2) return;
  const [width, height, left, low] = [320, 120, 58, 20];
  const times = points.map((point) => point.seconds);
  const values = points.map((point) => point.value);
  const [first, last] = [times[0], Math.max(times.at(-1), times[0] + 0.001)];
  const [small, large] = [Math.min(...values), Math.max(...values)];
  const x = (t) => left + ((width - left - 10) * (t - first)) / (last - first);
  const y = (v) => 10 + ((height - low - 14) * (large - v)) / (large - small || 1);
  let path = `M${x(times[0])},${y(values[0])}`;
  for (let at = 1; at < points.length; at += 1) path += `H${x(times[at])}V${y(values[at])}`;
  const svg = `<svg viewBox="0 0 ${width} ${height}" width="${width}" role="img"
      aria-label="objective from ${shown(values[0])} to ${shown(values.at(-1))} in ${points.length} steps">
    <path class="axis" d="M${left},${height - low}H${width - 6}" />
    <path class="step" d="${path}" />
    ${points.map((_, at) => `<circle cx="${x(times[at])}" cy="${y(values[at])}" r="3" />`).join("")}
    <text x="${left - 6}" y="${y(large) + 4}" text-anchor="end">${shown(large)}</text>
    <text x="${left - 6}" y="${y(small) + 4}" text-anchor="end">${large === small ? "" : shown(small)}</text>
    <text x="${left}" y="${height - 5}">${first.toFixed(1)} s</text>
    <text x="${width - 6}" y="${height - 5}" text-anchor="end">${last.toFixed(1)} s</text></svg>`;
  figure.innerHTML = `<figcaption>Objective as better solutions came</figcaption>${svg}`;
}
