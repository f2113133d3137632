/**
 * Reads text parameters from the URL; missing and empty ones are undefined. Converts `?x=12` and
 * `?x=true`, which the router parses as number and boolean, back to text.
 */
export function textsOf<const Names extends readonly string[]>(...names: Names) {
  return (search: Record<string, unknown>): { [Name in Names[number]]?: string } => {
    const texts = names.flatMap((name) => {
      const value = search[name];
      const isText = ["string", "number", "boolean"].includes(typeof value);
      return isText && value !== "" ? [[name, String(value)]] : [];
    });
    return Object.fromEntries(texts) as { [Name in Names[number]]?: string };
  };
}
