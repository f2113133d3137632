import { readFile } from "node:fs/promises";
import type { PageAnswer } from "./answer.ts";
import { contentHash, forever, type Headers, revalidate, serveContent } from "./content.ts";
import type { RouterContext } from "./observe.ts";

/** A route outside `/api/v1` that needs no key. */
export type PublicRoute = {
  /** The default is GET. */
  readonly method?: "GET" | "POST";
  readonly path: string;
  /**
   * Probes have no rate limit, because a load balancer may share its address with many merchants.
   */
  readonly isProbe?: boolean;
  readonly answer: (ctx: RouterContext) => Promise<PageAnswer>;
};

/** Serves a file under `/docs`. The path contains the hash of the content. */
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

/** Serves a text at a fixed path. Clients revalidate the text each time. */
export function textRoute(path: string, text: string, headers: Headers): PublicRoute {
  const bytes = Buffer.from(text);
  const all = { "Cache-Control": revalidate, ...headers };
  return { path, answer: serveContent(contentHash(bytes), all, async () => bytes) };
}
