import { curlSample } from "./languages/curl.ts";
import { goSample } from "./languages/go.ts";
import { pythonSample } from "./languages/python.ts";
import { typescriptSample } from "./languages/typescript.ts";
import type { SampleRequest } from "./request.ts";

/** Display names of the languages, in the order of the tabs. */
export const languages = {
  curl: "curl",
  typescript: "TypeScript",
  python: "Python",
  go: "Go",
} as const;

/** A sample in each language; `{origin}` stands for the origin that serves the page. */
export type Sample = Readonly<Record<keyof typeof languages, string>>;

/** Formats a request in each language; only the curl sample includes `assignments`. */
export function sampleOf(request: SampleRequest, assignments: readonly string[] = []): Sample {
  return {
    curl: curlSample(request, assignments),
    typescript: typescriptSample(request),
    python: pythonSample(request),
    go: goSample(request),
  };
}
