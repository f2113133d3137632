/** Rows under a head, each column as wide as its widest cell, numbers to the right. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = head.map((cell, at) => {
    return Math.max(cell.length, ...rows.map((row) => (row[at] ?? "").length));
  });
  const line = (row: readonly string[]) =>
    row
      .map((cell, at) => (at === 0 ? cell.padEnd(widths[at] ?? 0) : cell.padStart(widths[at] ?? 0)))
      .join("  ")
      .trimEnd();
  const rule = widths.map((width) => "─".repeat(width)).join("──");
  return [line(head), rule, ...rows.map(line)].join("\n");
}

/** A whole number with thin groups, or what says that there is none. */
export function count(value: number | null | undefined): string {
  return value == null ? "–" : Math.round(value).toLocaleString("en-US");
}
