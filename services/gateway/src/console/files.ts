import { refused } from "@disburse/kernel/refusal.ts";
import { type PageAnswer, refusalAnswer } from "../http/answer.ts";
import { builtFolder } from "../http/built-folder.ts";
import type { RouterContext } from "../http/observe.ts";
import type { PublicRoute } from "../http/static.ts";
import { consolePath } from "../sessions/rules/session.ts";
import { consoleHeaders, messagePage } from "./pages.ts";

/** The page for every client-side route. */
const indexFile = "index.html";
/** Vite writes files with hashed names to this folder. */
const hashed = "assets/";
/** Paths that are not pages. They return 404 if no route matches. */
const served = /^(?:session|rpc|events|download)(?:\/|$)/;

/**
 * Builds the routes that serve the console from a build folder. A file's path returns the file.
 * Every other path returns the index page, whose router reads the path.
 */
export function consoleFiles(folder: string): readonly PublicRoute[] {
  const current = builtFolder({ folder, hashed, headers: consoleHeaders });
  const answer = async (ctx: RouterContext): Promise<PageAnswer> => {
    const name = ctx.path.slice(consolePath.length);
    if (served.test(name)) return refusalAnswer(refused("ROUTE_NOT_FOUND"));
    const files = await current();
    if (files === undefined) {
      return messagePage(404, "No console here", "This deployment does not include the console.");
    }
    const file = files.get(name);
    // The browser requested a hashed file of another build. It would run the index page as a
    // script, so the route returns no page.
    if (file === undefined && name.startsWith(hashed)) {
      return refusalAnswer(refused("ROUTE_NOT_FOUND"));
    }
    const found = file ?? files.get(indexFile);
    return found === undefined ? refusalAnswer(refused("ROUTE_NOT_FOUND")) : found(ctx);
  };
  const toConsole = { status: 308, headers: { Location: consolePath }, body: "" };
  return [
    { path: consolePath.slice(0, -1), answer: async () => toConsole },
    { path: `${consolePath}{*file}`, answer },
  ];
}
