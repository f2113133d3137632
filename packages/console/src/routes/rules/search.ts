/**
 * Reads these texts of a page's address; what is missing or empty is undefined. The router reads
 * `?x=12` as a number and `?x=true` as a boolean: here they stay texts.
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
