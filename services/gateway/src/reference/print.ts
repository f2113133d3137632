import type { Clients } from "../clients.ts";
import { allOperations } from "../routes/operations.ts";
import { openApiDocument } from "./openapi.ts";

/** Prints the OpenAPI document as `docs/openapi.json` keeps it; part of `npm run generate`. */

// Operations are described without ever being called.
const operations = allOperations({} as Clients);
process.stdout.write(`${JSON.stringify(openApiDocument(operations), null, 2)}\n`);
