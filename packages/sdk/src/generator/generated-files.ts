import { type Document, operationsOf } from "./document.ts";
import { resourcesSource } from "./resources.ts";
import { typesSource } from "./types.ts";

const head = "// Generated out of docs/openapi.json by `npm run generate`; not edited by hand.\n\n";

/** The generated files of the SDK, by name. */
export function generatedFiles(document: Document): Readonly<Record<string, string>> {
  const operations = operationsOf(document);
  return {
    "types.ts": head + typesSource(document, operations),
    "resources.ts": head + resourcesSource(document, operations),
  };
}
