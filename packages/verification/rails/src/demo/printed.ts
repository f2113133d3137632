export function show(title: string, ...lines: readonly string[]): void {
  process.stdout.write(`\n■ ${title}\n${lines.map((line) => `  ${line}\n`).join("")}`);
}

const linesMax = 24;

/** Formats a file: one line for each group of XML elements with values. NACHA stays as it is. */
export function fileLines(bytes: Uint8Array): string[] {
  const text = new TextDecoder().decode(bytes);
  const lines = text.startsWith("<") ? groupLines(text) : text.trimEnd().split(/\r?\n/);
  // Hides the records of nines that fill the last block.
  const shown = lines.filter((line) => !/^9{94}$/.test(line));
  const more = shown.length - linesMax;
  return more > 0 ? [...shown.slice(0, linesMax), `… ${more} lines more`] : shown;
}

/** An element with children, and the values of its text elements. */
type Group = { readonly name: string; readonly depth: number; readonly values: string[] };

function groupLines(text: string): string[] {
  const groups: Group[] = [];
  const open: Group[] = [];
  for (const [piece, leaf, attributes = "", value] of text.matchAll(
    /<(\w+)([^>]*)>([^<]+)<\/\1>|<[^?][^>]*>/g,
  )) {
    if (leaf !== undefined) open.at(-1)?.values.push(`${leaf} ${value}${currencyOf(attributes)}`);
    else if (piece.startsWith("</")) open.pop();
    else {
      const name = /^<(\w+)/.exec(piece)?.[1] ?? "";
      const group = { name, depth: open.length, values: [] };
      open.push(group);
      groups.push(group);
    }
  }
  return groups
    .filter(({ values }) => values.length > 0)
    .map(({ name, depth, values }) => `${"  ".repeat(depth)}${name}: ${values.join(", ")}`);
}

function currencyOf(attributes: string): string {
  const currency = /Ccy="(\w+)"/.exec(attributes)?.[1];
  return currency === undefined ? "" : ` ${currency}`;
}
