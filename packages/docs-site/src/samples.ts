import { curlSample } from "./languages/curl.ts";
import { goSample } from "./languages/go.ts";
import { pythonSample } from "./languages/python.ts";
import { typescriptSample } from "./languages/typescript.ts";
import type { SampleRequest } from "./request.ts";

/** The languages of samples, in the order of their tabs. */
export const languages = {
  curl: "curl",
  typescript: "TypeScript",
  python: "Python",
  go: "Go",
} as const;

/** A sample in each language, with `{origin}` for what serves the page. */
export type Sample = Readonly<Record<keyof typeof languages, string>>;

/** A request in each language; `assignments` go before curl's command alone. */
export function sampleOf(request: SampleRequest, assignments: readonly string[] = []): Sample {
  return {
    curl: curlSample(request, assignments),
    typescript: typescriptSample(request),
    python: pythonSample(request),
    go: goSample(request),
  };
}
