import { withStringAmounts } from "../openapi/string-amounts.ts";
import { referenceIn } from "./all.ts";

/**
 * Prints the sandbox's OpenAPI document: for `docs/openapi.json` in `npm run generate`, and with
 * `--strings` the one with amounts as strings for `npm run test:clients`.
 */
const reference = referenceIn("sandbox");
const document = process.argv.includes("--strings") ? withStringAmounts(reference) : reference;
process.stdout.write(`${JSON.stringify(document, null, 2)}\n`);
