import { referenceIn } from "./all.ts";

/** Prints the sandbox's OpenAPI document for `docs/openapi.json`: `npm run generate`. */
process.stdout.write(`${JSON.stringify(referenceIn("sandbox"), null, 2)}\n`);
