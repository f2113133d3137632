/** TypeScript's library has no types for `isRawJSON` of ECMAScript 2026. */
const json = JSON as unknown as { isRawJSON(value: object): boolean };

/** True for what `JSON.stringify` writes on one line: a raw number, `{}` and `[]`. */
function isEmptyOrRaw(value: object): boolean {
  return Object.keys(value).length === 0 || json.isRawJSON(value);
}

/** Formats JSON as block YAML. Texts stay in JSON's quotes, which YAML accepts. */
export function yamlOf(value: unknown, indent = ""): string {
  if (typeof value !== "object" || value === null || isEmptyOrRaw(value)) {
    return ` ${JSON.stringify(value)}\n`;
  }
  const isList = Array.isArray(value);
  const lines = Object.entries(value).map(([name, each]) => {
    const head = isList ? "-" : `${/^[A-Za-z_]\w*$/.test(name) ? name : JSON.stringify(name)}:`;
    return `${indent}${head}${yamlOf(each, `${indent}  `)}`;
  });
  return `${indent === "" ? "" : "\n"}${lines.join("")}`;
}
