import type { PageAnswer } from "./answer.ts";
import { contentHash, type Headers, revalidate, serveContent } from "./content.ts";
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
  /** The time limit of the response. The default is that of all routes. */
  readonly answerWithinMs?: number;
  readonly answer: (ctx: RouterContext) => Promise<PageAnswer>;
};

/** Serves a text at a fixed path. Clients revalidate the text each time. */
export function textRoute(path: string, text: string, headers: Headers): PublicRoute {
  const bytes = Buffer.from(text);
  const all = { "Cache-Control": revalidate, ...headers };
  return { path, answer: serveContent(contentHash(bytes), all, async () => bytes) };
}
