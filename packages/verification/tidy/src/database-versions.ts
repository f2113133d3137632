import { type Finding, findingAt, isForTests, isOurs, type Source } from "./source.ts";

/**
 * Operators that MongoDB 6.0 does not have. `$getField` and its siblings exist there, but refuse an
 * expression as the field until 7.2.
 */
const tooRecent = [
  ...["getField", "setField", "unsetField"],
  ...["bitAnd", "bitOr", "bitXor", "bitNot", "median", "percentile"],
  ...["toUUID", "toArray", "toObject", "hash", "hexHash", "createObjectId", "subtype"],
  ...["sigmoid", "minMaxScaler", "similarityCosine", "similarityDotProduct"],
  ...["rankFusion", "scoreFusion", "score", "search", "searchMeta", "vectorSearch"],
  ...["queryStats", "querySettings", "listClusterCatalog", "changeStreamSplitLargeEvent"],
];
const operator = new RegExp(`\\$(?:${tooRecent.join("|")})(?=["']?:)`, "g");

/** Only this folder may use the bulk write of a client, and only on MongoDB 8.0 or later. */
const bulkWriteHome = "packages/chassis/src/mongo/";
const bulkWrite = /\bclient\.bulkWrite\b/gi;

/** Finds database operators and commands that MongoDB 6.0 refuses. */
export function tooRecentForDatabase(source: Pick<Source, "path" | "text">): Finding[] {
  if (!isOurs(source) || isForTests(source.path)) return [];
  const { path, text } = source;
  const used = path.startsWith(bulkWriteHome) ? [] : text.matchAll(bulkWrite);
  return [...text.matchAll(operator), ...used].map(({ 0: found, index }) =>
    findingAt(source, index, `${found} needs a database later than MongoDB 6.0`),
  );
}
