import { referenceIn } from "./all.ts";

/**
 * `npm run generate` runs this. It prints the sandbox's OpenAPI document for `docs/openapi.json`.
 */
process.stdout.write(`${JSON.stringify(referenceIn("sandbox"), null, 2)}\n`);
