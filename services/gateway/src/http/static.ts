import { readFile } from "node:fs/promises";
import type { PageAnswer } from "./answer.ts";
import { contentHash, forever, type Headers, revalidate, serveContent } from "./content.ts";
import type { RouterContext } from "./observe.ts";

/** A path that is answered without a key, outside `/api/v1`. */
export type PublicRoute = {
  /** GET where it is left out. */
  readonly method?: "GET" | "POST";
  readonly path: string;
  /** Asked for by balancers, whose address may be that of many merchants: never limited. */
  readonly isProbe?: boolean;
  readonly answer: (ctx: RouterContext) => Promise<PageAnswer>;
};

/** A file at a path with its content's hash, under `/docs`. */
export async function fileRoute(
  name: string,
  file: URL | string,
  type: string,
): Promise<PublicRoute> {
  const load = () => readFile(new URL(file));
  const hash = contentHash(await load());
  const headers = { "Content-Type": type, "Cache-Control": forever };
  return { path: `/docs/${hash}/${name}`, answer: serveContent(hash, headers, load) };
}

/** A text at a path that stays the same when the text changes. */
export function textRoute(path: string, text: string, headers: Headers): PublicRoute {
  const bytes = Buffer.from(text);
  const all = { "Cache-Control": revalidate, ...headers };
  return { path, answer: serveContent(contentHash(bytes), all, async () => bytes) };
}
