import { existsSync } from "node:fs";
import { join, posix } from "node:path";
import { home } from "./repository.ts";

/** Returns the relative links of all pages that lead to no file, or to no heading of a page. */
export function brokenLinks(pages: ReadonlyMap<string, string>): string[] {
  const anchors = new Map([...pages].map(([path, text]) => [path, anchorsOf(text)]));
  const leads = (path: string, href: string) => {
    const [file = "", anchor] = href.split("#");
    const target = file === "" ? path : posix.join(posix.dirname(path), file);
    if (!pages.has(target) && !existsSync(join(home, target))) return false;
    return anchor === undefined || (anchors.get(target)?.has(anchor) ?? true);
  };
  return [...pages].flatMap(([path, text]) =>
    linksOf(text)
      .filter((href) => !leads(path, href))
      .map((href) => `${path}: ${href}`),
  );
}

const withoutBlocks = (text: string) => text.replaceAll(/^(```|~~~).*?^\1/gms, "");

function linksOf(text: string): string[] {
  const prose = withoutBlocks(text).replaceAll(/`[^`\n]*`/g, "");
  return [...prose.matchAll(/\]\((?!https?:|mailto:|\/)([^)\s]+)\)/g)].map(([, href = ""]) => href);
}

/** Returns the anchors of a page's headings, as GitHub makes them. */
function anchorsOf(text: string): ReadonlySet<string> {
  const counts = new Map<string, number>();
  const headings = withoutBlocks(text).matchAll(/^#{1,6} (.+)$/gm);
  return new Set(
    [...headings].map(([, heading = ""]) => {
      const shown = heading.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, "$1").trim();
      const anchor = shown
        .toLowerCase()
        .replaceAll(/[^\p{L}\p{N}_\- ]/gu, "")
        .replaceAll(" ", "-");
      const count = counts.get(anchor) ?? 0;
      counts.set(anchor, count + 1);
      return count === 0 ? anchor : `${anchor}-${count}`;
    }),
  );
}
