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

/** Page of every client-side route. */
const indexFile = "index.html";
/** Vite puts files with hashed names here. */
const hashedFolder = "assets/";
/** Non-page paths: 404 if no route matches. */
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
 * Routes of the console's build in a folder: its files by name, and its index page for every other
 * path, which the page's router reads. A new build is picked up automatically.
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
      return messagePage(404, "No console here", "This deployment has no build of the console.");
    }
    const file = files.get(name);
    // A missing hashed file belongs to another build. The browser would run the index page as a
    // script.
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
