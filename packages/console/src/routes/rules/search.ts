const isText = (value: unknown) =>
  ["string", "number", "boolean"].includes(typeof value) && value !== "";

/** Reads every parameter of the URL as text. */
export function allTexts(search: Record<string, unknown>): Record<string, string> {
  const texts = Object.entries(search).filter(([, value]) => isText(value));
  return Object.fromEntries(texts.map(([name, value]) => [name, String(value)]));
}

/**
 * Reads text parameters from the URL. Missing and empty parameters are undefined. The router parses
 * `?x=12` and `?x=true` as a number and a boolean, so converts them back to text.
 */
export function textsOf<const Names extends readonly string[]>(...names: Names) {
  return (search: Record<string, unknown>) => {
    const known = Object.entries(allTexts(search)).filter(([name]) => names.includes(name));
    return Object.fromEntries(known) as { [Name in Names[number]]?: string };
  };
}
