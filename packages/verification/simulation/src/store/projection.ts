import { copied, type Document } from "./value.ts";

/** A copy of a document as a projection shows it; whole fields, shown or left out. */
export function projected(document: Document, projection?: Document): Document {
  if (projection === undefined) return copied(document) as Document;
  const names = Object.keys(projection);
  if (names.some((name) => name.includes("."))) {
    throw new Error("the simulated store projects whole fields");
  }
  const isInclusion = names.some((name) => name !== "_id" && isShown(projection[name]));
  const isOnlyId = names.length === 1 && isShown(projection._id);
  const shown = (name: string): boolean => {
    if (name in projection) return isShown(projection[name]);
    return name === "_id" || !(isInclusion || isOnlyId);
  };
  const fields = Object.entries(document).filter(([name]) => shown(name));
  return copied(Object.fromEntries(fields)) as Document;
}

function isShown(flag: unknown): boolean {
  return flag === 1 || flag === true;
}
