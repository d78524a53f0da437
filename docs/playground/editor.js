// A text area over painted text, with line numbers: it stays a plain text field for keyboards, phones and readers.

const TOKENS = new RegExp([
  String.raw`(?<c>%[^\n]*|/\*[\s\S]*?\*/)`,
  String.raw`(?<s>"(?:\\.|[^"\\\n])*"?)`,
  String.raw`(?<a>::\s*\w*)`,
  String.raw`(?<k>\b(?:ann|annotation|any|array|bool|constraint|diff|div|else|elseif|endif|enum|false|float|function|if|in|include|int|intersect|let|list|maximize|minimize|mod|not|of|op|opt|output|par|predicate|satisfy|set|solve|string|subset|superset|symdiff|test|then|true|tuple|type|union|var|where|xor|forall|exists|sum)\b)`,
  String.raw`(?<n>\b\d[\w.]*)`,
].join("|"), "g");

const escaped = (text) => text.replace(/[&<>]/g, (sign) => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;" })[sign]);

function painted(text) {
  let html = "";
  let end = 0;
  for (const match of text.matchAll(TOKENS)) {
    const [kind] = Object.entries(match.groups).find(([, found]) => found !== undefined);
    html += `${escaped(text.slice(end, match.index))}<span class="${kind}">${escaped(match[0])}</span>`;
    end = match.index + match[0].length;
  }
  return html + escaped(text.slice(end));
}

export class Editor {
  constructor(frame, onChange) {
    this.frame = frame;
    this.area = frame.querySelector("textarea");
    this.paint = frame.querySelector(".paint");
    this.gutter = frame.querySelector(".gutter");
    this.bad = 0;
    this.area.addEventListener("input", () => { this.bad = 0; this.draw(); onChange(this.area.value); });
    this.area.addEventListener("scroll", () => { this.area.scrollTop = 0; this.area.scrollLeft = 0; });
  }

  show(text) {
    this.bad = 0;
    this.area.value = text;
    this.draw();
    this.frame.scrollTo(0, 0);
  }

  draw() {
    const text = this.area.value;
    this.paint.innerHTML = `${painted(text)}\n`;
    const lines = text.split("\n").length;
    this.gutter.innerHTML = Array.from({ length: lines }, (_, at) =>
      at + 1 === this.bad ? `<span class="bad">${at + 1}</span>` : at + 1).join("\n");
  }

  /** Mark a line, from 1, put the cursor there and bring it into view. */
  mark(line) {
    this.bad = line;
    this.draw();
    const before = this.area.value.split("\n").slice(0, line - 1).join("\n").length + (line > 1 ? 1 : 0);
    this.area.setSelectionRange(before, before);
    this.frame.scrollTo(0, Math.max(0, (line - 4) * 20));
  }
}
