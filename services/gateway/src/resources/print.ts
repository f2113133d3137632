import { reference } from "./all.ts";

/** Prints the OpenAPI document as `docs/openapi.json` keeps it; part of `npm run generate`. */
process.stdout.write(`${JSON.stringify(reference, null, 2)}\n`);
