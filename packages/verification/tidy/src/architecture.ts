import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { redrawn } from "./drawing.ts";
import { home, readRepository } from "./repository.ts";

/** `npm run architecture` draws each service's subjects and their imports into architecture.md. */
const file = join(home, "docs/explanation/architecture.md");
writeFileSync(file, redrawn(readFileSync(file, "utf8"), readRepository().sources));
