import { existsSync } from "node:fs";
import { readdir, readFile, stat } from "node:fs/promises";
import { extname, join, sep } from "node:path";
import { refused } from "@disburse/kernel/refusal.ts";
import { type PageAnswer, refusalAnswer } from "../http/answer.ts";
import { contentHash, forever, revalidate, serveContent } from "../http/content.ts";
import type { RouterContext } from "../http/observe.ts";
import type { PublicRoute } from "../http/static.ts";
import { consolePath } from "../sessions/rules/session.ts";
import { consoleHeaders, messagePage } from "./pages.ts";

/** The page for every client-side route. */
const indexFile = "index.html";
/** Vite writes files with hashed names to this folder. */
const hashedFolder = "assets/";
/** Paths that are not pages. They return 404 if no route matches. */
const served = /^(?:session|rpc|events)(?:\/|$)/;

const types: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".json": "application/json; charset=utf-8",
  ".svg": "image/svg+xml",
  ".png": "image/png",
  ".ico": "image/x-icon",
  ".woff2": "font/woff2",
  ".webmanifest": "application/manifest+json",
  ".txt": "text/plain; charset=utf-8",
};

type Answer = PublicRoute["answer"];
type Build = { readonly builtAtMs: number; readonly files: ReadonlyMap<string, Answer> };

/**
 * Builds the routes that serve the console from a build folder. A file's path returns the file.
 * Every other path returns the index page, whose router reads the path. The routes serve a new
 * build without a restart.
 */
export function consoleFiles(folder: string): readonly PublicRoute[] {
  let build: Promise<Build> | undefined;
  const current = async (): Promise<Build | undefined> => {
    const index = join(folder, indexFile);
    if (!existsSync(index)) return undefined;
    const { mtimeMs } = await stat(index);
    if (build === undefined || (await build).builtAtMs !== mtimeMs) {
      const read = readBuild(folder, mtimeMs);
      build = read;
      read.catch(() => {
        build = undefined;
      });
    }
    return build;
  };
  const answer = async (ctx: RouterContext): Promise<PageAnswer> => {
    const name = ctx.path.slice(consolePath.length);
    if (served.test(name)) return refusalAnswer(refused("ROUTE_NOT_FOUND"));
    const files = (await current())?.files;
    if (files === undefined) {
      return messagePage(404, "No console here", "This deployment does not include the console.");
    }
    const file = files.get(name);
    // The browser requested a hashed file of another build. It would run the index page as a
    // script, so the route returns no page.
    if (file === undefined && name.startsWith(hashedFolder)) {
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

async function readBuild(folder: string, builtAtMs: number): Promise<Build> {
  const found = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = found
    .filter((each) => each.isFile())
    .map(async ({ parentPath, name }) => {
      const path = join(parentPath, name);
      const served = path
        .slice(folder.length + 1)
        .split(sep)
        .join("/");
      const load = () => readFile(path);
      const headers = {
        ...consoleHeaders,
        "Content-Type": types[extname(name)] ?? "application/octet-stream",
        "Cache-Control": served.startsWith(hashedFolder) ? forever : revalidate,
      };
      return [served, serveContent(contentHash(await load()), headers, load)] as const;
    });
  return { builtAtMs, files: new Map(await Promise.all(files)) };
}
