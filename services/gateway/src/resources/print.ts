import { referenceIn } from "./all.ts";

/** Prints the OpenAPI document of a sandbox, which `docs/openapi.json` is: `npm run generate`. */
process.stdout.write(`${JSON.stringify(referenceIn("sandbox"), null, 2)}\n`);
