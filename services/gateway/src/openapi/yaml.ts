/** Formats JSON as block YAML. Texts stay in JSON's quotes, which YAML accepts. */
export function yamlOf(value: unknown, indent = ""): string {
  if (typeof value !== "object" || value === null || Object.keys(value).length === 0) {
    return ` ${JSON.stringify(value)}\n`;
  }
  const isList = Array.isArray(value);
  const lines = Object.entries(value).map(([name, each]) => {
    const head = isList ? "-" : `${/^[A-Za-z_]\w*$/.test(name) ? name : JSON.stringify(name)}:`;
    return `${indent}${head}${yamlOf(each, `${indent}  `)}`;
  });
  return `${indent === "" ? "" : "\n"}${lines.join("")}`;
}
