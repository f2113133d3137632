/** A Markdown table, padded so that it also reads well in a terminal. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = head.map((cell, at) => {
    return Math.max(3, cell.length, ...rows.map((row) => (row[at] ?? "").length));
  });
  const line = (row: readonly string[]) => {
    const cells = widths.map((width, at) => {
      const cell = row[at] ?? "";
      return at === 0 ? cell.padEnd(width) : cell.padStart(width);
    });
    return `| ${cells.join(" | ")} |`;
  };
  const rule = widths.map((width, at) =>
    at === 0 ? "-".repeat(width) : `${"-".repeat(width - 1)}:`,
  );
  return [line(head), line(rule), ...rows.map(line)].join("\n");
}

/** A whole number with thousands separators; a dash for none. */
export function count(value: number | null | undefined): string {
  return value == null ? "–" : Math.round(value).toLocaleString("en-US");
}
